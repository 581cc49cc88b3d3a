"""Paths that nothing can be at: one error at the door, wherever a user's text becomes a path."""

import json
import os
from pathlib import Path

import pytest

from helpers.cases import each_case
from helpers.textfiles import GOLD, conll, failed
from spacy_chance_eval.corpora.sources import parse_systems
from spacy_chance_eval.formats import READERS, read
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.outputs import check_writable
from spacy_chance_eval.formats.paths import files_at, path_of

LONG = "x" * 300
NO_PATH = "has a character that no path has"
TOO_LONG = "cannot be looked at (File name too long)"


@pytest.fixture
def loop(tmp_path):
    """A link to itself."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    return tmp_path / "loop"


@each_case(
    ("path", "message"),
    [(LONG, TOO_LONG), ("a/" * 3000, TOO_LONG), ("a\0b", NO_PATH), ("\ud800.jsonl", NO_PATH)],
)
def test_a_path_that_cannot_be_is_an_error_as_text_and_as_path(path, message):
    for one in (path, Path(path)):
        with pytest.raises(FormatError) as caught:
            path_of(one)
        assert message in str(caught.value)


def test_a_circle_of_links_is_named(loop):
    with pytest.raises(FormatError, match="symbolic links"):
        path_of(loop / "a.jsonl")


def test_what_is_not_there_is_no_error_of_a_path(tmp_path):
    (tmp_path / "a").write_text("")
    for path in (tmp_path / "b", tmp_path / "a" / "b", "gold/*.jsonl", "", "C:\\x"):
        assert path_of(path) == Path(path)


@each_case("name", list(READERS))
def test_all_readers_refuse_such_paths(name, loop):
    for path in (LONG, "a\0b", Path(LONG + ".jsonl"), loop, loop.with_name("loop") / "a.conll"):
        for options in ({}, {"format": name}):
            with pytest.raises(FormatError):
                read(path, **options)


def test_a_list_of_systems_with_such_paths_is_refused(tmp_path):
    for path, message in ((LONG, TOO_LONG), (f"{LONG}/a.conll", TOO_LONG), ("a\0b", NO_PATH)):
        (tmp_path / "systems.yml").write_text(json.dumps({"systems": [{"path": path}]}))
        with pytest.raises(FormatError) as caught:
            parse_systems([str(tmp_path / "systems.yml")])
        assert message in str(caught.value)


@each_case(
    "words",
    [
        ("score", "gold.conll", LONG),
        ("score", LONG, "gold.conll"),
        ("rank", "gold.conll", f"A={LONG}"),
        ("agree", "gold.conll", f"{LONG}#spans"),
        ("diff", "gold.conll", LONG),
        ("convert", LONG, "out.jsonl"),
        ("convert", "gold.conll", f"{LONG}.jsonl"),
        ("score", "gold.csv", "gold.csv", "--texts", LONG),
        ("score", "gold.conll", "gold.conll", "-o", f"{LONG}.json"),
        ("compare", LONG, LONG),
    ],
)
def test_commands_refuse_such_paths_with_a_message(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    conll(tmp_path / "gold.conll", GOLD)
    (tmp_path / "gold.csv").write_text("document,start,end,label\na,0,1,PER\n")
    assert LONG[:50] in failed(*words)


def test_a_file_cannot_be_written_there(loop):
    for path in (LONG, "a\0b", loop / "a"):
        with pytest.raises(FormatError):
            check_writable(path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may enter all folders")
def test_a_closed_folder_is_named(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "a.conll").write_text("")
    closed.chmod(0o400)
    try:
        with pytest.raises(FormatError, match="Permission denied"):
            path_of(closed / "a.conll")
        with pytest.raises(FormatError, match="cannot be listed .*Permission denied"):
            files_at(tmp_path)
    finally:
        closed.chmod(0o700)
