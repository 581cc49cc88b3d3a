"""Words of annotators who divide one text into other tokens, aligned by their characters.

Two words are the same if they stand for the same characters of the text. The words of a multiword
token (Spanish *del*: *de*, *el*) have no characters of their own. Where such tokens overlap, they
are joined into one stretch of the text; of the words in it, the longest common subsequence of
lower-cased forms is aligned.

References
----------
Zeman et al. (2018), CoNLL 2018 Shared Task: Multilingual Parsing from Raw Text to Universal
Dependencies, section 5.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ..arrays import BoolArray, IntArray

NOWHERE = -1
_Stretch: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Words:
    """Where the word of each node stands in the text of its item, as columns of the same length.

    Parameters
    ----------
    begin, end : integer arrays
        Its characters, of text without white space: of a word in a multiword token those of the
        whole token. `NOWHERE` in items whose annotators have other texts, which are compared by
        place if they have as many words.
    multiword : boolean array
        Whether it is in a multiword token.
    form : integer array
        The same number for the same lower-cased form, whoever the annotator is.
    """

    begin: IntArray
    end: IntArray
    multiword: BoolArray
    form: IntArray

    def __len__(self) -> int:
        return len(self.begin)

    @property
    def table(self) -> IntArray:
        """The columns as an array of shape (n_nodes, 4)."""
        return np.stack([self.begin, self.end, self.multiword, self.form], axis=1)


def align_words(one: IntArray, two: IntArray) -> list[tuple[int, int]]:
    """Places of the same words in two annotations of one text, in the order of the first.

    Parameters
    ----------
    one, two : arrays of shape (n_words, 4)
        Rows of `Words.table`, in the order of the text.

    Examples
    --------
    >>> plain = np.array([[0, 2, 0, 1], [2, 5, 0, 2], [5, 8, 0, 3]])  # an, der, see
    >>> joined = np.array([[0, 5, 1, 1], [0, 5, 1, 4], [5, 8, 0, 3]])  # ander: an, dem; see
    >>> align_words(plain, joined)
    [(0, 0), (2, 2)]
    """
    sides = one.tolist(), two.tolist()
    tokens = {(b, e) for rows in sides for b, e, multiword, _ in rows if multiword}
    stretches = list(_joined(sorted(tokens)))
    pairs: list[tuple[int, int]] = []
    inside = [_inside(rows, stretches) for rows in sides]
    for places in zip(*inside):
        first, second = places
        forms = [[rows[i][3] for i in own] for rows, own in zip(sides, places)]
        pairs += [(first[i], second[j]) for i, j in _common_subsequence(*forms)]
    taken = [{place for group in groups for place in group} for groups in inside]
    others = {(b, e): j for j, (b, e, _, _) in enumerate(sides[1]) if j not in taken[1]}
    for i, (b, e, _, _) in enumerate(sides[0]):
        if i not in taken[0] and (b, e) in others:
            pairs.append((i, others[b, e]))
    return sorted(pairs)


def _joined(tokens: Sequence[_Stretch]) -> Iterator[_Stretch]:
    """The stretches of text that multiword tokens cover; those that overlap are one."""
    if not tokens:
        return
    begin, end = tokens[0]
    for b, e in tokens[1:]:
        if b >= end:
            yield begin, end
            begin, end = b, e
        end = max(end, e)
    yield begin, end


def _inside(rows: Sequence[Sequence[int]], stretches: Sequence[_Stretch]) -> list[list[int]]:
    """Places of the words that lie completely inside each stretch."""
    found: list[list[int]] = [[] for _ in stretches]
    for place, (b, e, _, _) in enumerate(rows):
        at = bisect_left(stretches, (b + 1, -1)) - 1
        if at >= 0 and e <= stretches[at][1]:
            found[at].append(place)
    return found


def _common_subsequence(one: Sequence[int], two: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Places of a longest common subsequence; of several the one that the reference takes."""
    longest = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(two) - 1, -1, -1):
            both = longest[i + 1][j + 1] + 1 if one[i] == two[j] else 0
            longest[i][j] = max(both, longest[i + 1][j], longest[i][j + 1])
    i = j = 0
    while i < len(one) and j < len(two):
        if one[i] == two[j]:
            yield i, j
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
