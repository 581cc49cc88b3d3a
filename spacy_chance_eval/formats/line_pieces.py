"""JSONL and doccano in pieces: files with one document a line, cut between the lines."""

from .corpus import Corpus
from .doccano import SPANS, documents_of
from .doccano import parsed as doccano_row
from .errors import FormatError, Mistake, Problem, raise_first
from .files import open_text
from .jsonl import read_jsonl
from .rows import NO_TOKENS, bounded, parsed_row, read_rows


def line_documents(path):
    """(line, None) of each document, with the empty lines in front of it."""
    found, empty = False, ""
    with open_text(path) as file:
        for line in bounded(file, path):
            if line.strip():
                yield empty + line, None
                found, empty = True, ""
            else:
                empty += line
    if not found:
        raise FormatError("no documents; expected one JSON object a line", path)


def rows_of(path):
    """The rows of a file that are sound, with their lines, one by one."""
    with open_text(path) as file:
        for line, text in enumerate(bounded(file, path), 1):
            try:
                if text.strip():
                    yield parsed_row(text), line
            except Mistake:
                continue  # which the reader of its piece will report


def open_jsonl(path, options):
    """((positions of the first document, its line), the documents of the file to be cut)."""
    row, line = next(rows_of(path), ({}, 1))
    return ("char" if row.get("tokens") is None else "token", line), line_documents(path)


def read_jsonl_part(part, context, options, border=None):
    """The corpus of some lines of JSONL.

    Raises
    ------
    FormatError
        As `read_jsonl`; if its first documents have tokens and these have not, or the reverse.
    """
    corpus = read_jsonl(part, **options)
    positions, first = context
    if corpus.positions != positions:
        lines = [doc.line(0) for doc in corpus.documents] if positions == "token" else [first]
        what = "a row without tokens among rows with tokens"
        raise_first(part, [Problem(line, what, NO_TOKENS) for line in lines])
    return corpus


def open_doccano(path, options):
    """(whether plain labels are spans or categories, the documents of the file to be cut)."""
    return first_kind(path), line_documents(path)


def first_kind(path):
    """Whether the first plain labels of a file are spans or categories; spans without any."""
    for row, line in rows_of(path):
        try:
            if kind := doccano_row(row, line)[-1]:
                return kind
        except Mistake:
            continue
    return SPANS


def read_doccano_part(part, kind, options, border=None):
    """The corpus of some rows of doccano, their plain labels of a kind."""
    return Corpus(part, documents_of(part, read_rows(part, doccano_row), None, kind), "char")
