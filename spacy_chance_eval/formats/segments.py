"""Treebanks that divide one text into other sentences and words: what is compared with what."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from ..measures.trees.words import Words
from .sentences import Sentence, Treebank, text_of_tokens, text_without_spaces

MOST_NAMES = 3  # sentences of an item that its name tells; words that a note tells


def joined_sentences(banks: Mapping[str, Treebank]) -> dict[str, list[Sentence]] | None:
    """{annotator: sentences} of treebanks of one text, between the borders that all of them have.

    Sentences that an annotator has between two such borders are joined into one with several
    roots. None: the texts of the treebanks, without spaces, are not the same.
    """
    for text_of in (text_of_tokens, text_without_spaces):
        texts = {name: [text_of(s) or "" for s in bank.sentences] for name, bank in banks.items()}
        if len({"".join(rows) for rows in texts.values()}) == 1:
            break
    else:
        return None
    ends = {name: list(accumulate(map(len, rows))) for name, rows in texts.items()}
    borders = set.intersection(*map(set, ends.values()))
    return {
        name: list(_joined_at(bank.sentences, ends[name], borders)) for name, bank in banks.items()
    }


def _joined_at(
    sentences: Sequence[Sentence], ends: Sequence[int], borders: set[int]
) -> Iterator[Sentence]:
    """The sentences, those before each border as one. `ends`: where they end."""
    group: list[Sentence] = []
    for place, (sentence, end) in enumerate(zip(sentences, ends), 1):
        group.append(sentence)
        if end in borders and (place == len(ends) or ends[place] != end):
            yield _joined(group)
            group = []


def _joined(group: Sequence[Sentence]) -> Sentence:
    """Some sentences as one, with the roots of all; not annotated if any of them is not."""
    if len(group) == 1:
        return group[0]
    starts = [0, *accumulate(len(sentence.words or ()) for sentence in group)]
    names = [sentence.name for sentence in group if sentence.name]
    if len(names) > MOST_NAMES:
        names[1:-1] = ["..."]
    annotated = all(sentence.parents is not None for sentence in group)
    parents = (
        parent + start if parent >= 0 else parent
        for sentence, start in zip(group, starts)
        for parent in sentence.parents or ()
    )
    return replace(
        group[0],
        name="+".join(names) if len(names) == len(group) or "..." in names else None,
        words=tuple(word for sentence in group for word in sentence.words or ()),
        parents=tuple(parents) if annotated else None,
        labels=tuple(label for s in group for label in s.labels or ()) if annotated else None,
        multiwords=tuple(
            (first + start, end + start, form)
            for sentence, start in zip(group, starts)
            for first, end, form in sentence.multiwords
        ),
    )


def words_of_items(
    sides: Mapping[str, Sequence[Sentence | None]],
) -> tuple[dict[str, Words | None], int]:
    """{annotator: where the words of the trees stand}, and how many items have other words.

    Without such items annotators have None: tokens compare by place.

    Parameters
    ----------
    sides : mapping of str to sequence of (Sentence or None)
        By annotator; the texts of each item are the same.
    """
    items = [(item, _have_same_words(item)) for item in zip(*sides.values())]
    n_other = sum(not same for _, same in items)
    if not n_other:
        return dict.fromkeys(sides), 0
    rows: dict[str, list[Sequence[tuple[int, int, bool, str]]]] = {name: [] for name in sides}
    for item, same in items:
        by_tokens = len({text_of_tokens(one) for one in _worded(item)}) < 2
        for own, sentence in zip(rows.values(), item):
            if sentence is not None and sentence.parents is not None:
                own.append(
                    [(place, place + 1, False, "") for place in range(len(sentence.parents))]
                    if same
                    else list(_places_of_words(sentence, by_tokens))
                )
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


def _worded(item: Iterable[Sentence | None]) -> list[Sentence]:
    """The annotations of an item that have words."""
    return [one for one in item if one is not None and one.words is not None]


def _have_same_words(item: Iterable[Sentence | None]) -> bool:
    """Whether all annotations of an item have the same words."""
    return len({sentence.words for sentence in _worded(item)}) < 2


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
