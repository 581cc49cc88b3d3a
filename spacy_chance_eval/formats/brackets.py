"""Reader of constituency trees in brackets: of the Penn Treebank, or without words."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .blemishes import SENTENCES, VALUES, leave_out_parts
from .errors import FormatError, PathLike, Problem
from .files import open_text
from .sentences import Sentence

NO_TREE = "sentences without a tree, (()) or (TOP ()): not annotated"
STYLES = ("penn", "delexicalised")
TRACE = "-NONE-"
OUTSIDE = "outside of brackets"
# words may hold other spaces than ASCII has
PIECE = re.compile(r"[()]|[^\s()]+", re.ASCII)
TEXT = re.compile(r"[^\s()]+", re.ASCII)
# these two find the first sign of a label and of a word
LABEL = re.compile(r"\(\s*([^\s()])", re.ASCII)
TAGGED = re.compile(r"\(\s*[^\s()]+\s+([^\s()])[^\s()]*\s*\)", re.ASCII)
BARE = re.compile(r"\(\s*[^\s()]+\s*\)", re.ASCII)
OF_PENN = re.compile(rf"\(\s*{TRACE}\s", re.ASCII)
SLIPS = 20  # one leaf without a tag among as many with one is a mistake, not another style
ENOUGH = 20  # leaves from which the style of a file is clear
EITHER = (
    "trees read as Penn brackets, (TAG word), that may have no words; name the format, penn or "
    "delexicalised (--format)"
)


class _BracketTree(NamedTuple):
    """A tree as it stands: nodes in preorder, words and labels without brackets among them.

    `unlabelled` outermost brackets without a label were dropped.
    """

    line: int
    parents: list[int]
    labels: list[Any]
    atoms: set[int]
    unlabelled: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in the innermost brackets, as in (()) and (TOP ())."""
        chain = self.parents == [*range(-1, len(self.parents) - 1)]
        return chain and self.labels[-1:] == [None]


def read_brackets(
    path: PathLike, style: str | None = None
) -> tuple[list[Sentence], dict[str, int]]:
    """(sentences, notes) of a file of trees in brackets.

    `(S (NP (DT the) (NN dog)) (VP (VBZ barks)))`, the Penn style: every leaf is (TAG word). Words
    are kept beside the tree, tags are its leaves. Traces (-NONE-), and constituents that hold
    nothing else, are left out and counted in the notes, as programs that score parsers do.

    `(S (NP P) (VP V (NP D N)))`, delexicalised: leaves are tags alone.

    Labels are kept as they are, functions (NP-SBJ) included. Outermost brackets without a label
    around one tree are no part of it; `Sentence.unlabelled` is their number. Trees may stand on
    several lines. They have no ids. Brackets with nothing in them, (()) or (TOP ()), are a sentence
    that was not parsed: it is not annotated.

    `style` is "penn" or "delexicalised", by default as `style_of` finds; if it leaves it open,
    "penn", with a note.
    """
    style = style_of([path]) if style is None else style
    problems: list[Problem] = []
    notes: Counter[str] = Counter()
    sentences = []
    for tree in _trees_in(path, problems):
        bad = Sentence(None, None, None, None, tree.line, str(path))
        if not tree.labels:
            sentences.append(bad)
        elif tree.is_empty:
            sentences.append(bad)
            notes[NO_TREE] += 1
        elif style == "delexicalised":
            parents, labels = tuple(tree.parents), tuple(tree.labels)
            found = replace(bad, parents=parents, labels=labels, unlabelled=tree.unlabelled)
            sentences.append(found)
        else:
            sentences.append(_penn_sentence(tree, path, problems, notes) or bad)
    units = (VALUES if one.found.endswith(OUTSIDE) else SENTENCES for one in problems)
    leave_out_parts(path, list(zip(units, problems)))
    if len(sentences) == notes[NO_TREE]:
        raise FormatError("no trees; expected brackets such as (S (NP P) (VP V))", path)
    if style is None:
        notes[EITHER] = len(sentences)
    return sentences, dict(notes)


def style_of(paths: Iterable[PathLike]) -> str | None:
    """The style of all trees of some files: "penn", "delexicalised", or None if it may be either.

    Penn, if every leaf has the form (TAG word), or all but a few, which are then mistakes. A few
    trees without words may look like that, so all files of a treebank are looked at together; if
    the words in them all begin as labels do, with capitals for example, it may be either.
    """
    found: dict[PathLike, tuple[int, int, int]] = {}  # numbers of leaves with a tag, others, traces
    words, labels = set[str](), set[str]()
    for path in paths:
        with open_text(path) as file:
            text = file.read()
        tagged, named = TAGGED.findall(text), LABEL.findall(text)
        n_others = len(TEXT.findall(text)) - len(named) - len(tagged) + len(BARE.findall(text))
        found[path] = len(tagged), n_others, len(OF_PENN.findall(text))
        words |= {*map(_kind_of_sign, tagged)}
        labels |= {*map(_kind_of_sign, named)}
    n_tagged, n_others, n_traces = map(sum, zip(*found.values()))
    if n_tagged and not n_traces and not n_others and words <= labels:
        return None
    if n_traces or n_others * SLIPS < n_tagged:
        return "penn"
    for path, (n_tagged, n_others, _) in found.items():
        if n_tagged >= ENOUGH and n_others * SLIPS < n_tagged:
            other = max(found, key=lambda path: found[path][1])
            raise FormatError(
                f"words with tags, (TAG word), but {other} has leaves without; trees of both "
                "styles do not compare (if these are not words, name the format: delexicalised)",
                path,
            )
    return "delexicalised"


def _kind_of_sign(sign: str) -> str:
    """The first sign of a word or a label; all capitals, and all small letters, are one."""
    return "A" if sign.isupper() else "a" if sign.islower() else sign


def _trees_in(path: PathLike, problems: list[Problem]) -> list[_BracketTree]:
    """The trees of a file in their order; errors are added to the problems."""
    trees, tree = [], _BracketTree(0, [], [], set())
    open_nodes: list[int] = []
    with open_text(path) as file:
        for line, text in enumerate(file, 1):
            for piece in PIECE.findall(text):
                if piece == "(":
                    if not open_nodes:
                        tree = _BracketTree(line, [], [], set())
                    tree.parents.append(open_nodes[-1] if open_nodes else -1)
                    tree.labels.append(None)
                    open_nodes.append(len(tree.labels) - 1)
                elif not open_nodes:
                    found = f"{quoted(piece)} {OUTSIDE}"
                    problems.append(Problem(line, found, "write trees such as (S (NP P) (VP V))"))
                elif piece == ")":
                    open_nodes.pop()
                    if not open_nodes:
                        trees.append(_checked_tree(tree, problems))
                elif open_nodes[-1] == len(tree.labels) - 1 and tree.labels[-1] is None:
                    tree.labels[-1] = piece
                else:
                    tree.atoms.add(len(tree.labels))
                    tree.parents.append(open_nodes[-1])
                    tree.labels.append(piece)
    if open_nodes:
        n = len(open_nodes)
        found = f"{n} bracket{'s' * (n > 1)} of this tree {'are' if n > 1 else 'is'} never closed"
        problems.append(Problem(tree.line, found, "close every bracket"))
        trees.append(_BracketTree(tree.line, [], [], set()))
    return trees


def _checked_tree(tree: _BracketTree, problems: list[Problem]) -> _BracketTree:
    """The tree without outermost brackets that have no label; others without one are problems.

    The tree of such a problem has no nodes. One with nothing in it, (()), stays as it is.
    """
    n, n_children = 0, Counter(tree.parents)
    while n + 1 < len(tree.labels) and tree.labels[n] is None and n_children[n] == 1:
        n += 1
    if None in tree.labels[n:] and not tree.is_empty:
        problems.append(Problem(tree.line, "brackets without a label", "write (LABEL ...)"))
        return _BracketTree(tree.line, [], [], set())
    parents = [-1, *(parent - n for parent in tree.parents[n + 1 :])]
    atoms = {atom - n for atom in tree.atoms}
    return _BracketTree(tree.line, parents, tree.labels[n:], atoms, n)


def _penn_sentence(
    tree: _BracketTree, path: PathLike, problems: list[Problem], notes: Counter[str]
) -> Sentence | None:
    """The sentence of a tree with words, without its traces."""
    n_children = Counter(tree.parents)
    words, keep = [], [False] * len(tree.labels)
    for node in range(len(tree.labels)):
        atom, parent = node in tree.atoms, tree.parents[node]
        if (atom and n_children[parent] > 1) or not (atom or n_children[node]):
            found = f"{quoted(tree.labels[node])} in the tree that begins here is not a (TAG word)"
            advice = "give every word a tag of its own, or name the format: delexicalised"
            problems.append(Problem(tree.line, found, advice))
            return None
        if atom and tree.labels[parent] == TRACE:
            notes["traces"] += 1
        elif atom:
            words.append(tree.labels[node])
            keep[parent] = True
    for node in range(len(tree.labels) - 1, 0, -1):
        if keep[node]:
            keep[tree.parents[node]] = True
    if not words:
        return Sentence(None, (), None, None, tree.line, str(path))
    kept = [node for node, is_kept in enumerate(keep) if is_kept]
    place = {node: new for new, node in enumerate(kept)} | {-1: -1}
    parents = tuple(place[tree.parents[node]] for node in kept)
    labels = tuple(tree.labels[node] for node in kept)
    return Sentence(
        None, tuple(words), parents, labels, tree.line, str(path), unlabelled=tree.unlabelled
    )
