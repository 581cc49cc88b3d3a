"""Scores of trees, or spans, with random errors: tables and CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any, NamedTuple, TypeAlias

from ..metrics.catalog import CATALOG, TREE_CATALOG
from .tables import code, csv_text, fitted_table, markdown_text, pipe_table, text_table
from .words import Result, brief, count_word, in_sentence, number, printable, quantity

Line: TypeAlias = list[float | None]  # a probability, shares, and the mean of each metric


class Kind(NamedTuple):
    """The texts of reports for one kind of annotation.

    `key` is that of the path in results, `axis` the name of the horizontal axis.
    """

    key: str
    title: str
    noises: Mapping[str, str]
    how_to_read: str
    axis: str


EACH_NUMBER = (
    "Each number is the mean of the runs. 1 is full agreement; of metrics where lower is better, "
    "such as error_rate, 0 is. Alpha, and metrics that are corrected for chance, are 0 at chance "
    "level."
)
TREES = Kind(
    "treebank",
    "Scores of trees with random errors",
    {
        "both": "Labels and attachments",
        "labels": "Labels alone",
        "attachments": "Attachments alone",
    },
    "The treebank is scored against itself with random errors: with probability p a token gets a "
    f"random relation, a random head, or both. {EACH_NUMBER}",
    "probability p of a random label, or head",
)
SPANS = Kind(
    "corpus",
    "Scores of spans with random errors",
    {
        "drop": "Drop: the span is left out",
        "merge": "Merge: with the next span of its label",
        "split": "Split: the span is cut in two",
        "shift": "Shift: by one position",
        "truncate": "Truncate: by one position",
        "extend": "Extend: by one position",
        "relabel": "Relabel: another label",
        "add": "Add: a further span elsewhere",
    },
    "The annotation is scored against itself with random errors: with probability p a span gets an "
    "error of the kind. Changed is the share of spans that are not there any more: some cannot "
    f"have an error, such as spans of one position, which cannot be split. {EACH_NUMBER}",
    "probability p of an error, for each span",
)
CHANGED = "changed"
ADDED = "add"  # the kind of noise that changes no existing span
COLUMNS = ("noise", "probability", "metric", "run", "value", "request", "seed")


def perturbation_text(result: Result) -> str:
    """A table for each kind of noise.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    header = list(map(printable, header_of(result)))
    parts = [size_text(result)]
    for _, title, lines in noise_tables(result):
        parts += [f"\n{title}", fitted_table(header, map(_cells, lines)).strip("\n")]
    parts += [f"\n{printable(one)}" for one in result.get("notes", ())]
    parts += [f"\nWarning: {printable(one)}" for one in result.get("warnings", ())]
    return "\n".join(parts)


def perturbation_verdict(result: Result) -> str:
    """Summary of a simulation of errors: the kinds with the lowest and highest score at the top p.

    Kinds that changed no span are named, but not compared. With several comparable metrics, also
    the metrics with the lowest and highest scores under the worst kind.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    most, request = max(result["probabilities"]), result["requests"][0]
    name = printable(short_names(result["metrics"])[0])
    idle = set(_idle_noises(result))
    means = zip(noises_of(result), most_errors(result))
    lines = {_short_title(title): line for noise, (title, line) in means if noise not in idle}
    defined = {title: line[0] for title, line in lines.items() if line[0] is not None}
    parts = []
    if defined:
        remarks = [unit_of(request), "lower is better" * (not _higher_is_better(request))]
        note = "; ".join(filter(None, remarks))
        parts.append(f"{name}{f' ({note})' if note else ''} is {_extremes(defined, request)}")
        worst = (min if _higher_is_better(request) else max)(defined, key=defined.__getitem__)
        parts += _range_of_metrics(result, worst, lines[worst])
    if undefined := [title for title in lines if title not in defined]:
        kinds = in_sentence(undefined) if defined else "every kind of error"
        parts.append(f"{name} is undefined with {kinds}")
    if idle:
        titles = kind_of(result).noises
        unchanged = [_short_title(titles[one]) for one in noises_of(result) if one in idle]
        parts.append(f"{in_sentence(unchanged)} changed no span")
    return f"At p = {most:g}, {'; '.join(parts)}."


def _idle_noises(result: Result) -> Iterator[str]:
    """Kinds of noise that should change spans, but changed none at the highest probability."""
    at = result["probabilities"].index(max(result["probabilities"]))
    for noise, shares in result.get(CHANGED, {}).items():
        if noise != ADDED and not shares[at]:
            yield noise


def _extremes(means: Mapping[str, float], request: str) -> str:
    """The kinds of errors with the lowest and the highest mean, including ties."""
    digits = 1 if unit_of(request) else 2
    ends = min(means.values()), max(means.values())
    low, high = ([kind for kind in means if isclose(means[kind], end)] for end in ends)
    least, most = (brief(end, digits) for end in ends)
    if len(low) == len(means):
        kinds = in_sentence(low) if len(low) < 3 else f"all {count_word(len(low))} kinds of errors"
        return f"{least} with {kinds}"
    return f"lowest with {in_sentence(low)} ({least}) and highest with {in_sentence(high)} ({most})"


def _range_of_metrics(result: Result, kind: str, line: Line) -> Iterator[str]:
    """The lowest and highest scores among metrics with best value 1, for a kind of error."""
    names = short_names(result["metrics"])
    scores = {
        name: value
        for name, request, value in zip(names, result["requests"], line)
        if value is not None and not unit_of(request) and _higher_is_better(request)
    }
    least, most = (end(scores, key=scores.__getitem__, default="") for end in (min, max))
    if len(scores) > 1 and not isclose(scores[least], scores[most]):
        which = f"the {count_word(len(scores))} metrics"
        if len(scores) < len(names):
            which += " of which 1 is the best value"
        ends = " to ".join(f"{printable(one)} ({brief(scores[one])})" for one in (least, most))
        yield f"with {kind}, {which} range from {ends}"


def most_errors(result: Result) -> list[tuple[str, Line]]:
    """Title of each kind of noise, and the mean of every metric at the highest probability."""
    most = max(result["probabilities"])
    means = {
        (row["noise"], row["metric"]): row["mean"]
        for row in result["rows"]
        if row["probability"] == most
    }
    titles = kind_of(result).noises
    return [
        (titles[noise], [means[noise, metric] for metric in result["metrics"]])
        for noise in noises_of(result)
    ]


def _short_title(title: str) -> str:
    """The title of a kind of noise for a sentence, without its explanation."""
    name = title.partition(":")[0]
    return name[:1].lower() + name[1:]


def unit_of(request: str) -> str:
    """The unit of a metric with values below 0 or above 1; "" for all others."""
    name = request.partition("(")[0]
    if name in CATALOG and CATALOG[name].bits:
        return "bits"
    return "per 1,000 tokens" if name == "false_positives" else ""


def _higher_is_better(request: str) -> bool:
    """Whether higher values of a metric of spans or trees are better."""
    name = request.partition("(")[0]
    return all(table[name].higher_is_better for table in (CATALOG, TREE_CATALOG) if name in table)


def perturbation_markdown(result: Result) -> str:
    """A table for each kind of noise as Markdown, and the metrics in full.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    header, kind = list(map(markdown_text, header_of(result))), kind_of(result)
    lines = [
        f"# {kind.title}",
        "",
        f"{markdown_text(size_text(result))}.",
        "",
        kind.how_to_read,
        "",
    ]
    for _, title, rows in noise_tables(result):
        lines += [f"## {title}", "", *pipe_table(header, map(_cells, rows))]
    said = [*result.get("notes", ()), *result.get("warnings", ())]
    lines += [f"- {markdown_text(one)}" for one in said]
    lines += ["## Metrics", "", *(f"- {code(request)}" for request in result["requests"])]
    lines += ["", f"Made by spacy-chance-eval {result['version']}."]
    return "\n".join(lines) + "\n"


def perturbation_records(result: Result) -> Iterator[dict[str, Any]]:
    """One row for each kind of noise, probability, metric and run.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    key = kind_of(result).key
    requests = dict(zip(result["metrics"], result["requests"]))
    for row in result["rows"]:
        for run, value in enumerate(row["values"], 1):
            same = [row["noise"], row["probability"], row["metric"]]
            values = [*same, run, value, requests[row["metric"]], result["seed"]]
            yield {key: result[key], **dict(zip(COLUMNS, values))}


def perturbation_csv(result: Result) -> str:
    """The rows of `perturbation_records`; numbers in full.

    Parameters
    ----------
    result : dict
        The result of `perturb`.
    """
    return csv_text([kind_of(result).key, *COLUMNS], perturbation_records(result))


def noisy_text(result: Result) -> str:
    """The scores of annotation that was written with random errors.

    Parameters
    ----------
    result : dict
        The result of `write_perturbed`.
    """
    errors = ", ".join(f"{kind} {share:g}" for kind, share in result["errors"].items())
    parts = [
        f"{_amount(result)}, seed {result['seed']}",
        f"{errors}: {quantity(result['n_noisy'], 'span')}; {result['changed']:.1%} of the spans "
        "are not there any more",
        text_table(
            ["metric", "score"], [[printable(k), number(v)] for k, v in result["scores"].items()]
        ).strip("\n"),
    ]
    said = [*result["notes"], *(f"Warning: {one}" for one in result.get("warnings", ()))]
    return "\n".join([*parts, *map(printable, said)])


# --- tables


def short_names(metrics: Sequence[str]) -> list[str]:
    """Names of metrics with the values of parameters alone, if these names are still different."""
    names = []
    for metric in metrics:
        name, _, rest = metric.rstrip(") ").partition("(")
        values = [_short_value(part) for part in rest.split(",")] if rest else []
        names.append(" ".join([name.strip(), *values]))
    return names if len(set(names)) == len(metrics) else list(metrics)


def _short_value(part: str) -> str:
    """The value of "parameter=value"; "none" by itself would say nothing."""
    name, _, value = part.rpartition("=")
    return f"{name.strip()}=none" if value.strip() == "none" else value.strip()


def kind_of(result: Result) -> Kind:
    """Whether it is of trees or of spans."""
    return TREES if TREES.key in result else SPANS


def noises_of(result: Result) -> Sequence[str]:
    """The kinds of noise of a result."""
    noises: Sequence[str] = result.get("kinds") or list(TREES.noises)
    return noises


def header_of(result: Result) -> list[str]:
    """The names of the columns of a table."""
    return ["p", *([CHANGED] * (CHANGED in result)), *short_names(result["metrics"])]


def _amount(result: Result) -> str:
    """The annotation, and how much of it was used."""
    kind = kind_of(result)
    unit = "sentence" if kind is TREES else "document"
    n_used = result[f"n_{unit if kind is TREES else 'doc'}s"]
    n_all = result.get("n_all", n_used)
    parts = [
        f"{quantity(n_used, unit)}{f' of {n_all}, drawn at random' if n_all > n_used else ''}",
        quantity(result["n_tokens"], result.get("positions", "token").replace("char", "character")),
    ]
    if kind is SPANS:
        parts.append(quantity(result["n_spans"], "span"))
    parts.append(quantity(result["n_labels"], "relation" if kind is TREES else "label"))
    return f"{printable(result[kind.key])}: {', '.join(parts)}"


def size_text(result: Result) -> str:
    """The annotation, how much of it was used, and the runs."""
    return f"{_amount(result)}, {quantity(result['runs'], 'run')}, seed {result['seed']}"


def noise_tables(result: Result) -> Iterator[tuple[str, str, list[Line]]]:
    """Each kind of noise with its title and lines."""
    means = {
        (row["noise"], row["probability"], row["metric"]): row["mean"] for row in result["rows"]
    }
    for noise in noises_of(result):
        changed = result.get(CHANGED, {}).get(noise)
        lines = [
            [
                p,
                *([changed[i]] if changed else []),
                *(means[noise, p, m] for m in result["metrics"]),
            ]
            for i, p in enumerate(result["probabilities"])
        ]
        yield noise, kind_of(result).noises[noise], lines


def _cells(line: Line) -> list[str]:
    probability, *scores = line
    return [f"{probability:g}", *map(number, scores)]
