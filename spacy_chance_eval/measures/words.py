"""The tokens of a corpus as bytes, which take a fifth of the room of texts."""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import eq
from typing import overload

import numpy as np

from .arrays import IntArray, KeyArray

END = b"\0"  # behind each token
TEXTS = 100_000  # tokens that are decoded at a time
CODEC = "utf-8", "surrogatepass"  # JSON may have halves of surrogate pairs


class ByteWords(Sequence[str]):
    """Tokens in UTF-8, each with a zero byte behind it; they are decoded when they are asked for.

    Equal to any sequence of the same tokens; two of them are compared by their bytes.

    Examples
    --------
    >>> words = document_words_of([["A", "test"]])
    >>> words.data, words[1], words == ("A", "test")
    (b'A\\x00test\\x00', 'test', True)
    """

    def __init__(self, data: bytes) -> None:
        self.data = data

    @cached_property
    def _n_words(self) -> int:
        return int(np.count_nonzero(np.frombuffer(self.data, np.uint8) == 0))  # faster than `count`

    def __len__(self) -> int:
        return self._n_words

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step != 1:
                return tuple(self[:])[at]
            first, last = self.borders(np.array([start, max(start, stop)])).tolist()
            return tuple(self.data[first:last].decode(*CODEC).split("\0")[:-1])
        place = range(len(self))[at]
        return self[place : place + 1][0]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), TEXTS):
            yield from self[start : start + TEXTS]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ByteWords):
            return self.data == other.data
        if isinstance(other, tuple):
            return len(self) == len(other) and all(one == two for one, two in zip(self, other))
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    @cached_property
    def _ends(self) -> IntArray:
        """Where each token ends; 0 in front of the first."""
        ends = np.flatnonzero(np.frombuffer(self.data, np.uint8) == 0) + 1
        kind = np.int32 if len(self.data) < 2**31 else np.int64
        return np.concatenate([[0], ends]).astype(kind)

    def __getstate__(self) -> dict[str, bytes]:
        return {"data": self.data}

    def borders(self, tokens: IntArray) -> IntArray:
        """Where the data of some tokens begin, by their numbers; that of the end is `len`."""
        found: IntArray = self._ends[tokens]
        return found

    def keys(self, offsets: IntArray) -> KeyArray:
        """A number for the tokens of each document, which begin at `offsets` and end at the next.

        It is the CRC-32 of the tokens with a zero byte between them.
        """
        cuts = self.borders(offsets).tolist()
        view, crc32 = memoryview(self.data), zlib.crc32
        found = [crc32(view[a : b - 1]) if b > a else 0 for a, b in zip(cuts, cuts[1:])]
        return np.array(found, np.uint64)

    def taken(self, offsets: IntArray, order: IntArray) -> "ByteWords":
        """The tokens of documents, which begin at `offsets`, in another order."""
        cuts = self.borders(offsets)
        pairs = zip(cuts[order].tolist(), cuts[order + 1].tolist())
        return ByteWords(b"".join([self.data[a:b] for a, b in pairs]))


def document_words_of(documents: Iterable[Sequence[str]]) -> Sequence[str]:
    """The tokens of all documents in order: `ByteWords`, or a tuple if one has a zero byte."""
    words = [*chain.from_iterable(documents)]
    found = ByteWords("\0".join([*words, ""]).encode(*CODEC))  # "" ends the last token
    return found if len(found) == len(words) else tuple(words)


def word_keys_of(words: Sequence[str], offsets: IntArray) -> KeyArray:
    """A number for the tokens of each document, equal to those of `ByteWords.keys`."""
    if isinstance(words, ByteWords):
        return words.keys(offsets)
    cuts = offsets.tolist()
    texts = ("\0".join(words[a:b]) for a, b in zip(cuts, cuts[1:]))
    return np.array([zlib.crc32(text.encode(*CODEC)) for text in texts], np.uint64)


def begin_alike(one: Sequence[str], two: Sequence[str]) -> bool:
    """Whether one of two sequences of tokens begins with all that the other has."""
    if isinstance(one, ByteWords) and isinstance(two, ByteWords):
        short, long = sorted((one.data, two.data), key=len)
        return long.startswith(short)
    return all(map(eq, one, two))


def joined_words(parts: Sequence[Sequence[str]]) -> Sequence[str]:
    """The tokens of several corpora, one after the other."""
    if all(isinstance(one, ByteWords) for one in parts):
        return ByteWords(b"".join(one.data for one in parts if isinstance(one, ByteWords)))
    return tuple(word for one in parts for word in one)
