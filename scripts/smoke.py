"""Run every command once, as a user would, to see that the installed versions work together.

    python scripts/smoke.py

Needs the package, installed, and no test library. Each command prints its help, and is run with its
example of the reference, on copies of the sample; then `python -m spacy chance`, and for each extra
that is installed a command that uses it. Commands that fail are printed with their output, and the
exit code is 1.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from ctypes.util import find_library
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "website"))

from pages_of_commands import BEFORE, EXAMPLES, in_sample

from spacy_chance_eval.cli import COMMANDS

TWO = "test.jsonl systems/late.jsonl"
# run first: what other commands read
FIRST = [
    BEFORE,
    "score test.jsonl systems/late.jsonl -m token_f -o late.run",
    f"score {TWO} systems/early.jsonl -m token_f --resamples 20 -o board",
    "convert test.jsonl gold.spacy",
    "convert systems/late.jsonl pred.spacy",
]
CODE = (
    "from spacy_chance_eval import report; print(report([['B-A', 'O', 'O']], [['B-A', 'O', 'O']]))"
)
PARQUET = """
import pyarrow, pyarrow.parquet as parquet, subprocess, sys
rows = [dict(tokens=["Ada", "met"], spans=[dict(start=0, end=1, label="PER")])]
parquet.write_table(pyarrow.Table.from_pylist(rows), "test.parquet")
words = ["score", "test.parquet", "test.parquet"]
sys.exit(subprocess.call([sys.executable, "-m", "spacy_chance_eval", *words]))
"""
DASK = f"""
import sys, subprocess
from distributed import LocalCluster
with LocalCluster(n_workers=1, processes=False, protocol="tcp", dashboard_address=None) as cluster:
    words = ["score", *"{TWO}".split(), "--scheduler", cluster.scheduler_address]
    sys.exit(subprocess.call([sys.executable, "-m", "spacy_chance_eval", *words]))
"""
# by a module that is needed: arguments of Python, or of the program
MORE = {
    "spacy": [
        "--version",
        f"score {TWO} -o page.html",
        "agree annotators/anna.jsonl annotators/ben.jsonl -m u_alpha -o agreement",
        f"diff {TWO} -o differences",
        "score gold.spacy pred.spacy",
        f"score {TWO} -n 2",
        "score treebank.conllu treebank.conllu",
        f"python -m spacy chance score {TWO}",
        f"python -c {shlex.quote(CODE)}",
    ],
    "cassis": ["score cas.json cas.json"],
    "pyarrow": [f"python -c {shlex.quote(PARQUET)}"],
    "cairosvg": [f"score {TWO} systems/early.jsonl -m token_f --resamples 20 -o board.pdf"]
    * bool(find_library("cairo")),
    "distributed": [f"python -c {shlex.quote(DASK)}"],
    "evaluate": [
        "python -c 'from spacy_chance_eval.integrations.huggingface import make_compute_metrics'"
    ],
}
FILES = {
    "cas.json": (
        '{"%TYPES": {"webanno.custom.Name": {"%NAME": "webanno.custom.Name", '
        '"%SUPER_TYPE": "uima.tcas.Annotation", '
        '"value": {"%NAME": "value", "%RANGE": "uima.cas.String"}}}, '
        '"%FEATURE_STRUCTURES": [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, '
        '"sofaID": "_InitialView", "sofaString": "Ada slept"}, {"%ID": 2, '
        '"%TYPE": "webanno.custom.Name", "@sofa": 1, "begin": 0, "end": 3, "value": "PER"}], '
        '"%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2]}}}'
    ),
}


def commands() -> list[str]:
    """Command lines that do not depend on each other, of all commands and installed extras."""
    lines = [f"{name} --help" for name in COMMANDS] + [*EXAMPLES.values()]
    return lines + [line for module, more in MORE.items() if find_spec(module) for line in more]


def failure(line: str) -> str | None:
    """The output of a command line that fails; None for others."""
    words = shlex.split(line)
    own = [] if words[0] == "python" else ["-m", "spacy_chance_eval", words[0]]
    done = subprocess.run(
        [sys.executable, *own, *words[1:]],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=os.environ | {"PYTHONUTF8": "1", "COLUMNS": "80"},
        stdin=subprocess.DEVNULL,
    )
    bad = done.returncode or "Traceback" in done.stderr or not (done.stdout or done.stderr)
    return f"{done.stdout[-500:]}{done.stderr[-2000:]}" if bad else None


def main() -> int:
    """Run all; the exit code."""
    with in_sample():
        for name, text in FILES.items():
            Path(name).write_text(text, encoding="utf-8")
        failed = {line: output for line in FIRST if (output := failure(line))}
        lines = commands()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            failed |= {line: text for line, text in zip(lines, pool.map(failure, lines)) if text}
    for line, text in failed.items():
        print(f"--- {line}\n{text}")
    python = ".".join(map(str, sys.version_info[:3]))
    versions = " ".join(f"{name} {version(name)}" for name in ("spacy", "typer", "click", "numpy"))
    print(f"{len(FIRST + lines) - len(failed)} passed, {len(failed)} failed")
    print(f"with Python {python}, {versions}", file=sys.stderr)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
