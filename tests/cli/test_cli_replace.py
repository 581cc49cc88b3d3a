"""`spacy-chance-eval agree --candidate`: may a model replace an annotator?"""

import csv
import json

import pytest

from helpers.panelfiles import lines
from helpers.textfiles import call, failed
from helpers.treefiles import conll
from spacy_chance_eval import read, replace_test

WORDS = [*"abcd"]
QUICK = ("--resamples", 20)


def document(number, spans, **more):
    rows = [{"start": at, "end": at + 1, "label": "X"} for at in spans]
    return {"id": f"d{number}", "tokens": WORDS, "spans": rows, **more}


@pytest.fixture
def humans(tmp_path):
    """Three annotators in one file, forty documents."""
    rows = [
        document(number, [(number + (shift if number % 5 == 0 else 0)) % 4], annotator=name)
        for number in range(40)
        for shift, name in enumerate(("ann", "bob", "cyd"))
    ]
    return lines(tmp_path / "humans.jsonl", *rows)


@pytest.fixture
def model(tmp_path):
    """One that agrees, but for one document of eight."""
    rows = [document(n, [(n + (n % 8 == 1)) % 4]) for n in range(40)]
    return lines(tmp_path / "gpt.jsonl", *rows)


def result_of(*arguments, settings=QUICK):
    done = call("agree", *arguments, *settings, "-o", "-")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_files_give_the_numbers_of_python(humans, model):
    found = result_of(humans, "--candidate", f"new={model}")
    (candidate,) = found["candidates"]
    names = ("ann", "bob", "cyd")
    corpus = read(humans, annotator="annotator")
    panel = {name: corpus.spans(name) for name in names}
    own = replace_test(panel, {"new": read(model).spans("spans")})
    for key in ("winning_rate", "advantage_probability", "annotators", "by_epsilon"):
        assert candidate[key] == own["new"][key]
    assert (found["sources"], found["annotators"]) == ([str(humans)], [*names])
    assert found["candidate_sources"] == [f"new={model}"]


def test_order_of_files_is_irrelevant(tmp_path, humans, model):
    other = tmp_path / "other.jsonl"
    other.write_text("".join(reversed(model.read_text().splitlines(keepends=True))))
    one, two = (result_of(humans, "--candidate", f"m={path}") for path in (model, other))
    assert one["candidates"] == two["candidates"]


def test_categories(tmp_path):
    rows = [
        {
            "id": str(n),
            "text": f"text {n}",
            "cats": {"XY"[(n + s * (n % 7 == 0)) % 2]: 1},
            "annotator": a,
        }
        for n in range(40)
        for s, a in enumerate("abc")
    ]
    humans = lines(tmp_path / "humans.jsonl", *rows)
    own = [{k: v for k, v in row.items() if k != "annotator"} for row in rows[::3]]
    model = lines(tmp_path / "gpt.jsonl", *own)
    found = result_of(humans, "--categories", "--candidate", model)
    assert (found["metric"], found["positions"]) == ("accuracy", "category")
    assert found["candidates"][0]["passed"] is True
    assert found["agreement"]["metric"] == "krippendorff_alpha"


def test_answers_without_tokens_change_no_unit(humans, model, tmp_path):
    answer = {"text": " ".join(WORDS), "mentions": {"X": [WORDS[0]]}}
    answers = lines(tmp_path / "llm.jsonl", *({"id": f"d{n}", **answer} for n in range(40)))
    both = result_of(humans, "--candidate", model, "--candidate", answers)
    alone = result_of(humans, "--candidate", model)
    assert both["positions"] == "token" and both["n_instances"] == alone["n_instances"]
    assert alone["candidates"][0] in both["candidates"]
    done = call("agree", humans, "--candidate", model, "--align", "characters", *QUICK)
    assert "|positions=char|" in done.stdout


def test_candidate_with_several_layers(tmp_path, humans):
    rows = [{"id": f"d{n}", "tokens": WORDS, "layers": {"x": [[0, 1, "X"]], "y": []}} for n in "01"]
    model = lines(tmp_path / "gpt.jsonl", *rows)
    message = failed("agree", humans, "--candidate", model)
    assert f"none was named: x, y; name one: {model}#x" in message
    assert call("agree", humans, "--candidate", f"{model}#x", *QUICK).exit_code == 0


def test_trees_and_spans(tmp_path, humans):
    trees = tmp_path / "trees.conllu"
    trees.write_text(conll())
    message = "these are trees; candidates are tested on spans and categories"
    for files in ((humans, "--candidate", trees), (trees, "--candidate", trees)):
        assert message in failed("agree", *files)
    assert message in failed("agree", humans, "--candidate", humans, "-m", "las")


def test_ignored_labels(tmp_path, humans, model):
    other = tmp_path / "gpt.jsonl"
    other.write_text(model.read_text().replace('"X"', '"Y"'))
    assert "none in common" in failed("agree", humans, "--candidate", other)
    found = result_of(humans, "--candidate", other, "-m", "span_f(labels=ignore)")
    assert "labels=ignore" in found["metric"] and "labels=ignore" in found["signature"]
    assert found["candidates"][0]["passed"] is True


def test_signatures_say_how_files_were_read(tmp_path, humans, model):
    rows = [json.loads(line) for line in model.read_text().splitlines()]
    rows[0]["spans"] = [{"start": 3, "end": 9, "label": "X"}]
    broken = lines(tmp_path / "broken.jsonl", *rows)
    signed = result_of(humans, "--candidate", model, "--read", "trim=space")["signature"]
    assert "|repair=conlleval|" in signed and "|trim=space|" in signed
    found = result_of(humans, "--candidate", broken, "--on-error", "skip")
    assert f"|skipped={found['skipped'][0]['n']}/" in found["signature"]


def test_csv_has_the_records(humans, model, tmp_path):
    call("agree", humans, "--candidate", model, *QUICK, "-o", tmp_path / "x.csv")
    first, *rows = csv.DictReader((tmp_path / "x.csv").read_text().splitlines())
    (candidate,) = result_of(humans, "--candidate", model)["candidates"]
    assert (first["candidate"], first["annotator"]) == ("gpt", "")
    assert float(first["winning_rate"]) == candidate["winning_rate"]
    found = [(row["annotator"], float(row["p_value"])) for row in rows]
    assert found == [(row["annotator"], row["p_value"]) for row in candidate["annotators"]]


def test_tables_in_latex(tmp_path, humans, model):
    few = lines(tmp_path / "few_1.jsonl", *(document(n, [0]) for n in range(4)))
    target = tmp_path / "x.tex"
    asked = ("--candidate", model, "--candidate", few, "-o", target)
    assert call("agree", humans, *asked, *QUICK).exit_code == 0
    text = target.read_text()
    assert text.count(r"\begin{tabular}") == 3 and "winning rate" in text
    assert r"few\_1" in text and "4 instances, fewer than 30" in text


@pytest.fixture
def answers(tmp_path, model):
    """The same model as one that answers mentions without texts; it does not answer once."""
    rows = [json.loads(line) for line in model.read_text().splitlines()]
    named = [
        {
            "id": row["id"],
            "mentions": [
                {"text": WORDS[span["start"]], "label": span["label"]} for span in row["spans"]
            ],
        }
        for row in rows
    ]
    return lines(tmp_path / "llm" / "gpt.jsonl", *named), named


def test_candidates_take_the_texts_of_annotators(humans, model, answers):
    found, expected = (result_of(humans, "--candidate", path) for path in (answers[0], model))
    assert found["candidates"] == expected["candidates"]
    assert found["mentions"]["n"] == 40
    assert any("got those of another file: from" in one for one in found["warnings"])


def test_options_of_a_candidate_alone(tmp_path, humans, model, answers):
    path, rows = answers
    bodies = [{"body": "", **row} for row in rows]
    other = lines(tmp_path / "llm" / "bodies.jsonl", *bodies)
    found = result_of(
        humans, "--candidate", other, "--candidate", model, "--read", f"texts={humans}"
    )
    assert found["mentions"]["n"] == 40
    message = failed("agree", humans, "--candidate", model, "--read", f"texts={humans}")
    assert "has no key 'texts'" in message
