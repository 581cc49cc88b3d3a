"""Other libraries and this one give the same numbers where docs/migration.md says so."""

import pytest
import spacy
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example

from spacy_chance_eval import agree, evaluate, read, report

TRUE = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["O", "B-LOC", "O", "B-ORG"]]
PRED = [["B-PER", "I-PER", "O", "B-LOC", "I-LOC"], ["O", "B-LOC", "O", "O"]]
LABELS = ["LOC", "ORG", "PER"]


def observed(*metrics):
    """Observed scores of the tags, in order."""
    return [score.observed for score in evaluate(TRUE, PRED, metrics).values()]


def test_seqeval():
    metrics = pytest.importorskip("seqeval.metrics")
    theirs = metrics.classification_report(TRUE, PRED, output_dict=True, zero_division=0)
    ours = report(TRUE, PRED).to_dict()
    for label in (*LABELS, "micro avg"):
        assert ours[label]["f1-score"] == pytest.approx(theirs[label]["f1-score"])
        assert ours[label]["support"] == theirs[label]["support"]
    assert ours["ORG"]["precision"] is None and theirs["ORG"]["precision"] == 0
    names = ("precision_score", "recall_score", "f1_score")
    expected = [getattr(metrics, name)(TRUE, PRED) for name in names]
    assert observed("span_precision", "span_recall", "span_f") == pytest.approx(expected)


def test_nervaluate():
    nervaluate = pytest.importorskip("nervaluate")
    overall = nervaluate.Evaluator(TRUE, PRED, tags=LABELS, loader="list").evaluate()["overall"]
    names = ("strict", "exact", "partial", "ent_type")
    ours = observed(
        *("span_f", "span_f(labels=ignore)", "gate_f(labels=ignore,mode=average)"),
        "gate_f(mode=lenient)",
    )
    assert ours == pytest.approx([overall[name].f1 for name in names])


def test_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    flat = [[tag for tags in side for tag in tags] for side in (TRUE, PRED)]
    bare = [[tag.partition("-")[2] or "O" for tag in tags] for tags in flat]
    prefixed = sorted({*flat[0], *flat[1]} - {"O"})
    expected = [
        metrics.f1_score(*bare, labels=LABELS, average="micro"),
        metrics.f1_score(*flat, labels=prefixed, average="micro"),
    ]
    assert observed("token_f", "token_f(encoding=BIO)") == pytest.approx(expected)
    macro = evaluate(TRUE, PRED, ["token_f"])["token_f"].macro["observed"]
    expected = metrics.f1_score(*bare, labels=LABELS, average="macro", zero_division=0)
    assert macro == pytest.approx(expected)
    kappa = agree({"gold": TRUE, "pred": PRED}, ["cohen_kappa"])["cohen_kappa"]["mean"]
    assert kappa["corrected"] == pytest.approx(metrics.cohen_kappa_score(*bare))


def test_the_scorer_of_spacy():
    vocab, words = spacy.blank("en").vocab, [list("abcde"), list("fghi")]
    gold, pred = (
        [Doc(vocab, words=tokens, ents=tags) for tokens, tags in zip(words, side)]
        for side in (TRUE, PRED)
    )
    examples = [Example(*pair) for pair in zip(pred, gold)]
    theirs = Scorer.score_spans(examples, "ents")
    ours = evaluate(examples, metrics=["span_precision", "span_recall", "span_f"])
    expected = [theirs[f"ents_{name}"] for name in "prf"]
    assert [score.observed for score in ours.values()] == pytest.approx(expected)
    for label, score in theirs["ents_per_type"].items():
        assert ours["span_f"].per_label[label]["observed"] == pytest.approx(score["f"])


def test_documents_of_gatenlp(tmp_path):
    """One correct, one partial, one missing, one spurious: by the guide 1/3, 2/3 and 1/2."""
    gatenlp = pytest.importorskip("gatenlp")
    doc = gatenlp.Document("Ada Brandt met the mayor of Keld in Oslo.")
    sets = {
        "Key": [(0, 10, "Person"), (28, 32, "Location"), (36, 40, "Location")],
        "Response": [(0, 3, "Person"), (28, 32, "Location"), (18, 23, "Person")],
    }
    for name, annotations in sets.items():
        for start, end, kind in annotations:
            doc.annset(name).add(start, end, kind)
    path = str(tmp_path / "ada.bdocjs")
    doc.save(path)
    key, response = read(path).spans("Key"), read(path, role="pred").spans("Response")
    modes = [f"gate_f(mode={mode})" for mode in ("strict", "lenient", "average")]
    scores = evaluate(key, response, modes)
    assert [score.observed for score in scores.values()] == pytest.approx([1 / 3, 2 / 3, 1 / 2])
    counts = {"correct": 1, "partial": 1, "wrong label": 0, "missing": 1, "spurious": 1}
    assert all(score.relations == counts for score in scores.values())
