"""Tags of one sequence of tokens to spans: IOB1, IOB2, BIOES, BILUO, BMES; and back, to IOB2."""

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from .arrays import BoolArray, IntArray, distinct
from .messages import quoted

Span: TypeAlias = tuple[int, int, str]  # start, end and label

OUTSIDE = ("O", "")  # meaning and label
UNSEEN = "-"  # instead of a tag: nothing is said of the token
# What each prefix says, in the letters of BIOES.
MEANINGS = {
    "IOB1": {"B": "B", "I": "I"},
    "IOB2": {"B": "B", "I": "I"},
    "BIOES": {"B": "B", "I": "I", "E": "E", "S": "S"},
    "BILUO": {"B": "B", "I": "I", "L": "E", "U": "S"},
    "BMES": {"B": "B", "M": "I", "E": "E", "S": "S"},
}
SCHEMES = tuple(MEANINGS)
REPAIRS = ("conlleval", "drop")
# Prefixes that only one scheme has.
ONE_SCHEME = "correct the tags: E- and S- of BIOES are L- and U- of BILUO"  # if there are both
FAMILIES = {"E": "BIOES", "S": "BIOES", "L": "BILUO", "U": "BILUO", "M": "BMES"}


def spans_of_tags(
    tags: Sequence[str], *, scheme: str = "IOB2", repair: str = "conlleval"
) -> tuple[list[Span], list[int], list[int]]:
    """Spans of one sentence, and where its tags are improper, or none.

    A chunk goes on at I-X or E-X (L-X in BILUO) after B-X or I-X; any other tag but O begins one.
    That is the rule of the conlleval script of CoNLL for IOB tags: a chunk ends before B and O and
    where the label changes, and starts at B, at I after O, and where the label changes. The script
    does not know S, nor B after E; there, as in seqeval, S and E always end a chunk.

    A chunk is improper if it begins with I-X (E-X), except in IOB1, and, in BIOES, BILUO and BMES,
    if it is begun with B but not brought to its E.

    Parameters
    ----------
    tags : sequence of str
        O or PREFIX-LABEL; the label may contain hyphens.
    scheme : "IOB1", "IOB2", "BIOES", "BILUO" or "BMES"
    repair : "conlleval" or "drop"
        The rule above for any tags, proper or not; or an improper chunk is ignored as a whole, as
        in seqeval's strict mode.

    Returns
    -------
    (list of (start, end, label), list of int, list of int)
        The spans; the first tokens of improper chunks; the tokens with a tag that is neither O nor
        a prefix of the scheme with a label.
    """
    _check_known(scheme, SCHEMES, "scheme")
    _check_known(repair, REPAIRS, "repair")
    has_end = "E" in MEANINGS[scheme].values()
    chunks: list[list[Any]] = []  # start, end, label, whether it is proper
    malformed = []
    before, label_before = OUTSIDE
    for i, tag in enumerate([*tags, "O"]):
        if tag == before == "O":
            continue
        kind, label = _parse_tag(tag, scheme) or OUTSIDE
        if kind == "O" and tag != "O":
            malformed.append(i)
        goes_on = kind in "IE" and before in "BI" and label == label_before
        if has_end and before in "BI" and not goes_on:
            chunks[-1][3] = False
        if goes_on:
            chunks[-1][1] = i + 1
        elif kind != "O":
            chunks.append([i, i + 1, label, kind not in "IE" or scheme == "IOB1"])
        before, label_before = kind, label
    spans = [(start, end, name) for start, end, name, ok in chunks if ok or repair != "drop"]
    return spans, [start for start, *_, ok in chunks if not ok], malformed


@lru_cache(maxsize=10_000)
def _parse_tag(tag: str, scheme: str) -> tuple[str, str] | None:
    """(meaning, label) of a tag; None if it has none in the scheme."""
    if tag == "O":
        return OUTSIDE
    meanings = MEANINGS[scheme]
    prefix, _, label = tag.partition("-")
    return (meanings[prefix], label) if label and prefix in meanings else None


class TagRows(NamedTuple):
    """The tags of many sentences but O, in columns.

    Parameters
    ----------
    tokens : integer array of shape (n_rows,)
        The tokens that have them, by their numbers in the corpus.
    codes : integer array of shape (n_rows,)
        Indices of `tags`.
    follows : boolean array of shape (n_rows,)
        Whether the token before is in the same sentence and in the row before.
    """

    tokens: IntArray
    codes: IntArray
    tags: Sequence[str]
    follows: BoolArray

    @classmethod
    def of_sentences(
        cls, tokens: IntArray, codes: IntArray, tags: Sequence[str], begins: BoolArray
    ) -> "TagRows":
        """The rows of tokens; `begins` says of all tokens whether a sentence begins there."""
        follows = np.zeros(len(tokens), bool)
        follows[1:] = (tokens[1:] == tokens[:-1] + 1) & ~begins[tokens[1:]]
        return cls(tokens, codes, tags, follows)

    def _same_label(self, labels: IntArray) -> BoolArray:
        """Whether the row before is the token before, and has the same label."""
        own = labels[self.codes]
        same: BoolArray = self.follows.copy()
        same[1:] &= own[1:] == own[:-1]
        return same

    def spans(
        self, scheme: str, repair: str
    ) -> tuple[IntArray, IntArray, IntArray, tuple[str, ...], IntArray, IntArray]:
        """(starts, ends, labels, their sorted names, rows of improper chunks, of what is no tag).

        As in `spans_of_tags`.
        """
        parsed = [_parse_tag(tag, scheme) or OUTSIDE for tag in self.tags]
        kinds = np.array([ord(kind) for kind, _ in parsed], np.uint8)[self.codes]
        names = tuple(sorted({label for _, label in parsed}))
        labels = np.array([names.index(label) for _, label in parsed], np.int64)
        goes_on = self._same_label(labels)
        goes_on &= (kinds == ord("I")) | (kinds == ord("E"))
        before = np.append(np.uint8(0), kinds[:-1])[: len(kinds)]
        goes_on &= (before == ord("B")) | (before == ord("I"))
        first = np.flatnonzero(~goes_on)
        last = np.append(first[1:], len(kinds))[: len(first)] - 1
        proper = np.ones(len(first), bool)
        if scheme != "IOB1":
            proper &= (kinds[first] != ord("I")) & (kinds[first] != ord("E"))
        if "E" in MEANINGS[scheme].values():
            proper &= (kinds[last] != ord("B")) & (kinds[last] != ord("I"))
        malformed = kinds[first] == ord("O")
        improper, wrong = first[~proper & ~malformed], first[malformed]
        kept = ~malformed & (proper if repair == "drop" else True)
        first, last = first[kept], last[kept]
        own = labels[self.codes[first]]
        used = distinct(own)
        found = tuple(names[label] for label in used.tolist())
        codes = np.searchsorted(used, own)
        return self.tokens[first], self.tokens[last] + 1, codes, found, improper, wrong


def tags_of_scheme(scheme: str) -> str:
    """The tags that a scheme has, for messages: "O, B-LABEL, I-LABEL"."""
    return ", ".join(["O", *(f"{prefix}-LABEL" for prefix in MEANINGS[scheme])])


def _check_known(value: str, table: Collection[str], what: str) -> None:
    """Raise ValueError for a value that is not in the table."""
    if value not in table:
        raise ValueError(f"unknown {what} {quoted(value)}; expected one of {', '.join(table)}")


def families(tags: Iterable[str]) -> dict[str, str]:
    """The first tag that only one scheme has, for each scheme: {"BIOES": "E-PER"}.

    Where M stands for all I, E and S are of BMES.
    """
    found: dict[str, str] = {}
    has_inside = False
    for tag in dict.fromkeys(tags):
        has_inside |= tag[:2] == "I-"
        if tag[1:2] == "-" and tag[0] in FAMILIES:
            found.setdefault(FAMILIES[tag[0]], tag)
    if "BMES" in found:
        found.pop("BMES" if has_inside else "BIOES", None)
    return found


def detect_scheme(sequences: Iterable[Sequence[str]]) -> str:
    """The scheme that sequences of tags belong to.

    BIOES and BILUO have prefixes of their own; others are IOB2, of which IOB1 has the same spans.
    """
    own = families({tag for tags in sequences for tag in tags})
    if len(own) > 1:
        (one, first), (two, second) = own.items()
        raise ValueError(f"tags of two schemes: {first} of {one}, {second} of {two}; {ONE_SCHEME}")
    return next(iter(own), "IOB2")


def check_tags(documents: Sequence[Any]) -> None:
    """Raise ValueError for anything but a list of texts for each document; says what to call."""
    if not isinstance(documents, Iterable):
        raise ValueError(f"tags are {quoted(documents)}; expected a list of tags for each document")
    if isinstance(documents, str) or any(isinstance(tags, str) for tags in documents):
        raise ValueError(
            "a flat list of tags; expected a list of tags for each document (or sentence). For one "
            "document alone put its tags into a list: [tags]"
        )
    for doc, tags in enumerate(documents, 1):
        if not isinstance(tags, (Iterable, type(None))):
            raise ValueError(f"document {doc} is {quoted(tags, 40)}; expected a list of tags")
        kinds = () if tags is None else {type(tag) for tag in tags}
        wrong = next((kind for kind in kinds if not issubclass(kind, str)), None)
        if wrong is None:
            continue
        if issubclass(wrong, (list, np.ndarray)):
            raise ValueError(
                f"document {doc} holds lists, not tags; expected a list of tags for each document "
                "(or sentence): [tags for document in documents for tags in document]"
            )
        found = next(tag for tag in tags or () if isinstance(tag, wrong))
        if isinstance(found, (int, np.integer)):
            raise ValueError(
                f"document {doc} has the number {found} for a tag; expected texts such as 'B-PER'. "
                "With the names of the tags in their order: [[names[tag] for tag in tags] for tags "
                "in documents]"
            )
        raise ValueError(
            f"document {doc} has {quoted(found)} for a tag; expected a text such as 'B-PER'"
        )


def lengths_of_tags(
    documents: Sequence[Sequence[str] | None],
    sizes: ArrayLike | None = None,
    words: Sequence[Sequence[str]] | None = None,
) -> IntArray:
    """The length of each document: shape (n_docs,).

    Parameters
    ----------
    documents : sequence of sequences of str
        None for a document that the annotator has not seen.
    sizes : integer array_like, optional
        The lengths, where they are known: needed of documents that are None.
    words : sequence of sequences of str, optional
        The tokens of each document.
    """
    if isinstance(words, str) or any(isinstance(tokens, str) for tokens in words or ()):
        raise ValueError("words is a flat list; expected a list of tokens for each document")
    known = {} if sizes is None else {"size": np.asarray(sizes).reshape(-1).tolist()}
    if words is not None:
        known["number of words"] = [len(tokens) for tokens in words]
    for what, lengths in known.items():
        if len(lengths) != len(documents):
            raise ValueError(f"{len(documents)} documents of tags, but a {what} for {len(lengths)}")
        for doc, (tags, length) in enumerate(zip(documents, lengths), 1):
            if tags is not None and len(tags) != length:
                raise ValueError(f"document {doc} has {len(tags)} tags, but its {what} is {length}")
    if not known and any(tags is None for tags in documents):
        raise ValueError(
            "a document without tags (None) has no length of its own; pass the lengths of all "
            "documents, sizes=[...], or their tokens, words=[[...], ...]"
        )
    given = next(iter(known.values()), ())
    lengths = [n if tags is None else len(tags) for tags, n in zip_longest(documents, given)]
    return np.array(lengths, np.int64)


def tags_of_spans(spans: Iterable[Span], size: int) -> list[str]:
    """The tags of IOB2 of a sentence of `size` tokens.

    Parameters
    ----------
    spans : iterable of (start, end, label)
    """
    tags, free = ["O"] * size, 0
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
        tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
        free = end
    return tags
