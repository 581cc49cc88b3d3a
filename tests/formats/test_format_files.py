import gzip
import os

import pytest

from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.files import open_text, unchanged
from spacy_chance_eval.formats.outputs import write_atomically


def lines_of(path):
    with open_text(path) as lines:
        return list(lines)


def failure(path):
    with pytest.raises(FormatError) as caught:
        lines_of(path)
    return caught.value


CUT = gzip.compress(b"some text\n" * 100, mtime=0)
DAMAGED = {
    "cut off": (CUT[:-9], "gzip"),
    "cut off at the beginning": (CUT[:12], "gzip"),
    "no gzip": (b"\x1f\x8b" + b"no gzip at all, whatever it says", "gzip"),
    "cut off, of another encoding": (gzip.compress(b"\xff" * 9, mtime=0)[:-4], ""),
    "another encoding": (b"fine\n" * 5000 + "señal\n".encode("latin-1"), "a:5001: not UTF-8"),
}


@pytest.mark.parametrize(
    "raw", [b"a\nb\n", b"a\r\nb\r\n", b"\xef\xbb\xbfa\nb\n", gzip.compress(b"a\r\nb\n", mtime=0)]
)
def test_newlines_byte_order_marks_and_gzip_make_no_difference(tmp_path, raw):
    (tmp_path / "a.txt").write_bytes(raw)
    assert lines_of(tmp_path / "a.txt") == ["a\n", "b\n"]


@pytest.mark.parametrize(("data", "message"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_a_format_error_with_its_line(tmp_path, data, message):
    (tmp_path / "a").write_bytes(data)
    error = failure(tmp_path / "a")
    assert message in str(error)
    assert error.line == (5001 if "UTF-8" in message else None)
    assert str(error).endswith("iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW") == bool(error.line)


def test_what_is_no_file_is_a_format_error_and_other_errors_pass_through(tmp_path):
    assert "no such file" in str(failure(tmp_path / "none"))
    assert "a folder" in str(failure(tmp_path))
    (tmp_path / "a").write_text("a\n")
    with pytest.raises(KeyError):
        with open_text(tmp_path / "a"):
            raise KeyError


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    def broken():
        yield "new"
        raise RuntimeError

    (tmp_path / "a").write_text("old")
    with pytest.raises(RuntimeError):
        write_atomically(tmp_path / "a", broken())
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a", "old")]


def grow(path):
    with path.open("a") as file:
        file.write("more")


def rewrite_in_place(path):
    path.write_text("TEXT")
    os.utime(path, ns=(0, 1))


def replace_with_its_copy(path):
    times = path.stat().st_mtime_ns
    new = path.with_name("new")
    new.write_bytes(path.read_bytes())
    os.utime(new, ns=(times, times))
    new.replace(path)


@pytest.mark.parametrize("change", [grow, rewrite_in_place, replace_with_its_copy, os.remove])
def test_a_file_that_changes_while_it_is_read_is_named(tmp_path, change):
    (tmp_path / "a").write_text("text")
    with unchanged([tmp_path / "a"]):
        pass
    with pytest.raises(FormatError, match="a: changed while it was read"):
        with unchanged([tmp_path / "a"]):
            change(tmp_path / "a")
