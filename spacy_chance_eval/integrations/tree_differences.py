"""Where two trees of a sentence differ, token by token or bracket by bracket, for pages."""

from typing import NamedTuple

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
