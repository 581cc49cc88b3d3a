"""Lines of a text file split into columns; those among them that are not tokens."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import methodcaller
from typing import Any, NamedTuple, TypeAlias, TypeVar

from ..measures.messages import quoted
from .blemishes import blemishes
from .errors import FormatError, PathLike, Problem, did_you_mean
from .files import readable_bytes

Chunk: TypeAlias = tuple[int, str]  # some text of a file, and the line where it begins
DOCSTART = "-DOCSTART-"
NO_DOCUMENTS = "no documents; expected one token a line, with its tags"
MOST_COLUMNS = 1000  # that are read at once
HEAD = 5_000  # tokens that tell the number of columns
# Instead of a tag: the annotator did not annotate the token.
UNSEEN = "-"
NO_TOKEN = "_"  # the token of a sentence of blemished lines that has none
GIVE_TOKEN = "put a token before the tags"
TAG = re.compile(r"O|[BIESLU]-.+")
# `# key = value`, `# id X`, `# newdoc` or `# newpar`, up to the first tab.
FACT = re.compile(r"# +(?:(newdoc id|newpar id|[\w.:-]+) *= *(.*)|(id) +(.+)|(newdoc|newpar) *)")


def columns_of(text: str, separator: str | None = None) -> list[str]:
    """The columns of a line, none of an empty one; by default a tab separates, else blanks.

    Only blanks separate: a token may be another space.
    """
    if not text.strip(" \t"):
        return []
    if separator or "\t" in text:
        return text.split(separator or "\t")
    return [field for field in text.split(" ") if field]


class Splitter(NamedTuple):
    """How the lines of a text that are not empty are cut: by a function, equal to `columns_of`.

    `mark` is what separates columns wherever a line has more than one, None if that varies.
    """

    cut: Callable[[str], list[str]]
    mark: str | None


def splitter(text: str, separator: str | None = None) -> Splitter:
    """The quickest `Splitter` for a text."""
    if separator:
        return Splitter(methodcaller("split", separator), separator)
    if "\t" in text:
        return Splitter(columns_of, "\t")
    untidy = "  " in text or "\n " in text or " \n" in text or text[:1] == " " or text[-1:] == " "
    return Splitter(columns_of, None) if untidy else Splitter(methodcaller("split", " "), " ")


def width_of(path: object, chunks: Iterable[Chunk], separator: str | None = None) -> int:
    """The usual number of columns of the first tokens; the first of equally usual ones.

    Lines with # count if there are no other lines.
    """
    widths: list[int] = []
    others: list[int] = []
    lines = (line for _, text in chunks for line in text.split("\n") if line)
    for line in lines:
        if DOCSTART in line and starts_document(line):
            continue
        if line[0] != "#":
            widths.append(_n_columns(line, separator))
        elif not FACT.match(line):
            others.append(_n_columns(line, separator))
        if len(widths) == HEAD:
            break
    if not widths and not others:
        raise FormatError(NO_DOCUMENTS, path)
    return Counter(widths or others).most_common(1)[0][0]


def _n_columns(line: str, separator: str | None) -> int:
    """The number of columns of a line that is not empty."""
    mark = separator or ("\t" if "\t" in line else " ")
    if mark == " " and (separator or "  " in line or line[0] == " " or line[-1] == " "):
        return len(columns_of(line, separator))
    return line.count(mark) + 1


def header_of(text: str, width: int, separator: str | None = None) -> list[str] | None:
    """Names of the columns from a first line like `#token<tab>gold`; None without one.

    That of HIPE begins with TOKEN, without #.
    """
    fields = columns_of(text, separator)
    named = text.startswith("#") and not text.startswith("# ") or fields[:1] == ["TOKEN"]
    if not named or len(fields) != width or width < 2 or "\t" not in text:
        return None
    if any(map(is_tag, fields[1:])) or text[0] != "#" and UNSEEN in fields:
        return None
    return [fields[0].removeprefix("#"), *fields[1:]]


def is_tag(field: str) -> bool:
    """Whether a field looks like a tag of any scheme."""
    return TAG.fullmatch(field.strip(" ")) is not None


def place_of(path: object, column: int | str, width: int, header: Sequence[str] | None) -> int:
    """Column from 0 for a number or the name of a column."""
    if header and column in header:
        return header.index(column)
    try:
        place = int(column)
    except ValueError:
        names = f"the first line names {', '.join(header)}" if header else "no line names columns"
        raise FormatError(
            f"no column {quoted(column)}{did_you_mean(column, header or ())}; {names}; columns "
            "also have numbers, from 0",
            path,
        ) from None
    if not -width <= place < width:
        raise FormatError(f"no column {place}; the tokens have {width} columns, from 0", path)
    return place % width


def places_of(path: object, column: Any, width: int, header: Sequence[str] | None) -> list[int]:
    """Columns from 0 for a number or name, or for several: a sequence, or joined by commas."""
    if isinstance(column, str):
        several: list[Any] = [column] if column in (header or ()) else column.split(",")
    else:
        several = [column] if isinstance(column, int) else [*column]
    places = [place_of(path, one, width, header) for one in several]
    twice = next((place for place in places if places.count(place) > 1), None)
    if twice is not None or not places:
        raise FormatError(f"columns {quoted(column)}; name different ones, such as 1,2", path)
    return places


def tag_columns(
    path: object, width: int, header: Sequence[str] | None, token: int
) -> dict[str, int]:
    """{name or number: column} of all columns but the token's."""
    if width > MOST_COLUMNS:
        raise FormatError(f"{width} columns, more than {MOST_COLUMNS}; name those wanted", path)
    names = [name or str(place) for place, name in enumerate(header or [""] * width)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise FormatError(
            f"two columns are called {quoted(twice[0])}; columns need their own names", path
        )
    return {name: place for place, name in enumerate(names) if place != token}


def starts_document(text: str) -> bool:
    """Whether a line begins with -DOCSTART-."""
    return DOCSTART in text and text.split(maxsplit=1)[0] == DOCSTART


FURTHER = "\0"  # in the names of layers that are further columns of another one


NO_WORD = re.compile(r"\d+[-.]\d+")  # the number of a multiword token, or of an empty node
BLOCK = 1 << 20  # bytes that are read at once
BLANKS = re.compile(rb"(?m)^[ \t]+$")
BOM = b"\xef\xbb\xbf"


class SentenceColumns(NamedTuple):
    """The columns of the tokens of a sentence, and the numbers of their lines."""

    columns: tuple[Sequence[str], ...]
    numbers: Sequence[int]


SOME = SentenceColumns((), ())  # any sentence: where documents end does not depend on it
Item: TypeAlias = SentenceColumns | str  # or a comment, or DOCSTART
Where = TypeVar("Where")


class Group(NamedTuple):
    """The sentences of a document, the comments in front, and how many -DOCSTART- came before."""

    sentences: list[SentenceColumns]
    comments: list[str]
    article: int


class Reading(NamedTuple):
    """How the lines of a file are read, the same for the whole file.

    `places` and `schemes` are columns and schemes of tags by layer; a layer of several columns has
    one for each, called by its name, `FURTHER` and a number. `by_sentence` says whether
    sentences are documents, `articles` whether any line begins one, `header` whether the first line
    names columns, `name` how the file's only document is called. `ids` is the column of numbers
    in CoNLL-U, where each line with # is a comment, and lines of 1-2 and 1.1 are not tokens.
    """

    separator: str | None
    width: int
    token: int
    places: dict[str, int]
    schemes: dict[str, str]
    repairs: dict[str, str]
    by_sentence: bool
    articles: bool
    header: bool
    name: str | None = None
    ids: int | None = None

    @property
    def is_nested(self) -> bool:
        """Whether any layer has several columns."""
        return any(FURTHER in layer for layer in self.places)


class ArticleState(NamedTuple):
    """The state before some lines: the number of the article, and whether it has sentences."""

    article: int
    begun: bool


START = ArticleState(0, False)


def read_pieces(path: PathLike) -> Iterator[bytes]:
    """The bytes of a UTF-8 file, some at a time: up to an empty line, or to the end.

    A byte order mark is skipped, and every kind of newline becomes one.
    """
    rest, held = b"", b""
    with readable_bytes(path) as file:
        file_begins = True
        while more := file.read(max(BLOCK, len(rest))):
            more = held + (more.removeprefix(BOM) if file_begins else more)
            file_begins = False
            held = b"\r" if more.endswith(b"\r") else b""  # half of a newline, perhaps
            more = more.removesuffix(b"\r")
            rest += more.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in more else more
            cut = rest.rfind(b"\n") + 1
            whole, tail = rest[:cut], rest[cut:]
            end = whole.rfind(b"\n\n") + 2
            if end < 2:  # lines of blanks may be empty, too
                whole = empty_blank_lines(whole)
                end = whole.rfind(b"\n\n") + 2
            if end > 1:
                yield _checked(whole[:end])
                whole = whole[end:]
            rest = whole + tail
        if rest or held:
            yield _checked(rest + held.replace(b"\r", b"\n"))


def _checked(piece: bytes) -> bytes:
    """Some bytes, if they are UTF-8."""
    if not piece.isascii():
        piece.decode()
    return piece


def chunks_of(pieces: Iterable[bytes], first: int = 1) -> Iterator[Chunk]:
    """(line of the beginning, text) of each piece of a file; lines of blanks are empty in it."""
    for piece in pieces:
        yield first, empty_blank_lines(piece).decode()
        first += piece.count(b"\n")


def read_chunks(path: PathLike) -> Iterator[Chunk]:
    """(line of the beginning, text) of each chunk of a file. Chunks end between sentences."""
    return chunks_of(read_pieces(path))


def empty_blank_lines(text: bytes) -> bytes:
    """A text whose lines of blanks are empty."""
    if b"\n " in text or b"\n\t" in text or text[:1] in (b" ", b"\t"):
        return BLANKS.sub(b"", text)
    return text


def without_header(chunks: Iterable[Chunk], header: bool) -> Iterator[Chunk]:
    """The chunks of a file without its first line, if that names columns."""
    for first, text in chunks:
        if header and first == 1:
            first, text = 2, text.partition("\n")[2]
        yield first, text


def paragraphs(text: str, first: int) -> Iterator[Chunk]:
    """(line of the beginning, text) of each run of lines that are not empty."""
    for block in text.split("\n\n"):
        if lines := block.strip("\n"):
            yield first + (block[0] == "\n"), lines
        first += block.count("\n") + 2


def parse_items(
    paragraph: str, line: int, split: Splitter, reading: Reading, problems: list[Problem]
) -> list[tuple[int, Item]]:
    """(line, item) of the items in a run of lines: sentences, comments and -DOCSTART- lines.

    Before a sentence, a line with # may be a comment. Errors are added to `problems`.
    """
    if reading.ids is None and not has_marks(paragraph):
        columns = _columns_in(paragraph, split.mark, reading.width)
        if columns and "" not in columns[reading.token]:
            return [(line, SentenceColumns(columns, range(line, line + len(columns[0]))))]
    items: list[tuple[int, str | list[tuple[int, list[str]]]]] = []
    tokens: list[tuple[int, list[str]]] | None = None
    wordless: set[int] = set()
    for number, text in enumerate(paragraph.split("\n"), line):
        fields = split.cut(text)
        if starts_document(text):
            tokens = None
            items.append((number, DOCSTART))
        elif reading.ids is not None and text[0] == "#":
            items += [(number, text)] if tokens is None else []
        elif tokens is None and is_comment(text, len(fields), reading.width):
            items.append((number, text))
        elif (
            reading.ids is not None
            and len(fields) == reading.width
            and NO_WORD.fullmatch(fields[reading.ids])
        ):
            continue
        else:
            if len(fields) != reading.width or not fields[reading.token]:
                problem = _problem_of(number, text, fields, reading)
                problems.append(problem)
                if blemishes() is None:
                    continue
                fields = _without_tags(fields, reading)
                if problem.advice == GIVE_TOKEN:
                    wordless.add(number)
                    fields[reading.token] = NO_TOKEN
            if tokens is None:
                tokens = []
                items.append((number, tokens))
            tokens.append((number, fields))
    return [
        (n, item if isinstance(item, str) else _sentence_of(_worded(item, wordless)))
        for n, item in items
    ]


def _worded(tokens: list[tuple[int, list[str]]], wordless: set[int]) -> list[tuple[int, list[str]]]:
    """The tokens without those of some lines; all, where the sentence would be lost."""
    return [one for one in tokens if one[0] not in wordless] or tokens


def _problem_of(number: int, text: str, fields: Sequence[str], reading: Reading) -> Problem:
    """The problem of a line that is not a token."""
    blank = text[0] == " " and not reading.token and len(fields) == reading.width - 1
    if len(fields) == reading.width or blank:
        return Problem(number, "an empty token", GIVE_TOKEN)
    advice = f"the tokens of this file have {reading.width} columns: correct the line"
    return Problem(number, f"{len(fields)} columns", advice)


def _without_tags(fields: Sequence[str], reading: Reading) -> list[str]:
    """The columns of a line that is not a token, as those of a token that was not annotated.

    So its word is not lost: tokens keep their places beside those of other files.
    """
    columns = [UNSEEN] * reading.width
    columns[reading.token] = (fields[reading.token : reading.token + 1] or [""])[0] or NO_TOKEN
    return columns


def _columns_in(paragraph: str, mark: str | None, width: int) -> tuple[Sequence[str], ...] | None:
    """The columns of lines of tokens that are all split at a mark; None if some are not."""
    if mark is None or width < 2:
        return None
    n_lines = paragraph.count("\n") + 1
    cells = paragraph.replace("\n", mark + "\n").split(mark)
    if len(cells) != n_lines * width:
        return None
    # newlines begin cells: they are all in the first column only if all lines have its width
    first = "".join(cells[::width]).split("\n")
    if len(first) != n_lines:
        return None
    return (first, *(cells[place::width] for place in range(1, width)))


def has_marks(paragraph: str) -> bool:
    """Whether any line may be something else than a token."""
    return paragraph[:1] == "#" or "\n#" in paragraph or DOCSTART in paragraph


def is_comment(text: str, n_fields: int, width: int) -> bool:
    """Whether a line before a sentence is not a token: not a #hashtag without a tag."""
    if text[0] != "#":
        return False
    if FACT.match(text):
        return True
    return n_fields != width and (n_fields > 1 or text == "#")


def _sentence_of(tokens: Sequence[tuple[int, Sequence[str]]]) -> SentenceColumns:
    """A sentence from (line, columns) of its tokens."""
    numbers, rows = zip(*tokens)
    whole = range(numbers[0], numbers[-1] + 1)
    return SentenceColumns(tuple(zip(*rows)), whole if len(whole) == len(numbers) else numbers)


def facts_in(comments: Iterable[str]) -> dict[str, str]:
    """{key: value} of comments like `# key = value` and `# id X`."""
    found = {}
    for comment in comments:
        match = FACT.fullmatch(comment.split("\t")[0])
        if match:
            key, value, identity, name, newdoc = match.groups()
            found[key or identity or newdoc] = (value or name or "").strip(" ")
    return found


def opens_document(comment: str) -> bool:
    """Whether a comment is a `# newdoc`."""
    return "newdoc" in comment and any(key.startswith("newdoc") for key in facts_in([comment]))


def in_articles(
    items: Iterable[tuple[Where, Item]], state: ArticleState
) -> Iterator[tuple[bool, int, Where, Item]]:
    """(whether it begins a document, number of its article, where, item) of each (where, item).

    A -DOCSTART- begins one, and so does a `# newdoc` that does not say more of the same document.
    """
    article, begun, named = state.article, state.begun, False
    for where, item in items:
        opens = False
        if isinstance(item, SentenceColumns):
            begun = True
        else:
            newdoc = opens_document(item)
            opens = item == DOCSTART or newdoc and (begun or named or not article)
            if opens:
                article, begun, named = article + 1, False, False
            named = named or newdoc
        yield opens, article, where, item


def groups_of(
    chunks: Iterable[Chunk], reading: Reading, problems: list[Problem], state: ArticleState = START
) -> Iterator[Group]:
    """A group for each document.

    Lines before the first -DOCSTART- are a group if they have sentences. Errors in
    lines are added to `problems`.
    """
    if reading.by_sentence:
        yield from _single_sentences(chunks, reading, problems, state)
        return
    group = Group([], [], state.article)
    for opens, article, _, item in in_articles(all_items(chunks, reading, problems), state):
        if opens:
            if group.sentences or group.article > state.article:
                yield group
            group = Group([], [], article)
        if isinstance(item, SentenceColumns):
            group.sentences.append(item)
        elif item != DOCSTART and not group.sentences:
            group.comments.append(item)
    if group.sentences or group.article > state.article:
        yield group


def _single_sentences(
    chunks: Iterable[Chunk], reading: Reading, problems: list[Problem], state: ArticleState
) -> Iterator[Group]:
    """A group for each sentence, with the comments since the one before or the last -DOCSTART-."""
    comments: list[str] = []
    for _, article, _, item in in_articles(all_items(chunks, reading, problems), state):
        if isinstance(item, SentenceColumns):
            yield Group([item], comments, article)
            comments = []
        elif item == DOCSTART:
            comments = []
        else:
            comments.append(item)


def all_items(
    chunks: Iterable[Chunk], reading: Reading, problems: list[Problem]
) -> Iterator[tuple[int, Item]]:
    """(line, item) of all items of some chunks."""
    for first, text in chunks:
        split = splitter(text, reading.separator)
        for line, paragraph in paragraphs(text, first):
            yield from parse_items(paragraph, line, split, reading, problems)


# --- what files say of themselves

# Comments that name what follows, the best first.
SENTENCE_NAMES = ("id", "sent_id", "doc_id", "newdoc id")
DOCUMENT_NAMES = ("newdoc id", "doc_id")


def name_of(comments: Sequence[str], keys: Iterable[str]) -> str | None:
    """The name that comments give under the first of the keys that they have."""
    if not comments:
        return None
    found = facts_in(comments)
    return next((found[key] for key in keys if found.get(key)), None)


def attributes_of(comments: Sequence[str]) -> dict[str, Any]:
    """The attributes that comments give behind tabs, as `key=value`."""
    if not comments:
        return {}
    more = [pair for comment in comments for pair in comment.split("\t")[1:] if "=" in pair]
    pairs = (pair.partition("=") for pair in more)
    return {key.strip(): value.strip() for key, _, value in pairs}


def line_numbers(sentences: Sequence[Sequence[int]]) -> Sequence[int]:
    """The numbers of all lines; a range, which takes no room, if they follow each other."""
    if len(sentences) == 1:
        return sentences[0]
    numbers = tuple(number for sentence in sentences for number in sentence)
    whole = range(numbers[0], numbers[-1] + 1) if numbers else range(0)
    return whole if len(whole) == len(numbers) else numbers


class TagEvidence(NamedTuple):
    """The contents found in a file.

    `first` is the line of the first token, `tags` the first tag that only one scheme has, by column
    and scheme, `iob` IOB1 or IOB2 by column, where known, `articles` whether any line
    begins a document, `untagged` the columns of hyphens alone.
    """

    first: int | None
    tags: dict[int, dict[str, str]]
    iob: dict[int, str]
    articles: bool
    untagged: set[int]
