"""The module of `evaluate` in `metrics/`, with stubs and the library itself, and `Trainer`.

transformers and torch are too large for each run of the tests: `pip install transformers accelerate
torch` and `pytest -m integration tests/integrations/test_huggingface_libraries.py` runs all of it.
"""

import importlib.util
import os
import re
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from helpers.examples import ROOT, page
from helpers.extras import needs
from helpers.page_blocks import blocks_of, shows
from spacy_chance_eval.integrations.huggingface import make_compute_metrics, seqeval_scores

FOLDER = "metrics/chance_corrected_ner"
CARD = f"{FOLDER}/README.md"
PAGE = "docs/tools.md"
KINDS = ("", "expected_", "corrected_")
GOLD = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["O", "B-LOC", "O", "B-ORG"]]
PRED = [["B-PER", "I-PER", "O", "B-LOC", "I-LOC"], ["O", "B-LOC", "O", "O"]]


@pytest.fixture
def module(monkeypatch):
    """The file, loaded with stubs of its libraries."""
    evaluate, datasets = ModuleType("evaluate"), ModuleType("datasets")
    evaluate.Metric, evaluate.MetricInfo = object, SimpleNamespace
    evaluate.utils = SimpleNamespace(
        file_utils=SimpleNamespace(add_start_docstrings=lambda *texts: lambda given: given)
    )
    datasets.Features, datasets.Sequence = dict, lambda *_, **__: []
    datasets.Value = lambda kind, id: kind
    monkeypatch.setitem(sys.modules, "evaluate", evaluate)
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    spec = importlib.util.spec_from_file_location("module", ROOT / FOLDER / f"{FOLDER[8:]}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_module_hands_its_inputs_on(module):
    metric = module.ChanceCorrectedNER()
    assert [*metric._info().features] == ["predictions", "references"]
    scores = metric._compute(PRED, GOLD, zero_division=0, mode="strict")
    assert scores == seqeval_scores(PRED, GOLD, zero_division=0, mode="strict")
    with pytest.raises(ValueError, match="sample_weight"):
        metric._compute(PRED, GOLD, sample_weight=[1, 2])
    with pytest.raises(ValueError, match="'average'; expected scheme, mode, zero_division"):
        metric._compute(PRED, GOLD, average="micro")


def test_card_and_module_name_every_score(module):
    scores = seqeval_scores(PRED, GOLD, zero_division=0)
    names = {*scores["PER"], "overall_accuracy", "overall_signature"}
    assert names <= {*re.findall(r"`(\w+)`", page(CARD))}
    assert names <= {*re.findall(r"\w+", module.INPUTS)}


def run_blocks(name, beginning, folder):
    """Differences of the output of the blocks of a page that begin so, run in one process."""
    (folder / "metrics").symlink_to(ROOT / "metrics")
    found = [block for block in blocks_of(name, page(name)) if block.content.startswith(beginning)]
    code = "\n".join(block.content for block in found)
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "HF_HOME": str(folder / "cache"),
            "HF_HUB_OFFLINE": "1",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    expected = "".join(block.output for block in found)
    return [] if expected and shows(expected, done.stdout) else [expected, done.stdout]


@pytest.mark.integration
@needs("evaluate", "hf")
@pytest.mark.parametrize("name", [CARD, PAGE], ids=["card", "page"])
def test_evaluate_loads_the_module_offline(name, tmp_path):
    assert run_blocks(name, "import evaluate\n", tmp_path) == []


def needs_all(*modules):
    """A mark for tests of what no extra has."""
    reason = f"needs more: pip install {' '.join(modules)}"
    return pytest.mark.skipif(not all(map(importlib.util.find_spec, modules)), reason=reason)


@pytest.mark.integration
@needs_all("transformers")
def test_predictions_are_those_of_transformers():
    from transformers.trainer_utils import EvalPrediction

    labels, ids = np.array([[-100, 1, 2, 0]]), np.array([[0, 1, 2, 1]])
    logits = np.eye(3)[ids]
    compute_metrics = make_compute_metrics({0: "O", 1: "B-PER", 2: "I-PER"})
    for predictions in (ids, logits, (logits, logits)):
        scores = compute_metrics(EvalPrediction(predictions=predictions, label_ids=labels))
        assert (scores["precision"], scores["recall"]) == (0.5, 1.0)


@pytest.mark.integration
@needs_all("torch", "transformers", "accelerate")
def test_trainer_takes_the_function(tmp_path):
    import torch
    from transformers import BertConfig, BertForTokenClassification, Trainer, TrainingArguments

    labels = ["O", "B-PER", "I-PER"]
    rows = [
        {"input_ids": [2, 5, 6, 7, 3], "labels": [-100, 1, 2, 0, -100]},
        {"input_ids": [2, 7, 8, 5, 3], "labels": [-100, 0, 0, 1, -100]},
    ] * 8
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=10,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        id2label=dict(enumerate(labels)),
        label2id={tag: number for number, tag in enumerate(labels)},
    )
    args = TrainingArguments(str(tmp_path), num_train_epochs=2, report_to=[], disable_tqdm=True)
    trainer = Trainer(
        model=BertForTokenClassification(config),
        args=args,
        train_dataset=rows,
        eval_dataset=rows,
        compute_metrics=make_compute_metrics(config.id2label),
    )
    trainer.train()
    names = {f"eval_{kind}{unit}f1" for kind in KINDS for unit in ("", "token_")}
    assert names == {name for name in trainer.evaluate() if name.endswith("f1")}
