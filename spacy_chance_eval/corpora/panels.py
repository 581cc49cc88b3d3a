"""Panels from files: who the annotators are, and what each of them did."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from .. import formats
from ..formats.corpus import Part, merge_annotators, with_names
from ..formats.errors import FormatError, known
from ..formats.paths import is_several, path_of
from ..formats.rows import annotator_key
from ..formats.texts import in_tokens
from ..measures.panel import Panel
from .run import format_of, is_docbin, layer_of, read_corpus, with_shared
from .systems import parse_system

BY = ("auto", "file", "layer")
# options by which every annotator of a file becomes a layer, for formats that do not do so anyway
EVERYBODY = {"prodigy": {"annotator": "auto", "decisions": False}, "conll": {"columns": "all"}}
ONE_DOCUMENT = ("cas", "gate")  # formats whose files hold one document
NOBODY = ("INITIAL_CAS", "CURATION_USER")  # what INCEpTION puts beside the files of annotators


class Layers(NamedTuple):
    """The layers of some documents of a file; `unused`: if all entities were left open."""

    path: str
    layer_names: tuple
    category_layers: tuple
    unused: bool

    @classmethod
    def of(cls, corpus):
        """Those of a corpus."""
        unused = all(document.layers.get("ents") is None for document in corpus.documents)
        return cls(corpus.path, corpus.layer_names, corpus.category_layers, unused)


def read_panel(
    sources, *, by="auto", field=None, layers=(), categories=False, tokenize=None, options=None
):
    """The panel of some files, and the corpus behind it, with a layer for each annotator.

    Parameters
    ----------
    sources : sequence of str or Path
        [NAME=]PATH[#LAYER] of files or folders. One that has the texts of the first in the same
        order, but none of its names of documents (ids of another program), takes its names.
    by : "auto", "file" or "layer"
        Whether each file is an annotator or each layer of all of them (span groups, annotation
        sets, columns, the annotators that rows name). "auto": files, if there are several, else
        layers. With "file" and one folder, its files are annotators and their folders documents.
    field : str, optional
        The key that names annotators in the rows of JSON formats.
    layers : sequence of str
        The layers to take, [NAME=]LAYER; by default all.
    categories : bool
        Whether to compare the categories of documents in place of spans.
    tokenize : callable, optional
        tokenize(text) gives the borders of tokens, for files that have none.
    options : mapping, optional
        For the readers, as far as their formats have them.

    Raises
    ------
    FormatError, ValueError
        For files that cannot be read or do not belong together, and layers that do not exist.
    """
    settings = {"by": by, "field": field, "layers": layers, "categories": categories}
    read = sources_of(sources, tokenize=tokenize, options=options, **settings)
    corpus = merge_annotators(list(read.parts()))
    return panel_of(corpus, categories), corpus


def sources_of(
    sources, *, by="auto", field=None, layers=(), categories=False, tokenize=None, options=None
):
    """The `Sources` of some files; parameters and errors are those of `read_panel`."""
    known(by, BY, "value of by")
    if by == "auto":
        several = len(sources) > 1 and field is None and not layers
        by = "file" if several or is_folder_of_annotators(sources[0], options or {}) else "layer"
    options = dict(options or {})
    check_options(sources, options)
    return Sources(tuple(sources), by, field, tuple(layers), categories, options, tokenize)


def panel_of(corpus, categories=False):
    """The `Panel` of a corpus that has a layer for each annotator."""
    if categories:
        annotators = {name: corpus.categories(name) for name in corpus.category_layers}
        return Panel(annotators, "category")
    return Panel({name: corpus.spans(name) for name in corpus.layer_names}, corpus.positions)


def is_folder_of_annotators(source, options):
    """Whether a folder has a folder for each document, with a file for each annotator.

    That is how INCEpTION exports: files of one document each, with names that come again.
    """
    folder = path_of(place_of(source)[0])
    if not folder.is_dir() or is_docbin(folder):
        return False
    if format_of(folder, options) not in ONE_DOCUMENT:
        return False
    files = formats.files_of(folder, options.get("format"))
    names = [file.name for file in files]
    return len(set(names)) < len(names) and all(file.parent != folder for file in files)


@dataclass(frozen=True)
class Sources:
    """Files of annotators, as they were named, and how they are to be read."""

    sources: tuple
    by: str
    field: str | None
    layers: tuple
    categories: bool
    options: Mapping
    tokenize: Callable | None = None

    def parts(self):
        """One `Part` for each annotator of each file."""
        if self.by == "layer":
            for source in self.sources:
                yield from self.all_layers(source)
        elif self.is_folder():
            yield from self.files_of(str(self.sources[0]))
        else:
            first = None
            for source, name in zip(self.sources, names_of(self.sources)):
                path, part = place_of(source)
                corpus = self.read(path, self.column(path, part))
                first = first or corpus
                corpus = with_names(first, corpus)
                yield Part(name, corpus, self.one_layer(Layers.of(corpus), part))

    def is_folder(self):
        """Whether the files of one folder are annotators."""
        only = str(self.sources[0])
        folder = len(self.sources) == 1 and path_of(only).is_dir() and not is_docbin(only)
        return self.by == "file" and folder

    def all_layers(self, source):
        """All layers of a file, or those asked for."""
        path, part = place_of(source)
        corpus = self.read(path, self.everybody(path))
        for name, layer in self.layers_of(Layers.of(corpus), part):
            yield Part(name, corpus, layer)

    def layers_of(self, found, part=None):
        """(annotator, layer) of the `Layers` of a file: all, or those asked for."""
        names = self.names_in(found)
        if not names:
            raise FormatError(self.nothing(found), found.path)
        wanted = [part] if part else self.layers or names
        for text in wanted:
            name, layer = named_layer(text, names)
            there(layer, names, found)
            yield name or layer.removeprefix("spans:"), layer

    def everybody(self, path):
        """The options by which every annotator of a file becomes a layer."""
        if self.field is not None:
            return {"annotator": self.field}
        format = format_of(path, self.options)
        if format == "conll" and self.layers:
            columns = [named_layer(text, ())[1] for text in self.layers]
            return {"columns": {column: column for column in columns}}
        if format in ("jsonl", "doccano") and not is_several(path):
            key = annotator_key(path)
            return {"annotator": key} if key else {}
        return EVERYBODY.get(format, {})

    def files_of(self, folder):
        """Each file of a folder as an annotator's work on the document that its folder is."""
        for file in self.documents_in(folder):
            corpus = self.read(file, {})
            where = str(file.parent.relative_to(folder))
            if len(corpus.documents) == 1 and where != ".":
                corpus = replace(corpus, documents=(replace(corpus.documents[0], name=where),))
            layer = self.one_layer(Layers.of(corpus))
            yield Part(file.name.partition(".")[0], corpus, layer)

    def documents_in(self, folder):
        """The files of a folder; of brat without the texts, which belong to the annotations."""
        files = formats.files_of(folder, self.options.get("format"))
        if format_of(folder, self.options) == "brat":
            return [file for file in files if file.suffix == ".ann"]
        return [file for file in files if file.name.partition(".")[0] not in NOBODY]

    def column(self, path, part):
        """The option by which a column of CoNLL becomes a layer, if that is what is asked for."""
        if part is None or format_of(path, self.options) != "conll":
            return {}
        try:
            return {"columns": {part: int(part)}}
        except ValueError:
            raise FormatError(
                f"{part!r} is no column; expected its number, counted from 0 (-1 is the last)", path
            ) from None

    def read(self, path, extra):
        """The corpus of a file. Spans that do not fit the tokens are unplaced, not an error."""
        return self.in_tokens(read_corpus(path, **self.options_for(path, extra)))

    def in_tokens(self, corpus, first=0):
        """A corpus with the tokens that were asked for, or with the positions that it has.

        Of a part of one, `first` is the number of documents in front.
        """
        if self.tokenize is None:
            return corpus
        misaligned = self.options.get("misaligned", "unplaced")
        return in_tokens(corpus, self.tokenize, misaligned=misaligned, first=first)

    def options_for(self, path, extra):
        """How a file is read, as `run.read_corpus` has it."""
        given = {"misaligned": "unplaced"} | self.options
        docbin = format_of(path, self.options) == "spacy"
        if docbin and self.field is None:
            return {}
        own = {key: given.pop(key) for key in ("format",) if key in given}
        possible = () if docbin else formats.options_of(path, format=own.get("format"))
        if self.field is not None and "annotator" not in possible:
            raise FormatError(
                "this format has no rows that name annotators (--annotator-field)", path
            )
        shared = {key: value for key, value in given.items() if key in possible}
        return {**own, **shared, **extra}

    def names_in(self, found):
        """The layers of a file that are annotators; not entities that no document has."""
        if self.categories:
            return list(found.category_layers)
        names = [name for name in found.layer_names if name != "ents" or not found.unused]
        return names or list(found.layer_names)

    def one_layer(self, found, wanted=None):
        """The layer of a file that is the work of one annotator."""
        names = self.names_in(found)
        if not names:
            raise FormatError(self.nothing(found), found.path)
        if len(self.layers) > 1:
            raise ValueError(
                f"{len(self.layers)} layers, but each file is an annotator; name one layer, or let "
                "the layers be annotators (--by layer)"
            )
        for layer in (wanted, *self.layers):
            if layer is not None:
                return there(layer, names, found)
        if not self.categories:
            return layer_of(found, avoid=None if "ents" in names else "ents")
        if len(names) > 1:
            raise FormatError(
                f"one layer of categories is needed; available: {', '.join(names)}", found.path
            )
        return names[0]

    def nothing(self, found):
        """What to say of a file without annotators."""
        if self.categories:
            hint = "; without --categories spans are compared" if found.layer_names else ""
            return f"no document has any categories{hint}"
        hint = "; --categories compares the labels of documents" if found.category_layers else ""
        return f"no document has any layer of spans{hint}"


def there(layer, names, found):
    """The layer, if it is one of those that a file has."""
    if layer not in names:
        available = ", ".join(names) or "none"
        raise FormatError(f"there is no layer {layer!r}; available: {available}", found.path)
    return layer


def named_layer(text, names):
    """(name or None, layer) of "[NAME=]LAYER"."""
    name, equals, layer = text.partition("=")
    return (name, layer) if equals and text not in names else (None, text)


def place_of(source):
    """(path, layer or None) of "[NAME=]PATH[#LAYER]"."""
    system = parse_system(str(source))
    return system.path, system.part


def names_of(sources):
    """Names of annotators: given, or as their files are called, with folders where these differ.

    Raises
    ------
    ValueError
        If two names are the same.
    """
    systems = [parse_system(str(source)) for source in sources]
    names = short = [system.name or default_name(system) for system in systems]
    for depth in range(2, 5):
        if len(set(names)) == len(names):
            return names
        names = [
            system.name or "/".join(path_of(system.path).absolute().with_suffix("").parts[-depth:])
            for system in systems
        ]
    twice = next(one for one, name in zip(short, names) if names.count(name) > 1)
    raise ValueError(f"two annotators are called {twice!r}; name them apart: NAME=PATH")


def default_name(system):
    """The layer if one is named, else the name of the file without its endings."""
    layer = (system.part or "").removeprefix("spans:")
    return layer or path_of(system.path).name.partition(".")[0] or system.path


def check_options(sources, options):
    """Raise for an option that the format of no file has."""
    paths = [place_of(source)[0] for source in sources]
    sides = [{key: options[key] for key in ("format",) if key in options} for _ in paths]
    shared = {key: value for key, value in options.items() if key != "format"}
    with_shared(paths, sides, shared)
