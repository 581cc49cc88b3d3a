"""Fuzz the reader of doccano: python fuzz_doccano.py -max_total_time=600"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import atheris
except ImportError:
    from spacy_chance_eval.formats import doccano as format
else:
    with atheris.instrument_imports(include=["spacy_chance_eval.formats"]):
        from spacy_chance_eval.formats import doccano as format

from rows_fuzzing import WORDS, fuzz

OPTIONS = ({}, {"annotator": "user"})
SEEDS = (
    '{"id": 1, "text": "Ada slept", "label": [[0, 3, "PER"], [4, 9, "V"]], "user": "ada"}\n'
    '{"id": 1, "text": "Ada slept", "label": [], "user": "bob"}\n',
    '{"id": 1, "text": "\U0001f600 met", "entities": [{"id": 5, "label": "X", "start_offset": 0, '
    '"end_offset": 1, "sure": 1}], "relations": [], "Comments": [], "user": 7, "n": null}\n',
    '[{"text": "a", "label": ["x", "y"], "user": "ada"},\r\n {"text": "a", "label": "x"}]',
    '[{"text": "ab", "entities": [[0, 1, "X"]], "cats": ["c"], "meta": {"k": "v"}, "user": "u"}]',
)


if __name__ == "__main__":
    words = [*WORDS, '"entities"', '"cats"', '"user"', '"start_offset"', '"labels"', '"meta"']
    fuzz(format.read_doccano, None, OPTIONS, SEEDS, words)
