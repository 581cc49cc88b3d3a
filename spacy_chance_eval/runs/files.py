"""Files of runs: a `StoredRun` in one compressed file, and back.

The file is one of numpy's (.npz): "run", the JSON of everything but the arrays, and the arrays,
called by their numbers. Nothing of it is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, convert

from ..about import __version__
from ..corpora.sources import parse_source
from ..formats.errors import FormatError
from ..formats.outputs import check_writable, whole_file
from ..formats.paths import path_of
from ..measures.alignment import ROLES, align
from ..measures.arrays import Array, IntArray
from ..measures.messages import quoted
from ..measures.spans import ANY_LABEL, Spans
from ..measures.stats import Divided
from ..metrics.catalog import Layout
from ..scoring.counts import GOLD, PRED, Counts, Key
from ..scoring.statistics import Statistics
from .run import Annotations, StoredMetric, StoredRun, stored_request, stored_run

__all__ = ["StoredRun", "check_target", "read_run", "stored_run", "write_run"]

FORMAT = "spacy-chance-eval run"
VERSION = 2
HEADER = "run"
KEYS = ("gold", "named", "pred", "words")
COLUMNS = ("doc", "start", "end", "label", "unplaced", "stretches")
PLAIN = ("version", "saved", "title", "unit", "clusters", "facts")
AGAIN = "copy or save it again"
# what a damaged archive and JSON raise, and checks of the content
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    LookupError,
    ValueError,
    RuntimeError,
)


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


# --- writing


def check_target(path: str | Path, inputs: object = ()) -> None:
    """Raise if a run cannot be written to a path, or would replace a file that is no run.

    For work that writes at its end; `inputs` are the files that the run is made of.

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
    if path_of(path).stat().st_size and not is_run(path):
        raise FormatError(
            "already exists and is not a run written by `score`; choose another path, or remove "
            "this file",
            path,
        )


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
    members = {str(number): array for number, array in enumerate(arrays.added)}
    members[HEADER] = np.frombuffer(header.encode(), np.uint8)
    with whole_file(path) as raw:
        np.savez_compressed(raw, **members)  # type: ignore[arg-type]  # a member may be called so


class _Arrays:
    """Arrays to be written: those with the same bits once."""

    def __init__(self) -> None:
        self.added: list[Array] = []
        self._numbers: dict[Any, int] = {}

    def add(self, array: Array) -> int:
        """The number of an array."""
        content = np.ascontiguousarray(array)
        key = content.dtype.str, content.shape, hashlib.sha256(content.data).digest()
        if key not in self._numbers:
            self._numbers[key] = len(self.added)
            self.added.append(content)
        return self._numbers[key]


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
    return {
        "format": FORMAT,
        "format_version": VERSION,
        **{name: getattr(run, name) for name in PLAIN},
        "facts": dict(run.facts),
        "names": tuple(run.counts.documents) if run.counts.documents else None,
        "labels": run.counts.labels,
        "sources": run.sources,
        "seen": arrays.add(run.counts.seen[0]),
        "keys": {name: arrays.add(run.keys[name]) for name in KEYS},
        "support": {
            f"{ROLES[number]}{''.join(mark)}": arrays.add(table)
            for (_, number, *mark), table in run.counts.support.items()
        },
        "metrics": metrics,
        "annotations": run.annotations and _annotations_of(run.annotations, arrays),
    }


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
        A file that `write_run` or `spacy-chance-eval score` wrote; "NAME=PATH" says its title.

    Raises
    ------
    FormatError
        If it is not a file of a run, is of an unknown version, cut off or damaged, or if its
        contents do not fit together.
    """
    source = parse_source(path)
    path = source.path
    if not path_of(path).is_file():
        raise FormatError("no such file; name a run written by `score`", path)
    if not is_run(path):
        what = "not a run written by `score`, or cut off"
        raise FormatError(f"{what}; {AGAIN}; of annotation: compare GOLD OLD NEW", path)
    try:
        header, arrays = _contents(path)
        if (version := header.get("format_version")) != VERSION:
            raise _UnknownError(f"format version {quoted(version)}")
        run = _run_from(convert(header, _Header), arrays)
        return replace(run, title=source.name or run.title)
    except _UnknownError as error:
        raise FormatError(
            f"has what spacy-chance-eval {__version__} does not: {error}; update it, or save the "
            "run again with another metric or chance model",
            path,
        ) from error
    except UNREADABLE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise FormatError(f"damaged ({reason}); {AGAIN}", path) from error


def _contents(path: str | Path) -> tuple[dict[str, Any], list[Array]]:
    """The header of a file, and its arrays by number; the archive has a checksum of each."""
    with np.load(path_of(path), allow_pickle=False) as stored:
        try:
            header = dict(json.loads(stored[HEADER].tobytes()))
            return header, [stored[str(number)] for number in range(len(stored.files) - 1)]
        except Exception as error:  # numpy raises anything for a damaged array
            raise ValueError(f"{type(error).__name__}: {error}") from error


def _run_from(header: _Header, arrays: Sequence[Array]) -> StoredRun:
    """The `StoredRun` that a header and its arrays describe."""
    metrics = {row.name: _metric_from(row, arrays) for row in header.metrics}
    tables: dict[Key, IntArray] = {}
    for number, role in enumerate(ROLES):
        tables["annotator", number] = arrays[header.support[role]]
        if any(one.request.ignores_labels for one in metrics.values()):
            place = header.support[f"{role}{ANY_LABEL}"]
            tables["annotator", number, ANY_LABEL] = arrays[place]
    content = {name: arrays[header.keys[name]] for name in KEYS}
    n_docs = len(arrays[header.seen])
    for array in (*tables.values(), *content.values()):
        if np.shape(array)[:1] != (n_docs,) or array.dtype.kind not in "iu":
            raise ValueError("arrays of other documents")
    counts = Counts(
        (GOLD, PRED),
        header.labels,
        str(header.facts["positions"]),
        np.array([arrays[header.seen]] * 2),
        {},
        support=tables,
        contents=np.array([content["gold"], content["pred"]]),
        words=content["words"],
        named=content["named"],
        documents=header.names,
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
        annotations=_annotations_from(header.annotations, header, arrays),
    )


def _metric_from(row: _Metric, arrays: Sequence[Array]) -> StoredMetric:
    """The `StoredMetric` of a metric."""
    try:
        request = stored_request(row.metric, row.parameters)
    except ValueError as error:
        raise _UnknownError(f"{row.name} ({error})") from error
    layout = request.row.layout
    observed = _unpacked(row.observed, arrays, layout)
    expected = None if row.expected is None else _unpacked(row.expected, arrays, layout)
    statistics = Statistics(observed, expected, exact=row.exact)
    columns = {
        key: np.array(values, np.int64) if key == "lengths" else tuple(map(tuple, values))
        for key, values in row.prior.items()
    }
    return StoredMetric(request, statistics, columns, row.draws)


def _unpacked(plain: Mapping[str, Any], arrays: Sequence[Array], layout: Layout) -> Any:
    """Additive statistics of a layout."""
    if "kind" not in plain:
        return Divided(*(_unpacked(plain[name], arrays, layout) for name in ("whole", "labels")))
    if plain["kind"] != layout.kind.__name__:
        raise ValueError(f"{layout.kind.__name__} expected")
    parts = {
        name: _unpacked(plain[name], arrays, axes)
        if isinstance(axes, Layout)
        else arrays[plain[name]]
        for name, axes in layout.axes.items()
    }
    return layout.kind(**parts)


def _annotations_from(
    kept: _Kept | None, header: _Header, arrays: Sequence[Array]
) -> Annotations | None:
    """Both annotators as aligned `Spans`, if they are kept."""
    if kept is None:
        return None
    more: dict[str, Any] = {"sizes": arrays[kept.sizes], "sentences": arrays[kept.sentences]}
    more |= {"seen": arrays[header.seen], "labels": header.labels, "names": header.names}
    gold, pred = align(
        *(
            Spans(**{name: arrays[own[name]] for name in COLUMNS}, words=kept.words, **more)
            for own in (kept.gold, kept.pred)
        )
    )
    return Annotations(gold, pred, kept.texts)
