"""Readers and writers: one file per format, one table."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ..measures.alignment import ROLES
from ..measures.messages import quoted
from .blemishes import SENTENCES, STOP, check_share, reading, share_of, sound_file, with_blemishes
from .corpus import Corpus, Document, join_corpora, with_all_layers
from .duplicates import WAYS, resolve_duplicates
from .errors import FormatError, PathLike, known, option_title
from .files import BlockReader, Excerpt, suffix_of
from .keys import Reading, keys_of, named_for_readers, without_keys
from .matching import match_documents
from .matching import match_documents as pair
from .notes import NO_NOTES, Notes
from .paths import docbins_at, files_at, is_docbin, is_pattern, is_several, path_of

if TYPE_CHECKING:
    from .sentences import Sentence

__all__ = ["Corpus", "Document", "FormatError", "match_documents", "pair", "read"]


@dataclass(frozen=True)
class Format:
    """A format: the endings of its files, and the module with its functions.

    A module `x` has a `FORM` of rows, or the function `read_x`, and `blocks_of_x` if its files can
    be read in blocks; `write_x` if it writes. It is imported when one of them is first used. The
    second parameter of readers is a `Reading` if it is called `reading`.

    Parameters
    ----------
    module : str
        Its name in this package, or its full name.
    suffixes : tuple of str
        Endings of files; empty if a format is recognised by its content, or must be named.
    for_pred : mapping
        Options of the reader for predictions, instead of its defaults.
    writer : str, optional
        The module that has `write_x`, if that is another one.
    folder : bool
        Whether the files of a folder belong together and are not read one by one.
    single : bool
        Whether a file is one document: one that cannot be read can be left out of a folder.
    beside : tuple of str
        Names of files that belong to others and are not read on their own.
    duplicates : "error", "merge", "last" or "keep"
        How to treat duplicate spans, by default.
    writes : bool
        Whether there is a writer.
    sparse : bool
        Whether files leave out a layer in which they have no spans.
    keys : tuple of str
        Keys of a `Reading` that the format knows, if its reader takes one.
    """

    module: str
    suffixes: tuple[str, ...] = ()
    for_pred: Mapping[str, str] = field(default_factory=dict)
    writer: str | None = None
    folder: bool = False
    single: bool = False
    beside: tuple[str, ...] = ()
    duplicates: str = "merge"
    writes: bool = False
    sparse: bool = False
    keys: tuple[str, ...] = ()

    @property
    def read(self) -> Callable[..., Corpus]:
        """The reader: a function of a path, and of options by name."""
        return self._read

    def _read(self, path: PathLike, *, on_error: str = STOP, **options: Any) -> Corpus:
        """The `Corpus` of a file, with no more left out than its policy allows."""
        corpus = self._resolved(self._reader, path, on_error=on_error, **options)
        check_share(corpus.notes, path, on_error)
        return corpus

    @cached_property
    def write(self) -> Callable[..., None]:
        """The writer: a function of a path, a `Corpus`, and options by name."""
        return getattr(self._module(self.writer or self.module), f"write_{self._name}")

    @cached_property
    def blocks(self) -> BlockReader | None:
        """How files are read in blocks; None if they cannot be."""
        module = self._module(self.module)
        if (form := getattr(module, "FORM", None)) is not None:
            return cast(BlockReader | None, form.blocks() if form.join is None else None)
        blocks_of = getattr(module, f"blocks_of_{self._name}", None)
        return blocks_of and blocks_of()

    def read_excerpt(
        self, excerpt: Excerpt, whole: Any, options: Mapping[str, Any], state: Any
    ) -> Corpus:
        """The `Corpus` of an excerpt of a file that is read in blocks, by a `BlockReader`."""
        assert self.blocks is not None
        reader = self.blocks.read

        def read(excerpt: Excerpt, **options: Any) -> Corpus:
            return reader(excerpt, whole, self.for_blocks(options), state)

        return self._resolved(read, excerpt, **options)

    def for_blocks(self, options: Mapping[str, Any]) -> Any:
        """Options as a `BlockReader` takes them: a `Reading`, if the reader does."""
        return Reading.of_options(options) if self.takes_reading else options

    @cached_property
    def options(self) -> list[str]:
        """Names of the options that users can give the reader; the role is not among them."""
        own = [name for name in list(signature(self._reader).parameters)[1:] if name != "role"]
        if self.takes_reading:
            own = [*named_for_readers(dict.fromkeys(self.keys, ""))]
        return [*own, *(name for name in OF_ALL if name not in own)]

    @cached_property
    def takes_reading(self) -> bool:
        """Whether the reader takes its options as a `Reading`."""
        return [*signature(self._reader).parameters][1:2] == ["reading"]

    @cached_property
    def _reader(self) -> Callable[..., Corpus]:
        """The reader, as a function of its module."""
        module = self._module(self.module)
        if (form := getattr(module, "FORM", None)) is not None:
            return cast(Callable[..., Corpus], form.read)
        return getattr(module, f"read_{self._name}")

    def _resolved(
        self,
        read: Callable[..., Corpus],
        path: Any,
        *,
        duplicates: str = "",
        on_error: str = STOP,
        trim: str = "",
        **options: Any,
    ) -> Corpus:
        """The `Corpus` that a function reads, trimmed, with duplicates and blemishes resolved."""
        how = known(duplicates or self.duplicates, WAYS, "value of duplicates")
        if self.takes_reading or DUPLICATES in signature(self._reader).parameters:
            options[DUPLICATES] = how
        if self.takes_reading and trim:
            options[TRIM] = trim
        if self.takes_reading and not isinstance(path, Excerpt):
            read = partial(_with_reading, read)
        with reading(path, on_error) as found:
            corpus = with_blemishes(read(path, **options), found)
        if trim:
            from .trimming import trim_spans  # which few files need

            corpus = trim_spans(corpus, trim)
        corpus = resolve_duplicates(corpus, how)
        if how == self.duplicates:
            return corpus
        return replace(corpus, notes=corpus.notes.read_as(how))

    @property
    def _name(self) -> str:
        """The ending of the names of the functions."""
        return self.module.rpartition(".")[2]

    @staticmethod
    def _module(name: str) -> ModuleType:
        return import_module(name if "." in name else f".{name}", __package__)


def _with_reading(read: Callable[..., Corpus], path: PathLike, **options: Any) -> Corpus:
    """The corpus that a reader with a `Reading` for its options reads."""
    return read(path, Reading.of_options(options))


class TreebankFormat(NamedTuple):
    """A reader, as module.function, the endings of its files, and the kind of their trees.

    `style` is that of brackets, where it is named, for files that do not show it.
    """

    reader: str
    suffixes: tuple[str, ...]
    kind: str
    style: str | None = None

    def read(
        self, path: PathLike, on_error: str = STOP
    ) -> "tuple[list[Sentence], dict[str, int], Notes]":
        """(sentences, counts of skipped things, `Notes` on things left out) of a file.

        The reader is imported when it is first used. A blemished sentence that is left out is
        there, but not annotated.
        """
        module, _, function = self.reader.partition(".")
        read = getattr(import_module(f".{module}", __package__), function)
        with reading(path, on_error) as found:
            sentences, notes = read(path) if self.style is None else read(path, self.style)
        if found is None or not found.found:
            return sentences, notes, NO_NOTES
        n_sound = len(sentences) - sum(unit == SENTENCES for unit, _ in found.found)
        skipped = found.notes(n_sound)
        check_share(skipped, path, on_error)
        return sentences, notes, skipped


SPACY = "spacy"
DUPLICATES, ON_ERROR, TRIM = OF_ALL = "duplicates", "on_error", "trim"  # options of all readers
AS_UNPLACED = {"misaligned": "unplaced"}
AS_PRED = {"role": "pred"}
PARQUET = (".parquet", ".pq")
CONLL = (".conll", ".iob", ".iob2", ".bio", ".tsv", ".txt", ".conll03")
READERS = {
    "conll": Format(
        "conll",
        CONLL,
        {"repair": "conlleval"},
        writes=True,
        keys=("column", "token_column", "documents", "scheme", "repair"),
    ),
    "jsonl": Format(
        "jsonl",
        (".jsonl", *PARQUET),
        AS_UNPLACED,
        writes=True,
        keys=("offsets", "misaligned", "annotator"),
    ),
    "prodigy": Format(
        "prodigy",
        (),
        AS_UNPLACED,
        writer="prodigy_out",
        writes=True,
        keys=("misaligned", "annotator"),
    ),
    "brat": Format("brat", (".ann", ".a1"), folder=True, single=True, keys=("feature",)),
    "csv": Format("table", (".csv",), keys=("offsets", "texts", "sizes")),
    "doccano": Format("doccano", keys=("annotator",)),
    "entities": Format(
        "entities",
        for_pred={**AS_UNPLACED, **AS_PRED},
        keys=("column", "offsets", "misaligned", "annotator"),
    ),
    "gliner": Format("gliner", for_pred=AS_PRED, keys=("annotator",)),
    "mentions": Format(
        "mentions",
        for_pred={**AS_UNPLACED, **AS_PRED},
        keys=("column", "texts", "text", "misaligned", "annotator"),
    ),
    "tagged": Format(
        "tagged",
        for_pred={"repair": "conlleval", **AS_PRED},
        writes=True,
        keys=("column", "labels", "scheme", "repair", "annotator"),
    ),
    "labelstudio": Format("labelstudio", (".json",), keys=("text", "annotator")),
    "cas": Format(
        "cas",
        (".xmi", ".zip"),
        AS_UNPLACED,
        beside=("TypeSystem.xml",),
        single=True,
        keys=("type", "feature", "typesystem", "misaligned"),
    ),
    "argilla": Format(
        "argilla",
        for_pred={**AS_UNPLACED, **AS_PRED},
        keys=("type", "text", "misaligned"),
    ),
    "bioc": Format("bioc", (".bioc",), keys=("feature",)),
    "inline": Format("inline", (".sgml", ".sgm", ".muc"), keys=("type", "feature")),
    "pubtator": Format("pubtator", (".pubtator",)),
    "conllup": Format(
        "conllup",
        (".conllup", ".cupt"),
        {"repair": "conlleval"},
        keys=("scheme", "repair", "documents"),
    ),
    "webanno": Format(
        "webanno", (), AS_UNPLACED, sparse=True, keys=("type", "feature", "misaligned")
    ),
    "gate": Format(
        "gate",
        (".bdocjs", ".xml"),
        AS_UNPLACED,
        duplicates="keep",
        single=True,
        keys=("type", "feature", "misaligned"),
    ),
    SPACY: Format("spacy_chance_eval.spacy_docs.docbin", for_pred=AS_PRED, writes=True),
}
BRACKETS = (".tree", ".mrg", ".ptb", ".brackets", ".parse")
TREEBANKS = {
    "conllu": TreebankFormat("conllu.read_conllu", (".conllu",), "dependency"),
    "conllx": TreebankFormat("conllu.read_conllx", (".conllx",), "dependency"),
    "brackets": TreebankFormat("brackets.read_brackets", BRACKETS, "constituency"),
    "penn": TreebankFormat("brackets.read_brackets", (), "constituency", "penn"),
    "delexicalised": TreebankFormat("brackets.read_brackets", (), "constituency", "delexicalised"),
}
# endings of treebanks
TREE_SUFFIXES = {suffix: name for name, row in TREEBANKS.items() for suffix in row.suffixes}
ROWS = (
    "argilla",
    "jsonl",
    "doccano",
    "entities",
    "gliner",
    "mentions",
    "tagged",
)  # one object a line, or an array
JSON = (".json", ".jsonl", *PARQUET)  # of several formats, recognised by their content
OF_TOKENS = ("conll", "conllup")  # which files with endings of trees may have beside them


def read(
    path: PathLike | Sequence[PathLike],
    *,
    format: str | None = None,
    role: str = "gold",
    **options: Any,
) -> Corpus:
    """The `Corpus` of a file, or of several one after the other.

    Parameters
    ----------
    path : str or Path, or list of these
        A file, `.gz` files are unpacked; a folder; a pattern with * ? or [ ]; or a list of these.
        "PATH#key=value,..." has some of the options with it.
    format : str, optional
        One of `READERS`. By default recognised by the name of the file (`.gz` apart), and of JSON
        by the keys of the first object.
    role : "gold" or "pred"
        Gold has to be sound. Of predictions, improper tags are read as conlleval does, spans that
        do not fit the tokens are unplaced, and `.spacy` files leave nothing out.
    **options : str, bool or mapping
        Options of the reader of the format; None stands for the default. The keys of a path are
        options, too: column=2, token_column=3, feature="kind", and layer="x", which reads that
        layer alone. All have `on_error`:
        "stop" (the default), or "skip", which leaves out the smallest thing that is wrong, a span,
        token or document, as long as these are no more than a tenth ("skip:.5": half) of all.
        `Corpus.notes` say how many of each kind, and where the first ten are. And all have
        `duplicates`: what becomes of a duplicate span, or of a task that somebody
        answered twice.
        "merge" (the default): spans with the same features are one, and those with other features
        are kept apart for measures that look at features; equal answers are one. "last": the last
        one counts. "keep" (the default of GATE's files): each span counts by itself in GATE's
        measures, as in GATE. "error": neither is allowed. `Corpus.notes` name the duplicates. All
        have `trim`: "space" cuts white space off both ends of spans, "punctuation" also that.

    Raises
    ------
    FormatError
        If the file cannot be read, or has several columns that may be gold, and none is named.
    ValueError
        For an unknown format, role or option.
    """
    if isinstance(path, (list, tuple)):
        some = [read(one, format=format, role=role, **options) for one in path]
        if not some:
            raise ValueError("no files; name some")
        return join_corpora(", ".join(corpus.path for corpus in some), some)
    path, keyed = without_keys(cast(PathLike, path))
    options = named_for_readers({**keyed, **options})
    format, layer = options.pop("format", format), options.pop("layer", None)
    if layer is not None:
        return read(path, format=format, role=role, **options).with_layer(str(layer))
    if is_several(path):
        return read_folder(path, format=format, role=role, **options)
    is_conll = (format or format_of(path)) == "conll" and not is_docbin(path)
    if known(role, ROLES, "role") == "gold" and is_conll:
        from .conll_columns import check_gold_column  # not for those who read other formats

        check_gold_column(path, options)
    return read_file(path, format=format, role=role, **options)


def read_file(
    path: PathLike, *, format: str | None = None, role: str = "gold", **options: Any
) -> Corpus:
    """The result of `read`, of CoNLL from the last column where several may be gold."""
    known(role, ROLES, "role")
    columns = options.get("columns")
    if format is None and (key := key_of(columns)) is not None:
        format = format_of_key(path, key)
    if format is None:
        name = format_of(path, role=role if columns is None else None)
    else:
        name = _of_spans(format)
    if name != SPACY and is_docbin(path):
        raise _no_option(path, "format")
    with collector_paused():
        return READERS[name].read(path, **reader_options(path, name, role, options))


def _of_spans(format: str) -> str:
    """The name of a format, if it is one of `READERS`."""
    if format in TREEBANKS:
        raise ValueError(
            f"{format} is a format of trees, which score and agree read; here name one of "
            f"spans: {', '.join(READERS)}"
        )
    return known(format, READERS, "format")


def reader_options(
    path: PathLike, format: str, role: str, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Options for the reader of a file, with the defaults of its format for a role.

    Parameters
    ----------
    format : str
        One of `READERS`.
    role : "gold" or "pred"
    options : mapping
        Those that were given; None stands for the default.
    """
    defaults = READERS[format].for_pred if known(role, ROLES, "role") == "pred" else {}
    options = {key: option for key, option in options.items() if option is not None}
    if format == SPACY and options.keys() - {*OF_ALL}:
        raise _no_option(path, min(options.keys() - {*OF_ALL}))
    if format in ("mentions", "csv") and isinstance(options.get("texts"), str | Path):
        options["texts"] = partial(read_texts, str(options["texts"]))
    possible = READERS[format].options
    for option in options:
        if option not in possible:
            names = ", ".join(keys_of(possible))
            title = option_title(option)
            raise ValueError(f"{path}: format {format} has no option {title}; it has {names}")
    return {**defaults, **options}


def read_texts(path: PathLike) -> Corpus:
    """A corpus with the texts of a file of any format, or of a folder of it or of NAME.txt."""
    from .mentions import texts_of_rows

    several = is_several(path)
    if several and path_of(path).is_dir() or not several and suffix_of(path) in JSON:
        if (found := texts_of_rows(path)) is not None:
            return found
    return read_folder(path, role="pred") if several else read_file(path, role="pred")


def _no_option(path: object, option: str) -> ValueError:
    """The error for an option that a `.spacy` file does not have."""
    return ValueError(f"{path} is a .spacy file, which has no option {quoted(option)}")


@contextmanager
def collector_paused() -> Iterator[None]:
    """A block without garbage collection, which finds nothing while files are read, but is slow."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def read_folder(path: PathLike, **options: Any) -> Corpus:
    """The `Corpus` of all files that a folder or a pattern stands for.

    They are read in the order of their names. Files of a folder whose ending no reader knows (a
    README) and hidden ones are passed over, unless the format is named; where there are `.spacy`
    files, so are all others. Folders of brat are read as a whole.

    `options` are the format, the role, and options of the reader: those of `read`.
    """
    format = options.get("format")
    name = format_of(path, format)
    if format not in (None, name):
        raise _no_option(path, "format")
    if name == SPACY or READERS[name].folder and not is_pattern(path):
        return read_file(path, **options)
    policy = STOP if options.get(ON_ERROR) is None else options[ON_ERROR]
    read: Callable[[PathLike], Corpus] = partial(read_file, **options)
    if READERS[name].single and share_of(policy) is not None:
        read = partial(sound_file, read)
    corpora = [read(file) for file in files_of(path, format)]
    corpus = join_corpora(path, with_all_layers(corpora) if READERS[name].sparse else corpora)
    check_share(corpus.notes, path, policy)
    return corpus


def files_of(path: PathLike, format: str | None = None) -> list[Path]:
    """The files of a folder that can be read, or those that match a pattern, sorted.

    If there are `.spacy` files, only these. If another format is named, all files.
    """
    files = files_at(path)
    docbins = [file for file in files if is_docbin(file)]
    if docbins and format in (None, SPACY):
        return docbins
    endings = {suffix for row in READERS.values() for suffix in row.suffixes}
    beside = {name for row in READERS.values() for name in row.beside}
    files = [
        file
        for file in files
        if file.name not in beside
        and (format or endings & {suffix.lower() for suffix in file.suffixes})
    ]
    if not files:
        raise FormatError("no files of a known format in this folder", path)
    return files


def options_of(path: PathLike, *, format: str | None = None) -> list[str]:
    """Names of the options of the reader of a file, or of the files in a folder or of a pattern."""
    return READERS[format_of(path, format)].options


def format_of_trees(path: PathLike) -> str | None:
    """Name of the treebank format of a file; None for files of anything else.

    Its ending tells it (`.gz` apart), unless it has columns of tags; or its beginning, if that is
    not the ending of other formats.
    """
    suffix = suffix_of(path)
    if suffix not in TREE_SUFFIXES and not _may_hold_trees(suffix):
        return None
    from .openings import opening_format, treebank_at

    found = opening_format(path)
    if suffix in TREE_SUFFIXES:
        return TREE_SUFFIXES[suffix] if found != "conll" else None
    return treebank_at(path) if found in (None, "conllup") else None


def has_tags_in_misc(path: PathLike) -> bool:
    """Whether a file has spans beside its trees: tags in the column MISC (name=B-PER)."""
    from .openings import opening_format

    return format_of_trees(path) is not None and opening_format(path) == "conllup"


def _may_hold_trees(suffix: str) -> bool:
    """Whether only the content of files with an ending tells if they hold trees."""
    return suffix in CONLL or not any(suffix in row.suffixes for row in READERS.values())


def key_of(columns: Any) -> str | None:
    """The column that is named, if it is the only one."""
    single = isinstance(columns, Mapping) and len(columns) == 1
    return str(*columns.values()) if single else None


def format_of_key(path: PathLike, key: str) -> str | None:
    """Name of the format that reads what rows of JSON or Parquet have under a key.

    None if they have no spans or tags there, or the file has no such rows.
    """
    file = files_of(path)[0] if is_several(path) else path
    if suffix_of(file) not in JSON:
        return None
    from .sniffing import key_format

    return key_format(file, key)


def format_of(path: PathLike, format: str | None = None, role: str | None = None) -> str:
    """Name of the format of a file, or of the files in a folder or that match a pattern.

    Their beginning tells it, and the ending if that does not. That of `.spacy` files is always
    "spacy"; that of others is `format` if it is given.

    Parameters
    ----------
    format : str, optional
        The one that was named.
    role : "gold" or "pred", optional
        If it is given, rows must have one annotation for it.
    """
    if format is not None:
        return SPACY if docbins_at(path) else _of_spans(format)
    if is_several(path):
        files = files_of(path)
        return (
            "brat"
            if any(file.suffix.lower() in READERS["brat"].suffixes for file in files)
            else format_of(files[0], role=role)
        )
    if is_docbin(path):
        return SPACY
    suffix = suffix_of(path)
    from .openings import opening_format, treebank_at

    found = opening_format(path)
    if suffix in JSON and found is None or found == "json":
        from .sniffing import is_known, json_format

        found = json_format(path, suffix, role) if suffix in JSON or is_known(path) else None
    if found is not None and (suffix not in TREE_SUFFIXES or found in OF_TOKENS):
        return found
    if treebank_at(path) or suffix in TREE_SUFFIXES:
        raise FormatError(
            "this file holds trees, which score and agree read; give a file of spans, or name its "
            "format (--format)",
            path,
        )
    name = next((name for name, row in READERS.items() if suffix in row.suffixes), None)
    if name == "csv" and path_of(path).is_file():
        from .table import is_mention_table

        return "mentions" if is_mention_table(path) else name
    if name is not None:
        return name
    if not path_of(path).exists():
        raise FormatError("no such file or folder; check the path", path)
    raise FormatError(
        f"neither its content nor the ending {quoted(suffix)} tells the format; name it "
        f"({', '.join(READERS)}: --format)",
        path,
    )
