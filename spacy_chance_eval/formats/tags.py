"""Tags of one sentence to spans, and back."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from .corpus import Span
from .errors import Problem, known

OUTSIDE = ("O", "")  # meaning and label
# What each prefix says, in the letters of BIOES.
MEANINGS = {
    "IOB1": {"B": "B", "I": "I"},
    "IOB2": {"B": "B", "I": "I"},
    "BIOES": {"B": "B", "I": "I", "E": "E", "S": "S"},
    "BILUO": {"B": "B", "I": "I", "L": "E", "U": "S"},
}
# Prefix of the first, an inner and the last token of a span, and of the only one.
PREFIXES = {"IOB1": "IIII", "IOB2": "BIIB", "BIOES": "BIES", "BILUO": "BILU"}
SCHEMES = tuple(MEANINGS)
REPAIRS = ("error", "begin", "drop", "conlleval")
# Prefixes that only one scheme has.
FAMILIES = {"E": "BIOES", "S": "BIOES", "L": "BILUO", "U": "BILUO"}
ADVICE = (
    "pass --repair begin to read such a tag as the begin of a span, or --repair drop to ignore "
    "the improper chunk"
)
IOB1_ADVICE = f"{ADVICE}; if the whole file is like that, pass --scheme IOB1"


def spans_of_tags(
    tags: Sequence[str], *, scheme: str = "IOB2", repair: str = "error"
) -> tuple[list[Span], list[Problem]]:
    """Spans of one sentence, and what is wrong with its tags.

    A chunk goes on at I-X or E-X (L-X in BILUO) after B-X or I-X; any other tag but O begins one.
    That is the rule of the conlleval script of CoNLL for IOB tags: a chunk ends before B and O and
    where the label changes, and starts at B, at I after O, and where the label changes. The script
    does not know S, nor B after E; there, as in seqeval, S and E always end a chunk.

    A sequence is improper if I-X (E-X) has nothing to go on with, except in IOB1, and, in BIOES
    and BILUO, if a chunk begun with B is not brought to its E. In IOB1, B may begin any chunk.

    Parameters
    ----------
    tags : sequence of str
        O or PREFIX-LABEL; the label may contain hyphens.
    scheme : "IOB1", "IOB2", "BIOES" or "BILUO"
    repair : str
        "error": improper sequences are problems. "begin": an improper continuation begins a span
        and an unfinished span ends. "drop": an improper chunk is ignored as a whole. "conlleval":
        the rule above, whatever is proper (the same spans as "begin").

    Returns
    -------
    (list of (start, end, label), list of Problem)
        A problem has the index of the tag, what was found and what to do. A tag that is neither O
        nor a prefix of the scheme with a label is a problem under every repair.
    """
    meanings = MEANINGS[known(scheme, SCHEMES, "scheme")]
    known(repair, REPAIRS, "repair")
    chunks: list[list[Any]] = []  # start, end, label, whether it is proper
    improper, malformed = [], []
    before, label_before = OUTSIDE
    has_end = "E" in meanings.values()
    for i, tag in enumerate(tags):
        if tag == before == "O":
            continue
        kind, label = _parse_tag(tag, scheme) or OUTSIDE
        if kind == "O" and tag != "O":
            malformed.append(Problem(i, *_malformed_tag(tag, scheme)))
        goes_on = kind in "IE" and before in "BI" and label == label_before
        unfinished = has_end and before in "BI" and not goes_on
        unbegun = kind in "IE" and not goes_on and scheme != "IOB1"
        if unfinished:
            chunks[-1][3] = False
        if goes_on:
            chunks[-1][1] = i + 1
        elif kind != "O":
            chunks.append([i, i + 1, label, not unbegun])
        if unfinished or unbegun:
            improper.append(_improper_tag(tags, i, scheme, label_before if unfinished else ""))
        before, label_before = kind, label
    if before in "BI" and has_end:
        chunks[-1][3] = False
        improper.append(_improper_tag(tags, len(tags), scheme, label_before))
    spans = [(start, end, name) for start, end, name, ok in chunks if ok or repair != "drop"]
    return spans, sorted(malformed + improper) if repair == "error" else malformed


@lru_cache(maxsize=10_000)
def _parse_tag(tag: str, scheme: str) -> tuple[str, str] | None:
    """(meaning, label) of a tag; None if it has none in the scheme."""
    if tag == "O":
        return OUTSIDE
    meanings = MEANINGS[scheme]
    prefix, _, label = tag.partition("-")
    return (meanings[prefix], label) if label and prefix in meanings else None


def _malformed_tag(tag: str, scheme: str) -> tuple[str, str]:
    """What was found, and what to do."""
    prefixes = ", ".join(f"{prefix}-LABEL" for prefix in MEANINGS[scheme])
    advice = f"{scheme} has O, {prefixes}: check the column and the scheme, or correct the tag"
    return f"{tag!r} is not a tag", advice


def _improper_tag(tags: Sequence[str], i: int, scheme: str, unfinished: str) -> Problem:
    """The problem at tag i, or at the end of the sentence; `unfinished` is a label that goes on."""
    where = f"follows {tags[i - 1]}" if i else "begins a sentence"
    found = f"tag {tags[i]} {where}" if i < len(tags) else f"a sentence ends after {tags[-1]}"
    _, inside, last, single = tuple(PREFIXES[scheme])
    needed = f"B-{tags[min(i, len(tags) - 1)].partition('-')[2]}"
    if unfinished:
        needed = f"{inside}-{unfinished} or {last}-{unfinished}"
    elif tags[i].startswith(f"{last}-") and last != inside:
        needed = f"{single}-{tags[i].partition('-')[2]}"
    found = f"{found}, where {scheme} needs {needed}"
    return Problem(min(i, len(tags) - 1), found, IOB1_ADVICE if scheme == "IOB2" else ADVICE)


def families(tags: Iterable[str]) -> dict[str, str]:
    """The first tag that only one scheme has, for each scheme: {"BIOES": "E-PER"}."""
    found: dict[str, str] = {}
    for tag in dict.fromkeys(tags):
        if tag[1:2] == "-" and tag[0] in FAMILIES:
            found.setdefault(FAMILIES[tag[0]], tag)
    return found


def tags_of_spans(spans: Iterable[Span], size: int, *, scheme: str = "IOB2") -> list[str]:
    """The tags of a sentence of `size` tokens.

    Parameters
    ----------
    spans : iterable of (start, end, label)
    size : int
    scheme : "IOB1", "IOB2", "BIOES" or "BILUO"

    Raises
    ------
    ValueError
        For spans that overlap, leave the sentence or have no label.
    """
    first, inside, last, single = tuple(PREFIXES[known(scheme, SCHEMES, "scheme")])
    tags, free, previous = ["O"] * size, 0, ""
    for start, end, label in sorted(spans):
        if not label or not 0 <= start < end <= size:
            raise ValueError(
                f"span {label} [{start}, {end}) is empty, has no label or leaves the {size} tokens"
            )
        if start < free:
            raise ValueError(
                f"span {label} [{start}, {end}) overlaps another one; tags can hold only spans "
                "that do not overlap"
            )
        touches = scheme == "IOB1" and (start, label) == (free, previous)
        prefixes = [first, *[inside] * (end - start - 2), last] if end - start > 1 else [single]
        prefixes[0] = "B" if touches else prefixes[0]
        tags[start:end] = [f"{prefix}-{label}" for prefix in prefixes]
        free, previous = end, label
    return tags
