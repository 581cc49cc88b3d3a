"""The matrices in the index of an agreement, and the scores of a pair."""

import json
from fractions import Fraction

from helpers.agreements import metric, result, score
from helpers.cases import each_case
from helpers.reading import Reader
from spacy_chance_eval.measures.panel import Panel
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.reports import agreement_pages
from spacy_chance_eval.reports.agreement_pages import agreement_index, pair_tables
from spacy_chance_eval.reports.words import number
from spacy_chance_eval.scoring.agreement import agreement
from spacy_chance_eval.scoring.intervals import Resampling
from spacy_chance_eval.scoring.statistics import headline

BLUE, ORANGE = (8, 69, 148), (217, 95, 2)


def matrices(reader):
    """The tables of pairs."""
    return [table for table, attrs in zip(reader.tables, reader.all("table")) if is_matrix(attrs)]


def is_matrix(attrs):
    return attrs.get("class") == "matrix"


def cell_of(value, **fields):
    """The cell of the only pair of a metric."""
    one = metric(pair=lambda first, second: score(value, n_docs=216, reason="why"), **fields)
    return matrices(Reader(agreement_index(result(one))))[0][1][1]


def panel_result(metrics=("span_f", "cohen_kappa", "token_f")):
    """The agreement of four annotators, of whom one saw other documents; through JSON."""
    work = {
        "ann": [[(0, 2, "PER")], [(1, 3, "LOC")], [(0, 1, "ORG")], None],
        "bob": [[(0, 2, "PER")], [(1, 2, "LOC")], [], None],
        "cem": [[(0, 2, "LOC")], [(1, 3, "LOC")], None, None],
        "dee": [None, None, None, [(0, 1, "ORG")]],
    }
    panel = Panel({name: Spans.from_tuples(rows, [9] * 4) for name, rows in work.items()})
    requests = {name: parse(name) for name in metrics}
    return json.loads(json.dumps(agreement(panel, requests, intervals=Resampling(20))))


def test_every_number_of_the_matrices_is_that_of_the_json():
    found = panel_result()
    reader = Reader(agreement_index(found))
    views = [section for section in reader.all("section") if "data-tab" in section]
    assert [view["data-tab"] for view in views if view["id"].count("-") == 1] == [
        "span_f", "cohen_kappa", "token_f",
    ]  # fmt: skip
    expected, seen = [], []
    for one in found["metrics"]:
        for pairs in (one["pairs"], *by_label(one)):
            expected.append([[number(headline(pair)), str(pair["n_docs"])] for pair in pairs])
    for table in matrices(reader):
        seen.append([cell["text"] for line in table[1:] for cell in line[1:] if cell["text"]])
    assert seen == expected
    assert len(expected[0]) == 3


def by_label(found):
    """The rows of pairs by label, of metrics that have scores by label."""
    labels = [one["label"] for one in found["per_label"]]
    rows = [
        [
            {"observed": None, "n_docs": pair["n_docs"]} | pair["per_label"].get(label, {})
            for pair in found["pairs"]
        ]
        for label in labels
    ]
    defined = any(headline(one) is not None for pairs in rows for one in pairs)
    return rows if defined else []


@each_case("value", [-1.5, -0.5, 0.0, 0.2, 0.5, 0.6, 0.75, 1.0])
def test_colours_go_from_white_at_chance_to_blue_at_1_and_orange_below(value):
    full = BLUE if value > 0 else ORANGE
    share = min(Fraction(1), abs(Fraction(str(value))))
    parts = [round(247 + share * (part - 247)) for part in full]
    expected = "#" + "".join(f"{part:02x}" for part in parts)
    assert cell_of(value)["style"].startswith(f"background-color:{expected};")
    assert (cell_of(value).get("class") == "below") == (value < 0), "not by colour alone"


def test_labels_that_are_used_less_have_no_matrix_if_cells_would_be_too_many(monkeypatch):
    found = panel_result(["span_f"])
    assert len(matrices(Reader(agreement_index(found)))) == 4
    monkeypatch.setattr(agreement_pages, "CELLS", 2 * 3)
    reader = Reader(agreement_index(found))
    panels = [a["data-tab"] for a in reader.all("section") if "matrix" in a.get("id", "")]
    assert panels == ["All labels", "Label LOC", "Label PER"]
    assert "used less and have no matrix here: 1." in " ".join(reader.text.split())


def test_thirty_annotators_are_one_matrix_that_can_be_moved_aside():
    names = [f"annotator {i:02}" for i in range(30)]
    found = Reader(agreement_index(result(metric(names=names), names=names)))
    (table,) = matrices(found)
    assert len(table) == 30 and {len(line) for line in table} == {30}
    assert sum(cell["text"] == ["0.2500", "3"] for line in table for cell in line) == 435
    regions = [attrs for attrs in found.all("div") if attrs.get("role") == "region"]
    assert all(attrs["tabindex"] == "0" and attrs["class"] == "scroll" for attrs in regions)
    assert len(regions) == len(found.tables)


def test_scores_of_a_pair_are_those_of_the_json():
    found = panel_result(["span_f", "gate_f"])
    tables = pair_tables(found, ("ann", "cem"))
    for one, pair, name in tables["rows_of_pair"]:
        (expected,) = [p for p in one["pairs"] if (p["first"], p["second"]) == ("ann", "cem")]
        assert pair == expected and name == one["metric"]
    assert [label for label, _ in tables["rows_of_labels"]] == ["LOC", "PER"]
    assert tables["rows_of_labels"][0][1][0] == found["metrics"][0]["pairs"][1]["per_label"]["LOC"]


def test_an_asymmetric_metric_names_who_is_gold():
    given = {"ab": score(0.5), "ba": score(0.25)}
    one = metric("precision", names="ab", symmetric=False, pair=lambda f, s: given[f + s])
    rows = pair_tables(result(one, names="ab"), ("a", "b"))["rows_of_pair"]
    assert [(name, headline(pair)) for _, pair, name in rows] == [
        ("precision, a as gold", 0.5),
        ("precision, b as gold", 0.25),
    ]
