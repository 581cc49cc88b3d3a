"""Files of how close concepts are: BDM as GATE writes it, or computed from an ontology."""

import math
import re

from ..measures.bdm import all_parts, closeness
from .errors import FormatError, Mistake, Problem, raise_first
from .files import open_text, write_atomically
from .ontology import MANY_PROBLEMS, READERS, SHORTER, bounded, read_ontology, suffix_of, too_long

MOST_CONCEPTS = 2000  # of which all pairs are computed or read unasked
URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*[#/](?P<local>[^#/\s]+)[#/]?")


def read_closeness(path, *, concepts=None, names="label"):
    """How close concepts are: {(a, b): number in [0, 1]} with a <= b.

    Of an ontology (endings as `read_ontology` has them), BDM is computed. Any other file is one of
    GATE's BDM files: a first line of free text, then `key=A, response=B, bdm=0.66, ...`, one line
    for each unordered pair. Concepts that a file names by URI are called by the last part of it.

    Parameters
    ----------
    path : str or Path
    concepts : iterable of str, optional
        Only pairs of these: labels in use. Names that the file does not have are passed over. By
        default all; more than 2000 have too many pairs.
    names : as `read_ontology` has it

    Raises
    ------
    FormatError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "scores.txt"
    >>> _ = path.write_text("Scores of places\\nkey=City, response=Capital, bdm=0.6, cp=2\\n")
    >>> read_closeness(path)
    {('Capital', 'City'): 0.6}
    """
    wanted = None if concepts is None else set(concepts)
    if suffix_of(path) not in READERS:
        return read_bdm(path, wanted)
    ontology = read_ontology(path, names=names)
    found = [name for name in ontology.concepts if wanted is None or name in wanted]
    if len(found) > MOST_CONCEPTS:
        raise FormatError(too_many(len(found)), path)
    return closeness(ontology, found)


def too_many(n):
    """What to do about an ontology with too many pairs."""
    return (
        f"{n} concepts have too many pairs (at most {MOST_CONCEPTS}); name those in use: concepts="
    )


def read_bdm(path, wanted):
    """The closeness in a BDM file of GATE, of wanted names or all."""
    table, problems, full_names = {}, [], {}
    most = MOST_CONCEPTS * (MOST_CONCEPTS + 1) // 2
    with open_text(path) as lines:
        for number, line in enumerate(bounded(lines), 1):
            parts = divided(line.strip())
            if not line.strip() or (number == 1 and not parts):
                continue
            try:
                pair, value = entry(parts, full_names)
                if wanted is not None and not wanted.issuperset(pair):
                    continue
                if table.setdefault(pair, value) != value:
                    found = f"{' and '.join(pair)} have bdm={value} after bdm={table[pair]}"
                    raise Mistake(found, "give each pair once")
            except Mistake as mistake:
                problems.append(Problem(number, mistake.found, mistake.advice))
            if len(problems) > MANY_PROBLEMS:
                break
            if len(table) > most:
                raise FormatError(too_many("these"), path, number)
    raise_first(path, problems)
    if not table and wanted is None:
        advice = "expected a line of text, then: key=A, response=B, bdm=0.66, ..."
        raise FormatError(f"no closeness; {advice}", path)
    return table


def divided(line):
    """Key, response and number of a line, as texts; None if it has another form."""
    key, first, rest = line.removeprefix("key=").partition(", response=")
    response, second, rest = rest.partition(", bdm=")
    whole = line.startswith("key=") and first and second and key and response
    return (key, response, rest.partition(",")[0].strip()) if whole else None


def entry(parts, full_names):
    """The pair of names of a line, sorted, and its number."""
    if not parts:
        raise Mistake("no BDM entry", "a line is: key=A, response=B, bdm=0.66, ...")
    *names, number = parts
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise Mistake(f"bdm={number:.20}", "bdm is a number from 0 to 1")
    pair = []
    for full in names:
        name = local_name(full)
        if too_long(name):
            raise Mistake("an overlong name", SHORTER)
        if full_names.setdefault(name, full) != full:
            found = f"{full:.100} and {full_names[name]:.100} have one name, {name!r}"
            raise Mistake(found, "rename one of them")
        pair.append(name)
    return tuple(sorted(pair)), value


def local_name(name):
    """The last part of a URI; other names as they are."""
    match = URI.fullmatch(name)
    return match["local"] if match else name


def write_bdm(path, ontology, concepts=None):
    """Write the closeness of all pairs of concepts, or of some, as a BDM file of GATE.

    Numbers are written in full, so that `read_closeness` gives those of `closeness`.

    Raises
    ------
    FormatError
        For a name that the format cannot hold (line breaks, spaces around it, ", response=" and
        the like, URIs), or a file that cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from spacy_chance_eval.measures.bdm import Ontology
    >>> path, places = Path(tempfile.mkdtemp()) / "a.txt", Ontology("ab", {"b": ["a"]})
    >>> write_bdm(path, places)
    >>> read_closeness(path) == closeness(places)
    True
    """
    for name in ontology.concepts if concepts is None else concepts:
        parts = divided(f"key={name}, response={name}, bdm=1")
        if parts != (name, name, "1") or local_name(name) != name or name != squeezed(name):
            raise FormatError(f"{name!r:.60} cannot stand in a BDM file; rename the concept", path)
    write_atomically(path, bdm_lines(ontology, concepts))


def squeezed(name):
    """A name on one line, with single spaces."""
    return " ".join(name.split())


def bdm_lines(ontology, concepts):
    """The lines of a BDM file."""
    yield "##The following are the BDM scores for each pair of concepts in the ontology."
    for key, response, parts in all_parts(ontology, concepts):
        where = "no MSCA! cp=-1, dpk=0, dpr=0"
        if parts.msca is not None:
            where = f"msca={parts.msca}, cp={parts.cp}, dpk={parts.dpk}, dpr={parts.dpr}"
        means = f"n0={parts.n0}, n1={parts.n1}, n2={parts.n2}, bran={parts.branching or 0.0}"
        yield f"key={key}, response={response}, bdm={parts.bdm}, {where}, {means}"
