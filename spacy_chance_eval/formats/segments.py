"""Treebanks that divide one text into other sentences and words: the pairs that are compared."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

import numpy as np

from ..measures.trees.words import NOWHERE, Words
from .sentences import (
    Sentence,
    Treebank,
    files_of_sentences,
    grouped,
    text_of_tokens,
    text_without_spaces,
)

MOST_NAMES = 3  # sentences of an item that its name tells; words that a note tells


def joined_sentences(banks: Mapping[str, Treebank]) -> dict[str, list[Sentence | None]] | None:
    """{annotator: sentences} of two treebanks of dependencies, between borders that both have.

    Sentences that an annotator has between two such borders are joined into one with several
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
