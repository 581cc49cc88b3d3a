"""Figures of the commands, -o x.svg: which goes into which file, and what is refused at once."""

import sys

import pytest

from helpers.drawn import Drawn, value_at
from helpers.extras import skip_without_cairo
from helpers.textfiles import call, conll, failed

GOLD = ["B-PER", "I-PER", "O", "O", "B-LOC", "O"]
PRED = ["B-PER", "I-PER", "O", "O", "O", "B-LOC"]


@pytest.fixture
def files(tmp_path):
    """Gold, a good system and a bad one."""
    return [
        conll(tmp_path / "gold.conll", GOLD),
        conll(tmp_path / "good.conll", GOLD),
        conll(tmp_path / "bad.conll", PRED),
    ]


def drawn(path):
    return Drawn(path.read_text("utf-8"))


def ranked(*arguments):
    done = call("score", *arguments, "--resamples", 20)
    assert done.exit_code == 0, done.stderr
    return done


def test_a_board_is_drawn_with_its_intervals(files, tmp_path):
    done = ranked(*files, "-o", tmp_path / "board.svg")
    assert f"Written: {tmp_path / 'board.svg'}" in done.stderr
    page = drawn(tmp_path / "board.svg")
    assert [page.texts(page.group(f"system-{i}"))[0] for i in (0, 1)] == ["good", "bad"]
    assert value_at(page)(page.width) > 1 and "span_f" in page.texts()


def test_ranks_are_drawn_if_they_are_asked_for(files, tmp_path):
    both = ["-o", f"{tmp_path / 'a.svg'}#figure=ranks", "-o", tmp_path / "b.svg"]
    ranked(*files, *both)
    assert "rank corrected" in drawn(tmp_path / "a.svg").texts()
    assert "rank corrected" not in drawn(tmp_path / "b.svg").texts()


def test_the_description_of_a_file_has_the_signature(files, tmp_path):
    done = ranked(*files, "-o", "-", "-o", tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text("utf-8").partition("<desc")[2].partition("</desc>")[0]
    assert "span_f(beta=1.0,chance=disjoint,unit=sentence)|" in text and "|ci=bootstrap,20" in text
    assert done.stdout.startswith("{") and "Written:" not in done.stdout


def test_an_agreement_is_drawn_as_the_matrix_of_its_pairs(files, tmp_path):
    options = ("--resamples", 0, "-o", "-", "-o", tmp_path / "a.svg")
    done = call("agree", *files, *options)
    assert done.exit_code == 0 and done.stdout.startswith("{"), done.stderr
    page = drawn(tmp_path / "a.svg")
    assert page.texts(page.group("cell-1-1")) == ["1.00"]  # gold and good


def test_trees_are_drawn_as_the_matrix_of_their_pairs(tmp_path):
    rows = "1\ta\t_\t_\t_\t_\t{}\tx\t_\t_\n2\tb\t_\t_\t_\t_\t{}\tx\t_\t_\n\n"
    for name, heads in (("one", (0, 1)), ("two", (2, 0))):
        (tmp_path / f"{name}.conllu").write_text(rows.format(*heads), "utf-8")
    both = [tmp_path / "one.conllu", tmp_path / "two.conllu"]
    done = call("agree", *both, "-m", "uas", "--resamples", 0, "-o", tmp_path / "a.svg")
    assert done.exit_code == 0, done.stderr
    page = drawn(tmp_path / "a.svg")
    assert page.texts(page.group("cell-0-0")) == [".00"]


def test_a_diff_is_drawn_as_the_confusion_of_its_labels(files, tmp_path):
    done = call("diff", files[0], files[2], "-o", tmp_path / "a.svg")
    assert done.exit_code == 0, done.stderr
    page = drawn(tmp_path / "a.svg")
    assert page.texts(page.group("cell-1-1")) == page.texts(page.group("cell-0-2")) == ["1"]


def test_a_comparison_is_drawn_as_differences(files, tmp_path):
    for path in files[1:]:
        assert call("score", files[0], path, "-o", path.with_suffix(".run")).exit_code == 0
    runs = [path.with_suffix(".run") for path in files[1:]]
    done = call("compare", *runs, "--resamples", 20, "-o", tmp_path / "a.svg")
    assert done.exit_code == 0, done.stderr
    page = drawn(tmp_path / "a.svg")
    assert [page.texts(page.group(f"part-{i}"))[0] for i in (0, 1)] == ["all spans", "LOC"]


def test_a_file_that_is_read_is_not_written_over(files, tmp_path):
    path = files[1].rename(tmp_path / "good.svg")
    message = failed("score", files[0], path, "--format", "conll", "-o", path)
    assert "good.svg" in message and path.read_text("utf-8").startswith("Ada")


def test_without_cairosvg_the_extra_is_named_before_anything_is_read(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    message = failed("diff", tmp_path / "nowhere", "-o", tmp_path / "x.pdf")
    assert "pip install 'spacy-chance-eval[pdf]'" in message and "write .svg" in message


@pytest.mark.integration
def test_a_pdf_embeds_its_fonts(files, tmp_path):
    skip_without_cairo()
    ranked(*files, "-o", tmp_path / "a.pdf")
    content = (tmp_path / "a.pdf").read_bytes()
    assert content.startswith(b"%PDF") and b"/FontFile" in content
