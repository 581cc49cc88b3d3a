"""Tags of one sequence of tokens to spans, and back: IOB1, IOB2, BIOES, BILUO, BMES."""

import re
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
# Prefix of the first, an inner and the last token of a span, and of the only one.
PREFIXES = {"IOB1": "IIII", "IOB2": "BIIB", "BIOES": "BIES", "BILUO": "BILU", "BMES": "BMES"}
SCHEMES = tuple(MEANINGS)
REPAIRS = ("error", "begin", "drop", "conlleval")
# Prefixes that only one scheme has.
ONE_SCHEME = "correct the tags: E- and S- of BIOES are L- and U- of BILUO"  # if there are both
FAMILIES = {"E": "BIOES", "S": "BIOES", "L": "BILUO", "U": "BILUO", "M": "BMES"}
# Forms of no scheme, their errors, and how a tag is made of one.
OTHER_FORMS = (
    ("[BIESLUM]", "a tag has a label", "f'{tag}-SPAN'"),
    ("[BIESLUM]_.+", "the prefix ends with a hyphen", "tag.replace('_', '-', 1)"),
    (".+-[BIESLUM]", "the prefix comes first", "'-'.join(tag.rsplit('-', 1)[::-1])"),
    ("[BIESLUMbieslum]-.+|o", "prefixes are capital letters", "tag[0].upper() + tag[1:]"),
    ("(?!.[-_]).+", "without prefixes, neighbours with one label are one span", "f'I-{tag}'"),
)


class TagProblem(NamedTuple):
    """An error in a tag: its index, the finding, and whether it is no tag at all."""

    place: int
    found: str
    malformed: bool


def spans_of_tags(
    tags: Sequence[str], *, scheme: str = "IOB2", repair: str = "error"
) -> tuple[list[Span], list[TagProblem]]:
    """Spans of one sentence, and the errors in its tags.

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
    scheme : "IOB1", "IOB2", "BIOES", "BILUO" or "BMES"
    repair : str
        "error": improper sequences are problems. "begin": an improper continuation begins a span
        and an unfinished span ends. "drop": an improper chunk is ignored as a whole. "conlleval":
        the rule above for any tags, proper or not (the same spans as "begin").

    Returns
    -------
    (list of (start, end, label), list of TagProblem)
        A tag that is neither O nor a prefix of the scheme with a label is a problem under every
        repair.
    """
    _check_known(scheme, SCHEMES, "scheme")
    _check_known(repair, REPAIRS, "repair")
    meanings = MEANINGS[scheme]
    chunks: list[list[Any]] = []  # start, end, label, whether it is proper
    improper, malformed = [], []
    before, label_before = OUTSIDE
    has_end = "E" in meanings.values()
    for i, tag in enumerate(tags):
        if tag == before == "O":
            continue
        kind, label = _parse_tag(tag, scheme) or OUTSIDE
        if kind == "O" and tag != "O":
            malformed.append(TagProblem(i, f"{quoted(tag)} is not a tag", True))
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


def _improper_tag(tags: Sequence[str], i: int, scheme: str, unfinished: str) -> TagProblem:
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
    return TagProblem(min(i, len(tags) - 1), found, False)


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

    def iob_scheme(self) -> str | None:
        """IOB1 or IOB2, if the tags show it: the function `iob_scheme` for all sentences."""
        parts = [tag.partition("-") for tag in self.tags]
        known = {label: i for i, label in enumerate(dict.fromkeys(["", *(p[2] for p in parts)]))}
        labels = np.array([known[label] for *_, label in parts], np.int64)
        changes = ~self._same_label(labels)
        # after O, a tag without a label has that of the tag before
        changes &= self.follows | (labels[self.codes] > 0)
        for prefix, scheme in (("B", "IOB2"), ("I", "IOB1")):
            is_prefix = np.array([part[0] == prefix for part in parts], bool)
            if (is_prefix[self.codes] & changes).any():
                return scheme
        return None

    def spans(
        self, scheme: str, repair: str
    ) -> tuple[IntArray, IntArray, IntArray, tuple[str, ...], IntArray]:
        """(starts, ends, labels, their sorted names, tokens of errors) as in `spans_of_tags`.

        An improper chunk has its error at its first token; its span may be another one there.
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
        wrong = self.tokens[first[malformed | (~proper if repair == "error" else False)]]
        kept = ~malformed & (proper if repair == "drop" else True)
        first, last = first[kept], last[kept]
        own = labels[self.codes[first]]
        used = distinct(own)
        found = tuple(names[label] for label in used.tolist())
        codes = np.searchsorted(used, own)
        return self.tokens[first], self.tokens[last] + 1, codes, found, wrong


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

    BIOES and BILUO have prefixes of their own. Tags are IOB1 if some span begins with I, and B
    stands only where IOB1 needs it: right after a span of the same label. Else they are IOB2.
    """
    sequences = list(sequences)
    own = families({tag for tags in sequences for tag in tags})
    if len(own) > 1:
        (one, first), (two, second) = own.items()
        raise ValueError(f"tags of two schemes: {first} of {one}, {second} of {two}; {ONE_SCHEME}")
    found = {iob_scheme(tags) for tags in sequences}
    return next(iter(own), "IOB1" if "IOB1" in found and "IOB2" not in found else "IOB2")


def iob_scheme(tags: Iterable[str]) -> str | None:
    """The scheme of the tags of a sentence, IOB1 or IOB2; None if it could be either.

    "IOB2" if B stands where IOB1 has I; else "IOB1" if a span begins with I.
    """
    begun = False
    before = ""  # the label of the tag before, "" after O
    for tag in tags:
        prefix, _, label = tag.partition("-")
        if prefix == "B" and label != before:
            return "IOB2"
        begun |= prefix == "I" and label != before
        before = label
    return "IOB1" if begun else None


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


def tag_error(
    documents: Sequence[Sequence[str] | None], doc: int, problem: TagProblem, scheme: str
) -> ValueError:
    """The error for a tag of a document, with what to do in Python."""
    where = f"document {doc + 1}, token {problem.place + 1}: {problem.found}"
    if problem.malformed:
        call = _call_for(documents)
        if call:
            return ValueError(f"{where}; expected {tags_of_scheme(scheme)}: {call}")
        return ValueError(
            f"{where}; {scheme} has {tags_of_scheme(scheme)}: correct the tag, or name another "
            f"scheme: Spans.from_tags(tags, scheme=...) with one of {', '.join(SCHEMES)}"
        )
    return ValueError(
        f"{where}; correct the tags, or read them as the conlleval script does, and seqeval: "
        "Spans.from_tags(tags, repair='conlleval')"
    )


def _call_for(documents: Iterable[Sequence[str] | None]) -> str:
    """The change that makes proper tags of those of some documents, if all are alike; else ""."""
    found = {tag for tags in documents for tag in tags or ()} - {"O"}
    if "" in found and not any(re.fullmatch(OTHER_FORMS[-1][0], one) for one in found):
        return (
            "leave it out if it is padding; if it means O, "
            "Spans.from_tags([[tag or 'O' for tag in tags] for tags in documents])"
        )
    if all(re.fullmatch("[BIESLU]-.+", tag) for tag in found):
        return ""  # of a scheme that was not named
    for form, what, tag in OTHER_FORMS:
        if all(re.fullmatch(form, one) for one in found - {""}):
            tag = f"'O' if tag in ('', 'O') else {tag}"
            return f"{what}: Spans.from_tags([[{tag} for tag in tags] for tags in documents])"
    return ""


def tags_of_spans(spans: Iterable[Span], size: int, *, scheme: str = "IOB2") -> list[str]:
    """The tags of a sentence of `size` tokens.

    Parameters
    ----------
    spans : iterable of (start, end, label)
    scheme : "IOB1", "IOB2", "BIOES", "BILUO" or "BMES"
    """
    _check_known(scheme, SCHEMES, "scheme")
    first, inside, last, single = tuple(PREFIXES[scheme])
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
