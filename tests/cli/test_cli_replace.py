"""`spacy-chance-eval agree --candidate`: may a model replace an annotator?"""

import csv
import json

import pytest

from helpers.panelfiles import lines
from helpers.textfiles import call
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


def test_csv_has_the_records(humans, model, tmp_path):
    call("agree", humans, "--candidate", model, *QUICK, "-o", tmp_path / "x.csv")
    first, *rows = csv.DictReader((tmp_path / "x.csv").read_text().splitlines())
    (candidate,) = result_of(humans, "--candidate", model)["candidates"]
    assert (first["candidate"], first["annotator"]) == ("gpt", "")
    assert float(first["winning_rate"]) == candidate["winning_rate"]
    found = [(row["annotator"], float(row["p_value"])) for row in rows]
    assert found == [(row["annotator"], row["p_value"]) for row in candidate["annotators"]]
