"""Files in pieces: consecutive documents as raw text, to be read where they are needed."""

from dataclasses import dataclass, field
from itertools import islice

from .. import formats
from ..formats.corpus import other_positions
from ..formats.files import Excerpt
from ..formats.paths import docbins_at, is_pattern, is_several, path_of
from ..formats.rows import is_array
from .run import format_of, is_docbin, read_corpus

SPACY = "spacy"
POSITIONS = {"conll": "token", SPACY: "token", "doccano": "char"}  # of JSONL they vary


def block_reader_of(format):
    """How files of a format are read in blocks; None if they cannot be."""
    row = formats.READERS.get(format)
    return row and row.blocks


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
    content : str or DocBin, optional
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
    content: object = field(default=None, repr=False)
    first_line: int = 1
    context: object = field(default=None, repr=False)
    n_docs: int | None = None

    @property
    def n_characters(self):
        """About how many characters its documents have, as long as they are not read."""
        if hasattr(self.content, "tokens"):  # a DocBin: some six of each token
            return 6 * sum(map(len, self.content.tokens))
        return len(self.content)

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
        excerpt = Excerpt(self.path, self.content, self.first_line)
        with formats.collector_paused():
            whole, state = self.context
            return block_reader_of(self.format).read(excerpt, whole, self.options, state)


def files_of_source(path, format=None):
    """The files that a folder or a pattern with * ? [ ] stands for, sorted; or the file itself.

    A folder of brat is one file: annotations and texts belong together.

    Raises
    ------
    FormatError
        If there are none.
    """
    if not is_several(path):
        return [path_of(path)]
    if format is None and is_docbin(path):
        return docbins_at(path)
    whole = not is_pattern(path) and format_of(path, {"format": format}) == "brat"
    return [path_of(path)] if whole else formats.files_of(path, format)


def can_be_cut(path, options):
    """Whether a file can be read in pieces: CoNLL, JSON lines, doccano's too, and `.spacy`.

    Rows of several annotators cannot: those of one document may stand anywhere.
    """
    name = format_of(path, options)
    if block_reader_of(name) is None or options.get("annotator") is not None:
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
        self._about, self._documents, self._first = {}, iter(()), None

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
        self._about["options"] = formats.reader_options(path, name, self.role, given)
        self._reader, self._line = block_reader_of(name), 1
        self._settled, self._documents = self._reader.open(path, self._about["options"])
        self._check_positions(path, self._settled[0] if name == "jsonl" else POSITIONS[name])
        return True

    def _check_positions(self, path, positions):
        """Raise if a file has tokens and the first one has not, or the reverse."""
        self._first = self._first or (path, positions)
        if self._first[1] != positions:
            raise other_positions(path, positions, *self._first)

    def _piece(self, documents):
        """The piece of some consecutive documents."""
        content = self._reader.join([raw for raw, _ in documents])
        first, before = self._line, documents[0][1]
        self._line += content.count("\n") if isinstance(content, str) else 0
        return Piece(
            **self._about,
            content=content,
            first_line=first,
            context=(self._settled, before),
            n_docs=len(documents),
        )
