"""Real trainings of tiny models on the sample, which take a second or two."""

import io
from pathlib import Path

from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from spacy.util import load_config

CONFIGS = Path(__file__).parents[2] / "configs"
STEPS = (0, 20, 40, 60)  # at which a run is evaluated


def shortened(kind, corpus, *, logger=None, before_to_disk=None, **overrides):
    """A config of the project, for a few steps of a tiny model."""
    settings = {
        "paths.train": str(corpus / "train.spacy"),
        "paths.dev": str(corpus / "dev.spacy"),
        f"components.{kind}.model.tok2vec.width": 32,
        f"components.{kind}.model.tok2vec.embed_size": 500,
        "training.max_steps": STEPS[-1],
        "training.eval_frequency": STEPS[1],
        "training.optimizer.learn_rate": 0.01,
        **overrides,
    }
    if kind == "spancat":
        settings["components.spancat.suggester.sizes"] = [1, 2, 3]
    config = load_config(CONFIGS / f"{kind}.cfg", overrides=settings)
    config["training"]["logger"] = logger or {"@loggers": "spacy.ConsoleLogger.v1"}
    if before_to_disk is not None:
        config["training"]["before_to_disk"] = before_to_disk
    return config


def trained(config, folder):
    """The pipeline after a training into a folder, and what spaCy printed."""
    said = io.StringIO()
    nlp, _ = train(init_nlp(config), folder, stdout=said, stderr=io.StringIO())
    return nlp, said.getvalue()
