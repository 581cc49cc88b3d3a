"""`spacy-chance-eval diff`: what it prints and writes, its options, and its errors."""

import json

import pytest

from helpers.differing import EQUAL, FEW, MANY, corpora
from helpers.docmaking import make_doc, write_docs
from helpers.textfiles import SPANS, WORDS, call
from spacy_chance_eval import sample
from spacy_chance_eval.formats.jsonl import write_jsonl
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.spacy_docs.docbin import read_docbin


@pytest.fixture
def two(tmp_path):
    """Gold and prediction of three documents as JSONL."""
    paths = tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"
    for path, corpus in zip(paths, corpora(EQUAL, FEW, MANY)):
        write_jsonl(path, corpus)
    return paths


def diff(*arguments):
    """What a call that goes well prints."""
    done = call("diff", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def result(*arguments):
    """The JSON of a call that goes well."""
    return json.loads(diff(*arguments, "-o", "-"))


def names(found):
    return [document["document"] for document in found["documents"]]


def test_the_summary_fits_a_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(sample.path("systems/late.jsonl").parent)
    lines = diff("../test.jsonl", "late.jsonl").splitlines()
    assert sum(1 + (len(line) - 1) // 80 for line in lines) <= 30
    assert lines[-1].startswith("next: ")


def test_the_json_holds_everything(two):
    found = result(*two)
    assert found["counts"] == {
        "correct": 4,
        "partial": 2,
        "wrong label": 1,
        "missing": 2,
        "spurious": 1,
    }
    assert names(found) == ["d2", "d1"] and len(found["documents"][0]["pairs"]) == 5
    assert found["scores"]["strict"]["observed"] == pytest.approx(2 * 4 / (9 + 8))


def test_json_on_standard_output_leaves_the_report_to_standard_error(two):
    done = call("diff", *two, "-o", "-")
    assert json.loads(done.stdout)["n_docs"] == 3
    assert "next: --top 10" in done.stderr


def test_json_can_go_to_a_file(two, tmp_path):
    path = tmp_path / "diff.json"
    done = call("diff", *two, "-o", path)
    assert json.loads(path.read_text()) == result(*two)
    assert f"Written: {path}" in done.stderr and "next: --top 10" in done.stdout


def test_a_pipeline_predicts_on_the_documents_of_gold(tmp_path):
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.to_disk(tmp_path / "model")
    write_docs(tmp_path / "gold.spacy", [make_doc(WORDS, SPANS)])
    found = result(tmp_path / "gold.spacy", tmp_path / "model")
    assert found["counts"]["correct"] == 1 and found["counts"]["missing"] == 2


def test_pages_are_one_file_or_a_folder(two, tmp_path):
    done = call("diff", *two, "-o", tmp_path / "diff.html")
    assert done.exit_code == 0 and "Written: " in done.stderr
    assert "Rex Roe" in (tmp_path / "diff.html").read_text()
    diff(*two, "-o", tmp_path / "pages")
    assert (tmp_path / "pages" / "index.html").exists()


def test_annotators_are_compared_on_what_both_annotated(tmp_path):
    ada, bo = ({"start": at, "end": end, "label": "PER"} for at, end in ((0, 3), (8, 10)))
    tasks = {"ana": [([ada], "accept"), ([ada], "accept")],
             "ben": [([ada, bo], "accept"), ([], "ignore")]}  # fmt: skip
    for name, answers in tasks.items():
        rows = [
            {"text": "Ada and Bo", "_input_hash": n, "_task_hash": n, "spans": some, "answer": said}
            for n, (some, said) in enumerate(answers)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    both = [tmp_path / "ana.jsonl", tmp_path / "ben.jsonl"]
    done = call("diff", *both, "-o", tmp_path / "tasks.jsonl", "-o", tmp_path / "a.json")
    assert done.exit_code == 0 and "ben finds 1 of 1 span of ana exactly" in done.stdout
    assert "1 gold span is not evaluated" in done.stdout
    found = json.loads((tmp_path / "a.json").read_text())
    assert (found["n_docs"], found["names"]) == (1, ["ana", "ben"])
    (task,) = map(json.loads, (tmp_path / "tasks.jsonl").read_text().splitlines())
    assert [one["sessions"] for one in task["versions"]] == [["ana"], ["ben"]]
    assert task["spans"] == [ada | {"token_start": 0, "token_end": 0}]


def test_a_new_gold_set_can_be_a_docbin(two, tmp_path):
    diff(*two, "--merge", "pred", "-o", tmp_path / "new.spacy")
    assert len(read_docbin(tmp_path / "new.spacy").documents[1].layers["ents"]) == 2


def test_a_file_far_down_is_compared_with_itself_and_with_its_namesake(tmp_path):
    folders = [tmp_path / ("far" * 30) / end for end in ("", "one")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "test.jsonl").write_bytes(sample.path("test.jsonl").read_bytes())
    one, other = (folder / "test.jsonl" for folder in folders)
    assert result(one, one)["names"] == ["gold", "test"]
    assert result(one, other)["names"] == ["gold", "one/test"]
    names = ("n" * 120, "m" * 120)
    long = [folder / f"{name}.jsonl" for folder, name in zip(folders, names)]
    for path, old in zip(long, (one, other)):
        old.rename(path)
    assert f"{names[1]}  {long[1]}" in diff(*long, "--top", 0)


def test_scores_without_labels_are_those_of_score(two):
    keys = ("observed", "expected", "corrected", "signature")
    scored = call("score", *two, "-m", "span_f(labels=ignore)", "-o", "-")
    (expected,) = json.loads(scored.stdout)["layers"][0]["scores"].values()
    found = result(*two, "-m", "gate_f(labels=ignore)")["scores"]["span_f"]
    assert {key: found[key] for key in keys} == {key: expected[key] for key in keys}
    assert "labels=ignore" in found["signature"]


@pytest.mark.integration
def test_explained_scores_say_that_labels_are_ignored(two):
    done = call("score", *two, "-m", "span_f(labels=ignore)", "--explain", "-o", "-")
    total = json.loads(done.stdout)["levels"]["span"]["total"]
    expected = result(*two, "-m", "gate_f(labels=ignore)")["scores"]["span_f"]
    assert total["scores"]["f"]["corrected"] == pytest.approx(headline(expected))
    assert total["metrics"]["f"] == expected["name"]
    plain = json.loads(call("score", *two, "-o", "-", "--explain").stdout)["levels"]["span"][
        "total"
    ]
    assert "labels" not in plain["metrics"]["f"]
