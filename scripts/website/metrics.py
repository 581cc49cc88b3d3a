"""Make the second part of docs/metrics.md, the list of all metrics, from the catalogue.

python scripts/website/metrics.py
"""

from pathlib import Path

from spacy_chance_eval.metrics.catalog import METRICS, Metric
from spacy_chance_eval.reports.scores import parameter_values

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
# where docs/ explains metrics, and the subject of these
PAGES = {
    "spans.md": "Spans, tokens, links, clusters, overlaps",
    "spans.md#sl-icm": "Information",
    "annotators.md#nominal-coefficients": "Items with one value each",
    "annotators.md#units-on-a-continuum": "Units on a continuum",
    "spans.md#gates-relations": "GATE's relations",
    "syntax.md": "Trees of sentences",
}
HEAD = """## All metrics

<!-- Made by `python scripts/website/metrics.py`. Do not edit: a test compares the two. -->

A metric is asked for by its name, with the parameters that differ from their defaults:
`-m span_f -m "token_f(encoding=BIOE,chance=nested)"`. The same text works in Python. Parameters:

| parameter | values |
| --- | --- |
"""
TABLE_HEAD = (
    "| metric | parameters and defaults | chance | team | source |",
    "| --- | --- | --- | --- | --- |",
)
LEGEND = """
The column *chance* says where the expectation by chance comes from. *Model*: the [random annotation
model](reading.md#the-random-annotation-model); `chance=none` switches it off, and where the default
is `none`, another value switches it on, by drawing. *Own*: the coefficient's own formula. A dash:
no expectation, and therefore no correction. *Team* metrics take any number of annotators at once;
the others are computed for two and averaged over pairs.
"""


def metrics_markdown() -> str:
    """The part of docs/metrics.md that lists all metrics, in Markdown."""
    used = sorted({name for metric in METRICS.values() for name in metric.parameters})
    lines = [HEAD.rstrip("\n")]
    lines += [f"| `{name}` | {parameter_values(name)} |" for name in used]
    lines.append(LEGEND.rstrip("\n"))
    for page in dict.fromkeys([*PAGES, *(metric.page for metric in METRICS.values())]):
        metrics = [metric for metric in METRICS.values() if metric.page == page]
        explained = ["", f"Explained in [{page.partition('#')[0]}]({page})."] if page else []
        lines += ["", f"### {PAGES.get(page, 'Other metrics')}", *explained, ""]
        lines += [*TABLE_HEAD, *map(metric_row, metrics)]
    return "\n".join(lines) + "\n"


def metric_row(metric: Metric) -> str:
    """The row of a metric in the page of all metrics."""
    defaults = ", ".join(f"`{name}={value}`" for name, value in metric.parameters.items())
    best = "" if metric.higher_is_better else "; lower is better"
    trees = f"; of {metric.kinds[0]} trees" if len(metric.kinds) == 1 else ""
    cells = [f"`{metric.name}`", defaults or "none", _chance(metric)]
    cells += ["yes" if metric.team else "no", metric.paper + best + trees]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _chance(metric: Metric) -> str:
    """The source of the expectation by chance, for the column *chance*."""
    if metric.parts:
        return "own"
    default = metric.parameters.get("chance")
    if default is None:
        return "-"
    return "model, if asked for" if default == "none" else "model"


def main() -> None:
    """Write the list behind what comes before it on the page."""
    before, title, _ = PAGE.read_text("utf-8").partition(HEAD.partition("\n")[0])
    PAGE.write_text(before + metrics_markdown(), "utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
