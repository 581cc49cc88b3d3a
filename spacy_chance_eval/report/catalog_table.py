"""The catalog as text: a plain listing for the terminal, and the Markdown page of all metrics."""

from ..metrics.request import CHOICES, METRICS

# page of docs/: its title, and the metrics that it is about
PAGES = {
    "spans.md": (
        "Spans, tokens, links, clusters, overlaps",
        tuple(
            f"{what}_{suffix}"
            for what in ("span", "token", "link", "bcubed", "int")
            for suffix in ("precision", "recall", "f")
        ),
    ),
    "slicm.md": ("Information", ("slicm", "slicm_norm")),
    "nominal.md": (
        "Items with one value each",
        (
            *("percent_agreement", "positive_agreement", "negative_agreement"),
            *("cohen_kappa", "scott_pi", "davies_fleiss", "fleiss_kappa"),
            *("krippendorff_alpha", "gwet_ac1", "gwet_ac2"),
        ),
    ),
    "unitizing.md": (
        "Units on a continuum",
        ("alpha_u", "u_alpha", "bar_u_alpha", "cu_alpha", "cu_coverage", "gamma"),
    ),
    "gate.md": (
        "GATE's relations",
        (
            *("gate_precision", "gate_recall", "gate_f"),
            *("bdm_precision", "bdm_recall", "bdm_f", "false_positives"),
        ),
    ),
    "syntax.md": (
        "Trees of sentences",
        ("syntax_alpha", "pq_alpha", "las", "uas", "label_accuracy", "jaccard"),
    ),
}
HEAD = """# All metrics

Made by `spacy-chance-eval metrics --markdown` from the catalog of the package. Do not edit: a test
compares the two.

A metric is asked for by its name, with the parameters that shall differ from their defaults:
`-m span_f -m "token_f(encoding=BIOE,chance=nested)"`. The same text works in Python. Parameters:

| parameter | values |
| --- | --- |
"""
VALUES = {
    "beta": "a number above 0: how much recall counts beside precision",
    "token_information": "constant, corpus; in Python also words and their bits",
    "features": "none, all, or names of features joined by `+`",
    "weights": "identity, linear, quadratic; in Python also a mapping from pairs of labels",
    "closeness": "a mapping from pairs of labels; on the command line `--bdm FILE`",
    "sample": "a whole number: pairs of annotations that are drawn for D_e; 0 takes all",
    "p": "a whole number: nodes on the stem of a pq-gram",
    "q": "a whole number: nodes at the base of a pq-gram",
    "ignore": "none, or labels joined by `+`, such as `p+punct`: their tokens do not count",
    "per": "a number above 0",
    "samples": "a whole number: random annotations",
    "seed": "a whole number",
    "position_weight": "a number above 0",
    "label_weight": "a number above 0",
}
LEGEND = """
The column *chance* says what is expected by chance, and so whether a score is corrected: by the
*model* of random annotations ([chance.md](chance.md); `chance=none` switches it off; where the
default is `none`, another value switches it on, by drawing), by the coefficient's *own* formula, or
by nothing. *Team* metrics take any number of annotators at once; the others are worked out for two
and averaged over pairs.
"""


def metrics_text():
    """The metrics as a plain listing: name, parameters with defaults, source."""
    return "\n".join(
        f"{metric.name}({parameters(metric)})\n    {metric.paper}" for metric in METRICS.values()
    )


def parameters(metric):
    """All parameters of a metric with their defaults."""
    return ",".join(f"{name}={value}" for name, value in metric.parameters.items())


def metrics_markdown():
    """The page of all metrics, as Markdown."""
    used = sorted({name for metric in METRICS.values() for name in metric.parameters})
    lines = [HEAD.rstrip("\n")]
    lines += [f"| `{name}` | {values_of(name)} |" for name in used]
    lines.append(LEGEND.rstrip("\n"))
    for page, (title, names) in PAGES.items():
        lines += ["", f"## {title}", "", f"Explained in [{page}]({page}).", ""]
        lines += ["| metric | parameters and defaults | chance | team | source |"]
        lines += ["| --- | --- | --- | --- | --- |"]
        lines += [row(METRICS[name]) for name in names]
    return "\n".join(lines) + "\n"


def values_of(name):
    """What a parameter can be."""
    return VALUES.get(name) or ", ".join(CHOICES[name])


def row(metric):
    """The row of a metric."""
    given = ", ".join(f"`{name}={value}`" for name, value in metric.parameters.items())
    best = "" if metric.higher_is_better else "; lower is better"
    cells = [f"`{metric.name}`", given or "none", chance(metric)]
    of = f"; of {metric.kinds[0]} trees" if len(metric.kinds) == 1 else ""
    cells += ["yes" if metric.team else "no", metric.paper + best + of]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def chance(metric):
    """What corrects a metric for chance."""
    if metric.parts:
        return "own"
    default = metric.parameters.get("chance")
    if default is None:
        return "-"
    return "model, if asked for" if default == "none" else "model"
