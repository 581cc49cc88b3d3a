"""Annotators in files: who they are, and the panel of what each of them did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from .. import formats
from ..formats.blemishes import all_completed
from ..formats.corpus import Corpus
from ..formats.errors import FormatError, did_you_mean, known
from ..formats.keys import Reading
from ..formats.matching import with_names
from ..formats.merging import AnnotatorLayer, merge_annotators
from ..formats.notes import NO_NOTES
from ..formats.paths import path_of
from ..measures.alignment import with_labels
from ..measures.chance.draws import word_keys
from ..measures.messages import listed, quoted
from ..measures.panel import Panel
from ..measures.spans import trusted
from ..scoring.counts import Counts, Progress, count_panel
from .blocks import Block, one_block_of
from .columns import check_one_column, with_gold_name
from .jobs import Content, Job, OnError, annotators_of, data_of, in_step
from .sources import (
    Annotator,
    Layers,
    Source,
    check_known,
    choose_layer,
    layers_in,
    name_systems,
    no_layer,
    parse_source,
    with_texts,
)
from .survey import Survey

PANEL_BY = ("auto", "file", "layer")
PANEL = 7  # see `AnnotatorSources.weight`
ONE_DOCUMENT = ("cas", "gate", "webanno")  # formats whose files hold one document
NO_ANNOTATORS = (
    "INITIAL_CAS",
    "CURATION_USER",
)  # which INCEpTION puts beside annotators


@dataclass(frozen=True)
class AnnotatorSources:
    """The files of annotators, looked at, and how annotators are found in them.

    Parameters
    ----------
    sources : tuple of Source
    by : "file", "layer" or "folder"
        What an annotator is; "folder": the files of one folder are annotators.
    reading : Reading
        How all files are read.
    layers : sequence of str
        The layers to take, [NAME=]LAYER; by default all.
    categories : bool
        Whether the categories of documents are compared instead of spans.
    """

    sources: tuple[Source, ...]
    by: str
    reading: Reading
    layers: Sequence[str] = ()
    categories: bool = False
    with_gold = False

    @property
    def align(self) -> str:
        """How documents with other tokens are compared: see `merge_annotators`."""
        return self.reading.align or "auto"

    @property
    def in_blocks(self) -> bool:
        """Whether the files can be read in blocks: one for each annotator, or one with them all."""
        return self.by == "file" or (self.by == "layer" and len(self.sources) == 1)

    def find(self, number: int, first: Layers, layers: Layers) -> list[Annotator]:
        """The annotators of one source, whatever layers the first one has."""
        source = self.sources[number]
        if self.by == "layer":
            pairs = self._all_layers(layers, source.layer)
            return [Annotator(name, number, layer) for name, layer in pairs]
        name = self.names[number]
        return [Annotator(name, number, self._one_layer(layers, source.layer))]

    def known(self) -> AnnotatorSources:
        """The same: it can be sent to another process."""
        return self

    @cached_property
    def names(self) -> list[str]:
        """The names of the sources, where each is an annotator."""
        sources: Sequence[Source] = self.sources
        if self.by != "folder":
            sources = name_systems(sources, "annotator")
        return [source.name or "" for source in sources]

    def read(self, source: Source, first: Corpus) -> Corpus:
        """The corpus of a source; that of a file has the names of the first, if texts agree."""
        corpus = source.read()
        return with_names(first, corpus, self.align) if self.by == "file" else corpus

    def merge(self, corpora: Sequence[Corpus], annotators: Iterable[Annotator]) -> Corpus:
        """One corpus of some documents of all sources, with a layer for each annotator."""
        return merge_annotators(_layers_of(corpora, annotators), self.align)

    def weight(self, n_sources: int) -> float:
        """About 8 + (n - 1) times the memory of gold and a prediction for each of n annotators.

        It is for the team, for each against the majority, and for each of its pairs (measured with
        2 to 12).
        """
        return float(PANEL + max(n_sources, 2))

    def content(
        self, job: Job, block: Block, progress: Progress
    ) -> tuple[Content, list[Annotator]]:
        """The annotation of a block by all annotators, and who they are."""
        corpora, is_part = list(block.corpora), block.first is not None
        corpora = all_completed(corpora) if is_part else corpora
        layers = tuple(map(layers_in, corpora))
        annotators = list(annotators_of(job, layers))
        others = corpora[1:] if is_part else []
        merge = partial(self.merge, corpora, annotators)
        (corpus,) = in_step(corpora[0], others, self.align, lambda: [merge()])
        names = sorted({one.name for one in annotators})
        annotated = corpus.labelled_documents if self.categories else corpus
        sides = {name: annotated.spans(name) for name in names}
        one = sides[names[0]]
        if is_part:
            sides = {k: trusted(s, words=one.words, names=one.names) for k, s in sides.items()}
        data = tuple(data_of(one, corpus.positions) for one in corpora)
        notes = corpus.notes, *(NO_NOTES for _ in corpora[1:])
        documents = tuple(corpus.table.all_names())
        content = Content(
            block.first or 0,
            Survey(len(documents), layers, data, notes, corpus.table.attribute_names),
            {},
            Panel(sides, "category" if self.categories else corpus.positions),
            corpus.positions,
            documents,
            {key: corpus.table.attribute(key) for key in {"article", *job.attributes}},
            word_keys(one),
        )
        return content, annotators

    def checked(self, survey: Survey, annotators: Sequence[Annotator]) -> Survey:
        """The survey; an error if only some documents have tokens."""
        if len(survey.positions()) > 1:
            raise FormatError(
                "some documents have tokens and others have not; give all tokens, or none "
                "(--read tokenizer=en makes tokens of texts)",
                survey.layers[0].path,
            )
        return survey

    def counts(
        self,
        job: Job,
        content: Content,
        survey: Survey,
        one_block: bool,
        on_error: OnError,
        progress: Progress,
    ) -> Counts:
        """The `Counts` of a block."""
        panel, requests = content.panel, list(job.requests(survey).values())
        assert panel is not None
        if not one_block:
            labels = survey.all_labels()
            sides = {name: with_labels(s, labels) for name, s in panel.annotators.items()}
            panel = Panel(sides, panel.positions)
        counts = count_panel(
            panel,
            requests,
            draws=job.draws,
            seed=job.seed,
            used=[sorted(survey.used[name]) for name in panel.names],
            words=content.words,
            pairs=job.pairs,
            progress=progress,
        )
        more: dict[str, Any] = {} if one_block else {"documents": content.names or None}
        return replace(counts, attributes=content.attributes, **more)

    def _all_layers(self, found: Layers, wanted: str | None) -> Iterable[tuple[str, str]]:
        """(annotator, layer) of a source: all, or those asked for."""
        names = self._names_in(found)
        if not names:
            raise FormatError(self._no_layers(found), found.path)
        for text in [wanted] if wanted else self.layers or names:
            name, layer = _named_layer(text, names)
            _check_layer(layer, names, found)
            yield name or layer.removeprefix("spans:"), layer

    def _names_in(self, found: Layers) -> list[str]:
        """The layers of a source that are annotators; not entities that no document has."""
        if self.categories:
            return list(found.category_layers)
        names = [name for name in found.layer_names if name != "ents" or not found.unused]
        return names or list(found.layer_names)

    def _one_layer(self, found: Layers, wanted: str | None) -> str:
        """The layer of a source that is the work of one annotator."""
        names = self._names_in(found)
        if not names:
            raise FormatError(self._no_layers(found), found.path)
        if len(self.layers) > 1:
            raise ValueError(
                f"{len(self.layers)} layers, but each file is an annotator; name one layer, or "
                "let the layers be annotators (--annotators layer)"
            )
        for layer in (wanted, *self.layers):
            if layer is not None:
                return _check_layer(layer, names, found)
        if not self.categories:
            return choose_layer(found, avoid=None if "ents" in names else "ents")
        if len(names) > 1:
            raise FormatError(
                f"one layer of categories is needed; available: {listed(names)}", found.path
            )
        return names[0]

    def _no_layers(self, found: Layers) -> str:
        """Message about a source without annotators."""
        if self.categories:
            hint = "; without --categories spans are compared" if found.layer_names else ""
            return f"no document has any categories{hint}"
        return no_layer(found)


def _check_layer(layer: str, names: Sequence[str], found: Layers) -> str:
    """The layer, if it is one of those that a source has."""
    if layer not in names:
        available = listed(names)
        hint = did_you_mean(layer, names)
        raise FormatError(
            f"there is no layer {quoted(layer)}{hint}; available: {available}", found.path
        )
    return layer


def _named_layer(text: str, names: Sequence[str]) -> tuple[str | None, str]:
    """(name or None, layer) of "[NAME=]LAYER"."""
    name, equals, layer = text.partition("=")
    return (name, layer) if equals and text not in names else (None, text)


# --- from names to sources


def find_annotators(
    texts: Sequence[object],
    reading: Reading | None = None,
    *,
    by: str = "auto",
    layers: Sequence[str] = (),
    categories: bool = False,
    whole: bool = False,
    beside: Sequence[Source] = (),
) -> AnnotatorSources:
    """The sources of some annotators.

    Parameters
    ----------
    texts : sequence of str, Path or Source
        [NAME=]PATH[#LAYER] of files or folders.
    reading : Reading, optional
        How they are read, where their paths do not say it; `annotator` names annotators in rows.
    by : "auto", "file" or "layer"
        Whether each file is an annotator or each layer of all of them (span groups, annotation
        sets, columns, the annotators that rows name). "auto": files, if there are several and not
        several layers, else layers. With "file" and one folder, its files are annotators and their
        folders documents.
    layers, categories
        Of `AnnotatorSources`.
    whole : bool
        Whether a source is one annotator where nothing says who they are, also a folder.
    beside : sequence of Source
        Others that are compared with these: they may have the texts, and keys are for them, too.
    """
    reading = reading or Reading()
    layers = tuple(layers or filter(None, [reading.layer]))
    sources = [parse_source(one) for one in texts]
    by = known(by, PANEL_BY, "value of by")
    whole = whole and by == "auto"
    named = reading.format
    if by == "auto":
        one_each = whole or len(sources) > 1
        several = one_each and reading.annotator is None and len(layers) < 2
        folder = is_folder_of_annotators(sources[0].path, named)
        by = "file" if several or folder else "layer"
        whole = whole and several and not folder
    for_all = replace(reading.without("layer"), misaligned=reading.misaligned or "unplaced")
    looked = [source.looked_at(reading=for_all) for source in sources]
    if reading.annotator is not None:
        for one in looked:
            if not one.knows("annotator"):
                raise FormatError(
                    "this format has no rows that name annotators (--read annotator=KEY)", one.path
                )
    check_known([*looked, *beside], reading)
    if by == "file":
        name_systems(looked, "annotator")  # an error before anything is read
    asked = AnnotatorSources((), by, reading, layers, categories)
    folder = path_of(looked[0].path).is_dir() and looked[0].format != "spacy"
    if by == "file" and len(looked) == 1 and folder and not whole:
        files = tuple(_files_of_folder(looked[0], for_all))
        return replace(asked, sources=files, by="folder")
    if by == "file" and len(looked) == 1:
        looked = [with_gold_name(looked[0])]
    ready = [_everybody(one, layers) if by == "layer" else _one_column(one) for one in looked]
    return replace(asked, sources=tuple(with_texts([*ready, *beside])[: len(ready)]))


def is_folder_of_annotators(path: str | Path, format: str | None = None) -> bool:
    """Whether a folder has a folder for each document, with a file for each annotator.

    That is how INCEpTION exports: files of one document each, with names that come again.
    """
    folder = path_of(path)
    if not folder.is_dir():
        return False
    if (format or formats.format_of(folder)) not in ONE_DOCUMENT:
        return False
    files = formats.files_of(folder, format)
    names = [file.name for file in files]
    return len(set(names)) < len(names) and all(file.parent != folder for file in files)


def _everybody(source: Source, layers: Sequence[str]) -> Source:
    """The source read so that every annotator is a layer, or those asked for are."""
    reading = source.reading
    if reading.annotator is not None:
        return source
    if source.format == "conll" and reading.column is None:
        columns = [_named_layer(text, ())[1] for text in layers]
        some: Any = {column: column for column in columns} or "all"
        return replace(source, reading=replace(reading, columns=some))
    if source.format == "conll":
        return replace(source, reading=_own_column(reading, reading.column))
    if source.format == "prodigy":
        return replace(source, reading=replace(reading, annotator="auto"))
    if source.format in formats.ROWS and not source.several:
        from ..formats.sniffing import annotator_key

        if key := annotator_key(source.path):
            return replace(source, reading=replace(reading, annotator=key))
    return source


def _one_column(source: Source) -> Source:
    """The source read as one annotator: of CoNLL a column, if one is named."""
    check_one_column(source)
    column = source.layer or source.reading.column
    if column is None or source.format != "conll":
        return source
    return replace(source, reading=_own_column(source.reading, column))


def _own_column(reading: Reading, column: str) -> Reading:
    """The reading of a column as a layer of its name."""
    return replace(reading, column=None, columns="all" if column == "all" else {column: column})


def _files_of_folder(source: Source, reading: Reading) -> Iterable[Source]:
    """Each file of a folder as a source: an annotator's work on the document its folder is."""
    folder = path_of(source.path)
    files = formats.files_of(folder, source.reading.format)
    if source.format == "brat":  # the texts belong to the annotations
        files = [file for file in files if file.suffix == ".ann"]
    for file in files:
        name = file.name.partition(".")[0]
        if name in NO_ANNOTATORS:
            continue
        where = str(file.parent.relative_to(folder))
        document = None if where == "." else where
        own = Source(str(file), name=name, document=document, reading=source.reading)
        yield own.looked_at(reading=reading)


# --- panels


def read_panel(
    texts: Sequence[object], reading: Reading | None = None, **asked: Any
) -> tuple[Panel, Corpus]:
    """The panel of some files, and the corpus behind it, with a layer for each annotator.

    Parameters
    ----------
    texts : sequence of str, Path or Source
        [NAME=]PATH[#LAYER] of files or folders. One that has the texts of the first in the same
        order, but none of its names of documents (ids of another program), takes its names.
    reading, **asked
        Of `find_annotators`: how they are read, `by`, `layers` and `categories`.
    """
    panel, corpus, *_ = read_panel_with(texts, (), reading, **asked)
    return panel, corpus


def read_panel_with(
    texts: Sequence[object],
    candidates: Sequence[object],
    reading: Reading | None = None,
    *,
    categories: bool = False,
    **asked: Any,
) -> tuple[Panel, Corpus, list[str], list[str]]:
    """The panel of files of annotators and of candidates, and the corpus behind it.

    Also the names of the candidates, and sentences about how files were read.

    Parameters
    ----------
    texts : sequence of str or Path
        [NAME=]PATH[#LAYER] of files or folders of annotators.
    candidates : sequence of str or Path
        [NAME=]PATH[#LAYER]; each is one annotator.
    reading : Reading, optional
        `annotator` and `layer` are of the annotators alone.
    categories, **asked
        Of `find_annotators`: `by` and `layers` are of the annotators alone.
    """
    reading = reading or Reading()
    alone = reading.without("annotator", "layer")
    models = [parse_source(text).looked_at(reading=alone) for text in candidates]
    found = find_annotators(texts, reading, beside=models, categories=categories, **asked)
    # a folder is one candidate, too, but not where its files are annotators
    beside = [*found.sources, *models]
    others = [
        find_annotators([text], alone, whole=True, beside=beside, categories=categories)
        for text in candidates
    ]
    corpora = _read_annotators(found)
    everybody = annotators_of(found, list(map(layers_in, corpora)))
    parts = _layers_of(corpora, everybody)
    names = []
    for other in others:
        read = [with_names(corpora[0], one, found.align) for one in _read_annotators(other)]
        who = annotators_of(other, list(map(layers_in, read)))
        if len(several := dict.fromkeys(one.name for one in who)) > 1:
            what = f"several annotators ({', '.join(several)}), but a candidate is one"
            raise FormatError(f"{what}; name a file of it", read[0].path)
        parts += _layers_of(read, who)
        names += [who[0].name]
    taken = [one.name for one in everybody]
    for number, name in enumerate(names):
        if name in [*taken, *names[:number]]:
            raise ValueError(
                f"a candidate is called {quoted(name)}, and so is someone else; give the "
                "candidate a name of its own: --candidate NAME=PATH"
            )
    corpus = merge_annotators(parts, found.align)
    sources = [one for other in (found, *others) for one in other.sources]
    remarks = [source.remark for source in sources if source.remark]
    return panel_of(corpus, categories), corpus, names, remarks


def _read_annotators(found: AnnotatorSources) -> list[Corpus]:
    """The corpora of all sources; those of files have the names of the first, if texts agree."""
    return list(one_block_of(found.sources, found.read).corpora)


def _layers_of(corpora: Sequence[Corpus], who: Iterable[Annotator]) -> list[AnnotatorLayer]:
    """The layers of some annotators in the corpora of all sources."""
    return [AnnotatorLayer(one.name, corpora[one.source], one.layer) for one in who]


def panel_of(corpus: Corpus, categories: bool = False) -> Panel:
    """The `Panel` of a corpus that has a layer for each annotator."""
    names = corpus.category_layers if categories else corpus.layer_names
    positions = "category" if categories else corpus.positions
    annotated = corpus.labelled_documents if categories else corpus
    return Panel({name: annotated.spans(name) for name in names}, positions)
