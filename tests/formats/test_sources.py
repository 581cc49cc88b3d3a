import json

import pytest

from helpers.blocks import in_blocks, score
from helpers.cases import each_case
from helpers.textfiles import SPANS, call, jsonl, prodigy
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.openings import docbins_at
from spacy_chance_eval.formats.paths import files_at, is_pattern, is_several

ROW = json.dumps({"tokens": ["a", "b"], "spans": [[0, 1, "X"]]}) + "\n"


@pytest.fixture
def folder(tmp_path):
    for name in ("b.jsonl", "a.jsonl", "c.spacy", "[x].jsonl", ".hidden/d.jsonl", "deep/e.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(ROW)
    return tmp_path


def names(files):
    return [file.name for file in files]


@each_case(
    "path, several",
    [("", True), ("*.jsonl", True), ("none*", True), ("a.jsonl", False), ("[x].jsonl", False)],
)
def test_folders_and_patterns_stand_for_several_files(folder, path, several):
    assert is_several(folder / path) is several


def test_a_name_is_no_pattern_if_a_file_has_it(folder):
    assert not is_pattern(folder / "[x].jsonl")
    assert names(files_at(folder / "[x].jsonl")) == ["[x].jsonl"]


def test_a_pattern_without_any_match_is_an_error(folder):
    with pytest.raises(FormatError, match=r"none\*: no file matches this pattern; check the path"):
        files_at(folder / "none*")


def test_docbins_are_told_by_their_beginning_and_by_their_name_if_that_tells_nothing(folder):
    assert names(docbins_at(folder)) == []  # rows of JSON
    (folder / "c.spacy").write_bytes(b"\x00\x01")
    (folder / "d.bin").write_bytes(b"x\x9c")
    assert names(docbins_at(folder)) == ["c.spacy", "d.bin"]
    assert names(docbins_at(folder / "c*")) == ["c.spacy"]


@pytest.mark.parametrize(
    "command, names", [("score", ("", "")), ("score", ("", "x=")), ("agree", ("x=", "y="))]
)
def test_commands_take_patterns(folder, command, names):
    done = call(command, *(f"{name}{folder}/[ab].jsonl" for name in names), "-m", "span_f")
    assert done.exit_code == 0, done.stderr
    assert "|docs=2|" in done.stdout


@pytest.mark.parametrize("how", [score, in_blocks], ids=["one block", "many blocks"])
def test_each_file_of_a_folder_is_read_in_its_own_format(tmp_path, how):
    (tmp_path / "README.txt").write_text("about")
    jsonl(tmp_path / "a.jsonl", SPANS)
    assert how(tmp_path, tmp_path)["layers"][0]["n_docs"] == 1
    prodigy(tmp_path / "b.jsonl", SPANS)
    assert how(tmp_path, tmp_path)["layers"][0]["n_docs"] == 2


def test_a_format_that_is_named_is_that_of_all_files(tmp_path):
    jsonl(tmp_path / "b.jsonl", SPANS)
    (tmp_path / "README.md").write_text("about")
    assert call("score", tmp_path, tmp_path, "--format", "jsonl").exit_code == 0
    (tmp_path / "notes.md").write_text("about")
    done = call("score", tmp_path, tmp_path, "--format", "jsonl")
    assert (done.exit_code, "notes.md:1: invalid JSON" in done.stderr) == (1, True)
