"""Which formal property of the SL-ICM paper a metric has, computed on the examples of the paper."""

from helpers.published import rows
from spacy_chance_eval import Spans, evaluate

EXAMPLES = {row["property"]: row for row in rows("slicm_table2.csv")}
METRICS = {
    "Span F": "span_f",
    "Token F, IO": "token_f",
    "Token F, BIO": "token_f(encoding=BIO)",
    "Token F, BIOE": "token_f(encoding=BIOE)",
    "Token F, IO*": "token_f(encoding=IO*)",
    "Link F": "link_f",
    "BCubed": "bcubed_f",
    "Int-F": "int_f",
    "SL-ICM": "slicm_norm",
}
SAYS = {
    "correct sequence": "a further right span is better",
    "wrong sequence": "a further wrong span is worse",
    "overlap": "more of a span is better",
    "noise": "more around a span is worse",
    "homogeneity": "spans glued together are worse",
    "completeness": "a span cut in two is worse",
    "length vs captured": "a token missing from the longer span is better",
    "length vs noisy": "a token too many on the longer span is better",
    "overlap increasing": "missing tokens on two spans are better than all on one",
    "noise increasing": "tokens too many are better on a span that has many already",
}


def inclusive(text):
    """The annotator of a cell such as "1-3 10-13"."""
    pairs = (part.split("-") for part in text.split())
    spans = [(int(first), int(last) + 1, "X") for first, last in pairs]
    return Spans.from_tuples([spans], [40], ["X"])


def properties(metric):
    """Whether a metric prefers system A in each example: yes, no (a tie), or against (B)."""
    found = {}
    for name, row in EXAMPLES.items():
        first, second = (
            evaluate(inclusive(row["gold"]), inclusive(row[system]), [metric])[metric].observed
            for system in "AB"
        )
        tie = abs(first - second) < 1e-9
        found[name] = "no" if tie else "yes" if first > second else "against"
    return found


def table():
    """The Markdown table of all properties and metrics."""
    has = [properties(metric) for metric in METRICS.values()]
    lines = ["| property | what it asks for | " + " | ".join(METRICS) + " |"]
    lines.append("| --- " * (len(METRICS) + 2) + "|")
    for name, says in SAYS.items():
        lines.append(f"| {name} | {says} | " + " | ".join(row[name] for row in has) + " |")
    return "\n".join(lines) + "\n"
