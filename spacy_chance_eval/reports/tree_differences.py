"""The differences between two trees of a sentence, as values for pages."""

from __future__ import annotations

from .tree_drawing import Tree, same_text
from .words import Result, TableRow

DIFFERENCES = {
    "dependency": ("head", "relation", "head and relation"),
    "constituency": ("only the first", "only the second"),
}


def tree_differences(kind: str, first: Tree, second: Tree) -> TableRow:
    """The differences between two trees of a sentence.

    Parameters
    ----------
    kind : "dependency" or "constituency"

    Returns
    -------
    dict
        `rows`: the tokens whose head or relation differs, or the brackets that only one has.
        `steps`: for each tree, {index of a node: index of its row}. `counts` of `DIFFERENCES`.
        `lists`: (caption, tokens) for the tokens that are not in the rows. `size`: the number of
        tokens or of distinct brackets, None if the trees have different tokens.
    """
    compare = _token_differences if kind == "dependency" else _bracket_differences
    return compare(first, second)


def _token_differences(first: Tree, second: Tree) -> TableRow:
    """The differences between two dependency trees, token by token."""
    sides = [[_arc(tree, i) for i in range(len(tree.parents))] for tree in (first, second)]
    head, relation, both = DIFFERENCES["dependency"]
    counts = dict.fromkeys((head, relation, both), 0)
    if uneven(first, second):
        lists = [
            (f"Tokens of {{{number}}}", [_token(tree, i, arc) for i, arc in enumerate(arcs)])
            for number, (tree, arcs) in enumerate(zip((first, second), sides))
        ]
        return {"rows": [], "steps": [{}, {}], "counts": counts, "lists": lists, "size": None}
    rows: list[TableRow] = []
    alike, steps = [], {}
    for i, (one, two) in enumerate(zip(*sides)):
        same_head, same_label = one["head"] == two["head"], one["label"] == two["label"]
        if same_head and same_label:
            alike.append(_token(first, i, one))
            continue
        difference = relation if same_head else head if same_label else both
        counts[difference] += 1
        steps[i] = len(rows)
        words = dict.fromkeys(_word(tree, i) for tree in (first, second))
        row = {"place": i + 1, "word": " / ".join(words), "difference": difference}
        rows.append(row | {"sides": [one, two]})
    lists = [("Tokens that are alike", alike)]
    size = len(first.parents)
    return {"rows": rows, "steps": [steps, steps], "counts": counts, "lists": lists, "size": size}


def uneven(first: Tree, second: Tree) -> bool:
    """Whether two dependency trees have different tokens, in number or in extent."""
    if len(first.parents) != len(second.parents):
        return True
    words = [list(tree.words or ()) for tree in (first, second)]
    return words[0] != words[1] and same_text(words)


def _word(tree: Tree, token: int) -> str:
    return tree.words[token] if tree.words else ""


def _arc(tree: Tree, token: int) -> TableRow:
    """The head of a token and its relation to the head; for the root, 0 and None."""
    head = tree.parents[token]
    word = None if head < 0 else _word(tree, head)
    return {"head": head + 1, "word": word, "label": tree.labels[token]}


def _token(tree: Tree, token: int, arc: Result) -> TableRow:
    """A token as a row of a list."""
    return {"place": token + 1, "word": _word(tree, token), "arc": arc}


def _bracket_differences(first: Tree, second: Tree) -> TableRow:
    """The differences between two constituency trees: brackets that only one of them has."""
    sides = [tree.brackets for tree in (first, second)]
    names = DIFFERENCES["constituency"]
    rows: list[TableRow] = []
    for side, (tree, own, other) in enumerate(zip((first, second), sides, sides[::-1])):
        rows += [_bracket_row(tree, side, *bracket) for bracket in set(own) - set(other)]
    rows.sort(key=lambda row: (row["first"], -row["last"], row["label"], row["side"]))
    places: dict[tuple[int, tuple[str, int, int]], int] = {
        (row["side"], (row["label"], row["first"] - 1, row["last"])): i
        for i, row in enumerate(rows)
    }
    steps = [
        {node: places[side, one] for node, one in enumerate(own) if (side, one) in places}
        for side, own in enumerate(sides)
    ]
    counts = {name: sum(row["side"] == i for row in rows) for i, name in enumerate(names)}
    size = len(set().union(*sides))
    return {"rows": rows, "steps": steps, "counts": counts, "lists": [], "size": size}


def _bracket_row(tree: Tree, side: int, label: str, start: int, end: int) -> TableRow:
    """A bracket that only one tree has, with leaves counted from 1."""
    words = None if tree.words is None else " ".join(tree.words[start:end])
    difference = DIFFERENCES["constituency"][side]
    row = {"label": label, "first": start + 1, "last": end, "words": words}
    return row | {"difference": difference, "side": side}


def labels_of_row(row: Result) -> list[str]:
    """The labels of a differing token or bracket."""
    return [side["label"] for side in row["sides"]] if "sides" in row else [row["label"]]
