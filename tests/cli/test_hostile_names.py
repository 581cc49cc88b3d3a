"""Names that steer a terminal: nothing that a command prints does so, in results and errors."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from helpers import treefiles
from spacy_chance_eval.cli import app

# an escape sequence, a bell, backspaces, a return, C1 controls, overrides of the direction
ACTIVE = "\x1b]0;evil\x07\x1b[2J\x08\r\x9b5m\x85\x7f\u202e\u2066"
# bytes that no output may have; newlines are found by the line that they would begin
FORBIDDEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]|\nFORGED"
)
# at a terminal: our colours, its newlines, and a progress bar that goes back to its begin
MOVES = re.compile(r"\x1b\[[\d;]*[mAK]|\r")
ROOT = Path(__file__).parents[2]


def hostile(name):
    """A name with everything in it that acts on a terminal, and a newline."""
    return f"{name}{ACTIVE}\nFORGED"


def on_one_line(text):
    """The same for formats with a unit a line: without what ends one."""
    return re.sub("[\r\x85]", "", text)


def rows(path, *, labels=("PER", "LOC"), shift=0, n_docs=3, **more):
    """JSON lines of some documents whose names, labels and words are hostile."""
    words = [hostile(word) for word in "Ada met Rex Roe in Oslo .".split()]
    per, loc = (hostile(label) for label in labels)
    spans = [(0, 1, per), (2, 4 - shift, per), (5, 6, loc)]
    with open(path, "w") as file:
        for number in range(n_docs):
            found = [{"start": start, "end": end, "label": label} for start, end, label in spans]
            row = {"tokens": words, "spans": found[: 3 - number % 2], "name": hostile(f"d{number}")}
            print(json.dumps({**row, hostile("key"): hostile("value"), **more}), file=file)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of all kinds, all with hostile contents, and some with hostile names."""
    folder = tmp_path_factory.mktemp("hostile")
    rows(folder / "gold.jsonl")
    rows(folder / "pred.jsonl", shift=1)
    rows(folder / "other.jsonl", labels=("PER", "ORG"))
    name = f"bad{ACTIVE}.jsonl"
    rows(folder / name, shift=1)
    (folder / f"folder{ACTIVE}").mkdir()
    for who in ("ann", "bob"):
        rows(folder / f"folder{ACTIVE}" / f"{who}{ACTIVE}.jsonl", shift=who == "bob")
    both = name, "pred.jsonl"
    systems = [{"path": str(folder / one), "name": hostile(one)} for one in both]
    (folder / "systems.json").write_text(json.dumps(systems))
    (folder / "systems.yml").write_text(json.dumps({"systems": systems}))
    (folder / "key.yml").write_text(json.dumps([{"path": "a", hostile("key"): 1}]))
    (folder / "tag.yml").write_text('- !!python/object:os.system "a\\e[2J"\n')
    (folder / "alias.yml").write_text("- &a [1]\n- *a\n")
    (folder / "bad.conll").write_text(f"Ada{ACTIVE} B-PER{ACTIVE}\nRex X{ACTIVE}\n")
    words = [word + ACTIVE for word in treefiles.WORDS]
    names = [name + ACTIVE for name in treefiles.RELATIONS]
    for name, heads in {"gold": treefiles.HEADS, "pred": (2, 0, 2, 2)}.items():
        text = on_one_line(treefiles.conll(heads, names, words, name=f"s1{ACTIVE}"))
        (folder / f"{name}.conllu").write_text(text)
    (folder / "head.conllu").write_text(text.replace("\t2\t", f"\t{on_one_line(ACTIVE)}\t"))
    (folder / "half.jsonl").write_text(json.dumps({"tokens": ["a"], "spans": [[0, 1, "\ud800"]]}))
    (folder / "broken.json").write_text('{"a": ' + ACTIVE)
    run(folder, "score gold.jsonl pred.jsonl -o main.run", 0)
    run(folder, "score gold.jsonl gold.jsonl -o next.run", 0)
    run(folder, "score gold.jsonl systems.yml -o board --resamples 20", 0)
    return folder


def run(folder, command, code=None):
    """The output of a command, in this process; words in `<>` are names of files."""
    words = [word.replace("<>", ACTIVE) for word in command.split(" ")]
    before = os.getcwd()
    os.chdir(folder)
    try:
        done = CliRunner().invoke(app, words)
    finally:
        os.chdir(before)
    assert isinstance(done.exception, (SystemExit, type(None))), done.exception
    assert code in (None, done.exit_code), done.stderr
    return done.stdout + done.stderr


def check(text):
    """Raise for what acts on a terminal."""
    found = FORBIDDEN.search(text)
    where = slice(max(0, found.start() - 200), found.end() + 100) if found else slice(0)
    assert found is None, text[where].encode("unicode_escape")


# by the comment above them: calls that go well, and that end with an error that quotes something
_, RESULTS, ERRORS = (
    part.strip().splitlines()
    for part in re.split(
        "^#.*$", Path(__file__).with_name("hostile_names.txt").read_text(), flags=re.M
    )
)


@pytest.mark.integration
@pytest.mark.parametrize("number", range(len(RESULTS)))
def test_no_result_acts_on_a_terminal(folder, number):
    command = RESULTS[number]
    printed = run(folder, command, 0)
    assert printed
    # the newline of a value in a page begins no line of a terminal that is read as one
    check(printed.replace("\nFORGED", "") if "html" in command else printed)


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_no_error_acts_on_a_terminal(folder, number):
    printed = run(folder, ERRORS[number])
    assert printed
    check(printed)


@pytest.mark.integration
@pytest.mark.parametrize("written", ["page", "all"])
def test_files_of_reports_have_nothing_that_acts_on_a_terminal(folder, written):
    """Who looks at them with `cat` is as safe."""
    run(folder, "score gold.jsonl pred.jsonl -o page.html --explain", 0)
    run(folder, "score gold.jsonl x=pred.jsonl -o all.html -o all.md -o all.csv", 0)
    files = [path for path in folder.iterdir() if path.stem == written and path.is_file()]
    assert files
    for path in files:
        check(path.read_text().replace("\nFORGED", ""))  # a newline of a page is a blank


@pytest.mark.integration
@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(
    "command",
    [
        "diff gold.jsonl pred.jsonl",
        "score gold.jsonl bad<>.jsonl -m slicm_norm(chance=disjoint,draws=10)",
        "convert gold.jsonl seen<>.conll",
        "score gold.jsonl key.yml",
    ],
)
def test_at_a_terminal_there_are_our_own_colours_alone(folder, command):
    words = [word.replace("<>", ACTIVE) for word in command.split(" ")]
    spawn = "import pty, sys; pty.spawn(sys.argv[1:])"
    program = [sys.executable, "-c", spawn, sys.executable, "-m", "spacy_chance_eval", *words]
    seen = {}
    for plain in ("", "1"):
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "NO_COLOR": plain}
        done = subprocess.run(
            program, cwd=folder, stdout=subprocess.PIPE, env=environ, stdin=subprocess.DEVNULL
        )
        seen[plain] = done.stdout.decode()
        assert seen[plain]
        check(MOVES.sub("", seen[plain]))
    assert "\x1b[3" not in seen["1"]
