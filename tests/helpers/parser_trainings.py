"""Real trainings of a tiny parser on sentences from a template, which take a second or two."""

import random

from confection import Config
from spacy.tokens import DocBin

from helpers.parsing import parsed

STEPS = (0, 3, 6)  # at which a run is evaluated
CONFIG = """
[paths]
train = null
dev = null

[nlp]
lang = "en"
pipeline = ["parser"]

[components]

[components.parser]
factory = "parser"

[components.parser.scorer]
@scorers = "spacy-chance-eval.parser_scorer.v1"

[components.parser.model]
@architectures = "spacy.TransitionBasedParser.v2"
state_type = "parser"
extra_state_tokens = false
hidden_width = 32
maxout_pieces = 2
use_upper = true

[components.parser.model.tok2vec]
@architectures = "spacy.HashEmbedCNN.v2"
pretrained_vectors = null
width = 32
depth = 1
embed_size = 300
window_size = 1
maxout_pieces = 2
subword_features = false

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = ${paths.train}

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = ${paths.dev}

[training]
train_corpus = "corpora.train"
dev_corpus = "corpora.dev"
seed = 0
gpu_allocator = null
dropout = 0.0
accumulate_gradient = 1
patience = 0
max_epochs = 0
max_steps = 6
eval_frequency = 3

[training.logger]
@loggers = "spacy.ConsoleLogger.v1"

[training.batcher]
@batchers = "spacy.batch_by_words.v1"
size = 200
tolerance = 0.2
discard_oversize = false

[training.optimizer]
@optimizers = "Adam.v1"
learn_rate = 0.01

[training.score_weights]
dep_alpha = 1.0
dep_alpha_observed = null
dep_alpha_expected = null
dep_uas = 0.0
dep_las = 0.0
"""


def config(folder, *, logger=None, before_to_disk=None, **scorer):
    """A config of a tiny parser, its corpus in a folder, with settings of the scorer."""
    overrides = {f"paths.{split}": str(folder / f"{split}.spacy") for split in ("train", "dev")}
    overrides |= {f"components.parser.scorer.{name}": value for name, value in scorer.items()}
    found = Config().from_str(CONFIG, overrides=overrides, interpolate=False)
    if logger is not None:
        found["training"]["logger"] = logger
    if before_to_disk is not None:
        found["training"]["before_to_disk"] = before_to_disk
    return found


def clause(rng):
    """Words, heads and relations of a clause such as "the dog sees a big cat now ."."""
    words, heads, deps = [], [], []

    def phrase(dep, nouns):
        n = len(words)
        more = rng.random() < 0.4
        noun = n + 2 + more
        words.extend([rng.choice(["the", "a"]), *["big"] * more, rng.choice(nouns)])
        heads.extend([noun, *[noun] * more, "verb"])
        deps.extend(["det", *["amod"] * more, dep])

    phrase("nsubj", ["dog", "girl", "man"])
    words.append(rng.choice(["sees", "hears", "likes"]))
    verb = len(words)
    heads.append(0)
    deps.append("ROOT")
    if rng.random() < 0.7:
        phrase("dobj", ["cat", "song", "tree"])
    if rng.random() < 0.5:
        words.append("now")
        heads.append("verb")
        deps.append("advmod")
    words.append(".")
    heads.append("verb")
    deps.append("punct")
    return words, [verb if head == "verb" else head for head in heads], deps


def documents(n, seed):
    """Named Docs of one to three clauses."""
    rng, found = random.Random(seed), []
    for number in range(n):
        words, heads, deps = [], [], []
        for _ in range(rng.randint(1, 3)):
            more = clause(rng)
            heads += [head and head + len(words) for head in more[1]]
            words += more[0]
            deps += more[2]
        found.append(parsed(words, heads, deps, name=f"d{number}", spaces=[True] * len(words)))
    return found


def write_corpus(folder):
    """train.spacy and dev.spacy in a folder."""
    for seed, (split, n) in enumerate({"train": 40, "dev": 12}.items()):
        docs = documents(n, seed)
        DocBin(store_user_data=True, docs=docs).to_disk(folder / f"{split}.spacy")
    return folder
