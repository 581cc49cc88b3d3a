"""Annotators in files: who they are, and the panel of what each of them did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from .. import formats
from ..formats import TRIM
from ..formats.corpus import Corpus
from ..formats.errors import FormatError, did_you_mean, known
from ..formats.keys import Reading
from ..formats.matching import with_names
from ..formats.merging import AnnotatorLayer, merge_annotators
from ..formats.paths import path_of
from ..measures.messages import listed, quoted
from ..measures.panel import Panel
from .blocks import one_block_of
from .columns import check_one_column, with_gold_name
from .sources import (
    Annotator,
    Layers,
    Source,
    choose_layer,
    layers_in,
    no_layer,
    parse_source,
    share_options,
    tokenizer_of,
    with_texts,
)

PANEL_BY = ("auto", "file", "layer")
# options by which every annotator of a file becomes a layer, for formats that do not do so anyway
EVERYBODY: dict[str, dict[str, Any]] = {
    "prodigy": {"annotator": "auto", "decisions": False},
    "conll": {"columns": "all"},
}
ONE_DOCUMENT = ("cas", "gate", "webanno")  # formats whose files hold one document
NO_ANNOTATORS = (
    "INITIAL_CAS",
    "CURATION_USER",
)  # which INCEpTION puts beside annotators


@dataclass(frozen=True)
class PanelOptions:
    """How annotators are read from files.

    Parameters
    ----------
    by : "auto", "file" or "layer"
        Whether each file is an annotator or each layer of all of them (span groups, annotation
        sets, columns, the annotators that rows name). "auto": files, if there are several, else
        layers. With "file" and one folder, its files are annotators and their folders documents.
    annotator_field : str, optional
        The key that names annotators in the rows of JSON formats.
    layers : sequence of str
        The layers to take, [NAME=]LAYER; by default all.
    categories : bool
        Whether to compare the categories of documents instead of spans.
    tokenize : callable, optional
        tokenize(text) gives the borders of tokens, for files that have none.
    options : mapping
        For the readers of formats that have them.
    align : "auto", "tokens", "characters" or "position"
        How documents with other tokens are compared: see `merge_annotators`.
    """

    by: str = "auto"
    annotator_field: str | None = None
    layers: tuple[str, ...] = ()
    categories: bool = False
    tokenize: Callable[[str], Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    align: str = "auto"

    @classmethod
    def of(
        cls,
        reading: Reading,
        by: str = "auto",
        layers: Sequence[str] = (),
        categories: bool = False,
    ) -> PanelOptions:
        """The same from the keys for all files. Loads spaCy if its tokenizer is wanted."""
        options: dict[str, Any] = reading.options
        if reading.column is not None:
            options["columns"] = {reading.column: reading.column}
        field, tokenize = options.pop("annotator", None), options.pop("tokenizer", None)
        align = reading.align or "auto"
        return cls(by, field, tuple(layers), categories, tokenizer_of(tokenize), options, align)


@dataclass(frozen=True)
class AnnotatorSources:
    """The files of annotators, looked at, and how annotators are found in them.

    `by` is "file", "layer" or "folder": the files of one folder are annotators.
    """

    sources: tuple[Source, ...]
    by: str
    how: PanelOptions

    @property
    def in_blocks(self) -> bool:
        """Whether the files can be read in blocks: one for each annotator, or one with them all."""
        return self.by == "file" or (self.by == "layer" and len(self.sources) == 1)

    def annotators(self, layers: Sequence[Layers]) -> tuple[Annotator, ...]:
        """Each annotator, by the layers of the sources."""
        return tuple(
            one for number, mine in enumerate(layers) for one in self.annotators_in(number, mine)
        )

    def annotators_in(self, number: int, layers: Layers) -> list[Annotator]:
        """The annotators of one source."""
        source = self.sources[number]
        if self.by == "layer":
            pairs = self._all_layers(layers, source.layer)
            return [Annotator(name, number, layer) for name, layer in pairs]
        name = self.names[number]
        return [Annotator(name, number, self._one_layer(layers, source.layer))]

    @cached_property
    def names(self) -> list[str]:
        """The names of the sources, where each is an annotator."""
        if self.by == "folder":
            return [source.name or "" for source in self.sources]
        return annotator_names(self.sources)

    def read(self, source: Source, first: Corpus) -> Corpus:
        """The corpus of a source; that of a file has the names of the first, if texts agree."""
        corpus = source.read()
        return with_names(first, corpus, self.how.align) if self.by == "file" else corpus

    def merge(
        self, corpora: Sequence[Corpus], annotators: Iterable[Annotator], first: int = 0
    ) -> Corpus:
        """One corpus of some documents of all sources, with a layer for each annotator."""
        parts = [AnnotatorLayer(one.name, corpora[one.source], one.layer) for one in annotators]
        return self.merge_layers(parts, first)

    def merge_layers(self, parts: Sequence[AnnotatorLayer], first: int = 0) -> Corpus:
        """One corpus with a layer for each annotator, also of further sources."""
        merged: Corpus = merge_annotators(parts, first, self.how.align)
        return merged

    def _all_layers(self, found: Layers, wanted: str | None) -> Iterable[tuple[str, str]]:
        """(annotator, layer) of a source: all, or those asked for."""
        names = self._names_in(found)
        if not names:
            raise FormatError(self._no_layers(found), found.path)
        for text in [wanted] if wanted else self.how.layers or names:
            name, layer = _named_layer(text, names)
            _check_layer(layer, names, found)
            yield name or layer.removeprefix("spans:"), layer

    def _names_in(self, found: Layers) -> list[str]:
        """The layers of a source that are annotators; not entities that no document has."""
        if self.how.categories:
            return list(found.category_layers)
        names = [name for name in found.layer_names if name != "ents" or not found.unused]
        return names or list(found.layer_names)

    def _one_layer(self, found: Layers, wanted: str | None) -> str:
        """The layer of a source that is the work of one annotator."""
        names = self._names_in(found)
        if not names:
            raise FormatError(self._no_layers(found), found.path)
        if len(self.how.layers) > 1:
            raise ValueError(
                f"{len(self.how.layers)} layers, but each file is an annotator; name one layer, or "
                "let the layers be annotators (--by layer)"
            )
        for layer in (wanted, *self.how.layers):
            if layer is not None:
                return _check_layer(layer, names, found)
        if not self.how.categories:
            return choose_layer(found, avoid=None if "ents" in names else "ents")
        if len(names) > 1:
            raise FormatError(
                f"one layer of categories is needed; available: {listed(names)}", found.path
            )
        return names[0]

    def _no_layers(self, found: Layers) -> str:
        """Message about a source without annotators."""
        if self.how.categories:
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
    how: PanelOptions,
    *,
    whole: bool = False,
    beside: Sequence[Source] = (),
) -> AnnotatorSources:
    """The sources of some annotators.

    Parameters
    ----------
    texts : sequence of str or Path
        [NAME=]PATH[#LAYER] of files or folders.
    how : PanelOptions
    whole : bool
        Whether a source is one annotator where nothing says who they are, also a folder.
    beside : sequence of Source
        Others that are compared with these: they may have the texts, and options are for them, too.
    """
    sources = [parse_source(str(text)) for text in texts]
    by = known(how.by, PANEL_BY, "value of by")
    whole = whole and by == "auto"
    if by == "auto":
        one_each = whole or len(sources) > 1
        several = one_each and how.annotator_field is None and not how.layers
        folder = is_folder_of_annotators(sources[0].path, how.options.get("format"))
        by = "file" if several or folder else "layer"
        whole = whole and several and not folder
    given = {key: value for key, value in how.options.items() if key == "format"}
    shared = {key: value for key, value in how.options.items() if key != "format"}
    looked = [source.looked_at(options=given) for source in sources]
    share_options([*looked, *beside], shared)  # every option must be one of some format
    if by == "file":
        annotator_names(looked)  # names that are the same are an error before anything is read
    if by == "file" and len(looked) == 1 and _is_folder(looked[0]) and not whole:
        return AnnotatorSources(tuple(_files_of_folder(looked[0], how)), "folder", how)
    if by == "file" and len(looked) == 1:
        looked = [with_gold_name(looked[0])]
    ready = [_with_options(one, by, how) for one in looked]
    return AnnotatorSources(tuple(with_texts([*ready, *beside])[: len(ready)]), by, how)


def _is_folder(source: Source) -> bool:
    """Whether a source is a folder whose files can be annotators."""
    return path_of(source.path).is_dir() and source.format != "spacy"


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


def _with_options(source: Source, by: str, how: PanelOptions) -> Source:
    """The source with the options by which its annotators, or its one annotator, are read."""
    if by == "layer":
        return _readable(source, _everybody(source, how), how)
    check_one_column(source, how.options.get("token"))
    return _readable(source, _column(source), how)


def _readable(source: Source, extra: Mapping[str, Any], how: PanelOptions) -> Source:
    """The source with all options; spans that do not fit the tokens are unplaced, not an error."""
    possible = source.possible_options
    if how.annotator_field is not None and "annotator" not in possible:
        raise FormatError(
            "this format has no rows that name annotators (--annotator-field)", source.path
        )
    given = {"misaligned": "unplaced", **how.options}
    options = {key: value for key, value in given.items() if key in possible}
    of_docs = {key: value for key, value in options.items() if key == TRIM}
    return replace(
        source,
        options={**options, **source.options, **extra} if source.format != "spacy" else of_docs,
        tokenize=how.tokenize,
        misaligned=how.options.get("misaligned", "unplaced"),
    )


def _everybody(source: Source, how: PanelOptions) -> dict[str, Any]:
    """The options by which every annotator of a source becomes a layer."""
    if how.annotator_field is not None:
        return {"annotator": how.annotator_field}
    if source.format == "conll" and how.layers:
        columns = [_named_layer(text, ())[1] for text in how.layers]
        return {"columns": {column: column for column in columns}}
    if source.format in formats.ROWS and not source.several:
        from ..formats.sniffing import annotator_key

        key = annotator_key(source.path)
        return {"annotator": key} if key else {}
    return EVERYBODY.get(source.format, {})


def _column(source: Source) -> dict[str, Any]:
    """The option by which a column of CoNLL becomes a layer, if one is asked for."""
    if source.layer is None or source.format != "conll":
        return {}
    return {"columns": {source.layer: source.layer}}


def _files_of_folder(source: Source, how: PanelOptions) -> Iterable[Source]:
    """Each file of a folder as a source: an annotator's work on the document its folder is."""
    folder = path_of(source.path)
    files = formats.files_of(folder, source.named_format)
    if source.format == "brat":  # the texts belong to the annotations
        files = [file for file in files if file.suffix == ".ann"]
    for file in files:
        name = file.name.partition(".")[0]
        if name in NO_ANNOTATORS:
            continue
        where = str(file.parent.relative_to(folder))
        own = Source(str(file), name=name, document=None if where == "." else where)
        given = {key: value for key, value in how.options.items() if key == "format"}
        yield _readable(own.looked_at(options=given), {}, how)


def annotator_names(sources: Sequence[Source]) -> list[str]:
    """Names of annotators: given, or as their files are called, with folders where these differ."""
    names = short = [source.name or default_name(source) for source in sources]
    paths = [path_of(source.path).absolute() for source in sources]
    for depth in range(2, 5):
        if len(set(names)) == len(names):
            return names
        names = [
            source.name or "/".join([*path.parts[:-1], path.stem][-depth:])
            for source, path in zip(sources, paths)
        ]
    twice = next(one for one, name in zip(short, names) if names.count(name) > 1)
    raise ValueError(
        f"two annotators are called {quoted(twice)}; give each its own name: NAME=PATH"
    )


def default_name(source: Source) -> str:
    """The layer if one is named, else the name of the file without its endings."""
    layer = (source.layer or "").removeprefix("spans:")
    return layer or path_of(source.path).name.partition(".")[0] or source.path


# --- panels


def read_panel(texts: Sequence[object], how: PanelOptions | None = None) -> tuple[Panel, Corpus]:
    """The panel of some files, and the corpus behind it, with a layer for each annotator.

    Parameters
    ----------
    texts : sequence of str or Path
        [NAME=]PATH[#LAYER] of files or folders. One that has the texts of the first in the same
        order, but none of its names of documents (ids of another program), takes its names.
    """
    found = find_annotators(texts, how or PanelOptions())
    corpora = _read_annotators(found)
    corpus = found.merge(corpora, found.annotators([layers_in(one) for one in corpora]))
    return panel_of(corpus, found.how.categories), corpus


class PanelWithCandidates(NamedTuple):
    """The panel of annotators and candidates, and the corpus behind it.

    Parameters
    ----------
    panel : Panel
    corpus : Corpus
        With a layer for each of them.
    names : list of str
        Of the candidates in files of their own.
    remarks : list of str
        Sentences about how files were read.
    """

    panel: Panel
    corpus: Corpus
    names: list[str]
    remarks: list[str]


def read_panel_with(
    texts: Sequence[object],
    candidates: Sequence[object],
    how: PanelOptions | None = None,
) -> PanelWithCandidates:
    """The panel of some files and of candidates, and facts about these files.

    Parameters
    ----------
    texts : sequence of str or Path
        [NAME=]PATH[#LAYER] of files or folders of annotators.
    candidates : sequence of str or Path
        [NAME=]PATH[#LAYER]; each is one annotator.
    how : PanelOptions, optional
        `by`, `annotator_field` and `layers` are of the annotators alone.
    """
    how = how or PanelOptions()
    given = {key: value for key, value in how.options.items() if key == "format"}
    models = [parse_source(str(text)).looked_at(options=given) for text in candidates]
    found = find_annotators(texts, how, beside=models)
    alone = replace(how, by="auto", annotator_field=None, layers=())
    # a folder is one candidate, too, but not where its files are annotators
    beside = [*found.sources, *models]
    others = [find_annotators([text], alone, whole=True, beside=beside) for text in candidates]
    corpora = _read_annotators(found)
    everybody = found.annotators([layers_in(one) for one in corpora])
    parts = [AnnotatorLayer(one.name, corpora[one.source], one.layer) for one in everybody]
    names = []
    for other in others:
        read = [with_names(corpora[0], one, how.align) for one in _read_annotators(other)]
        who = other.annotators([layers_in(one) for one in read])
        _check_one(who, other, layers_in(read[0]))
        parts += [AnnotatorLayer(one.name, read[one.source], one.layer) for one in who]
        names += [who[0].name]
    check_candidate_names([one.name for one in everybody], names)
    corpus = found.merge_layers(parts)
    sources = [one for other in (found, *others) for one in other.sources]
    return PanelWithCandidates(
        panel_of(corpus, how.categories),
        corpus,
        names,
        [source.remark for source in sources if source.remark],
    )


def _check_one(who: Sequence[Annotator], found: AnnotatorSources, layers: Layers) -> None:
    """Raise FormatError for a candidate whose file has several annotators, or layers like them."""
    names = list(dict.fromkeys(one.name for one in who))
    if len(names) > 1:
        raise FormatError(
            f"several annotators ({', '.join(names)}), but a candidate is one; name a file of it",
            layers.path,
        )


def check_candidate_names(annotators: Iterable[str], candidates: Sequence[str]) -> None:
    """Raise ValueError for a candidate with the name of an annotator or another candidate."""
    known = {*annotators}
    for name in candidates:
        if name in known:
            raise ValueError(
                f"a candidate is called {quoted(name)}, and so is someone else; give the "
                "candidate a name of its own: --candidate NAME=PATH"
            )
        known.add(name)


def _read_annotators(found: AnnotatorSources) -> list[Corpus]:
    """The corpora of all sources; those of files have the names of the first, if texts agree."""
    return list(one_block_of(found.sources, found.read).corpora)


def panel_of(corpus: Corpus, categories: bool = False) -> Panel:
    """The `Panel` of a corpus that has a layer for each annotator."""
    names = corpus.category_layers if categories else corpus.layer_names
    positions = "category" if categories else corpus.positions
    return Panel(corpus.annotators(names, categories), positions)
