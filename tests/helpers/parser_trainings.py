"""Real trainings of a tiny parser on sentences from a template, which take a second or two."""

import random

import spacy
from spacy.tokens import DocBin

from helpers.parsing import parsed

STEPS = (0, 3, 6)  # at which a run is evaluated
MODEL = {
    "hidden_width": 32,
    "tok2vec": {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        **{"width": 32, "depth": 1, "embed_size": 300, "window_size": 1, "maxout_pieces": 2},
        "subword_features": False,
    },
}
SCORER = {"@scorers": "spacy-chance-eval.parser_scorer.v1"}
TRAINING = {
    **{"dropout": 0.0, "max_steps": STEPS[-1], "eval_frequency": STEPS[1]},
    "batcher": {"@batchers": "spacy.batch_by_words.v1", "size": 200, "tolerance": 0.2},
    "optimizer": {"@optimizers": "Adam.v1", "learn_rate": 0.01},
    "score_weights": {"dep_alpha": 1.0, "dep_uas": 0.0, "dep_las": 0.0},
}
# words, heads and relations of clauses; N stands for one of some nouns
CLAUSES = [
    ("the N sees a big N now .", (2, 3, 0, 6, 6, 3, 3, 3),
     "det nsubj ROOT det amod dobj advmod punct"),
    ("a big N likes the N .", (3, 3, 4, 0, 6, 4, 4), "det amod nsubj ROOT det dobj punct"),
    ("the N hears .", (2, 3, 0, 3), "det nsubj ROOT punct"),
]  # fmt: skip


def config(folder, *, logger=None):
    """A config of a tiny parser, its corpus in a folder."""
    nlp = spacy.blank("en")
    nlp.add_pipe("parser", config={"scorer": SCORER, "model": MODEL})
    paths = {split: str(folder / f"{split}.spacy") for split in ("train", "dev")}
    own = TRAINING | {"logger": logger or {"@loggers": "spacy.ConsoleLogger.v1"}}
    return nlp.config.merge({"paths": paths, "training": own})


def documents(n, seed):
    """Named Docs of one to three clauses."""
    rng, found = random.Random(seed), []
    for number in range(n):
        words, heads, deps = [], [], []
        for text, own, relations in rng.choices(CLAUSES, k=rng.randint(1, 3)):
            heads += [head and head + len(words) for head in own]
            words += [rng.choice(["dog", "girl", "cat"]) if w == "N" else w for w in text.split()]
            deps += relations.split()
        found.append(parsed(words, heads, deps, name=f"d{number}", spaces=[True] * len(words)))
    return found


def write_corpus(folder):
    """train.spacy and dev.spacy in a folder."""
    for seed, (split, n) in enumerate({"train": 40, "dev": 12}.items()):
        docs = documents(n, seed)
        DocBin(store_user_data=True, docs=docs).to_disk(folder / f"{split}.spacy")
    return folder
