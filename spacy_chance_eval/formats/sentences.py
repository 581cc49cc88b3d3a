"""Sentences with their trees, as every reader of treebanks returns them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ..measures.trees.trees import CYCLES, KINDS, Trees
from .corpus import numbered
from .errors import FormatError, Problem, known
from .files import open_text


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
        What its file is called, in a treebank that is a folder.
    place : str
        In words where it stands, in a file without lines.
    """

    name: str | None
    words: tuple | None
    parents: tuple | None
    labels: tuple | None
    line: int | None = None
    path: str | None = None
    document: str = ""
    place: str = field(default="", compare=False)


@dataclass(frozen=True)
class Treebank:
    """The sentences of a file, or of the files of a folder.

    Parameters
    ----------
    path : str
    kind : "dependency" or "constituency"
    sentences : sequence of Sentence
    notes : mapping of str to int
        What was passed over, and how often.
    cycles : "error" or "reachable"
        What `trees` makes of cycles, unless told.
    """

    path: str
    kind: str
    sentences: tuple
    notes: Mapping = field(default_factory=dict)
    cycles: str = "error"

    def __post_init__(self):
        known(self.kind, KINDS, "kind")
        known(self.cycles, CYCLES, "value of cycles")
        object.__setattr__(self, "path", str(self.path))
        object.__setattr__(self, "sentences", tuple(self.sentences))

    @property
    def names(self):
        """Names of the sentences: ids if all differ, else with documents and places."""
        ids = [sentence.name for sentence in self.sentences]
        if None not in ids and len(set(ids)) == len(ids):
            return ids
        return numbered([named(*row) for row in zip(self.sentences, self.places)])

    @property
    def places(self):
        """The place of each sentence in its document, from 1; None of one that is alone there."""
        count, places = {}, []
        for sentence in self.sentences:
            count[sentence.document] = place = count.get(sentence.document, 0) + 1
            places.append(place)
        alone = {document for document, n in count.items() if document and n == 1}
        return [
            None if sentence.document in alone else place
            for sentence, place in zip(self.sentences, places)
        ]

    def trees(self, cycles=None):
        """The `Trees` of the sentences, with their names.

        Raises
        ------
        FormatError
            For a cycle, with the place of its sentence; not with cycles="reachable".
        """
        cycles = known(cycles or self.cycles, CYCLES, "value of cycles")
        return trees_of(self.kind, self.sentences, self.names, cycles, self.path)


def named(sentence, place):
    """What a sentence is called: by its document, and its id or place."""
    own = sentence.name or (None if place is None else str(place))
    return "/".join(part for part in (sentence.document, own) if part)


def trees_of(kind, sentences, names, cycles, path=None):
    """The `Trees` of sentences; one that is None is not annotated."""
    given = [s if s is not None and s.parents is not None else None for s in sentences]
    trees = Trees.from_nodes(
        kind,
        [None if sentence is None else sentence.parents for sentence in given],
        [None if sentence is None else sentence.labels for sentence in given],
        names=names,
        cycles="reachable",
    )
    if cycles == "reachable":
        return trees
    lost = np.flatnonzero(~trees.reachable)
    if len(lost):
        item = trees.item[lost[0]]
        first, token = sentences[item], lost[0] - trees.starts[item] + 1
        n_such = len(np.unique(trees.item[lost]))
        tail = f" ({n_such} such sentences)" if n_such > 1 else ""
        raise FormatError(
            f"token {token} of sentence {names[item]} cannot be reached from the root: heads form "
            'a cycle; mend them, or pass cycles="reachable" (--cycles reachable) to measure what '
            f"can be reached{tail}",
            first.path or path,
            first.line,
        )
    return replace(trees, cycles=cycles)


class Token(NamedTuple):
    """A row of a file of dependencies. Head None: not annotated."""

    line: int
    number: int
    form: str
    head: int | None
    relation: str


def blocks(path):
    """The stretches of lines between empty ones, as lists of (line, text)."""
    block = []
    with open_text(path) as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                block.append((number, text.rstrip("\n")))
            elif block:
                yield block
                block = []
        if block:
            yield block


def dependency_sentence(name, tokens, path, problems):
    """The `Sentence` of some tokens; what is wrong with them goes to the problems.

    Spaces around relations do not count, and the relation "ROOT" is read as "root".
    """
    n = len(tokens)
    for place, token in enumerate(tokens, 1):
        if token.number != place:
            found = f"a token has the number {token.number}, expected {place}"
            problems.append(Problem(token.line, found, "number the tokens of a sentence from 1"))
            return None
    without = [token for token in tokens if token.head is None]
    if without and len(without) < n:
        found = f"token {without[0].number} has no head"
        advice = "give heads to all tokens of a sentence, or (not annotated) to none"
        problems.append(Problem(without[0].line, found, advice))
    for token in tokens:
        if token.head is not None and not 0 <= token.head <= n:
            found = f"token {token.number} has the head {token.head}, in a sentence of {n} tokens"
            problems.append(Problem(token.line, found, "heads are tokens of the sentence, or 0"))
    labels = tuple(token.relation.strip() for token in tokens)
    for token, label in zip(tokens, labels):
        if not (label or without):
            found = f"token {token.number} has an empty relation"
            problems.append(Problem(token.line, found, "name it, or write _"))
    words, line = tuple(token.form for token in tokens), tokens[0].line
    if without:
        return Sentence(name, words, None, None, line, str(path))
    parents = tuple(token.head - 1 for token in tokens)
    return with_root(Sentence(name, words, parents, labels, line, str(path)))


def with_root(sentence):
    """The sentence with the relation "ROOT", of spaCy and some treebanks, called "root" as in UD.

    So the same annotation has the same labels, whatever file it was read from.
    """
    if sentence.labels is None or "ROOT" not in sentence.labels:
        return sentence
    labels = tuple("root" if label == "ROOT" else label for label in sentence.labels)
    return replace(sentence, labels=labels)
