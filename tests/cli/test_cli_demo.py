"""The command `demo`: its output, its pages, and that its advice can be followed."""

import shlex
import subprocess
import sys

import pytest

from helpers.textfiles import call, failed

pytestmark = pytest.mark.integration

PAGES = ("statements.html", "entities.html", "agreement/index.html", "explain.html")


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder of a demonstration, and what was printed."""
    folder = tmp_path_factory.mktemp("demo") / "chance-demo"
    done = call("demo", "-o", folder)
    assert done.exit_code == 0, done.stderr
    return folder, done.stdout


def test_it_ends_with_what_was_seen(demo):
    assert "over-marker is ahead of gazetteer" in " ".join(demo[1].split())


@pytest.mark.parametrize("name", PAGES)
def test_its_pages_are_there(demo, name):
    folder, text = demo
    assert name.partition("/")[0] in text
    page = (folder / name).read_text(encoding="utf8")
    assert page.rstrip().endswith("</html>") and 'src="http' not in page


def test_its_next_commands_can_be_run(demo):
    lines = [line for line in demo[1].splitlines() if line.startswith("spacy-chance-eval ")]
    assert len(lines) == 1
    for line in lines:
        done = call(*shlex.split(line)[1:])
        assert done.exit_code == 0 and done.stdout, (line, done.stderr)


def test_it_takes_the_place_of_an_earlier_one_only(demo, tmp_path):
    assert call("demo", "-o", demo[0]).exit_code == 0
    (tmp_path / "thesis.txt").write_text("mine")
    assert "thesis.txt" in failed("demo", "-o", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_it_needs_no_network_and_no_plots(tmp_path):
    """In a process of its own, without sockets and without what extras bring."""
    code = (
        "import socket, sys\n"
        "def refuse(*_): raise OSError('no network')\n"
        "socket.socket.connect = refuse\n"
        "for name in ('cairosvg', 'numba', 'fsspec'): sys.modules[name] = None\n"
        "from spacy_chance_eval.cli import app\n"
        "app(['demo'])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "chance-demo" / "statements.html").is_file()
