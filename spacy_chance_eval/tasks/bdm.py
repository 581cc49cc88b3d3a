"""How close the concepts of an ontology are, as a BDM file: `bdm`."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from ..formats.bdm import MOST_CONCEPTS, bdm_lines, check_concepts, too_many
from ..formats.errors import FormatError, PathLike
from ..formats.ontology import read_ontology
from ..formats.paths import path_text
from ..measures.bdm import BdmParts, parts_of_pairs
from ..scoring.counts import Progress, no_progress

Pair: TypeAlias = tuple[str, str, BdmParts]


class BdmTable:
    """BDM of all pairs of concepts of an ontology, worked out as the lines are gone through.

    Parameters
    ----------
    path : str or Path
        An ontology: CSV, JSON, OWL or SKOS.
    concepts : iterable of str
        Only pairs of these; by default all, of which there may be 2000.
    names : "label" or "fragment"
        How concepts of RDF are called: by their labels, or by the last part of their URI.
    top : int
        How many of the closest pairs of different concepts `result` lists.

    Raises
    ------
    FormatError, ValueError
        For a file that is no ontology or has too many concepts, a name that is no concept, and
        names that a BDM file cannot hold.
    """

    def __init__(
        self, path: PathLike, *, concepts: Iterable[str] = (), names: str = "label", top: int = 10
    ) -> None:
        self.path, self.top = path, top
        self.ontology = read_ontology(path, names=names)
        self.concepts = sorted({*concepts}) or self.ontology.concepts
        if len(self.concepts) > MOST_CONCEPTS:
            raise FormatError(too_many(len(self.concepts)), path)
        check_concepts(self.concepts, path)
        self.n_close = 0
        self.closest: list[tuple[float, int, Pair]] = []  # a heap, the least close one first
        self.pairs = parts_of_pairs(self.ontology, self.concepts)

    def lines(self, progress: Progress = no_progress) -> Iterator[str]:
        """The lines of the BDM file; gone through once, before `result`."""
        n = len(self.concepts)
        pairs = progress(self.pairs, n * (n + 1) // 2, "Pairs")
        return bdm_lines(f"##BDM of each pair of concepts of {self.path}", map(self._noted, pairs))

    def result(self) -> dict[str, Any]:
        """The size and shape of the ontology, and the closest pairs, as plain values."""
        shape = self.ontology.shape
        n = len(self.concepts)
        return {
            "ontology": path_text(self.path),
            "n_concepts": len(self.ontology.concepts),
            "n_roots": sum(not above for above in shape.parents),
            "n_leaves": sum(not below for below in shape.children),
            "n0": shape.n0,
            "mean_children": shape.branching,
            "n_chosen": n,
            "n_pairs": n * (n + 1) // 2,
            "n_close": self.n_close,
            "closest": [
                {"key": key, "response": response, **parts._asdict()}
                for _, _, (key, response, parts) in sorted(self.closest, reverse=True)
            ],
        }

    def _noted(self, pair: Pair) -> Pair:
        """The pair, after it has been counted."""
        key, response, parts = pair
        if key != response and parts.bdm > 0:
            self.n_close += 1
            entry = (parts.bdm, -self.n_close, pair)  # of equally close ones the first
            if len(self.closest) < self.top:
                heapq.heappush(self.closest, entry)
            elif self.top:
                heapq.heappushpop(self.closest, entry)
        return pair
