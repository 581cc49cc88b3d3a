"""Gold and a prediction: from files, columns of one file, a pipeline, or Docs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from ..formats import match_documents
from ..formats.blemishes import DOCUMENTS, check_share
from ..formats.conll_columns import header_names
from ..formats.corpus import Corpus, unique_names
from ..formats.documents import ABSENT, NO_ROWS, SEEN
from ..formats.duplicates import resolve_duplicates, trim_spans
from ..formats.keys import Reading
from ..formats.labels import only_labels
from ..formats.notes import Notes, notes_of_sources, unevaluated
from ..formats.paths import path_of
from ..measures.alignment import ROLES, align, n_marked
from ..measures.messages import quoted
from ..measures.spans import Spans, without_labels
from ..scoring.counts import GOLD
from ..scoring.scores import pair_facts
from ..scoring.warnings import PREDICTION, pair_warnings
from .blocks import one_block_of
from .columns import columns_beside, nested_columns, with_columns
from .sources import (
    Layers,
    Source,
    check_known,
    choose_layer,
    distinct_names,
    has_rows,
    no_layer,
    parse_source,
    with_texts,
)

NAMES = ("gold", "predicted")
CONLL_LAYERS = ("gold", "pred")  # of two columns with any names
# formats of tools in which people annotate, or say that they did not
OF_PEOPLE = ("prodigy", "labelstudio", "doccano", "argilla")


# keys that are of gold alone: a prediction has others, of its own
OF_GOLD = ("format", "column", "layer", "repair", "misaligned")


def reading_of_pred(reading: Reading) -> Reading:
    """How a prediction is read: by the keys for both, and the format."""
    return reading.without(*OF_GOLD) | Reading(format=reading.format)


@dataclass(frozen=True, eq=False)
class CorpusPair:
    """Gold and a prediction: corpora of the same documents in the same order, and their layers.

    Parameters
    ----------
    sources : pair of str
        Where they came from.
    names : pair of str
        Their names in reports.
    categories : bool
        Whether the layers are labels of whole documents.
    warnings : tuple of str
        Sentences about how the files were read.
    ignores_labels : bool
        Whether all labels are one.
    spans : pair of Spans, optional
        The two layers, where the corpora have the documents alone.
    """

    gold: Corpus
    gold_layer: str
    pred: Corpus
    pred_layer: str
    sources: tuple[str, str]
    names: tuple[str, str] = NAMES
    categories: bool = False
    warnings: tuple[str, ...] = ()
    ignores_labels: bool = False
    spans: tuple[Spans, Spans] | None = None

    def aligned(self) -> tuple[Spans, Spans]:
        """The two layers as aligned `Spans`."""
        gold, pred = align(*self.sides())
        if self.ignores_labels:
            return without_labels(gold), without_labels(pred)
        return gold, pred

    def sides(self) -> Sequence[Spans]:
        """The two layers as `Spans`."""
        if self.spans is not None:
            return self.spans
        both = ((self.gold, self.gold_layer), (self.pred, self.pred_layer))
        return [
            (corpus.labelled_documents if self.categories else corpus).spans(layer)
            for corpus, layer in both
        ]

    @property
    def positions(self) -> str:
        """Unit of positions: "token", "char" or "category"."""
        return "category" if self.categories else self.gold.positions

    @cached_property
    def document_names(self) -> list[str]:
        """Names of the documents in reports, all different."""
        names = enumerate(self.gold.table.all_names(), 1)
        return unique_names([f"document {i}" if name is None else name for i, name in names])

    @property
    def attributes(self) -> list[Mapping[str, Any]]:
        """The attributes of each document."""
        return list(self.gold.table.column("attributes", {}))

    @property
    def data(self) -> dict[str, str]:
        """The description of the data in signatures."""
        facts = pair_facts(*(one.facts for one in self.spans or (self.gold, self.pred)))
        return facts if self.spans else facts | {"positions": self.positions}

    def warnings_of(self, gold: Spans, pred: Spans) -> list[str]:
        """All warnings about misleading scores, of the aligned spans."""
        names = (GOLD, PREDICTION) if self.names == NAMES else self.names
        whole = without_labels(self.sides()[0]) if self.ignores_labels else self.sides()[0]
        notes = self._notes + unevaluated(n_marked(whole) - n_marked(gold))
        return [*self.warnings, *notes.sentences(), *pair_warnings(gold, pred, names)]

    @property
    def _notes(self) -> Notes:
        """The notes of gold and of the prediction, which may be layers of one file."""
        notes = self.gold.notes
        return notes if self.pred.notes is notes else notes_of_sources([notes, self.pred.notes])

    def described(self) -> dict[str, Any]:
        """The comparison as plain values: sources, layers, names, positions, blemishes."""
        return {
            "gold": self.sources[0],
            "pred": self.sources[1],
            "gold_layer": self.gold_layer,
            "pred_layer": self.pred_layer,
            "names": list(self.names),
            "positions": self.positions,
            **self._notes.entries(),
        }


def find_sources(
    gold: Source, preds: Sequence[Source], reading: Reading, *, ranked: bool = False
) -> tuple[Source, list[Source]]:
    """Gold and predictions as they are read: their files and, of CoNLL, their columns as `layer`.

    Parameters
    ----------
    reading : Reading
        Of gold, and but for `OF_GOLD` of predictions.
    ranked : bool
        Whether they are systems of a board, for which a prediction in gold's own file is one more.
    """
    gold, theirs = look_at(gold, reading), reading_of_pred(reading)
    preds = [look_at(one, theirs, "pred") for one in preds]
    if columns := nested_columns(gold):
        remark = f"Columns {columns} of {{}} were read, as of gold."
        preds = [
            replace(one, layer=columns, remark=remark.format(one.path))
            if one.format == "conll" and one.layer is None
            else one
            for one in preds
        ]
    return with_columns(gold, preds, ranked=ranked)


def look_at(source: Source, reading: Reading, role: str = "gold") -> Source:
    """The source with its files, and the column of CoNLL that its path or an option names."""
    if source.files or source.is_pipeline:
        return source
    seen = source.looked_at(role, reading.without("layer"))
    column = seen.reading.column if seen.format == "conll" else None
    option = reading.layer if column is None else column
    if seen.layer is not None and option not in (None, seen.layer):
        raise ValueError(
            f"{seen.text} names {quoted(seen.layer)}, but an option {quoted(option)}; leave one out"
        )
    return replace(seen, layer=seen.layer or column)


def ready_sources(sources: Sequence[Source], reading: Reading) -> list[Source]:
    """Gold and the files of predictions, some of which take texts of others.

    Keys of `reading` that none of them knows are an error.
    """
    check_known(sources, reading.without(*OF_GOLD))
    check_known(sources[:1], reading.only(OF_GOLD))
    return with_texts(sources)


def find_pair(
    gold: object, pred: object, reading: Reading
) -> tuple[list[Source], str | None, str | None]:
    """The sources of gold and a prediction, one if both are layers of it; and the layers named.

    Parameters
    ----------
    gold, pred : str, Path or Source
        "[NAME=]PATH", "PATH#COLUMN or LAYER" or "PATH#key=value,..."; `pred` may be None.
    reading : Reading
        That of `find_sources`.
    """
    if pred is None:
        one = look_at(parse_source(gold), reading)
        check_known([one], reading)
        return [_one_file(one)], named_layer(one, reading.layer), None
    one, (other,) = find_sources(parse_source(gold), [parse_source(pred)], reading)
    files = ready_sources([one, other][: 2 - other.is_pipeline], reading)
    sources = [
        replace(source, reading=source.reading | Reading(column=source.layer))
        if source.format == "conll"
        else source
        for source in (*files, *[other] * other.is_pipeline)
    ]
    return sources, named_layer(one, reading.layer), named_layer(other, None)


def named_layer(source: Source, option: str | None) -> str | None:
    """The layer that was named with a source or by an option; of CoNLL, with columns, by this."""
    return option if source.format == "conll" else source.layer or option


def _one_file(source: Source) -> Source:
    """The source that gold and prediction are two columns or layers of."""
    if source.format != "conll":
        return source
    gold, pred, remark = (source.layer, -1, "") if source.layer else columns_beside(source)
    columns, repair = {"gold": gold, "pred": pred}, {"gold": source.reading.repair, "pred": None}
    reading = replace(source.reading, column=None, columns=columns, repair=repair)
    return replace(source, reading=reading, remark=remark)


def choose_layers(
    layers: Sequence[Layers | Corpus], layer: str | None = None, pred_layer: str | None = None
) -> tuple[str, str]:
    """The layers of gold and a prediction: by default the prediction's has the name of gold's.

    `layers` are those of both sources, or of the one that has them both.
    """
    gold, *others = layers
    layer = choose_layer(gold, layer)
    if not others:
        return layer, choose_layer(gold, pred_layer, avoid=layer)
    if not (found := layer_of_pred(others[0], layer, pred_layer)):
        raise ValueError(f"{others[0].path}: {no_layer(others[0])}")
    return layer, found


def layer_of_pred(layers: Layers | Corpus, gold: str, named: str | None) -> str:
    """The layer of predictions: the one named, or with the name of gold's; "" of rows without any.

    `gold` is the layer of gold.
    """
    if not layers.layer_names and has_rows(layers.path):
        return ""
    same = gold if gold in layers.layer_names or not layers.layer_names else None
    return choose_layer(layers, named or same)


def read_predictions(source: Source, gold: Corpus, layer: str | None = None) -> Corpus:
    """The corpus of predictions; a pipeline is run on the documents of gold.

    `layer` is the one of gold that was named.
    """
    if not source.is_pipeline:
        return source.read()
    from ..spacy_docs.pipeline import predict

    how = source.reading
    options = {key: one for key, one in (how.pipeline or {}).items() if one is not None}
    if how.batch_size is not None:
        options["batch_size"] = int(how.batch_size)
    wanted = source.layer or how.layer
    corpus: Corpus = predict(source.path, gold, choose_layer(gold, layer), wanted, **options)[0]
    if how.trim:
        corpus = resolve_duplicates(trim_spans(corpus), "merge")
    return only_labels(corpus, how.only_labels) if how.only_labels else corpus


def read_compared(
    gold: str | Path,
    pred: str | Path | None = None,
    *,
    pipeline: Mapping[str, Any] | None = None,
    **keys: Any,
) -> CorpusPair:
    """The `CorpusPair` of a file of gold annotation and one of predictions.

    Parameters
    ----------
    gold : str or Path
        A file of gold annotation. "PATH#key=value,..." has keys of its own, "NAME=PATH" a name.
    pred : str or Path, optional
        A file of predictions, or a trained pipeline, which is run on the documents of gold. Without
        it, both are layers of one file: by default the last two columns of CoNLL. "PATH#LAYER" is
        one layer; by default that with the name of gold's.
    pipeline : mapping, optional
        Arguments of a pipeline: code, gpu_id, n_process, progress.
    **keys : str or number
        How both are read, such as scheme="IOB1", align="position" or tokenizer="en": see
        docs/formats.md. Of gold alone are format, column, layer, repair and misaligned.
        With `annotator`, the layers are annotators; a document that one of them lacks was not seen.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and layers that do not exist.
    """
    reading = replace(Reading.of(keys), pipeline=pipeline)
    return read_pair(gold, pred, reading)


def read_pair(
    gold: object, pred: object, reading: Reading | None = None, *, people: bool = False
) -> CorpusPair:
    """The `CorpusPair` of two sources, or of two layers of one.

    Parameters
    ----------
    gold, pred : str, Path or Source
        `pred` may be a trained pipeline, which is run on the documents of gold; None if both are
        layers of one source.
    reading : Reading, optional
        See `find_pair`.
    people : bool
        Whether files of tools for people are the work of annotators, who need not have seen all
        documents, and have the names of their files.
    """
    reading = reading or Reading()
    sources, layer, pred_layer = find_pair(gold, pred, reading)
    people = people and all(one.format in OF_PEOPLE for one in sources)
    read = partial(read_predictions, layer=layer)
    corpora = tuple(one_block_of(sources, read).corpora)
    layers = choose_layers(corpora, layer, pred_layer)
    texts = str(gold), str(gold if pred is None else pred)
    complete = reading.annotator is None and not people
    reading = replace(reading, align=sources[-1].reading.align or reading.align)
    compared = pair_corpora(corpora, layers, reading, texts, complete=complete)
    compared = replace(compared, names=pair_names(gold, pred, reading, layers, people=people))
    check_share(compared.pred.notes, texts[1])
    remarks = (source.remark for source in sources if source.remark)
    return replace(compared, warnings=(*remarks, *compared.warnings))


def pair_names(
    gold: object,
    pred: object,
    reading: Reading,
    layers: tuple[str, str],
    *,
    people: bool = False,
) -> tuple[str, str]:
    """The names of gold and a prediction in reports: those that the user gave.

    Otherwise gold has the name of its column or layer if one was given, else "gold". The prediction
    has the name of its column or layer, or else of its file or pipeline. Annotators keep their
    names; with `people` they are those of the files.

    Parameters
    ----------
    gold, pred : str or Path
        Paths as the user gave them.
    layers : pair of str
        Those that are compared.
    """
    one, alone = parse_source(gold), pred is None
    two = replace(one, name=None) if pred is None else parse_source(pred)
    if (people or reading.annotator is not None) and layers[0] != layers[1]:
        return one.name or layers[0], two.name or layers[1]
    first = _column_name(one, reading.column or (reading.layer if alone else None))
    second = _column_name(two, None)
    if alone and second is None and layers[1] not in CONLL_LAYERS:
        second = layers[1].removeprefix("spans:")
    if not alone and second in (None, first):
        is_same = layers[0] == layers[1]  # which tells nobody apart
        first = None if second or is_same else first
        files = distinct_names([replace(source, layer=None) for source in (one, two)])
        first, second = files[0] if people else first, files[1]
    names = one.name or first or NAMES[0], two.name or second or NAMES[1]
    return names if names[0] != names[1] else (NAMES[0], NAMES[1] if alone else two.text)


def _column_name(source: Source, layer: str | None) -> str | None:
    """The column or layer given with a path or by an option; None if none was given."""
    column = source.layer or layer
    if column is None or not re.fullmatch(r"-?\d+", str(column)):
        return None if column is None else str(column).removeprefix("spans:")
    path = path_of(source.path)
    header = header_names(path) if path.is_file() else None
    return header[int(column)] if header else f"column {column}"


def pair_corpora(
    corpora: Sequence[Corpus],
    layers: tuple[str, str],
    reading: Reading | None = None,
    sources: tuple[str, str] | None = None,
    *,
    complete: bool | None = None,
) -> CorpusPair:
    """The `CorpusPair` of gold and predictions in memory.

    Parameters
    ----------
    corpora : sequence of Corpus
        Gold and the prediction; or one that has both.
    layers : pair of str
        Of gold and of the prediction.
    reading : Reading, optional
        With `align`.
    sources : pair of str, optional
        Where they came from; by default the paths of the corpora.
    complete : bool, optional
        Whether layers are a prediction; else annotators, who need not have seen all documents. By
        default they are these where the reading has `annotator`.
    """
    one, two = corpora[0], corpora[-1]
    paths = sources or (one.path, two.path)
    reading = reading or Reading()
    align = reading.align or "auto"
    complete = reading.annotator is None if complete is None else complete
    if two is not one:
        one, two = match_documents(one, two, align=align)
    elif align == "characters":
        from ..formats.alignment import in_characters

        one = two = in_characters(one)
    two = with_layer(two, layers[1], complete=complete, beside=two is one)
    return CorpusPair(one, layers[0], two, layers[1], paths)


def lacks_annotation(notes: Notes) -> bool:
    """Whether documents were left out as blemished, and so are not annotated."""
    return notes.skipped(DOCUMENTS)[0] > 0


def with_layer(
    pred: Corpus,
    layer: str,
    *,
    complete: bool = True,
    beside: bool = False,
) -> Corpus:
    """Predictions in which every document has a layer, with annotation of every position.

    Documents that a prediction leaves out, or calls not annotated (null, a rejected task, the tag
    -), count as ones in which it predicted nothing: else it would choose the spans of gold that it
    is measured by. But where reading left out blemished documents, these stay out.

    Parameters
    ----------
    complete : bool
        Whether the layer is a prediction; else that of an annotator, who need not have seen all.
    beside : bool
        Whether gold is another layer of the same corpus, with the same positions.
    """
    is_lacking = pred.layer_names and layer not in pred.layer_names and pred.first is None
    if not complete or is_lacking:
        return pred  # if no document has the layer, its reader will say so
    table = pred.table
    found = table.layer(layer)
    keeps_gaps = lacks_annotation(pred.notes)
    unseen = found.state == ABSENT if keeps_gaps else found.state != SEEN
    has_gaps = len(found.missing) or (len(table.missing) and not beside)
    if not unseen.any() and (keeps_gaps or not has_gaps):
        return pred
    found = replace(found, state=np.where(unseen, SEEN, found.state))
    if not keeps_gaps:
        found = replace(found, missing=NO_ROWS)
        table = table if beside else replace(table, missing=NO_ROWS)
    return replace(pred, documents=replace(table, layers={**table.layers, layer: found}))


def side_by_side(
    gold: Corpus | Sequence[Any],
    pred: Corpus | Sequence[Any],
    *,
    layer: str | None = None,
    pred_layer: str | None = None,
    align: str = "auto",
) -> CorpusPair:
    """The `CorpusPair` of two corpora, or of two lists of spaCy's Docs.

    Parameters
    ----------
    gold, pred : Corpus or sequence of Doc
        The same documents.
    layer, pred_layer : str, optional
        By default the main layer of gold, and the one of the prediction with the same name;
        those of Docs are "ents" and "spans:KEY".
    align : "auto", "tokens", "characters" or "position"
        How documents with other tokens are compared: by default spans are carried over to gold's
        tokens by characters, where the text is the same.

    Raises
    ------
    FormatError, ValueError
        For documents that do not belong together, and layers that do not exist.

    Examples
    --------
    >>> from spacy_chance_eval import diff, read, side_by_side
    >>> from spacy_chance_eval.sample import path
    >>> gold = read(path("test.jsonl"))
    >>> diff(side_by_side(gold, gold)).counts.sum(axis=0).tolist()
    [504, 0, 0, 0, 0]
    """
    sides: list[Corpus] = []
    for side, role in zip((gold, pred), ROLES):
        if not isinstance(side, Corpus):
            from ..spacy_docs.docbin import read_docs

            side = read_docs(side, role, role=role)
        sides.append(side)
    layers = choose_layers(sides, layer, pred_layer)
    return pair_corpora(sides, layers, Reading(align=align))
