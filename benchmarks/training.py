"""What the scorers cost in a training: their share of `nlp.evaluate`, as a training run calls it.

    pip install ".[bench]" && python benchmarks/training.py [--repeats 9] [--only CASE] [--profile]

Small pipelines for the CPU (those of configs/, and a parser of the same size) learn for some steps,
then evaluate the sample, and text of CoNLL-2003's shape: 3,250 sentences of some 13 tokens with 1.6
entities of four labels, each a Doc, or 15 of them a Doc (217 Docs); and trees. Examples are new in
every evaluation, as in a training. Seconds are those of the processor, medians of the repeats;
shares are of one and the same call: what our scores take beyond spaCy's own, of all that
`nlp.evaluate` takes, and, for comparison, what spaCy's own scores take.
"""

import argparse
import cProfile
import io
import json
import os
import platform
import pstats
import sys
import time
import warnings
from contextlib import ExitStack
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # so that seconds of the processor are those of the clock

import numpy as np
import spacy
from spacy.tokens import Doc, DocBin, Span
from spacy.training import Corpus
from spacy.util import fix_random_seed, load_config, load_model_from_config, minibatch

sys.path.insert(0, str(Path(__file__).parent))
import inputs
import treebanks
from spacy_chance_eval import read, sample
from spacy_chance_eval.integrations import component, scorers
from spacy_chance_eval.spacy_docs.docbin import docs_of_corpus

CONFIGS = Path(__file__).parents[1] / "configs"
SENTENCES, PER_DOCUMENT = 3250, 15
TREES = 2000
STEPS = 40
# the functions that work out our scores, and where they are called
OURS = ((scorers, "chance_scores"), (component, "chance_scores"), (scorers, "tree_scores"))
SPACY = (
    (scorers, "get_ner_prf"),
    (scorers, "spancat_score"),
    (scorers, "parser_score"),
)


# --- corpora


def sample_docs(split, nlp, ents=None):
    """Docs of a split of the sample."""
    return list(docs_of_corpus(read(sample.path(f"{split}.jsonl")), nlp, ents=ents))


def conll_docs(nlp, together=1, seed=0):
    """Docs of CoNLL-2003's shape, with entities and as the span group sc; words tell the labels."""
    gold, _ = inputs.conll_shaped(SENTENCES, seed)
    rng, sentences = np.random.default_rng(seed), []
    for size, rows in zip(gold.sizes.tolist(), inputs.tuples(gold)):
        words = [f"word{number}" for number in rng.zipf(1.4, size) % 20_000]
        for start, end, label in rows:
            words[start:end] = [f"{label}{rng.integers(900)}" for _ in range(start, end)]
        sentences.append((words, rows))
    return [
        joined_doc(nlp, sentences[start : start + together])
        for start in range(0, len(sentences), together)
    ]


def joined_doc(nlp, sentences):
    """A Doc of some sentences (words, rows)."""
    words, starts, rows = [], [], []
    for more, found in sentences:
        starts += [True, *[False] * (len(more) - 1)]
        rows += [(start + len(words), end + len(words), label) for start, end, label in found]
        words += more
    doc = Doc(nlp.vocab, words=words, sent_starts=starts)
    spans = [Span(doc, *row) for row in rows]
    doc.set_ents(spans, default="outside")
    doc.spans["sc"] = spans
    return doc


def tree_docs(nlp, n=TREES, seed=0):
    """Docs of one sentence each, with trees like those of treebanks; words name their relations."""
    trees, rng = treebanks.treebank(n, seed), np.random.default_rng(seed)
    for start, stop in zip(trees.starts[:-1], trees.starts[1:]):
        relations = [trees.labels[label] for label in trees.label[start:stop]]
        words = [f"{relation}{rng.integers(50)}" for relation in relations]
        heads = [i if head < 0 else int(head) for i, head in enumerate(trees.parents[start:stop])]
        yield Doc(nlp.vocab, words=words, heads=heads, deps=relations)


# --- pipelines


def configured(kind, *, component=False, **settings):
    """A pipeline of configs/, with other settings of its scorer; `component`: and `chance_eval`."""
    config = load_config(CONFIGS / f"{kind}.cfg")
    for name, value in settings.items():
        config["components"][kind]["scorer"][name] = value
    if kind == "spancat":
        config["components"][kind]["suggester"]["sizes"] = [1, 2, 3]
    config["nlp"]["pipeline"] = [kind, "chance_eval"] if component else [kind]
    return load_model_from_config(config, auto_fill=True)


def parsing(**settings):
    """A parser of the same size as the others."""
    nlp = spacy.blank("en")
    tok2vec = load_config(CONFIGS / "ner.cfg")["components"]["ner"]["model"]["tok2vec"]
    scorer = {"@scorers": "spacy-chance-eval.parser_scorer.v1", **settings}
    nlp.add_pipe("parser", config={"scorer": scorer, "model": {"tok2vec": tok2vec}})
    return nlp


def reader(nlp, docs, folder):
    """What gives new Examples of some Docs every time, as spaCy's trainings read them."""
    path = Path(folder) / f"{len(list(Path(folder).iterdir()))}.spacy"
    DocBin(docs=docs).to_disk(path)
    return partial(Corpus(path), nlp)


def trained(nlp, examples, steps):
    """The pipeline after some steps."""
    fix_random_seed(0)
    nlp.initialize(examples)
    batches = (batch for _ in range(steps) for batch in minibatch(examples(), 32))
    for batch in islice(batches, steps):
        nlp.update(batch)
    return nlp


# --- measuring


class Stopwatch:
    """Seconds of the processor spent in some functions, each called as if it were not there."""

    def __init__(self, places):
        self.places, self.seconds = places, 0.0

    def timed(self, function):
        def call(*arguments, **options):
            start = time.process_time()
            try:
                return function(*arguments, **options)
            finally:
                self.seconds += time.process_time() - start

        return call

    def __enter__(self):
        self.stack = ExitStack()
        for module, name in self.places:
            self.stack.enter_context(patch.object(module, name, self.timed(getattr(module, name))))
        return self

    def __exit__(self, *failure):
        self.stack.close()


def measured(nlp, examples, repeats):
    """Seconds of `nlp.evaluate`, of our part and of spaCy's; medians."""
    rows = []
    for _ in range(repeats + 1):  # the first one is to warm up
        made = list(examples())
        with Stopwatch(OURS) as ours, Stopwatch(SPACY) as usual:
            start = time.process_time()
            nlp.evaluate(made)
            rows.append((time.process_time() - start, ours.seconds, usual.seconds))
    whole, ours, usual = np.array(rows[1:]).T
    return {
        "docs": len(made),
        "tokens": sum(len(example.y) for example in made),
        "evaluate": float(np.median(whole)),
        "ours": float(np.median(ours)),
        "share": float(np.median(ours / whole)),
        "spacy_share": float(np.median(usual / whole)),
    }


def profiled(nlp, examples, n=25):
    """The functions in which our scores spend their time, as text."""
    profile, made = cProfile.Profile(), list(examples())
    with ExitStack() as stack:
        for module, name in OURS:
            function = partial(profile.runcall, getattr(module, name))
            stack.enter_context(patch.object(module, name, function))
        nlp.evaluate(made)
    said = io.StringIO()
    pstats.Stats(profile, stream=said).sort_stats("tottime").print_stats(n)
    return said.getvalue()


# --- cases


def cases(folder):
    """Names of cases, a pipeline, its training Examples and those it is evaluated on."""
    blank = spacy.blank("en")
    sets = {
        "sample": (sample_docs("train", blank), sample_docs("dev", blank)),
        "sentences": (conll_docs(blank, seed=1)[:640], conll_docs(blank)),
        "documents": (conll_docs(blank, seed=1)[:640], conll_docs(blank, together=PER_DOCUMENT)),
        "trees": (list(tree_docs(blank, 320, seed=1)), list(tree_docs(blank))),
    }
    pipelines = {
        "ner_scorer": (configured, "ner", {}, ("sample", "sentences", "documents")),
        "ner_scorer, unit sent": (configured, "ner", {"unit": "sent"}, ("documents",)),
        "ner_scorer, BIO, corpus": (
            configured,
            "ner",
            {"encoding": "BIO", "token_information": "corpus"},
            ("sentences",),
        ),
        "spancat_scorer": (configured, "spancat", {}, ("sample", "sentences", "documents")),
        "ner_scorer + chance_eval": (
            configured,
            "ner",
            {"component": True},
            ("sample", "sentences", "documents"),
        ),
        "parser_scorer": (parsing, None, {}, ("trees",)),
        "parser_scorer, sample 20,000": (parsing, None, {"sample": 20_000}, ("trees",)),
    }
    for name, (make, kind, settings, wanted) in pipelines.items():
        for corpus in wanted:
            nlp = make(kind, **settings) if kind else make(**settings)
            yield f"{name}: {corpus}", nlp, *(reader(nlp, docs, folder) for docs in sets[corpus])


def rows(only, repeats, profile):
    """All rows of the table; each case is measured with a random model, then with a trained one."""
    with TemporaryDirectory() as folder:
        for name, nlp, train, dev in cases(folder):
            if only and only not in name:
                continue
            for steps in (0, STEPS):
                trained(nlp, train, steps)
                yield {"case": name, "steps": steps, **measured(nlp, dev, repeats)}
            if profile:
                print(profiled(nlp, dev), file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", help="part of the name of the cases to measure")
    parser.add_argument("--output", type=Path, help="write the table as JSON, too")
    parser.add_argument("--profile", action="store_true", help="also where our time goes")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    print(f"{platform.machine()}, Python {platform.python_version()}, spaCy {spacy.__version__}\n")
    print(f"{'case':42} {'steps':>5} {'docs':>6} {'tokens':>7} {'evaluate':>9} {'ours':>8}", end="")
    print(f" {'share':>7} {'spaCy':>7}")
    table = []
    for row in rows(arguments.only, arguments.repeats, arguments.profile):
        table.append(row)
        print(
            "{case:42} {steps:5} {docs:6} {tokens:7} {evaluate:9.3f} {ours:8.4f}"
            " {share:7.1%} {spacy_share:7.1%}".format(**row),
            flush=True,
        )
    if arguments.output:
        arguments.output.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()
