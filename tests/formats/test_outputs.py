"""Sets of files and folders: all of them appear, or none; killed runs are cleared up after."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spacy_chance_eval.formats import FormatError, outputs
from spacy_chance_eval.formats.outputs import (
    OURS,
    STALE,
    check_writable,
    new_folder,
    output_set,
    replaced_folder,
    whole_file,
    write_atomically,
    write_folder,
)

HOST = outputs._host()
POSIX = pytest.mark.skipif(os.name != "posix", reason="processes are asked for as POSIX does")


def contents(folder):
    """{path: text} of all files, hidden ones too; None for folders."""
    return {
        path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def write_set(folder, text, others=()):
    """Two files and a folder of pages, and more files."""
    with output_set():
        for name in ("a.txt", "sub/b.txt", *others):
            (folder / name).parent.mkdir(exist_ok=True)
            write_atomically(folder / name, text)
        with replaced_folder(folder / "pages", r"\d\.html") as pages:
            write_atomically(pages / "1.html", OURS.decode() + text)


def hidden(process, kind, token="00000000", host=HOST):
    """The name of an output of a process that is not complete."""
    return f".spacy-chance-eval.{host}{process:08x}{token}00000000.{kind}"


@pytest.fixture(scope="module")
def dead():
    """The number of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


# --- all or none


def test_a_set_appears_when_its_block_ends(tmp_path):
    with output_set():
        write_atomically(tmp_path / "a.txt", "new")
        with new_folder(tmp_path / "folder") as folder:
            (folder / "b.txt").write_text("new")
        assert not (tmp_path / "a.txt").exists() and not (tmp_path / "folder").exists()
    assert contents(tmp_path) == {"a.txt": "new", "folder": None, "folder/b.txt": "new"}


def test_a_set_replaces_an_older_one_and_leaves_nothing_else(tmp_path):
    write_set(tmp_path, "old")
    os.chmod(tmp_path / "a.txt", 0o640)
    write_set(tmp_path, "new")
    page = OURS.decode() + "new"
    visible = {"a.txt": "new", "sub/b.txt": "new", "pages/1.html": page}
    assert contents(tmp_path) == dict(
        sorted({**visible, "sub": None, "pages": None}.items(), key=lambda one: one[0].split("/"))
    )
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_a_set_that_fails_leaves_the_old_one(tmp_path, error):
    write_set(tmp_path, "old")
    before = contents(tmp_path)
    with pytest.raises(error):
        with output_set():
            write_set_plainly(tmp_path)
            raise error
    assert contents(tmp_path) == before


def write_set_plainly(folder):
    """A file and a folder, as parts of a set."""
    write_atomically(folder / "a.txt", "new")
    with replaced_folder(folder / "pages", r"\d\.html") as pages:
        write_atomically(pages / "2.html", OURS.decode())


@pytest.mark.parametrize("error", [BrokenPipeError, SystemExit])
def test_a_report_that_nobody_reads_or_that_is_bad_is_written(tmp_path, error):
    with pytest.raises(error):
        with output_set():
            write_atomically(tmp_path / "a.txt", "new")
            raise error
    assert contents(tmp_path) == {"a.txt": "new"}


def test_outputs_that_are_deleted_because_of_another_are_listed(tmp_path, monkeypatch):
    with pytest.raises(FormatError, match="UTF-8"):
        with output_set() as deleted:
            write_atomically(tmp_path / "a.txt", "new")
            write_atomically(tmp_path / "b.txt", "\ud800")
    assert deleted == [tmp_path / "a.txt"] and contents(tmp_path) == {}
    monkeypatch.setattr(os, "replace", replacing_until(os.replace, "b.txt"))
    with pytest.raises(FormatError, match="b.txt: cannot be written"):
        with output_set() as deleted:
            for name in ("a.txt", "b.txt", "c.txt"):
                write_atomically(tmp_path / name, "new")
    assert deleted == [tmp_path / "a.txt", tmp_path / "c.txt"] and contents(tmp_path) == {}


@pytest.mark.parametrize("number", range(9))
def test_a_rename_that_fails_takes_the_others_back(tmp_path, monkeypatch, number):
    """The journal's own rename, links, and those of each output."""
    write_set(tmp_path, "old")
    before, calls = contents(tmp_path), []

    def failing(function):
        def call(*arguments):
            calls.append(arguments)
            if len(calls) == number + 1:
                raise PermissionError(errno.EACCES, "open elsewhere")
            return function(*arguments)

        return call

    for name in ("rename", "replace"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))
    try:
        write_set(tmp_path, "new")
    except FormatError as error:
        assert "cannot be written (open elsewhere)" in str(error)
        assert contents(tmp_path) == before
    else:  # fewer renames than that
        assert number >= 5 and len(calls) <= number


def test_files_whose_file_system_has_no_links_are_taken_back_too(tmp_path, monkeypatch):
    write_set(tmp_path, "old")
    before = contents(tmp_path)

    def unlinkable(*_):
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", unlinkable)
    monkeypatch.setattr(os, "replace", replacing_until(os.replace, "b.txt"))
    with pytest.raises(FormatError, match="in use"):
        write_set(tmp_path, "new")
    assert contents(tmp_path) == before


def test_a_file_that_windows_keeps_open_has_advice(tmp_path, monkeypatch):
    def replace(*_):
        error = PermissionError(errno.EACCES, "Access is denied")
        error.winerror = 5
        raise error

    monkeypatch.setattr(os, "replace", replace)
    with pytest.raises(FormatError, match="denied.; close the program that has it open"):
        write_atomically(tmp_path / "a.csv", "new")
    assert contents(tmp_path) == {}


def replacing_until(function, name):
    """`os.replace` that fails for targets of a name, unless they were there before."""

    def call(source, target):
        if str(target).endswith(name) and str(source).endswith(".tmp"):
            raise PermissionError(errno.EACCES, "in use")
        return function(source, target)

    return call


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ("a.txt", "a.txt", "written for .*a.txt, too"),
        ("pages", "pages/a.txt", "lies in .*pages, which is written as a whole"),
        ("pages/a.txt", "pages", "written for .*a.txt, too"),
    ],
)
def test_outputs_that_hold_each_other_are_refused(tmp_path, first, second, message):
    with pytest.raises(FormatError, match=message):
        with output_set():
            for name in (first, second):
                if name == "pages":
                    with replaced_folder(tmp_path / name, "") as pages:
                        write_atomically(pages / "1.html", OURS.decode())
                else:
                    (tmp_path / name).parent.mkdir(exist_ok=True)
                    write_atomically(tmp_path / name, "new")
    assert not (tmp_path / first).is_file()


def test_a_set_in_a_set_is_there_at_once(tmp_path):
    with pytest.raises(ValueError):
        with output_set():
            write_atomically(tmp_path / "outer", "new")
            with output_set():
                write_atomically(tmp_path / "inner", "new")
            assert (tmp_path / "inner").exists()
            raise ValueError
    assert contents(tmp_path) == {"inner": "new"}


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "a.txt")
    with output_set():
        write_atomically(tmp_path / "link", "new")
        write_atomically(tmp_path / "b.txt", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real" / "a.txt").read_text() == "new"


def test_a_name_that_is_nearly_too_long_is_written(tmp_path):
    name = "a" * 250 + ".txt"
    write_atomically(tmp_path / name, "new")
    assert contents(tmp_path) == {name: "new"}


# --- killed runs


@POSIX
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_killed_run_has_left_is_deleted_by_the_next(tmp_path, dead, kind):
    for end in ("tmp", "old"):
        path = tmp_path / hidden(dead, end)
        path.write_text("half") if kind == "file" else write_folder(path, {"1": b"half"})
    write_atomically(tmp_path / "other.txt", "new")
    assert contents(tmp_path) == {"other.txt": "new"}


@pytest.mark.parametrize(
    ("host", "age", "stays"),
    [(HOST, 0, True), ("00000000", 0, True), ("00000000", STALE + 60, False)],
)
def test_outputs_of_runs_that_may_go_on_are_left_alone(tmp_path, host, age, stays):
    path = tmp_path / hidden(os.getppid(), "tmp", host=host)
    path.write_text("half")
    os.utime(path, (path.stat().st_mtime - age,) * 2)
    write_atomically(tmp_path / "other.txt", "new")
    assert path.exists() == stays


@POSIX
def test_an_older_process_of_the_same_number_is_dead(tmp_path):
    path = tmp_path / hidden(os.getpid(), "tmp")
    path.write_text("half")
    write_atomically(tmp_path / "other.txt", "new")
    assert not path.exists()


@POSIX
def test_a_link_called_as_a_leftover_keeps_its_target(tmp_path, dead):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a").write_text("mine")
    (tmp_path / hidden(dead, "tmp")).symlink_to(tmp_path / "mine")
    write_atomically(tmp_path / "other.txt", "new")
    assert contents(tmp_path) == {"mine": None, "mine/a": "mine", "other.txt": "new"}


def journal_of(folder, dead, rows):
    """A journal that a killed run has left."""
    path = folder / hidden(dead, "journal")
    path.write_text(rows if isinstance(rows, str) else json.dumps(rows))
    return path


@POSIX
def test_a_set_is_completed_from_its_journal(tmp_path, dead):
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / hidden(dead, "tmp")).write_text("new")
    journal_of(
        tmp_path, dead, [[hidden(dead, "tmp"), "a.txt"], [hidden(dead, "tmp", "1" * 8), "b"]]
    )
    write_atomically(tmp_path / "other.txt", "new")
    assert contents(tmp_path) == {"a.txt": "new", "other.txt": "new"}


@POSIX
@pytest.mark.parametrize(
    "rows",
    [
        [["victim", "other"]],
        [["../victim", "a.txt"]],
        [[hidden(7, "tmp"), "../victim"]],
        [["sub/" + hidden(7, "tmp"), "victim"]],
        [[1, 2]],
        [[]],
        {"a": 1},
        7,
        "not JSON",
        "[" * 100_000,
    ],
)
def test_a_journal_of_somebody_else_renames_nothing_of_yours(tmp_path, dead, rows):
    folder = tmp_path / "out"
    folder.mkdir()
    (tmp_path / "victim").write_text("mine")
    (folder / "victim").write_text("mine")
    journal_of(folder, dead, rows)
    write_atomically(folder / "other.txt", "new")
    assert contents(tmp_path) == {
        "out": None,
        "out/other.txt": "new",
        "out/victim": "mine",
        "victim": "mine",
    }


@POSIX
def test_a_folder_that_has_got_other_files_is_not_replaced_by_a_journal(tmp_path, dead):
    write_folder(tmp_path / "pages", {"1.html": OURS, "thesis.txt": b"mine"})
    write_folder(tmp_path / hidden(dead, "tmp"), {"1.html": OURS})
    journal_of(tmp_path, dead, [[hidden(dead, "tmp"), "pages"]])
    with pytest.raises(FormatError, match="thesis.txt"):
        write_atomically(tmp_path / "other.txt", "new")
    assert (tmp_path / "pages" / "thesis.txt").read_text() == "mine"


# --- runs at the same time


def write_often(folder, name):
    """Write one set again and again."""
    for _ in range(40):
        write_set(folder, name, ("c.txt", "d.txt"))


@POSIX
def test_two_runs_at_the_same_time_leave_one_whole_set(tmp_path):
    write_set(tmp_path, "old")
    runs = [subprocess.Popen([sys.executable, __file__, tmp_path, name]) for name in "xy"]
    assert [run.wait() for run in runs] == [0, 0]
    files = {path: text for path, text in contents(tmp_path).items() if text is not None}
    assert {text[-1] for text in files.values()} in ({"x"}, {"y"})
    assert {*files} == {"a.txt", "c.txt", "d.txt", "pages/1.html", "sub/b.txt"}


def test_a_file_that_cannot_be_made_names_itself(tmp_path):
    with pytest.raises(FormatError, match="cannot be written.*check the folder"):
        with whole_file(tmp_path / "nowhere" / "a.txt"):
            pass


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no such device on this system")
def test_devices_are_written_to_and_never_replaced(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("/dev/null")
    with output_set():
        for path in ("/dev/null", link):
            check_writable(path)
            write_atomically(path, "text")
    assert not os.path.isfile("/dev/null") and link.is_symlink()
    assert not [name for name in os.listdir("/dev") if name.startswith(".spacy")]


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no such device on this system")
@pytest.mark.parametrize("stdout", ["pipe", "file"])
def test_the_standard_output_can_be_named(tmp_path, stdout):
    code = (
        "from spacy_chance_eval.formats.outputs import write_atomically\n"
        "print('report', flush=True); write_atomically('/dev/stdout', 'text')"
    )
    with open(tmp_path / "file", "wb") as file:
        to = subprocess.PIPE if stdout == "pipe" else file
        done = subprocess.run([sys.executable, "-c", code], stdout=to, check=True)
    assert (done.stdout or (tmp_path / "file").read_bytes()) == b"report\ntext"
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code = f"print(open({str(tmp_path / 'pipe')!r}).read())"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as reader:
        write_atomically(tmp_path / "pipe", "text")
        assert reader.communicate()[0] == b"text\n"
    assert [*tmp_path.iterdir()] == [tmp_path / "pipe"]


if __name__ == "__main__":
    write_often(Path(sys.argv[1]), sys.argv[2])
