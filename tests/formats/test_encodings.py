"""Text that is not UTF-8: the encoding that is told, and the command that converts it."""

import gzip
import shutil
import subprocess

import pytest

from spacy_chance_eval.formats import read
from spacy_chance_eval.formats.encodings import probable_encoding
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.treebank import read_trees

TEXT = "Ärger\tB-X\nüber\tO\n\nIt\tO\n"
QUOTED = TEXT + "“so”\tO\n"
ENCODINGS = {
    "latin1": (TEXT, "latin1", "WINDOWS-1252"),
    "windows": (QUOTED, "cp1252", "WINDOWS-1252"),
    "utf-16": (QUOTED, "utf-16", "UTF-16"),
}
iconv = pytest.mark.skipif(shutil.which("iconv") is None, reason="there is no iconv here")


@pytest.mark.parametrize("case", ENCODINGS)
def test_encodings_are_told_by_their_bytes(case):
    text, encoding, name = ENCODINGS[case]
    assert probable_encoding(text.encode(encoding)) == name


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("Привет мир".encode("cp1251"), None),
        ("日本語".encode("shift-jis"), None),
        ("ä ö ü ß ".encode() + b"\xff", "UTF-8"),
        ("ä \xe4".encode("latin1"), "WINDOWS-1252"),
    ],
    ids=["cyrillic", "japanese", "damaged", "short"],
)
def test_other_bytes_are_not_taken_for_latin1(data, name):
    assert probable_encoding(data) == name


def refused(path, reader=read):
    with pytest.raises(FormatError, match="not UTF-8 text") as error:
        reader(path)
    return error.value


def follow(error, folder):
    """Run the command that a message ends in."""
    command = str(error.args[0]).partition(": ")[2]
    subprocess.run(["bash", "-c", command], cwd=folder, check=True)


@iconv
@pytest.mark.parametrize("case", ENCODINGS)
@pytest.mark.parametrize("name", ["my file.conll", "a.conll.gz"])
def test_the_command_converts_the_file(tmp_path, case, name):
    text, encoding, told = ENCODINGS[case]
    data = text.encode(encoding)
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    error = refused(path)
    assert error.line == 1 and f"iconv -f {told} " in str(error)
    follow(error, tmp_path)
    new = tmp_path / f"utf8-{name.removesuffix('.gz')}"
    assert [w for doc in read(new).documents for w in doc.words][0] == text.split("\t")[0]


@iconv
def test_damaged_bytes_can_be_dropped(tmp_path):
    path = tmp_path / "a.conll"
    path.write_bytes((TEXT * 2).encode() + b"\xffAda\tO\n")
    error = refused(path)
    assert error.line == 9 and "write the line again" in str(error)
    follow(error, tmp_path)
    assert read(tmp_path / "utf8-a.conll").documents[-1].words[-1] == "Ada"


@iconv
@pytest.mark.parametrize("encoding", ["latin1", "utf-16"])
def test_treebanks_are_converted_alike(tmp_path, encoding):
    path = tmp_path / "a.mrg"
    path.write_bytes("(S (N Ärger))".encode(encoding))
    follow(refused(path, read_trees), tmp_path)
    assert read_trees(tmp_path / "utf8-a.mrg").sentences[0].words == ("Ärger",)


def test_where_the_bytes_do_not_tell_no_encoding_is_named(tmp_path):
    path = tmp_path / "a.conll"
    path.write_bytes("Привет\tO\n".encode("cp1251"))
    assert f"find out its encoding, and convert it: cat {path} | iconv" in str(refused(path))
