"""Fuzz the reader of Label Studio: python fuzz_labelstudio.py -max_total_time=600"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import atheris
except ImportError:
    from spacy_chance_eval.formats import labelstudio as format
else:
    with atheris.instrument_imports(include=["spacy_chance_eval.formats"]):
        from spacy_chance_eval.formats import labelstudio as format

from rows_fuzzing import WORDS, fuzz

OPTIONS = ({}, {"predictions": True}, {"offsets": "utf16"}, {"text": "body"})
SEEDS = (
    '[{"id": 7, "data": {"text": "Ada slept", "n": 1}, "annotations": [{"id": 1, "completed_by": 5,'
    ' "was_cancelled": false, "result": [{"id": "r1", "from_name": "label", "to_name": "text", '
    '"type": "labels", "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}, '
    '{"id": "r1", "from_name": "sure", "type": "choices", "value": {"choices": ["yes"]}}, '
    '{"id": "r1", "from_name": "n", "type": "rating", "value": {"rating": 3}}]}, {"completed_by": '
    '{"id": 6, "email": "b"}, "was_cancelled": true, "result": []}], "predictions": []}]',
    '{"id": 8, "data": {"body": "\U0001f600 ab"}, "annotations": [{"completed_by": {"id": 6}, '
    '"result": [{"type": "labels", "value": {"start": 3, "end": 5, "text": "ab", "labels": ["X", '
    '"Y"]}}, {"id": "c", "from_name": "topic", "type": "choices", "value": {"choices": ["x"]}}]}], '
    '"predictions": [{"model_version": "m", "result": []}]}\n',
    '[{"id": 9, "text": "ab", "label": [{"start": 0, "end": 1, "text": "a", "labels": ["X"]}], '
    '"topic": {"choices": ["x", "y"]}, "annotator": 1, "lead_time": 2.5},\r\n'
    '{"id": 9, "text": "ab", "topic": "x", "annotator": 2}]',
)


if __name__ == "__main__":
    words = [*WORDS, '"choices"', '"labels"', '"globalOffsets"', '"result"', '"completed_by"',
             '"type": "relation"', '"type": "textarea"', "utf16"]  # fmt: skip
    fuzz(format.read_labelstudio, None, OPTIONS, SEEDS, words)
