"""`--exclude`: spans of some labels take their tokens out of the comparison."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial, reduce

import numpy as np

from ..formats.notes import (
    LABEL_LEFT_OUT,
    NO_NOTES,
    REGION_POSITIONS,
    REGIONS,
    REGIONS_UNPLACED,
    Notes,
    Place,
    note,
)
from ..measures.alignment import Regions, common_stretches, marked_stretches, without_regions
from ..measures.arrays import BoolArray, IntArray
from ..measures.spans import Spans, trusted


def marked_regions(spans: Spans, labels: Collection[str], path: str) -> tuple[Spans, Notes]:
    """Gold, or an annotator, without the tokens under spans of some labels; and notes on them.

    Parameters
    ----------
    path : str
        The file, as notes name it.
    """
    found = without_regions(spans, labels)
    return found.spans, _notes(found, spans, labels, path, found.n_tokens)


def regions_of_panel(
    sides: Mapping[str, Spans], labels: Collection[str], paths: Mapping[str, str]
) -> tuple[dict[str, Spans], Notes]:
    """Annotators without the tokens under spans of some labels, and notes on these.

    `align` takes out of a document what any annotator who saw it has as a region.

    Parameters
    ----------
    sides, paths : mapping
        Annotators and their files, by name.
    """
    if not labels:
        return dict(sides), NO_NOTES
    kept = {name: without_regions(spans, labels) for name, spans in sides.items()}
    found = {name: one.spans for name, one in kept.items()}
    n_tokens = _n_common(sides) - _n_common(found)
    notes = NO_NOTES
    for name, one in kept.items():
        notes += _notes(one, sides[name], labels, paths[name], n_tokens)
        n_tokens = 0
    return found, notes


def regions_of_candidates(
    sides: Mapping[str, Spans],
    candidates: Collection[str],
    labels: Collection[str],
    paths: Mapping[str, str],
) -> tuple[dict[str, Spans], Notes]:
    """Annotators and candidates without the tokens under regions of annotators; and notes.

    All are compared on the same tokens: what one annotator has as a region is missing for
    everybody, and a document that has no token left was seen by nobody. Spans of these labels of a
    candidate are removed, and their tokens stay.

    Parameters
    ----------
    sides, paths : mapping
        Annotators and candidates, and their files, by name.
    candidates : collection of str
        Their names.
    """
    if not labels:
        return dict(sides), NO_NOTES
    humans = {name: one for name, one in sides.items() if name not in candidates}
    found, notes = regions_of_panel(humans, labels, paths)
    for name in sides.keys() - humans.keys():
        found[name], left = without_labels_of_regions(sides[name], labels, paths[name])
        notes += left
    first = next(iter(sides.values()))
    docs = np.flatnonzero(first.sizes)
    whole = np.column_stack([docs, np.zeros_like(docs), first.sizes[docs]])
    free = [without_regions(trusted(one, stretches=whole), labels) for one in humans.values()]
    together = partial(common_stretches, first.offsets)
    rest = reduce(together, (one.spans.stretches for one in free), whole)
    seen = np.isin(np.arange(first.n_docs), rest[:, 0]) | (first.sizes == 0)
    return {name: _restricted(found[name], rest, seen) for name in sides}, notes


def _restricted(spans: Spans, rest: IntArray, seen: BoolArray) -> Spans:
    """An annotator or a candidate on the stretches `rest`, and on documents that are `seen`."""
    return trusted(
        spans.keep(seen[spans.doc]),
        stretches=common_stretches(spans.offsets, spans.stretches, rest),
        unplaced=spans.unplaced[seen[spans.unplaced[:, 0]]],
        seen=spans.seen & seen,
        partner=None,
    )


def without_labels_of_regions(
    spans: Spans, labels: Collection[str], path: str
) -> tuple[Spans, Notes]:
    """A prediction without spans of some labels, which take out nothing; and notes on them."""
    if not labels:
        return spans, NO_NOTES
    found = without_regions(spans, labels, marked=False)
    places = [Place(path, None, spans.span_name(row)) for row in found.rows]
    return found.spans, note(LABEL_LEFT_OUT, places)


def _notes(
    found: Regions, spans: Spans, labels: Collection[str], path: str, n_tokens: int
) -> Notes:
    """The notes on the regions of an annotator, which leave out some tokens."""
    if not labels:
        return NO_NOTES
    places = [Place(path, None, spans.span_name(row)) for row in found.rows]
    counts = {REGIONS: len(places), REGION_POSITIONS: n_tokens}
    counts |= {REGIONS_UNPLACED: found.n_unplaced}
    used = np.array(spans.labels)[spans.label[found.rows]].tolist()
    return Notes(
        {kind: n for kind, n in counts.items() if n},
        {REGIONS: note(REGIONS, places).places[REGIONS]} if places else {},
        regions={label: used.count(label) for label in labels},
    )


def _n_common(sides: Mapping[str, Spans]) -> int:
    """Number of tokens that all annotators have annotated who saw them."""
    first = next(iter(sides.values()))
    together = partial(common_stretches, first.offsets)
    stretches = reduce(together, map(marked_stretches, sides.values()))
    return int((stretches[:, 2] - stretches[:, 1]).sum())
