"""Trained pipelines on a board: their predictions on the tokens of any gold."""

import json

import pytest
import spacy
from typer.testing import CliRunner

from helpers.pipelines import small_test
from spacy_chance_eval import Corpus, Document, FormatError, read, sample
from spacy_chance_eval.cli import app
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats.conll_out import write_conll
from spacy_chance_eval.formats.jsonl import write_jsonl
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.spacy_docs.pipeline import predict

pytestmark = pytest.mark.integration


def ranked(*arguments):
    """The JSON of a board."""
    options = ("--resamples", "50", "-o", "-", "-m", "span_f")
    done = CliRunner().invoke(app, ["score", *map(str, arguments), *options])
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def scores(result):
    return {row["system"]: row["observed"] for row in result["boards"][0]["rows"]}


def test_a_pipeline_scores_as_the_command_score_says(corpus, gazetteer):
    done = CliRunner().invoke(
        app, ["score", str(corpus / "test.spacy"), str(gazetteer), "-m", "span_f", "-o", "-"]
    )
    score = json.loads(done.stdout)["layers"][0]["scores"]["span_f"]
    row = ranked(corpus / "test.spacy", f"rules={gazetteer}")["boards"][0]["rows"][0]
    found = row["observed"], row["expected"], row["corrected"]
    asked = score["observed"], score["expected"], headline(score)
    assert found == pytest.approx(asked, rel=1e-12)  # documents are added up in another order


def test_gold_may_have_any_format(tmp_path, corpus, gazetteer):
    write_conll(tmp_path / "test.conll", small_test(), ["spans"])
    write_jsonl(tmp_path / "test.jsonl", small_test())
    golds = (corpus / "test.spacy", tmp_path / "test.jsonl", tmp_path / "test.conll")
    values = [scores(ranked(gold, f"rules={gazetteer}"))["rules"] for gold in golds]
    assert values[0] == values[1]  # the spaces are known: the pipeline makes its own tokens
    assert values[2] == pytest.approx(values[0], abs=0.05)


def test_pipelines_and_files_share_a_board(tmp_path, corpus, gazetteer):
    write_jsonl(tmp_path / "test.jsonl", small_test())
    result = ranked(corpus / "test.spacy", f"rules={gazetteer}", tmp_path / "test.jsonl")
    assert scores(result)["test"] == 1.0 > scores(result)["rules"] > 0.5


def test_a_layer_of_the_pipeline_can_be_named(corpus, two_layers):
    systems = f"sc={two_layers}#spans:sc", f"ents={two_layers}"
    result = ranked(corpus / "test.spacy", *systems, "--chance", "overlapping")
    assert set(scores(result)) == {"sc", "ents"}


def test_spans_that_do_not_fit_the_tokens_of_gold_count_as_wrong(gazetteer):
    words = ["Mara", "Lind", "qvist", "slept"]
    document = Document(words, {"gold": [(0, 3, "PER")]}, spaces=(True, False, True, False))
    split = Document(
        ["Mara", "Lindqvis", "t slept"], {"gold": [(0, 1, "PER")]}, spaces=(True, False, False)
    )
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Mara Lindqvist"}])
    nlp.to_disk(gazetteer.parent / "names")
    found, layer = predict(gazetteer.parent / "names", Corpus("x", [document, split]), "gold")
    assert layer == "ents"
    assert found.documents[0].layers["ents"] == ((0, 3, "PER"),)
    assert found.documents[1].layers["ents"] == ()
    assert found.documents[1].unplaced["ents"] == ((2, "PER"),)


def test_empty_documents_stay_in_their_places(gazetteer):
    documents = [Document((), {"gold": []}), Document(("Oslo",), {"gold": []}), Document((), {})]
    found, layer = predict(gazetteer, Corpus("x", documents), "gold")
    assert [len(document.words) for document in found.documents] == [0, 1, 0]


def test_a_pipeline_that_predicts_nothing_is_an_error(tmp_path, corpus):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(
        ValueError, match="blank: the pipeline predicts neither entities nor span groups"
    ):
        predict(tmp_path / "blank", read_corpus(corpus / "test.spacy"), "ents")


def test_gold_without_tokens_is_an_error(gazetteer):
    characters = Corpus("x", [Document((), {"gold": []}, text="Oslo")], positions="char")
    with pytest.raises(FormatError, match="needs tokens"):
        predict(gazetteer, characters, "gold")


def test_the_group_named_like_the_layer_of_gold_is_taken(corpus, two_layers):
    assert predict(two_layers, read_corpus(corpus / "test.spacy"), "spans:sc")[1] == "spans:sc"
    assert predict(two_layers, read(sample.path("test.jsonl")), "sc")[1] == "spans:sc"
    assert predict(two_layers, read(sample.path("test.jsonl")), "spans")[1] == "ents"
