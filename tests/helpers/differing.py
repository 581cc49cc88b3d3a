"""Small corpora of two sides, to compare and to look at."""

from spacy_chance_eval.analysis.diff import diff
from spacy_chance_eval.corpora.pairs import side_by_side
from spacy_chance_eval.formats import Corpus, Document

WORDS = "Ada met Rex Roe in Oslo on Monday".split()
PER, REX, OSLO, MONDAY = (0, 1, "PER"), (2, 4, "PER"), (5, 6, "LOC"), (7, 8, "DATE")
# (gold, prediction) of documents: equal; one partial and one missing; one of each relation
EQUAL = [PER, REX], [PER, REX]
FEW = [PER, REX, OSLO], [PER, (2, 3, "PER")]
MANY = [PER, REX, OSLO, MONDAY], [PER, (2, 5, "PER"), (5, 6, "ORG"), (6, 7, "DATE")]


def corpora(*documents, **fields):
    """Gold and prediction as corpora; `fields` are of both, by document."""
    sides = []
    for place, path in enumerate(("gold.jsonl", "pred.jsonl")):
        rows = [
            Document(
                WORDS,
                {"spans": sides_of[place]},
                f"d{i}",
                **{key: found[i] for key, found in fields.items()},
            )
            for i, sides_of in enumerate(documents)
        ]
        sides.append(Corpus(path, rows))
    return sides


def compare(*documents, fields=None, **settings):
    """The `Diff` of documents, each the spans of gold and of the prediction."""
    return diff(side_by_side(*corpora(*documents, **fields or {})), **settings)
