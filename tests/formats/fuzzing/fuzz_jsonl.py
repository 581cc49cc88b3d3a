"""Fuzz the reader and writer of JSONL: python fuzz_jsonl.py -max_total_time=600"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import atheris
except ImportError:
    from spacy_chance_eval.formats import jsonl as format
else:
    with atheris.instrument_imports(include=["spacy_chance_eval.formats"]):
        from spacy_chance_eval.formats import jsonl as format

from rows_fuzzing import WORDS, fuzz

OPTIONS = (
    {},
    {"offsets": "char", "misaligned": "unplaced"},
    {"offsets": "char"},
    {"annotator": "by"},
    {"annotator": "by", "offsets": "char", "misaligned": "unplaced"},
)
SEEDS = (
    '{"id": "a", "tokens": ["Ada", "slept"], "spans": [{"start": 0, "end": 1, "label": "X", '
    '"features": {"sure": true}}], "by": "ada", "sents": [0, 1], "missing": [[1, 2]]}\n'
    '{"id": "a", "tokens": ["Ada", "slept"], "spans": [[0, 2, "Y"]], "by": "bob"}\n',
    '{"text": "Ada  slept.", "tokens": ["Ada", "slept", "."], "layers": {"ada": [[5, 11, "X"]], '
    '"bob": null}, "unplaced": {"ada": [[2, "Y"]]}, "missing_in": {"ada": [[0, 1]]}, "by": 1}\n',
    '{"text": "\U0001f600 ab", "spans": [{"start": 2, "end": 4, "label": "X"}], "by": 2}\n',
    '{"tokens": [{"text": "Ada", "start": 0, "end": 3, "ws": true}, {"text": "!", "start": 4, '
    '"end": 5, "ws": false}], "spans": [], "categories": {"ada": ["x"], "bob": null}}\n'
    '{"tokens": ["a"], "spaces": [true], "cats": {"x": 1.0, "y": 0.0}, "n": 1.5}\r\n',
)


def same(path, corpus):
    """What was written."""
    offsets = "char" if corpus.positions == "char" else "token"
    return format.read_jsonl(path, offsets=offsets)


if __name__ == "__main__":
    words = [*WORDS, '"tokens"', '"layers"', '"features"', '"categories"', '"cats"', '"missing"',
             '"unplaced"', '"spaces"', '"ws"', '"sents"', '"by"', "[[0,1]]"]  # fmt: skip
    fuzz(format.read_jsonl, format.write_jsonl, OPTIONS, SEEDS, words, same=same)
