"""Treebanks that divide one text into other sentences and words: the pairs that are compared."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

import numpy as np

from ..measures.trees import JOINED
from ..measures.trees.words import NOWHERE, Words
from .files import open_text
from .sentences import (
    Sentence,
    Treebank,
    files_of_sentences,
    grouped,
    text_of_tokens,
    text_without_spaces,
)

MOST_NAMES = 3  # sentences of an item that its name tells; words that a note tells


def joined_sentences(
    banks: Mapping[str, Treebank], other_texts: bool = False
) -> dict[str, list[Sentence | None]] | None:
    """{annotator: sentences} of two treebanks of one text, between the borders that both have.

    Sentences that an annotator has between two such borders are joined into one with several
    roots; those of constituency trees stand under a `JOINED` one. So they are document by document,
    if documents match by name; an annotator who lacks one has None. The result is None if
    the texts, without spaces, are not the same, or if there are no words.

    With `other_texts` documents that differ are compared sentence by sentence if they have as many,
    and else aligned word by word: borders are common where both have the same word before or after
    them.
    """
    by_file = files_of_sentences(banks)
    whole = {name: [""] * len(bank.sentences) for name, bank in banks.items()}
    return (
        _joined_documents(banks, by_file)
        or _joined_documents(banks, whole)
        or (_joined_documents(banks, by_file, other_texts=True) if other_texts else None)
    )


def _joined_documents(
    banks: Mapping[str, Treebank], files: Mapping[str, Sequence[str]], *, other_texts: bool = False
) -> dict[str, list[Sentence | None]] | None:
    """The result of `joined_sentences` for the documents that `files` names."""
    kind = next(iter(banks.values())).kind
    found: dict[str, list[Sentence | None]] = {name: [] for name in banks}
    documents = {name: grouped(files[name], bank.sentences) for name, bank in banks.items()}
    for document in dict.fromkeys(one for own in documents.values() for one in own):
        sides = {name: own[document] for name, own in documents.items() if document in own}
        parts = _parts([*sides.values()], other_texts)
        if parts is None:
            return None
        for item in zip(*parts):
            joined = dict(zip(sides, _joined_item(item, kind)))
            for name, sentences in found.items():
                sentences.append(joined.get(name))
    return found


def _parts(
    rows: Sequence[Sequence[Sentence]], other_texts: bool
) -> list[list[Sequence[Sentence]]] | None:
    """The sentences of each annotator of a document, those between common borders together."""
    if not any(sentence.words for sentences in rows for sentence in sentences):
        return None
    for text_of in (text_of_tokens, text_without_spaces):
        texts = [[text_of(sentence) or "" for sentence in sentences] for sentences in rows]
        if len(set(map("".join, texts))) == 1:
            ends = [list(accumulate(map(len, own))) for own in texts]
            borders = sorted(set.intersection(*map(set, ends)))
            places = [[bisect_right(own, border) for border in borders] for own in ends]
            break
    else:
        if not other_texts:
            return None
        if len(set(map(len, rows))) == 1:
            return [[[sentence] for sentence in own] for own in rows]
        places = _aligned_borders(rows)
    return [
        [sentences[begin:end] for begin, end in pairwise([0, *own])]
        for sentences, own in zip(rows, places)
    ]


def _aligned_borders(rows: Sequence[Sequence[Sentence]]) -> list[list[int]]:
    """How many sentences each of two has before each border that both have, in other texts."""
    words = [[word for sentence in own for word in sentence.words or ()] for own in rows]
    ends = [list(accumulate(len(sentence.words or ()) for sentence in own)) for own in rows]
    one, two = ends
    found = {one[-1]: two[-1]}
    last, known = 0, {*two} - {two[-1]}  # sentences without words may follow the last word
    matcher = SequenceMatcher(None, words[0], words[1])
    for a, b, size in matcher.get_matching_blocks()[:-1]:
        for step in range(size + 1):
            if b + step in known and b + step > last and a + step not in found:
                found[a + step] = last = b + step
    common = [end for end in dict.fromkeys(one) if end in found]
    return [
        [bisect_right(one, end) for end in common],
        [bisect_right(two, found[end]) for end in common],
    ]


def _joined_item(item: Sequence[Sequence[Sentence]], kind: str) -> list[Sentence]:
    """Each annotator's sentences between two borders, joined into one."""
    if all(len(group) == 1 for group in item):
        return [group[0] for group in item]
    return [_joined([one for one in group if one.words] or group, kind) for group in item]


def _joined(group: Sequence[Sentence], kind: str) -> Sentence:
    """Some sentences as one, with the roots of all; not annotated if any of them is not."""
    is_wrapped = kind == "constituency"
    if len(group) == 1 and not is_wrapped:
        return group[0]
    starts = [0, *accumulate(len(sentence.words or ()) for sentence in group)]
    nodes = [int(is_wrapped), *(len(sentence.parents or ()) for sentence in group)]
    names = [sentence.name for sentence in group if sentence.name]
    if len(names) > MOST_NAMES:
        names[1:-1] = ["..."]
    annotated = all(sentence.parents is not None for sentence in group)
    parents = [
        parent + start if parent >= 0 else (0 if is_wrapped else parent)
        for sentence, start in zip(group, accumulate(nodes))
        for parent in sentence.parents or ()
    ]
    labels = [label for sentence in group for label in sentence.labels or ()]
    if is_wrapped:
        parents, labels = [-1, *parents], [JOINED, *labels]
    return replace(
        group[0],
        name="+".join(names) if len(names) == len(group) or "..." in names else None,
        words=tuple(word for sentence in group for word in sentence.words or ()),
        parents=tuple(parents) if annotated else None,
        labels=tuple(labels) if annotated else None,
        multiwords=tuple(
            (first + start, end + start, form)
            for sentence, start in zip(group, starts)
            for first, end, form in sentence.multiwords
        ),
        unlabelled=0,
    )


def words_of_items(
    sides: Mapping[str, Sequence[Sentence | None]], other_texts: Collection[int] = ()
) -> tuple[dict[str, Words | None], int]:
    """{annotator: where the words of the trees stand}, and how many items have other words.

    Without such items annotators have None: tokens compare by place.

    Parameters
    ----------
    sides : mapping of str to sequence of (Sentence or None)
        By annotator; the texts of each item are the same.
    other_texts : collection of int
        Items whose texts differ; their words have no place.
    """
    rows_of_items = enumerate(zip(*sides.values()))
    items = [
        (item, n in other_texts or len({sentence.words for sentence in _worded(item)}) < 2)
        for n, item in rows_of_items
    ]
    n_other = sum(not same for _, same in items)
    if not n_other:
        return dict.fromkeys(sides), 0
    rows: dict[str, list[Sequence[tuple[int, int, bool, str]]]] = {name: [] for name in sides}
    for number, (item, same) in enumerate(items):
        by_tokens = len({text_of_tokens(one) for one in _worded(item)}) < 2
        for own, sentence in zip(rows.values(), item):
            if sentence is not None and sentence.parents is not None:
                n_words = len(sentence.parents)
                if number in other_texts:
                    own.append([(NOWHERE, NOWHERE, False, "")] * n_words)
                elif same:
                    own.append([(place, place + 1, False, "") for place in range(n_words)])
                else:
                    own.append(list(_places_of_words(sentence, by_tokens)))
    numbers: dict[str, int] = {}
    found: dict[str, Words | None] = {}
    for name, own in rows.items():
        flat = [
            (begin, end, multiword, numbers.setdefault(form.lower(), len(numbers)))
            for words in own
            for begin, end, multiword, form in words
        ]
        begin, end, multiword, form = np.array(flat, np.int64).reshape(-1, 4).T
        found[name] = Words(begin, end, multiword.astype(bool), form)
    return found, n_other


def sentences_by_line(banks: Mapping[str, Treebank]) -> dict[str, Treebank] | None:
    """Treebanks in brackets whose files have a sentence a line, an empty one where others have it.

    Parsers that write one tree a line leave the line empty where they fail, or write the parts that
    they found: several trees, which are joined. Files are read so if most lines have one tree, none
    a part of one, and those of a document have as many lines, but not as many trees on each. The
    result is None if there are no such files.
    """
    if any(bank.kind != "constituency" for bank in banks.values()):
        return None
    files = files_of_sentences(banks)
    rows = {name: grouped(files[name], bank.sentences) for name, bank in banks.items()}
    is_changed = False
    for document in dict.fromkeys(one for own in rows.values() for one in own):
        sides = {name: own[document] for name, own in rows.items() if document in own}
        if len({tuple(one.line for one in own) for own in sides.values()}) < 2:
            continue
        numbers = {_n_lines(own) for own in sides.values()}
        if len(numbers) > 1 or None in numbers:
            continue
        is_changed = True
        every = sorted({one.line for own in sides.values() for one in own if one.line})
        for name, own in sides.items():
            groups: dict[int | None, list[Sentence]] = {line: [] for line in every}
            for one in own:
                groups[one.line].append(one)
            empty = Sentence(None, None, None, None, None, own[0].path, own[0].document)
            rows[name][document] = [
                _joined(group, "constituency")
                if len(group) > 1
                else [*group, replace(empty, line=line)][0]
                for line, group in groups.items()
            ]
    if not is_changed:
        return None
    return {
        name: replace(bank, sentences=[one for own in rows[name].values() for one in own])
        for name, bank in banks.items()
    }


def _n_lines(sentences: Sequence[Sentence]) -> int | None:
    """Number of lines of the file of trees in brackets, if most hold one tree, none a part of one.

    None of others.
    """
    paths, starts = {one.path for one in sentences}, {one.line for one in sentences}
    path = paths.pop()
    if paths or path is None or None in starts or 2 * len(starts) < len(sentences):
        return None
    with open_text(path) as file:
        is_empty = [not line.strip() for line in file]
    return len(is_empty) if is_empty.count(False) == len(starts) else None


def _worded(item: Iterable[Sentence | None]) -> list[Sentence]:
    """The annotations of an item that have words."""
    return [one for one in item if one is not None and one.words is not None]


def respelled(sides: Mapping[str, Sequence[Sentence | None]]) -> tuple[int, list[str]]:
    """How many tokens of items with as many words are spelled otherwise, and the first of these."""
    n_respelled, examples = 0, dict[str, None]()
    for item in zip(*sides.values()):
        words = [sentence.words or () for sentence in item if sentence is not None]
        if len(set(map(len, words))) != 1:
            continue
        for forms in zip(*words):
            if len(set(forms)) > 1:
                n_respelled += 1
                if len(examples) < MOST_NAMES:
                    examples[" and ".join(map(repr, dict.fromkeys(forms)))] = None
    return n_respelled, list(examples)


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
