"""Fuzz the reader of texts with entities: python fuzz_entities.py -max_total_time=600"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import atheris
except ImportError:
    from spacy_chance_eval.formats import entities as format
    from spacy_chance_eval.formats import jsonl
else:
    with atheris.instrument_imports(include=["spacy_chance_eval.formats"]):
        from spacy_chance_eval.formats import entities as format
        from spacy_chance_eval.formats import jsonl

from rows_fuzzing import WORDS, fuzz

OPTIONS = (
    {},
    {"columns": "all", "misaligned": "unplaced"},
    {"offsets": "token", "role": "pred"},
    {"annotator": "by", "columns": {"gold": "ner"}},
)
SEEDS = (
    '{"id": 1, "text": "Ada slept", "entities": [{"start": 0, "end": 3, "label": "PER", "text": '
    '"Ada", "score": 0.9}, [4, 9, "V"]], "by": "ada"}\n{"text": "Ada", "entities": null}\n',
    '{"text": "Ada B.", "ents": [{"start": 0, "end": 3, "label": "PER"}], "tokens": [{"id": 0, '
    '"start": 0, "end": 3}, {"id": 1, "start": 4, "end": 6}], "sents": [{"start": 0, "end": 6}], '
    '"spans": {"sc": [{"start": 4, "end": 6, "label": "X", "kb_id": ""}]}, "cats": {"a": 1.0}}\n',
    '[{"text": "Ada Byron", "ner": [{"entity": "B-PER", "score": 0.5, "index": 1, "word": "Ada", '
    '"start": 0, "end": 3}, {"entity": "I-PER", "index": 2, "word": "##ron", "start": 6, "end": '
    '9}], "predictions": [{"entity_group": "PER", "word": "\u0120ada", "start": 0, "end": 3}]}]',
    '[["Ada", {"entities": [[0, 3, "PER"]]}]]',
    '{"tokens": ["Ada", "B."], "ner": [{"start_token": 0, "end_token": 1, "label": "PER"}], '
    '"by": 1}\r\n{"words": ["a"], "ner": {"start": [0], "end": [1], "type": ["X"]}, "by": 2}',
)


def same(path, corpus):
    """The rows of a JSONL file that was written."""
    return jsonl.read_jsonl(path, offsets="char" if corpus.positions == "char" else "token")


if __name__ == "__main__":
    words = [*WORDS, '"entities"', '"ents"', '"ner"', '"start"', '"end"', '"word"', '"entity"',
             '"B-X"', '"index"', '"tokens"', '"start_token"']  # fmt: skip
    fuzz(format.read_entities, jsonl.write_jsonl, OPTIONS, SEEDS, words, same=same)
