"""Text drawn with the spans of each side: where they stand, what is left out, what stays text."""

import re
from html.parser import HTMLParser

import pytest

from helpers.cases import each_case
from helpers.colours import contrast
from spacy_chance_eval import read, sample
from spacy_chance_eval.formats.corpus import Document
from spacy_chance_eval.reports import drawing
from spacy_chance_eval.reports.drawing import (
    MarkedLabel,
    draw_document,
    passage_cuts,
    span_renderer,
)

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img onerror=alert(1)>',
    "' style='x",
    "javascript:alert(1)",
    "{0} {{ 7*7 }} %s",
    "a & b &lt;",
    "\N{FAMILY} \N{GRINNING FACE}",
]


class Drawn(HTMLParser):
    """What is drawn: words with the heads of the spans that begin there, and how many go over."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open.append(tag)
        if tag == "span":
            self.words.append(["", [], 0])
        if tag == "i":
            self.words[-1][2] += 1
        if tag == "b":
            self.words[-1][1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "b" in self.open:
            self.words[-1][1][-1] += data
        elif "bdi" in self.open:
            self.words[-1][0] += data
        else:
            self.words += [[word, [], 0] for word in data.split()]


def one(text_or_words, spans, positions="token", **fields):
    """The words of a document of one side that is a single passage."""
    if positions == "char":
        document = Document((), {}, text=text_or_words, **fields)
    else:
        document = Document(text_or_words, {}, **fields)
    renderer = span_renderer({label for *_, label in spans})
    (passage,) = draw_document(renderer, document, positions, [spans])["passages"]
    return Drawn(passage["sides"][0]).words


def test_spans_of_tokens_have_their_label_at_the_begin_and_a_line_below_each_token():
    words = one(["Ada", "Lovelace", "wrote"], [(0, 2, "PER")])
    assert words == [["Ada", ["PER"], 1], ["Lovelace", [], 1], ["wrote", [], 0]]


def test_nested_and_crossing_spans_are_all_drawn():
    words = one("a b c d".split(), [(0, 3, "X"), (1, 2, "Y"), (2, 4, "Z"), (2, 3, "Y")])
    assert [len(heads) for _, heads, _ in words] == [1, 1, 2, 0]
    assert [lines for *_, lines in words] == [1, 2, 3, 1]


def test_spans_of_characters_cut_the_text_where_they_must():
    words = one("Ada-like  code", [(0, 3, "PER"), (10, 12, "X")], "char")
    assert words == [["Ada", ["PER"], 1], ["-like", [], 0], ["co", ["X"], 1], ["de", [], 0]]


def test_spans_of_characters_that_end_in_white_space_end_with_the_word():
    words = one("Ada  wrote", [(0, 5, "PER")], "char")
    assert words == [["Ada", ["PER"], 1], ["wrote", [], 0]]


@pytest.mark.parametrize("positions", ["token", "char"])
def test_a_span_of_white_space_can_be_seen(positions):
    text = ["a", "\n", "b"] if positions == "token" else "a\n\nb"
    words = one(text, [(1, 2, "GAP")], positions)
    assert ["\u2423", ["GAP"], 1] in words


@each_case("name", HOSTILE)
def test_labels_and_words_stay_text(name):
    words = [[name, "b"], [(0, 1, name)]]
    renderer = span_renderer([name])
    found = draw_document(renderer, Document(words[0], {}), "token", [words[1]])
    page = Drawn(found["passages"][0]["sides"][0])
    assert page.words == [[name, [name], 1], ["b", [], 0]]
    assert set(page.tags) == {"div", "span", "bdi", "i", "b"}


def test_a_label_without_a_sign_is_named():
    assert one(["a"], [(0, 1, "")]) == [["a", ["(empty)"], 1]]


def test_signs_that_turn_text_round_are_spelled_out():
    assert one(["\u202eabc"], [(0, 1, "\u2066X")]) == [["\\u202eabc", ["\\u2066X"], 1]]


@pytest.mark.parametrize(
    ("words", "way"),
    [(["(", "Ada"], "ltr"), (["1", "\u05d0\u05d1"], "rtl"), (["\u0627"], "rtl"), (["1"], "ltr")],
)
def test_text_runs_the_way_of_its_first_letter(words, way):
    found = draw_document(span_renderer(()), Document(words, {}), "token", [()])
    assert f"direction: {way}" in found["passages"][0]["sides"][0]


def test_passages_are_sentences_but_where_spans_cross_them():
    document = read(sample.path("test.jsonl")).documents[0]
    size, sents = len(document.words), document.sents
    assert passage_cuts(size, sents, ()) == [*sents, size]
    crossing = [(sents[1] - 1, sents[1] + 1, "X")]
    assert passage_cuts(size, sents, crossing) == [sents[0], *sents[2:], size]


def test_text_without_sentences_is_cut():
    assert passage_cuts(150, (), ()) == [0, 60, 120, 150]
    assert passage_cuts(150, (), [(60, 61, "X"), (119, 120, "X")]) == [0, 60, 120, 150]


def test_a_span_that_holds_too_much_together_is_cut_and_says_so():
    document = Document(["w"] * 1300, {})
    found = draw_document(span_renderer(["X"]), document, "token", [[(10, 1290, "X")]])
    assert [p["start"] for p in found["passages"]] == [0, 600, 1200]
    heads = [
        [head for _, heads, _ in Drawn(p["sides"][0]).words for head in heads]
        for p in found["passages"]
    ]
    assert heads == [["X"], ["\u2026 X"], ["\u2026 X"]]
    colors = {p["sides"][0].split("--c:")[1][:7] for p in found["passages"]}
    assert len(colors) == 1


def test_offsets_of_passages_are_those_of_the_text():
    text = "One is here. Two is there."
    document = Document((), {}, text=text, sents=(0, 13))
    found = draw_document(span_renderer(["N"]), document, "char", [[(13, 16, "N")], []], [(13, 16)])
    assert [(p["start"], p["end"], p["wrong"]) for p in found["passages"]] == [
        (0, 13, False),
        (13, 26, True),
    ]


@pytest.mark.parametrize(("n_passages", "left"), [(1, 0), (40, 0), (41, 40), (100, 99)])
def test_passages_without_differences_are_left_out_of_long_documents_only(n_passages, left):
    document = Document(["w"] * n_passages, {}, sents=tuple(range(n_passages)))
    found = draw_document(span_renderer(["X"]), document, "token", [[(0, 1, "X")], []], [(0, 1)])
    assert found["n_equal"] == left and found["n_more"] == 0
    assert len(found["passages"]) == n_passages - left
    assert [p["start"] for p in found["passages"] if p["wrong"]] == [0]


def test_only_so_many_passages_of_a_document_are_drawn():
    document = Document(["w"] * 300, {}, sents=tuple(range(300)))
    spans = [(i, i + 1, "X") for i in range(300)]
    found = draw_document(
        span_renderer(["X"]), document, "token", [spans, []], [s[:2] for s in spans]
    )
    assert len(found["passages"]) == 200 and found["n_more"] == 100


def test_a_difference_that_crosses_passages_marks_each():
    document = Document(["w"] * 150, {})
    found = draw_document(span_renderer(()), document, "token", [()], [(59, 61), (149, 150)])
    assert [p["wrong"] for p in found["passages"]] == [True, True, True]


@pytest.mark.parametrize("positions", ["token", "char"])
def test_a_document_known_by_its_size_only_is_not_drawn_and_says_so(positions):
    document = Document((), {}, size=12)
    found = draw_document(span_renderer(["X"]), document, positions, [[(0, 3, "X")], []])
    assert found["note"] == drawing.NO_TEXT and found["passages"] == []


@pytest.mark.parametrize("fields", [{}, {"text": ""}])
def test_an_empty_text_is_called_empty(fields):
    positions = "char" if fields else "token"
    document = Document((), {}, **fields)
    found = draw_document(span_renderer(()), document, positions, [(), ()])
    assert found["note"] == drawing.EMPTY_TEXT


def test_categories_are_shown_as_words_beside_the_text():
    document = Document((), {}, text="Fine work. " * 1000)
    found = draw_document(span_renderer(()), document, "category", [["good", "fast"], []])
    assert found["labels"] == [["fast", "good"], []] and found["passages"] == []
    assert found["text"].startswith("Fine work.") and found["text"].endswith("\u2026")
    assert len(found["text"]) == 3002


def test_a_label_has_one_colour_in_all_documents_and_text_on_it_can_be_read():
    labels = [f"label {i}" for i in range(len(drawing.PALETTE))]
    renderer = span_renderer(labels)
    document = Document(["w"], {})
    colors = [
        draw_document(renderer, document, "token", [[(0, 1, label)]])["passages"][0]["sides"][0]
        for label in labels + labels
    ]
    colors = [markup.split("--c:")[1][:7] for markup in colors]
    assert colors[: len(labels)] == colors[len(labels) :] and len(set(colors)) == len(labels)


@each_case("colour", drawing.PALETTE)
def test_colours_can_be_told_from_either_page_and_carry_black_text(colour):
    light, dark, text = (contrast(colour, other) for other in ("#ffffff", "#15181c", "#000000"))
    assert light >= 3 and dark >= 3 and text >= 4.5


def test_every_word_and_every_span_of_the_sample_is_drawn_once():
    corpus = read(sample.path("dev.jsonl"))
    renderer = span_renderer(corpus.spans("spans").labels + corpus.spans("sc").labels)
    for document in corpus.documents:
        sides = [document.layers["spans"], document.layers["sc"]]
        found = draw_document(renderer, document, "token", sides)
        for i, side in enumerate(sides):
            words = [w for p in found["passages"] for w in Drawn(p["sides"][i]).words]
            assert [word for word, *_ in words] == list(document.words)
            heads = sorted(head for _, heads, _ in words for head in heads)
            assert heads == sorted(label for *_, label in side)


def test_drawing_agrees_with_displacy_itself():
    """Same words, labels and number of lines as with displaCy's own templates."""
    from spacy import displacy

    spans = [(0, 2, "X"), (1, 3, "Y")]
    ours = one("a b c".split(), spans)
    rows = [{"start_token": s, "end_token": e, "label": label} for s, e, label in spans]
    parsed = {"text": "a b c", "tokens": ["a", "b", "c"], "spans": rows}
    theirs = displacy.render(parsed, style="span", manual=True, jupyter=False)
    lines = sum(lines for *_, lines in ours)
    assert theirs.count("position: absolute; font-size") == sum(len(heads) for _, heads, _ in ours)
    assert theirs.count("height: 4px") == lines + 2  # a begin has a slice and a start


def marked(words, relation, row="", reason=""):
    """The markup of a span over all words whose label has a mark."""
    spans = [(0, len(words), MarkedLabel("X", relation, row, reason))]
    found = draw_document(span_renderer(["X"]), Document(words, {}), "token", [spans])
    return found["passages"][0]["sides"][0]


@pytest.mark.parametrize("relation", range(5))
def test_the_lines_and_the_label_of_a_marked_span_say_its_relation(relation):
    markup = marked(["a", "b"], relation)
    assert f'<i class="on k{relation}"' in markup and f'<i class="k{relation}"' in markup
    assert f'<b class="k{relation}"' in markup


def test_a_marked_span_has_the_colour_of_its_label():
    plain = draw_document(span_renderer(["X"]), Document(["a"], {}), "token", [[(0, 1, "X")]])
    (colour,) = set(re.findall("--c:(#......)", plain["passages"][0]["sides"][0]))
    assert set(re.findall("--c:(#......)", marked(["a"], 3))) == {colour}


def test_a_label_leads_to_the_row_of_its_pair_and_says_why():
    assert '<a href="#r1-2" title="why">X</a></b>' in marked(["a"], 1, "r1-2", "why")


def test_a_label_without_a_row_has_its_reason_as_a_title():
    assert re.search(r'<b class="k1" title="why" [^>]*>X</b>', marked(["a"], 1, reason="why"))


@each_case("reason", HOSTILE)
@pytest.mark.parametrize("row", ["", "r1-0"])
def test_reasons_stay_text(reason, row):
    class Titles(HTMLParser):
        def handle_starttag(self, tag, attributes):
            assert tag in ("div", "span", "bdi", "i", "b", "a")
            found.append(dict(attributes).get("title"))

    found = []
    Titles().feed(marked(["a"], 1, row, reason))
    assert [one for one in found if one] == [reason]


def test_lines_go_on_to_the_next_word_but_not_beyond_the_span():
    spans = [(0, 2, "X"), (1, 3, "X")]
    found = draw_document(span_renderer(["X"]), Document(list("abcd"), {}), "token", [spans])
    markup = found["passages"][0]["sides"][0]
    assert re.findall(r'<i( class="on")? style="--y:(\d+)px', markup) == [
        (' class="on"', "28"),
        ("", "28"),
        (' class="on"', "45"),
        ("", "45"),
    ]


@pytest.mark.parametrize(
    "text, runs",
    [
        ("a b 1", []),
        ("א New York ב", ["New York"]),
        ("א 1 New 2 York 3 ב Times", ["New 2 York", "Times"]),
        ("a אב 5 ג b", ["אב 5 ג"]),
    ],
)
def test_words_of_the_other_direction_are_kept_together(text, runs):
    found = draw_document(span_renderer(["X"]), Document(text.split(), {}), "token", [[]])
    (drawn,) = found["passages"][0]["sides"]
    assert re.findall('<bdi dir="(?:ltr|rtl)">([^<]*)</bdi> ', drawn) == runs
    assert re.sub("<[^>]*>", "", drawn).split() == text.split()
