"""Annotations to explain: corpora of readers made of small random ones, and of layouts."""

from spacy_chance_eval.corpora.pairs import CorpusPair
from spacy_chance_eval.formats import Corpus, Document


def corpus_pair(pair):
    """The `CorpusPair` of a `strategies.Pair`."""
    return CorpusPair(corpus(pair, pair.gold), "x", corpus(pair, pair.pred), "x", ("g", "p"))


def corpus(pair, side):
    rows = zip(side, pair.words, pair.sizes, pair.cuts, pair.names, strict=True)
    documents = [
        Document(words, {"x": spans}, name, sents=sorted({0, *cuts} if size else ()))
        for spans, words, size, cuts, name in rows
    ]
    return Corpus("file", documents)


def one_document(gold, pred, size, name="doc"):
    """The `CorpusPair` of one document of `size` words; spans are (start, end, label)."""
    words = [f"w{i}" for i in range(size)]
    sides = [
        Corpus("file", [Document(words, {"x": spans}, name, sents=(0,))]) for spans in (gold, pred)
    ]
    return CorpusPair(sides[0], "x", sides[1], "x", ("g", "p"))


def labelled(runs, label="X"):
    return [(*run, label) for run in runs]
