"""Comparisons of runs as text, letter by letter; every output of one is in `test_report`."""

from helpers import comparisons
from helpers.cases import each_case
from helpers.comparisons import SCRIPT
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval import Resampling, Spans
from spacy_chance_eval.reports.compare import compare_report
from spacy_chance_eval.reports.report import report_screen, report_text
from spacy_chance_eval.runs.compare import compare
from spacy_chance_eval.runs.files import stored_run

GOLD = [[(0, 1, "A")], [(2, 3, "A")]]


def runs(*preds, gold=GOLD):
    """The comparison of two runs that were stored without the names of files."""
    made = [Spans.from_tuples(one, [9] * len(gold)) for one in (gold, *preds)]
    stored = [stored_run(made[0], one, ["span_f"], saved="2026-01-01T00:00:00") for one in made[1:]]
    return compare(*stored, intervals=Resampling(9))


def undefined():
    found = comparisons.result(["slicm_norm"])
    total = found["metrics"][0]["total"]
    total["new"]["observed"] = total["observed"]["difference"] = total["verdict"] = None
    return found


COMPARED = {
    "warned": lambda: comparisons.result() | {"warnings": ["<no> spans"], "notes": [SCRIPT]},
    "untested": lambda: comparisons.result(resamples=0),
    "no-annotations": lambda: comparisons.result(annotations="none"),
    "undefined": undefined,
    "new-label": lambda: runs(GOLD, [GOLD[0], [*GOLD[1], (5, 6, "B"), (7, 8, "B")]]),
    "equal": lambda: runs(GOLD, GOLD),
    "one-document": lambda: runs([[]], GOLD[:1], gold=GOLD[:1]),
}


@each_case("name", COMPARED)
def test_a_comparison_is_as_it_was(name):
    report = compare_report(COMPARED[name]())
    text = "\n".join([report_screen(report), report_text(report)])
    compare_with_snapshot(f"compare-{name}.txt", text)


def test_lists_are_as_long_as_asked_for():
    result = comparisons.result(verbose_below=0.9)
    compare_with_snapshot("compare-top.txt", report_text(compare_report(result, top=1)))
