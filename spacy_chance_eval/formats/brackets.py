"""Reader of constituency trees in brackets: of the Penn Treebank, or without words."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from ..measures.messages import quoted
from .blemishes import leave_out
from .errors import ContentError, FormatError, PathLike, Problem
from .files import open_text
from .sentences import Sentence

NO_TREE = "sentences without a tree, (()) or (TOP ()): not annotated"
TRACE = "-NONE-"
# words may hold other spaces than ASCII has
PIECE = re.compile(r"[()]|[^\s()]+", re.ASCII)
TEXT = re.compile(r"[^\s()]+", re.ASCII)
LABEL = re.compile(r"\(\s*[^\s()]", re.ASCII)
TAGGED = re.compile(r"\(\s*[^\s()]+\s+[^\s()]+\s*\)", re.ASCII)
BARE = re.compile(r"\(\s*[^\s()]+\s*\)", re.ASCII)
OF_PENN = re.compile(rf"\(\s*{TRACE}\s", re.ASCII)
SLIPS = 20  # one leaf without a tag among as many with one is a mistake, not another style
ENOUGH = 20  # leaves from which the style of a file is clear


class _Tree(NamedTuple):
    """A tree as it stands: nodes in preorder, words and labels without brackets among them."""

    line: int
    parents: list[int]
    labels: list[str | None]
    atoms: set[int]


def read_brackets(path: PathLike, style: str = "brackets") -> tuple[list[Sentence], dict[str, int]]:
    """(sentences, notes) of a file of trees in brackets.

    `(S (NP (DT the) (NN dog)) (VP (VBZ barks)))`, the Penn style: every leaf is (TAG word). Words
    are kept beside the tree, tags are its leaves. Traces (-NONE-), and constituents that hold
    nothing else, are left out and counted in the notes, as programs that score parsers do.

    `(S (NP P) (VP V (NP D N)))`, delexicalised: leaves are tags alone.

    Labels are kept as they are, functions (NP-SBJ) included. Outermost brackets without a label
    around one tree are no part of it; `Sentence.unlabelled` is their number. Trees may stand on
    several lines. They have no ids. Brackets with nothing in them, (()) or (TOP ()), are a sentence
    that was not parsed: it is not annotated.

    `style` is "penn", "delexicalised", or "brackets": as `style_of` finds.
    """
    is_penn = (style_of([path]) if style == "brackets" else style) == "penn"
    problems: list[Problem] = []
    notes: Counter[str] = Counter()
    sentences = []
    for tree in _trees_in(path, problems):
        sentence = Sentence(None, None, None, None, tree.line, str(path))
        try:
            sentences.append(_annotated(sentence, tree, is_penn, notes))
        except ContentError as mistake:
            problems.append(Problem(tree.line, mistake.found, mistake.advice))
            sentences.append(sentence)
    leave_out(path, problems)
    if len(sentences) == notes[NO_TREE]:
        raise FormatError("no trees; expected brackets such as (S (NP P) (VP V))", path)
    return sentences, dict(notes)


def style_of(paths: Iterable[PathLike]) -> str:
    """The style of all trees of some files: "penn" or "delexicalised".

    Penn, if every leaf has the form (TAG word), or all but a few, which are then mistakes. A few
    trees without words may look like that, so all files of a treebank are looked at together.
    """
    found: dict[PathLike, tuple[int, int, int]] = {}  # numbers of leaves with a tag, others, traces
    for path in paths:
        with open_text(path) as file:
            text = file.read()
        n_tagged, n_bare = len(TAGGED.findall(text)), len(BARE.findall(text))
        n_others = len(TEXT.findall(text)) - len(LABEL.findall(text)) - n_tagged + n_bare
        found[path] = n_tagged, n_others, len(OF_PENN.findall(text))
    n_tagged, n_others, n_traces = map(sum, zip(*found.values()))
    if n_traces or n_others * SLIPS < n_tagged:
        return "penn"
    for path, (n_tagged, n_others, _) in found.items():
        if n_tagged >= ENOUGH and n_others * SLIPS < n_tagged:
            what = "words with tags, (TAG word), but other files have leaves without"
            raise FormatError(f"{what}; name the format: penn or delexicalised", path)
    return "delexicalised"


def _trees_in(path: PathLike, problems: list[Problem]) -> Iterable[_Tree]:
    """The trees of a file in their order; what stands outside of them is added to the problems."""
    tree, open_nodes = _Tree(0, [], [], set()), list[int]()
    with open_text(path) as file:
        for line, text in enumerate(file, 1):
            for piece in PIECE.findall(text):
                if piece == "(":
                    if not open_nodes:
                        tree = _Tree(line, [], [], set())
                    tree.parents.append(open_nodes[-1] if open_nodes else -1)
                    open_nodes.append(len(tree.labels))
                    tree.labels.append(None)
                elif not open_nodes:
                    found = f"{quoted(piece)} outside of brackets"
                    problems.append(Problem(line, found, "write trees such as (S (NP P) (VP V))"))
                elif piece == ")":
                    open_nodes.pop()
                    if not open_nodes:
                        yield tree
                elif open_nodes[-1] == len(tree.labels) - 1 and tree.labels[-1] is None:
                    tree.labels[-1] = piece
                else:
                    tree.atoms.add(len(tree.labels))
                    tree.parents.append(open_nodes[-1])
                    tree.labels.append(piece)
    if open_nodes:
        found = f"brackets of this tree are never closed ({len(open_nodes)})"
        problems.append(Problem(tree.line, found, "close every bracket"))
        yield _Tree(tree.line, [-1], [None], set())


def _annotated(sentence: Sentence, tree: _Tree, is_penn: bool, notes: Counter[str]) -> Sentence:
    """The sentence with its tree, without outermost brackets that have no label, and traces."""
    parents, labels = tree.parents, tree.labels
    if labels[-1] is None and parents == [*range(-1, len(parents) - 1)]:
        notes[NO_TREE] += 1
        return sentence
    n_outer, n_children = 0, Counter(parents)
    while labels[n_outer] is None and n_children[n_outer] == 1:
        n_outer += 1
    if None in labels[n_outer:]:
        raise ContentError("brackets without a label", "write (LABEL ...)")
    words: list[str] = []
    kept = set[int]() if is_penn else {*range(n_outer, len(labels))}
    for node in range(n_outer, len(labels)) if is_penn else ():
        label, is_word = str(labels[node]), node in tree.atoms
        if (is_word and n_children[parents[node]] > 1) or not (is_word or n_children[node]):
            raise ContentError(
                f"{quoted(label)} in the tree that begins here is not a (TAG word)",
                "give every word a tag of its own, or name the format: delexicalised",
            )
        if is_word and labels[parents[node]] == TRACE:
            notes["traces"] += 1
        elif is_word:
            words.append(label)
            while (node := parents[node]) >= n_outer:
                kept.add(node)
    if is_penn and not words:
        return replace(sentence, words=())
    place = {node: new for new, node in enumerate(sorted(kept))}
    return replace(
        sentence,
        words=tuple(words) if is_penn else None,
        parents=tuple(place.get(parents[node], -1) for node in place),
        labels=tuple(str(labels[node]) for node in place),
        unlabelled=n_outer,
    )
