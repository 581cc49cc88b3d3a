"""Trees drawn, letter by letter: arcs where heads are, lists where nodes are; and their laws."""

import random
import re
from html.parser import HTMLParser

from helpers.cases import each_case
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.reports.tree_drawing import (
    DEEPEST,
    GAP,
    NARROWEST,
    Tree,
    draw_arcs,
    draw_brackets,
    lay_out,
    nested_list,
)

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onload='alert(1)",
    "{0} {{ 7*7 }} %s",
    "a & b &lt;",
    "\N{FAMILY} \N{GRINNING FACE}",
)
SVG = {"svg", "g", "path", "text", "tspan"}
PLAIN = Tree(("Ada", "met", "her", "friend"), [1, -1, 3, 1], ["SUBJ", "PRED", "DET", "OBJ"])
OTHER = PLAIN._replace(labels=["SUBJ", "PRED", "a-longer-relation", "OBJ"])
LONG = ("i", "disestablishment", "\u6f22\u5b57\u6f22\u5b57", "w" * 90, "")
LONG = Tree(LONG, [1, -1, 1, 1, 3], ["X", "PRED", "Y", "Z", "a-very-long-relation"])
ALEPH = ("\u05d0", "\u05d1", "\u05d2", "\u05d3")
TWO_ROOTS = Tree(("a", "b"), [-1, -1], ["PRED", "PUNCT"])
# arcs of one length get their levels in the order of their words
CROSSING = Tree(tuple("abcd"), [2, 3, -1, 2], list("wxyz"))
LOOPS = Tree(("a", "b", "c"), [0, 2, 1], ["X", "Y", "Z"])
# (S (NP P) (VP V (NP N))) over three words
SENTENCE = Tree(
    ("she", "saw", "stars"),
    [-1, 0, 1, 0, 3, 3, 5],
    ["S", "NP", "P", "VP", "V", "NP", "N"],
    [("S", 0, 3), ("NP", 0, 1), ("P", 0, 1), ("VP", 1, 3)]
    + [("V", 1, 2), ("NP", 2, 3), ("N", 2, 3)],
)
TURNED = Tree(("\u202e",), [-1], ["\u202e"])


def drawn(tree, steps=None):
    draw = draw_brackets if tree.brackets else draw_arcs
    return draw(tree, steps or {}, *lay_out([tree]))


def both(*trees):
    """Trees below each other."""
    return "\n".join(draw_arcs(tree, {}, own) for tree, own in zip(trees, lay_out(trees)))


def listed(tree, notes=None):
    return nested_list(tree.parents, tree.labels, tree.words, notes)


DRAWINGS = {
    "arcs": lambda: drawn(PLAIN),
    "arcs-that-differ": lambda: drawn(PLAIN, {2: 0}),
    "two-roots": lambda: drawn(TWO_ROOTS),
    "loops-and-cycles": lambda: drawn(LOOPS, {0: 0, 1: 1, 2: 2}),
    "long-words": lambda: drawn(LONG),
    "arcs-of-one-length": lambda: drawn(CROSSING),
    "from-the-right": lambda: drawn(PLAIN._replace(words=ALEPH)),
    "below-each-other": lambda: both(PLAIN, OTHER),
    "of-other-tokens": lambda: both(
        Tree(("in", "New", "York", "now"), [3, 2, 3, -1], list("abcd")),
        Tree(("in", "NewYork", "no", "w"), [3, 0, 3, -1], list("abcd")),
    ),
    "of-other-texts": lambda: both(
        Tree(("a", "b"), [1, -1], ["x", "y"]), Tree(("c", "d", "e"), [1, -1, 1], ["x", "y", "z"])
    ),
    "turned-signs": lambda: f"{drawn(TURNED)}\n{listed(TURNED)}",
    "brackets": lambda: drawn(SENTENCE),
    "brackets-that-differ": lambda: drawn(SENTENCE, {5: 3}),
    "brackets-from-the-right": lambda: drawn(SENTENCE._replace(words=ALEPH[:3])),
    "list": lambda: listed(SENTENCE),
    "list-that-differs": lambda: nested_list([-1, 0], ["S", "V"], None, {1: "only the first"}),
}


@each_case("name", DRAWINGS)
def test_drawings_are_as_they_were(name):
    compare_with_snapshot(f"tree-{name}.svg", re.sub("><(?!/)", ">\n<", DRAWINGS[name]()))


class Read(HTMLParser):
    """The elements of markup: (name, attributes, the texts directly in them), all closed."""

    def __init__(self, markup):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(str(markup))
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes)
        self.elements.append((tag, dict(attributes), []))
        self.open.append(len(self.elements) - 1)

    def handle_endtag(self, tag):
        assert self.elements[self.open.pop()][0] == tag

    def handle_data(self, data):
        self.elements[self.open[-1]][2].append(data)

    def all(self, tag, part=""):
        """The elements of a name whose class has a part."""
        return [one for one in self.elements if one[0] == tag and part in one[1].get("class", "")]


def words_of(found):
    """Words with where they are."""
    lines = [one for one in found.all("tspan") if "class" not in one[1]]
    return [("".join(texts), float(attributes["x"])) for _, attributes, texts in lines]


# --- arcs


@each_case("words", [PLAIN.words, ALEPH])
def test_an_arrow_leads_to_each_dependent(words):
    found = Read(drawn(PLAIN._replace(words=words)))
    places = [x for _, x in words_of(found)]
    assert places == sorted(places, reverse=words == ALEPH)
    heads = [one[1]["d"] for one in found.all("path")][1::2]
    for path, dependent in zip(heads, (0, 2, 3)):
        assert abs(float(path[1:].split(",")[0]) - places[dependent]) <= 3


def test_words_of_all_lengths_have_room_and_so_have_labels():
    ((middles, total),) = lay_out([LONG])
    widths = [7 * min(len(word), 22) * (2 if "\u6f22" in word else 1) for word in LONG.words]
    for i in range(4):
        assert middles[i] + (widths[i] + widths[i + 1]) / 2 < middles[i + 1]
    assert middles[4] - middles[3] > 7 * len("a-very-long-relation")
    assert 0 < middles[0] and middles[-1] < total
    ten = Tree(("a",) * 10, [-1] + [0] * 9, ["R"] + ["x"] * 9)
    assert lay_out([ten])[0].width <= 10 * (NARROWEST + GAP) + 40


# px of letters in DejaVu Sans Bold of 14 px, which is wider than most
BOLD = {"a": 9.45, "n": 9.97, "W": 15.44, "O": 11.9, "<": 11.73, "\u2026": 14, "r": 6.9, "I": 5.2}


@each_case("letter", BOLD)
def test_long_words_leave_a_gap_where_they_are_cut(letter):
    tree = Tree((letter * 22, letter * 200), [1, -1], ["X", "PRED"])
    (((one, two), total),) = lay_out([tree])
    longest = 22 * BOLD[letter], 21 * BOLD[letter] + BOLD["\u2026"]
    assert two - one > sum(longest) / 2 + 4
    assert total - two > longest[1] / 2


@each_case("text", HOSTILE)
def test_words_and_labels_stay_text(text):
    tree = Tree((text, "b"), [1, -1], [text, text])
    found = Read(drawn(tree, {0: 0}))
    assert {tag for tag, *_ in found.elements} == SVG
    assert not [name for _, a, _ in found.elements for name in a if name.startswith("on")]
    assert words_of(found)[0][0].rstrip("\u2026") in text
    found = Read(nested_list([-1, 0], [text, text], [text], {0: text}))
    assert {tag for tag, *_ in found.elements} == {"ul", "li", "b", "small"}
    assert [texts for _, _, texts in found.all("b")] == [[text], [text]]


# --- brackets and lists


@each_case("seed", range(20))
def test_labels_of_one_height_stand_beside_each_other(seed):
    rows = {}
    for _, at, texts in Read(drawn(random_brackets(random.Random(seed)))).all("text", "node"):
        rows.setdefault(at["y"], []).append((float(at["x"]), 6 * len("".join(texts))))
    for row in rows.values():
        row.sort()
        for (x, width), (after, other) in zip(row, row[1:]):
            assert after - x > (width + other) / 2


def random_brackets(rng):
    """A tree of 3 to 12 words with labels of all lengths."""
    rows = []

    def grow(parent, first, end):
        node = len(rows)
        rows.append((parent, "x" * rng.randint(1, 20), first, end))
        if end - first > 1:
            cuts = sorted(
                rng.sample(range(first + 1, end), rng.randint(1, min(3, end - first - 1)))
            )
            for low, high in zip([first, *cuts], [*cuts, end]):
                grow(node, low, high)
        elif rng.random() < 0.5:
            grow(node, first, end)

    size = rng.randint(3, 12)
    grow(-1, 0, size)
    parents, labels = zip(*(row[:2] for row in rows))
    return Tree(["w"] * size, parents, labels, [row[1:] for row in rows])


def nesting(markup):
    """(depth, label and text behind it) of each node of nested lists, in order."""
    depth, rows = 0, []
    for tag, text in re.findall(r"<(/?\w+)[^>]*>([^<]*)", str(markup)):
        depth += {"ul": 1, "/ul": -1}.get(tag, 0)
        rows += [[depth, ""]] * (tag == "li")
        if rows:
            rows[-1] = [rows[-1][0], rows[-1][1] + text]
    return [tuple(row) for row in rows]


@each_case("seed", range(20))
def test_depths_of_random_trees_are_those_of_their_lists(seed):
    rng, parents = random.Random(seed), [-1]
    while len(parents) < 30:  # preorder: below the last node, or one of those above it
        above, chain = len(parents) - 1, []
        while above >= 0:
            chain.append(above)
            above = parents[above]
        parents.append(rng.choice(chain))
    depths = []
    for parent in parents:
        depths.append(1 if parent < 0 else depths[parent] + 1)
    found = nesting(nested_list(parents, [str(i) for i in range(30)]))
    assert found == [(depth, str(i)) for i, depth in enumerate(depths)]


def test_deep_trees_are_flat_beyond_a_level_that_is_said():
    found = nesting(nested_list(list(range(-1, 9_999)), ["X"] * 10_000))
    assert len(found) == 10_000 and max(depth for depth, _ in found) == DEEPEST + 1
    assert found[DEEPEST] == (DEEPEST + 1, "X") and found[-1][1] == "X level 9999"
