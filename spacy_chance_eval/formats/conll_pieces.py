"""CoNLL in pieces: cut between documents, the options settled by the whole file."""

import inspect
from functools import partial

from .columns import NO_DOCUMENTS, splitter
from .conll import corpus_of, read_conll
from .conll_lines import START, Border, Sentence, has_marks, in_articles, parts_of, stretches
from .conll_settled import settled
from .errors import FormatError, raise_first

DEFAULTS = {
    name: parameter.default
    for name, parameter in inspect.signature(read_conll).parameters.items()
    if name != "path"
}
SOME = Sentence((), ())  # stands for any sentence: cutting does not look into them


def open_conll(path, options):
    """(`Reading` of a file by options as `read_conll` has them, its documents to be cut)."""
    reading = settled(path, partial(stretches, path), **(DEFAULTS | options))
    return reading, conll_documents(path, reading)


def conll_documents(path, reading):
    """(text, `Border` in front) of each document; the texts make up the file to its last document.

    Raises
    ------
    FormatError
        For lines that are neither tokens nor comments, as far as they would get lost.
    """
    border, texts, full = START, [], False
    for opens, article, text, part in in_articles(raw_parts(path, reading), START):
        if full and (reading.by_sentence or opens):
            yield texts[0] if len(texts) == 1 else "".join(texts), border
            border, texts, full = Border(article - opens, True), [], False
        texts.append(text)
        full = full or isinstance(part, Sentence) or (opens and not reading.by_sentence)
    if full:
        yield "".join(texts), border
    elif border is START:
        raise FormatError(NO_DOCUMENTS, path)


def raw_parts(path, reading):
    """(text, part) of all parts of a file, the texts with all their lines as they are."""
    for first, text in stretches(path):
        at, counted, split, marked = 0, 0, None, has_marks(text)
        if reading.header and first == 1:
            at = text.find("\n") + 1 or len(text)
            yield text[:at], ""
        while at < len(text):
            start, end = at, text.find("\n\n", at) + 2
            at = end if end > 1 else len(text)
            paragraph = text[start:at]
            if marked and has_marks(paragraph):
                split = split or splitter(text, reading.separator)
                first, counted = first + text.count("\n", counted, start), start
                yield from marked_parts(path, paragraph, first, split, reading)
            else:
                yield paragraph, SOME if paragraph[0] != "\n" or paragraph.strip("\n") else ""


def marked_parts(path, paragraph, line, split, reading):
    """(text, part) of the parts of a paragraph that does not have tokens alone."""
    problems, lines = [], paragraph.split("\n")
    blank = paragraph[0] == "\n"
    parts = parts_of(paragraph.strip("\n"), line + blank, split, reading, problems)
    raise_first(path, problems)  # nobody else might: the lines may be in no document
    starts = [0, *(number - line for number, _ in parts[1:]), len(lines)]
    for start, end, (_, part) in zip(starts, starts[1:], parts):
        yield "\n".join(lines[start:end]) + "\n" * (end < len(lines)), part


def read_conll_part(part, reading, options, border):
    """The corpus of some documents of a file, from a border on."""
    return corpus_of(part, [(part.first, part.text)], reading, border)
