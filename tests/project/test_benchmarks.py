"""`benchmarks/run.py`: what it writes, and that nothing stops it. Its figures are nobody's test."""

import json
import subprocess
import sys
from argparse import Namespace
from importlib import import_module
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="benchmarks measure on Linux and macOS only")
pytestmark = pytest.mark.integration

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
COMMAND = [sys.executable, str(BENCHMARKS / "run.py"), "--sizes", "20", "--repeat", "1"]
SLEEP = "import time; time.sleep(60)"


@pytest.fixture(autouse=True)
def found(monkeypatch):
    """Modules of the benchmarks are found by their names."""
    monkeypatch.syspath_prepend(BENCHMARKS)


@pytest.fixture
def run():
    return import_module("run")


@pytest.fixture
def measuring():
    return import_module("measuring")


def options(**others):
    """Options of the command, as parsed."""
    usual = {"sizes": [10, 100], "budget": 60, "repeat": 1, "memory": 4000, "large": False}
    return Namespace(**usual | others)


def figures(seconds=1.0, value=0.5):
    """What a cell prints."""
    times = {"seconds": 10 * seconds, "processor_seconds": seconds}
    return {**times, "peak_mb": 50, "share": 1, "value": value}


def last_rows(measured):
    """The rows of a topic after all figures, by name."""
    *_, (rows, _) = measured
    return {row["name"]: row for row in rows}


def topic_of(**figures_of):
    """A topic with a peer, each row with a function from sizes to figures."""
    rows = import_module("rows")
    made = [
        rows.Row(name, made, ("ours",) if name != "ours" else ())
        for name, made in figures_of.items()
    ]
    return rows.Topic("a topic", tuple(made), (10,), large=(1000,))


@pytest.fixture
def in_process(run, monkeypatch):
    """Cells are worked out in this process, by `prepare` itself."""

    def measured(topic, **others):
        rows = {row.name: row for row in topic.rows}
        cell = lambda *words, limit: rows[words[3]].prepare(words[4])  # noqa: E731
        monkeypatch.setattr(run, "own_process", cell)
        return last_rows(run.measure("key", topic, options(**others)))

    return measured


# --- the command


def test_the_command_writes_figures_and_ratios(tmp_path):
    done = subprocess.run(
        [*COMMAND, "--only", "tokens", "--output", tmp_path], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    ours, peer = results["topics"]["tokens"]["rows"]
    assert (ours["name"], peer["beside"], peer["stopped"]) == ("ours", ["ours"], None)
    assert peer["cells"][0]["ratios"]["ours"]["times"] > 0
    assert peer["cells"][0]["value"] == pytest.approx(ours["cells"][0]["value"], rel=1e-9)
    assert all(row["cells"][0]["peak_mb"] > 10 for row in (ours, peer))
    assert results["machine"]["versions"]["numpy"]
    assert "| scikit-learn |" in (tmp_path / "table.md").read_text()
    assert str(Path.home()) not in json.dumps(results)
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.slow
def test_every_row_gives_a_figure_or_says_why_not(tmp_path):
    done = subprocess.run([*COMMAND, "--output", tmp_path], capture_output=True)
    assert done.returncode == 0, done.stderr
    topics = json.loads((tmp_path / "results.json").read_text())["topics"]
    rows = [row for topic in topics.values() for row in topic["rows"]]
    assert all(row["cells"] or "not installed" in row["stopped"] for row in rows)
    assert not any("problem" in cell for row in rows for cell in row["cells"])


# --- rows


def test_a_ratio_is_the_processors_seconds_of_the_peer_over_ours(in_process):
    peer = lambda n: figures(6.0) | {"seconds": 10.0}  # noqa: E731
    rows = in_process(topic_of(ours=lambda n: figures(2.0), peer=peer))
    ratios = [cell["ratios"]["ours"] for cell in rows["peer"]["cells"]]
    assert [(ratio["times"], ratio["times_seconds"]) for ratio in ratios] == [(3, 0.5)] * 2


# --- processes


def test_a_process_that_takes_too_long_ends_with_those_it_started(measuring, tmp_path):
    path = tmp_path / "number"
    code = (
        "import pathlib, subprocess, sys, time;"
        f"child = subprocess.Popen([sys.executable, '-c', {SLEEP!r}]);"
        f"pathlib.Path({str(path)!r}).write_text(str(child.pid)); time.sleep(60)"
    )
    with pytest.raises(measuring.MeasuringError, match="took more than 3 s"):
        measuring.own_process("-c", code, limit=3)
    assert not is_running(int(path.read_text()))


def is_running(number):
    """Whether there is such a process, and it has not ended."""
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import no_such_module", "not installed: No module named 'no_such_module'"),
        ("raise ValueError('spans cross')", "failed: ValueError: spans cross"),
        ("import os; os.kill(os.getpid(), 9)", "was killed, probably for lack of memory"),
        ("print('no JSON')", "printed no figures"),
        ("", "printed no figures"),
    ],
)
def test_a_process_that_fails_says_why(measuring, code, message):
    with pytest.raises(measuring.MeasuringError) as caught:
        measuring.own_process("-c", code)
    assert str(caught.value) == message


# --- corpora
