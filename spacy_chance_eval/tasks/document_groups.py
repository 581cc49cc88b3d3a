"""How the documents of a board are grouped by what files say of them: clusters and subsets."""

from collections.abc import Callable, Set
from dataclasses import dataclass

from ..scoring.intervals import article_clusters
from ..scoring.leaderboard import BINNED, parts_of, requests_of

MAX_PARTS = 50  # of a subset by attribute


@dataclass(frozen=True, eq=False)
class Documents:
    """What a file says of its documents.

    `names` are those of all attributes; `values(name)` has the value of each document, or None.
    """

    path: str
    names: Set
    values: Callable

    @classmethod
    def of(cls, corpus):
        """Those of a `Corpus`."""
        found = [document.attributes for document in corpus.documents]
        names = {key for one in found for key in one}
        return cls(corpus.path, names, lambda name: [one.get(name) for one in found])

    def clusters(self, cluster, resamples=True):
        """What is resampled, and the name of each document's cluster (None: the documents).

        Without resamples the values of documents are not asked for.
        """
        if cluster not in ("none", "auto"):
            self.check(cluster, "--cluster none, auto, or")
        if cluster == "none" or not resamples:
            return "documents", None
        if cluster == "auto":
            return article_clusters([{"article": one} for one in self.values("article")])
        return cluster, list(self.values(cluster))

    def subsets(self, gold, names, bins, metrics):
        """{name: parts} of the subsets asked for; see `subsets.parts_of`."""
        found = {}
        for name in names:
            if name in BINNED:
                corrected = (r for r in requests_of(metrics).values() if r.placement != "none")
                found[name] = parts_of(gold, name, bins=bins, request=next(corrected, None))
                continue
            self.check(name, f"a subset is {', '.join(BINNED)} or")
            found[name] = parts_of(gold, name, values=self.values(name))
            if len(found[name]) > MAX_PARTS:
                raise ValueError(
                    f"the attribute {name!r} has {len(found[name])} values; a subset by attribute "
                    f"needs at most {MAX_PARTS}"
                )
        return found

    def check(self, name, what):
        """Raise unless some document has the attribute."""
        if name not in self.names:
            raise ValueError(
                f"no document of {self.path} has an attribute {name!r}; expected {what} one of: "
                f"{', '.join(sorted(self.names)) or '(there are none)'}"
            )
