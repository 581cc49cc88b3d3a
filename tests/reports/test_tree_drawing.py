"""Trees drawn, letter by letter: arcs where heads are, brackets where nodes are; and their laws."""

import re
from html.parser import HTMLParser

from helpers.cases import each_case
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.reports.tree_drawing import Tree, bracketed, column_widths, draw_arcs

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


def drawn(tree, differing=()):
    return draw_arcs(tree, differing, *column_widths([tree]))


def both(*trees):
    """Trees below each other."""
    widths = column_widths(trees)
    return "\n".join(draw_arcs(tree, (), own) for tree, own in zip(trees, widths))


DRAWINGS = {
    "arcs": lambda: drawn(PLAIN),
    "arcs-that-differ": lambda: drawn(PLAIN, {2}),
    "two-roots": lambda: drawn(TWO_ROOTS),
    "loops-and-cycles": lambda: drawn(LOOPS, {0, 1, 2}),
    "long-words": lambda: drawn(LONG),
    "arcs-of-one-length": lambda: drawn(CROSSING),
    "from-the-right": lambda: drawn(PLAIN._replace(words=ALEPH)),
    "below-each-other": lambda: both(PLAIN, OTHER),
    "of-other-tokens": lambda: both(
        Tree(("a", "b"), [1, -1], ["x", "y"]), Tree(("c", "d", "e"), [1, -1, 1], ["x", "y", "z"])
    ),
    "turned-signs": lambda: f"{drawn(TURNED)}\n{bracketed(TURNED)}",
    "brackets": lambda: bracketed(SENTENCE),
    "brackets-that-differ": lambda: bracketed(SENTENCE, {5}),
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
    (widths,) = column_widths([LONG])
    letters = [7 * min(len(word), 22) * (2 if "\u6f22" in word else 1) for word in LONG.words]
    assert all(width > least for width, least in zip(widths, letters))
    assert (widths[3] + widths[4]) / 2 > 7 * len("a-very-long-relation")


@each_case("text", HOSTILE)
def test_words_and_labels_stay_text(text):
    tree = Tree((text, "b"), [1, -1], [text, text])
    found = Read(drawn(tree, {0}))
    assert {tag for tag, *_ in found.elements} == SVG
    assert not [name for _, a, _ in found.elements for name in a if name.startswith("on")]
    assert words_of(found)[0][0].partition("\u2026")[0] in text
    found = Read(f"<pre>{bracketed(Tree([text], [-1, 0], [text, text]), {0})}</pre>")
    assert {tag for tag, *_ in found.elements} == {"pre", "b"}
    assert [texts for _, _, texts in found.all("b")] == [[text], [text]]


# --- brackets


def test_brackets_are_closed_where_they_end():
    text = re.sub("<.*?>", "", bracketed(SENTENCE))
    assert " ".join(text.split()) == "(S (NP (P she)) (VP (V saw) (NP (N stars))))"
