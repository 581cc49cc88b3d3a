"""Trees drawn: arcs where heads are, lists where nodes are, marks on what differs."""

import random
from html.parser import HTMLParser

from helpers.cases import each_case
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
PLAIN = Tree(("Ada", "met", "her", "friend"), [1, -1, 3, 1], ["SUBJ", "PRED", "DET", "OBJ"])
SVG = {"svg", "g", "path", "text", "tspan"}


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


def drawn(tree, steps=None):
    draw = draw_brackets if tree.brackets else draw_arcs
    return Read(draw(tree, steps or {}, *lay_out([tree])))


def words_of(found):
    """Words with where they are."""
    lines = [one for one in found.all("tspan") if "class" not in one[1]]
    return [("".join(texts), float(attributes["x"])) for _, attributes, texts in lines]


def arcs_of(found):
    """(label, x of its begin, x of its end, x of its head, height) of each arc, in order."""
    paths = [one[1]["d"] for one in found.all("path")]
    labels = ["".join(t) for tag, a, t in found.elements if tag == "text" and "class" not in a]
    rows = []
    for label, path, head in zip(labels, paths[::2], paths[1::2]):
        begin, curve, _, end = (float(part.lstrip("MC").split(",")[0]) for part in path.split())
        assert begin == curve <= end
        y = float(path.split()[0].split(",")[1]) - float(path.split()[1].split(",")[1])
        rows.append((label, begin, end, float(head[1:].split(",")[0]), y))
    return rows


def test_there_is_an_arc_from_each_head_to_its_dependent_with_the_relation():
    found = drawn(PLAIN)
    words = dict(words_of(found))
    assert list(words) == ["Ada", "met", "her", "friend"]
    arcs = arcs_of(found)
    assert [label for label, *_ in arcs] == ["SUBJ", "DET", "OBJ"]
    for (_, begin, end, head, _), (left, right, points) in zip(
        arcs,
        [("Ada", "met", "Ada"), ("her", "friend", "her"), ("met", "friend", "friend")],
    ):
        assert abs(begin - words[left]) <= 10 and abs(end - words[right]) <= 10
        assert abs(head - words[points]) <= 3, "the arrow ends at the dependent"


def test_a_root_has_its_relation_below_and_there_may_be_several():
    tree = Tree(("a", "b"), [-1, -1], ["PRED", "PUNCT"])
    below = [texts for _, _, texts in drawn(tree).all("tspan", "root")]
    assert below == [["root: PRED"], ["root: PUNCT"]] and not arcs_of(drawn(tree))


def test_a_longer_arc_is_higher():
    heights = {label: height for label, *_, height in arcs_of(drawn(PLAIN))}
    assert heights["SUBJ"] == heights["DET"] < heights["OBJ"]


def test_only_tokens_that_differ_are_marked_with_their_arcs():
    found = drawn(PLAIN, {2: 0})
    assert [one[2] for one in found.all("text", "differs")] == [[]]
    assert ["differs" in one[1]["class"] for one in found.all("g")] == [False, True, False]


def test_loops_and_cycles_are_drawn_as_far_as_they_can_be():
    tree = Tree(("a", "b", "c"), [0, 2, 1], ["X", "Y", "Z"])
    found = drawn(tree, {0: 0, 1: 1, 2: 2})
    assert [label for label, *_ in arcs_of(found)] == ["Y", "Z"]
    assert [texts for _, _, texts in found.all("tspan", "root")] == [["itself: X"]]


def test_words_of_all_lengths_have_room_and_so_have_labels():
    words = ("i", "disestablishment", "\u6f22\u5b57\u6f22\u5b57", "w" * 90, "")
    tree = Tree(words, [1, -1, 1, 1, 3], ["X", "PRED", "Y", "Z", "a-very-long-relation"])
    ((middles, total),) = lay_out([tree])
    widths = [7 * min(len(word), 22) * (2 if "\u6f22" in word else 1) for word in words]
    for i in range(4):
        assert middles[i] + (widths[i] + widths[i + 1]) / 2 < middles[i + 1]
    assert middles[4] - middles[3] > 7 * len("a-very-long-relation")
    assert 0 < middles[0] and middles[-1] < total
    shown = [word for word, _ in words_of(drawn(tree))]
    assert shown == ["i", words[1], words[2], "w" * 21 + "\u2026", "\u2423"]


# px of letters in DejaVu Sans Bold of 14 px, which is wider than most
BOLD = {"a": 9.45, "n": 9.97, "W": 15.44, "O": 11.9, "<": 11.73, "\u2026": 14, "r": 6.9, "I": 5.2}


@each_case("letter", BOLD)
def test_long_words_leave_a_gap_where_they_are_cut(letter):
    tree = Tree((letter * 22, letter * 200), [1, -1], ["X", "PRED"])
    (((one, two), total),) = lay_out([tree])
    longest = 22 * BOLD[letter], 21 * BOLD[letter] + BOLD["\u2026"]
    assert two - one > sum(longest) / 2 + 4
    assert total - two > longest[1] / 2


def test_trees_below_each_other_have_words_at_the_same_places():
    other = PLAIN._replace(labels=["SUBJ", "PRED", "a-longer-relation", "OBJ"])
    layouts = lay_out([PLAIN, other])
    one, two = (Read(draw_arcs(tree, {}, own)) for tree, own in zip((PLAIN, other), layouts))
    assert words_of(one) == words_of(two)


def test_short_words_do_not_take_more_room_than_they_need():
    tree = Tree(("a",) * 10, [-1] + [0] * 9, ["R"] + ["x"] * 9)
    assert lay_out([tree])[0].width <= 10 * (NARROWEST + GAP) + 40


def test_words_written_from_the_right_start_there_and_arrows_still_meet_dependents():
    tree = PLAIN._replace(words=("\u05d0", "\u05d1", "\u05d2", "\u05d3"))
    found = drawn(tree)
    places = [x for _, x in words_of(found)]
    assert places == sorted(places, reverse=True)
    for (*_, head, _), place in zip(arcs_of(found), (0, 2, 3)):
        assert abs(head - places[place]) <= 3
    assert found.all("svg")[0][1]["direction"] == "rtl"


def test_the_drawing_can_be_made_smaller():
    (_, attributes, _) = drawn(PLAIN).all("svg")[0]
    assert attributes["viewbox"].split()[2:] == [attributes["width"], attributes["height"]]


@each_case("text", HOSTILE)
def test_words_and_labels_stay_text(text):
    tree = Tree((text, "b"), [1, -1], [text, text])
    found = drawn(tree, {0: 0})
    assert {tag for tag, *_ in found.elements} == SVG
    assert not [name for _, a, _ in found.elements for name in a if name.startswith("on")]
    assert words_of(found)[0][0].rstrip("\u2026") in text
    listed = Read(nested_list([-1, 0], [text, text], [text], {0: text}))
    assert {tag for tag, *_ in listed.elements} == {"ul", "li", "b", "small"}
    assert [texts for _, _, texts in listed.all("b")] == [[text], [text]]


def test_signs_that_turn_the_text_round_are_spelled_out():
    assert "\u202e" not in str(nested_list([-1], ["\u202e"], ["\u202e"]))
    tree = Tree(("\u202e",), [-1], ["\u202e"])
    assert "\\u202e" in str(draw_arcs(tree, {}, *lay_out([tree])))


# (S (NP P) (VP V (NP N))) over three words
SENTENCE = Tree(
    ("she", "saw", "stars"),
    [-1, 0, 1, 0, 3, 3, 5],
    ["S", "NP", "P", "VP", "V", "NP", "N"],
    [("S", 0, 3), ("NP", 0, 1), ("P", 0, 1), ("VP", 1, 3)]
    + [("V", 1, 2), ("NP", 2, 3), ("N", 2, 3)],
)


def nodes_of(found):
    """(label, x, y) of each node of a constituency tree, in order."""
    return [
        ("".join(texts), float(attributes["x"]), float(attributes["y"]))
        for _, attributes, texts in found.all("text", "node")
    ]


def lines_of(found):
    """(x of the parent, x of the child, y where it begins, y where it ends) of each line."""
    paths = [one[1]["d"].replace("V", "").replace("H", "") for one in found.all("path", "line")]
    rows = []
    for path in paths:
        start, _, end, above = path.split()
        x, below = map(float, start.lstrip("M").split(","))
        rows.append((x, float(end), below, float(above)))
    return rows


def test_words_stand_below_their_leaves_in_one_row():
    found = drawn(SENTENCE)
    nodes = {label: (x, y) for label, x, y in nodes_of(found)}
    words = found.all("text", "word")
    assert [float(one[1]["x"]) for one in words] == [nodes[leaf][0] for leaf in "PVN"]
    (y,) = {float(one[1]["y"]) for one in words}
    assert {nodes[leaf][1] for leaf in "PVN"} == {max(y for _, y in nodes.values())} and y > 0


def test_a_line_leads_from_each_node_to_its_parent_above():
    found = drawn(SENTENCE)
    nodes, lines = nodes_of(found), lines_of(found)
    pairs = [(parent, node) for node, parent in enumerate(SENTENCE.parents) if parent >= 0]
    assert len(lines) == len(pairs) == 6
    for (parent, node), (begin, end, below, above) in zip(pairs, lines):
        assert (begin, end) == (nodes[parent][1], nodes[node][1])
        assert nodes[parent][2] < below < above < nodes[node][2]


def test_a_node_that_differs_is_marked_with_its_line_and_its_number():
    found = drawn(SENTENCE, {5: 3})
    assert [one[1]["data-step"] for one in found.all("text", "differs")] == ["3"]
    lines = ["differs" in one[1]["class"] for one in found.all("path", "line")]
    assert [i for i, differs in enumerate(lines) if differs] == [4]


@each_case("seed", range(20))
def test_labels_of_one_height_stand_beside_each_other(seed):
    tree = random_brackets(random.Random(seed))
    rows = {}
    for label, x, y in nodes_of(drawn(tree)):
        rows.setdefault(y, []).append((x, 6 * len(label)))
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


def test_constituents_written_from_the_right_start_there():
    tree = SENTENCE._replace(words=("\u05d0", "\u05d1", "\u05d2"))
    places = [float(one[1]["x"]) for one in drawn(tree).all("text", "word")]
    assert places == sorted(places, reverse=True)


def test_trees_of_other_tokens_have_the_same_characters_at_the_same_places():
    one = Tree(("in", "New", "York", "now"), [3, 2, 3, -1], list("abcd"))
    two = Tree(("in", "NewYork", "no", "w"), [3, 0, 3, -1], list("abcd"))
    first, second = lay_out([one, two])
    assert first.middles[0] == second.middles[0]
    assert first.middles[1] < second.middles[1] < first.middles[2]
    assert first.middles[2] < second.middles[2] < second.middles[3]
    assert first.width == second.width


def test_trees_of_other_texts_begin_together():
    one = Tree(("a", "b"), [1, -1], ["x", "y"])
    two = Tree(("c", "d", "e"), [1, -1, 1], ["x", "y", "z"])
    (first, width), (second, other) = lay_out([one, two])
    assert first == second[:2] and len(second) == 3 and width == other > second[2]


def test_drawings_do_not_depend_on_the_run():
    """Arcs of one length get their levels in the order of their words."""
    tree = Tree(tuple("abcd"), [2, 3, -1, 2], list("wxyz"))
    heights = {label: height for label, *_, height in arcs_of(drawn(tree))}
    assert heights["w"] < heights["x"]


def nesting(markup):
    """(depth, label, text behind it) of each node of nested lists, in order."""
    depth, rows = 0, []
    reader = HTMLParser()

    def start(tag, attributes):
        nonlocal depth
        depth += tag == "ul"
        if tag == "li":
            rows.append([depth, ""])

    def end(tag):
        nonlocal depth
        depth -= tag == "ul"

    reader.handle_starttag, reader.handle_endtag = start, end
    reader.handle_data = lambda data: rows[-1].__setitem__(1, rows[-1][1] + data)
    reader.feed(str(markup))
    reader.close()
    return [tuple(row) for row in rows]


def test_nested_lists_have_the_shape_of_the_tree_and_words_at_leaves():
    labels = ["S", "NP", "P", "VP", "V", "NP", "N"]
    found = nested_list([-1, 0, 1, 0, 3, 3, 5], labels, ["she", "saw", "stars"])
    assert nesting(found) == [
        (1, "S"), (2, "NP"), (3, "P she"), (2, "VP"), (3, "V saw"), (3, "NP"), (4, "N stars"),
    ]  # fmt: skip


def test_a_bracket_that_only_one_has_is_marked_and_says_so():
    found = Read(nested_list([-1, 0], ["S", "V"], None, {1: "only the first"}))
    assert [one[2] for one in found.all("b", "differs")] == [["V"]]
    assert [texts for _, _, texts in found.all("small")] == [["only the first"]]


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
