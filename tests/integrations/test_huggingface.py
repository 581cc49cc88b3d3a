"""Scores for Hugging Face: seqeval's to the last bit, and the function for `Trainer`."""

import pickle
import random
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from helpers.cases import later
from spacy_chance_eval import evaluate
from spacy_chance_eval.integrations.huggingface import make_compute_metrics, seqeval_scores
from spacy_chance_eval.scoring.statistics import headline

seqeval = pytest.importorskip("seqeval", reason="needs seqeval")

OVERALL = {"precision": "precision", "recall": "recall", "f1": "f1-score"}


def made_tags(rng, prefixes, n_docs=4):
    """Random tags, most of them improper."""
    tags = ["O"] * len(prefixes) + [f"{one}-{label}" for one in prefixes for label in "AB"]
    return [rng.choices(tags, k=rng.randrange(1, 9)) for _ in range(n_docs)]


def made_pair(seed, prefixes):
    """Gold and a prediction that is right here and there."""
    rng = random.Random(seed)
    gold = made_tags(rng, prefixes)
    others = [rng.choices([*gold[0], "O", f"{prefixes[0]}-B"], k=len(tags)) for tags in gold]
    pred = [[rng.choices(pair, [2, 1])[0] for pair in zip(*tags)] for tags in zip(gold, others)]
    return gold, pred


def by_seqeval(gold, pred, scheme=None, **settings):
    """The scores of `evaluate`'s metric seqeval, from seqeval itself."""
    from seqeval import scheme as schemes
    from seqeval.metrics import accuracy_score, classification_report

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scheme = scheme and getattr(schemes, scheme)
        report = classification_report(gold, pred, output_dict=True, scheme=scheme, **settings)
    whole = [report.pop(f"{name} avg") for name in ("weighted", "macro", "micro")][-1]
    found = {
        label: {key: row[name] for key, name in OVERALL.items()} | {"number": row["support"]}
        for label, row in report.items()
    }
    found |= {f"overall_{key}": whole[name] for key, name in OVERALL.items()}
    return found | {"overall_accuracy": accuracy_score(gold, pred)}


def seqevals_part(scores, expected):
    """The scores that seqeval has, too; and all labels."""
    labels = {name for name, value in scores.items() if isinstance(value, dict)}
    return {
        key: {name: scores[key][name] for name in expected.get(key, ())} if key in labels else value
        for key, value in scores.items()
        if key in labels or key in expected
    }


def parts(scores, name):
    """The observed, the expected and the corrected score."""
    return scores[name], scores[f"expected_{name}"], scores[f"corrected_{name}"]


READINGS = {
    "iob": ("BI", {}),
    "iobes": ("BIES", {}),
    "ioe": ("IE", {}),
    "strict-iob2": ("BI", {"mode": "strict", "scheme": "IOB2"}),
    "strict-iobes": ("BIES", {"mode": "strict", "scheme": "IOBES"}),
    "strict-bilou": ("BILU", {"mode": "strict", "scheme": "BILOU"}),
}


@pytest.mark.parametrize("zero_division", [0, *later(1)])
@pytest.mark.parametrize("name", READINGS)
def test_seqevals_scores_are_equal_to_the_last_bit(name, zero_division):
    prefixes, settings = READINGS[name]
    for seed in range(3):
        gold, pred = made_pair(seed, prefixes)
        expected = by_seqeval(gold, pred, zero_division=zero_division, **settings)
        scores = seqeval_scores(pred, gold, zero_division=zero_division, **settings)
        assert seqevals_part(scores, expected) == expected, (gold, pred)


def test_scores_beyond_chance_are_those_of_evaluate():
    gold = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["O", "B-LOC", "O", "B-ORG"]]
    pred = [["B-PER", "I-PER", "O", "B-LOC", "I-LOC"], ["O", "B-LOC", "O", "O"]]
    scores = seqeval_scores(pred, gold, zero_division=0)
    for key, metric in {"f1": "span_f", "token_f1": "token_f"}.items():
        score = evaluate(gold, pred, [metric])[metric]
        found = parts({name.removeprefix("overall_"): one for name, one in scores.items()}, key)
        # F of seqeval's formula differs in the last bit
        assert found == pytest.approx((score.observed, score.expected, score.headline), abs=1e-15)
        for label, row in score.per_label.items():
            expected = row["observed"], row["expected"], headline(row)
            assert parts(scores[label], key) == pytest.approx(expected, abs=1e-15)
    assert scores["overall_signature"].startswith("span_f(beta=1.0,chance=disjoint,unit=sentence)|")


PROPER = {
    "iob1": [["I-PER", "O", "I-PER", "B-PER"]],
    "ioe": [["I-PER", "E-PER", "O", "E-PER"]],
    "bilou": [["B-PER", "L-PER", "U-PER", "U-PER"]],
}


@pytest.mark.parametrize("name", PROPER)
def test_gold_may_have_any_scheme(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scores = seqeval_scores(PROPER[name], PROPER[name])
    assert scores["overall_f1"] == 1
    assert scores["PER"]["number"] == 3 - (name == "ioe")


def test_undefined_scores_are_named_in_a_warning():
    with pytest.warns(UserWarning, match="precision of all labels, precision of PER"):
        scores = seqeval_scores([["O", "O"]], [["B-PER", "O"]])
    assert scores["PER"]["precision"] == 0 == scores["PER"]["corrected_f1"]


def test_labels_that_never_meet_are_named_in_a_warning():
    with pytest.warns(UserWarning, match="no label in common: references have A; predictions B, C"):
        seqeval_scores([["B-B", "B-C"]], [["O", "B-A"]], zero_division=0)


REFUSED = {
    "flat": (["B-A"], {}, "a flat list"),
    "empty": ([[]], {}, "have no tags"),
    # what it ends in, and no call of a function that is not there
    "plain": ([["PER"]], {}, "references: .*'PER' is not a tag"),
    "padding": ([["B-A", ""]], {}, "'' is not a tag"),
    "other": ([["B-A", "Q-A"]], {}, "'Q-A' is not a tag; expected O"),
    "suffixed": ([["PER-B"]], {}, "'PER-B' is not a tag"),
    "two": ([["E-A", "L-A"]], {}, "tags of two schemes"),
    "mode": ([["B-A"]], {"mode": "lenient"}, "unknown mode"),
    "scheme": ([["B-A"]], {"mode": "strict", "scheme": "BIO"}, "unknown scheme"),
    "zero": ([["B-A"]], {"zero_division": 2}, "'warn', 0 or 1"),
    "strict-iob1": ([["B-A"]], {"mode": "strict", "scheme": "IOB1"}, "unknown scheme"),
    "strict-unclear": ([["M-A"]], {"mode": "strict"}, "name the scheme"),
    "strict-other": ([["E-A"]], {"mode": "strict", "scheme": "IOB2"}, "'E-A' is not a tag"),
    "none": (None, {}, "a list of tags for each document"),
    "no-document": ([["B-A"], None], {}, "a list of tags for each document"),
    "generator": (iter([["B-A"]]), {}, "a list of tags for each document"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_scored_is_refused(name):
    tags, settings, message = REFUSED[name]
    with pytest.raises(ValueError, match=message) as caught:
        seqeval_scores(tags, tags, **settings)
    assert "Spans" not in str(caught.value)


@pytest.mark.parametrize(
    ("pred", "message"),
    [([["B-A"], ["O"]], "expected the same tokens"), ([["B-A", "O"]], "expected the same tokens")],
    ids=["documents", "tokens"],
)
def test_annotations_of_other_tokens_are_refused(pred, message):
    with pytest.raises(ValueError, match=message):
        seqeval_scores(pred, [["B-A"]])


# --- compute_metrics

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
# a subword, a special token or padding has -100
LABELS = np.array([[-100, 1, -100, 2, 0, 3, -100], [-100, 0, 3, 4, 0, -100, -100]])
IDS = np.array([[4, 1, 3, 2, 0, 0, 1], [2, 0, 3, 0, 1, 0, 0]])
GOLD = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC", "I-LOC", "O"]]
PRED = [["B-PER", "I-PER", "O", "O"], ["O", "B-LOC", "O", "B-PER"]]


def given(predictions=IDS, label_ids=LABELS):
    """What `Trainer` hands over."""
    return SimpleNamespace(predictions=predictions, label_ids=label_ids)


def logits_of(ids, n_tags=5):
    """Scores of tags, of which those of the ids are the highest; padded as by `Trainer`."""
    scores = np.random.default_rng(0).normal(size=(*ids.shape, n_tags))
    np.put_along_axis(scores, ids[..., None], 9, axis=2)
    scores[:, -1] = -100
    return scores.astype(np.float32)


def by_tags(gold, pred):
    """The scores of all labels by `seqeval_scores`, those that are undefined as 0.0."""
    scores = seqeval_scores(pred, gold, zero_division=0)
    del scores["overall_signature"]
    return {
        name.removeprefix("overall_"): score or 0.0
        for name, score in scores.items()
        if name.startswith("overall_")
    }


def test_scores_are_those_of_tags_without_ignored_tokens():
    scores = make_compute_metrics(TAGS)(given())
    assert scores == by_tags(GOLD, PRED)
    assert scores["accuracy"] == 5 / 8
    assert all(type(score) is float for score in scores.values())


FORMS = {
    "logits": logits_of(IDS),
    "tuple": (logits_of(IDS), np.zeros((2, 7, 3))),
    "ids-padded": np.where(LABELS == -100, -100, IDS),
}


@pytest.mark.parametrize("name", FORMS)
def test_predictions_come_in_several_forms(name):
    compute_metrics = make_compute_metrics(TAGS)
    assert compute_metrics(given(FORMS[name])) == compute_metrics(given())


def test_windows_of_one_document_are_joined():
    """The second span of gold begins in the first window and ends in the second."""
    labels = np.array([[0, 1, 2], [2, 0, 3], [0, 3, -100]])
    scores = make_compute_metrics(TAGS, groups="aab")(given(labels, labels))
    gold = [["O", "B-PER", "I-PER", "I-PER", "O", "B-LOC"], ["O", "B-LOC"]]
    assert scores == by_tags(gold, gold)
    alone = make_compute_metrics(TAGS)(given(labels, labels))
    assert scores["expected_f1"] < alone["expected_f1"]


def test_the_function_can_be_pickled():
    compute_metrics = make_compute_metrics(TAGS, per_label=True)
    assert pickle.loads(pickle.dumps(compute_metrics))(given()) == compute_metrics(given())


LISTS = {
    "names": (["LABEL_0", "LABEL_1"], "expected O"),
    "twice": (["O", "B-A", "B-A"], "different tags"),
    "mixed": (["O", "B-A", "PER"], "'PER'"),
    "numbers": ([0, 1], "different tags by id"),
    "holes": ({0: "O", 2: "B-A"}, "different tags by id"),
    "label2id": ({"O": 0, "B-A": 1}, "different tags by id"),
    "schemes": (["O", "E-A", "L-A"], "tags of two schemes"),
    "spellings": (["O", "B_PER", "I_PER", "misc"], "tags such as B-PER"),
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_no_tags_are_refused(name):
    label_list, message = LISTS[name]
    with pytest.raises(ValueError, match=message):
        make_compute_metrics(label_list, per_label=True)


@pytest.mark.parametrize("odd", ["{0}_{1}", "{1}-{0}"])
def test_tags_are_read_in_other_spellings(odd):
    tags = ["O", *(odd.format(*tag.split("-")) for tag in TAGS[1:])]
    assert make_compute_metrics(tags)(given()) == make_compute_metrics(TAGS)(given())


CALLS = {
    "shape": (given(IDS[:, :4]), {}, "have the shape"),
    "tags": (given(logits_of(IDS, 7)), {}, r"logits of shape \(rows, length, 5\)"),
    "floats": (given(IDS / 2), {}, "or whole numbers"),
    "float-labels": (given(IDS, LABELS / 1), {}, "or whole numbers"),
    "pred-id": (given(IDS + 4), {}, "id 5; expected 0 to 4"),
    "gold-id": (given(IDS, np.where(LABELS == 3, 9, LABELS)), {}, "id 9;"),
    "negative": (given(np.full_like(IDS, -100)), {}, "id -100;"),
    "several": (given(IDS, (LABELS, LABELS)), {}, "of shape"),
    "unlabelled": (given(IDS, np.full_like(IDS, -100)), {}, "nothing to score"),
    "groups": (given(), {"groups": [1, 2, 3]}, "groups have 3 rows"),
}


@pytest.mark.parametrize("name", CALLS)
def test_predictions_of_another_shape_are_refused(name):
    prediction, settings, message = CALLS[name]
    with pytest.raises(ValueError, match=message):
        make_compute_metrics(TAGS, **settings)(prediction)


def test_gold_without_entities_is_named_in_a_warning():
    outside = np.where(LABELS == -100, LABELS, 0)
    with pytest.warns(UserWarning, match="label_ids have no entity"):
        assert make_compute_metrics(TAGS)(given(IDS, outside))["f1"] == 0
