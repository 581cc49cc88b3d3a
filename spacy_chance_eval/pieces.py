"""Files in pieces: consecutive documents as raw text, to be read where they are needed."""

from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from . import formats
from .formats.arrays import is_array
from .formats.conll_pieces import conll_context, conll_documents, read_conll_part
from .formats.line_pieces import (
    doccano_context,
    jsonl_context,
    line_documents,
    read_doccano_part,
    read_jsonl_part,
)
from .formats.remote import path_of
from .formats.rows import Part
from .run import format_of, read_corpus


class Cut(NamedTuple):
    """How files of a format are cut.

    `context(path, options)` is what the whole file settles; `documents(path, context)` are
    (raw text, what was before) of each, without a gap; `read(part, context, options, before)` is
    the corpus of some.
    """

    context: object
    documents: object
    read: object


SPACY = "spacy"
CUTS = {
    "conll": Cut(conll_context, conll_documents, read_conll_part),
    "jsonl": Cut(jsonl_context, line_documents, read_jsonl_part),
    "doccano": Cut(doccano_context, line_documents, read_doccano_part),
}


@dataclass(frozen=True)
class Piece:
    """Consecutive documents of a file, not yet read. It can be sent to another process.

    Parameters
    ----------
    path : str
        The file.
    format : str
        One of `formats.READERS`, or "spacy".
    role : "gold" or "pred"
    options : dict
        For the reader, as `run.read_corpus` has them.
    content : str or bytes, optional
        The documents as they are in the file. None: the whole file, to be read where it is used.
    first_line : int
        Where the content begins in the file.
    context : object
        What the whole file settles, and what was in front of the content.
    n_docs : int, optional
        Number of documents; None for a whole file.
    """

    path: str
    format: str
    role: str
    options: dict
    content: str | bytes | None = field(default=None, repr=False)
    first_line: int = 1
    context: object = field(default=None, repr=False)
    n_docs: int | None = None

    def read(self):
        """The `Corpus` of its documents: these are what they would be in that of the whole file.

        Raises
        ------
        FormatError
            If they cannot be read, with the line in the file.
        """
        if self.content is None:
            named = {} if self.format == SPACY else {"format": self.format}
            return read_corpus(self.path, role=self.role, **named, **self.options)
        part, (settled, before) = Part(self.path, self.content, self.first_line), self.context
        with formats.collector_paused():
            return CUTS[self.format].read(part, settled, self.options, before)


def files_of_source(path, format=None):
    """The files of a file, a folder, or a pattern with * ? [ ], in the order of their names.

    Raises
    ------
    FormatError
        If there are none.
    """
    if path_of(path).is_dir():
        found = sorted(path_of(path).rglob("*.spacy"))
        return found or formats.files_of(path, format)
    return [path_of(path)]


def can_be_cut(path, options):
    """Whether a file can be read in pieces: CoNLL, JSON lines, doccano's too, and `.spacy`.

    Rows of several annotators cannot: those of one document may stand anywhere.
    """
    name = format_of(path, options)
    if name not in CUTS or options.get("annotator") is not None:
        return False
    return name != "doccano" or not is_array(path)


class Cutter:
    """The documents of some files in pieces, in the order of the files.

    Memory is bounded by the documents of the pieces, but for `.spacy`, of which a file is loaded at
    a time.

    Parameters
    ----------
    paths : sequence of str or Path
        Files, see `files_of_source`.
    role : "gold" or "pred"
    format : str, optional
    **options
        For the reader, as `run.read_corpus` has them.
    """

    def __init__(self, paths, role="gold", format=None, **options):
        self.role, self.options = role, options | {"format": format}
        self._paths, self._whole = iter([str(path) for path in paths]), None
        self._about, self._documents = {}, iter(())

    def take(self, n):
        """The next `n` documents as a list of `Piece`, one for each file; [] at the end.

        A file that cannot be cut is one piece in a list of its own, whatever `n` is.

        Raises
        ------
        FormatError
            If a file cannot be read.
        """
        pieces = []
        while n and self._whole is None:
            found = list(islice(self._documents, n))
            if found:
                pieces.append(self._piece(found))
                n -= len(found)
            elif not self._open_next():
                break
        if self._whole is not None and not pieces:
            pieces, self._whole = [self._whole], None
        return pieces

    def close(self):
        """Close the file that is open."""
        close = getattr(self._documents, "close", None)
        if close:
            close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def _open_next(self):
        """Go to the next file; false at the end."""
        path = next(self._paths, None)
        if path is None:
            return False
        given = {key: option for key, option in self.options.items() if option is not None}
        name = format_of(path, given)
        given.pop("format", None)
        self._about = {"path": path, "format": name, "role": self.role, "options": given}
        if not can_be_cut(path, self.options):
            self._whole = Piece(**self._about)
            return True
        self._about["options"] = formats.reader_options(name, self.role, given)
        self._context = CUTS[name].context(path, self._about["options"])
        self._documents, self._line = CUTS[name].documents(path, self._context), 1
        return True

    def _piece(self, documents):
        """The piece of some consecutive documents."""
        content = "".join([text for text, _ in documents])
        first, self._line = self._line, self._line + content.count("\n")
        context = self._context, documents[0][1]
        return Piece(
            **self._about, content=content, first_line=first, context=context, n_docs=len(documents)
        )
