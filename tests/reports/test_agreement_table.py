import json
import re
from itertools import combinations

import pytest

from helpers.agreements import metric, result, score
from helpers.cases import each_case
from helpers.colours import contrast
from helpers.reading import Reader, texts
from spacy_chance_eval.measures.panel import Panel
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.reports.agreement_pages import agreement_html
from spacy_chance_eval.reports.colours import scale_colour
from spacy_chance_eval.scoring.agreement import agreement
from spacy_chance_eval.scoring.intervals import Resampling

ALLOWED = {"div", "style", "p", "strong", "details", "summary", "code", "table", "caption"}
ALLOWED |= {"thead", "tbody", "tr", "th", "td", "small"}


def read(*metrics, **fields):
    """The fragment of a result, read."""
    reader = Reader(agreement_html(result(*metrics, **fields)))
    assert not reader.open, "every tag is closed"
    return reader


def pair_cell(value, **fields):
    """The cell of the only pair of a metric."""
    one = metric(pair=lambda first, second: score(value, n_docs=216, reason="why"), **fields)
    return read(one).tables[1][1][1]


def test_the_summary_has_a_row_for_each_metric():
    assert texts(read().tables[0]) == [
        [[name] for name in "Metric Observed Expected Corrected Pairs Documents Team".split()],
        [["span_f"], ["0.5000"], ["0.3333"], ["0.2500"], ["1"], ["3"], ["0.1250"]],
    ]


def test_intervals_stand_beneath_their_scores():
    mean = score(0.25, 0.5, 0.3333, limits=[0.1, 0.4])
    mean |= {"n_pairs": 1, "observed_interval": [0.2, 0.7]}
    team = score(0.125, limits=[0.0, 1.0]) | {"definition": None}
    row = texts(read(metric(mean=mean, team=team)).tables[0])[1]
    assert row[1:4] == [["0.5000", "[0.2000, 0.7000]"], ["0.3333"], ["0.2500", "[0.1000, 0.4000]"]]
    assert row[6] == ["0.1250", "[0.0000, 1.0000]"]


def test_a_metric_without_a_chance_model_has_dashes_instead_of_a_correction():
    mean = score(0.75, limits=[0.5, 0.9]) | {"n_pairs": 1}
    found = read(metric("percent_agreement", corrected=False, mean=mean))
    row = texts(found.tables[0])[1]
    assert row[1:4] == [["0.7500", "[0.5000, 0.9000]"], ["-"], ["-"]]
    assert "without a chance model: percent_agreement" in found.text


def test_an_undefined_score_has_a_dash_and_its_reason_in_title_and_text():
    team = score(None, reason="a coefficient of two") | {"definition": None}
    found = read(metric("cohen_kappa", team=team))
    cell = found.tables[0][1][6]
    assert cell["text"] == ["-"] and cell["title"] == "a coefficient of two"
    assert "Undefined: cohen_kappa (team): a coefficient of two" in found.text


def test_pairs_have_their_value_and_the_documents_that_both_saw():
    names = ("a", "b", "c")
    given = {"ab": score(0.5283, n_docs=216), "ac": score(0.25, n_docs=7), "bc": score(1.0)}
    found = read(metric(names=names, pair=lambda f, s: given[f + s]), names=names)
    assert texts(found.tables[1]) == [
        [[], ["b"], ["c"]],
        [["a"], ["0.5283", "216"], ["0.2500", "7"]],
        [["b"], [], ["1.0000", "3"]],
    ]


def test_pairs_of_an_asymmetric_metric_have_the_first_in_rows():
    given = {"ab": score(0.5), "ba": score(0.25)}
    one = metric(names="ab", symmetric=False, pair=lambda f, s: given[f + s])
    found = read(one, names="ab")
    assert texts(found.tables[1])[1:] == [
        [["a"], [], ["0.5000", "3"]],
        [["b"], ["0.2500", "3"], []],
    ]
    assert "rows: first, as gold; columns: second" in found.text


def test_only_the_first_metric_has_a_matrix():
    assert len(read(metric(), metric("kappa")).tables) == 2


def test_twelve_annotators_are_one_table():
    names = [f"annotator {i:02}" for i in range(12)]
    table = read(metric(names=names), names=names).tables[1]
    assert len(table) == 12 and {len(row) for row in table} == {12}
    assert sum(cell["text"] == ["0.2500", "3"] for row in table for cell in row) == 66


def test_a_pair_says_in_its_title_what_the_cell_has_no_room_for():
    one = score(0.25, 0.5, 0.3333, limits=[0.1, 0.4])
    cell = read(metric(pair=lambda first, second: one)).tables[1][1][1]
    assert cell["title"] == (
        "ann and bob: 0.2500; interval [0.1000, 0.4000]; observed 0.5000; expected 0.3333; "
        "documents that both saw: 3"
    )


@each_case(
    "value, colour, text",
    [
        (1.0, "#084594", "#ffffff"),
        (0.5, "#809ec6", "#000000"),
        (0.0, "#f7f7f7", "#000000"),
        (-0.5, "#e8ab7c", "#000000"),
        (-1.7, "#d95f02", "#000000"),
    ],
)
def test_values_are_coloured_from_orange_over_white_at_chance_to_blue(value, colour, text):
    assert pair_cell(value)["style"] == f"background-color:{colour};color:{text}"


def test_text_can_be_read_on_every_colour():
    names = [f"a{i:02}" for i in range(18)]
    values = dict(zip(combinations(names, 2), (step / 70 for step in range(-75, 78))))
    one = metric(names=names, pair=lambda first, second: score(values[first, second]))
    rows = read(one, names=names).tables[1]
    styles = [cell["style"] for row in rows for cell in row if "style" in cell]
    assert len(styles) == len(values) == 153
    for style in {*styles}:
        back, text = re.fullmatch(r"background-color:(#\w{6});color:(#\w{6})", style).groups()
        assert contrast(back, text) >= 4.5, style


@pytest.mark.parametrize("fields", [{"bits": True}, {"higher_is_better": False}])
def test_values_without_a_best_one_at_1_have_no_colour(fields):
    assert "style" not in pair_cell(0.9, **fields)
    assert "Colours" not in read(metric(**fields)).text


def test_an_undefined_pair_has_a_dash_and_its_reason():
    cell = pair_cell(None)
    assert cell["text"] == ["-", "216"]
    assert cell["title"] == "ann and bob: -; documents that both saw: 216; why"
    one = metric(pair=lambda first, second: score(None, reason="why"))
    assert "Undefined: ann and bob: why" in read(one).text


@pytest.mark.parametrize("fields", [{}, {"bits": True}, {"higher_is_better": False}])
def test_an_undefined_pair_looks_like_no_value(fields):
    style = pair_cell(None, **fields)["style"]
    assert "repeating-linear-gradient" in style
    *backs, text = re.findall(r"#\w{6}", style)
    assert not set(backs) & {scale_colour(step / 100) for step in range(-100, 101)}
    assert all(contrast(back, text) >= 4.5 for back in backs)
    assert "A hatched cell with a dash: undefined" in read(metric(**fields)).text


def test_one_annotator_has_no_matrix():
    none = score(None, reason="only one") | {"n_pairs": 0, "definition": None}
    found = read(metric(names=("ann",), mean=none, team=none), names=("ann",))
    assert len(found.tables) == 1 and "Undefined: span_f: only one" in found.text


def test_notes_signatures_title_and_sources_are_there():
    text = read(notes=["few documents"], title="Pilot", sources=["a.jsonl"]).text
    for said in ("Note: few documents", "span_f()|docs=3", "Pilot", "Sources a.jsonl"):
        assert said in text


def test_names_from_data_stay_text():
    evil = '"><script>alert(1)</script>'
    names = (evil, "</style><img src=x onerror=alert(1)>\x1b")
    none = score(None, reason=evil)
    one = metric(evil, names, pair=lambda first, second: none, signature=evil)
    found = read(one, names=names, labels=[evil], notes=[evil], title=evil, sources=[evil])
    assert {tag for tag, _ in found.tags} <= ALLOWED
    assert not {name for _, attrs in found.tags for name in attrs} - {
        *("class", "scope", "title", "style", "data-value")
    }
    assert texts(found.tables[1])[1][0] == [evil]
    assert found.tables[1][1][1]["title"].startswith(f"{evil} and </style><img")
    assert "\x1b" not in found.text


def test_the_fragment_asks_for_nothing_from_outside():
    html = agreement_html(result())
    assert not re.search(r"<script|<link|<iframe|@import|url\(|https?:|src=|javascript:", html)


def test_styles_are_those_of_the_fragment_alone():
    html = agreement_html(result())
    rules = re.search(r"<style>(.*)</style>", html, re.DOTALL)[1]
    selectors = [
        one.strip() for rule in re.findall(r"([^{}]+)\{", rules) for one in rule.split(",")
    ]
    assert selectors
    assert all(one.startswith(".chance-eval-agreement") for one in selectors)
    assert html.lstrip().startswith('<div class="chance-eval-agreement">')


def test_two_fragments_can_stand_on_one_page():
    assert not any("id" in attrs for _, attrs in read().tags)


def test_headers_say_what_they_are_headers_of():
    headers = [attrs for tag, attrs in read().tags if tag == "th"]
    assert {attrs.get("scope") for attrs in headers} == {"col", "row"}


@pytest.mark.parametrize("alone", [False, True])
def test_a_result_through_json_is_shown(alone):
    ann = Spans.from_tuples([[(0, 2, "PER")], [(1, 3, "LOC")]], [9, 6])
    bob = Spans.from_tuples([[(0, 2, "PER")], []], [9, 6])
    panel = Panel({"ann": ann} if alone else {"ann": ann, "bob": bob})
    requests = {name: parse(name) for name in ("span_f", "cohen_kappa", "slicm")}
    found = json.loads(json.dumps(agreement(panel, requests, intervals=Resampling(20))))
    tables = Reader(agreement_html(found)).tables
    value = found["metrics"][0]["mean"]["value"]
    assert tables[0][1][3]["text"][0] == ("-" if alone else f"{value:.4f}")
    assert len(tables) == (1 if alone else 2)
