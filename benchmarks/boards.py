"""Seconds and peak memory of leaderboards: the command on files, and the function by systems.

    pip install ".[bench]" && python benchmarks/boards.py [--systems 3 12] [--output boards.json]

The command ranks twelve systems on 3,453 sentences with four labels, from CoNLL files to all kinds
(no plots: see the row of html for these), as a process of its own. The function ranks what is
already in memory; memory is the peak of its process, with Python, numpy and the data. By documents,
and beside seqeval, it is the topic `leaderboard` of run.py.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import inputs
from file_rows import write_conll
from measuring import Clock, call, command, forget_peak, peak_mb, print_table

CONLL = 3453
SYSTEMS = [3, 6, 12, 24, 48]
BOARDS = (("md,csv,json", 1000), ("md,csv,json", 10_000), ("html", 1000))


def by_command():
    """Rows of the command on twelve files."""
    gold, systems = inputs.shared_task(CONLL, 12)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{name}.conll") for name in ("gold", *systems)]
        for path, spans in zip(paths, (gold, *systems.values())):
            write_conll(path, spans)
        for formats, resamples in BOARDS:
            options = ["--resamples", resamples, "--format", formats, "-o", Path(folder, "board")]
            what = f"rank 12 files, {resamples:,} resamples: {formats}"
            yield {"function": what, "docs": CONLL} | command("rank", *paths, *options)


def ranked(n_systems):
    """Figures of one leaderboard of annotation in memory; run it in a process of its own."""
    from spacy_chance_eval import Resampling, leaderboard

    gold, systems = inputs.shared_task(CONLL, n_systems)
    forget_peak()
    clock = Clock()
    leaderboard(gold, systems, ["span_f"], intervals=Resampling(1000))
    return {**clock.times, "peak_mb": peak_mb()}


def rows(numbers):
    """All rows of the table."""
    yield from by_command()
    for number in numbers:
        what = f"leaderboard, span F, {number} systems"
        yield {"function": what, "docs": CONLL} | call("boards", "ranked", number)


COLUMNS = {
    "what": ("function", ""),
    "docs": ("docs", ","),
    "seconds": ("seconds", ".2f"),
    "processor": ("processor_seconds", ".2f"),
    "MB": ("peak_mb", ".0f"),
}
WIDTHS = (48, 8, 9, 10, 8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--systems", type=int, nargs="*", default=SYSTEMS, help="of the function")
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    arguments = parser.parse_args()
    print_table(rows(arguments.systems), COLUMNS, WIDTHS, arguments.output)


if __name__ == "__main__":
    main()
