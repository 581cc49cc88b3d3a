"""spacy-llm's tasks with our scorers: canned answers in place of a model, the config of the page.

With `pip install '.[llm]'`: `pytest -m integration tests/integrations/test_spacy_llm.py`.
"""

import subprocess
import sys
from types import SimpleNamespace

import pytest
import spacy
import srsly
from confection import Config
from spacy.training import Example
from spacy.util import import_file

from helpers.cases import each_case
from helpers.docmaking import make_doc, write_docs
from helpers.examples import blocks, page
from helpers.extras import needs
from helpers.textfiles import scored
from spacy_chance_eval.integrations import make_ner_scorer, make_spancat_scorer
from spacy_chance_eval.integrations.component import ChanceEval

TEXTS = ["Ada met Rex in Oslo today .", "Nobody met anybody .", "Oslo saw Rex and Ada ."]
GOLD = [[(0, 1, "PER"), (2, 3, "PER"), (4, 5, "LOC")], [], [(0, 1, "LOC"), (4, 5, "PER")]]
FOUND = [[(0, 1, "PER"), (2, 3, "PER"), (4, 5, "LOC")], [], [(0, 1, "ORG"), (4, 5, "PER")]]
# the same, and a town that is not in the text
LISTS = ["PER: Ada, Rex\nLOC: Oslo, Bergen", "", "ORG: Oslo\nPER: Ada"]
REASONS = [
    "1. Ada | True | PER | a name\n2. Rex | True | PER | a name\n"
    "3. Oslo | True | LOC | a town\n4. Bergen | True | LOC | a town",
    "",
    "1. Oslo | True | ORG | it saw\n2. Ada | True | PER | a name",
]
CODE = """
from typing import Iterable

from spacy_llm.registry import registry


@registry.llm_models("chance-eval-tests.{name}.v1")
def canned():
    def answer(prompts: Iterable[Iterable[str]]) -> Iterable[Iterable[str]]:
        for parts in prompts:
            yield [next(found for text, found in {answers!r} if text in part) for part in parts]

    return answer
"""
TASKS = {"NER": ("ents", make_ner_scorer()), "SpanCat": ("spans_sc", make_spancat_scorer())}


def real(test):
    """A test with the library."""
    return pytest.mark.integration(needs("spacy_llm", "llm")(test))


def config_of_page(task, version):
    """The config that docs/tools.md shows, of a version of its task, with canned answers."""
    whole, *others = (text for text in blocks(page("docs/tools.md"), "ini") if "llm_tasks" in text)
    (own,) = (text for text in (whole, *others) if f"spacy.{task}." in text)
    if own != whole:  # a task alone
        own = whole[: whole.index("[components.llm.task]")] + own
    config = Config().from_str(own)
    settings = config["components"]["llm"]
    settings["task"]["@llm_tasks"] = f"spacy.{task}.v{version}"
    if version == 1:  # takes no list
        settings["task"]["labels"] = ",".join(settings["task"]["labels"])
    name = "reasons" if version == 3 else "lists"
    settings["model"] = {"@llm_models": f"chance-eval-tests.{name}.v1"}
    return config


@pytest.fixture
def code(tmp_path):
    """A module that registers the models, imported."""
    answers = {"lists": LISTS, "reasons": REASONS}
    text = "".join(
        CODE.format(name=name, answers=list(zip(TEXTS, found))) for name, found in answers.items()
    )
    (tmp_path / "canned.py").write_text(text)
    import_file("canned", tmp_path / "canned.py")
    return tmp_path / "canned.py"


def golds():
    return [make_doc(text, rows, groups={"sc": rows}) for text, rows in zip(TEXTS, GOLD)]


def examples(nlp):
    return [Example(nlp.make_doc(gold.text), gold) for gold in golds()]


def expected(task):
    """Scores of the predictions that spacy-llm places on the texts."""
    preds = [make_doc(text, rows, groups={"sc": rows}) for text, rows in zip(TEXTS, FOUND)]
    return TASKS[task][1]([Example(pred, gold) for pred, gold in zip(preds, golds())])


@real
@pytest.mark.filterwarnings("ignore:Task supports sharding")
@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize("task", TASKS)
def test_the_config_of_the_page_scores_a_task(task, version, code, tmp_path):
    nlp = spacy.util.load_model_from_config(config_of_page(task, version), auto_fill=True)
    scores, same = nlp.evaluate(examples(nlp)), expected(task)
    prefix = TASKS[task][0]
    assert 0 < scores[f"{prefix}_f_expected"] < scores[f"{prefix}_f_corrected"] < 1
    assert {key: scores[key] for key in same} == same
    nlp.to_disk(tmp_path / "saved")
    nlp = spacy.load(tmp_path / "saved")
    assert nlp.evaluate(examples(nlp))[f"{prefix}_f_corrected"] == same[f"{prefix}_f_corrected"]


@real
@pytest.mark.filterwarnings("ignore:Task supports sharding")
def test_a_saved_pipeline_gets_the_scorer_when_it_is_loaded(code, tmp_path):
    config = config_of_page("NER", 3)
    del config["components"]["llm"]["task"]["scorer"]
    spacy.util.load_model_from_config(config, auto_fill=True).to_disk(tmp_path / "saved")
    scorer = {"@scorers": "spacy-chance-eval.ner_scorer.v1"}
    nlp = spacy.load(tmp_path / "saved", config={"components.llm.task.scorer": scorer})
    assert nlp.evaluate(examples(nlp))["ents_f_corrected"] == expected("NER")["ents_f_corrected"]


@real
@pytest.mark.filterwarnings("ignore:Task supports sharding")
def test_mentions_that_are_not_in_the_text_reach_no_scorer(code):
    config = config_of_page("NER", 3)
    config["components"]["llm"]["save_io"] = True
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    docs = list(nlp.pipe(TEXTS))
    assert [len(doc.ents) for doc in docs] == [3, 0, 2]
    assert [doc.user_data["llm_io"]["llm"]["response"] for doc in docs] == [[a] for a in REASONS]
    assert nlp.evaluate(examples(nlp))["ents_p"] == 4 / 5  # of six mentions four are right


@real
@pytest.mark.filterwarnings("ignore:Task supports sharding")
def test_the_format_mentions_counts_what_is_dropped(code, tmp_path):
    config = config_of_page("NER", 2)
    config["components"]["llm"]["save_io"] = True
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    docs = [nlp(gold.text) for gold in golds()]
    answers = [doc.user_data["llm_io"]["llm"]["response"] for doc in docs]
    rows = [{"text": doc.text, "response": one or "[]"} for doc, (one,) in zip(docs, answers)]
    srsly.write_jsonl(tmp_path / "answers.jsonl", rows)
    write_docs(tmp_path / "gold.spacy", golds())
    files = tmp_path / "gold.spacy", tmp_path / "answers.jsonl"
    scores = scored(*files, "-m", "span_precision")
    assert scores["scores"]["span_precision"]["observed"] == pytest.approx(4 / 6)


DROPPED = {
    "not in the text": (3, "1. Bergen | True | LOC | a town", []),
    "no whole token": (3, "1. Os | True | LOC | a town", []),
    "label": (3, "1. Oslo | True | TOWN | a town", []),
    "line": (3, "Oslo is a LOC", []),
    "order": (3, "1. Oslo | True | LOC | a town\n2. Ada | True | PER | a name", ["Oslo"]),
    "overlap": (2, "LOC: Oslo\nORG: in Oslo today", ["in Oslo today"]),
}


@real
@pytest.mark.filterwarnings("ignore:Task supports sharding")
@each_case("case", DROPPED)
def test_predictions_of_these_kinds_are_dropped(case, code):
    version, answer, left = DROPPED[case]
    config = config_of_page("NER", version)
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    nlp.get_pipe("llm")._model = lambda prompts: ([answer] for _ in prompts)
    assert [ent.text for ent in nlp(TEXTS[0]).ents] == left


@real
@pytest.mark.filterwarnings("ignore:Task supports sharding")
@pytest.mark.parametrize("unit", ["document", "sentence"])
def test_the_component_needs_the_settings_of_the_task(unit, code):
    nlp = spacy.util.load_model_from_config(config_of_page("NER", 3), auto_fill=True)
    if unit == "document":
        with pytest.raises(ValueError, match="under the same names"):
            nlp.add_pipe("chance_eval", config={"unit": unit})
    else:
        nlp.add_pipe("chance_eval", config={"unit": unit})
        scores = nlp.evaluate(examples(nlp))
        assert scores["spans_corrected_f"] == expected("NER")["ents_f_corrected"]


@real
def test_spacy_evaluate_writes_the_corrected_scores(code, tmp_path):
    spacy.util.load_model_from_config(config_of_page("NER", 2), auto_fill=True).to_disk(
        tmp_path / "saved"
    )
    write_docs(tmp_path / "gold.spacy", golds())
    command = ("evaluate", "saved", "gold.spacy", "--code", code.name, "-o", "scores.json")
    done = subprocess.run(
        [sys.executable, "-m", "spacy", *command], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = srsly.read_json(tmp_path / "scores.json")["ents_f_corrected"]
    assert found == pytest.approx(expected("NER")["ents_f_corrected"], abs=1e-9)


# --- without the library: its component has a task, and the task the scorer


def component(scorer, **fields):
    return SimpleNamespace(task=SimpleNamespace(_scorer=scorer, **fields))


@pytest.mark.parametrize(
    ("scorer", "fields", "layer"),
    [
        (make_ner_scorer(unit="document"), {}, "ents"),
        (make_spancat_scorer(unit="document"), {"spans_key": "sc"}, "spans:sc"),
        (make_spancat_scorer(unit="document"), {"spans_key": "mine"}, "spans:mine"),
    ],
    ids=["ents", "sc", "mine"],
)
def test_names_of_a_task_and_of_the_component_do_not_clash(scorer, fields, layer):
    pipes = [("llm", component(scorer, **fields))]
    same = ChanceEval(layers=[layer], unit="document")
    same.check_names(pipes)
    with pytest.raises(ValueError, match="'llm' and 'chance_eval' would report .* same names"):
        ChanceEval(layers=[layer]).check_names(pipes)
