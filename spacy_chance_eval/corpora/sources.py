"""`Source`: a path or name given by a user, looked at once: files, or a trained pipeline."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from .. import formats
from ..formats import TREEBANKS, format_of_trees
from ..formats.corpus import Corpus
from ..formats.errors import FormatError, PathLike, known
from ..formats.files import open_text, suffix_of, unchanged
from ..formats.keys import Reading, keys, split_path
from ..formats.openings import DOCBINS, is_docbin
from ..formats.paths import (
    files_at,
    is_pattern,
    is_remote,
    is_several,
    is_there,
    name_of,
    path_of,
    path_text,
    refresh,
)
from ..measures.messages import listed, quoted
from ..metrics.catalog import CATALOG, TREE_CATALOG

PIPELINE, MENTIONS = "pipeline", "mentions"
LISTS = (".yml", ".yaml", ".json")
MAIN_LAYERS = ("gold", "spans", "ents")
NO_SOURCE = "no such file, folder or installed pipeline; check the name"
PIPELINE_AS_GOLD = (
    "a trained pipeline, which is scored against gold documents; these come first: GOLD {path}"
)
META = "meta.json"  # of every pipeline, in its folder or package
WITH_COLUMNS = ("entities", "tagged", MENTIONS)  # formats of rows whose reader takes keys
SMALL = 100_000  # bytes of a file that holds a document, not a corpus: some 10,000 tokens
# Bytes of memory that reading and counting takes for each byte of a file, measured with sentences
# of 13 tokens. Of formats that were not measured, the most of these.
MEMORY, MOST_MEMORY = {"conll": 6.0, "jsonl": 3.5}, 6.0
PACKED = 5  # times that packed files grow, about
# keys that are about sources, not about the content of their files
OF_SOURCES = ("layer", "align", "tokenizer")
OF_PIPELINES = ("batch_size", "trim", "duplicates", "on_error", "only_labels")


@dataclass(frozen=True)
class Source:
    """A path or name given by a user, and the files or pipeline found there.

    Parameters
    ----------
    path : str
        A file, a folder, a pattern with * ? or [ ], an address, or a trained pipeline.
    layer : str, optional
        The column of CoNLL, or the layer of anything else, that was named with it.
    name, link, year : optional
        How boards show it.
    sha256 : str, optional
        Its checksum, if that is known.
    optional : bool
        Whether boards go on without it if it does not exist.
    reading : Reading
        How its files are read: the keys that its path has and, once it was looked at, those of all
        paths that its format knows.
    format : str
        One of `formats.READERS`, or "pipeline"; "" as long as nobody has looked. Where files have
        several formats, that of the first.
    files : tuple of str
        The files that it stands for, in order.
    several : bool
        Whether it is a folder or a pattern.
    document : str, optional
        Name of its only document; by default the one in the file.
    documents : tuple of str
        Of treebanks: the name of the document of each file.
    remark : str
        Facts for results on how it is read.
    by_key : bool
        Whether a column was named that is a key of its rows.
    """

    path: str
    layer: str | None = None
    name: str | None = None
    link: str | None = None
    year: int | None = None
    sha256: str | None = None
    optional: bool = False
    reading: Reading = Reading()
    format: str = ""
    files: tuple[str, ...] = ()
    several: bool = False
    document: str | None = None
    documents: tuple[str, ...] = ()
    remark: str = ""
    by_key: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", path_text(self.path))
        object.__setattr__(self, "files", tuple(map(path_text, self.files)))

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """As it can be given on the command line, without its name."""
        return self.path if self.layer is None else f"{self.path}#{self.layer}"

    @property
    def shown(self) -> str:
        """The same in results, which do not name the last column."""
        return self.text.removesuffix("#-1")

    @property
    def is_pipeline(self) -> bool:
        """Whether it is a trained pipeline."""
        return self.format == PIPELINE

    @property
    def n_bytes(self) -> int:
        """About how many bytes its local files have, unpacked."""
        return sum(
            (size_of(file) or 0) * (PACKED if file.endswith(".gz") else 1) for file in self.files
        )

    @property
    def memory(self) -> float:
        """About how many bytes reading and counting takes, of gold and predictions."""
        return MEMORY.get(self.format, MOST_MEMORY) * self.n_bytes

    @property
    def can_be_read_again(self) -> bool:
        """Whether all local files are files, not pipes, which can be read only once."""
        local = (file for file in self.files if not is_remote(file))
        return all(os.path.isfile(file) or not os.path.exists(file) for file in local)

    def knows(self, key: str) -> bool:
        """Whether a key means something for the source."""
        if key in ("format", *OF_SOURCES):
            return True
        if key == "misaligned" and self.reading.tokenizer is not None:
            return True
        if key == "skip_bad":
            return self.several
        if self.is_pipeline:
            return key in OF_PIPELINES
        return formats.READERS[self.format].knows(key)

    @property
    def of_files(self) -> Reading:
        """The reading for the reader of the files: without what is done with their corpus."""
        return self.reading.without("layer", "align")

    def with_documents(self) -> Source:
        """The source; the files of a folder of small CoNLL files are documents by default."""
        folder = self.several and not is_pattern(self.path) and self.format == "conll"
        if not folder or self.reading.documents is not None:
            return self
        sizes = map(size_of, self.files)
        small = all(size is not None and size <= SMALL for size in sizes)
        if not small or not all(self.format_of(file) == "conll" for file in self.files):
            return self
        return replace(self, reading=replace(self.reading, documents="file"))

    def looked_at(self, role: str = "gold", reading: Reading | None = None) -> Source:
        """The source with its format and files.

        Parameters
        ----------
        role : "gold" or "pred"
        reading : Reading, optional
            Keys for all paths, of which it takes those that its format knows.

        Raises
        ------
        FormatError
            If its format is unknown, or if it does not exist; for a pipeline as gold, and for a
            folder of pipelines.
        """
        given = (reading or Reading()) | self.reading
        given = replace(given, role=role)
        refresh(self.path)
        if is_pipeline(self.path):
            if role == "gold":
                raise FormatError(PIPELINE_AS_GOLD.format(path=self.path), self.path)
            looked = replace(self, format=PIPELINE)
            known = {key for key in given.given if key in self.reading.given or looked.knows(key)}
            return replace(looked, reading=given.only(known))
        if not path_of(self.path).suffix and not is_there(self.path):
            raise FormatError(NO_SOURCE, self.path)
        named, layer = given.format, self.layer
        if named is None:
            _check_no_pipelines(self.path)
        key = layer or given.column
        found = None if key is None else formats.format_of_key(self.path, key)
        found = MENTIONS if key is not None and named == MENTIONS else found
        if found in WITH_COLUMNS and named in (None, found):
            named, layer = found, key
            given = replace(given, column=None, columns={key: key})
        elif found is not None and named is None:
            named, layer, given = found, "spans", given.without("column")
        chosen = given.columns is not None or key is not None
        format = formats.format_of(self.path, named, None if chosen else role)
        several = is_several(self.path)
        files: Sequence[Any] = [self.path]
        if several and not (formats.READERS[format].folder and not is_pattern(self.path)):
            files = formats.files_of(self.path, named)  # a folder of brat is read as a whole
        given = replace(given, format=named)
        if given.tokenizer is not None:
            given = replace(given, tokenizer=formats.tokenizer_of(given.tokenizer))
        by_key = found is not None
        looked = replace(
            self, layer=layer, format=format, several=several, reading=given, by_key=by_key
        )
        looked = replace(looked, files=tuple(map(str, files)))
        known = {key for key in given.given if key in self.reading.given or looked.knows(key)}
        return replace(looked, reading=given.only(known)).with_documents()

    def format_of(self, file: str) -> str:
        """The format of one of the files."""
        if self.reading.format or not self.several:
            return self.format
        return formats.format_of(file, role=self.reading.role if self.layer is None else None)

    def read(self, file: str | None = None, *, first: int | None = None) -> Corpus:
        """The `Corpus` of all files, or of one of them; in tokens, if these have to be made.

        Parameters
        ----------
        file : str, optional
        first : int
            Of a part of the corpus, the number of documents in front.

        Raises
        ------
        FormatError
            For files that cannot be read, or change while they are read.
        """
        how = self.of_files
        with unchanged(self.files if file is None else (file,)):
            if file is not None:
                corpus = formats.read_file(file, replace(how, format=self.format_of(file)))
            elif self.several:
                corpus = formats.read_folder(self.path, how)
            else:
                how = replace(how, format=how.format or self.format)
                corpus = formats.read_file(self.path, how)
        if self.document is not None and len(corpus.documents) == 1:
            document = replace(corpus.documents[0], name=self.document)
            corpus = replace(corpus, documents=(document,))
        return self.tokenized(corpus, first)

    def tokenized(self, corpus: Corpus, first: int | None = None) -> Corpus:
        """A corpus in the tokens that were asked for, or in the positions that it has."""
        return formats.tokenized(replace(corpus, first=first), self.reading)


def read_corpus(path: object, *, role: str = "gold", **keys: Any) -> Corpus:
    """The `Corpus` of a file of any format, or of those that a folder or a pattern stands for.

    Parameters
    ----------
    role : "gold" or "pred"
    **keys
        Of `Reading`; None stands for the default.
    """
    source, reading = Source(str(path)), Reading.of(keys)
    looked = source.looked_at(role, reading)
    check_known([looked], reading)
    return looked.read()


def size_of(path: str) -> int | None:
    """Number of bytes of a local file; None elsewhere, or without such a file."""
    try:
        return None if is_remote(path) else os.path.getsize(path)
    except OSError:
        return None


def is_pipeline(path: str | Path) -> bool:
    """Whether a path is a trained pipeline: a folder with its config, or an installed package."""
    if is_remote(path):  # spaCy loads from this machine only
        return False
    folder, path = Path(path), str(path)
    if folder.is_dir():
        return (folder / "config.cfg").is_file()
    if folder.exists() or not path.isidentifier():
        return False
    from importlib.util import find_spec

    package = find_spec(path)
    places = package.submodule_search_locations if package else None
    return any((Path(place) / META).is_file() for place in places or ())


def _check_no_pipelines(path: str) -> None:
    """Raise FormatError for a folder of trained pipelines, unless it has Docs or files of brat."""
    if is_remote(path) or not (folder := Path(path)).is_dir():
        return
    found = sorted(
        str(file.parent) for file in folder.glob(f"*/{META}") if is_pipeline(file.parent)
    )
    if found and not any(file.name.endswith((*DOCBINS, ".ann")) for file in files_at(path)):
        named = " or ".join(found[:2])  # model-best before model-last
        raise FormatError(f"a folder of trained pipelines; did you mean {named}?", path)


# --- options


def treebank_format(path: PathLike, format: str | None = None) -> str | None:
    """Name of the format of a treebank, one of `TREEBANKS`; None of anything else.

    Parameters
    ----------
    path : str or Path
        A file, or a folder: then that of its files, if no more of them are of other formats.
    format : str, optional
        The format that was named; it decides.
    """
    if format is not None:
        return format if format in TREEBANKS else None
    if not path_of(path).is_dir():
        return format_of_trees(path)
    files = files_at(path)
    found = [format_of_trees(file) for file in files]
    of_trees = [name for name in found if name is not None]
    endings = {suffix for reader in formats.READERS.values() for suffix in reader.suffixes}
    n_others = sum(bool(endings & set(file.suffixes)) for file in files)
    return of_trees[0] if of_trees and len(of_trees) >= n_others else None


def are_trees(
    paths: Sequence[str | Path], metrics: Sequence[str] = (), format: str | None = None
) -> bool:
    """Whether to compare annotations as trees: treebanks, or metrics of trees asked for.

    Treebanks with tags in their column MISC are compared by these, unless metrics are of trees.

    Parameters
    ----------
    paths : sequence of str or Path
        Files or folders.
    metrics : sequence of str
        Those asked for; `.spacy` files are read as trees for metrics of trees.
    format : str, optional
        The format of the files, if it was named.
    """
    names = [(text, str(text).partition("(")[0].strip()) for text in metrics]
    of_trees = [text for text, name in names if name in TREE_CATALOG]
    of_spans = [text for text, name in names if name in CATALOG]  # others are an error elsewhere
    if of_trees and of_spans:
        raise ValueError(
            f"{of_trees[0]} compares trees and {of_spans[0]} spans; ask for them in two calls"
        )
    from ..formats.openings import opening_format  # which only files of unknown format need

    banks = []
    for one in map(source_at, paths):
        own = one.reading.format or format
        untold = own is None and format_of_trees(one.path) is not None
        with_spans = untold and opening_format(one.path) == "conllup"  # tags in MISC
        if not with_spans and treebank_format(one.path, own):
            banks.append(one.path)
    if banks and of_spans:
        raise ValueError(
            f"{of_spans[0]} compares spans, but {banks[0]} holds trees; ask for one of "
            f"{', '.join(TREE_CATALOG)}"
        )
    return bool(of_trees or banks)


def check_known(sources: Sequence[Source], reading: Reading) -> None:
    """Raise ValueError for a key for all sources that none of them knows."""
    for key in reading.without("format", "layer").given:
        of_rows = key == "column" and any(one.by_key for one in sources)
        if not of_rows and not any(one.knows(key) for one in sources):
            files = " or ".join(dict.fromkeys(one.path for one in sources))
            raise formats.no_such_key(files, sources[0].format, key)


def _texts_of(source: Source) -> Corpus:
    """The corpus with the texts of a source."""
    if source.format == MENTIONS:
        return formats.read_texts(source.path)  # without its mentions
    return source.read()


def with_texts(sources: Sequence[Source]) -> list[Source]:
    """The sources; those of mentions can take the texts of the others, files with offsets first."""
    others = [
        replace(one, reading=one.reading.without("tokenizer"))
        for one in sources
        if not one.is_pipeline
    ]
    others.sort(key=lambda one: one.format == MENTIONS)
    found = []
    for one in sources:
        beside = [two for two in others if two.path != one.path]
        if one.format == MENTIONS and one.reading.texts is None and beside:
            one = replace(one, reading=replace(one.reading, texts=partial(_texts_of, beside[0])))
        found.append(one)
    return found


# --- layers


@dataclass(frozen=True)
class Annotator:
    """Where the work of an annotator is: the number of the source, and the layer.

    `align` is how other tokens are compared, if not as those of other annotators.
    """

    name: str
    source: int
    layer: str
    align: str | None = None


class Layers(NamedTuple):
    """The layers of a source; `unused`: whether no document has entities."""

    path: str
    layer_names: tuple[str, ...]
    category_layers: tuple[str, ...] = ()
    unused: bool = False


def layers_in(corpus: Corpus) -> Layers:
    """The layers that any document of a corpus has."""
    ents = corpus.table.layer("ents")
    unused = not (len(ents.start) or len(ents.unplaced))
    return Layers(corpus.path, corpus.layer_names, corpus.category_layers, unused)


def add_layers(one: Layers, two: Layers) -> Layers:
    """The layers of the documents of two blocks."""
    return Layers(
        one.path,
        tuple(sorted({*one.layer_names, *two.layer_names})),
        tuple(sorted({*one.category_layers, *two.category_layers})),
        one.unused and two.unused,
    )


def no_layer(layers: Layers | Corpus) -> str:
    """Message about a source in which no document has spans; of rows with the keys they have."""
    if layers.category_layers:
        return (
            "no document has any layer of spans; agree --categories (in Prodigy chance.iaa.doc) "
            "compares labels of documents, and decisions (accept, reject)"
        )
    from ..formats.sniffing import without_annotation  # which only such files need

    found: str = without_annotation(layers.path)
    return found


def has_rows(path: str) -> bool:
    """Whether a source is rows of JSON or Parquet, whose keys name the annotation."""
    from ..formats.sniffing import has_rows

    found: bool = has_rows(path)
    return found


def choose_layer(
    layers: Layers | Corpus, wanted: str | None = None, *, avoid: str | None = None
) -> str:
    """The layer wanted, or the only one or the main one that there is, but for `avoid`."""
    if wanted is not None:
        return wanted
    if isinstance(layers, Corpus):
        layers = layers_in(layers)
    names = [name for name in layers.layer_names if name != avoid]
    groups = [name for name in names if name.startswith("spans:")]
    names = groups if layers.unused and groups else names
    if not names and avoid is None:
        raise FormatError(no_layer(layers), layers.path)
    if not names:
        raise ValueError(f"{layers.path} has one layer only; name a file or column to compare with")
    main = next((name for name in MAIN_LAYERS if name in names), names[0])
    if main not in MAIN_LAYERS and len(names) > 1:
        raise FormatError(
            f"several layers or annotators, and none was named: {listed(names)}; "
            f"name one: {layers.path}#{names[0]} (to compare two, name both so)",
            layers.path,
        )
    return main


# --- how users name sources


def parse_source(text: object) -> Source:
    """The `Source` that "[NAME=]PATH", "PATH#LAYER" or "PATH#key=value,..." names, not looked at.

    Examples
    --------
    >>> parse_source("BERT=out/bert.conll#2").text
    'out/bert.conll#2'
    """
    if isinstance(text, Source):
        return text
    text = str(text)
    if os.path.exists(text):
        return Source(text)
    name, equals, rest = text.partition("=")
    is_name = (
        bool(equals) and not {"/", os.sep, "#"} & {*name} or bool(rest) and os.path.exists(rest)
    )
    if not is_name:
        rest = text
    path, _, part = rest.rpartition("#") if "#" in rest else (rest, "", rest)
    if not path or is_name and not name or not part and not os.path.exists(rest):
        raise ValueError(
            f"cannot read the system {quoted(text)}; expected [NAME=]PATH[#COLUMN or LAYER] or "
            "[NAME=]PATH#key=value,..."
        )
    return replace(source_at(rest), name=name if is_name else None)


def source_at(text: object) -> Source:
    """The `Source` that "PATH", "PATH#COLUMN or LAYER" or "PATH#key=value,..." names."""
    if isinstance(text, Source):
        return text
    path, layer, reading = split_path(text)
    layer = layer or reading.column or reading.layer
    return Source(path, layer, reading=reading.without("column", "layer"))


def parse_systems(texts: Iterable[str | Source]) -> list[Source]:
    """The sources of a leaderboard, each with its own name; a list of systems adds its sources."""
    sources = []
    for text in texts:
        if isinstance(text, str) and is_list(text):
            sources += read_systems(text)
        else:
            sources.append(parse_source(text))
    if wrong := [source for source in sources if source.reading.align == "characters"]:
        raise ValueError(
            f"{wrong[0].path}: align is 'characters', which is for all systems: --align characters"
        )
    return name_systems(sources)


def is_list(text: str) -> bool:
    """Whether a user named a list of systems, not a system: JSON may have its rows."""
    if not text.lower().endswith(LISTS) or "=" in text:
        return False
    from ..formats.conll_columns import FIRST, head_of
    from ..formats.openings import opening_format
    from ..formats.sniffing import json_format  # which only JSON needs

    if opening_format(text) not in (None, "json") or is_docbin(text):
        return False
    if suffix_of(text) != ".json":
        return True
    names_any = re.search(rb'"(path|systems)"', head_of(text, FIRST))
    return names_any is not None and json_format(text, "") is None


def name_systems(sources: Sequence[Source], what: str = "system") -> list[Source]:
    """The sources with their names; those without one are called by their layer or file.

    A folder such as `model-best` says little: where such names are not enough, it is the path.
    `what` they are is for messages.
    """
    names = distinct_names(sources)
    twice = [name for name, number in Counter(names).items() if number > 1]
    if twice:
        raise ValueError(
            f"two {what}s are called {quoted(twice[0])}; give each its own name: NAME=PATH"
        )
    return [replace(source, name=name) for source, name in zip(sources, names)]


def default_name(source: Source) -> str:
    """The name of a source: the given name, layer or column, folder, or file without its ending."""
    layer = (source.layer or "").removeprefix("spans:")
    path = source.path
    name = name_of(path).name if os.path.isdir(path) else _without_ending(name_of(path).name)
    return source.name or layer or name or path


def _without_ending(path: str) -> str:
    """The path of a file without its ending; that of a folder as it is."""
    return path if os.path.isdir(path) else os.path.splitext(path.removesuffix(".gz"))[0]


def distinct_names(sources: Sequence[Source]) -> list[str]:
    """Default names of sources, with the shortest distinguishing path for those that occur twice.

    Names given by the user stay unchanged. Sources with the same path keep the same name.
    """
    names = list(map(default_name, sources))
    count = Counter(name for name, _ in {(n, one.text) for n, one in zip(names, sources)})
    shared = [i for i, name in enumerate(names) if count[name] > 1 and not sources[i].name]
    texts = {i: replace(sources[i], path=_without_ending(sources[i].path)).text for i in shared}
    alike = {*texts.values()} & {one.name for one in sources}
    if alike or len({*texts.values()}) < len({sources[i].text for i in shared}):
        texts = {i: sources[i].text for i in shared}  # such as a.conll and a.jsonl
    parts = {i: text.replace(os.sep, "/").split("/") for i, text in texts.items()}
    for depth in range(1, max(map(len, parts.values()), default=0) + 1):
        for i, steps in parts.items():
            names[i] = "/".join(steps[-depth:])
        if len({names[i] for i in parts}) == len({sources[i].text for i in parts}):
            break
    return names


def read_systems(path: str) -> list[Source]:
    """The sources that a YAML or JSON file lists; paths are relative to the file."""
    found = _listing(path)
    rows = found.get("systems") if isinstance(found, Mapping) else found
    if not isinstance(rows, list) or not rows:
        wanted = "a list `systems` with a path for each, or rows of a known format"
        raise FormatError(f"expected {wanted}", path)
    if isinstance(found, Mapping) and "candidates" in found:
        raise FormatError("`candidates` no longer exists; leave it out", path)
    return [_listed(row, number, path) for number, row in enumerate(rows, 1)]


def _listing(path: str) -> Any:
    """The content of a list of systems: YAML, of which JSON is a part."""
    import srsly

    with open_text(path) as lines:
        text = lines.read()
    try:
        return srsly.yaml_loads(text.expandtabs())  # by which JSON may be indented
    except ValueError as error:
        cause = error.__context__  # which has the line; its text has some lines of the file
        mark = getattr(cause, "problem_mark", None)
        reason = getattr(cause, "problem", None) or "a sign or value that YAML does not have"
        line = None if mark is None else mark.line + 1
        raise FormatError(f"no plain YAML: {reason}", path, line) from error


# of an entry of a list, beside the keys of `Reading`: what is right, and what is expected
ENTRIES: dict[str, tuple[Callable[[Any], object], str]] = {
    "name": (lambda one: not isinstance(one, (list, Mapping, bool)), "a text or number"),
    "path": (lambda one: not isinstance(one, (list, Mapping, bool)), "a text"),
    "link": (lambda one: str(one).lower().startswith(("http://", "https://")), "http(s)://..."),
    "year": (lambda one: type(one) is int, "a whole number"),
    "sha256": (lambda one: re.fullmatch("[0-9a-f]{64}", str(one)), "64 hexadecimal digits"),
    "optional": (lambda one: isinstance(one, bool), "true or false"),
}


def _listed(row: Any, number: int, path: str) -> Source:
    """The `Source` of one entry of a list."""
    if not isinstance(row, Mapping) or not isinstance(row.get("path"), str) or not row["path"]:
        raise FormatError(
            f"system {number} has no path; expected at least `path` for each system, or rows of a "
            "known format",
            path,
        )
    given = {key: value for key, value in row.items() if value is not None}
    try:
        for key in row:
            known(key, [*ENTRIES, *keys()], "key", f"system {number}")
        for key in (one for one in ENTRIES if one in given):
            is_right, expected = ENTRIES[key]
            if not is_right(given[key]):
                raise ValueError(
                    f"{key} of system {number} is {quoted(given[key])}; expected {expected}"
                )
        own = {key: value for key, value in given.items() if key not in ENTRIES}
        reading = Reading.of(own, f"system {number}")
    except ValueError as error:
        raise FormatError(str(error), path) from None
    place = row["path"]
    beside = path_of(path).parent / place
    is_file = not is_remote(place) and (beside.exists() or "/" in place or "." in place)
    about = {key: value for key, value in given.items() if key in ENTRIES}
    about |= {"path": str(beside) if is_file else place}
    about |= {"name": str(about["name"])} if "name" in about else {}
    layer = reading.column or reading.layer
    return Source(layer=layer, reading=reading.without("column", "layer"), **about)
