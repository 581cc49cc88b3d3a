"""Pages of agreement on trees: an index, and sentences of each pair with both trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from ..formats.outputs import local_path, write_atomically
from ..formats.sentences import Sentence
from ..measures.arrays import FloatArray
from ..measures.stats import ratio
from ..measures.trees.postorder import distinct_trees
from ..measures.trees.syntax import bracket_overlap, brackets, labelled_edges
from ..measures.trees.tree_edit import pair_distances
from ..measures.trees.trees import TreePanel, Trees
from .agreement import (
    PAIRS,
    agreement_report,
    agreement_verdict,
    pair_verdict,
)
from .agreement_pages import (
    PairPages,
    PanelAgreement,
    Progress,
    pair_name,
    write_folder,
)
from .diff_pages import PER_PAGE
from .report import Column, Report, Section, Table, report_page
from .tree_drawing import Tree, bracketed, column_widths, draw_arcs
from .words import NODES, Result, TableRow, in_sentence, quantity, text_direction

SentenceColumn: TypeAlias = Sequence[Sentence | None]  # of one annotator; None for those not seen

ROWS = 1000  # that are shown of a sentence
CONFUSED = 40  # pairs of relations, those most often confused
SCORES = {"dependency": "LAS", "constituency": "Jaccard"}
DRAWN = (
    "Drawn one above the other: the tree of {} and that of {}. Arcs lead from heads to dependents; "
    "a token whose head or relation differs is underlined, its arc dashed. A root has no arc: its "
    "relation is written below it."
)
BRACKETED = (
    "Beside each other: the tree of {} and that of {}. A bracket, which is a label over a span of "
    "leaves, is underlined if only one of the two trees has it."
)
HOW_TO_READ = {"dependency": DRAWN, "constituency": BRACKETED}
UNEVEN = "The tokens differ, so that they are not compared one by one."
MOST_NODES = {"dependency": 100, "constituency": 500}  # of trees that are drawn
TOO_LARGE = "Trees of more than {} {} are not drawn."
ALONE = {
    "head": "in the head alone",
    "relation": "in the relation alone",
    "head and relation": "in head and relation",
}
DIFFERENCES = {
    "dependency": ("head", "relation", "head and relation"),
    "constituency": ("only the first", "only the second"),
}


def write_tree_agreement(
    agreement: PanelAgreement[TreePanel, Mapping[str, SentenceColumn] | None],
    path: str | Path,
    *,
    sentences: Mapping[str, SentenceColumn] | None = None,
    n_docs: int = PER_PAGE,
    progress: Progress | None = None,
    scores: Report | None = None,
) -> None:
    """Write an agreement of trees as a folder of pages, or as one self-contained page.

    The parameters and errors are those of `write_agreement`, with sentences in place of documents;
    a folder has the sentences that differ, with both trees, and one page of two annotators has up
    to 200 of them, too.

    Parameters
    ----------
    agreement : Agreement
        The result of `agree` or `agree_tree_files`.
    sentences : mapping of str to sequence of (Sentence or None), optional
        The words of the sentences of each annotator, one for each item of the panel; by default
        those of the agreement. Without words, tokens are called by their numbers.
    scores : Report, optional
        Those of one annotator against the other, as gold: the page has these in place of the
        agreement.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from spacy_chance_eval import Trees, agree
    >>> alice = Trees.from_heads([[2, 0, 2], [0]], [["SUBJ", "PRED", "OBJ"], ["PRED"]])
    >>> bob = Trees.from_heads([[2, 0, 1], [0]], [["SUBJ", "PRED", "OBJ"], ["PRED"]])
    >>> found = agree({"alice": alice, "bob": bob})
    >>> with TemporaryDirectory() as folder:
    ...     write_tree_agreement(found, folder)
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['index.html', 'pair-001-002.html']
    """
    target, panel, result = local_path(path), agreement.panel, agreement.to_dict()
    sentences = sentences or agreement.corpus or {}
    numbers = panel.sharing_pairs
    steps = progress(numbers, len(numbers), "Pages of pairs") if progress else numbers
    if target.suffix.lower() == ".html":
        write_atomically(target, _one_page(result, panel, sentences, n_docs, scores))
        return
    pairs = (TreePair(panel, one, sentences).pages(result) for one in steps)
    write_folder(target, result, pairs, n_docs, partial(tree_report, scores=scores))


def tree_report(
    result: Result,
    pairs: Sequence[Result] = (),
    drawn: Mapping[int, tuple[str, Sequence[str]]] | None = None,
    compared: Sequence[Result] = (),
    scores: Report | None = None,
) -> Report:
    """The report of an agreement of trees, or of scores with what differs.

    Parameters
    ----------
    result : dict
        An agreement as plain values.
    pairs : sequence of dict
        The pairs of annotators, each a `TreePair.row`.
    drawn : mapping, optional
        Where sentences are drawn: by index, an address and the names of the pair.
    compared : sequence of dict, optional
        The pairs that the verdict speaks of; without, those of `pairs`.
    """
    counts = next((list(row["counts"]) for row in pairs if row["counts"]), [])
    report = agreement_report(result, pairs=pairs, drawn=drawn, counts=counts)
    if scores is not None:
        differing = [one for one in report.sections if one.heading == PAIRS]
        return replace(scores, sections=[*scores.sections, *differing])
    return replace(report, verdict=tree_verdict(result, compared or pairs))


def sentence_sections(
    kind: str,
    sentences: Iterable[Result],
    *,
    names: Sequence[str],
    notes: Iterable[str] = (),
    confused: Mapping[tuple[str, str], int] | None = None,
) -> list[Section]:
    """The relations that two annotators confuse, and their sentences as pages draw them.

    Parameters
    ----------
    kind : "dependency" or "constituency"
    sentences : iterable of dict
        Most different first: `place`, `name`, `text`, `distance`, `score`, `sizes` and drawn
        `trees` of both, `notes`, and the `rows` and `size` of `tree_differences`.
    names : (str, str)
        Whose trees they are.
    confused : mapping of (str, str) to int, optional
        How often the relations of a token differ, by both relations.
    """
    sentences = list(sentences)
    dependency = kind == "dependency"
    differing = (row for sentence in sentences for row in sentence["rows"])
    used = {label for row in differing for label in labels_of_row(row)}
    labels = {label: number for number, label in enumerate(sorted(used))}
    differences = DIFFERENCES[kind] if dependency else names
    score = SCORES[kind]
    rows = [
        {"first": one or "(empty)", "second": two or "(empty)", "n": n}
        for (one, two), n in sorted((confused or {}).items(), key=lambda row: (-row[1], row[0]))
    ]
    columns = [Column(key, name, str) for key, name in zip(("first", "second"), names)]
    columns.append(Column("n", "tokens"))
    caption = "The most frequent pairs of relations of tokens that differ in it"
    tables = [Table(caption, columns, rows[:CONFUSED], names=2)] * bool(rows)
    drawn = {
        "id": "sentences",
        "kind": kind,
        "names": names,
        "sentences": [{**one, "difference": _difference_text(one, kind)} for one in sentences],
        "most": ROWS,
        "labels_of_row": labels_of_row,
        "difference": "Difference" if dependency else "Only in the tree of",
        "differences": [(words, number) for number, words in enumerate(differences)],
        "label": "Relation" if dependency else "Label",
        "labels": labels,
        "score": score,
        "orders": [
            ("distance", "largest distance first"),
            ("score", f"lowest {score} first"),
            ("place", "in the order of the files"),
        ],
    }
    confusion = [Section("Confusion of relations", (), tables)] * bool(tables)
    return [*confusion, Section("Sentences", list(notes), drawn=drawn)]


def _difference_text(sentence: Result, kind: str) -> str:
    """How many tokens or brackets differ."""
    n, size = len(sentence["rows"]), sentence["size"]
    if size is None:
        return f"{sentence['sizes'][0]} tokens and {sentence['sizes'][1]} tokens"
    if kind == "dependency":
        return f"{n} of {size} tokens {'differs' if n == 1 else 'differ'}"
    return f"{n} of {size} brackets only in one"


# --- pages of pairs


class TreePair:
    """Two annotators: how far apart their trees are, sentence by sentence.

    `shared` are the indices of the sentences that both saw, `distances` their tree edit distances
    by index; `order` are those whose trees differ, the largest distance first.
    """

    def __init__(
        self, panel: TreePanel, numbers: tuple[int, int], sentences: Mapping[str, SentenceColumn]
    ) -> None:
        self.numbers, self.kind = numbers, panel.kind
        self.names = tuple(panel.names[number] for number in numbers)
        self.sides: list[Trees] = [panel.annotations[number] for number in numbers]
        self.sentences = [sentences.get(name) for name in self.names]
        self.shared = np.flatnonzero(np.all([np.asarray(s.seen) for s in self.sides], axis=0))
        different, trees = distinct_trees(self.sides)
        distances = pair_distances(different, np.stack(trees, axis=1)[self.shared])
        self.distances = dict(zip(self.shared.tolist(), distances.tolist()))
        self.scores = _scores(self.kind, *self.sides)
        self.brackets = [
            brackets(trees).tolist() if self.kind == "constituency" else () for trees in self.sides
        ]
        self.order = sorted(
            filter(self.differs, self.distances),
            key=lambda sent_index: (-self.distances[sent_index], sent_index),
        )
        counts, confused = self.difference_counts
        self.row: TableRow = {
            "first": self.names[0],
            "second": self.names[1],
            "n_docs": len(self.shared),
        }
        self.row |= {"n_differing": len(self.order), "confused": confused}
        self.row["counts"] = {name: counts[name] for name in DIFFERENCES[self.kind]}
        self.row |= {"page": f"{pair_name(numbers)}.html", "reason": None}

    def pages(self, result: Result) -> PairPages:
        """What the pages of the pair show."""
        row = self.row
        whose = self.names if self.kind == "constituency" else row["counts"]
        counts = "; ".join(f"{name}: {n}" for name, n in zip(whose, row["counts"].values()))
        differing = f"{row['n_docs']} that both saw, {row['n_differing']} of them with differences"
        return PairPages(
            self.numbers,
            row,
            self.order,
            self.distances.__getitem__,
            tree_pair_verdict(result, row),
            [("Sentences", differing), ("Differences", counts)],
            self.sections,
            "sentence",
            "the largest distance",
            [HOW_TO_READ[self.kind].format(*self.names)],
        )

    def sections(
        self, indices: Iterable[int], notes: Sequence[str], overview: bool
    ) -> list[Section]:
        """Some sentences; with an overview, the confusions of all."""
        sentences = [_sentence(self, sent_index) for sent_index in indices]
        confused = self.difference_counts[1] if overview else {}
        return sentence_sections(
            self.kind, sentences, names=self.names, notes=notes, confused=confused
        )

    def differs(self, sent_index: int) -> bool:
        """Whether any head, label or number of nodes is different."""
        one, two = self.trees(sent_index)
        return (one.parents, one.labels) != (two.parents, two.labels)

    def trees(self, sent_index: int) -> list[Tree]:
        """The trees of both for a sentence."""
        return [self._tree(side, sent_index) for side in (0, 1)]

    def words(self, side: int, sent_index: int) -> Sequence[str] | None:
        """The words of a sentence; None if they are not known."""
        known = self.sentences[side]
        sentence = known[sent_index] if known else None
        return sentence.words if sentence else None

    @cached_property
    def difference_counts(self) -> tuple[Counter[str], Counter[tuple[str, str]]]:
        """How often trees differ in what; and relations of the same tokens that differ."""
        counts: Counter[str] = Counter()
        confused: Counter[tuple[str, str]] = Counter()
        for sent_index in self.order:
            differences = tree_differences(self.kind, *self.trees(sent_index))
            counts.update(differences["counts"])
            if self.kind == "dependency":
                pairs = (labels_of_row(row) for row in differences["rows"])
                confused.update((one, two) for one, two in pairs if one != two)
        return counts, confused

    def _tree(self, side: int, sent_index: int) -> Tree:
        """The tree of a sentence; numbers stand for tokens whose words are not known."""
        trees, words = self.sides[side], self.words(side, sent_index)
        start, end = trees.starts[sent_index : sent_index + 2].tolist()
        if words is None and self.kind == "dependency":
            words = [str(number) for number in range(1, end - start + 1)]
        labels = [trees.labels[number] for number in trees.label[start:end].tolist()]
        rows = self.brackets[side][start:end]
        return Tree(
            words,
            trees.parents[start:end].tolist(),
            labels,
            [(label, row[1] - rows[0][1], row[2] - rows[0][1]) for label, row in zip(labels, rows)],
        )


def _scores(kind: str, first: Trees, second: Trees) -> FloatArray:
    """LAS, or the Jaccard index of brackets, by sentence; nan where it is undefined."""
    if kind == "constituency":
        overlap = bracket_overlap(first, second)
        return ratio(overlap.score, overlap.weight)[:, 0]
    edges = labelled_edges(first, second)
    return ratio(2 * edges.correct.sum(axis=1), (edges.gold + edges.pred).sum(axis=1))


def _one_page(
    result: Result,
    panel: TreePanel,
    sentences: Mapping[str, SentenceColumn],
    n_docs: int,
    scores: Report | None,
) -> str:
    """The index alone; of two annotators with their sentences, if they share any."""
    pairs = panel.sharing_pairs
    if len(panel) != 2 or not pairs:
        return report_page(tree_report(result, drawn={}, scores=scores))
    pair = TreePair(panel, pairs[0], sentences)
    sent_indices = pair.order[: min(PER_PAGE, n_docs or PER_PAGE)]
    drawn = {sent_index: (f"#sentence-{sent_index + 1}", pair.names) for sent_index in sent_indices}
    report = tree_report(result, (), drawn, [pair.row], scores)
    pages = pair.pages(result)
    sections = pair.sections(sent_indices, pages.notes(len(sent_indices)), overview=True)
    how_to_read = [*report.how_to_read, *pages.how_to_read]
    return report_page(
        replace(report, sections=[*report.sections, *sections], how_to_read=how_to_read)
    )


def _sentence(pair: TreePair, sent_index: int) -> TableRow:
    """A sentence with what differs, and its trees drawn."""
    trees, score = pair.trees(sent_index), float(pair.scores[sent_index])
    differences = tree_differences(pair.kind, *trees)
    words = pair.words(0, sent_index) or pair.words(1, sent_index)
    sizes, most = [len(tree.parents) for tree in trees], MOST_NODES[pair.kind]
    notes, drawn = [UNEVEN] * (pair.kind == "dependency" and uneven(*trees)), []
    if max(sizes) > most:
        notes.append(TOO_LARGE.format(most, NODES[pair.kind]))
    elif pair.kind == "dependency":
        drawn = [*map(draw_arcs, trees, differences["differing"], column_widths(trees))]
    else:
        drawn = [*map(bracketed, trees, differences["differing"])]
    return {
        "place": sent_index,
        "name": pair.sides[0].name(sent_index),
        "text": " ".join(words) if words else None,
        "direction": text_direction(words or ()),
        "distance": pair.distances[sent_index],
        "score": None if np.isnan(score) else score,
        "sizes": sizes,
        "trees": drawn,
        "notes": notes,
        **{key: differences[key] for key in ("rows", "size")},
    }


# --- summaries


def tree_verdict(result: Result, rows: Sequence[Result]) -> str:
    """Summary of an agreement of trees: its degree, identical trees, most frequent difference.

    The sentences are plain text: names are not escaped.

    Parameters
    ----------
    result : dict
        An agreement of trees as plain values.
    rows : sequence of dict
        The pairs of annotators whose trees were compared one by one, each a `TreePair.row`.
    """
    parts = [agreement_verdict(result), *_identical(rows), *_most_frequent(rows)]
    return " ".join(filter(None, parts))


def tree_pair_verdict(result: Result, row: Result) -> str:
    """Summary of a pair of annotators: agreement, number of differences, most frequent kind.

    Parameters
    ----------
    result : dict
        An agreement of trees as plain values.
    row : dict
        A `TreePair.row`.
    """
    names = (row["first"], row["second"])
    parts = [pair_verdict(result, names, row["n_differing"]), *_most_frequent([row])]
    return " ".join(filter(None, parts))


def _identical(rows: Sequence[Result]) -> Iterator[str]:
    """The sentence on identical trees."""
    n_docs = sum(row["n_docs"] for row in rows)
    n_same = n_docs - sum(row["n_differing"] for row in rows)
    if n_docs:
        yield f"{n_same:,} of {n_docs:,} pairs of trees are identical."


def _most_frequent(rows: Sequence[Result]) -> Iterator[str]:
    """The sentence on differences: tokens with their relations, or brackets."""
    counts: Counter[str] = Counter()
    confused: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counts.update(row["counts"])
        for pair, n in row["confused"].items():
            confused[min(pair), max(pair)] += n
    n_all = counts.total()
    if not n_all:
        return
    if not set(counts) <= set(ALONE):
        yield f"Brackets in only one of two trees: {n_all:,}."
        return
    parts = [f"{counts[kind]:,} {how}" for kind, how in ALONE.items() if counts[kind]]
    said = f"{n_all:,} token{'s differ' if n_all > 1 else ' differs'}: {in_sentence(parts)}"
    if confused:
        (one, two), n = min(confused.items(), key=lambda item: (-item[1], item[0]))
        said += f"; confused most often: {one} and {two} ({quantity(n, 'time')})"
    yield f"{said}."


# --- differences


def tree_differences(kind: str, first: Tree, second: Tree) -> TableRow:
    """The differences between two trees of a sentence.

    Parameters
    ----------
    kind : "dependency" or "constituency"

    Returns
    -------
    dict
        `rows`: the tokens whose head or relation differs, or the brackets that only one has.
        `differing`: the nodes of each tree that differ. `counts` of `DIFFERENCES`.
        `size`: the number of tokens or of distinct brackets, None if the trees have different
        tokens.
    """
    compare = _token_differences if kind == "dependency" else _bracket_differences
    return compare(first, second)


def _token_differences(first: Tree, second: Tree) -> TableRow:
    """The differences between two dependency trees, token by token."""
    sides = [[_arc(tree, i) for i in range(len(tree.parents))] for tree in (first, second)]
    head, relation, head_and_relation = DIFFERENCES["dependency"]
    counts = dict.fromkeys(DIFFERENCES["dependency"], 0)
    if uneven(first, second):
        none: list[set[int]] = [set(), set()]
        return {"rows": [], "differing": none, "counts": counts, "size": None}
    rows: list[TableRow] = []
    differing = set()
    for i, (one, two) in enumerate(zip(*sides)):
        same_head, same_label = one["head"] == two["head"], one["label"] == two["label"]
        if same_head and same_label:
            continue
        difference = relation if same_head else head if same_label else head_and_relation
        counts[difference] += 1
        differing.add(i)
        words = dict.fromkeys(_word(tree, i) for tree in (first, second))
        row = {"place": i + 1, "word": " / ".join(words), "difference": difference}
        rows.append(row | {"sides": [one, two]})
    size, both = len(first.parents), [differing, differing]
    return {"rows": rows, "differing": both, "counts": counts, "size": size}


def uneven(first: Tree, second: Tree) -> bool:
    """Whether two dependency trees have different tokens, in number or in extent."""
    if len(first.parents) != len(second.parents):
        return True
    words = [tree.words or () for tree in (first, second)]
    return [*words[0]] != [*words[1]] and "".join(words[0]) == "".join(words[1])


def _word(tree: Tree, token: int) -> str:
    return tree.words[token] if tree.words else ""


def _arc(tree: Tree, token: int) -> TableRow:
    """The head of a token and its relation to the head; for the root, 0 and None."""
    head = tree.parents[token]
    word = None if head < 0 else _word(tree, head)
    return {"head": head + 1, "word": word, "label": tree.labels[token]}


def _bracket_differences(first: Tree, second: Tree) -> TableRow:
    """The brackets that only one of two constituency trees has, with leaves counted from 1."""
    sides = [tree.brackets for tree in (first, second)]
    names = DIFFERENCES["constituency"]
    rows: list[TableRow] = []
    for side, (tree, own, other) in enumerate(zip((first, second), sides, sides[::-1])):
        for label, start, end in set(own) - set(other):
            words = None if tree.words is None else " ".join(tree.words[start:end])
            row = {"label": label, "first": start + 1, "last": end, "words": words}
            rows.append(row | {"difference": names[side], "side": side})
    rows.sort(key=lambda row: (row["first"], -row["last"], row["label"], row["side"]))
    differing = [
        {node for node, one in enumerate(own) if one not in other}
        for own, other in zip(sides, map(set, sides[::-1]))
    ]
    counts = {name: sum(row["side"] == i for row in rows) for i, name in enumerate(names)}
    size = len(set().union(*sides))
    return {"rows": rows, "differing": differing, "counts": counts, "size": size}


def labels_of_row(row: Result) -> list[str]:
    """The labels of a differing token or bracket."""
    return [side["label"] for side in row["sides"]] if "sides" in row else [row["label"]]
