"""Parameters of commands, declared once, and groups of them that several commands have."""

import inspect
import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeAlias

import typer

Function: TypeAlias = Callable[..., None]

argument = typer.Argument


def option(default: Any, *names: str, panel: str | None = None, **settings: Any) -> Any:
    """An option of typer; by default its name is that of the parameter.

    Parameters
    ----------
    default
        Its value where it is not given.
    *names : str
        Such as "--output", "-o". Flags have names, such as "--force" or "--color/--no-color".
    panel : str, optional
        One of those in help.py, under which `--help-all` explains it.
    **settings
        `help`, `min`, `parser` and `metavar` of typer.
    """
    return typer.Option(default, *names, rich_help_panel=panel, **settings)


class OptionGroup:
    """Options that several commands have; in a subclass the default of a field is its `option`."""

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    @classmethod
    def fields(cls) -> dict[str, tuple[Any, Any]]:
        """{name: (type, option)} of all fields, those of the base class first."""
        kinds: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            kinds |= inspect.get_annotations(base)
        return {name: (kind, getattr(cls, name)) for name, kind in kinds.items()}


def with_options(main: str = "", **groups: type[OptionGroup]) -> Callable[[Function], Function]:
    """A decorator: the command has more options, and gets each group of them as one argument.

    In help they come before `output`.

    Parameters
    ----------
    main : str
        The options that `--help` explains, in this order; it names the others, by their panels, and
        `--help-all` explains them.
    **groups
        Subclasses of `OptionGroup` by the names of the arguments.
    """

    def decorate(command: Function) -> Function:
        names = {argument: group.fields() for argument, group in groups.items()}

        @wraps(command)
        def called(**values: Any) -> None:
            own = {
                argument: groups[argument](**{name: values.pop(name) for name in fields})
                for argument, fields in names.items()
            }
            command(**values, **own)

        signature = inspect.signature(command)
        keyword = inspect.Parameter.KEYWORD_ONLY
        kept = [
            one.replace(kind=keyword)
            for one in signature.parameters.values()
            if one.name not in groups
        ]
        more = [
            inspect.Parameter(name, keyword, default=declared, annotation=kind)
            for fields in names.values()
            for name, (kind, declared) in fields.items()
        ]
        place = next((i for i, one in enumerate(kept) if one.name == "output"), len(kept))
        parameters = [*kept[:place], *more, *kept[place:]]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        called.main_options = main.split()  # type: ignore[attr-defined]  # for `write_options`
        return called

    return decorate


WHOLE = "*"  # the corpus, in place of a document
OPTIONAL = {"--explain": WHOLE}  # options whose value may be left out, and what it is then


def with_optional_values(words: Sequence[str]) -> list[str]:
    """The words of a command line, values that are left out written behind their options.

    A file that follows such an option is none of its values; --explain=NAME takes all names.
    """
    return [
        f"{word}={OPTIONAL[word]}"
        if word in OPTIONAL
        and (following[:1] == "-" or os.path.exists(following.partition("#")[0]))
        else word
        for word, following in zip(words, [*words[1:], "-"])
    ]
