"""Ontologies in tables, and how close their concepts are."""

import csv
from collections.abc import Iterator
from itertools import chain

from ..measures.arrays import Progress
from ..measures.bdm import Ontology, closeness, parts_of_pairs
from ..measures.messages import quoted
from .bdm import (
    MANY_PROBLEMS,
    MOST_CONCEPTS,
    SHORTER,
    Edge,
    bdm_lines,
    bounded_lines,
    check_concepts,
    is_too_long,
    read_bdm,
    too_many,
)
from .errors import FormatError, PathLike, Problem, raise_first
from .files import open_text, readable_bytes, suffix_of
from .outputs import write_atomically

TABLES = {".csv": ",", ".tsv": "\t"}  # endings, and the separators of cells
ONTOLOGY = ({"child", "parent"}, {"concept", "parent"})  # names of its columns
PAIRS = "a row is: label, label, closeness (a number from 0 to 1)"


def _rows(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """Line and cells of each row of a table that is not empty."""
    with open_text(path) as lines:
        rows = csv.reader(bounded_lines(lines), delimiter=TABLES[suffix_of(path)], strict=True)
        try:
            for row in rows:
                cells = [cell.strip() for cell in row]
                if any(cells):
                    yield rows.line_num, cells
        except csv.Error as error:
            raise FormatError(
                f"not a table ({error}); check the quotes", path, rows.line_num
            ) from None


def read_ontology(path: PathLike) -> Ontology:
    """The `Ontology` of a CSV or TSV file with the rows concept, parent.

    A first row that says concept (or child) and parent, in either order, names the columns. An
    empty or absent parent makes a concept without one. Several rows give a concept several parents.
    A file without a line break at its end may be cut: its last name has to occur elsewhere, too.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "places.csv"
    >>> _ = path.write_text("City,Place\\nCountry,Place\\nCapital,City\\n")
    >>> read_ontology(path).parents["Capital"]
    ('City',)
    """
    if suffix_of(path) not in TABLES:
        raise FormatError(
            "an ontology is a table of the rows concept, parent; write it as .csv or .tsv", path
        )
    edges, concepts, order, last = [], [], 1, ""
    problems: list[Problem] = []
    for number, (line, cells) in enumerate(_rows(path)):
        if not number and {cell.lower() for cell in cells} in ONTOLOGY and len(cells) == 2:
            order = -1 if cells[0].lower() == "parent" else 1
            continue
        cells = ([*cells, ""] if len(cells) == 1 else cells)[::order]
        if len(cells) != 2 or not cells[0]:
            advice = "a row is: concept, parent (the parent may be empty)"
            problems.append(Problem(line, f"a row of {quoted(cells)}", advice))
        elif any(map(is_too_long, cells)):
            problems.append(Problem(line, "an overlong name", SHORTER))
        elif cells[1]:
            edges.append((cells[0], cells[1]))
        else:
            concepts.append(cells[0])
        last = cells[-1] or cells[0]
        if len(problems) > MANY_PROBLEMS:
            break
    raise_first(path, problems)
    if [*chain(*edges, concepts)].count(last) == 1:
        with readable_bytes(path) as raw:
            is_ended = raw.read().endswith((b"\n", b"\r"))
        if not is_ended:
            advice = "end the file with a line break if it is whole"
            raise FormatError(f"the last line may be cut; {advice}", path, line)
    try:
        return Ontology.from_edges(edges, concepts)
    except ValueError as error:
        raise FormatError(f"no ontology: {error}", path) from error


def _read_pairs(path: PathLike) -> dict[Edge, float]:
    """The closeness in a table of the rows label, label, closeness."""
    table: dict[Edge, float] = {}
    problems: list[Problem] = []
    for number, (line, cells) in enumerate(_rows(path)):
        try:
            one, two, near = cells
            value = float(near)
        except ValueError:
            # the first row may name the columns; a damaged number is no name
            if number or any(map(str.isdigit, cells[-1])):
                problems.append(Problem(line, f"a row of {quoted(cells)}", PAIRS))
            continue
        pair = (min(one, two), max(one, two))
        if not (one and two and 0 <= value <= 1):
            problems.append(Problem(line, f"a row of {quoted(cells)}", PAIRS))
        elif table.setdefault(pair, value) != value:
            found = f"{one} and {two} have {value} after {table[pair]}"
            problems.append(Problem(line, found, "give each pair once"))
        if len(problems) > MANY_PROBLEMS:
            break
    raise_first(path, problems)
    return table


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
        return read_bdm(path)
    if any(len(cells) == 3 for _, cells in _rows(path)):
        return _read_pairs(path)
    ontology = read_ontology(path)
    if len(ontology.concepts) > MOST_CONCEPTS:
        raise FormatError(too_many(len(ontology.concepts)), path)
    return closeness(ontology)


def write_closeness(source: PathLike, target: PathLike, progress: Progress) -> int:
    """Write the BDM of each pair of concepts of an ontology as a BDM file.

    Parameters
    ----------
    source : str or Path
        The ontology: see `read_ontology`.
    target : str or Path
        The file to write, which GATE's tools read, too.
    progress : callable
        progress(pairs, number of pairs, what) gives the pairs while it shows how many are done.

    Returns
    -------
    int
        The number of pairs, each concept with itself included.
    """
    ontology = read_ontology(source)
    n = len(ontology.concepts)
    if n > MOST_CONCEPTS:
        raise FormatError(too_many(n), source)
    check_concepts(ontology.concepts, source)
    pairs = progress(parts_of_pairs(ontology), n * (n + 1) // 2, "Pairs")
    write_atomically(target, bdm_lines(f"##BDM of each pair of concepts of {source}", pairs))
    return n * (n + 1) // 2
