"""Files of runs: a `StoredRun` in one compressed file, and back.

The file is one of numpy's (.npz): "run", the JSON of everything but the arrays, and the arrays,
called by their numbers, in as few bytes as hold theirs exactly. Nothing of it is ever unpickled.
The contents are checked where they are taken out, so that errors of this package are not hidden.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, convert

from ..about import __version__
from ..formats.errors import FormatError
from ..formats.outputs import check_writable, whole_file
from ..formats.paths import path_of
from ..measures.alignment import ROLES, align
from ..measures.arrays import Array, IntArray
from ..measures.messages import quoted
from ..measures.spans import ANY_LABEL, Spans
from ..measures.stats import Additive, Divided, Valued
from ..metrics.catalog import Layout
from ..scoring.counts import GOLD, PRED, Counts, Key
from ..scoring.statistics import Statistics
from .run import Annotations, StoredMetric, StoredRun, stored_request, stored_run

__all__ = ["StoredRun", "check_target", "read_run", "stored_run", "write_run"]

FORMAT = "spacy-chance-eval run"
VERSION = 1
HEADER = "run"
SMALLER = ("uint8", "int8", "uint16", "int16", "uint32", "int32")
KEYS = ("gold", "named", "pred", "words")
COLUMNS = ("doc", "start", "end", "label", "unplaced", "stretches")
PLAIN = ("version", "saved", "title", "unit", "clusters", "names", "facts")
AGAIN = "copy or save it again"
MISFIT = "its parts do not fit each other"
# what a damaged archive and JSON raise, and checks of the content
UNREADABLE = zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, ValueError, RuntimeError
DTYPE = re.compile(r"\|b1|[<>|][iu][1248]|[<>|]f[248]")


class _DamageError(ValueError):
    """The content of a file is not that of a run."""


class _UnknownError(ValueError):
    """A file has a metric, or a chance model, that this version does not have."""


# --- the JSON of a run; a whole number is that of an array


class _Metric(Struct):
    """A metric of a run."""

    name: str
    metric: str
    parameters: dict[str, Any]
    draws: str | None
    prior: dict[str, list[Any]]
    observed: dict[str, Any]
    expected: dict[str, Any] | None
    exact: bool


class _Kept(Struct):
    """The spans of both annotators, and the text if it is kept."""

    gold: dict[str, int]
    pred: dict[str, int]
    sizes: int
    sentences: int
    words: tuple[str, ...] | None
    texts: tuple[str, ...] | None


class _Header(Struct):
    """All of a run that is no array."""

    version: str
    saved: str
    title: str | None
    unit: str
    clusters: tuple[str, ...] | None
    names: tuple[str, ...] | None
    facts: dict[str, str | int]
    labels: tuple[str, ...]
    sources: tuple[str, str]
    seen: int
    keys: dict[str, int]
    support: dict[str, int]
    metrics: list[_Metric]
    annotations: _Kept | None
    arrays: list[str]


# --- writing


def check_target(path: str | Path, inputs: object = ()) -> None:
    """Raise if a run cannot be written to a path, or would replace a file that is no run.

    For work that writes at its end.

    Parameters
    ----------
    path : str or Path
    inputs : sequence of str or Path
        Files that the run is made of.

    Raises
    ------
    FormatError
        If the file cannot be written, is one of the inputs, or is there and no older run.
    """
    check_writable(path)
    if not path_of(path).is_file():
        return
    if any(os.path.exists(one) and os.path.samefile(path, one) for one in inputs):  # type: ignore[attr-defined]  # a sequence
        raise FormatError("would be read and replaced; name another file for the run", path)
    if not (_is_empty(path) or is_run(path)):
        raise FormatError(
            "already exists and is not a run written by `score`; choose another path, or remove "
            "this file",
            path,
        )


def _is_empty(path: str | Path) -> bool:
    """Whether there is nothing in a file."""
    with path_of(path).open("rb") as raw:
        return not raw.read(1)


def is_run(path: str | Path) -> bool:
    """Whether a file looks like one of `score`, of any version."""
    try:
        with path_of(path).open("rb") as raw, zipfile.ZipFile(raw) as archive:
            return f"{HEADER}.npy" in archive.namelist()
    except UNREADABLE:
        return False


def write_run(path: str | Path, run: StoredRun) -> None:
    """Write a `StoredRun`; an older run of that name is replaced when the new one is whole.

    Parameters
    ----------
    path : str or Path
        The file to write. An existing file that is no run is left alone, and an error.
    run : StoredRun
        As `stored_run` makes it.

    Raises
    ------
    FormatError
        If the file cannot be written, or is there and no run.
    """
    check_target(path)
    arrays = _Arrays()
    header = json.dumps(_header_of(run, arrays), allow_nan=False)
    members = {str(number): smallest(array) for number, array in enumerate(arrays.added)}
    members[HEADER] = np.frombuffer(header.encode(), np.uint8)
    with whole_file(path) as raw:
        np.savez_compressed(raw, **members)  # type: ignore[arg-type]  # a member may be called so


class _Arrays:
    """Arrays to be written, each once, however often it is added."""

    def __init__(self) -> None:
        self.added: list[Array] = []
        self._numbers: dict[Any, int] = {}
        self._known: dict[int, tuple[int, Array]] = {}

    def add(self, array: Array) -> int:
        """The number of an array; the same for those with the same bits."""
        if id(array) not in self._known:
            content = np.ascontiguousarray(array)
            key = content.dtype.str, content.shape, hashlib.sha256(content.data).digest()
            if key not in self._numbers:
                self._numbers[key] = len(self.added)
                self.added.append(content)
            self._known[id(array)] = self._numbers[key], array  # kept: no other gets its id
        return self._known[id(array)][0]


def smallest(array: Array) -> Array:
    """The same numbers in as few bytes as hold them exactly."""
    if array.dtype.kind not in "if" or not array.size:
        return array
    low, high = array.min(), array.max()
    for name in SMALLER:
        limits = np.iinfo(name)
        if limits.min <= low and high <= limits.max:  # not so for nan
            fewer = array.astype(name)
            if array.dtype.kind == "i" or fewer.astype(float).tobytes() == array.tobytes():
                return fewer
            return array
    return array


def _header_of(run: StoredRun, arrays: _Arrays) -> dict[str, Any]:
    """All of a run that is no array; the arrays go to `arrays`."""
    metrics = [
        {
            "name": name,
            "metric": one.request.metric,
            "parameters": dict(one.request.parameters),
            "draws": one.draws,
            "prior": {key: _listed(value) for key, value in one.columns.items()},
            "observed": _packed_sums(one.statistics.observed, arrays),
            "expected": one.statistics.expected and _packed_sums(one.statistics.expected, arrays),
            "exact": one.statistics.exact,
        }
        for name, one in run.metrics.items()
    ]
    header = {
        "format": FORMAT,
        "format_version": VERSION,
        **{name: getattr(run, name) for name in PLAIN},
        "facts": dict(run.facts),
        "labels": run.labels,
        "sources": run.sources,
        "seen": arrays.add(run.seen),
        "keys": {name: arrays.add(run.keys[name]) for name in KEYS},
        "support": {
            f"{ROLES[number]}{''.join(mark)}": arrays.add(table)
            for (_, number, *mark), table in run.counts.support.items()
        },
        "metrics": metrics,
        "annotations": run.annotations and _annotations_of(run.annotations, arrays),
    }
    return header | {"arrays": [array.dtype.str for array in arrays.added]}


def _listed(values: Any) -> list[Any]:
    """Values or lengths as lists: of labels, or of numbers."""
    return [list(value) if isinstance(value, tuple) else int(value) for value in values]


def _annotations_of(annotations: Annotations, arrays: _Arrays) -> dict[str, Any]:
    """The spans of both annotators, and the text if it is kept."""
    gold = annotations.gold
    spans: dict[str, Any] = {
        role: {name: arrays.add(getattr(one, name)) for name in COLUMNS}
        for role, one in zip(ROLES, (gold, annotations.pred))
    }
    spans["sizes"], spans["sentences"] = arrays.add(gold.sizes), arrays.add(gold.sentences)
    words = None if gold.words is None else list(gold.words)
    return spans | {"words": words, "texts": annotations.texts}


def _packed_sums(sums: Any, arrays: _Arrays) -> Any:
    """A plain description of additive statistics, those they consist of included."""
    if isinstance(sums, np.ndarray):
        return arrays.add(sums)
    parts = {one.name: _packed_sums(getattr(sums, one.name), arrays) for one in fields(sums)}
    return parts if type(sums) is Divided else {"kind": type(sums).__name__, **parts}


# --- reading


def read_run(path: str | Path) -> StoredRun:
    """The `StoredRun` of a file.

    Parameters
    ----------
    path : str or Path
        A file that `write_run` or `spacy-chance-eval score` wrote.

    Raises
    ------
    FormatError
        If it is not a file of a run, is of an unknown version, cut off or damaged, or if its
        contents do not fit together.
    """
    if not path_of(path).is_file():
        raise FormatError("no such file; name a run written by `score`", path)
    if not is_run(path):
        what = "not a run written by `score`, or cut off"
        raise FormatError(f"{what}; {AGAIN}; of annotation: compare GOLD OLD NEW", path)
    try:
        with np.load(path_of(path), allow_pickle=False) as stored:
            header = json.loads(_array_in(stored, HEADER).tobytes())
            _check(isinstance(header, dict) and header.get("format") == FORMAT)
            if (version := header.get("format_version")) != VERSION:
                raise _UnknownError(f"format version {quoted(version)}")
            plain = convert(header, _Header)
            return _run_from(plain, _Stored(stored, plain.arrays))
    except _UnknownError as error:
        raise FormatError(
            f"has what spacy-chance-eval {__version__} does not: {error}; update it, or save the "
            "run again with another metric or chance model",
            path,
        ) from error
    except UNREADABLE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise FormatError(f"damaged ({reason}); {AGAIN}", path) from error


def _check(right: bool, message: str = MISFIT) -> None:
    """Raise if something is not as it is in a run."""
    if not right:
        raise _DamageError(message)


def _array_in(stored: Any, name: str) -> Array:
    """An array of a file of numpy."""
    try:
        return np.asarray(stored[name])
    except Exception as error:  # numpy raises anything for a damaged array
        raise _DamageError(f"array {name}: {error}") from error


class _Stored:
    """The arrays of a file by their numbers, each read once: shared arrays are shared again."""

    def __init__(self, stored: Any, dtypes: Sequence[str]) -> None:
        self._stored, self._dtypes, self._read = stored, dtypes, dict[int, Array]()

    def __getitem__(self, number: Any) -> Array:
        if number not in self._read:
            _check(type(number) is int and 0 <= number < len(self._dtypes), "an array is missing")
            array, wide = _array_in(self._stored, str(number)), self._dtypes[number]
            right = DTYPE.fullmatch(array.dtype.str) and DTYPE.fullmatch(wide)
            _check(bool(right), "an array that holds no numbers")
            self._read[number] = array.astype(wide, copy=False)
        return self._read[number]

    def array(self, number: int, shape: tuple[int, ...], kind: Any) -> Array:
        """An array, if it has this shape and kind of numbers."""
        found = self[number]
        _check(found.shape == shape and np.issubdtype(found.dtype, kind))
        return found


def _run_from(header: _Header, arrays: _Stored) -> StoredRun:
    """The `StoredRun` that a header and its arrays describe, checked."""
    n_docs, labels, names = len(arrays[header.seen]), header.labels, header.names
    _check(tuple(sorted(set(labels))) == labels)
    _check(all(one is None or len(one) == n_docs for one in (names, header.clusters)))
    _check(names is None or len(set(names)) == len(names))
    _check(all(isinstance(header.facts.get(key), str) for key in ("gold", "positions")))
    seen = arrays.array(header.seen, (n_docs,), np.bool_)
    content = {name: arrays.array(header.keys[name], (n_docs,), np.uint64) for name in KEYS}
    _check(bool(header.metrics))
    metrics = dict(_metric_from(row, arrays, n_docs, len(labels)) for row in header.metrics)
    tables: dict[Key, IntArray] = {}
    for number, role in enumerate(ROLES):
        shape = n_docs, len(labels)
        tables["annotator", number] = arrays.array(header.support[role], shape, np.signedinteger)
        if any(one.request.ignores_labels for one in metrics.values()):
            place = header.support[f"{role}{ANY_LABEL}"]
            table = arrays.array(place, (n_docs, 1), np.signedinteger)
            tables["annotator", number, ANY_LABEL] = table
    counts = Counts(
        (GOLD, PRED),
        labels,
        str(header.facts["positions"]),
        np.array([seen, seen]),
        {},
        support=tables,
        contents=np.array([content["gold"], content["pred"]]),
        words=content["words"],
        named=content["named"],
        documents=names,
        gold=True,
    )
    return StoredRun(
        counts=counts,
        metrics=metrics,
        unit=header.unit,
        clusters=header.clusters,
        facts=header.facts,
        sources=header.sources,
        version=header.version,
        saved=header.saved,
        title=header.title,
        annotations=_annotations_from(header.annotations, header, arrays, seen),
    )


def _metric_from(
    row: _Metric, arrays: _Stored, n_docs: int, n_labels: int
) -> tuple[str, StoredMetric]:
    """The name of a metric, and its `StoredMetric`."""
    try:
        request = stored_request(row.metric, row.parameters)
    except ValueError as error:
        raise _UnknownError(f"{row.name} ({error})") from error
    sizes = {"d": n_docs, "l": 1 if request.ignores_labels else n_labels, "1": 1}
    layout, expected = request.row.layout, None
    observed = _unpacked(row.observed, arrays, layout, sizes)
    _check((row.expected is None) == (request.placement == "none"), "statistics are missing")
    if row.expected is not None:
        expected = _unpacked(row.expected, arrays, layout, sizes)
    statistics = Statistics(observed, expected, exact=row.exact)
    columns = {key: _columns_from(key, values) for key, values in row.prior.items()}
    return row.name, StoredMetric(request, statistics, columns, row.draws)


def _columns_from(key: str, values: list[Any]) -> Any:
    """For what statistics have columns, as it was: sets of labels, or lengths."""
    if key == "lengths":
        return np.array(convert(values, list[int]), np.int64)
    return tuple(map(tuple, convert(values, list[list[str]])))


def _unpacked(plain: Any, arrays: _Stored, layout: Layout, sizes: dict[str, int]) -> Additive:
    """Additive statistics of a layout, checked."""
    if not issubclass(layout.kind, Valued):
        return _unpacked_fields(plain, arrays, layout, dict(sizes))
    return Divided(
        _unpacked_fields(plain["whole"], arrays, layout, sizes | {"g": 1}),
        _unpacked_fields(plain["labels"], arrays, layout, sizes | {"g": sizes["l"]}),
    )


def _unpacked_fields(plain: Any, arrays: _Stored, layout: Layout, sizes: dict[str, int]) -> Any:
    """Statistics whose fields are arrays, or statistics again."""
    kind = layout.kind.__name__
    _check(isinstance(plain, dict) and plain.get("kind") == kind, f"{kind} expected")
    parts: dict[str, Any] = {}
    for name, axes in layout.axes.items():
        if isinstance(axes, Layout):
            parts[name] = _unpacked_fields(plain[name], arrays, axes, sizes)
            continue
        found = arrays[plain[name]]
        _check(len(found.shape) == len(axes), f"{name} has shape {found.shape}")
        expected = tuple(sizes.setdefault(axis, size) for axis, size in zip(axes, found.shape))
        _check(found.shape == expected, f"{name} has shape {found.shape}, expected {expected}")
        _check(found.dtype.kind in "if", f"{name} holds no numbers")
        parts[name] = found
    return layout.kind(**parts)


def _annotations_from(
    kept: _Kept | None, header: _Header, arrays: _Stored, seen: Array
) -> Annotations | None:
    """Both annotators as aligned `Spans`, if they are kept."""
    if kept is None:
        return None
    sizes = arrays.array(kept.sizes, seen.shape, np.signedinteger)
    _check(kept.texts is None or len(kept.texts) == len(seen), "its texts do not fit its documents")
    annotators = []
    for numbers in (kept.gold, kept.pred):
        columns = {name: arrays[numbers[name]] for name in COLUMNS}
        _check(all(column.dtype.kind in "iu" for column in columns.values()))
        _check(len({columns[name].shape for name in COLUMNS[:4]}) == 1)
        _check(columns["doc"].ndim == 1)
        _check(all(columns[name].shape[1:] == (3,) for name in COLUMNS[4:]))
        spans = Spans(
            **columns,
            sizes=sizes,
            labels=header.labels,
            seen=seen,
            sentences=arrays[kept.sentences],
            words=kept.words,
            names=header.names,
        )
        annotators.append(spans)
    gold, pred = align(*annotators)
    return Annotations(gold, pred, kept.texts)
