"""`spacy-chance-eval score` on files of every text format, and with every option."""

import gzip

import pytest

from helpers.cases import each_case
from helpers.textfiles import (
    FOUND,
    GOLD,
    PRED,
    SPANS,
    call,
    conll,
    jsonl,
    prodigy,
    score,
    scored,
)
from spacy_chance_eval import read, report, sample
from spacy_chance_eval.cli import options
from spacy_chance_eval.scoring.statistics import headline


@pytest.fixture
def files(tmp_path):
    """Gold and prediction as CoNLL."""
    return conll(tmp_path / "gold.conll", GOLD), conll(tmp_path / "pred.conll", PRED)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.integration
@each_case(
    "words, layers",
    [
        ("gold.conll pred.conll", "gold gold"),
        ("both.conll", "gold pred"),  # the two last columns
        ("both.out --format conll", "gold pred"),
        ("gold.jsonl pred.jsonl", "spans spans"),
        ("layers.jsonl layers.jsonl#system", "spans system"),
        ("gold.jsonl pred.conll", "spans gold"),
        ("gold.spacy.jsonl pred.jsonl", "spans spans"),  # the last ending decides
        ("gold.conll tasks.jsonl", "gold spans"),
        ("gold-tasks.jsonl tasks.jsonl", "spans spans"),
        ("gold.conll packed.conll.gz", "gold gold"),
        ("gold.conll packed.gz#format=conll", "gold gold"),
    ],
)
def test_the_same_spans_have_the_same_scores_in_all_forms(files, folder, words, layers):
    for name in ("both.conll", "both.out"):
        conll(folder / name, ["X"] * 7, GOLD, PRED)
    for name in ("gold.jsonl", "gold.spacy.jsonl"):
        jsonl(folder / name, SPANS)
    jsonl(folder / "pred.jsonl", FOUND)
    jsonl(folder / "layers.jsonl", SPANS, layers={"system": [list(row) for row in FOUND]})
    prodigy(folder / "gold-tasks.jsonl", SPANS)
    prodigy(folder / "tasks.jsonl", FOUND)
    for name in ("packed.conll.gz", "packed.gz"):
        (folder / name).write_bytes(gzip.compress(files[1].read_bytes()))
    layer, score = scored(*words.split()), scored(*files)["scores"]["span_f"]
    assert [layer["gold_layer"], layer["pred_layer"]] == layers.split()
    assert (layer["n_docs"], layer["n_gold"], layer["n_pred"]) == (1, 3, 3)
    assert score["observed"] == pytest.approx(2 / 3)
    assert headline(layer["scores"]["span_f"]) == headline(score)


def test_the_table_is_that_of_a_report(files):
    found = report(read(files[0]).spans(), read(files[1]).spans(), digits=3)
    table = str(found).partition("\n\n")[0].strip("\n")
    printed = score(*files)
    assert table in printed and found.signature in printed and "micro avg" in table
    assert "slicm" not in printed and "token_f" not in printed
    assert {"slicm", "token_f"} <= scored(*files)["scores"].keys()


def test_scores_fit_a_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(sample.path("systems/late.jsonl").parent)
    for systems in (["late.jsonl"], ["late.jsonl", "early.jsonl"] + ["late.jsonl"] * 3):
        named = [f"{i}={name}" if len(systems) > 1 else name for i, name in enumerate(systems)]
        lines = score("../test.jsonl", *named).splitlines()
        assert sum(1 + (len(line) - 1) // 80 for line in lines) <= 30
        assert lines[-1].startswith("next: ")
    several = [f"{i}={'early.jsonl' if i % 4 else '../test.jsonl'}" for i in range(14)]
    lines = score("../test.jsonl", *several, "--resamples", 99).splitlines()
    assert len(lines) <= 25 and any(line.endswith("warnings: --all") for line in lines)
    assert sum(f"\n{i} " in "\n".join(lines) for i in range(14)) == 14


def written_rows(path, *rows):
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


ROW = '{"tokens": ["a", "b", "c"], "spans": [[0, 1, "A"]]}'


@pytest.mark.parametrize("more", [(), ("x=p.jsonl",)])
def test_of_many_documents_intervals_are_made_on_request(folder, monkeypatch, more):
    monkeypatch.setattr(options, "MOST_DOCS", 2)
    for name in ("g", "p"):
        written_rows(folder / f"{name}.jsonl", *[ROW] * 3)
    files = ["g.jsonl", "p.jsonl", *more]
    note = "There are no intervals: 3 documents are many. Ask for them by --resamples"
    for words in (["score", *files], ["agree", *files[:2]]):
        assert note in " ".join(call(*words).stdout.split())
        done = call(*words, "--resamples", "20")
        assert note not in " ".join(done.stdout.split()) and "interval" in done.stdout
