"""GLiNER: rows of tokens with spans, as its models are trained on."""

from typing import Any

from ..measures.messages import quoted
from .blemishes import sound_entries
from .corpus import Corpus
from .errors import ContentError
from .files import BlockReader
from .jsonl import RowOptions, blocks_of_rows, read_translated
from .rows import Row, RowSource, brief, json_value

WORDS, SPANS = "tokenized_text", "ner"
ENTRY = "a span is [first token, last token, label], the last token included"


def read_gliner(
    path: RowSource, *, annotator: str | None = None, duplicates: str = "merge"
) -> Corpus:
    """The corpus of a file of GLiNER, one JSON array of objects or one object a line.

        {"tokenized_text": ["Ada", "Byron", "slept"], "ner": [[0, 1, "person"]]}

    The end of a span is its last token. Spans are the layer "spans"; a row without `ner`, or with
    null, was not annotated. Other keys are attributes.

    What GLiNER predicts has characters instead, and is of the format "entities".

    Parameters
    ----------
    path : str or Path
    annotator : str, optional
        Key of the annotator of a row. Each annotator then is a layer, and rows with the same id, or
        without an id the same tokens, are one document.
    duplicates : "error", "merge", "last" or "keep"
        How to treat a second answer of an annotator to a document: equal ones are one, or the
        last one counts.
    """
    return read_translated(path, _translate, RowOptions("error", annotator, duplicates))


def blocks_of_gliner() -> BlockReader:
    """How JSON lines of GLiNER are read in blocks of documents."""
    return blocks_of_rows(read_gliner, (WORDS,))


def _translate(row: Row) -> tuple[Row, str]:
    """The row as in JSONL, in tokens."""
    if json_value(row, WORDS, list) is None:
        raise ContentError(f"a row without {quoted(WORDS)}", "a document needs its tokens")
    for key in ("tokens", "spans"):
        if key in row:
            raise ContentError(f"{quoted(key)} beside {quoted(WORDS)}", "keep one of them")
    own = {key: value for key, value in row.items() if key not in (WORDS, SPANS)}
    own["tokens"] = row[WORDS]
    if SPANS in row:
        entries = json_value(row, SPANS, list)
        own["spans"] = entries if entries is None else [*sound_entries(entries, _span_of)]
    return own, "token"


def _span_of(entry: Any) -> list[Any]:
    """[start, end, label] with an exclusive end."""
    if type(entry) is not list or len(entry) != 3 or type(entry[1]) is not int:
        raise ContentError(f"a span is {brief(entry)}", ENTRY)
    if type(entry[0]) is not int or not 0 <= entry[0] <= entry[1]:
        raise ContentError(f"a span is {brief(entry)}", ENTRY)
    return [entry[0], entry[1] + 1, entry[2]]
