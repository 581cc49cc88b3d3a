"""Tags of one sentence of a file: its spans, and its problems with advice for the command line."""

from collections.abc import Sequence

from ..measures import tags as measures
from ..measures.tags import (
    ONE_SCHEME,
    REPAIRS,
    SCHEMES,
    Span,
    TagProblem,
    families,
    iob_scheme,
    tags_of_scheme,
    tags_of_spans,
)
from .blemishes import SPANS, leave_out_part
from .errors import ContentError, Problem

__all__ = [
    "ADVICE",
    "ONE_SCHEME",
    "REPAIRS",
    "SCHEMES",
    "families",
    "iob_scheme",
    "sound_spans",
    "spans_of_tags",
    "tags_of_spans",
]

ADVICE = (
    "pass --repair begin to read such a tag as the begin of a span, or --repair drop to ignore "
    "the improper chunk"
)
IOB1_ADVICE = f"{ADVICE}; if the whole file is like that, pass --scheme IOB1"


def spans_of_tags(
    tags: Sequence[str], *, scheme: str = "IOB2", repair: str = "error"
) -> tuple[list[Span], list[Problem]]:
    """Spans of one sentence, and what is wrong with its tags, with what to do on the command line.

    Parameters
    ----------
    tags : sequence of str
        O or PREFIX-LABEL; the label may contain hyphens.
    scheme : "IOB1", "IOB2", "BIOES" or "BILUO"
    repair : "error", "begin", "drop" or "conlleval"
        What becomes of improper sequences.

    Raises
    ------
    ValueError
        For an unknown scheme or repair.
    """
    spans, wrong = measures.spans_of_tags(tags, scheme=scheme, repair=repair)
    return spans, [Problem(one.place, one.found, _advice(one, scheme)) for one in wrong]


def sound_spans(tags: Sequence[str], *, scheme: str = "IOB2", repair: str = "error") -> list[Span]:
    """Spans of one sentence, of which improper ones are blemishes.

    Raises
    ------
    ContentError
        For the first improper one, if blemishes are errors.
    ValueError
        For an unknown scheme or repair.
    """
    spans, problems = spans_of_tags(tags, scheme=scheme, repair=repair)
    for one in problems:
        mistake = ContentError(f"token {one.place}: {one.found}", one.advice)
        leave_out_part(mistake, SPANS)
    return spans_of_tags(tags, scheme=scheme, repair="drop")[0] if problems else spans


def _advice(problem: TagProblem, scheme: str) -> str:
    """Advice on a problem."""
    if problem.malformed:
        has = tags_of_scheme(scheme)
        return f"{scheme} has {has}: check the column and the scheme, or correct the tag"
    return IOB1_ADVICE if scheme == "IOB2" else ADVICE
