"""`Topic` and `Row`: what a measured row of ours, or of a peer, consists of.

A row's `prepare(n_docs)` makes the input as its library takes it and returns what is measured: a
function without arguments. Its value is compared with those of the other rows of the topic, unless
it is None. Nothing heavy is imported before `prepare`: rows of other libraries pay for their own.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One function of a topic: one of ours, or a peer with the row of ours that it is beside.

    `remark` says what it does more, less or otherwise. `share` is the part of the work that is
    really done, a number or a function of documents: seconds are divided by it. `power`: seconds
    grow at least as documents to the power of it. `processes` is how many others it starts. A peer
    whose result is not ours by definition, another coefficient, is not `comparable`: it is shown
    beside ours, without a ratio.
    """

    name: str
    prepare: Callable
    beside: str | None = None
    remark: str = ""
    share: float | Callable = 1
    power: float = 1
    processes: int = 0
    comparable: bool = True

    def share_of(self, n_docs):
        """The part of the work that is done at a size."""
        return self.share(n_docs) if callable(self.share) else self.share


@dataclass(frozen=True)
class Topic:
    """Rows that do the same work, ours first. What takes long begins with `smallest` documents."""

    title: str
    rows: tuple
    smallest: int = 1000
    remark: str = ""

    def row(self, name):
        """The row of that name."""
        return next(row for row in self.rows if row.name == name)

    def sizes(self, sizes):
        """The sizes asked for, after smaller ones where the topic needs them."""
        smaller = (self.smallest * 10**i for i in range(3))
        return [*(size for size in smaller if size < min(sizes)), *sorted(sizes)]
