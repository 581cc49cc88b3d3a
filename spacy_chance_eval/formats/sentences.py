"""Sentences with their trees: what every reader of treebanks returns."""

import hashlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from os.path import commonprefix
from typing import Any, NamedTuple, cast
from unicodedata import normalize

import numpy as np

from ..measures.arrays import IntArray, distinct
from ..measures.trees import CYCLES, MATCH, TREE_KINDS
from ..measures.trees.trees import Trees
from ..measures.trees.words import NOWHERE, Words
from .corpus import unique_names
from .errors import FormatError, known
from .notes import NO_NOTES, Notes


@dataclass(frozen=True)
class Sentence:
    """One sentence of a treebank.

    Parameters
    ----------
    name : str or None
        The id that the file gives it.
    words : tuple of str, or None
        Its tokens; of constituency trees, a word for each leaf. None: the file has no words.
    parents : tuple of int, or None
        Place of each node's parent among the nodes, -1 if it has none. None: not annotated.
    labels : tuple of str, or None
        Of dependency trees, the relations to the heads.
    line : int or None
        Where it begins.
    path : str, optional
        Its file.
    document : str
        Name of its file, in a treebank that is a folder.
    place : str
        In words where it stands, in a file without lines.
    multiwords : tuple of (int, int, str)
        Its multiword tokens: the places of the first of their words and after the last, and the
        form that the text has.
    unlabelled : int
        Of trees in brackets, how many outermost brackets without a label stand around the tree.
    """

    name: str | None
    words: tuple[str, ...] | None
    parents: tuple[int, ...] | None
    labels: tuple[str, ...] | None
    line: int | None = None
    path: str | None = None
    document: str = ""
    place: str = field(default="", compare=False)
    multiwords: tuple[tuple[int, int, str], ...] = ()
    unlabelled: int = 0


@dataclass(frozen=True)
class Treebank:
    """The sentences of a file, or of the files of a folder.

    Parameters
    ----------
    kind : "dependency" or "constituency"
    notes : mapping of str to int
        Skipped things, and how often they occurred.
    cycles : "error" or "reachable"
        Default treatment of cycles by `trees`.
    skipped : Notes
        Which trees were left out.
    """

    path: str
    kind: str
    sentences: Sequence[Sentence]
    notes: Mapping[str, int] = field(default_factory=dict)
    cycles: str = "error"
    skipped: Notes = NO_NOTES

    def __post_init__(self) -> None:
        known(self.kind, TREE_KINDS, "kind")
        known(self.cycles, CYCLES, "value of cycles")
        object.__setattr__(self, "path", str(self.path))
        object.__setattr__(self, "sentences", tuple(self.sentences))

    @property
    def names(self) -> list[str]:
        """Names of the sentences: ids if all differ, else with documents and places."""
        ids = [sentence.name for sentence in self.sentences]
        return sentence_names(ids, [sentence.document for sentence in self.sentences])

    def trees(self, cycles: str | None = None) -> Trees:
        """The `Trees` of the sentences, with their names.

        Raises
        ------
        FormatError
            For a cycle, with the place of its sentence; not with cycles="reachable".
        """
        cycles = known(cycles or self.cycles, CYCLES, "value of cycles")
        return trees_of(self.kind, self.sentences, self.names, cycles, self.path)


def sentence_names(ids: Sequence[str | None], documents: Sequence[str]) -> list[str]:
    """Names of sentences: ids if all differ, else with documents, or with places in these."""
    known = [name for name in ids if name is not None]
    if len(set(known)) == len(ids):
        return known
    count = Counter(documents)
    places = [
        "" if document and count[document] == 1 else str(place + 1)
        for document, place in zip(documents, _places_in_documents(documents))
    ]
    names = (
        "/".join(filter(None, (row[0], row[1] or row[2]))) for row in zip(documents, ids, places)
    )
    return unique_names(list(names))


def trees_of(
    kind: str,
    sentences: Sequence[Sentence | None],
    names: Sequence[str],
    cycles: str,
    path: object = None,
) -> Trees:
    """The `Trees` of sentences; one that is None is not annotated.

    With cycles="error" tokens that no root leads to are an error, whose message names `path` of
    sentences without one.
    """
    given = [s if s is not None and s.parents is not None else None for s in sentences]
    trees = Trees.from_nodes(
        kind,
        [None if sentence is None else sentence.parents for sentence in given],
        [None if sentence is None else sentence.labels for sentence in given],
        names=names,
        cycles="reachable",
    )
    if kind == "constituency":
        unlabelled = np.array([0 if one is None else one.unlabelled for one in given], np.int64)
        trees = replace(
            trees,
            forms=_forms_of([one for one in given if one is not None]),
            unlabelled=unlabelled if unlabelled.any() else None,
        )

    lost = np.flatnonzero(~trees.reachable)
    if cycles == "reachable" or not len(lost):
        return replace(trees, cycles=cycles)
    items = trees.item[lost]
    n_such, sentence = len(distinct(items)), cast(Sentence, sentences[items[0]])
    raise FormatError(
        f"token {lost[0] - trees.starts[items[0]] + 1} of sentence {trees.name(items[0])} cannot "
        "be reached from the root: heads form a cycle; correct them, or measure the tokens that "
        'can be reached: cycles="reachable" (--read cycles=reachable)'
        + f" ({n_such} such sentences)"
        * (n_such > 1),
        sentence.path or path,
        sentence.line,
    )


def _forms_of(sentences: Sequence[Sentence]) -> IntArray | None:
    """A number for the word of each leaf, that of its hash; None if any sentence has no words."""
    if any(sentence.words is None for sentence in sentences):
        return None
    words = [word for sentence in sentences for word in sentence.words or ()]
    digests = {word: hashlib.sha256(word.encode("utf-8", "surrogatepass")) for word in {*words}}
    numbers = {word: int.from_bytes(one.digest()[:8], "little", signed=True)
               for word, one in digests.items()}  # fmt: skip
    return np.array([numbers[word] for word in words], np.int64)


def root_name(relation: str) -> str:
    """The name of a relation, that to the root, "ROOT" in spaCy and some treebanks, as in UD."""
    return "root" if relation == "ROOT" else relation


MOST_NAMES = 3  # sentences of an item that its name tells; words that a note tells
BY_CHARACTERS = ("auto", "characters")  # values of align for which words may be aligned
SAME_TEXT = "compare trees of the same text; --read text=warn takes such sentences as they are"
WORDLESS = " (if these are labels, no words: --format delexicalised)"


def matched(
    banks: Mapping[str, Treebank], match: str = "auto"
) -> tuple[list[str], dict[str, list[Sentence | None]]]:
    """(names of items, {annotator: sentences}) of treebanks of the same sentences.

    Their texts are not looked at. A sentence that an annotator does not have is None. Items are in
    the order of the first treebank that has them. "id": all sentences of a treebank (else: of a
    document, matched by the name of its file) have different ids; sentences that only some have
    were not seen by the others. "place": the place in documents that are matched by the names of
    files, else in the treebank; then all need the same number of sentences. "auto": by id if there
    are such ids, and every treebank has some in common with another one.
    """
    known(match, MATCH, "value of match")
    keys = _ids_of(banks) if match != "place" else None
    if match == "id" and keys is None:
        raise FormatError(
            "sentences without ids, each its own, of which another annotator has some; match "
            "sentences by place (--read match=place)",
            [*banks.values()][-1].path,
        )
    keys = keys or _places_of(banks)
    by_key = {name: dict(zip(keys[name], bank.sentences)) for name, bank in banks.items()}
    names: dict[Any, str] = {}
    for name, bank in banks.items():
        for key, own in zip(keys[name], bank.names):
            names.setdefault(key, own)
    sides = {name: [found.get(key) for key in names] for name, found in by_key.items()}
    return unique_names(names.values()), sides


def _ids_of(banks: Mapping[str, Treebank]) -> dict[str, list[Any]] | None:
    """{annotator: ids of sentences}, else with their documents, if they tell which are the same."""
    for has_documents in (False, True):
        keys = {
            name: [
                (has_documents and one.document, one.name)
                for one in bank.sentences
                if one.name and (one.document or not has_documents)
            ]
            for name, bank in banks.items()
        }
        if all(len({*keys[name]}) == len(bank.sentences) for name, bank in banks.items()):
            if _are_connected(keys):
                return keys
    return None


def _places_of(banks: Mapping[str, Treebank]) -> dict[str, list[Any]]:
    """{annotator: (document, place) of the sentences}, of which all have equally many."""
    files = files_of_sentences(banks)
    first: dict[str, list[Sentence]] = {}
    for name, bank in banks.items():
        for document, rows in grouped(files[name], bank.sentences).items():
            theirs = first.setdefault(document, rows)
            if len(rows) != len(theirs):
                texts = zip(*(map(text_without_spaces, some) for some in (rows, theirs)))
                least = min(len(rows), len(theirs))
                at = next((n for n, (one, two) in enumerate(texts) if one != two), least)
                raise FormatError(
                    f"{len(rows)} sentence{'s' * (len(rows) != 1)}, but {len(theirs)} in "
                    f"{theirs[0].path}; without ids in common all sentences are needed, and from "
                    f"sentence {at + 1} on they differ ({where(max(rows, theirs, key=len)[at])})",
                    rows[0].path if document else bank.path,
                )
    return {name: list(zip(own, _places_in_documents(own))) for name, own in files.items()}


def files_of_sentences(banks: Mapping[str, Treebank]) -> dict[str, list[str]]:
    """{annotator: the document of each sentence}: all "", if documents do not match by name."""
    files = {name: [sentence.document for sentence in b.sentences] for name, b in banks.items()}
    if all(map(all, files.values())) and _are_connected(files):
        return files
    return {name: [""] * len(documents) for name, documents in files.items()}


def _are_connected(keys: Mapping[str, Sequence[Any]]) -> bool:
    """Whether every annotator has a key that another one has."""
    n_sides = Counter(key for side in keys.values() for key in set(side))
    return len(keys) == 1 or all(any(n_sides[key] > 1 for key in side) for side in keys.values())


def _places_in_documents(documents: Iterable[str]) -> Iterator[int]:
    """The place of each sentence in its document, from 0."""
    count: Counter[str] = Counter()
    for document in documents:
        yield count[document]
        count[document] += 1


def grouped(documents: Iterable[str], sentences: Iterable[Sentence]) -> dict[str, list[Sentence]]:
    """{document: its sentences}, from the document of each."""
    found: dict[str, list[Sentence]] = {}
    for document, sentence in zip(documents, sentences):
        found.setdefault(document, []).append(sentence)
    return found


class OtherText(NamedTuple):
    """An item of which an annotator has another text: what differs, and that sentence."""

    item: int
    found: str
    sentence: Sentence


def other_texts(
    names: Sequence[str], sides: Mapping[str, Sequence[Sentence | None]], align: str
) -> list[OtherText]:
    """The items of which not all annotators have the same text, spaces left out.

    With align="tokens" texts are those of the words, else also those of the tokens where some are
    multiword tokens. With "position" any of as many words are the same.
    """
    found = []
    text_of = text_of_tokens if align in BY_CHARACTERS else text_without_spaces
    for item, (name, row) in enumerate(zip(names, zip(*sides.values()))):
        worded = [sentence for sentence in row if sentence is not None and sentence.words]
        if align == "position" and len({len(one.words or ()) for one in worded}) < 2:
            continue
        texts = [text_of(one) or "" for one in worded]
        if len({*texts}) < 2 or len({*map(text_without_spaces, worded)}) < 2:
            continue
        text, other = next(pair for pair in zip(texts, worded) if pair[0] != texts[0])
        there, here, at = first_apart(texts[0], text)
        place = f" ({other.place})" * bool(other.place)
        what = (
            f"sentence {name}{place}: {here}, but {there} at {where(worded[0])} (character {at}, "
            "without spaces)"
        )
        found.append(OtherText(item, what, other))
    return found


def refuse_other_texts(found: Sequence[OtherText], kind: str) -> None:
    """Raise a `FormatError` for the first item with other texts; `kind` is that of the trees."""
    if found:
        what, sentence = found[0][1:]
        count = f" ({len(found)} sentences have other texts)" * (len(found) > 1)
        advice = SAME_TEXT + WORDLESS * (kind == "constituency")
        raise FormatError(f"{what}; {advice}{count}", sentence.path, sentence.line)


def first_apart(one: str, two: str) -> tuple[str, str, int]:
    """The text of both where they begin to differ, and the number of that character.

    Texts that look alike, as their signs are composed differently, are shown by code points.
    """
    at = len(commonprefix([one, two]))
    show = ascii if normalize("NFKC", one) == normalize("NFKC", two) else repr
    here, there = (show(text[at : at + 20]) if text[at:] else "its end" for text in (one, two))
    return here, there, at + 1


def text_of_tokens(sentence: Sentence) -> str | None:
    """The tokens of a sentence without any spaces: multiword tokens, and the words beside them."""
    if not sentence.multiwords or sentence.words is None:
        return text_without_spaces(sentence)
    forms = list(sentence.words)
    for first, end, form in sentence.multiwords:
        forms[first:end] = [form] + [""] * (end - first - 1)
    return "".join("".join(forms).split())


def text_without_spaces(sentence: Sentence) -> str | None:
    """The words of a sentence without any spaces; None if it has no words."""
    return None if sentence.words is None else "".join("".join(sentence.words).split())


def where(sentence: Sentence) -> str:
    """Path and line of a sentence; of one without a line, its name and place."""
    if sentence.line is not None:
        return ":".join(str(part) for part in (sentence.path, sentence.line) if part is not None)
    own = "/".join(filter(None, (sentence.document, sentence.name)))
    place = f"({sentence.place})" if own and sentence.place else sentence.place
    return " ".join(filter(None, (sentence.path, own, place)))


# --- one text, divided into other sentences and words


def joined_sentences(banks: Mapping[str, Treebank]) -> dict[str, list[Sentence | None]] | None:
    """{annotator: sentences} of two treebanks of dependencies, between boundaries that both have.

    Sentences that an annotator has between two such boundaries are joined into one with several
    roots. So they are document by document, if documents match by name; an annotator who lacks one
    has None. The result is None if the texts, without spaces, are not the same, or if there are no
    words.
    """
    found: dict[str, list[Sentence | None]] = {name: [] for name in banks}
    for sides in _documents_of(banks):
        borders = _common_borders([*sides.values()])
        if borders is None:
            return None
        for stretches in zip(*map(pairwise, borders)):
            pairs = zip(sides.values(), stretches)
            item = [sentences[begin:end] for sentences, (begin, end) in pairs]
            if any(len(group) > 1 for group in item):
                item = [[_joined(group)] for group in item]
            own = dict(zip(sides, (group[0] for group in item)))
            for name, rows in found.items():
                rows.append(own.get(name))
    return found


def _documents_of(banks: Mapping[str, Treebank]) -> Iterator[dict[str, list[Sentence]]]:
    """Of each document the sentences of those who have it, by annotator."""
    files = files_of_sentences(banks)
    documents = {name: grouped(files[name], bank.sentences) for name, bank in banks.items()}
    for document in dict.fromkeys(one for own in documents.values() for one in own):
        yield {name: own[document] for name, own in documents.items() if document in own}


def _common_borders(rows: Sequence[Sequence[Sentence]]) -> list[list[int]] | None:
    """How many sentences each annotator has before each place where sentences of all end."""
    for text_of in (text_of_tokens, text_without_spaces):
        texts = [[text_of(sentence) or "" for sentence in sentences] for sentences in rows]
        whole = {"".join(own) for own in texts}
        if len(whole) == 1 and whole != {""}:
            ends = [[*accumulate(map(len, own))] for own in texts]
            borders = sorted({0}.union(set.intersection(*map(set, ends))))
            return [[0, *(bisect_right(own, border) for border in borders[1:])] for own in ends]
    return None


def _joined(group: Sequence[Sentence]) -> Sentence:
    """Some sentences as one, with the roots of all; not annotated if any of them is not."""
    group = [one for one in group if one.words] or group
    if len(group) == 1:
        return group[0]
    starts = [0, *accumulate(len(sentence.words or ()) for sentence in group)]
    names = [sentence.name for sentence in group if sentence.name]
    some = names if len(names) <= MOST_NAMES else [names[0], "...", names[-1]]
    annotated = all(sentence.parents is not None for sentence in group)
    parents = tuple(
        parent if parent < 0 else parent + start
        for sentence, start in zip(group, starts)
        for parent in sentence.parents or ()
    )
    labels = tuple(label for sentence in group for label in sentence.labels or ())
    return replace(
        group[0],
        name="+".join(some) if len(names) == len(group) else None,
        words=tuple(word for sentence in group for word in sentence.words or ()),
        parents=parents if annotated else None,
        labels=labels if annotated else None,
        multiwords=tuple(
            (first + start, end + start, form)
            for sentence, start in zip(group, starts)
            for first, end, form in sentence.multiwords
        ),
    )


def words_of_items(
    sides: Mapping[str, Sequence[Sentence | None]], other_texts: Collection[int] = ()
) -> tuple[dict[str, Words | None], int]:
    """{annotator: where the words of the trees stand}, and how many items have other words.

    Without such items annotators have None: tokens compare by place. The words of items whose texts
    differ, `other_texts`, have no place.
    """
    items = [
        [one for one in item if one is not None and one.words is not None]
        for item in zip(*sides.values())
    ]
    others = {n for n, item in enumerate(items) if len({one.words for one in item}) > 1}
    others -= {*other_texts}
    if not others:
        return dict.fromkeys(sides), 0
    rows: dict[str, list[tuple[int, int, bool, str]]] = {name: [] for name in sides}
    for number, item in enumerate(items):
        by_tokens = number in others and len({*map(text_of_tokens, item)}) < 2
        for own, sentences in zip(rows.values(), sides.values()):
            sentence = sentences[number]
            if sentence is None or sentence.parents is None:
                continue
            if number in other_texts:
                own += [(NOWHERE, NOWHERE, False, "")] * len(sentence.parents)
            elif number in others:
                own += _places_of_words(sentence, by_tokens)
            else:
                own += [(place, place + 1, False, "") for place in range(len(sentence.parents))]
    numbers: dict[str, int] = {}
    found: dict[str, Words | None] = {}
    for name, own in rows.items():
        flat = [(*row, numbers.setdefault(form.lower(), len(numbers))) for *row, form in own]
        begin, end, multiword, form = np.array(flat, np.int64).reshape(-1, 4).T
        found[name] = Words(begin, end, multiword.astype(bool), form)
    return found, len(others)


def _places_of_words(sentence: Sentence, by_tokens: bool) -> Iterator[tuple[int, int, bool, str]]:
    """(begin, end, whether in a multiword token, form) of the words of a sentence.

    With `by_tokens` words in a multiword token have its characters, else all have their own.
    """
    words = sentence.words or ()
    tokens = {first: (end, form) for first, end, form in sentence.multiwords if by_tokens}
    place = at = 0
    while place < len(words):
        end, form = tokens.get(place, (place + 1, words[place]))
        after = at + len("".join(form.split()))
        for word in words[place:end]:
            yield at, after, place in tokens, word
        place, at = end, after


def respelled(sides: Mapping[str, Iterable[Sentence | None]]) -> tuple[int, list[str]]:
    """How many tokens of items with as many words are spelled otherwise, and the first of these."""
    rows = ([one.words or () for one in item if one is not None] for item in zip(*sides.values()))
    pairs = (forms for words in rows if len({*map(len, words)}) == 1 for forms in zip(*words))
    found = [" and ".join(map(repr, dict.fromkeys(forms))) for forms in pairs if len({*forms}) > 1]
    return len(found), [*dict.fromkeys(found)][:MOST_NAMES]
