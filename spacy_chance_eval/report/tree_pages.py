"""Pages of sentences with both of their trees. All numbers come from results."""

from collections import Counter
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..formats.files import replaced_folder, write_atomically
from ..formats.paths import path_of
from ..measures.stats import ratio
from ..measures.trees.syntax import bracket_overlap, brackets, labelled_edges
from ..measures.trees.tree_edit import forests, pair_distances
from .agreement_pages import INDEX, NAMES, agreement_index, page_name, pair_tables
from .diff_pages import MOST
from .drawing import LONGEST_SENTENCE, MOST_NODES, ArcRenderer, nested_list, room_of
from .html import page

ROWS = 1000  # rows, and tokens of a list, that are shown of a sentence
CONFUSED = 40  # pairs of relations, those most often confused
SCORES = {"dependency": "LAS", "constituency": "Jaccard"}
DRAWN = (
    "Drawn above each other: the tree of {} and that of {}. Arcs lead from heads to dependents; a "
    "token whose head or relation differs is underlined, its arc dashed. A root has no arc: its "
    "relation stands beneath it."
)
LISTED = (
    "Side by side: the tree of {} and that of {}. A bracket, which is a label over a stretch of "
    "leaves, is underlined if only one of both trees has it."
)
HOW_TO_READ = {"dependency": DRAWN, "constituency": LISTED}


def sentences_view(kind, sentences, *, names, notes=(), confused=None):
    """What the templates say of sentences.

    Parameters
    ----------
    kind : "dependency" or "constituency"
    sentences : sequence of dict
        As `integrations.tree_pages.sentence_of` makes them, most different first; their `trees`
        are safe markup.
    names : (str, str)
        Whose trees they are.
    notes : sequence of str
    confused : mapping of (str, str) to int, optional
        How often relations of a token differ in which way.
    """
    dependency = kind == "dependency"
    used = {label for sentence in sentences for row in sentence["rows"] for label in labels_of(row)}
    labels = {label: number for number, label in enumerate(sorted(used))}
    differences = ("head", "relation", "head and relation") if dependency else names
    score = SCORES[kind]
    return {
        "kind": kind,
        "names": names,
        "notes": list(notes),
        "confused": sorted((confused or {}).items(), key=lambda row: (-row[1], row[0]))[:CONFUSED],
        "sentences": [shown(sentence, kind, names, labels) for sentence in sentences],
        "how_to_read": HOW_TO_READ[kind].format(*names),
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


def labels_of(row):
    """The labels of a row."""
    return [side["label"] for side in row["sides"]] if "sides" in row else [row["label"]]


def shown(sentence, kind, names, labels):
    """A sentence as the templates show it, with what its rows are filtered by."""
    rows = [
        row | {"used": " ".join(str(labels[label]) for label in dict.fromkeys(labels_of(row)))}
        for row in sentence["rows"][:ROWS]
    ]
    lists = [
        {
            "title": f"{title.format(*names)}: {len(tokens)}",
            "tokens": tokens[:ROWS],
            "n_more": len(tokens[ROWS:]),
        }
        for title, tokens in sentence["lists"]
    ]
    return sentence | {
        "rows": rows,
        "n_more_rows": len(sentence["rows"][ROWS:]),
        "lists": lists,
        "said": said(sentence, kind, names),
    }


def said(sentence, kind, names):
    """How many tokens or brackets differ, in words."""
    n, size = len(sentence["rows"]), sentence["size"]
    if size is None:
        return f"{sentence['sizes'][0]} tokens and {sentence['sizes'][1]} tokens"
    if kind == "dependency":
        return f"{n} of {size} tokens {'differs' if n == 1 else 'differ'}"
    return f"{n} of {size} brackets only in one"


def tree_index(result, pairs, shown, view=None):
    """The index of an agreement of trees as one HTML page; with the sentences of a `view`."""
    counts = next((list(row["counts"]) for row in pairs if row["counts"]), [])
    return agreement_index(
        result, pairs, shown, counts=counts, template="tree_index.html", view=view
    )


def tree_pair_page(view, *, row, title, back, around, tables):
    """Sentences of two annotators as one HTML page.

    Parameters
    ----------
    view : dict
        As `sentences_view` makes it.
    row : dict or None
        What the index says of the pair; None on further pages.
    title : str
    back : (str, str)
        Address and words of a link to the index.
    around : (str or None, str or None)
        Addresses of the page before and the page behind.
    tables : dict
        As `pair_tables` makes them.
    """
    words = (words for words, _ in view["differences"])
    values = {"row": row, "counts": list(zip(words, row["counts"].values())) if row else []}
    values |= {"view": view, "title": title, "back": back, "around": around}
    return page("tree_pair.html", **values, **tables)


DIFFERENCES = {
    "dependency": ("head", "relation", "head and relation"),
    "constituency": ("only the first", "only the second"),
}


class Tree(NamedTuple):
    """One annotator's tree of a sentence.

    Parents are places among the nodes, -1 for none; `words` are those of tokens, or of leaves if
    they are known. Brackets are (label, first leaf, end) of each node of a constituency tree.
    """

    words: tuple | None
    parents: list
    labels: list
    brackets: list = ()


def differences(kind, first, second):
    """Where two trees differ.

    Parameters
    ----------
    kind : "dependency" or "constituency"
    first, second : Tree

    Returns
    -------
    dict
        `rows`: the tokens whose head or relation differs, or the brackets that only one has.
        `marks`: for each tree, {place of a node: what differs}. `counts` of `DIFFERENCES`. `lists`:
        (what they are, tokens) that are not among the rows. `size`: how many tokens or different
        brackets there are, None if the trees have different numbers of tokens.
    """
    return (of_tokens if kind == "dependency" else of_brackets)(first, second)


def of_tokens(first, second):
    """The `differences` of dependency trees."""
    sides = [[arc(tree, place) for place in range(len(tree.parents))] for tree in (first, second)]
    names = DIFFERENCES["dependency"]
    counts = dict.fromkeys(names, 0)
    if len(first.parents) != len(second.parents):
        lists = [
            (f"Tokens of {{{number}}}", [token(tree, i, one) for i, one in enumerate(arcs)])
            for number, (tree, arcs) in enumerate(zip((first, second), sides))
        ]
        return found([], [{}, {}], counts, lists, None)
    rows, alike = [], []
    for place, both in enumerate(zip(*sides)):
        one, two = both
        said = names[:2] if one["head"] != two["head"] else names[1:2]
        if one["label"] == two["label"]:
            said = said[: one["head"] != two["head"]]
        if not said:
            alike.append(token(first, place, one))
            continue
        difference = " and ".join(said)
        counts[difference] += 1
        words = dict.fromkeys(tree.words[place] for tree in (first, second))
        row = {"place": place + 1, "word": " / ".join(words), "difference": difference}
        rows.append(row | {"sides": list(both)})
    marks = {row["place"] - 1: row["difference"] for row in rows}
    lists = [("Tokens that are alike", alike)]
    return found(rows, [marks, marks], counts, lists, len(sides[0]))


def found(rows, marks, counts, lists, size):
    """What `differences` returns."""
    return {"rows": rows, "marks": marks, "counts": counts, "lists": lists, "size": size}


def arc(tree, place):
    """The head of a token (0 and None for the root) and the relation to it."""
    head = tree.parents[place]
    word = None if head < 0 else tree.words[head]
    return {"head": head + 1, "word": word, "label": tree.labels[place]}


def token(tree, place, one):
    """A token of a list."""
    return {"place": place + 1, "word": tree.words[place], "arc": one}


def of_brackets(first, second):
    """The `differences` of constituency trees: as sets of labels over stretches of leaves."""
    sides = [tree.brackets for tree in (first, second)]
    names, rows, marks = DIFFERENCES["constituency"], [], []
    for side, (tree, own, other) in enumerate(zip((first, second), sides, sides[::-1])):
        lacking = set(own) - set(other)
        marks.append({i: names[side] for i, bracket in enumerate(own) if bracket in lacking})
        rows += [bracket_row(tree, side, *bracket) for bracket in lacking]
    rows.sort(key=lambda row: (row["first"], -row["last"], row["label"], row["side"]))
    counts = {name: sum(row["side"] == i for row in rows) for i, name in enumerate(names)}
    return found(rows, marks, counts, [], len(set().union(*sides)))


def bracket_row(tree, side, label, start, end):
    """A bracket that only one tree has; leaves are counted from 1."""
    words = None if tree.words is None else " ".join(tree.words[start:end])
    difference = DIFFERENCES["constituency"][side]
    row = {"label": label, "first": start + 1, "last": end, "words": words}
    return row | {"difference": difference, "side": side}


NO_SHARED = "no sentence that both saw"
UNEVEN = "The numbers of tokens differ, so that tokens are not compared one by one."
KEY = "tree-{}-{}"  # ids of drawings: place of the sentence, and of the annotator


def write_tree_agreement(agreement, path, *, sentences=None, n_docs=MOST, progress=None):
    """Write an agreement of trees as a folder of pages, or as one self-contained page.

    Parameters
    ----------
    agreement : Agreement
        As `agree_trees` and `agree_tree_files` return it.
    path : str or Path
        A folder: `index.html` with matrices of annotators, and for each pair of them pages of the
        sentences that differ, with both trees. It takes the place of a folder of such pages. If it
        ends in .html: the index alone; of two annotators with up to 200 sentences.
    sentences : mapping of str to sequence of (Sentence or None), optional
        The words of each annotator's sentences, as `read_tree_panel` returns them; by default
        those of the agreement. Without words, tokens are called by their numbers.
    n_docs : int
        How many sentences of a pair are shown, those with the largest distance first; 0: all that
        differ. A page has 200 at most.
    progress : callable, optional
        progress(steps, total, what) wraps the pairs; for progress bars.

    Raises
    ------
    FormatError
        If a file cannot be written, or the folder holds files that are not ours. Then nothing is
        changed.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from spacy_chance_eval import Trees, agree_trees
    >>> alice = Trees.from_heads([[2, 0, 2], [0]], [["SUBJ", "PRED", "OBJ"], ["PRED"]])
    >>> bob = Trees.from_heads([[2, 0, 1], [0]], [["SUBJ", "PRED", "OBJ"], ["PRED"]])
    >>> found = agree_trees({"alice": alice, "bob": bob})
    >>> with TemporaryDirectory() as folder:
    ...     write_tree_agreement(found, folder)
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['index.html', 'pair-001-002.html']
    """
    path, panel, result = path_of(path), agreement.panel, agreement.to_dict()
    sentences = sentences or agreement.corpus or {}
    numbers = panel.pairs()
    if path.suffix.lower() == ".html":
        write_atomically(path, one_page(result, panel, sentences, n_docs))
        return
    wanted = {row["place"] for metric in result["metrics"] for row in metric["documents"]}
    watch = progress or (lambda steps, total=None, what="": steps)
    with replaced_folder(path, NAMES) as folder:
        rows, shown = [], {}
        for pair in watch(numbers, len(numbers), "Pages of pairs"):
            found = Pair(panel, pair, sentences)
            rows.append(found.row)
            for name, places, page in pair_pages(result, found, n_docs):
                write_atomically(folder / name, page)
                for place in wanted.intersection(places):
                    best = found.distances[place], f"{name}#sentence-{place + 1}", found.names
                    shown[place] = max(shown.get(place, best), best, key=lambda one: one[0])
        drawn = {place: best[1:] for place, best in shown.items()}
        write_atomically(folder / INDEX, tree_index(result, rows, drawn))


def one_page(result, panel, sentences, n_docs):
    """The index alone; of two annotators with their sentences, if there are such."""
    numbers = panel.pairs()
    if len(numbers) != 1 or not panel.n_shared(*numbers[0]):
        return tree_index(result, (), {})
    found = Pair(panel, numbers[0], sentences)
    places = found.order[: min(MOST, n_docs or MOST)]
    shown = {place: (f"#sentence-{place + 1}", found.names) for place in places}
    view = view_of(found, places, notes_of(found, len(places)), overview=True)
    return tree_index(result, (), shown, view)


class Pair:
    """Two annotators: how far apart their trees are, sentence by sentence.

    `distances` of the sentences that both saw, by place; `order`: those whose trees differ, the
    largest distance first.
    """

    def __init__(self, panel, numbers, sentences):
        self.numbers, self.kind = numbers, panel.kind
        self.names = tuple(panel.names[number] for number in numbers)
        self.sides = tuple(panel.sides[number] for number in numbers)
        self.sentences = [sentences.get(name) for name in self.names]
        self.places = np.flatnonzero(self.sides[0].seen & self.sides[1].seen)
        found, trees = forests(self.sides)
        measured = pair_distances(found, np.stack(trees, axis=1)[self.places])
        self.distances = dict(zip(self.places.tolist(), measured.tolist()))
        self.scores = scores(self.kind, *self.sides)
        self.brackets = [
            brackets(trees).tolist() if self.kind == "constituency" else () for trees in self.sides
        ]
        self.order = sorted(filter(self.differ, self.distances), key=self.rank)

    def differ(self, place):
        """Whether any head, label or number of nodes is different."""
        one, two = self.trees(place)
        return (one.parents, one.labels) != (two.parents, two.labels)

    def rank(self, place):
        """What sentences are sorted by."""
        return -self.distances[place], place

    def trees(self, place):
        """The trees of both."""
        return [self.tree(side, place) for side in (0, 1)]

    def words(self, side, place):
        """The words of a sentence; None if they are not known."""
        known = self.sentences[side]
        return known[place].words if known and known[place] else None

    def tree(self, side, place):
        """The tree of a sentence, with its words; numbers for tokens whose words are not known."""
        trees, words = self.sides[side], self.words(side, place)
        nodes = slice(*trees.starts[place : place + 2].tolist())
        if words is None and self.kind == "dependency":
            words = [str(number) for number in range(1, nodes.stop - nodes.start + 1)]
        labels = [trees.labels[number] for number in trees.label[nodes].tolist()]
        rows = self.brackets[side][nodes]
        return Tree(
            words,
            trees.parents[nodes].tolist(),
            labels,
            [(label, row[1] - rows[0][1], row[2] - rows[0][1]) for label, row in zip(labels, rows)],
        )

    @cached_property
    def tallies(self):
        """How often trees differ in what, and relations of the same tokens that differ."""
        counts, confused = Counter(), Counter()
        for place in self.order:
            found = differences(self.kind, *self.trees(place))
            counts.update(found["counts"])
            labels = (tuple(s["label"] for s in row.get("sides", ())) for row in found["rows"])
            confused.update(pair for pair in labels if len(set(pair)) == 2)
        return counts, confused

    @cached_property
    def row(self):
        """What the index says of the pair."""
        names = DIFFERENCES[self.kind]
        row = {"first": self.names[0], "second": self.names[1], "n_docs": len(self.places)}
        if not row["n_docs"]:
            nothing = {"counts": dict.fromkeys(names), "page": None, "reason": NO_SHARED}
            return row | {"n_differing": None} | nothing
        counts = {name: self.tallies[0][name] for name in names}
        row |= {"n_differing": len(self.order), "counts": counts}
        return row | {"page": page_name(self.numbers, 1), "reason": None}


def scores(kind, first, second):
    """LAS, or the Jaccard index of brackets, by sentence; nan where it is undefined."""
    if kind == "constituency":
        found = bracket_overlap(first, second)
        return ratio(found.score, found.weight)[:, 0]
    found = labelled_edges(first, second)
    return ratio(found.recalled.sum(axis=1), found.gold.sum(axis=1))


def pair_pages(result, pair, n_docs):
    """The pages of a pair as they are made: file name, places of the sentences, HTML."""
    if not len(pair.places):
        return
    order = pair.order[:n_docs] if n_docs else pair.order
    starts = range(0, max(1, len(order)), MOST)
    files = [page_name(pair.numbers, number) for number, _ in enumerate(starts, 1)]
    tables = pair_tables(result, pair.names)
    title = " and ".join(pair.names)
    for number, (start, name) in enumerate(zip(starts, files)):
        places = order[start : start + MOST]
        notes = [] if number else notes_of(pair, len(order))
        page = tree_pair_page(
            view_of(pair, places, notes, overview=not number),
            row=None if number else pair.row,
            title=title if len(files) == 1 else f"{title}, page {number + 1} of {len(files)}",
            back=(INDEX, "All annotators"),
            around=(files[number - 1] if number else None, (files[number + 1 :] or [None])[0]),
            tables=tables,
        )
        yield name, places, page


def view_of(pair, places, notes, overview=False):
    """What templates say of some sentences of a pair; with an overview, of all of them."""
    renderer = ArcRenderer()
    shown = [sentence_of(pair, place, renderer) for place in places]
    confused = pair.tallies[1] if overview else {}
    return sentences_view(pair.kind, shown, names=pair.names, notes=notes, confused=confused)


def sentence_of(pair, place, renderer):
    """A sentence with what differs, and its trees drawn."""
    trees, score = pair.trees(place), float(pair.scores[place])
    found = differences(pair.kind, *trees)
    marks = found["marks"]
    if pair.kind == "constituency":
        marks = [dict.fromkeys(own, f"only {name}") for own, name in zip(marks, pair.names)]
    notes, drawn = draw(pair.kind, place, trees, marks, renderer)
    words = pair.words(0, place) or pair.words(1, place)
    return {
        "place": place,
        "name": pair.sides[0].name(place),
        "text": " ".join(words) if words else None,
        "distance": pair.distances[place],
        "score": None if np.isnan(score) else score,
        "sizes": [len(tree.parents) for tree in trees],
        "trees": drawn,
        "notes": notes,
        **{key: found[key] for key in ("rows", "lists", "size")},
    }


def draw(kind, place, trees, marks, renderer):
    """(what is not drawn and why, the drawings of both trees) of a sentence."""
    size = max(len(tree.parents) for tree in trees)
    if kind == "constituency":
        if size > MOST_NODES:
            return [f"Trees of more than {MOST_NODES} nodes are not drawn."], []
        return [], [
            nested_list(tree.parents, tree.labels, tree.words, notes)
            for tree, notes in zip(trees, marks)
        ]
    uneven = len(trees[0].parents) != len(trees[1].parents)
    notes = [UNEVEN] * uneven
    if size > LONGEST_SENTENCE:
        return [*notes, f"Sentences of more than {LONGEST_SENTENCE} tokens are not drawn."], []
    rooms = [room_of([tree]) for tree in trees] if uneven else [room_of(trees)] * 2
    return notes, [
        renderer.draw(KEY.format(place + 1, side), *drawing)
        for side, drawing in enumerate(zip(trees, marks, rooms), 1)
    ]


def notes_of(pair, n_shown):
    """Which sentences of a pair are not on its pages, in words."""
    notes = []
    if n_shown < len(pair.order):
        notes.append(
            f"Shown: {n_shown} of {len(pair.order)} sentences with differences, those with the "
            "largest distance (--html-docs 0 shows all, in a folder)."
        )
    alike = len(pair.places) - len(pair.order)
    if alike:
        notes.append(f"Sentences without a difference, which are not shown: {alike}.")
    return notes
