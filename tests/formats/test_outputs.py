"""Sets of files and folders: all of them appear, or none."""

import errno
import os
import subprocess
import sys

import pytest

from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.formats.outputs import (
    OURS,
    check_writable,
    output_set,
    replaced_folder,
    write_atomically,
)


def contents(folder):
    """{path: text} of all files, hidden ones too; None for folders."""
    return {
        path.relative_to(folder).as_posix(): path.read_text() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def write_set(folder, text):
    """Two files and a folder of pages."""
    with output_set():
        for name in ("a.txt", "sub/b.txt"):
            (folder / name).parent.mkdir(exist_ok=True)
            write_atomically(folder / name, text)
        with replaced_folder(folder / "pages", r"\d\.html") as pages:
            write_atomically(pages / "1.html", OURS.decode() + text)


# --- all or none


def test_a_set_appears_when_its_block_ends(tmp_path):
    with output_set():
        write_atomically(tmp_path / "a.txt", "new")
        with replaced_folder(tmp_path / "folder", r"b\.txt") as folder:
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


def test_a_set_with_an_exit_code_is_written(tmp_path):
    with pytest.raises(SystemExit):
        with output_set():
            write_atomically(tmp_path / "a.txt", "new")
            raise SystemExit(3)
    assert contents(tmp_path) == {"a.txt": "new"}


def test_outputs_appear_one_after_the_other(tmp_path, monkeypatch):
    with pytest.raises(FormatError, match="UTF-8"):
        with output_set():
            write_atomically(tmp_path / "a.txt", "new")
            write_atomically(tmp_path / "b.txt", "\ud800")
    assert contents(tmp_path) == {}
    monkeypatch.setattr(os, "replace", replacing_until(os.replace, "b.txt"))
    with pytest.raises(FormatError, match="b.txt: cannot be written"):
        with output_set():
            for name in ("a.txt", "b.txt", "c.txt"):
                write_atomically(tmp_path / name, "new")
    assert contents(tmp_path) == {"a.txt": "new"}


def test_a_folder_whose_successor_cannot_be_renamed_is_there_again(tmp_path, monkeypatch):
    write_set(tmp_path, "old")
    before, rename = contents(tmp_path), os.rename

    def call(source, target):
        if source.suffix == ".tmp" and target.name == "pages" and not (source / "1.html").exists():
            raise PermissionError(errno.EACCES, "open elsewhere")
        return rename(source, target)

    monkeypatch.setattr(os, "rename", call)
    with pytest.raises(FormatError, match="pages: cannot be written .open elsewhere"):
        with replaced_folder(tmp_path / "pages", r"\d\.html") as pages:
            write_atomically(pages / "2.html", OURS.decode())
    assert contents(tmp_path) == before


def test_a_run_stopped_while_a_set_appears_leaves_whole_files(tmp_path, monkeypatch):
    write_set(tmp_path, "old")
    monkeypatch.setattr(os, "replace", replacing_until(os.replace, "b.txt", KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        write_set(tmp_path, "new")
    found = {path: text[-3:] for path, text in contents(tmp_path).items() if text}
    assert found == {"a.txt": "new", "pages/1.html": "old", "sub/b.txt": "old"}


IN_USE = PermissionError(errno.EACCES, "in use")


def replacing_until(function, name, error=IN_USE):
    """`os.replace` that fails for targets of a name."""

    def call(source, target):
        if str(target).endswith(name):
            raise error
        return function(source, target)

    return call


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


# --- single files


@pytest.mark.parametrize("name", ["new/folder/a.txt", "a.txt/b", "link"])
def test_the_folder_of_a_file_is_not_made(tmp_path, name):
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "link").symlink_to("new/b")
    for write in (check_writable, lambda path: write_atomically(path, "new")):
        with pytest.raises(
            FormatError, match=f"{name}: its folder does not exist; make that first"
        ):
            write(tmp_path / name)
    with pytest.raises(FormatError, match=f"{name}: its folder does not exist"):
        with replaced_folder(tmp_path / name, "x"):
            pass
    assert {*os.listdir(tmp_path)} == {"a.txt", "link"}


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
