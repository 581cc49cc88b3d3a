"""Texts of documents that an annotation file only names: a folder of them, or JSONL."""

from typing import NamedTuple

from .brat import whole_text
from .errors import FormatError, Mistake, Problem, raise_first
from .remote import path_of
from .rows import read_rows, shown, tokens_of, value


class Text(NamedTuple):
    """Words, text and spaces of a document, as far as they are known."""

    words: tuple
    text: str | None
    spaces: tuple | None


def finder(path, offsets):
    """A function of the name of a document (and the line that asks) that returns its `Text`.

    It returns None without a path. Names are only compared with those of the files in the folder,
    so none leads out of it.

    Raises
    ------
    FormatError
        If the texts cannot be read, or have no tokens although `offsets` are "token".
    """
    if path is None:
        return lambda name, line: None
    if not path_of(path).is_dir():
        get = rows_of(path, offsets).get
    elif offsets == "token":
        message = "texts without tokens; give JSONL with id and tokens, or count in characters"
        raise FormatError(f"{message} (--offsets char)", path)
    else:
        files = files_in(path_of(path))
        get = lambda name: files.get(name) and from_file(files[name])  # noqa: E731

    def find(name, line):
        found = get(name)
        if found is None:
            advice = f"{path} needs a text for each document of the table"
            raise Mistake(f"a document {shown(name)} without text", advice)
        return found

    return find


def files_in(folder):
    """The text files of a folder by name, without the ending."""
    files = sorted(folder.rglob("*.txt"))
    return {
        file.relative_to(folder).as_posix().removesuffix(".txt"): file
        for file in files
        if file.is_file()
    }


def from_file(path):
    """The `Text` of a file, each of its characters counted."""
    return Text((), whole_text(path, encoding="utf-8", newline=""), None)


def rows_of(path, offsets):
    """The `Text` of each row of a JSONL file, by its id."""
    rows = read_rows(path, lambda row, line: (row_of(row, offsets), line))
    found, problems = {}, []
    for (name, text), line in rows:
        if name in found:
            problems.append(Problem(line, f"a second text {shown(name)}", "each id stands once"))
        found[name] = text
    raise_first(path, problems)
    return found


def row_of(row, offsets):
    """(name, `Text`) of one JSON object."""
    name, text, tokens = row.get("id"), value(row, "text", str), tokens_of(row)
    if type(name) not in (str, int):
        raise Mistake(f"'id' is {shown(name)}", "'id' is the name of the document in the table")
    if offsets == "token" and tokens is None:
        raise Mistake("a row without 'tokens'", "add them, or pass --offsets char")
    if offsets == "char" and text is None:
        raise Mistake("a row without 'text'", "add it, or pass --offsets token")
    words, spaces = (tokens.words, tokens.spaces) if tokens else ((), None)
    return str(name), Text(words, text, spaces)
