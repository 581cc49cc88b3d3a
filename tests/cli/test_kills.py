"""Programs killed at every file event: afterwards the outputs are the old set or the new one."""

import os
import shutil
import sys

import pytest

from helpers.textfiles import call
from spacy_chance_eval.formats.outputs import HIDDEN, write_atomically

from .test_faults import WRITERS, command, inputs

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked"),
]

EVENTS = {"open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.chmod"}
KILLED = 99
OLD = b"\n<!-- old -->"
# commands that write several files or a folder, and their outputs
SETS = {
    name: WRITERS[name]
    for name in ("pages of errors", "pages of an agreement", "pages of differences", "compare")
}
SETS |= {
    "a board": ("rank gold.conll pred.conll -o out --resamples 20 --figure figure.svg", ["out"]),
    "pages and JSON": ("score gold.conll pred.conll --html pages -o out.json", ["pages"]),
    "an agreement": ("agree gold.conll pred.conll --html pages -o sub/out.json", ["pages"]),
    "a diff": (
        "diff gold.conll pred.conll --html pages -o out.jsonl --adjudicate tasks.jsonl",
        ["pages"],
    ),
    "a plan": ("plan old.run new.run --html page.html -o out.json --resamples 20", ["page.html"]),
    "a new folder": ("convert gold.conll folder --to brat", ["folder"]),
}
QUICK = {"a board"}
EACH = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in SETS],
)


def visible(folder):
    """{path: bytes} of all files that are not hidden."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not hidden(path.relative_to(folder))
    }


def hidden(path):
    """Whether a path is in something that is not complete, or is that itself."""
    return any(HIDDEN.fullmatch(part) for part in path.parts)


def in_child(folder, action, last=None):
    """Run an action in a process of its own, killed before a file event; the number of events."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            n_events = 0

            def count(event, arguments):
                nonlocal n_events
                if event in EVENTS and arguments and str(arguments[0]).startswith(str(folder)):
                    if event == "open" and "r" in str(arguments[1] or "x").replace("+", ""):
                        return
                    if n_events == last:
                        os._exit(KILLED)
                    n_events += 1

            sys.addaudithook(count)
            action()
            os.write(theirs, str(n_events).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        written = pipe.read()
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended == (0 if last is None else KILLED if not written else 0), ended
    return int(written) if written else None


def run(folder, text):
    """An action: one command, which succeeds."""

    def action():
        done = call(*command(folder, text))
        assert done.exit_code == 0, done.stderr

    return action


def heal(folder):
    """An action: another file is written into the folders with outputs."""

    def action():
        for path in (folder, folder / "sub"):
            write_atomically(path / "another.txt", "another")

    return action


@pytest.fixture
def sets(tmp_path, name):
    """A folder with the inputs and an old set; the contents with the old and with the new set."""
    text, _ = SETS[name]
    (tmp_path / "start" / "sub").mkdir(parents=True)
    folder = inputs(tmp_path / "start")
    before = visible(folder)
    in_child(folder, run(folder, text))
    new = visible(folder)
    made = {path: content for path, content in new.items() if path not in before}
    assert made
    old = before
    if name == "a new folder":  # that is not replaced
        shutil.rmtree(folder / "folder")
    else:
        for path in made:
            with open(folder / path, "ab") as file:
                file.write(OLD)
        old = visible(folder)
    heal(folder)()
    another = {path: b"another" for path in visible(folder) if path.endswith("another.txt")}
    return folder, old | another, new | another


def restore(start, folder):
    """Make a folder a copy of another."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(start, folder)


@EACH
def test_a_program_killed_at_any_file_event_leaves_the_old_set_or_the_new_one(tmp_path, sets, name):
    folder, old, new = sets
    start, killed = tmp_path / "copy", tmp_path / "killed"
    shutil.copytree(folder, start)
    n_events = in_child(folder, run(folder, SETS[name][0]))
    assert n_events > 5 and visible(folder) == new
    found, n_begun = [], 0
    for last in range(n_events):
        restore(start, folder)
        in_child(folder, run(folder, SETS[name][0]), last)
        if visible(folder) not in (old, new):
            restore(folder, killed)
            n_begun += 1
            kill_while_healing(killed, folder, new)
            restore(killed, folder)
        in_child(folder, heal(folder))
        found.append(visible(folder))
        assert found[-1] in (old, new), (last, {*found[-1]} ^ {*new})
        assert not [path for path in folder.rglob("*") if hidden(path.relative_to(folder))]
    assert found[0] == old and found[-1] == new and (n_begun or name == "a new folder")
    print(f"{name}: {n_events} kills, {n_begun} while the set appeared")  # shown by -rP
    restore(start, folder)
    in_child(folder, run(folder, SETS[name][0]), n_events // 2)
    in_child(folder, run(folder, SETS[name][0]))
    assert visible(folder) == new


def kill_while_healing(start, folder, new):
    """Kill the run that completes a set before each of its file events: the next completes it."""
    for last in range(100):
        restore(start, folder)
        ended = in_child(folder, heal(folder), last)
        in_child(folder, heal(folder))
        assert visible(folder) == new, last
        if ended is not None:
            break
    assert last > 2
