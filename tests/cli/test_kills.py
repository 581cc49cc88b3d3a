"""Programs killed at every file event: afterwards each output is the old one or the new one."""

import os
import shutil
import sys

import pytest

from helpers.textfiles import call
from spacy_chance_eval.formats.outputs import HIDDEN

from .test_faults import command, inputs

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are forked"),
]

EVENTS = {"open", "os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.chmod"}
KILLED = 99
OLD = b"\n<!-- old -->"
# commands that write several files or a folder
SETS = {
    "a board": "score gold.conll pred.conll -o out --resamples 20",
    "pages and JSON": "score gold.conll pred.conll -o pages -o out.json",
}
EACH = pytest.mark.parametrize(
    "name", ["a board", pytest.param("pages and JSON", marks=pytest.mark.slow)]
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
    return any(part.startswith(HIDDEN) for part in path.parts)


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


@pytest.fixture
def sets(tmp_path, name):
    """A folder with the inputs and an old set; the contents with the old and with the new set."""
    (tmp_path / "start").mkdir()
    folder = inputs(tmp_path / "start")
    before = visible(folder)
    in_child(folder, run(folder, SETS[name]))
    new = visible(folder)
    for path in new.keys() - before.keys():
        with open(folder / path, "ab") as file:
            file.write(OLD)
    return folder, visible(folder), new


def restore(start, folder):
    """Make a folder a copy of another."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(start, folder)


@EACH
def test_a_program_killed_at_any_file_event_leaves_old_and_new_files_only(tmp_path, sets, name):
    folder, old, new = sets
    start, action = tmp_path / "copy", run(folder, SETS[name])
    shutil.copytree(folder, start)
    n_events = in_child(folder, action)
    assert n_events > 5 and visible(folder) == new
    found = []
    for last in range(n_events):
        restore(start, folder)
        in_child(folder, action, last)
        found.append(visible(folder))
        assert all(content in (old[path], new[path]) for path, content in found[-1].items())
        folders = {path.split("/")[0] for path in old if "/" in path}
        for pages in folders:  # one that is replaced is missing for a moment
            now = {path: found[-1][path] for path in found[-1] if path.startswith(pages)}
            whole = [
                {path: one[path] for path in one if path.startswith(pages)} for one in sets[1:]
            ]
            assert now in (*whole, {})
        assert folders or found[-1].keys() == old.keys()
    assert found[0] == old
    in_child(folder, action)
    assert visible(folder) == new
