"""Random corpora of CoNLL-2003's shape, with a fixed seed, in memory and in files."""

import json
import os
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np

from spacy_chance_eval import Spans

CACHE = "BENCHMARKS_CACHE"  # variable: where files of this run are
CONFIGS = Path(__file__).parents[1] / "configs"
LEARNED, EPOCHS = 640, 4  # sentences that the parser learns, and how often
LABELS = ("LOC", "MISC", "ORG", "PER")
SHARES = (0.3, 0.12, 0.29, 0.29)


def conll_shaped(n_docs, seed=0):
    """Gold and predicted `Spans`: per 3,453 documents about 44,000 tokens and 5,600 entities.

    The prediction loses spans, moves ends and confuses labels; its F is near .89.
    """
    rng = np.random.default_rng(seed)
    gold = sentences(n_docs, rng)
    return gold, noisy(gold, rng)


def shared_task(n_docs, n_systems, seed=0):
    """Gold and the `Spans` of systems from good to bad, as {name: Spans}."""
    rng = np.random.default_rng(seed)
    gold, systems = sentences(n_docs, rng), {}
    for number in range(n_systems):
        pred = noisy(gold, rng)
        lost = 0.02 + 0.2 * number / n_systems
        systems[f"system {number + 1:02}"] = pred.keep(rng.random(len(pred)) > lost)
    return gold, systems


def team(n_annotators, n_docs, seed=0):
    """`Spans` of annotators of such sentences, whose errors are those of `conll_shaped`.

    The first two agree with each other less than with the truth.
    """
    rng = np.random.default_rng(seed)
    truth = sentences(n_docs, rng)
    return [noisy(truth, rng) for _ in range(n_annotators)]


def sentences(n_docs, rng):
    """Disjoint spans in short documents."""
    sizes = np.minimum(1 + rng.gamma(2.2, 5.4, n_docs).astype(int), 120)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    n_tokens = int(offsets[-1])
    count = n_tokens // 4 + 100  # enough: a span and the gap before it take more than 7 tokens
    gaps, lengths = rng.geometric(0.158, count), rng.geometric(0.68, count)
    start = np.cumsum(gaps + lengths) - lengths - 1
    label = rng.choice(len(LABELS), count, p=SHARES)
    inside = start < n_tokens
    start, lengths, label = start[inside], lengths[inside], label[inside]
    doc = np.searchsorted(offsets, start, "right") - 1
    end = np.minimum(start + lengths, offsets[doc + 1])
    return Spans(doc, start - offsets[doc], end - offsets[doc], label, sizes, LABELS)


def noisy(spans, rng):
    """The spans as a good system would predict them."""
    luck = rng.random(len(spans))
    free = np.append(spans.start[1:], 0)
    last = np.append(np.diff(spans.doc) != 0, True)[: len(spans)]
    free = np.where(last, spans.sizes[spans.doc], free[: len(spans)])
    end = spans.end + ((luck > 0.05) & (luck < 0.1) & (spans.end < free))
    label = np.where(luck < 0.96, spans.label, rng.integers(0, len(LABELS), len(spans)))
    kept = luck >= 0.05
    columns = (spans.doc, spans.start, end, label)
    return Spans(*(column[kept] for column in columns), spans.sizes, LABELS)


# --- in the formats of other programs


def by_document(rows, ends):
    """Rows of all documents, cut where each of them ends."""
    return [rows[start:end] for start, end in pairwise([0, *ends])]


def tuples(spans):
    """(start, end, label) lists by document, as plain Python."""
    labels = [spans.labels[label] for label in spans.label.tolist()]
    rows = list(zip(spans.start.tolist(), spans.end.tolist(), labels))
    return by_document(rows, np.searchsorted(spans.doc, np.arange(spans.n_docs), "right").tolist())


def codes(spans, begins=True):
    """A number for each token of the corpus: 0 outside, 1 + label inside.

    With `begins`, in IOB2: 1 + 2 label where a span begins, 2 + 2 label inside.
    """
    found = np.zeros(spans.offsets[-1], np.int8)
    first = spans.offsets[spans.doc] + spans.start
    within = np.repeat(first - np.cumsum(spans.lengths) + spans.lengths, spans.lengths)
    label = np.repeat(spans.label, spans.lengths)
    found[within + np.arange(len(within))] = 2 + 2 * label if begins else 1 + label
    found[first] = 1 + 2 * spans.label if begins else 1 + spans.label
    return found


def tags(spans):
    """IOB2 tags by document."""
    names = ["O", *(f"{prefix}-{label}" for label in spans.labels for prefix in "BI")]
    rows = np.array(names, object)[codes(spans)].tolist()
    return by_document(rows, np.cumsum(spans.sizes).tolist())


# --- files, made once in a run


def cached(name, make):
    """A folder of that name with what `make(folder)` wrote, in this run or before."""
    folder = Path(os.environ.get(CACHE) or tempfile.gettempdir()) / name
    if not folder.exists():
        part = Path(tempfile.mkdtemp(dir=folder.parent))
        make(part)
        part.rename(folder)
    return folder


def files(write, ending, n_docs, n_systems=None):
    """Paths of gold and a prediction, or of several systems."""
    names = [f"system {number + 1:02}" for number in range(n_systems)] if n_systems else ["pred"]

    def make(folder):
        if n_systems:
            gold, systems = shared_task(n_docs, n_systems)
            sides = [gold, *systems.values()]
        else:
            sides = conll_shaped(n_docs)
        for name, spans in zip(("gold", *names), sides):
            write(folder / f"{name}{ending}", spans)

    folder = cached(f"{n_docs}{ending} {n_systems}", make)
    return [folder / f"{name}{ending}" for name in ("gold", *names)]


def write_conll(path, spans):
    """A file of two columns; the words do not matter."""
    with open(path, "w", encoding="utf8") as file:
        for some in tags(spans):
            file.writelines([f"w{i}\t{tag}\n" for i, tag in enumerate(some)])
            file.write("\n")


def write_jsonl(path, spans):
    """A file of tokens and spans."""
    with open(path, "w", encoding="utf8") as file:
        for size, rows in zip(spans.sizes.tolist(), tuples(spans)):
            named = [dict(zip(("start", "end", "label"), row)) for row in rows]
            row = {"tokens": [f"w{i}" for i in range(size)], "spans": named}
            file.write(json.dumps(row) + "\n")


def write_docbin(path, spans):
    """A `.spacy` file."""
    from spacy.tokens import DocBin

    DocBin(docs=docs([spans])[0]).to_disk(path)


# --- for spaCy


def docs(sides, key=None):
    """Lists of Docs with the same words, with entities, or with a span group."""
    import spacy
    from spacy.tokens import Doc, Span

    vocab = spacy.blank("en").vocab
    words, made, number = [f"word{i}" for i in range(997)], [[] for _ in sides], 0
    for size, *rows in zip(sides[0].sizes.tolist(), *map(tuples, sides)):
        text = [words[(number + i) * 7919 % 997] for i in range(size)]
        number += size
        for one, mine in zip(made, rows):
            doc = Doc(vocab, text)
            spans = [Span(doc, *row) for row in mine]
            if key:
                doc.spans[key] = spans
            else:
                doc.set_ents(spans, default="outside")
            one.append(doc)
    return made


def examples(sides, key=None):
    """spaCy's Examples of gold and a prediction, without any cached alignment."""
    from spacy.training import Example

    gold, pred = docs(sides, key)
    return list(map(Example, pred, gold))


def pipeline(kind, n_docs, scorer):
    """A pipeline that has learned a little, with one of our scorers or spaCy's, and new Examples.

    Parameters
    ----------
    kind : "ner" or "parser"
        For the parser sentences are grown by the rules of the sample treebank.
    n_docs : int
    scorer : dict, optional
        As in a config; by default spaCy's.
    """
    import spacy
    from spacy.tokens import Doc, DocBin
    from spacy.training import Example
    from spacy.util import fix_random_seed, load_config, minibatch

    def fresh(docs):
        return [Example(Doc(one.vocab, words=[token.text for token in one]), one) for one in docs]

    def learn(folder):
        nlp = spacy.blank("en")
        tok2vec = load_config(CONFIGS / "ner.cfg")["components"]["ner"]["model"]["tok2vec"]
        nlp.add_pipe(kind, config={"model": {"tok2vec": tok2vec}})
        train = list(DOCS[kind](nlp.vocab, LEARNED, 1))
        fix_random_seed(0)
        nlp.initialize(lambda: fresh(train))
        for _ in range(EPOCHS):
            for batch in minibatch(fresh(train), 32):
                nlp.update(batch)
        nlp.to_disk(folder / kind)

    def annotate(folder):
        docs = DOCS[kind](spacy.blank("en").vocab, n_docs, 0)
        DocBin(docs=docs).to_disk(folder / "dev.spacy")

    config = {f"components.{kind}.scorer": scorer} if scorer else {}
    nlp = spacy.load(cached(kind, learn) / kind, config=config)
    dev = DocBin().from_disk(cached(f"{kind} {n_docs}", annotate) / "dev.spacy")
    return nlp, fresh(dev.get_docs(nlp.vocab))


def tree_docs(vocab, n_docs, seed):
    """Docs with trees; words name their relations."""
    from spacy.tokens import Doc

    import trees

    bank, rng = trees.treebank(n_docs, seed), np.random.default_rng(seed)
    for start, stop in pairwise(bank.starts.tolist()):
        relations = [bank.labels[label] for label in bank.label[start:stop]]
        words = [f"{relation}{rng.integers(50)}" for relation in relations]
        heads = [i if head < 0 else head for i, head in enumerate(bank.parents[start:stop])]
        yield Doc(vocab, words=words, heads=heads, deps=relations)


def ent_docs(vocab, n_docs, seed):
    """Docs with entities; words inside name their labels."""
    from spacy.tokens import Doc, Span

    gold, rng = conll_shaped(n_docs, seed)[0], np.random.default_rng(seed)
    for size, rows in zip(gold.sizes.tolist(), tuples(gold)):
        words = [f"word{number}" for number in rng.zipf(1.4, size) % 20_000]
        for start, end, label in rows:
            words[start:end] = [f"{label}{rng.integers(900)}" for _ in range(start, end)]
        doc = Doc(vocab, words)
        doc.set_ents([Span(doc, *row) for row in rows], default="outside")
        yield doc


DOCS = {"ner": ent_docs, "parser": tree_docs}
