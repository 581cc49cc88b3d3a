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
from ..measures.spans import Spans


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
