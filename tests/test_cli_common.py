"""What the commands share: files that must not be written over, and progress."""

import os
import sys

import pytest

from spacy_chance_eval.cli_common import check_outputs, progress_bar


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
    with pytest.raises(ValueError, match="is to be written for another option, too"):
        check_outputs([], [tmp_path / "a.html", None, str(tmp_path / "a.html")])


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_a_terminal_without_a_width_shows_progress(monkeypatch):
    ours, theirs = os.openpty()  # of 0 columns, as long as nobody sets any
    with open(ours, "rb", buffering=0) as screen, open(theirs, "w") as terminal:
        os.set_blocking(ours, False)
        monkeypatch.setattr(sys, "stderr", terminal)
        assert list(progress_bar(range(3), what="Steps", mininterval=0)) == [0, 1, 2]
        assert b"Steps" in (screen.read(4096) or b"")
