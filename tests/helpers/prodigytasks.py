"""Tasks of Prodigy on one text."""

TOKENS = [
    {"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": True},
    {"text": "Byron", "start": 4, "end": 9, "id": 1, "ws": True},
    {"text": "slept", "start": 10, "end": 15, "id": 2, "ws": False},
]
PER = {"start": 0, "end": 9, "token_start": 0, "token_end": 1, "label": "PER"}
ORG = {"start": 4, "end": 9, "token_start": 1, "token_end": 1, "label": "ORG"}


def task(who=None, *spans, **fields):
    row = {"text": "Ada Byron slept", "tokens": TOKENS, "_input_hash": 1, "_annotator_id": who}
    return row | {"spans": list(spans)} | fields
