"""Parquet: its rows as those of JSON lines, and the names of labels that its schema holds."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from .errors import FormatError, PathLike, extra_package
from .files import check_ratio
from .json_text import NotJSONError, parsed_json
from .paths import path_of

SCHEMA_KEY = b"huggingface"  # of the metadata in which datasets keep their features
BATCH = 1000  # rows in memory
DIVIDE = "if it is no trap, divide it, or write its rows as JSON lines"


def json_rows(path: PathLike) -> Iterator[str]:
    """Each row of a file as a line of JSON."""
    with _opened(path) as (file, n_bytes):
        check = partial(check_ratio, n_packed=n_bytes, path=path, advice=DIVIDE)
        groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
        check(sum(group.total_byte_size for group in groups))
        n_unpacked = 0
        for batch in file.iter_batches(batch_size=BATCH):
            try:
                rows = batch.to_pylist()
            except (OverflowError, ValueError) as error:  # of years, and texts that are not UTF-8
                which = "text" if isinstance(error, UnicodeDecodeError) else "date or time"
                raise FormatError(
                    f"a {which} that Python cannot hold; write dates and times as texts, and texts "
                    "as UTF-8",
                    path,
                ) from error
            for row in rows:
                text = json.dumps(row, ensure_ascii=False, default=str)
                n_unpacked += len(text)
                check(n_unpacked)
                yield text


def stored_features(path: PathLike) -> Any:
    """The columns in the schema of a file, as datasets of Hugging Face write it; or None."""
    with _opened(path) as (file, _):
        metadata = file.schema_arrow.metadata or {}
    try:
        return parsed_json(metadata[SCHEMA_KEY])
    except (KeyError, NotJSONError):
        return None


@contextmanager
def _opened(path: PathLike) -> Iterator[tuple[Any, int]]:
    """The `ParquetFile` of a path, and its size in bytes."""
    parquet = extra_package("pyarrow.parquet", f"{path} is Parquet, which pyarrow reads", "parquet")
    errors = extra_package("pyarrow", "Parquet is read by pyarrow", "parquet").ArrowException
    try:
        with path_of(path).open("rb") as raw:
            n_bytes = raw.seek(0, 2)
            with parquet.ParquetFile(raw) as file:
                yield file, n_bytes
    except errors as error:
        raise FormatError(f"no Parquet, or damaged ({error}); write it again", path) from error
    except FileNotFoundError as error:
        raise FormatError("no such file; check the path", path) from error
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", path) from error
