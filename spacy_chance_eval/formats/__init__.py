"""Readers and writers: one file per format, one table."""

import gc
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from ..measures.alignment import ROLES
from ..measures.messages import quoted
from .blemishes import SKIP, STOP, check_share, sound_file, with_blemishes
from .blemishes import reading as blemishes_of
from .corpus import Corpus, Document, join_corpora
from .documents import SEEN
from .duplicates import resolve_duplicates, trim_spans, untrimmed
from .errors import FormatError, PathLike, did_you_mean, known
from .files import BlockReader, Excerpt, suffix_of
from .keys import YES, Reading, split_path
from .labels import only_labels, relabelled
from .matching import match_documents
from .matching import match_documents as pair
from .notes import DOCUMENTS, DUPLICATES, FILES
from .openings import docbins_at, is_docbin
from .paths import files_at, is_pattern, is_several, is_there, path_of, refresh

__all__ = ["Corpus", "Document", "FormatError", "match_documents", "pair", "read"]


DEFAULT = Reading()
# files beside others, which are not read on their own
ABOUT = re.compile(r"(readme|licen[cs]e)(\.\w+)?|.*typesystem.*\.xml", re.IGNORECASE)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A block without garbage collection: it finds nothing in a reader, but costs half its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass(frozen=True)
class Format:
    """A format: the endings of its files, and the module with its functions.

    A module `x` has a `FORM` of rows, or the function `read_x` of a path and a `Reading`, and
    `blocks_of_x` if its files can be read in blocks. It is imported when one of them is first used.
    """

    module: str  # its name in this package, or its full name
    suffixes: tuple[str, ...] = ()  # endings of files; none if the content shows it, or a user
    keys: str = ""  # keys of a `Reading` that the format knows beside `OF_ALL`
    writer: str | None = None  # the module that has `write_x`, if there is a writer
    folder: bool = False  # whether the files of a folder belong together
    single: bool = False  # whether a file is one document: a folder may do without it
    sparse: bool = False  # whether files leave out a layer in which they have no spans
    duplicates: str = "merge"  # how to treat duplicate spans, by default

    @_collector_paused()
    def read(self, path: Any, reading: Reading = DEFAULT, whole: Any = None) -> Corpus:
        """The `Corpus` of a file, with no more than half left out.

        Of an `Excerpt` it has what the whole file told a `BlockReader`.
        """
        how = reading.duplicates or self.duplicates
        reading = replace(reading, duplicates=how)
        with blemishes_of(path, reading.on_error or STOP) as left_out:
            if not isinstance(path, Excerpt):
                read = self._function("read") if self._form is None else self._form.read
                corpus = read(path, reading)
            else:
                assert self.blocks is not None
                corpus = self.blocks.read(path, whole, reading)
            corpus = with_blemishes(corpus, left_out)
        if reading.trim:
            corpus = trim_spans(corpus)
        else:
            corpus = replace(corpus, notes=corpus.notes + untrimmed(corpus))
        corpus = resolve_duplicates(corpus, how)
        if reading.rename:
            corpus = relabelled(corpus, reading.rename)
        if reading.only_labels:
            corpus = only_labels(corpus, reading.only_labels)
        if not isinstance(path, Excerpt):
            check_share(corpus.notes, path)
        if how == self.duplicates or not any(map(corpus.notes.count, DUPLICATES)):
            return corpus
        return replace(corpus, notes=corpus.notes.with_how("duplicates", how))

    @cached_property
    def write(self) -> Callable[..., None]:
        """The writer: a function of a path, a `Corpus`, and options by name."""
        return self._function("write", self.writer)

    @cached_property
    def blocks(self) -> BlockReader | None:
        """How files are read in blocks; None if they cannot be."""
        if (form := self._form) is not None:
            return cast(BlockReader | None, form.blocks() if form.join is None else None)
        blocks_of = self._function("blocks_of")
        return blocks_of and blocks_of()

    def knows(self, key: str) -> bool:
        """Whether the key of a `Reading` means something for the format."""
        return key in self.keys.split() or key in OF_ALL

    @cached_property
    def _form(self) -> Any:
        return self._function("FORM")

    def _function(self, what: str, module: str | None = None) -> Any:
        """A function of the module, called `what_x`, or its form; None without it."""
        name = module or self.module
        place = import_module(name if "." in name else f".{name}", __package__)
        own = self.module.rpartition(".")[2]
        return getattr(place, what if what == "FORM" else f"{what}_{own}", None)


SPACY = "spacy"
OF_ALL = ("duplicates", "on_error", "trim", "rename", "only_labels")  # keys of all formats
PARQUET = (".parquet", ".pq")
CONLL = (".conll", ".iob", ".iob2", ".bio", ".tsv", ".txt", ".conll03")
DOCBIN = "spacy_chance_eval.spacy_docs.docbin"
TOKENIZERS = "spacy_chance_eval.spacy_docs.docs"
# keys of other functions than `read`
ELSEWHERE = {
    "align": "pair, read_compared or side_by_side",
    "match": "agree",
    **dict.fromkeys(("cycles", "strip_subtypes"), "read_treebank"),
}
READERS = {
    "conll": Format("conll", CONLL, "column token_column documents scheme repair", "conll_out"),
    "jsonl": Format("jsonl", (".jsonl", *PARQUET), "offsets misaligned annotator", "jsonl"),
    "prodigy": Format("prodigy", (), "misaligned annotator", "prodigy_out"),
    "brat": Format("brat", (".ann", ".a1"), "feature", folder=True, single=True),
    "csv": Format("table", (".csv",), "offsets"),
    "doccano": Format("doccano", (), "annotator"),
    "entities": Format("entities", (), "column offsets misaligned annotator"),
    "gliner": Format("gliner", (), "annotator"),
    "mentions": Format("mentions", (), "column texts text misaligned annotator"),
    "tagged": Format("tagged", (), "column labels scheme repair annotator", "tagged"),
    "labelstudio": Format("labelstudio", (".json",), "text annotator"),
    "cas": Format("cas", (".xmi", ".zip"), "type feature misaligned", single=True),
    "argilla": Format("argilla", (), "type text misaligned"),
    "bioc": Format("bioc", (".bioc",), "feature"),
    "inline": Format("inline", (".sgml", ".sgm", ".muc"), "type feature"),
    "pubtator": Format("pubtator", (".pubtator",)),
    "conllup": Format("conll", (".conllup", ".cupt"), "scheme repair documents"),
    "webanno": Format("webanno", (), "type feature misaligned", sparse=True),
    "gate": Format(
        "gate", (".bdocjs", ".xml"), "type feature misaligned", single=True, duplicates="keep"
    ),
    SPACY: Format(DOCBIN, writer=DOCBIN),
}
DEPENDENCIES = ("conllu", "conllx")
# formats of treebanks, of dependencies or of constituents, and those that endings tell
TREEBANKS = (*DEPENDENCIES, "brackets", "penn", "delexicalised")
TREE_SUFFIXES = {".conllu": "conllu", ".conllx": "conllx"} | dict.fromkeys(
    (".tree", ".mrg", ".ptb", ".brackets", ".parse"), "brackets"
)
# one object a line, or an array
ROWS = ("argilla", "jsonl", "doccano", "entities", "gliner", "mentions", "tagged")
JSON = (".json", ".jsonl", *PARQUET)  # of several formats, recognised by their content


def read(
    path: PathLike | Sequence[PathLike],
    *,
    format: str | None = None,
    role: str = "gold",
    columns: Any = None,
    **keys: Any,
) -> Corpus:
    """The `Corpus` of a file, or of several one after the other.

    Parameters
    ----------
    path : str or Path, or list of these
        A file, `.gz` files are unpacked; a folder; a pattern with * ? or [ ]; or a list of these.
        "PATH#key=value,..." has some of the options with it.
    format : str, optional
        One of `READERS`. By default recognised by the content of the file, or its name.
    role : "gold" or "pred"
        Gold has to be sound, and its improper tags are counted. Of predictions, spans that do not
        fit the tokens are unplaced, and `.spacy` files leave nothing out.
    columns : mapping of str to str, or "all", optional
        {layer: column} of several layers of a file of columns, or of keys of rows.
    **keys : str or number
        How the file is read: keys of `formats.keys.Reading`, as a path has them: column=2,
        token_column=3, feature="kind"; layer="x" reads that layer alone, tokenizer="en" makes
        tokens of texts. None stands for the default. `Corpus.notes` say what was left out
        (on_error="skip"), what became of duplicates, and which spans were trimmed.

    Raises
    ------
    FormatError
        If the file cannot be read, or has several columns that may be gold, and none is named.
    ValueError
        For an unknown format, role or option.
    """
    if not str(path):
        raise ValueError("an empty path; name a file")
    if isinstance(path, (list, tuple)):
        how = {"format": format, "role": role, "columns": columns, **keys}
        some = [_one_of_several(one, how) for one in path]
        if not some:
            raise ValueError("no files; name some")
        corpus = join_corpora(", ".join(corpus.path for corpus in some), some)
        check_share(corpus.notes, corpus.path)
        return corpus
    place, part, own = split_path(path)
    refresh(place)
    reading = own | Reading.of({"format": format, **keys})
    reading = replace(reading, role=known(role, ROLES, "role"), columns=columns)
    several = is_several(place)
    is_file = not several and not is_docbin(place)
    is_conll = is_file and (reading.format or format_of(place)) == "conll"
    if others := reading.given.keys() & ELSEWHERE:
        other = min(others)
        raise ValueError(f"{path}: read has no key {other}; give it to {ELSEWHERE[other]}")
    layer = reading.layer
    if part is not None and (is_conll or format_of_key(place, part)):
        reading |= Reading(column=part)
    else:
        layer = layer or part
    if role == "gold" and is_conll and reading.columns is None and reading.column is None:
        from .conll_columns import check_gold_column  # not for those who read other formats

        check_gold_column(place)
    corpus = (read_folder if several else read_file)(place, reading.without("layer"))
    return tokenized(corpus if layer is None else corpus.with_layer(layer), reading)


def _one_of_several(path: PathLike, how: Mapping[str, Any]) -> Corpus:
    """The `Corpus` of one of several paths; with skip_bad without documents if it is a bad file."""
    if is_several(split_path(path)[0]):
        return read(path, **how)
    read_one: Callable[[PathLike], Corpus] = partial(read, **{**how, "skip_bad": None})
    skips = Reading.of({"skip_bad": how.get("skip_bad")}).skip_bad in YES
    return sound_file(read_one, FILES, path) if skips else read_one(path)


def tokenized(corpus: Corpus, reading: Reading) -> Corpus:
    """A corpus in the tokens that were asked for, or in the positions that it has."""
    if reading.tokenizer is None:
        return corpus
    from .alignment import in_tokens

    misaligned = reading.misaligned or ("unplaced" if reading.role == "pred" else "error")
    return in_tokens(corpus, tokenizer_of(reading.tokenizer), misaligned=misaligned)


def tokenizer_of(lang: Any) -> Callable[[str], Any]:
    """A function from texts to boundaries of their tokens: that of spaCy for a language."""
    return lang if callable(lang) else import_module(TOKENIZERS).borders_of(lang)


def read_file(path: PathLike, reading: Reading = DEFAULT) -> Corpus:
    """The result of `read`, of CoNLL from the last column where several may be gold."""
    name = reading.format and _of_spans(reading.format)
    columns = reading.column if reading.columns is None else reading.columns
    keys = [*columns.values()] if isinstance(columns, Mapping) else [columns]
    if name is None and len(keys) == 1 and keys[0] not in (None, "all"):
        name = format_of_key(path, str(keys[0]))
    if name is None:
        name = format_of(path, role=reading.role if columns is None else None)
    if name != SPACY and is_docbin(path):
        raise ValueError(f"{path} is a .spacy file; leave out format={name}")
    return READERS[name].read(path, prepared(path, name, reading))


def read_folder(path: PathLike, reading: Reading = DEFAULT) -> Corpus:
    """The `Corpus` of all files that a folder or a pattern stands for.

    They are read in the order of their names. Files of a folder whose ending no reader knows are
    passed over, unless the format is named or none has another ending, and so are hidden ones,
    READMEs, licences and type systems; where there are `.spacy` files, so are all others. Folders
    of brat are read as a whole.
    """
    format = reading.format
    name = format_of(path, format)
    if format not in (None, name):
        raise ValueError(f"{path} has .spacy files; leave out format={format}")
    row = READERS[name]
    if name == SPACY or row.folder and not is_pattern(path):
        return read_file(path, reading)
    read: Callable[[PathLike], Corpus] = partial(read_file, reading=reading.without("skip_bad"))
    if row.single and reading.on_error == SKIP or reading.skip_bad in YES:
        read = partial(sound_file, read, DOCUMENTS if row.single else FILES)
    corpus = join_corpora(path, [read(file) for file in files_of(path, format)])
    if row.sparse:
        corpus = replace(corpus, documents=corpus.table.with_all_layers(SEEN))
    check_share(corpus.notes, path)
    return corpus


def read_texts(path: PathLike) -> Corpus:
    """A corpus with the texts of a file of any format, or of a folder of it."""
    from .sniffing import annotator_key, has_rows

    key = annotator_key(path) if has_rows(path) and not is_several(path) else None
    reading = Reading(role="pred", annotator=key if key == "annotator" else None)
    return (read_folder if is_several(path) else read_file)(path, reading)


def prepared(path: PathLike, format: str, reading: Reading) -> Reading:
    """The reading for the reader of a file, with the defaults of its format; it knows all keys."""
    row = READERS[format]
    if reading.tokenizer is not None:  # of the corpus that was read, and then its spans
        reading = reading.without("tokenizer", *[] if row.knows("misaligned") else ["misaligned"])
    if unknown := [key for key in reading.given if key != "format" and not row.knows(key)]:
        raise no_such_key(path, format, unknown[0])
    if reading.role == "pred" and reading.misaligned is None and row.knows("misaligned"):
        reading = replace(reading, misaligned="unplaced")
    if reading.columns is None and reading.column is not None and row.knows("column"):
        columns = "all" if reading.column == "all" else {"gold": reading.column}
        reading = replace(reading, columns=columns)
    if reading.format is not None and reading.columns is None and suffix_of(path) in JSON:
        from .sniffing import check_form  # which only JSON needs

        check_form(path, format)
    if format in ROWS and reading.annotator is None and path_of(path).is_file():
        from .sniffing import check_one_annotator

        check_one_annotator(path)
    if format == "mentions" and isinstance(reading.texts, str | Path):
        reading = replace(reading, texts=partial(read_texts, str(reading.texts)))
    return reading


def no_such_key(path: object, format: str, key: str) -> ValueError:
    """The error for a key that the format of some files does not know."""
    own = READERS[format].keys.split()
    what = f"format {format} has no key {quoted(key)}{did_you_mean(key, own)}"
    return ValueError(f"{path}: {what}; it has {', '.join([*own, *OF_ALL])}")


def files_of(path: PathLike, format: str | None = None) -> list[Path]:
    """The files of a folder that can be read, or that match a pattern: `.spacy` before others.

    If another format is named, all files. If no ending is known, those whose beginning is.
    """
    files = files_at(path)
    docbins = [file for file in files if is_docbin(file)]
    if docbins and format in (None, SPACY):
        return docbins
    endings = {suffix for row in READERS.values() for suffix in row.suffixes}
    files = [file for file in files if not ABOUT.fullmatch(file.name)]
    known = [file for file in files if format or endings & {*map(str.lower, file.suffixes)}]
    if not known:
        from .openings import opening_format

        known = [file for file in files if opening_format(file)]
    if not known:
        raise FormatError("no files of a known format in this folder", path)
    return known


def format_of_trees(path: PathLike) -> str | None:
    """Name of the treebank format of a file; None for files of anything else.

    Its ending tells it, unless it has columns of tags; or its beginning, if the ending is not that
    of other formats.
    """
    suffix = suffix_of(path)
    others = {one for row in READERS.values() for one in row.suffixes}.difference(CONLL)
    if suffix not in TREE_SUFFIXES and suffix in others:
        return None
    from .openings import opening_format, treebank_at

    found = opening_format(path)
    if suffix in TREE_SUFFIXES:
        return TREE_SUFFIXES[suffix] if found in (None, "conllup", "inline") else None
    return treebank_at(path) if found in (None, "conllup") else None


def format_of_key(path: PathLike, key: str) -> str | None:
    """Name of the format that reads what rows of JSON or Parquet have under a key.

    None if they have no spans or tags there, or the file has no such rows.
    """
    file = files_of(path)[0] if is_several(path) else path
    from .sniffing import has_rows, key_format

    return key_format(file, key) if has_rows(file) else None


def _of_spans(format: str) -> str:
    """The name of a format, if it is one of `READERS`."""
    if format in TREEBANKS:
        what = f"{format} is a format of trees, which score and agree read"
        raise ValueError(f"{what}; here name one of spans: {', '.join(READERS)}")
    return known(format, READERS, "format")


def format_of(path: PathLike, format: str | None = None, role: str | None = None) -> str:
    """Name of the format of a file, or of the files in a folder or that match a pattern.

    Their beginning tells it, and the ending if that does not. That of `.spacy` files is always
    "spacy"; that of others is `format` if it is given. For a `role`, rows must have one annotation.
    """
    if format is not None:
        return SPACY if docbins_at(path) else _of_spans(format)
    if is_several(path):
        files = files_of(path)
        of_brat = any(file.suffix.lower() in READERS["brat"].suffixes for file in files)
        return "brat" if of_brat else format_of(files[0], role=role)
    if is_docbin(path):
        return SPACY
    suffix = suffix_of(path)
    from .openings import opening_format, treebank_at

    found = opening_format(path)
    if suffix in (*JSON, ".csv") and found is None or found == "json":
        from .sniffing import json_format  # which only JSON needs

        found = json_format(path, suffix, role)
    if found is not None and not (suffix in TREE_SUFFIXES and found == "inline"):
        return found
    if treebank_at(path) or suffix in TREE_SUFFIXES:
        what = "this file holds trees, which score and agree read"
        raise FormatError(f"{what}; give a file of spans, or name its format (--format)", path)
    name = next((name for name, row in READERS.items() if suffix in row.suffixes), None)
    if name is not None:
        return name
    if not is_there(path):
        raise FormatError("no such file or folder; check the path", path)
    wrong = f"neither its content nor the ending {quoted(suffix)} tells the format"
    raise FormatError(f"{wrong}; name it ({', '.join(READERS)}: --format)", path)
