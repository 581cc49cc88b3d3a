"""`Tabular`: the common part of all results that have rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from markupsafe import escape

if TYPE_CHECKING:
    from pandas import DataFrame


class Tabular(ABC):
    """A result that prints as tables, in notebooks too, and has plain values and rows."""

    @abstractmethod
    def __str__(self) -> str:
        """All tables, as one text."""

    def __repr__(self) -> str:
        return str(self)

    @abstractmethod
    def _repr_html_(self) -> str:
        """The tables as notebooks show them."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""

    @abstractmethod
    def records(self) -> list[dict[str, Any]]:
        """Flat rows with the same keys, ready for a data frame or a CSV file."""

    def to_frame(self) -> DataFrame:
        """The rows of `records` as a pandas data frame.

        Raises
        ------
        ImportError
            Without pandas.
        """
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise ImportError(
                "to_frame() needs pandas; install it (pip install pandas), or take the rows of "
                "records()"
            ) from error
        return DataFrame(self.records())


class PlainResult(Tabular, dict[str, Any]):
    """Plain values, ready for JSON."""

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON."""
        return dict(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
