"""How close labels are: ontologies in tables, tables of closeness, and GATE's BDM files."""

import csv
import math
import re
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TypeAlias

from ..measures.arrays import Progress
from ..measures.bdm import BdmParts, Ontology, closeness, parts_of_pairs
from ..measures.messages import quoted
from .errors import FormatError, PathLike
from .files import open_text, suffix_of
from .outputs import write_atomically

Edge: TypeAlias = tuple[str, str]

TABLES = {".csv": ",", ".tsv": "\t"}  # endings, and the separators of cells
ONTOLOGY = ({"child", "parent"}, {"concept", "parent"})  # names of its columns
MOST_CONCEPTS = 2000  # of which all pairs are computed
ENTRY = re.compile(r"key=(.+?), response=(.+?), bdm=(.*?)(, .*)?")
# of a name that is a URI the last part
URI = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*://\S*[#/]([^#/\s]+)[#/]?$")


def read_closeness(path: PathLike) -> dict[Edge, float]:
    """How close labels are: {(a, b): number in [0, 1]} with a <= b.

    The file is one of these:

    - a CSV or TSV file with the rows label, label, closeness; pairs that it lacks have 0;
    - an ontology, as `read_ontology` reads it: the closeness is BDM;
    - a BDM file as GATE has them: a first line of free text, then `key=A, response=B, bdm=0.66,
      ...`, one line for each unordered pair. Concepts that are named by URI are called by the last
      part of it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "scores.bdm"
    >>> _ = path.write_text("Scores of places\\nkey=City, response=Capital, bdm=0.6, cp=2\\n")
    >>> read_closeness(path)
    {('Capital', 'City'): 0.6}
    """
    if suffix_of(path) not in TABLES:
        return _read_bdm(path)
    rows = [*_rows(path)]
    if all(len(cells) < 3 for _, cells in rows):
        return closeness(read_ontology(path))
    table: dict[Edge, float] = {}
    for number, (line, cells) in enumerate(rows):
        if len(cells) != 3:
            advice = "a row is: label, label, closeness (a number from 0 to 1)"
            raise FormatError(f"a row of {quoted(cells)}; {advice}", path, line)
        # the first row may name the columns; a damaged number is no name
        if number or any(map(str.isdigit, cells[2])):
            _add(table, cells[:2], cells[2], path, line)
    return table


def _rows(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of each row of a table that is not empty."""
    with open_text(path) as lines:
        rows = csv.reader(lines, delimiter=TABLES[suffix_of(path)], strict=True)
        try:
            for row in rows:
                cells = [cell.strip() for cell in row]
                if any(cells):
                    yield rows.line_num, cells
        except csv.Error:
            raise FormatError(
                "no table: a quote is not closed, or a cell has over 131,072 characters",
                path,
                rows.line_num,
            ) from None


def read_ontology(path: PathLike) -> Ontology:
    """The `Ontology` of a CSV or TSV file with the rows concept, parent.

    A first row that says concept (or child) and parent, in either order, names the columns. An
    empty or absent parent makes a concept without one. Several rows give a concept several parents.
    """
    if suffix_of(path) not in TABLES:
        advice = "an ontology is a table of the rows concept, parent; write it as .csv or .tsv"
        raise FormatError(advice, path)
    edges: list[Edge] = []
    concepts, order = [], 1
    for number, (line, cells) in enumerate(_rows(path)):
        if not number and {cell.lower() for cell in cells} in ONTOLOGY:
            order = -1 if cells[0].lower() == "parent" else 1
            continue
        concept, *parents = cells[::order] if len(cells) == 2 else cells
        if len(cells) > 2 or not concept:
            advice = "a row is: concept, parent (the parent may be empty)"
            raise FormatError(f"a row of {quoted(cells)}; {advice}", path, line)
        concepts.append(concept)
        edges += [(concept, parent) for parent in parents if parent]
    try:
        ontology = Ontology(edges, concepts)
    except ValueError as error:
        raise FormatError(f"no ontology: {error}", path) from error
    if (n := len(ontology.concepts)) > MOST_CONCEPTS:
        advice = f"leave out rows that no label needs, until there are {MOST_CONCEPTS}"
        raise FormatError(f"{n} concepts have too many pairs; {advice}", path)
    return ontology


def _add(
    table: dict[Edge, float], names: Iterable[str], text: str, where: object, line: int
) -> None:
    """Add the closeness of a pair of names, given as a text."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    one, two = sorted(names)
    if not (one and 0 <= value <= 1):
        found = f"closeness {quoted(text, 20)} of {quoted(one)} and {quoted(two)}"
        raise FormatError(f"{found}; two names have a number from 0 to 1", where, line)
    if table.setdefault((one, two), value) != value:
        found = f"{one} and {two} have {value} after {table[one, two]}"
        raise FormatError(f"{found}; give each pair once", where, line)


# --- GATE's files


def _read_bdm(path: PathLike) -> dict[Edge, float]:
    """The closeness in a BDM file of GATE; a file that was cut off is an error."""
    table: dict[Edge, float] = {}
    with open_text(path) as lines:
        for number, line in enumerate(lines, 1):
            entry = ENTRY.fullmatch(line.strip())
            if entry:
                names = (URI.sub(r"\1", name) for name in entry.groups()[:2])
                _add(table, names, entry[3].strip(), path, number)
            elif line.strip() and number > 1:
                advice = "a line is: key=A, response=B, bdm=0.66, ..."
                raise FormatError(f"no BDM entry; {advice}", path, number)
    if not table:
        advice = "expected a line of text, then: key=A, response=B, bdm=0.66, ..."
        raise FormatError(f"no closeness; {advice}", path)
    every = sorted({name for pair in table for name in pair})
    if lacking := next((pair for pair in combinations(every, 2) if pair not in table), None):
        raise FormatError(
            f"no line for {' and '.join(map(quoted, lacking))}; a BDM file has all pairs of its "
            "concepts: copy it whole, or write a CSV of label,label,closeness, in which pairs that "
            "are left out have 0",
            path,
        )
    return table


def bdm_lines(title: str, pairs: Iterable[tuple[str, str, BdmParts]]) -> Iterator[str]:
    """The lines of a BDM file: the title, then a line for each (key, response, parts).

    Numbers are written in full. Of two concepts without a common root the line says "no MSCA!" and
    has -1 for the lengths of paths, as GATE's own.
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


def write_closeness(source: PathLike, target: PathLike, progress: Progress) -> int:
    """Write the BDM of each pair of concepts of an ontology as a BDM file; the number of pairs.

    Each concept with itself included. GATE's tools read the file, too.

    progress(pairs, number of pairs, what) gives the pairs while it shows how many are done.
    """
    ontology = read_ontology(source)
    for name in ontology.concepts:
        if re.search(r", |[\n\r]", name) or URI.sub(r"\1", name) != name:
            advice = "rename it: BDM files end names at a comma, and shorten URIs"
            raise FormatError(f"the concept {quoted(name, 100)}; {advice}", source)
    n_pairs = len(ontology.concepts) * (len(ontology.concepts) + 1) // 2
    pairs = progress(parts_of_pairs(ontology), n_pairs, "Pairs")
    write_atomically(target, bdm_lines(f"##BDM of each pair of concepts of {source}", pairs))
    return n_pairs
