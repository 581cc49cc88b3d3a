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


def test_labels_that_closeness_does_not_know_are_named(gazetteer, corpus, tmp_path):
    table = tmp_path / "near.csv"
    table.write_text("a,b,closeness\nPER,PERSON,0.5\n")
    call = gazetteer, corpus / "test.spacy", "-m", f"bdm_f(closeness={table})"
    assert "closeness= does not know some labels of gold" in str(scored(*call))


def test_a_chance_model_given_holds_for_both_layers(two_layers, corpus):
    found = scored(two_layers, corpus / "dev.spacy", "--chance", "overlapping")
    names = [layer["scores"]["span_f"]["name"] for layer in found["layers"]]
    assert names == ["span_f(beta=1.0,chance=overlapping,unit=sentence)"] * 2


def test_the_layers_in_common_are_scored_by_default(two_layers, corpus):
    found = scored(two_layers, corpus / "dev.spacy")
    assert [layer["gold_layer"] for layer in found["layers"]] == ["ents", "spans:sc"]


def test_a_layer_that_only_gold_has_is_left_out(gazetteer, corpus):
    found = scored(gazetteer, corpus / "dev.spacy")
    assert [layer["gold_layer"] for layer in found["layers"]] == ["ents"]


def test_a_pair_of_layers_is_scored(two_layers, corpus):
    (layer,) = scored(two_layers, corpus / "dev.spacy", "-l", "ents=spans:sc")["layers"]
    assert (layer["gold_layer"], layer["pred_layer"], layer["spacy"]) == ("ents", "spans:sc", {})
    assert layer["scores"]["span_f"]["observed"] > 0


def test_a_layer_asked_for_that_nothing_predicts_scores_zero(gazetteer, corpus):
    (layer,) = scored(gazetteer, corpus / "dev.spacy", "-l", "spans:sc")["layers"]
    assert headline(layer["scores"]["span_f"]) == 0.0


@pytest.mark.integration
def test_several_processes_give_the_same_scores(gazetteer, corpus):
    one = scored(gazetteer, corpus / "dev.spacy")
    assert (
        scored(gazetteer, corpus / "dev.spacy", "--n-process", 2, "--read", "batch_size=2") == one
    )


def test_every_document_can_be_scored(gazetteer, corpus):
    (layer,) = scored(gazetteer, corpus / "dev.spacy", "--per-doc")["layers"]
    rows = layer["scores"]["span_f"]["per_doc"]
    assert list(rows) == [f"dev-0{i}" for i in range(1, 7)]
    assert sum(row["gold"] for row in rows.values()) == layer["n_gold"]


def test_documents_are_not_scored_unless_asked_for(result):
    assert result["layers"][0]["scores"]["span_f"]["per_doc"] is None


def test_metrics_can_be_chosen(gazetteer, corpus):
    found = scored(gazetteer, corpus / "dev.spacy", "-m", "token_f(encoding=BIO)", "-m", "slicm")
    assert list(found["layers"][0]["scores"]) == ["token_f(encoding=BIO)", "slicm"]


def test_units_of_sentences_raise_the_expectation(gazetteer, corpus):
    doc, sent = (
        scored(gazetteer, corpus / "dev.spacy", "--unit", unit)["layers"][0]["scores"]["span_f"]
        for unit in ("document", "sentence")
    )
    assert sent["expected"] > doc["expected"]
    assert sent["observed"] == doc["observed"]


def test_the_json_goes_to_a_file(gazetteer, corpus, tmp_path):
    done = call(gazetteer, corpus / "dev.spacy", "-o", tmp_path / "x.json")
    assert done.exit_code == 0
    assert "micro avg" in done.stdout
    assert {"model", "gold", "layers"} <= srsly.read_json(tmp_path / "x.json").keys()


def test_the_tables_step_aside_for_json_on_standard_output(gazetteer, corpus):
    done = call(gazetteer, corpus / "dev.spacy", "-o", "-")
    assert "micro avg" in done.stderr
    assert srsly.json_loads(done.stdout)["model"] == str(gazetteer)


def test_a_folder_of_files_is_scored_as_one(gazetteer, corpus):
    whole = scored(gazetteer, corpus)["layers"][0]
    assert whole["n_docs"] == 48


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


def test_a_missing_model_is_one_message(corpus):
    assert "no_such_model" in failed("no_such_model", corpus / "dev.spacy")


def test_a_missing_file_is_one_message(gazetteer, tmp_path):
    message = failed(gazetteer, tmp_path / "no.spacy")
    assert "no.spacy: no such file; expected a .spacy file" in message


def test_a_bad_file_is_one_message(gazetteer, tmp_path):
    (tmp_path / "bad.spacy").write_bytes(b"nonsense")
    assert "this is no .spacy file" in failed(gazetteer, tmp_path / "bad.spacy")


def test_an_empty_folder_is_one_message(gazetteer, tmp_path):
    assert "no files of a known format in this folder" in failed(gazetteer, tmp_path)


def test_missing_code_is_one_message(gazetteer, corpus):
    message = failed(gazetteer, corpus / "dev.spacy", "--code", "no.py")
    assert "no.py: no such file; --code expects a Python file" in message


def test_no_common_layers_is_one_message(gazetteer, tmp_path):
    doc = make_doc("Ada slept", None, groups={"k": [(0, 1, "PER")]})
    write_docs(tmp_path / "x.spacy", [doc])
    message = failed(gazetteer, tmp_path / "x.spacy")
    assert "have no layer in common" in message
    assert "gold has spans:k" in message and "--layer GOLD=PREDICTED" in message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--layer", "entities"), "unknown layer 'entities'"),
        (("--layer", "spans:typo"), "spans:typo"),
        (
            ("--metric", "span_g"),
            "unknown metric 'span_g' (did you mean 'span_f'?); expected one of",
        ),
        (("--unit", "word"), "unit is 'word'; expected one of sentence, document"),
        (("--chance", "random"), "chance is 'random'; expected one of"),
        (("-m", "token_f(encoding=BILUO)"), "encoding is 'BILUO' (did you mean"),
        (("-m", "slicm(token_information=odd)"), "token_information is 'odd'"),
        (("-m", "slicm(token_information=lexeme_prob)"), "no table 'lexeme_prob'"),
    ],
)
def test_a_bad_option_is_one_message(gazetteer, corpus, options, message):
    assert message in failed(gazetteer, corpus / "dev.spacy", *options)


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


def test_code_that_fails_is_one_message(gazetteer, tmp_path):
    (tmp_path / "code.py").write_text("1 / 0\n")
    message = failed(gazetteer, tmp_path / "x.spacy", "--code", tmp_path / "code.py")
    assert "ZeroDivisionError: division by zero" in message


def test_the_unit_of_one_metric_is_that_of_all(gazetteer, tmp_path):
    doc = make_doc("Ada met Bob . Ada slept .", [(0, 1, "PER")], sents=[0, 4])
    write_docs(tmp_path / "x.spacy", [doc])
    by_option = scored(gazetteer, tmp_path / "x.spacy", "-m", "span_f", "--unit", "sentence")
    by_name = scored(gazetteer, tmp_path / "x.spacy", "-m", "span_f(unit=sentence)")
    (one,), (two,) = (found["layers"][0]["scores"].values() for found in (by_option, by_name))
    assert one == two and one["expected"] is not None


@pytest.mark.parametrize(
    ("layer", "message"),
    [("ents=spans:typo", "no layer 'spans:typo'"), ("ents=", "unknown layer ''")],
)
def test_a_pair_of_layers_that_is_none_is_one_message(gazetteer, corpus, layer, message):
    assert message in failed(gazetteer, corpus / "dev.spacy", "--layer", layer)


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


def test_several_layers_of_files_are_refused(corpus):
    message = failed(corpus / "dev.spacy", corpus / "dev.spacy", "-l", "ents", "-l", "spans:sc")
    assert "of files one layer is scored at a time" in message


def test_a_pipeline_without_gold_is_refused(gazetteer):
    assert "is a pipeline; name gold documents, too" in failed(gazetteer)


def test_options_of_files_are_refused_for_a_pipeline(gazetteer, corpus):
    message = failed(gazetteer, corpus / "dev.spacy", "--read", "skip_bad=yes")
    assert "--read skip_bad is for files, but a pipeline is scored" in message
