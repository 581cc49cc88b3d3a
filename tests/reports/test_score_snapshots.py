"""The report of scores and their table as CSV, letter by letter."""

from helpers.cases import each_case
from helpers.scorereports import PLAIN_SCORE, ROW, SCORE, layer, report
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval import Spans, evaluate, request
from spacy_chance_eval.reports.report import report_screen, report_text
from spacy_chance_eval.reports.scores import SHOWN_DOCS, score_report
from spacy_chance_eval.reports.words import number, printable
from spacy_chance_eval.scoring.evaluation import DEFAULT_METRICS
from spacy_chance_eval.tasks.tabular import FileScores

GOLD = [[(0, 2, "A"), (3, 6, "A"), (8, 9, "A")], [(0, 1, "A")]]
PRED = [[(0, 2, "A"), (3, 5, "A"), (7, 8, "B")], [(0, 1, "A")]]  # one of each relation, and right
GATE = ("gate_precision", "gate_recall", "gate_f", "gate_f(mode=lenient)")
UNDEFINED = dict.fromkeys(("observed", "expected", "corrected"))
UNDEFINED |= {"macro": dict(UNDEFINED)}


def evaluated(*metrics, pred=PRED):
    """The scores of the corpus above."""
    sides = (Spans.from_tuples(side, [10, 4], names=["one", "two"]) for side in (GOLD, pred))
    metrics = metrics[0] if isinstance(metrics[0], dict) else metrics
    scores = evaluate(*sides, metrics, per_doc=True)
    return {name: score.to_dict() for name, score in scores.items()}


def scored(*metrics, **options):
    return report(evaluated(*metrics, **options))


def table(scores):
    return FileScores({"layers": [layer(scores, n_gold=4)]}).to_csv()


def span_f(**fields):
    return {"span_f": SCORE | fields}


def documents(values):
    return {f"d{i:02}": ROW | {"corrected": value} for i, value in enumerate(values)}


NEAR = {
    "plain": "gate_f",
    "recall": "gate_recall",
    "near": request("bdm_f", closeness={("A", "B"): 0.25}),
}
REPORTS = {
    "one": lambda: report(span_f()),
    "uncorrected": lambda: report({"slicm": PLAIN_SCORE}),
    "undefined": lambda: report(span_f(**UNDEFINED)),
    "numbers-as-given": lambda: report(span_f(corrected=0.9, expected=0.1)),
    "labels-of-the-first-f": lambda: report({"token_f": SCORE} | span_f()),
    "labels-of-token-f": lambda: report(dict.fromkeys(("int_f", "token_f"), SCORE)),
    "labels-of-the-first": lambda: report(dict.fromkeys(("int_f", "link_f"), SCORE)),
    "signatures": lambda: report(span_f() | {"token_f": SCORE | {"signature": "token_f()|docs=2"}}),
    "standard-errors": lambda: report(span_f(standard_error=0.001, p_value=0.02)),
    "p-value-of-one-metric": lambda: report(span_f(p_value=0.02) | {"slicm": SCORE}),
    "intervals": lambda: report(span_f(low=0.1, high=0.5)),
    "skipped": lambda: report(span_f(), n_skipped=2),
    "one-skipped": lambda: report(span_f(), n_skipped=1),
    "unplaced": lambda: report(span_f(), n_unplaced=2),
    "one-unplaced": lambda: report(span_f(), n_unplaced=1),
    "two-layers": lambda: report(span_f(), pred_layer="spans:sc"),
    "several-layers": lambda: report_text(
        score_report({"layers": [layer(span_f()), layer(span_f(), gold_layer="spans:sc")]})
    ),
    "spacy": lambda: report(span_f(), spacy={"ents_p": 0.5, "ents_r": None}),
    "no-spacy": lambda: report(span_f(), spacy={}),
    "documents": lambda: report(span_f(per_doc=documents([0.5, None, -0.2, 0.9]))),
    "many-documents": lambda: report(
        span_f(per_doc=documents([i / 100 for i in range(SHOWN_DOCS + 3)]))
    ),
    "no-label": lambda: report(span_f(per_label={})),
    "long-label": lambda: report(span_f(per_label={"X" * 100: ROW})),
    "gate": lambda: scored(*GATE),
    "false-positives": lambda: scored("false_positives"),
    "error-rate": lambda: scored("error_rate"),
    "corrected-and-not": lambda: scored("span_f", "gate_f"),
    "screen": lambda: report_screen(score_report({"layers": [layer(evaluated(*DEFAULT_METRICS))]})),
    "default-metrics": lambda: scored(*DEFAULT_METRICS),
    "two-default-metrics": lambda: scored(*DEFAULT_METRICS[:2]),
    "metrics-that-count-other-spans": lambda: scored(NEAR, pred=[[(0, 2, "B")], []]),
}


def with_a_formula():
    (found,) = evaluated("span_f").values()
    return {"span_f": found | {"per_label": {"=1+1": found["per_label"]["A"]}}}


TABLES = {
    "gate": lambda: table(evaluated(*GATE)),
    "corrected-and-not": lambda: table(evaluated("span_f", "gate_f")),
    "disagreement": lambda: table(evaluated("alpha_u", "span_f")),
    "formula": lambda: table(with_a_formula()),
}


@each_case("name", TABLES)
def test_a_table_is_as_it_was(name):
    compare_with_snapshot(f"score-{name}.csv", TABLES[name]())


def test_numbers_of_a_table_are_in_full():
    (found,) = evaluated("span_f").values()
    (row,) = [line for line in table({"span_f": found}).splitlines() if ",one," in line]
    assert {
        repr(found["per_doc"]["one"][key]) for key in ("observed", "expected", "corrected")
    } <= {*row.split(",")}


@each_case("name", REPORTS)
def test_a_report_is_as_it_was(name):
    compare_with_snapshot(f"score-{name}.txt", REPORTS[name]())


@each_case(
    ("value", "text"),
    [
        (None, "-"),
        (0.5, ".500"),
        (-0.12345, "-.123"),
        (3, "3"),
        (0.0, ".000"),
        (0, "0"),
        (0.9996, ".9996"),
        (1.0, "1.000"),
        (-2509.26, "-2509.3"),
    ],
)
def test_numbers_have_three_decimals_and_what_is_undefined_a_dash(value, text):
    assert number(value) == text


def test_names_cannot_steer_the_terminal():
    assert printable("a\x1b[31mb") == "a\\x1b[31mb"
