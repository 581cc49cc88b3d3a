"""CoNLL-U Plus: columns that the first line names, some of them of spans; PARSEME's .cupt is it."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..measures.messages import quoted
from .blemishes import SPANS, leave_out_parts
from .conll import DOCUMENTS, FILE, check_columns, document_of, gather_evidence, unit_of
from .conll_lines import (
    UNSEEN,
    Group,
    Reading,
    SentenceColumns,
    all_items,
    chunks_of,
    groups_of,
    is_tag,
    read_pieces,
    without_header,
)
from .corpus import Corpus, Document, Span, join_stretches
from .errors import ContentError, FormatError, PathLike, Problem, known
from .files import name_by_file
from .notes import UNTAGGED, Place, note
from .rows import gather_spans
from .tags import REPAIRS, SCHEMES

NAMES = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
STANDARD = frozenset("ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split())
NOTHING, UNKNOWN = "*", "_"
CODE = re.compile(r"(\d{1,9})(?::([^;]+))?", re.ASCII)
CODES = re.compile(rf"{CODE.pattern}(?:;{CODE.pattern})*", re.ASCII)
GIVE_LABEL = "one token of an expression has its label, such as 1:VID, the others 1"


class _Expression(NamedTuple):
    """The tokens with the same number in a sentence: their places, first line, and labels."""

    places: list[int]
    line: int
    labels: list[str]


def read_conllup(
    path: PathLike, *, scheme: str = "auto", repair: str = "error", documents: str = "auto"
) -> Corpus:
    """The corpus of a file of CoNLL-U Plus; each column of spans is a layer of its name.

        # global.columns = ID FORM NER PARSEME:MWE
        1	Ada	B-PER	*
        2	gave	O	1:VID
        3	up	O	1

    Columns of spans are those beside the ten of CoNLL-U whose values mostly are tags, or codes as
    PARSEME has them: the number of an expression in its sentence, with its label at one of its
    tokens, several joined by semicolons; `*` for none. `_` says that a token was not annotated; in
    a column of tags without any O it is outside. Of the columns of CoNLL-U only FORM is needed.
    Lines of multiword tokens (1-2) and of empty nodes (1.1) are passed over.

    Parameters
    ----------
    scheme, repair, documents
        As in `read_conll`.
    """
    known(scheme, ("auto", *SCHEMES), "scheme")
    known(repair, REPAIRS, "repair")
    known(documents, DOCUMENTS, "value of documents")
    pieces = [*read_pieces(path)]
    names = _names_of(path, pieces)
    ids = names.index("ID") if "ID" in names else None
    reading = Reading(None, len(names), names.index("FORM"), {}, {}, {}, True, False, True, ids=ids)
    tags, codes, nothing = _span_columns(path, pieces, names, reading)
    reading = reading._replace(places=tags, repairs=dict.fromkeys(tags, repair))
    repaired = tags.values() if repair != "error" else ()
    found = gather_evidence(_body(pieces), reading, repaired)
    check_columns(path, found, tags, scheme)
    auto = {
        name: next(iter(found.tags[at]), found.iob.get(at, "IOB2")) for name, at in tags.items()
    }
    reading = reading._replace(
        schemes=auto if scheme == "auto" else dict.fromkeys(tags, scheme),
        by_sentence=documents == "sentence" or documents == "auto" and not found.articles,
        articles=found.articles,
        name=name_by_file(path) if documents == FILE and not found.articles else None,
    )
    problems: list[Problem] = []
    of_codes: list[Problem] = []
    groups = groups_of(_body(pieces), reading, problems)
    unknown: list[Place] = []
    made = []
    for group in groups:
        group, places = _with_plain_tags(path, group, tags, nothing)
        unknown += places
        made.append(_document_of(group, reading, codes, problems, of_codes))
    units = [(unit_of(problem), problem) for problem in problems]
    leave_out_parts(path, [*units, *((SPANS, problem) for problem in of_codes)])
    return Corpus(str(path), made, repair=repair, notes=note(UNTAGGED, unknown))


def _names_of(path: PathLike, pieces: Sequence[bytes]) -> list[str]:
    """The names of the columns."""
    first = b"".join(pieces[:1]).partition(b"\n")[0].decode()
    match = NAMES.fullmatch(first.strip())
    given = match[1].split() if match else []
    names = [name.upper() if name.upper() in STANDARD else name for name in given]
    if len({*names}) < len(names) or "FORM" not in names:
        raise FormatError(
            f"the first line is {quoted(first[:60])}; expected '# global.columns = ID FORM ...', "
            "with a name for each column, FORM among them",
            path,
            1,
        )
    return names


def _body(pieces: Sequence[bytes]) -> Iterator[tuple[int, str]]:
    """The chunks of a file without its first line."""
    return without_header(chunks_of(pieces), True)


def _span_columns(
    path: PathLike, pieces: Sequence[bytes], names: Sequence[str], reading: Reading
) -> tuple[dict[str, int], dict[str, int], dict[int, str]]:
    """The columns (of tags, of codes) by name, and what `_` is in those of tags."""
    own = {name: at for at, name in enumerate(names) if name not in STANDARD}
    values: dict[int, set[str]] = {at: set() for at in own.values()}
    for _, item in all_items(_body(pieces), reading, []):
        if isinstance(item, SentenceColumns):
            for at, seen in values.items():
                seen.update(item.columns[at])
    tags = {name: at for name, at in own.items() if _mostly(values[at], is_tag)}
    codes = {
        name: at
        for name, at in own.items()
        if _mostly(values[at], _are_codes)
        and (any(":" in one for one in values[at]) or values[at] <= {NOTHING, UNKNOWN, UNSEEN})
    }
    if not tags and not codes:
        raise FormatError(
            f"no column of spans (tags such as B-PER, or codes such as 1:VID) beside those of "
            f"CoNLL-U; the columns are {', '.join(names)}. Trees: --format conllu",
            path,
        )
    nothing = {at: UNSEEN if "O" in map(str.strip, values[at]) else "O" for at in tags.values()}
    return tags, codes, nothing


def _with_plain_tags(
    path: PathLike, group: Group, tags: Mapping[str, int], nothing: Mapping[int, str]
) -> tuple[Group, list[Place]]:
    """The group with hyphens or O in the place of `_`, and where tokens are not annotated so."""
    sentences, unknown = [], []
    for one in group.sentences:
        columns = list(one.columns)
        for name, at in tags.items():
            columns[at] = [nothing[at] if tag == UNKNOWN else tag for tag in one.columns[at]]
            if nothing[at] == UNSEEN:
                lines = (n for n, tag in zip(one.numbers, one.columns[at]) if tag == UNKNOWN)
                unknown += [Place(str(path), line, f"column {name}") for line in lines]
        sentences.append(one._replace(columns=tuple(columns)))
    return group._replace(sentences=sentences), unknown


def _mostly(values: set[str], is_value: Callable[[str], bool]) -> bool:
    """Whether most of the different values are of a kind."""
    rest = values - {UNKNOWN, UNSEEN}
    return sum(map(is_value, rest)) > len(rest) / 2


def _are_codes(value: str) -> bool:
    """Whether a value is one of a column of codes."""
    return value == NOTHING or CODES.fullmatch(value) is not None


def _document_of(
    group: Group,
    reading: Reading,
    codes: Mapping[str, int],
    problems: list[Problem],
    of_codes: list[Problem],
) -> Document:
    """The `Document` of a group; errors are added to `problems`, those of codes to `of_codes`."""
    document = document_of(group, reading, problems)
    layers, missing, copies = dict(document.layers), dict(document.missing_in), {}
    for name, at in codes.items():
        spans: list[Span] = []
        unknown: list[int] = []
        first = 0
        for sentence in group.sentences:
            column = sentence.columns[at]
            unknown += (first + i for i, value in enumerate(column) if value in (UNKNOWN, UNSEEN))
            for one in _expressions(sentence, at, of_codes):
                try:
                    spans.append(_span_of(one, first))
                except ContentError as mistake:
                    of_codes.append(Problem(one.line, mistake.found, mistake.advice))
            first += len(column)
        found = gather_spans((span, {}) for span in spans)
        layers[name], copies[name] = found.spans, found.copies
        missing[name] = join_stretches((token, token + 1) for token in unknown)
        if unknown and len(unknown) == first:
            layers[name], missing[name] = None, ()
    return replace(document, layers=layers, missing_in=missing, copies=copies)


def _expressions(sentence: SentenceColumns, at: int, problems: list[Problem]) -> list[_Expression]:
    """The expressions that a column of codes has in a sentence; bad codes become problems."""
    found: dict[str, _Expression] = {}
    for place, value in enumerate(sentence.columns[at]):
        if value in (NOTHING, UNKNOWN, UNSEEN):
            continue
        line = sentence.numbers[place]
        if not _are_codes(value):
            problems.append(Problem(line, f"{quoted(value[:60])} in a column of codes", GIVE_LABEL))
            continue
        for number, label in CODE.findall(value):
            one = found.setdefault(number, _Expression([], line, []))
            one.places.append(place)
            one.labels.extend([label] if label else ())
    return [*found.values()]


def _span_of(one: _Expression, first: int) -> Span:
    """The span of an expression, in a sentence that begins at a token."""
    if not one.labels:
        raise ContentError("an expression without a label", GIVE_LABEL)
    pieces = join_stretches((first + place, first + place + 1) for place in one.places)
    start, end, label = pieces[0][0], pieces[-1][1], one.labels[0]
    return (start, end, label) if len(pieces) == 1 else (start, end, label, tuple(pieces))
