"""CoNLL in pieces: cut between documents, the options settled by the whole file."""

import inspect
from functools import partial

from .columns import NO_DOCUMENTS, splitter
from .conll import corpus_of, read_conll
from .conll_lines import (
    START,
    Border,
    Sentence,
    body,
    has_marks,
    in_articles,
    paragraphs,
    parts_of,
    stretches,
)
from .conll_settled import settled
from .errors import FormatError, raise_first

DEFAULTS = {
    name: parameter.default
    for name, parameter in inspect.signature(read_conll).parameters.items()
    if name != "path"
}
SOME = Sentence((), ())  # stands for any sentence: cutting does not look into them


def conll_context(path, options):
    """The `Reading` of a file by options as `read_conll` has them."""
    return settled(path, partial(stretches, path), **(DEFAULTS | options))


def conll_documents(path, reading):
    """(line of the beginning, text, `Border` in front) of each document, as it is in the file.

    A text ends where the next one begins, or at the end of a line.
    """
    border, texts, full = START, [], False
    for opens, article, (line, text), part in in_articles(raw_parts(path, reading), START):
        if full and (reading.by_sentence or opens):
            yield texts[0][0], together(texts, line), border
            border, texts, full = Border(article - opens, True), [], False
        texts.append((line, text))
        full = full or isinstance(part, Sentence) or (opens and not reading.by_sentence)
    if full:
        yield texts[0][0], together(texts, None), border
    elif border is START:
        raise FormatError(NO_DOCUMENTS, path)


def raw_parts(path, reading):
    """((line, text), part) of each part of a file, its lines as they are."""
    for first, text in body(stretches(path), reading.header):
        split = splitter(text, reading.separator)
        for line, paragraph in paragraphs(text, first):
            if not has_marks(paragraph):
                yield (line, paragraph), SOME
                continue
            problems = []
            parts = parts_of(paragraph, line, split, reading, problems)
            raise_first(path, problems)  # nobody else might: the lines may be in no document
            lines = paragraph.split("\n")
            starts = [line, *(number for number, _ in parts[1:])]
            for start, end, (_, part) in zip(starts, [*starts[1:], line + len(lines)], parts):
                yield (start, "\n".join(lines[start - line : end - line])), part


def together(texts, after):
    """Texts (line, text) with as many newlines between them, and up to a line, as in the file."""
    found, at = [], texts[0][0]
    for line, text in texts:
        found += "\n" * (line - at), text
        at = line + text.count("\n")
    return "".join(found) + "\n" * (after - at if after else 1)


def read_conll_part(part, reading, options, border):
    """The corpus of some documents of a file, from a border on."""
    return corpus_of(part, [(part.first, part.text)], reading, border)
