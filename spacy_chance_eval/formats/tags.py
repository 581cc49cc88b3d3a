"""Tags in files: their spellings, and mistakes."""

import re
from collections.abc import Mapping

from ..measures.messages import quoted
from ..measures.tags import UNSEEN, tags_of_scheme

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
LABEL = re.compile(r"(?!.[-_])(?=.*[^\W\d_])[^()*=|]+")
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


def plain_tags(counts: Mapping[str, int]) -> dict[str, str]:
    """{cell: tag} of a column whose tags are spelt otherwise, all in one way; {} of others.

    Of brackets, the tags of cells that do not begin a span are "I", or "E" if it ends there.
    """
    cells = [cell for cell in counts if cell not in (*OUTSIDE, UNSEEN, "_")]
    if any(map(is_tag, cells)) or not cells:
        return {BRACKETS: "O"} if not cells and BRACKETS in counts else {}
    if any(all(map(pattern.fullmatch, cells)) for pattern, _ in SPELLINGS):
        return {cell: respelt(cell) for cell in counts}
    most = max(counts, key=counts.__getitem__)
    matches = {cell: match for cell in cells if (match := BRACKET.fullmatch(cell))}
    is_most = most == BRACKETS and 2 * len(matches) > len(cells)
    if is_most or len(matches) == len(cells) and any(BRACKETS in cell for cell in counts):
        begins = {cell: "BS"[")" in one[2]] for cell, one in matches.items() if one[1]}
        tags = {cell: f"{letter}-{matches[cell][1]}" for cell, letter in begins.items()}
        return {BRACKETS: "I"} | dict.fromkeys(matches, "E") | tags
    nothing = OUTSIDE if any(cell in counts for cell in OUTSIDE) else (UNSEEN, "_")
    if most in nothing and len(cells) <= MOST_LABELS and all(map(LABEL.fullmatch, cells)):
        outside = {cell: "O" for cell in OUTSIDE if cell in counts}
        return outside | {cell: f"I-{cell}" for cell in cells}
    return {}


def no_tag(tag: object, scheme: str) -> tuple[str, str]:
    """The mistake, and advice, about what is neither O nor a tag of the scheme."""
    has = f"{scheme} has {tags_of_scheme(scheme)}"
    return (
        f"{quoted(tag)} is not a tag",
        f"{has}: check the column and the scheme, or correct the tag",
    )
