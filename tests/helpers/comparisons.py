"""A comparison of two runs as the reports get it: hostile names, labels and texts."""

from spacy_chance_eval import Resampling, Spans
from spacy_chance_eval.runs.compare import compare
from spacy_chance_eval.runs.files import stored_run

SCRIPT = "<script>alert(1)</script>"
LABELS = ["PER", f"{SCRIPT} | `b` @everyone", "{{ 7*7 }}\n# head"]
NAMES = [
    "doc 1",
    'a\x1b[31m|b\\| "q" \n@all #12',
    f"{SCRIPT} $x$ [l](javascript:1) https://example.org",
]
WORDS = ["ab", SCRIPT, "@you", "`c`", "|", "</details>", "\x1b[31m", "# h", "x"] * 3
METRICS = ["span_f", "slicm", "false_positives"]


def spans(*documents):
    return Spans.from_tuples(documents, (9, 9, 9), LABELS, names=NAMES, words=WORDS)


def result(metrics=METRICS, resamples=100, annotations="text", failures=(), **settings):
    """A whole result; the new run is worse in one document, and better in another."""
    one, two, three = LABELS
    gold = spans([(0, 2, one), (3, 5, two)], [(1, 2, three)], [(0, 1, two), (6, 8, one)])
    old = spans([(0, 2, one), (3, 5, two)], [], [(0, 1, two), (6, 7, one)])
    new = spans([(0, 2, one), (3, 5, one)], [(1, 2, three)], [(6, 7, one)])
    runs = [
        stored_run(
            gold,
            pred,
            metrics,
            annotations=annotations,
            title=title,
            saved="2026-01-01T00:00:00+00:00",
            sources=("gold <1>.conll", f"{SCRIPT}|@org/team"),
        )
        for pred, title in ((old, None), (new, f"{SCRIPT} @everyone | `v2`"))
    ]
    found = compare(*runs, intervals=Resampling(resamples), **settings)
    found["old"]["path"] = "runs/old @x #1.run"
    return found | {"failures": list(failures)}
