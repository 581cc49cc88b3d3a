"""Pages of agreement on trees: an index, and sentences of each pair with both trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
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
    """Write an agreement of trees as a folder of pages, or its index as one self-contained page.

    The parameters and errors are those of `write_agreement`, with the sentences that differ and
    both their trees in place of documents.

    Parameters
    ----------
    agreement : Agreement
        The result of `agree` or `agree_tree_files`.
    sentences : mapping of str to sequence of (Sentence or None), optional
        The words of the sentences of each annotator, one for each item of the panel; by default
        those of the agreement. Without words, tokens are called by their numbers.
    scores : Report, optional
        Those of one annotator against the other, as gold: the index has these in place of the
        agreement.
    """
    target, panel, result = local_path(path), agreement.panel, agreement.to_dict()
    if target.suffix.lower() == ".html":
        write_atomically(target, report_page(tree_report(result, drawn={}, scores=scores)))
        return
    sentences = sentences or agreement.corpus or {}
    numbers = panel.sharing_pairs
    steps = progress(numbers, len(numbers), "Pages of pairs") if progress else numbers
    pairs = (tree_pair(result, panel, one, sentences) for one in steps)
    write_folder(target, result, pairs, n_docs, partial(tree_report, scores=scores))


def tree_report(
    result: Result,
    pairs: Sequence[Result] = (),
    drawn: Mapping[int, tuple[str, Sequence[str]]] | None = None,
    scores: Report | None = None,
) -> Report:
    """The report of an agreement of trees, or of scores with what differs.

    Parameters
    ----------
    result : dict
        An agreement as plain values.
    pairs : sequence of dict
        The pairs of annotators, each a row of `tree_pair`.
    drawn : mapping, optional
        Where sentences are drawn: by index, an address and the names of the pair.
    """
    counts = next((list(row["counts"]) for row in pairs if row["counts"]), [])
    report = agreement_report(result, pairs=pairs, drawn=drawn, counts=counts)
    if scores is not None:
        differing = [one for one in report.sections if one.heading == PAIRS]
        return replace(scores, sections=[*scores.sections, *differing])
    return replace(report, verdict=tree_verdict(result, pairs))


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


def tree_pair(
    result: Result,
    panel: TreePanel,
    numbers: tuple[int, int],
    sentences: Mapping[str, SentenceColumn],
) -> PairPages:
    """Two annotators, and what their pages show of the sentences whose trees differ."""
    kind = panel.kind
    first, second = names = [panel.names[number] for number in numbers]
    sides = [panel.annotations[number] for number in numbers]
    columns = [sentences.get(name) for name in names]
    shared = np.flatnonzero(np.all([np.asarray(side.seen) for side in sides], axis=0))
    different, trees = distinct_trees(sides)
    distances = pair_distances(different, np.stack(trees, axis=1)[shared]).tolist()
    distance = dict(zip(shared.tolist(), distances))
    scores, trees_of = _scores(kind, *sides), _both_trees(sides, columns)
    order = [i for i in distance if len({_nodes(tree) for tree in trees_of(i)}) > 1]
    order.sort(key=lambda i: (-distance[i], i))
    counts = Counter[str](dict.fromkeys(DIFFERENCES[kind], 0))
    confused = Counter[tuple[str, str]]()
    for difference in (row for i in order for row in tree_differences(kind, *trees_of(i))["rows"]):
        counts[difference["difference"]] += 1
        labels = labels_of_row(difference)
        if len(set(labels)) == 2:
            confused[labels[0], labels[1]] += 1

    def draw(indices: Sequence[int], notes: Sequence[str], is_first: bool) -> list[Section]:
        drawn = []
        for i in indices:
            known = (column[i] for column in columns if column)
            words = next((one.words for one in known if one and one.words), ())
            score = None if np.isnan(scores[i]) else float(scores[i])
            about = {"place": i, "name": sides[0].name(i), "text": " ".join(words) or None}
            about |= {"direction": text_direction(words), "distance": distance[i], "score": score}
            drawn.append(about | _drawn_trees(kind, trees_of(i)))
        of_all = confused if is_first else {}
        return sentence_sections(kind, drawn, names=names, notes=notes, confused=of_all)

    row: TableRow = {"first": first, "second": second, "n_docs": len(shared)}
    row |= {"n_differing": len(order), "confused": confused, "counts": dict(counts)}
    row |= {"page": f"{pair_name(numbers)}.html", "reason": None}
    whose = names if kind == "constituency" else counts
    numbers_text = "; ".join(f"{name}: {n}" for name, n in zip(whose, counts.values()))
    differing = f"{len(shared)} that both saw, {len(order)} of them with differences"
    return PairPages(
        numbers,
        row,
        order,
        distance.__getitem__,
        tree_pair_verdict(result, row),
        [("Sentences", differing), ("Differences", numbers_text)],
        draw,
        "sentence",
        "the largest distance",
        [HOW_TO_READ[kind].format(*names)],
    )


def _nodes(tree: Tree) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The parents and labels of all nodes."""
    return tuple(tree.parents), tuple(tree.labels)


def _both_trees(
    sides: Sequence[Trees], columns: Sequence[SentenceColumn | None]
) -> Callable[[int], list[Tree]]:
    """The function that makes both trees of a sentence.

    Numbers stand for tokens whose words are not known.
    """
    rows = [brackets(one).tolist() if one.kind == "constituency" else () for one in sides]

    def trees_of(sent_index: int) -> list[Tree]:
        found = []
        for trees, column, spans in zip(sides, columns, rows):
            sentence = column[sent_index] if column else None
            words: Sequence[str] | None = sentence.words if sentence else None
            start, end = trees.starts[sent_index : sent_index + 2].tolist()
            if words is None and trees.kind == "dependency":
                words = [str(number) for number in range(1, end - start + 1)]
            labels = [trees.labels[number] for number in trees.label[start:end].tolist()]
            inside = spans[start:end]
            edges = [(one[1] - inside[0][1], one[2] - inside[0][1]) for one in inside]
            nodes = [(label, *edge) for label, edge in zip(labels, edges)]
            found.append(Tree(words, trees.parents[start:end].tolist(), labels, nodes))
        return found

    return trees_of


def _scores(kind: str, first: Trees, second: Trees) -> FloatArray:
    """LAS, or the Jaccard index of brackets, by sentence; nan where it is undefined."""
    if kind == "constituency":
        overlap = bracket_overlap(first, second)
        return ratio(overlap.score, overlap.weight)[:, 0]
    edges = labelled_edges(first, second)
    return ratio(2 * edges.correct.sum(axis=1), (edges.gold + edges.pred).sum(axis=1))


def _drawn_trees(kind: str, trees: Sequence[Tree]) -> TableRow:
    """Both trees of a sentence as pages draw them, with what differs."""
    differences = tree_differences(kind, *trees)
    sizes, most = [len(tree.parents) for tree in trees], MOST_NODES[kind]
    notes, drawn = [UNEVEN] * (kind == "dependency" and uneven(*trees)), []
    if max(sizes) > most:
        notes.append(TOO_LARGE.format(most, NODES[kind]))
    elif kind == "dependency":
        drawn = [*map(draw_arcs, trees, differences["differing"], column_widths(trees))]
    else:
        drawn = [*map(bracketed, trees, differences["differing"])]
    differing = {key: differences[key] for key in ("rows", "size")}
    return {"sizes": sizes, "trees": drawn, "notes": notes, **differing}


# --- summaries


def tree_verdict(result: Result, rows: Sequence[Result]) -> str:
    """Summary of an agreement of trees: its degree, identical trees, most frequent difference.

    The sentences are plain text: names are not escaped.

    Parameters
    ----------
    result : dict
        An agreement of trees as plain values.
    rows : sequence of dict
        The pairs of annotators whose trees were compared one by one, each a row of `tree_pair`.
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
        A row of `tree_pair`.
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
        `rows`: the tokens whose head or relation differs, or the brackets that only one has, each
        with one of `DIFFERENCES`. `differing`: the nodes of each tree that differ. `size`: the
        number of tokens or of distinct brackets, None if the trees have different tokens.
    """
    if kind == "constituency":
        return _bracket_differences(first, second)
    if uneven(first, second):
        return {"rows": [], "differing": [set(), set()], "size": None}
    head, relation, head_and_relation = DIFFERENCES["dependency"]
    rows: list[TableRow] = []
    for i in range(len(first.parents)):
        one, two = (_arc(tree, i) for tree in (first, second))
        same_head, same_label = one["head"] == two["head"], one["label"] == two["label"]
        if same_head and same_label:
            continue
        difference = relation if same_head else head if same_label else head_and_relation
        words = dict.fromkeys(_word(tree, i) for tree in (first, second))
        row = {"place": i + 1, "word": " / ".join(words), "difference": difference}
        rows.append(row | {"sides": [one, two]})
    differing = {row["place"] - 1 for row in rows}
    return {"rows": rows, "differing": [differing, differing], "size": len(first.parents)}


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
    return {"rows": rows, "differing": differing, "size": len(set().union(*sides))}


def labels_of_row(row: Result) -> list[str]:
    """The labels of a differing token or bracket."""
    return [side["label"] for side in row["sides"]] if "sides" in row else [row["label"]]
