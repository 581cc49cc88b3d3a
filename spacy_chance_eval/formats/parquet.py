"""Parquet: its rows as those of JSON lines, and the names of labels that its schema holds."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .errors import ContentError, FormatError, PathLike
from .files import readable_bytes
from .json_text import parsed_json

SCHEMA_KEY = b"huggingface"  # of the metadata in which datasets keep their features
BATCH = 1000  # rows in memory


def json_rows(path: PathLike) -> Iterator[str]:
    """Each row of a file as a line of JSON."""
    with _opened(path) as file:
        for batch in file.iter_batches(batch_size=BATCH):
            try:
                rows = batch.to_pylist()
            except (OverflowError, ValueError) as error:  # of years, and texts that are not UTF-8
                wrong = "a text or date that Python cannot hold; write UTF-8, and dates as texts"
                raise FormatError(wrong, path) from error
            for row in rows:
                yield json.dumps(row, ensure_ascii=False, default=str)


def stored_features(path: PathLike) -> Any:
    """The columns in the schema of a file, as datasets of Hugging Face write it; or None."""
    with _opened(path) as file:
        metadata = file.schema_arrow.metadata or {}
    try:
        return parsed_json(metadata[SCHEMA_KEY].decode("utf-8", "replace"), "")
    except (KeyError, ContentError):
        return None


@contextmanager
def _opened(path: PathLike) -> Iterator[Any]:
    """The `ParquetFile` of a path."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        how = "which pyarrow reads; install it: pip install 'spacy-chance-eval[parquet]'"
        raise ValueError(f"{path} is Parquet, {how}") from error
    try:
        with readable_bytes(path) as raw, ParquetFile(raw) as file:
            yield file
    except ArrowException as error:
        raise FormatError("no Parquet, or damaged; write it again", path) from error
