"""Files and folders: each of them appears whole, or not at all."""

import os
import subprocess
import sys

import pytest

from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.formats.outputs import (
    OURS,
    check_writable,
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
    """A file and a folder of pages."""
    write_atomically(folder / "a.txt", text)
    with replaced_folder(folder / "pages", r"\d\.html") as pages:
        write_atomically(pages / "1.html", OURS.decode() + text)


# --- whole or not at all


def test_outputs_take_the_place_of_older_ones_with_their_mode(tmp_path):
    write_set(tmp_path, "old")
    os.chmod(tmp_path / "a.txt", 0o640)
    write_set(tmp_path, "new")
    page = OURS.decode() + "new"
    assert contents(tmp_path) == {"a.txt": "new", "pages": None, "pages/1.html": page}
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_what_fails_leaves_the_old_one(tmp_path, error):
    write_set(tmp_path, "old")
    before = contents(tmp_path)
    with pytest.raises((error, FormatError)):
        with replaced_folder(tmp_path / "pages", r"\d\.html") as pages:
            write_atomically(pages / "2.html", OURS.decode())
            raise error
    with pytest.raises(FormatError, match="a.txt: cannot be written as UTF-8"):
        write_atomically(tmp_path / "a.txt", "\ud800")
    assert contents(tmp_path) == before


def test_a_page_that_cannot_be_written_is_called_by_its_folder(tmp_path):
    with pytest.raises(FormatError, match="pages: cannot be written as UTF-8"):
        with replaced_folder(tmp_path / "pages", r"\d\.html") as pages:
            write_atomically(pages / "2.html", "\ud800")
    assert contents(tmp_path) == {}


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "a.txt")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real" / "a.txt").read_text() == "new"


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
