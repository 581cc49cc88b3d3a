"""`score` with a trained pipeline, as `spacy chance score` and `spacy benchmark chance` too."""

import subprocess
import sys
from functools import partial

import pytest
import spacy
import srsly
from spacy.pipeline.spancat import spancat_score
from spacy.scorer import get_ner_prf
from spacy.tokens import DocBin
from spacy.training import Example

from helpers import textfiles
from helpers.docmaking import make_doc, write_docs
from spacy_chance_eval import sample
from spacy_chance_eval.scoring.evaluation import default_requests
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.tasks.pipeline import score_pipeline

pytestmark = pytest.mark.integration

CODE = """
from spacy.language import Language

@Language.component("chance-eval-tests-nothing")
def nothing(doc):
    return doc
"""


call, failed = (partial(function, "score") for function in (textfiles.call, textfiles.failed))


def scored(*arguments):
    """The JSON of a call, from standard output."""
    done = call(*arguments, "-o", "-")
    assert done.exit_code == 0, done.stderr
    return srsly.json_loads(done.stdout)


def as_command(*arguments):
    """A command of spaCy in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "spacy", *map(str, arguments)], capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def result(two_layers, corpus):
    """Everything about both layers of the test split."""
    return scored(two_layers, corpus / "test.spacy", "--layer", "ents", "--layer", "spans:sc")


@pytest.mark.integration
@pytest.mark.parametrize("command", [("chance", "score"), ("benchmark", "chance")], ids=" ".join)
def test_spacys_commands_print_the_tables_and_write_json(command, gazetteer, corpus, tmp_path):
    done = as_command(*command, gazetteer, corpus / "test.spacy", "-o", tmp_path / "x.json")
    assert done.returncode == 0, done.stderr
    for text in ("precision", "expected", "corrected", "micro avg", "PER", "spaCy: ents_p"):
        assert text in done.stdout
    (layer,) = srsly.read_json(tmp_path / "x.json")["layers"]
    assert layer["scores"]["span_f"]["signature"].startswith("span_f(beta=1.0,chance=disjoint,")


@pytest.mark.integration
def test_spacys_command_fails_without_a_traceback(corpus):
    done = as_command("chance", "score", "no_such_model", corpus / "test.spacy")
    assert done.returncode == 1
    assert "no_such_model" in done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_spacys_own_scores_stand_beside(result, two_layers, corpus):
    nlp = spacy.load(two_layers)
    golds = DocBin().from_disk(corpus / "test.spacy").get_docs(nlp.vocab)
    examples = [Example(nlp(gold.text), gold) for gold in golds]
    for layer, prefix, theirs in (
        (0, "ents", get_ner_prf(examples)),
        (1, "spans_sc", spancat_score(examples, spans_key="sc")),
    ):
        found = result["layers"][layer]["spacy"]
        assert found == pytest.approx({f"{prefix}_{n}": theirs[f"{prefix}_{n}"] for n in "prf"})


def test_observed_scores_are_those_of_spacy(result):
    layer = result["layers"][0]
    assert layer["scores"]["span_f"]["observed"] == pytest.approx(layer["spacy"]["ents_f"])


def test_the_numbers_of_documents_and_spans_are_in_the_result(result):
    ents, _ = result["layers"]
    assert (ents["n_docs"], ents["n_skipped"], ents["n_gold"]) == (6, 0, 110)
    assert ents["n_unplaced"] == 0 < ents["n_pred"]


def test_entities_are_randomised_without_overlaps_and_groups_with(result):
    ents, group = (layer["scores"]["span_f"]["signature"] for layer in result["layers"])
    assert "chance=disjoint" in ents
    assert "chance=overlapping" in group


def test_a_layer_asked_for_that_nothing_predicts_scores_zero(gazetteer, corpus):
    (layer,) = scored(gazetteer, corpus / "dev.spacy", "-l", "spans:sc")["layers"]
    assert headline(layer["scores"]["span_f"]) == 0.0


def test_documents_are_not_scored_unless_asked_for(result):
    assert result["layers"][0]["scores"]["span_f"]["per_doc"] is None


@pytest.mark.integration
def test_code_is_imported_before_the_pipeline(tmp_path, corpus):
    # in a process of its own: here the component would stay registered
    (tmp_path / "code.py").write_text(CODE)
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Varn"}])
    config = nlp.config.copy()
    nlp.to_disk(tmp_path / "model")
    saved = srsly.read_json(tmp_path / "model" / "meta.json")
    config["nlp"]["pipeline"] = [*config["nlp"]["pipeline"], "nothing"]
    config["components"]["nothing"] = {"factory": "chance-eval-tests-nothing"}
    config.to_disk(tmp_path / "model" / "config.cfg")
    srsly.write_json(tmp_path / "model" / "meta.json", saved)
    command = partial(as_command, "chance", "score", tmp_path / "model", corpus / "dev.spacy")
    without, done = command(), command("--code", tmp_path / "code.py")
    assert (without.returncode, done.returncode) == (1, 0), done.stderr
    assert "chance-eval-tests-nothing" in without.stderr
    assert "Traceback" not in without.stderr


def test_a_bad_file_is_one_message(gazetteer, tmp_path):
    (tmp_path / "bad.spacy").write_bytes(b"nonsense")
    assert "this is no .spacy file" in failed(gazetteer, tmp_path / "bad.spacy")


def test_an_empty_folder_is_one_message(gazetteer, tmp_path):
    assert "no files of a known format in this folder" in failed(gazetteer, tmp_path)


def test_no_common_layers_is_one_message(gazetteer, tmp_path):
    doc = make_doc("Ada slept", None, groups={"k": [(0, 1, "PER")]})
    write_docs(tmp_path / "x.spacy", [doc])
    message = failed(gazetteer, tmp_path / "x.spacy")
    assert "have no layer in common" in message
    assert "gold has spans:k" in message and "--layer GOLD=PREDICTED" in message


def test_gold_of_known_spaces_is_tokenised_by_the_pipeline(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "A", "pattern": "do"}])
    nlp.to_disk(tmp_path / "model")
    known = make_doc(["I", "don't", "x"], [(1, 2, "A")], spaces=[True, True, False])
    unknown = make_doc(["I", "don't", "x"], [(1, 2, "A")])
    for gold, n_pred in ((known, 1), (unknown, 0)):
        write_docs(tmp_path / "x.spacy", [gold])
        (layer,) = scored(tmp_path / "model", tmp_path / "x.spacy")["layers"]
        assert (layer["n_pred"], layer["n_unplaced"]) == (n_pred, n_pred)


def test_empty_documents_are_left_out(gazetteer, tmp_path):
    docs = [make_doc(0), make_doc("Mara Lindqvist slept", [(0, 2, "PER")])]
    write_docs(tmp_path / "x.spacy", docs)
    assert scored(gazetteer, tmp_path / "x.spacy")["layers"][0]["n_docs"] == 1


def test_documents_without_gold_are_skipped_and_counted(gazetteer, tmp_path):
    docs = [make_doc("Mara Lindqvist slept", ents) for ents in (None, [(0, 2, "PER")])]
    write_docs(tmp_path / "x.spacy", docs)
    layer = scored(gazetteer, tmp_path / "x.spacy")["layers"][0]
    assert (layer["n_docs"], layer["n_skipped"], layer["n_pred"]) == (1, 1, 1)


def test_progress_is_told_how_many_documents_there_are(gazetteer, corpus):
    seen = []

    def progress(steps, total=None, what=""):
        seen.extend([total] * (what == "Documents"))
        return steps

    metrics_of = lambda chance, information: default_requests(["span_f"], chance=chance)  # noqa: E731
    score_pipeline(gazetteer, corpus / "dev.spacy", metrics_of, progress=progress)
    assert seen == [6]


def test_the_unit_of_one_metric_is_that_of_all(gazetteer, tmp_path):
    doc = make_doc("Ada met Bob . Ada slept .", [(0, 1, "PER")], sents=[0, 4])
    write_docs(tmp_path / "x.spacy", [doc])
    by_option = scored(gazetteer, tmp_path / "x.spacy", "-m", "span_f", "--unit", "sentence")
    by_name = scored(gazetteer, tmp_path / "x.spacy", "-m", "span_f(unit=sentence)")
    (one,), (two,) = (found["layers"][0]["scores"].values() for found in (by_option, by_name))
    assert one == two and one["expected"] is not None


def test_gold_may_come_first_or_second(gazetteer, corpus):
    model_first = scored(gazetteer, corpus / "dev.spacy")
    assert scored(corpus / "dev.spacy", gazetteer) == model_first


def test_texts_are_scored_in_one_layer_by_the_same_command(gazetteer, corpus):
    by_text, by_docs = (
        scored(gold, gazetteer)["layers"][0]
        for gold in (sample.path("dev.jsonl"), corpus / "dev.spacy")
    )
    assert by_text["gold_layer"] == "spans"
    assert headline(by_text["scores"]["span_f"]) == headline(by_docs["scores"]["span_f"])
