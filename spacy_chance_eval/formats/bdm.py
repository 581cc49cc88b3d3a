"""GATE's BDM files: how close the concepts of an ontology are, a line for each pair."""

import math
import re
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TextIO, TypeAlias

from ..measures.bdm import BdmParts
from ..measures.messages import quoted
from .errors import ContentError, FormatError, PathLike, Problem, raise_first
from .files import open_text

Edge: TypeAlias = tuple[str, str]

LONGEST_NAME = 1000
LONGEST_LINE = 10**5
MANY_PROBLEMS = 1000
MOST_CONCEPTS = 2000  # of which all pairs are computed or read
LAST = "bran="  # begins the last number of a line of GATE's
SHORTER = f"names have at most {LONGEST_NAME} characters"
URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*[#/](?P<local>[^#/\s]+)[#/]?")


def is_too_long(name: str) -> bool:
    """Whether a name is longer than names are."""
    return len(name) > LONGEST_NAME


def bounded_lines(lines: TextIO) -> Iterator[str]:
    """Lines; overlong ones come in pieces."""
    return iter(lambda: lines.readline(LONGEST_LINE), "")


def too_many(n: int | str) -> str:
    """Advice on an ontology with too many pairs."""
    return (
        f"{n} concepts have too many pairs (at most {MOST_CONCEPTS} concepts are read); leave the "
        "rows of those out that no label needs"
    )


def read_bdm(path: PathLike) -> dict[Edge, float]:
    """The closeness in a BDM file of GATE; a file that was cut off is an error."""
    table: dict[Edge, float] = {}
    full_names: dict[str, str] = {}
    problems: list[Problem] = []
    most = MOST_CONCEPTS * (MOST_CONCEPTS + 1) // 2
    whole = False  # whether lines end with all numbers that GATE writes
    with open_text(path) as lines:
        for number, line in enumerate(bounded_lines(lines), 1):
            parts = _split_line(line.strip())
            if not line.strip() or (number == 1 and not parts):
                continue
            try:
                pair, value = _parse_entry(parts, full_names)
                if table.setdefault(pair, value) != value:
                    found = f"{' and '.join(pair)} have bdm={value} after bdm={table[pair]}"
                    raise ContentError(found, "give each pair once")
                if whole and LAST not in line:
                    raise ContentError(f"a line without {LAST}", "the file was cut off: copy it")
                whole = LAST in line
            except ContentError as mistake:
                problems.append(Problem(number, mistake.found, mistake.advice))
            if len(problems) > MANY_PROBLEMS:
                break
            if len(table) > most:
                raise FormatError(too_many("these"), path, number)
    raise_first(path, problems)
    if not table:
        advice = "expected a line of text, then: key=A, response=B, bdm=0.66, ..."
        raise FormatError(f"no closeness; {advice}", path)
    _check_complete(table, path)
    return table


def _check_complete(table: dict[Edge, float], path: PathLike) -> None:
    """Raise FormatError unless all pairs of different concepts are there."""
    names = sorted({name for pair in table for name in pair})
    if sum(one != two for one, two in table) == len(names) * (len(names) - 1) // 2:
        return
    one, two = next(pair for pair in combinations(names, 2) if pair not in table)
    raise FormatError(
        f"no line for {quoted(one)} and {quoted(two)}; a BDM file has all pairs of its concepts: "
        "copy it whole, or write a CSV of label,label,closeness, in which pairs that are left out "
        "have 0",
        path,
    )


def _split_line(line: str) -> tuple[str, str, str] | None:
    """Key, response and number of a line, as texts; None if it has another form."""
    key, first, rest = line.removeprefix("key=").partition(", response=")
    response, second, rest = rest.partition(", bdm=")
    whole = line.startswith("key=") and first and second and key and response
    return (key, response, rest.partition(", ")[0].strip()) if whole else None


def _parse_entry(
    parts: tuple[str, str, str] | None, full_names: dict[str, str]
) -> tuple[Edge, float]:
    """The pair of names of a line, sorted, and its number."""
    if not parts:
        raise ContentError("no BDM entry", "a line is: key=A, response=B, bdm=0.66, ...")
    *names, number = parts
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise ContentError(f"bdm={number:.20}", "bdm is a number from 0 to 1")
    for full in names:
        name = _local_name(full)
        if is_too_long(name):
            raise ContentError("an overlong name", SHORTER)
        if full_names.setdefault(name, full) != full:
            found = f"{full:.100} and {full_names[name]:.100} have one name, {quoted(name)}"
            raise ContentError(found, "rename one of them")
    one, two = sorted(map(_local_name, names))
    return (one, two), value


def _local_name(name: str) -> str:
    """The last part of a URI; other names as they are."""
    match = URI.fullmatch(name)
    return match["local"] if match else name


def bdm_lines(title: str, pairs: Iterable[tuple[str, str, BdmParts]]) -> Iterator[str]:
    """The lines of a BDM file: the title, then a line for each pair of concepts.

    Numbers are written in full. Of two concepts without a common root the line says "no MSCA!" and
    has -1 for the lengths of paths, as GATE's own.

    Parameters
    ----------
    title : str
        Free text, of which line ends become blanks.
    pairs : iterable of (key, response, parts)
    """
    yield " ".join(title.split())
    for key, response, parts in pairs:
        cells = [f"key={key}", f"response={response}", f"bdm={parts.bdm!r}"]
        lengths = [-1 if n is None else n for n in (parts.cp, parts.dpk, parts.dpr)]
        met = " no MSCA! " if parts.msca is None else f"msca={parts.msca}, "
        branching = 1.0 if parts.branching is None else parts.branching
        names = ("cp", "dpk", "dpr", "n0", "n1", "n2", "bran")
        values = (*lengths, parts.n0, parts.n1, parts.n2, branching)
        rest = ", ".join(f"{name}={value!r}" for name, value in zip(names, values))
        yield f"{', '.join(cells)}, {met}{rest}"


def check_concepts(names: Iterable[str], path: PathLike) -> None:
    """Raise FormatError for a concept that `read_bdm` would call by another name."""
    for name in names:
        if ", " in name or "\n" in name or "\r" in name:
            what, advice = "a comma before a blank, or a line end", "a BDM file ends names there"
        elif _local_name(name) != name:
            what, advice = "the form of a URI", f"readers of BDM files call it {_local_name(name)}"
        else:
            continue
        raise FormatError(
            f"the concept {quoted(name, 100)} has {what}; rename it, as {advice}", path
        )
