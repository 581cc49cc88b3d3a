"""Tags in files: their spellings, the spans of a sentence, and its problems with advice."""

import re
from collections.abc import Iterable, Mapping, Sequence

from ..measures import tags as measures
from ..measures.tags import (
    ONE_SCHEME,
    REPAIRS,
    SCHEMES,
    UNSEEN,
    Span,
    TagProblem,
    families,
    iob_scheme,
    tags_of_scheme,
    tags_of_spans,
)
from .blemishes import SPANS, TOKENS, leave_out_part
from .errors import ContentError, Problem

__all__ = ["ONE_SCHEME", "REPAIRS", "SCHEMES", "families", "iob_scheme", "tags_of_spans"]

ADVICE = (
    "pass --repair begin to read such a tag as the begin of a span, or --repair drop to ignore "
    "the improper chunk"
)
IOB1_ADVICE = f"{ADVICE}; if the whole file is like that, pass --scheme IOB1"
TAG = re.compile(r"O|[BIESLUM]-.+")
OUTSIDE = ("O", "o", "0", "*")  # how nothing is spelt
# Other spellings of tags, one in a column, and how they are read. A prefix alone has the label _,
# as in seqeval.
SPELLINGS = (
    (re.compile("[BIESLUM]"), r"\g<0>-_"),
    (re.compile("([BIESLUM])_(.+)"), r"\1-\2"),
    (re.compile("(.+)-([BIESLUM])"), r"\2-\1"),
    (re.compile("([bieslum])-(.+)"), r"\1-\2"),
)
# Labels without prefixes: neighbours with one label are one span.
LABEL = re.compile(r"(?!.[-_])(?=.*[^\W\d_])[^()*]+")
# CoNLL-2012: (PER* begins a span, *) ends it, (PER) is one token.
BRACKET = re.compile(r"\(([^()*]+)(\*|\*?\))|\*?\)")
BRACKETS = "*"  # a cell between them
MOST_LABELS = 500  # in a column without prefixes


def is_tag(field: str) -> bool:
    """Whether a field looks like a tag of any scheme."""
    return TAG.fullmatch(field.strip(" ")) is not None


def respelt(cell: str) -> str:
    """A tag in the usual spelling; other texts as they are."""
    for pattern, template in SPELLINGS:
        if match := pattern.fullmatch(cell):
            tag = match.expand(template)
            return tag[0].upper() + tag[1:]
    return "O" if cell in OUTSIDE else cell


def plain_tags(counts: Mapping[str, int]) -> dict[str, str] | None:
    """{cell: tag} of a column whose tags are spelt otherwise, all in one way; None of others.

    Of brackets, the tags of cells that do not begin a span are "I", or "E" if it ends there.
    """
    cells = [cell for cell in counts if cell not in (*OUTSIDE, UNSEEN, "_")]
    if any(map(is_tag, cells)) or not cells:
        return None
    plain = {cell: "O" for cell in OUTSIDE if cell in counts}
    most = max(counts, key=counts.__getitem__)
    if any(cells and all(map(pattern.fullmatch, cells)) for pattern, _ in SPELLINGS):
        return plain | {cell: respelt(cell) for cell in cells}
    matches = {cell: match for cell in cells if (match := BRACKET.fullmatch(cell))}
    if most == BRACKETS and 2 * len(matches) > len(cells):
        begins = {cell: "BS"[")" in one[2]] for cell, one in matches.items() if one[1]}
        tags = {cell: f"{letter}-{matches[cell][1]}" for cell, letter in begins.items()}
        return {BRACKETS: "I"} | dict.fromkeys(matches, "E") | tags
    if most in OUTSIDE and len(cells) <= MOST_LABELS and all(map(LABEL.fullmatch, cells)):
        return plain | {cell: f"I-{cell}" for cell in cells}
    return None


def spans_of_tags(
    tags: Sequence[str], *, scheme: str = "IOB2", repair: str = "error"
) -> tuple[list[Span], list[Problem]]:
    """Spans of one sentence, and the errors in its tags, with advice for the command line."""
    spans, wrong = measures.spans_of_tags(tags, scheme=scheme, repair=repair)
    return spans, [Problem(one.place, one.found, _advice(one, scheme)) for one in wrong]


def _advice(problem: TagProblem, scheme: str) -> str:
    """Advice on a problem."""
    if problem.malformed:
        has = tags_of_scheme(scheme)
        return f"{scheme} has {has}: check the column and the scheme, or correct the tag"
    return IOB1_ADVICE if scheme == "IOB2" else ADVICE


BEGINS, CONTINUES = ("B-", "S-", "U-"), ("I-", "M-", "E-", "L-")
ENDS = ("E-", "L-", "S-", "U-")


def blemished_tags(tags: Sequence[str], places: Iterable[int]) -> set[int]:
    """The places of blemished tags, and of those beside them that may belong to the same span.

    A span is open before a blemish unless its last tag says that it ends there.
    """
    found = {*places}
    for place in sorted(found):
        at, label = place - 1, None
        while at >= 0 and at not in found and tags[at][:2] in (*BEGINS, *CONTINUES):
            if tags[at][:2] in ENDS or label not in (None, tags[at][2:]):
                break
            label = tags[at][2:]
            found.add(at)
            at = -1 if tags[at][:2] in BEGINS else at - 1
        at, label = place + 1, None
        while at < len(tags) and tags[at][:2] in CONTINUES and label in (None, tags[at][2:]):
            label = tags[at][2:]
            found.add(at)
            at = len(tags) if tags[at][:2] in ENDS else at + 1
    return found


def spans_beside(
    tags: Sequence[str], places: Iterable[int], *, scheme: str, repair: str
) -> tuple[list[Span], list[Problem], set[int]]:
    """Spans of one sentence with blemished tags, its problems, and the tokens not annotated.

    Spans that may run over a blemished token are left out with their tokens, and improper ones.
    Malformed tags are blemished, too, beside those at `places`.
    """
    places = {*places}
    plain = ["O" if place in places else tag for place, tag in enumerate(tags)]
    _, wrong = spans_of_tags(plain, scheme=scheme, repair=repair)
    malformed = [one for one in wrong if not one.advice.startswith(ADVICE)]
    unseen = blemished_tags(tags, places | {one.place for one in malformed})
    plain = ["O" if place in unseen else tag for place, tag in enumerate(tags)]
    _, wrong = spans_of_tags(plain, scheme=scheme, repair=repair)
    how = "drop" if repair == "error" else repair
    spans, _ = spans_of_tags(plain, scheme=scheme, repair=how)
    if how == "drop" and wrong:
        chunks, _ = spans_of_tags(plain, scheme=scheme, repair="begin")
        wrong = _one_of_each(wrong, sorted({*chunks} - {*spans}))
    return spans, [*malformed, *wrong], unseen


def _one_of_each(problems: Sequence[Problem], chunks: Iterable[Span]) -> list[Problem]:
    """One problem of each improper chunk, which may have one at its begin and one at its end."""
    found: list[Problem] = []
    left = [*problems]
    for start, end, _ in chunks:
        mine = [one for one in left if start <= one.place <= end][:1]
        found += mine
        left = left[left.index(mine[0]) + 1 :] if mine else left
    return found


def sound_spans(
    tags: Sequence[str], *, scheme: str = "IOB2", repair: str = "error"
) -> tuple[list[Span], set[int]]:
    """Spans of one sentence, with improper ones as blemishes, and tokens not annotated."""
    spans, problems = spans_of_tags(tags, scheme=scheme, repair=repair)
    if not problems:
        return spans, set()
    spans, problems, unseen = spans_beside(tags, (), scheme=scheme, repair=repair)
    for one in problems:
        mistake = ContentError(f"token {one.place}: {one.found}", one.advice)
        leave_out_part(mistake, SPANS if one.advice.startswith(ADVICE) else TOKENS)
    return spans, unseen
