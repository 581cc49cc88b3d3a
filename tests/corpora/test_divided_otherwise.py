"""Predictions with the tokens of gold in other documents or sentences have those of gold."""

import json
from itertools import pairwise

import pytest
from typer.testing import CliRunner

from helpers.blocks import assert_alike, many_blocks
from spacy_chance_eval import read_compared
from spacy_chance_eval.cli import app

N_ARTICLES = 40
TAGS = (("B-PER", "O", "B-LOC"), ("O", "B-PER", "O", "O"))
PRED = (("B-PER", "O", "B-PER"), ("O", "B-PER", "I-PER", "O"))


def lines(tags):
    """The lines of some articles, each with two sentences; empty ones and boundaries included."""
    for article in range(N_ARTICLES):
        yield "-DOCSTART- O"
        yield ""
        for sentence in tags:
            for place, tag in enumerate(sentence):
                yield f"w{article}.{place} {tag if article % 3 or place else 'O'}"
            yield ""


def text(tags=PRED, keep=lambda number, line: True):
    return "\n".join(one for i, one in enumerate(lines(tags)) if keep(i, one)) + "\n"


LAYOUTS = {
    "no_docstart": lambda i, line: "DOCSTART" not in line,
    "some_docstarts": lambda i, line: "DOCSTART" not in line or i % 4,
    "no_blank_lines": lambda i, line: line or i % 5,
    "neither": lambda i, line: line and "DOCSTART" not in line,
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.conll").write_text(text(TAGS))
    (tmp_path / "same.conll").write_text(text())
    for name, keep in LAYOUTS.items():
        (tmp_path / f"{name}.conll").write_text(text(keep=keep))


def run(*args, code=0):
    result = CliRunner().invoke(app, args)
    assert result.exit_code == code, result.output
    return result.output


def made(*args, code=0):
    target = "out.json"
    run(*args, "-o", target, code=code)
    with open(target) as file:
        return json.load(file)


def numbers(result):
    """A result without what says where it came from."""
    kept = {k: v for k, v in result.items() if k not in ("names", "pred", "warnings")}
    return json.loads(json.dumps(kept).replace("same.conll", "PRED"))


COMMANDS = {
    "score": ["score", "--resamples", "20"],
    "documents": ["score", "--unit", "document"],
    "diff": ["diff"],
    "explain": ["score", "--explain", "-m", "span_f(draws=20)"],
    "explain_one": ["score", "--explain", "3"],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_scores_are_those_of_the_documents_of_gold(files, command, layout):
    expected = made(*command, "gold.conll", "same.conll")
    result = made(*command, "gold.conll", f"{layout}.conll")
    assert numbers(result) == numbers(expected)
    assert not any("other boundaries" in one for one in expected["warnings"])
    (said,) = (one for one in result["warnings"] if "other boundaries" in one)
    assert "gold's are used" in said


@pytest.mark.parametrize("documents", ["auto", "sentence"])
def test_boards_compare_all_layouts(files, documents):
    systems = ["same", *(one for one in LAYOUTS if documents == "auto" or "docstart" not in one)]
    more = ["--documents", documents, "--resamples", "20", "-m", "span_f", "--subset", "length"]
    result = made("score", "gold.conll", *(f"{one}.conll" for one in systems), *more)
    assert result["left_out"] == []
    for board in result["boards"]:
        (same, *others) = (
            {k: row[k] for k in ("gold", "pred", "observed", "expected", "corrected")}
            for row in sorted(board["rows"], key=lambda row: row["system"] != "same")
        )
        assert all(other == same for other in others)
    assert sum("other boundaries" in one for one in result["warnings"]) == 1


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("systems", [[], ["same.conll"]], ids=["pair", "board"])
def test_one_block_and_many_are_alike(files, systems, layout):
    args = ["score", "gold.conll", *systems, f"{layout}.conll", "--resamples", "20"]
    expected = made(*args)
    with many_blocks(strict=False):
        assert_alike(made(*args), expected)


def test_files_of_a_folder_follow_their_partners(files, tmp_path):
    for name, keep in (("gold", None), ("pred", "no_docstart"), ("bad", "neither")):
        (tmp_path / name).mkdir()
        for file in "abc":
            layout = LAYOUTS.get(keep, lambda i, line: True) if file != "c" else lambda *_: True
            (tmp_path / name / f"{file}.conll").write_text(
                text(TAGS if name == "gold" else PRED, layout)
            )
    whole = made("score", "gold", "pred", "--resamples", "0")
    parts = made("score", "gold", "pred", "--resamples", "0", "--read", "skip_bad=yes")
    assert_alike(parts, whole)
    assert any(
        "80 documents of predictions have other boundaries" in one for one in whole["warnings"]
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_annotators_agree_in_the_documents_of_all(files, layout):
    args = "agree", "gold.conll", f"pred={layout}.conll", "--resamples", "20"
    result = made(*args)
    expected = made(*args[:2], "pred=same.conll", *args[3:])
    joined = any("documents end where" in one for one in result["warnings"])
    assert joined == (layout != "no_blank_lines")  # sentences end where those of any do anyway
    if layout in ("no_docstart", "no_blank_lines"):
        for metric, other in zip(result["metrics"], expected["metrics"]):
            assert metric["mean"] == other["mean"] and metric["documents"] == other["documents"]
    with many_blocks(strict=False):
        assert_alike(made(*args), result)


# --- spans are those of the sentences of their own file

GOLD = "O B-PER I-PER O O|B-PER O O"
PREDICTED = "O B-PER I-PER O B-PER I-PER B-LOC I-LOC"
FIRST, LAST = (1, 3, "PER"), (6, 8, "LOC")
DIVISIONS = {  # where sentences of a prediction begin, its spans, and those that match gold
    "like": ({5}, [FIRST, (4, 5, "PER"), (5, 6, "PER"), LAST], 2),
    "none": (set(), [FIRST, (4, 6, "PER"), LAST], 1),
    "before": ({2, 5}, [(1, 2, "PER"), (2, 3, "PER"), (4, 5, "PER"), (5, 6, "PER"), LAST], 1),
}


def make_divided(name, tags, begins, docstart):
    made = []
    for article in range(3):
        made += ["-DOCSTART- O", ""] if docstart else []
        for at, tag in enumerate(tags):
            made += [""] * (at in begins) + [f"w{article}.{at} {tag}"]
        made.append("")
    with open(name, "w") as file:
        file.write("\n".join(made))


@pytest.mark.parametrize("docstart", [False, True], ids=["sentences", "documents"])
@pytest.mark.parametrize("division", DIVISIONS)
def test_spans_are_those_of_their_own_sentences(tmp_path, monkeypatch, division, docstart):
    monkeypatch.chdir(tmp_path)
    begins, expected, n_matches = DIVISIONS[division]
    make_divided("gold.conll", GOLD.replace("|", " ").split(), {5}, docstart)
    make_divided("pred.conll", PREDICTED.split(), begins, docstart)
    _, pred = read_compared("gold.conll", "pred.conll").aligned()
    found = zip(pred.doc, pred.start, pred.end, (pred.labels[code] for code in pred.label))
    cuts = (0, 8) if docstart else (0, 5, 8)
    rows = [(article, *span) for article in range(3) for span in expected]
    assert [*found] == [
        (doc * (len(cuts) - 1) + n, start - low, end - low, label)
        for doc, start, end, label in rows
        for n, (low, high) in enumerate(pairwise(cuts))
        if low <= start < end <= high
    ]
    assert len(pred.unplaced) == len(rows) - len(pred.doc)  # over a boundary of documents
    result = made("score", "gold.conll", "pred.conll", "--resamples", "0")
    (layer,) = result["layers"]
    assert layer["n_pred"] == len(rows)
    assert layer["scores"]["span_f"]["observed"] == pytest.approx(6 * n_matches / (6 + len(rows)))
    said = any("other boundaries" in one for one in result["warnings"])
    assert said == (division != "like")
    with many_blocks(strict=False):
        assert_alike(made("score", "gold.conll", "pred.conll", "--resamples", "0"), result)
