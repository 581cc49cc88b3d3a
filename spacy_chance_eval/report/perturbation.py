"""Scores of trees with random errors: as tables for the terminal, as Markdown, as CSV."""

import csv
import io

from .tables import cell, code, escaped, pipe_table
from .text import right_aligned
from .words import counted, number, shown

TITLE = "Scores of trees with random errors"
NOISES = {
    "both": "Labels and attachments",
    "labels": "Labels alone",
    "attachments": "Attachments alone",
}
HOW_TO_READ = (
    "The treebank is scored against itself with random errors: with probability p a token gets a "
    "random relation, a random head, or both. Each number is the mean of the runs. 1 is full "
    "agreement; alpha has 0 at chance level."
)
COLUMNS = ("treebank", "noise", "probability", "metric", "run", "value", "request", "seed")


def size(result):
    """What the experiment was made on, and how."""
    drawn = result["n_all"] > result["n_sentences"]
    of_all = f" of {result['n_all']}, drawn at random" if drawn else ""
    return (
        f"{shown(result['treebank'])}: {counted(result['n_sentences'], 'sentence')}{of_all}, "
        f"{counted(result['n_tokens'], 'token')}, {counted(result['n_labels'], 'relation')}, "
        f"{counted(result['runs'], 'run')}, seed {result['seed']}"
    )


def short_names(metrics):
    """Names without the names of parameters, if they are still different: syntax_alpha plain."""
    short = []
    for metric in metrics:
        name, _, rest = metric.rstrip(") ").partition("(")
        values = [part.rpartition("=")[2].strip() for part in rest.split(",")] if rest else []
        short.append(" ".join([name.strip(), *values]))
    return short if len(set(short)) == len(metrics) else list(metrics)


def by_noise(result):
    """Pairs of a kind of noise, in words, and its lines: a probability and the mean by metric."""
    means = {
        (row["noise"], row["probability"], row["metric"]): row["mean"] for row in result["rows"]
    }
    for noise, title in NOISES.items():
        lines = [
            (p, [means[noise, p, metric] for metric in result["metrics"]])
            for p in result["probabilities"]
        ]
        yield title, lines


def cells(line):
    """A line as texts: the probability, then the scores."""
    probability, scores = line
    return [f"{probability:g}", *map(number, scores)]


def perturbation_text(result):
    """A table for each kind of noise.

    Parameters
    ----------
    result : dict
        As `syntax_experiment.perturb_treebank` makes it.
    """
    header = ["p", *map(shown, short_names(result["metrics"]))]
    parts = [size(result)]
    for title, lines in by_noise(result):
        parts += [f"\n{title}", right_aligned(list(map(cells, lines)), header).strip("\n")]
    return "\n".join(parts)


def perturbation_markdown(result):
    """The same as Markdown, with what the metrics are in full."""
    header = ["p", *map(escaped, short_names(result["metrics"]))]
    lines = [f"# {TITLE}", "", f"{escaped(size(result))}.", "", HOW_TO_READ, ""]
    for title, rows in by_noise(result):
        lines += [f"## {title}", "", *pipe_table(header, map(cells, rows))]
    lines += ["## Metrics", "", *(f"- {code(request)}" for request in result["requests"])]
    lines += ["", f"Made by spacy-chance-eval {result['version']}."]
    return "\n".join(lines) + "\n"


def perturbation_csv(result):
    """One row for each kind of noise, probability, metric and run; numbers in full."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    requests = dict(zip(result["metrics"], result["requests"]))
    for row in result["rows"]:
        same = [result["treebank"], row["noise"], row["probability"], row["metric"]]
        for run, value in enumerate(row["values"], 1):
            values = [*same, run, value, requests[row["metric"]], result["seed"]]
            writer.writerow(["" if field is None else cell(field) for field in values])
    return file.getvalue()
