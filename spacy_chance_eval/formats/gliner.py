"""GLiNER: rows of tokens with spans, as models are trained on; ends are inclusive.

    {"tokenized_text": ["Ada", "Byron", "slept"], "ner": [[0, 1, "person"]]}

Spans are the layer "spans"; a row without `ner`, or with null, was not annotated. Other keys are
attributes. Of predictions, `predicted_ner` is read if it is there, without its scores.
"""

from typing import Any

from ..measures.messages import quoted
from .errors import ContentError
from .forms import Form
from .json_rows import Row
from .keys import Reading
from .rows import brief, json_value, other_values

WORDS, SPANS, PREDICTED = "tokenized_text", "ner", "predicted_ner"
ENTRY = "a span is [first token, last token, label], the last token included"


def _translate(row: Row, reading: Reading) -> tuple[Row, str]:
    """The row as in JSONL, in tokens."""
    if json_value(row, WORDS, list) is None:
        raise ContentError(f"a row without {quoted(WORDS)}", "a document needs its tokens")
    if both := [key for key in ("tokens", "spans") if key in row]:
        raise ContentError(f"{quoted(both[0])} beside {quoted(WORDS)}", "keep one of them")
    own = other_values(row, (WORDS, SPANS, PREDICTED)) | {"tokens": row[WORDS]}
    key = PREDICTED if reading.role == "pred" and PREDICTED in row else SPANS
    if key in row:
        entries = json_value(row, key, list)
        own["spans"] = entries and [*map(_span_of, entries)]
    return own, "token"


def _span_of(entry: Any) -> list[Any]:
    """[start, end, label] with an exclusive end."""
    is_list = type(entry) is list and [*map(type, entry[:3])] == [int, int, str]
    if not is_list or not 0 <= entry[0] <= entry[1]:
        raise ContentError(f"a span is {brief(entry)}", ENTRY)
    return [entry[0], entry[1] + 1, entry[2]]


FORM = Form(_translate, words=(WORDS,))
