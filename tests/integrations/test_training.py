"""The scorers in real training, and `spacy evaluate` on what comes out of it."""

import io
import math
import re
import shlex
import subprocess
import sys

import pytest
import spacy
import srsly
from confection import Config
from spacy.tokens import DocBin
from spacy.training.initialize import init_nlp
from spacy.training.loop import train

from helpers import parser_trainings
from helpers.examples import blocks, page
from helpers.trainings import STEPS, shortened, trained

pytestmark = pytest.mark.integration

KINDS = {"ner": "ents", "spancat": "spans_sc"}
README = page("README.md")
RECORDER = {"@loggers": "chance-eval-tests.recorder.v1"}
WEIGHTED = ("f_corrected", "f_expected", "p_corrected", "r_corrected", "token_f_corrected", "f")
ROWS = []
SNIPPETS = {
    str(number): block
    for number, block in enumerate(blocks(page("docs/spacy.md"), "ini"))
    if "score_weights" in block
}


@spacy.registry.loggers(RECORDER["@loggers"])
def recorder():
    """A logger that keeps what every evaluation reports."""

    def setup(nlp, stdout, stderr):
        return (lambda info: ROWS.append(info) if info else None), lambda: None

    return setup


@pytest.fixture(scope="module", params=KINDS)
def run(request, corpus, tmp_path_factory):
    """Kind, prefix of the keys, what each evaluation reported, folder of the models."""
    folder, kind = tmp_path_factory.mktemp(request.param), request.param
    ROWS.clear()
    nlp = init_nlp(shortened(kind, corpus, logger=RECORDER))
    train(nlp, folder, stdout=io.StringIO(), stderr=io.StringIO())
    return kind, KINDS[kind], list(ROWS), folder


def test_training_evaluates_from_step_0_to_the_end(run):
    *_, rows, _ = run
    assert [row["step"] for row in rows] == list(STEPS)


def test_the_weighted_score_is_the_corrected_f_at_every_evaluation(run):
    _, prefix, rows, _ = run
    assert [row["score"] for row in rows] == [
        row["other_scores"][f"{prefix}_f_corrected"] for row in rows
    ]


def test_the_corrected_f_rises_with_training(run):
    *_, rows, _ = run
    assert rows[0]["score"] < 0.05 < 0.1 < rows[-1]["score"]


@pytest.mark.parametrize("suffix", WEIGHTED)
def test_a_weighted_column_is_a_finite_float_at_every_evaluation(run, suffix):
    _, prefix, rows, _ = run
    values = [row["other_scores"].get(f"{prefix}_{suffix}") for row in rows]
    assert len(values) == len(STEPS)
    assert {type(value) for value in values} == {float}
    assert all(math.isfinite(value) for value in values)


def test_the_best_model_is_written_and_scores_itself(run):
    _, prefix, _, folder = run
    meta = srsly.read_json(folder / "model-best" / "meta.json")
    assert f"{prefix}_f_corrected" in meta["performance"]
    nlp = spacy.load(folder / "model-best")
    assert nlp.pipe_names[-1] == "chance_eval"


def evaluated(model, corpus, output, *options):
    """`spacy evaluate` as users call it."""
    command = ["evaluate", model, corpus / "dev.spacy", "-o", output, *options]
    return subprocess.run(
        [sys.executable, "-m", "spacy", *map(str, command)], capture_output=True, text=True
    )


def shown(output):
    """The table of scores that `spacy evaluate` prints, as a dict."""
    rows = [line.rsplit(maxsplit=1) for line in output.splitlines()]
    return {row[0].strip(): row[1] for row in rows if len(row) == 2}


def test_spacy_evaluate_prints_and_saves_the_corrected_scores(run, corpus, tmp_path):
    _, prefix, rows, folder = run
    done = evaluated(folder / "model-best", corpus, tmp_path / "x.json", "--spans-key", "corrected")
    assert done.returncode == 0, done.stderr
    scores, table = srsly.read_json(tmp_path / "x.json"), shown(done.stdout)
    for name in "prf":
        assert table[f"SPAN {name.upper()}"] == f"{scores[f'spans_corrected_{name}'] * 100:.2f}"
    assert scores[f"{prefix}_f_corrected"] == scores["spans_corrected_f"]
    assert scores["spans_corrected_f"] == pytest.approx(max(row["score"] for row in rows), abs=1e-6)
    wanted = {f"{prefix}_{suffix}" for suffix in (*WEIGHTED, "slicm", "slicm_norm")}
    assert {*wanted, f"{prefix}_corrected_per_type"} <= scores.keys()


def test_the_overrides_of_the_readme_train_and_evaluate(corpus, tmp_path):
    """On a config with spaCy's scorer, which is not edited; the best model is that of its score."""
    config = shortened("ner", corpus)
    config["components"]["ner"]["scorer"] = {"@scorers": "spacy.ner_scorer.v1"}
    del config["components"]["chance_eval"]
    config["nlp"]["pipeline"] = ["ner"]
    config["training"]["score_weights"] = {"ents_f": 1.0}
    config.to_disk(tmp_path / "config.cfg")
    (command,) = (one for one in blocks(README, "bash") if "spacy train" in one)
    words = [sys.executable, *shlex.split(command.replace("\\\n", ""))[1:], "-o", "out"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    best = tmp_path / "out" / "model-best"
    performance = srsly.read_json(best / "meta.json")["performance"]
    assert performance["ents_f_corrected"] > 0
    done = evaluated(best, corpus, tmp_path / "x.json", "--spans-key", "corrected_ents")
    scores = srsly.read_json(tmp_path / "x.json")
    assert shown(done.stdout)["SPAN F"] == f"{scores['ents_f_corrected'] * 100:.2f}"


def test_scores_can_be_saved_by_component(run, corpus, tmp_path):
    kind, prefix, _, folder = run
    done = evaluated(folder / "model-best", corpus, tmp_path / "x.json", "-P")
    assert done.returncode == 0, done.stderr
    scores = srsly.read_json(tmp_path / "x.json")
    assert f"{prefix}_f_corrected" in scores[kind]
    assert "spans_corrected_f" in scores["chance_eval"]


def test_training_goes_on_when_nothing_is_predicted_or_annotated(corpus, tmp_path):
    # dev documents without any entity: spaCy's own ents_f is None there, and loses its weight
    vocab = spacy.blank("en").vocab
    docs = list(DocBin().from_disk(corpus / "dev.spacy").get_docs(vocab))
    for doc in docs:
        doc.set_ents([], default="outside")
    DocBin(docs=docs).to_disk(tmp_path / "dev.spacy")
    settings = {"paths.dev": str(tmp_path / "dev.spacy"), "training.max_steps": STEPS[1]}
    ROWS.clear()
    nlp = init_nlp(shortened("ner", corpus, logger=RECORDER, **settings))
    train(nlp, None, stdout=io.StringIO(), stderr=io.StringIO())
    found = [row["other_scores"]["ents_f_corrected"] for row in ROWS]
    assert found == [0.0, 0.0]


def documents_with(key, corpus, folder):
    """The sample with the span group of another key, in a folder."""
    for path in corpus.glob("*.spacy"):
        docs = list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))
        for doc in docs:
            doc.spans[key] = list(doc.spans.pop("sc"))
        DocBin(docs=docs).to_disk(folder / path.name)
    return folder


def with_parents(text):
    """A part of a config with the sections that its own lie in."""
    sections = re.findall(r"^\[(.+)\]$", text, re.MULTILINE)
    parents = [name.split(".")[:n] for name in sections for n in range(1, name.count(".") + 1)]
    missing = dict.fromkeys(".".join(parts) for parts in parents if ".".join(parts) not in sections)
    return "".join(f"[{name}]\n" for name in missing) + text


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_snippet_of_the_documentation_weighs_the_corrected_score_alone(snippet, corpus, tmp_path):
    """As spaCy shows it in a training: with the default weights of the components."""
    given = Config().from_str(with_parents(SNIPPETS[snippet]))
    (kind,) = given["components"]
    ((key, weight),) = [row for row in given["training"]["score_weights"].items() if row[1]]
    spans_key = given["components"][kind].get("spans_key", "sc")
    if kind == "parser":
        base = parser_trainings.config(parser_trainings.write_corpus(tmp_path))
    else:
        folder = corpus if spans_key == "sc" else documents_with(spans_key, corpus, tmp_path)
        base = shortened(kind, folder)
        base["components"]["chance_eval"]["layers"] = ["ents"]
    base["training"].pop("score_weights")
    log = tmp_path / "scores.jsonl"
    base["training"]["logger"] = {"@loggers": "spacy.ConsoleLogger.v3", "output_file": str(log)}
    nlp, _ = trained(base.merge(given), None)
    assert weight == 1.0 and weighted(nlp) == {key: 1.0}
    rows = list(srsly.read_jsonl(log))
    assert all(row["score"] == pytest.approx(row["scores"][key] / 100) for row in rows)
    assert max(row["score"] for row in rows) > 0.1


def weighted(nlp):
    """The weights that count in the choice of a trained pipeline."""
    weights = nlp.config["training"]["score_weights"]
    return {name: weight for name, weight in weights.items() if weight}
