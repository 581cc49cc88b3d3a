"""Fuzz the readers of tagged tokens and of GLiNER: python fuzz_tagged.py -max_total_time=600"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import atheris
except ImportError:
    from spacy_chance_eval.formats import gliner, jsonl, tagged
else:
    with atheris.instrument_imports(include=["spacy_chance_eval.formats"]):
        from spacy_chance_eval.formats import gliner, jsonl, tagged

from rows_fuzzing import WORDS, fuzz

OPTIONS = (
    {},
    {"columns": "all", "repair": "conlleval", "labels": "O,B-X,I-X"},
    {"scheme": "BILUO", "repair": "drop", "role": "pred"},
    {"annotator": "by", "columns": {"gold": "mine"}, "labels": ["O", "S-X"]},
    {"format": "gliner"},
    {"format": "gliner", "annotator": "by"},
)
SEEDS = (
    '{"id": "1", "tokens": ["Ada", "B."], "ner_tags": ["B-PER", "I-PER"], "by": "ada"}\n'
    '{"words": ["Ada", "B."], "ner_tags": ["O", "O"], "mine": [0, 1], "by": "bob"}\n',
    '[{"tokens": ["Ada", "B."], "labels": [1, 2], "predictions": [0, 1], "n": 1.5}]',
    '{"tokens": ["a", "b"], "tags": ["B-X", "L-X"]}\r\n{"tokens": [], "tags": []}\n',
    '{"tokenized_text": ["Ada", "B."], "ner": [[0, 1, "PER"], [1, 1, "X"]], "by": "ada"}\n'
    '{"tokenized_text": ["Ada", "B."], "ner": null, "by": "bob"}\n',
)


def read(path, format="tagged", **options):
    """The corpus of a file of one of the two formats."""
    return (gliner.read_gliner if format == "gliner" else tagged.read_tagged)(path, **options)


def same(path, corpus):
    """The rows of a JSONL file that was written."""
    return jsonl.read_jsonl(path, offsets="char" if corpus.positions == "char" else "token")


if __name__ == "__main__":
    words = [*WORDS, '"tokens"', '"ner_tags"', '"labels"', '"mine"', '"B-X"', '"I-X"', '"O"',
             '"predictions"', "[1,0]", "-100", '"tokenized_text"', '[[0,0,"X"]]']  # fmt: skip
    fuzz(read, jsonl.write_jsonl, OPTIONS, SEEDS, words, same=same)
