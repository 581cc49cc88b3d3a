"""Trees drawn: arcs where heads are, lists where nodes are, marks on what differs."""

import random
from html.parser import HTMLParser

from helpers.cases import each_case
from spacy_chance_eval.reports.drawing import (
    DEEPEST,
    GAP,
    NARROWEST,
    ArcRenderer,
    Tree,
    lay_out_words,
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


def drawn(tree, marked=()):
    return Read(ArcRenderer().draw("t", tree, marked, lay_out_words([tree])))


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
    found = drawn(PLAIN, {2})
    assert [one[2] for one in found.all("text", "differs")] == [[]]
    assert ["differs" in one[1]["class"] for one in found.all("g")] == [False, True, False]


def test_loops_and_cycles_are_drawn_as_far_as_they_can_be():
    tree = Tree(("a", "b", "c"), [0, 2, 1], ["X", "Y", "Z"])
    found = drawn(tree, {0, 1, 2})
    assert [label for label, *_ in arcs_of(found)] == ["Y", "Z"]
    assert [texts for _, _, texts in found.all("tspan", "root")] == [["itself: X"]]


def test_words_of_all_lengths_have_room_and_so_have_labels():
    words = ("i", "disestablishment", "\u6f22\u5b57\u6f22\u5b57", "w" * 90, "")
    tree = Tree(words, [1, -1, 1, 1, 3], ["X", "PRED", "Y", "Z", "a-very-long-relation"])
    middles, total = lay_out_words([tree])
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
    (one, two), total = lay_out_words([tree])
    longest = 22 * BOLD[letter], 21 * BOLD[letter] + BOLD["\u2026"]
    assert two - one > sum(longest) / 2 + 4
    assert total - two > longest[1] / 2


def test_trees_below_each_other_have_words_at_the_same_places():
    other = PLAIN._replace(labels=["SUBJ", "PRED", "a-longer-relation", "OBJ"])
    room, renderer = lay_out_words([PLAIN, other]), ArcRenderer()
    one, two = (Read(renderer.draw("t", tree, (), room)) for tree in (PLAIN, other))
    assert words_of(one) == words_of(two)


def test_short_words_do_not_take_more_room_than_they_need():
    tree = Tree(("a",) * 10, [-1] + [0] * 9, ["R"] + ["x"] * 9)
    assert lay_out_words([tree])[1] <= 10 * (NARROWEST + GAP) + 40


def test_words_written_from_the_right_start_there_and_arrows_still_meet_dependents():
    tree = PLAIN._replace(words=("\u05d0", "\u05d1", "\u05d2", "\u05d3"))
    found = drawn(tree)
    places = [x for _, x in words_of(found)]
    assert places == sorted(places, reverse=True)
    for (*_, head, _), place in zip(arcs_of(found), (0, 2, 3)):
        assert abs(head - places[place]) <= 3
    assert found.all("svg")[0][1]["direction"] == "rtl"


def test_the_drawing_can_be_made_smaller_and_has_the_colours_of_the_page():
    (_, attributes, _) = drawn(PLAIN).all("svg")[0]
    assert attributes["viewbox"].split()[:2] == ["0", "0"]
    assert "color: inherit; background: none" in attributes["style"]


@each_case("text", HOSTILE)
def test_words_and_labels_stay_text(text):
    tree = Tree((text, "b"), [1, -1], [text, text])
    found = drawn(tree, {0})
    assert {tag for tag, *_ in found.elements} == SVG
    assert not [name for _, a, _ in found.elements for name in a if name.startswith("on")]
    assert words_of(found)[0][0].rstrip("\u2026") in text
    listed = Read(nested_list([-1, 0], [text, text], [text], {0: text}))
    assert {tag for tag, *_ in listed.elements} == {"ul", "li", "b", "small"}
    assert [texts for _, _, texts in listed.all("b")] == [[text], [text]]


def test_signs_that_turn_the_text_round_are_spelled_out():
    assert "\u202e" not in str(nested_list([-1], ["\u202e"], ["\u202e"]))
    tree = Tree(("\u202e",), [-1], ["\u202e"])
    assert "\\u202e" in str(ArcRenderer().draw("t", tree, (), lay_out_words([tree])))


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
