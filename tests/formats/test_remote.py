"""Addresses: what fsspec opens is read and written as local files are."""

import pytest

from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.files import check_unchanged, fingerprint

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(params=["memory", "file"])
def folder(request, tmp_path):
    """The address of an empty folder: in memory, and as an address of a local one."""
    if request.param == "file":
        yield tmp_path.as_uri()
        return
    yield "memory://folder"
    fsspec.filesystem("memory").rm("/", recursive=True)


def put(address, data=b"text\n"):
    with fsspec.open(address, "wb") as file:
        file.write(data)
    return address


def test_a_remote_file_that_nobody_touches_is_unchanged(folder):
    path = put(f"{folder}/a")
    assert check_unchanged(path, fingerprint(path)) is None


def test_a_remote_file_that_changes_while_it_is_read_is_named(folder):
    path = put(f"{folder}/a")
    before = fingerprint(path)
    put(path, b"other text\n")
    with pytest.raises(FormatError, match=f"{path}: changed while it was read"):
        check_unchanged(path, before)


def test_a_remote_file_that_is_removed_while_it_is_read_is_named(folder):
    path = put(f"{folder}/a")
    before = fingerprint(path)
    system, place = fsspec.core.url_to_fs(path)
    system.rm(place)
    with pytest.raises(FormatError, match="changed while it was read .*no such file"):
        check_unchanged(path, before)
