"""What the commands share: files that must not be written over."""

import pytest

from spacy_chance_eval.cli_common import check_outputs


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
