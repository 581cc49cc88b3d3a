"""Files of ontologies: tables, JSON, SKOS and OWL."""

import csv
import json

from ..measures.bdm import Ontology
from .errors import FormatError, Mistake, Problem, known, raise_first
from .files import open_text
from .rdf import read_rdf
from .remote import path_of

LONGEST_NAME = 1000
LONGEST_LINE = 10**5
MOST_CHARACTERS = 2**26
MANY_PROBLEMS = 1000
SHORTER = f"names have at most {LONGEST_NAME} characters"
HEADER = {"child", "parent"}
SHAPES = (
    'expected {"child": ["parent", ...]}, a list of ["child", "parent"], or nested objects such as '
    '{"Thing": {"Agent": {}}}'
)


def read_ontology(path, *, names="label"):
    """The `Ontology` of a file, told by its ending (`.gz` apart).

    - `.csv`, `.tsv`: rows child, parent. A first row that says child and parent, in either order,
      names the columns. An empty or absent parent makes a concept without one.
    - `.json`: {"child": ["parent", ...]}, or a list of ["child", "parent"], or nested objects
      {"Thing": {"Agent": {}}}; a concept that is nested in several has several parents.
    - `.rdf`, `.owl`, `.skos`, `.ttl`: SKOS (broader, narrower) or OWL (subClassOf) in RDF/XML or
      Turtle. Needs rdflib, as the extra `rdf` installs it. Classes without a URI are passed over.

    Parameters
    ----------
    path : str or Path
    names : "label" or "fragment"
        What concepts of RDF are called: by prefLabel or label (without language, else English, else
        the first one), and by the last part of their URI if they have none; or always by that part.

    Raises
    ------
    FormatError
        If the file cannot be read, or describes no ontology.
    ImportError
        Without rdflib, for RDF.

    Examples
    --------
    >>> from pathlib import Path
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "places.json"
    >>> _ = path.write_text('{"Place": {"City": {"Capital": {}}, "Country": {}}}')
    >>> read_ontology(path).parents["Capital"]
    ('City',)
    """
    known(names, ("label", "fragment"), "names")
    suffix = suffix_of(path)
    if suffix not in READERS:
        raise FormatError(
            f"unknown ending {suffix!r} of an ontology; rename the file ({', '.join(READERS)})",
            path,
        )
    edges, concepts = READERS[suffix](path, names)
    long = [name for name in (*concepts, *(n for edge in edges for n in edge)) if too_long(name)]
    if long:
        raise FormatError(f"an overlong name, {long[0][:40]!r}...; {SHORTER}", path)
    try:
        return Ontology.from_edges(edges, concepts)
    except ValueError as error:
        raise FormatError(f"no ontology: {error}", path) from error


def suffix_of(path):
    """The ending of a file, `.gz` apart."""
    suffixes = [suffix.lower() for suffix in path_of(path).suffixes if suffix.lower() != ".gz"]
    return suffixes[-1] if suffixes else ""


def too_long(name):
    """Whether a name is no name any more."""
    return len(name) > LONGEST_NAME


def read_table(path, names):
    """Edges and concepts of a table."""
    delimiter = "\t" if suffix_of(path) == ".tsv" else ","
    edges, concepts, problems, order = [], [], [], 1
    with open_text(path) as lines:
        rows = csv.reader(bounded(lines), delimiter=delimiter, strict=True)
        try:
            for number, row in enumerate(rows):
                cells = [cell.strip() for cell in row]
                if not number and {cell.lower() for cell in cells} == HEADER and len(cells) == 2:
                    order = 1 if cells[0].lower() == "child" else -1
                    continue
                if not any(cells):
                    continue
                cells = ([*cells, ""] if len(cells) == 1 else cells)[::order]
                if len(cells) != 2 or not cells[0]:
                    advice = "a row is: child, parent (the parent may be empty)"
                    problems.append(Problem(rows.line_num, f"a row of {row!r:.60}", advice))
                elif any(map(too_long, cells)):
                    problems.append(Problem(rows.line_num, "an overlong name", SHORTER))
                elif cells[1]:
                    edges.append(tuple(cells))
                else:
                    concepts.append(cells[0])
                if len(problems) > MANY_PROBLEMS:
                    break
        except csv.Error as error:
            raise FormatError(
                f"not a table ({error}); check the quotes", path, rows.line_num
            ) from None
    raise_first(path, problems)
    return edges, concepts


def bounded(lines):
    """Lines, of which overlong ones come in pieces."""
    return iter(lambda: lines.readline(LONGEST_LINE), "")


def read_json(path, names):
    """Edges and concepts of a JSON file."""
    with open_text(path) as lines:
        text = lines.read(MOST_CHARACTERS + 1)
    if len(text) > MOST_CHARACTERS:
        raise FormatError(f"more than {MOST_CHARACTERS} characters; use a table instead", path)
    try:
        data = json.loads(text, object_pairs_hook=unique, parse_constant=reject)
        return edges_of(data)
    except Mistake as mistake:
        raise FormatError(f"{mistake.found}; {mistake.advice}", path) from None
    except RecursionError:
        raise FormatError("nested too deeply; write a list of [child, parent]", path) from None
    except json.JSONDecodeError as error:
        raise FormatError(f"invalid JSON ({error.msg}); {SHAPES}", path, error.lineno) from None
    except ValueError as error:  # a number of too many digits
        raise FormatError(f"invalid JSON ({error}); {SHAPES}", path) from None


def unique(pairs):
    """An object, if it has no name twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise Mistake(f"{twice!r} is there twice in one object", "merge the two")
    return found


def reject(name):
    """JSON has neither NaN nor infinity."""
    raise Mistake(f"{name} is not JSON", SHAPES)


def edges_of(data):
    """Edges and concepts of parsed JSON."""
    if isinstance(data, list):
        if all(is_names(row) and len(row) == 2 for row in data):
            return [tuple(row) for row in data], []
    elif isinstance(data, dict) and all(is_names(above) for above in data.values()):
        edges = [(child, parent) for child, above in data.items() for parent in above]
        return edges, list(data)
    elif isinstance(data, dict):
        return nested_edges(data)
    raise Mistake("neither edges nor a tree", SHAPES)


def is_names(value):
    """Whether a JSON value is a list of names."""
    return isinstance(value, list) and all(isinstance(name, str) and name for name in value)


def nested_edges(tree):
    """Edges and concepts of nested objects."""
    edges, concepts, waiting = [], list(tree), list(tree.items())
    while waiting:
        parent, children = waiting.pop()
        if not isinstance(children, dict):
            raise Mistake(f"{parent!r} holds a {type(children).__name__}", SHAPES)
        edges += [(child, parent) for child in children]
        waiting += children.items()
    return edges, concepts


READERS = {
    ".csv": read_table,
    ".tsv": read_table,
    ".json": read_json,
    ".rdf": read_rdf,
    ".owl": read_rdf,
    ".skos": read_rdf,
    ".ttl": read_rdf,
}
