"""What the commands share: files that must not be written over, and progress."""

import os
import sys
from time import sleep

import pytest

from helpers.cases import each_case
from spacy_chance_eval.cli.options import check_outputs, progress_bar


def test_outputs_of_their_own_are_fine(tmp_path):
    read, written = [tmp_path / "a", None], [tmp_path / "b", "-", None, "-", tmp_path / "c"]
    assert check_outputs(read, written) is None


@pytest.mark.parametrize("path", ["a.conll", "./a.conll", "new/../a.conll", "link.conll"])
def test_a_file_that_is_read_is_not_written(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.conll").touch()
    (tmp_path / "link.conll").symlink_to("a.conll")
    with pytest.raises(ValueError, match=f"^{path} is read, too; write to another file"):
        check_outputs(["a.conll"], [path])


def test_no_file_is_written_twice(tmp_path):
    with pytest.raises(ValueError, match="is written twice"):
        check_outputs([], [tmp_path / "a.html", None, str(tmp_path / "a.html")])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder, and a function that makes empty files in it."""
    monkeypatch.chdir(tmp_path)

    def made(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    return made


@each_case("source", ["g", "g/", "./g", "g/*.jsonl", "g/**/*.jsonl", "*/*.jsonl"])
def test_files_of_folders_and_patterns_are_not_written_over(folder, source):
    folder("g/s1.jsonl", "g/s2.jsonl")
    with pytest.raises(ValueError, match=r"^g/s2.jsonl is read, too"):
        check_outputs([source], ["g/s2.jsonl"])
    check_outputs([source], ["s2.jsonl", "h.json"])


def test_files_that_the_folder_links_to_are_not_written_over(folder):
    folder("shard.jsonl", "g/s1.jsonl")
    os.symlink("../shard.jsonl", "g/s2.jsonl")
    for path in ("shard.jsonl", "g/s2.jsonl"):
        with pytest.raises(ValueError, match=f"^{path} is read, too"):
            check_outputs(["g"], [path])


def test_endings_tell_what_is_read(folder):
    folder("g/a.jsonl.gz", "g/b.spacy", "g/c.conllu", "g/README", "g/report.html")
    check_outputs(["g"], ["g/README", "g/report.html", "g/new.json"])
    for name in ("a.jsonl.gz", "b.spacy", "c.conllu"):
        with pytest.raises(ValueError, match=f"^g/{name} is read, too"):
            check_outputs(["g"], [f"g/{name}"])


def test_what_is_missing_or_no_file_is_an_error_elsewhere(folder):
    folder("out.json")
    inputs = ["no.jsonl", "no/*.jsonl", "en_core_web_sm", None]
    assert check_outputs([*inputs, "memory://a/*.jsonl", "nosuch://a"], ["out.json"]) is None


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_a_terminal_without_a_width_shows_progress(monkeypatch):
    ours, theirs = os.openpty()  # of 0 columns, as long as nobody sets any
    with open(ours, "rb", buffering=0) as screen, open(theirs, "w") as terminal:
        os.set_blocking(ours, False)
        monkeypatch.setattr(sys, "stderr", terminal)
        steps = (sleep(0.15) or number for number in range(3))  # longer than a bar waits
        assert list(progress_bar(steps, 3, "Steps")) == [0, 1, 2]
        assert b"Steps" in (screen.read(4096) or b"")
