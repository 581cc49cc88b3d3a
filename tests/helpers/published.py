"""The published numbers in papers/*.csv, and the layouts they are of."""

import csv
from itertools import groupby
from pathlib import Path


def rows(name):
    """The rows of a table, as dicts of strings."""
    path = Path(__file__).parents[1] / "papers" / name
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def runs(layout):
    """Spans (start, end) of the runs of 1 in a string of 0 and 1."""
    spans, position = [], 0
    for mark, run in groupby(layout):
        size = len(list(run))
        if mark == "1":
            spans.append((position, position + size))
        position += size
    return spans
