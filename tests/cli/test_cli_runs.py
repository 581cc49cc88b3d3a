"""Runs that `spacy-chance-eval score` writes, and `compare`."""

import json

import pytest

from helpers.textfiles import GOLD, PRED, call, conll, failed, scored
from spacy_chance_eval.runs.files import read_run

BAD = ["O", "O", "B-LOC", "O", "O", "O", "O"]
DOCUMENTS = 8


@pytest.fixture
def files(tmp_path):
    """Gold, an old and a new prediction, with eight sentences each."""
    found = []
    for name, tags in (("gold", GOLD), ("old", PRED), ("new", BAD)):
        path = conll(tmp_path / f"{name}.conll", tags)
        path.write_text((path.read_text() + "\n") * DOCUMENTS)
        found.append(path)
    return found


@pytest.fixture
def runs(tmp_path, files):
    """Two runs of one gold annotation; the new one is worse."""
    gold, *preds = files
    paths = [tmp_path / "old.run", tmp_path / "new.run"]
    for path, pred in zip(paths, preds):
        done(call("score", gold, pred, "-m", "span_f", "-m", "token_f", *SENTENCES, "-o", path))
    return paths


SENTENCES = ("--documents", "sentence")
FEW = ("--resamples", 200)


def done(result, code=0):
    assert result.exit_code == code, result.stderr
    return result


def compared(*arguments, code=0):
    """The JSON of a comparison."""
    return json.loads(done(call("compare", *arguments, *FEW, "-o", "-"), code).stdout)


# --- runs


def test_a_run_is_written_beside_the_scores(tmp_path, files):
    (tmp_path / "a").mkdir()
    result = done(call("score", *files[:2], *SENTENCES, "-o", tmp_path / "a" / "x.run"))
    assert "span_f" in result.stdout
    assert f"Written: {tmp_path / 'a' / 'x.run'}" in result.stderr
    assert read_run(tmp_path / "a" / "x.run").counts.seen[0].sum() == DOCUMENTS


def test_a_run_changes_no_score(tmp_path, files):
    result = done(call("score", *files[:2], "-o", "-", *SENTENCES, "-o", tmp_path / "x.run"))
    (layer,) = json.loads(result.stdout)["layers"]
    assert layer == scored(*files[:2], *SENTENCES)


@pytest.mark.parametrize(
    ("keys", "options", "words"),
    [
        ("", (), True),
        ("#text=no", (), False),
        ("", ("-n", 2), False),
        ("#text=yes", ("-n", 2), True),
    ],
)
def test_a_run_has_words_unless_it_is_counted_in_parts(tmp_path, files, keys, options, words):
    done(call("score", *files[:2], *SENTENCES, *options, "-o", f"{tmp_path / 'x.run'}{keys}"))
    kept = read_run(tmp_path / "x.run").annotations
    assert (kept.text(0, 0, 1) == "Ada") == words


def test_an_older_run_is_replaced_unless_scoring_fails(tmp_path, files):
    run = tmp_path / "x.run"
    for pred in (files[2], files[1]):
        done(call("score", files[0], pred, "-o", run))
    kept = run.read_bytes()
    assert "nowhere" in failed("score", files[0], tmp_path / "nowhere.conll", "-o", run)
    assert run.read_bytes() == kept


def test_columns_of_one_file_are_told_apart(tmp_path):
    run = tmp_path / "x.run"
    done(call("score", conll(tmp_path / "both.conll", GOLD, PRED), "-o", run))
    assert [one.rpartition("#")[2] for one in read_run(run).sources] == ["gold", "pred"]


def test_columns_of_options_are_named(tmp_path):
    path = tmp_path / "both.tsv"
    path.write_text("#token\tgold\tann\tbob\nAda\tB-PER\tB-PER\tO\n\n")
    for name in ("ann", "bob"):
        sides = f"{path}#gold", f"{path}#{name}"
        done(call("score", *sides, "-m", "span_f", "-o", tmp_path / f"{name}.run"))
    sources = read_run(tmp_path / "ann.run").sources
    assert sources == (f"{path}#gold", f"{path}#ann")
    runs = tmp_path / "ann.run", tmp_path / "bob.run"
    printed = done(call("compare", *runs, *FEW, "-o", "-")).stdout
    assert json.loads(printed)["names"] == ["ann", "bob"]


def test_texts_of_characters_are_kept(tmp_path):
    row = {"text": "Ada slept", "spans": [{"start": 0, "end": 3, "label": "PER"}]}
    path, run = tmp_path / "a.jsonl", tmp_path / "x.run"
    path.write_text(json.dumps(row))
    done(call("score", path, path, "--read", "offsets=char", "-o", run))
    assert read_run(run).annotations.text(0, 0, 3) == "Ada"


# --- compare


def test_predictions_with_gold_are_compared_like_their_runs(runs, files):
    asked = ("-m", "span_f", "-m", "token_f")
    of_files, of_runs = compared(*files, *asked, *SENTENCES), compared(*runs)
    for key in ("metrics", "errors", "names", "n_docs"):
        assert of_files[key] == of_runs[key]
    assert [of_files[which]["path"] for which in ("old", "new")] == list(map(str, files[1:]))
