"""Ontologies: tables, JSON, SKOS and OWL; and how close their concepts are."""

import csv
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, TypeAlias

from ..measures.bdm import Ontology, closeness
from ..measures.messages import quoted
from .bdm import (
    MANY_PROBLEMS,
    MOST_CONCEPTS,
    SHORTER,
    Edge,
    bounded_lines,
    is_too_long,
    read_bdm,
    too_many,
)
from .encodings import not_utf8
from .errors import ContentError, FormatError, PathLike, Problem, known, raise_first
from .files import open_text, suffix_of
from .json_text import NotJSONError, foreign_reason, parsed_json, reject_constant

_Edges: TypeAlias = tuple[list[Edge], list[str]]  # (child, parent), and concepts
XML = re.compile(rb"(\xef\xbb\xbf)?\s*<([?!]|[\w.-]*:?RDF[\s>])|\xff\xfe|\xfe\xff")
ADVICE = "expected RDF/XML or Turtle; open and save it in the editor that it comes from"


def _read_rdf(path: PathLike, names: str) -> _Edges:
    """Edges and concepts of a SKOS or OWL file."""
    graph = _parse_rdf(path)
    edges, concepts = _statements(graph)
    called = _names_of(graph, concepts, names)
    taken: dict[str, str] = {}
    for uri in sorted(concepts):
        if taken.setdefault(called[uri], uri) != uri:
            raise FormatError(
                f"{taken[called[uri]]} and {uri} are both called {quoted(called[uri])}; rename "
                "one, or call all by their URIs: names='fragment' in Python, else write a file "
                "with `bdm ONTOLOGY --names fragment -o FILE`",
                path,
            )
    return [(called[child], called[parent]) for child, parent in sorted(edges)], sorted(taken)


def _parse_rdf(path: PathLike) -> Any:
    """The statements of a file, as a graph of rdflib."""
    try:
        import rdflib
    except ImportError as error:
        raise ImportError(
            "SKOS and OWL files need rdflib: pip install 'spacy-chance-eval[rdf]' (or write the "
            "ontology as rows child,parent in a CSV file)"
        ) from error
    from .safe_xml import bounded_bytes, checked_xml  # which only RDF needs

    data = bounded_bytes(path)
    syntax = "xml" if XML.match(data) else "turtle"
    data = checked_xml(data, path) if syntax == "xml" else _checked_text(data, path)
    graph = rdflib.Graph()
    try:
        graph.parse(data=data, format=syntax, publicID="urn:ontology:")
    except Exception as error:  # what rdflib raises is not documented, and is never our bug
        lines = [getattr(error, "lines", None), getattr(error, "getLineNumber", int)()]
        line = next((line for line in lines if isinstance(line, int) and line > 0), None)
        reason = " ".join(foreign_reason(error).split())[:100]
        raise FormatError(f"not an ontology in RDF ({reason}); {ADVICE}", path, line) from error
    return graph


def _checked_text(data: bytes, path: PathLike) -> bytes:
    """The bytes, if they are UTF-8."""
    try:
        return data.decode("utf-8-sig").encode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise not_utf8(path, data, line) from error


def _statements(graph: Any) -> tuple[set[Edge], set[str]]:
    """(child, parent) pairs of URIs, and the URIs of all concepts."""
    from rdflib import OWL, RDF, RDFS, SKOS, URIRef

    edges = set()
    for relation, order in ((SKOS.broader, 1), (SKOS.narrower, -1), (RDFS.subClassOf, 1)):
        edges |= {pair[::order] for pair in graph.subject_objects(relation)}
    edges = {
        (str(child), str(parent))
        for child, parent in edges
        if isinstance(child, URIRef) and isinstance(parent, URIRef) and child != parent
    }
    kinds = (SKOS.Concept, OWL.Class, RDFS.Class)
    subjects = {one for kind in kinds for one in graph.subjects(RDF.type, kind)}
    concepts = {str(one) for one in subjects if isinstance(one, URIRef)}
    return edges, concepts.union(*edges)


def _names_of(graph: Any, concepts: Iterable[str], names: str) -> dict[str, str]:
    """The name of each URI."""
    from rdflib import RDFS, SKOS, URIRef

    called = {}
    for uri in concepts:
        labels = []
        if names == "label":
            for relation in (SKOS.prefLabel, RDFS.label):
                labels += sorted(graph.objects(URIRef(uri), relation), key=_language_order)[:1]
        text = " ".join(str(labels[0]).split()) if labels else ""
        called[uri] = text or re.split("[#/:]", uri.rstrip("#/:"))[-1] or uri
    return called


def _language_order(label: Any) -> tuple[bool, bool, str, str]:
    """Labels without a language first, then English ones, then by language."""
    code = getattr(label, "language", None) or ""
    return (code != "", code != "en", code, str(label))


MOST_CHARACTERS = 2**26
HEADER = {"child", "parent"}
SHAPES = (
    'expected {"child": ["parent", ...]}, a list of ["child", "parent"], or nested objects such as '
    '{"Thing": {"Agent": {}}}'
)


def read_ontology(path: PathLike, *, names: str = "label") -> Ontology:
    """The `Ontology` of a file. Its ending (`.gz` apart) tells the format.

    - `.csv`, `.tsv`: rows child, parent. A first row that says child and parent, in either order,
      names the columns. An empty or absent parent makes a concept without one.
    - `.json`: {"child": ["parent", ...]}, or a list of ["child", "parent"], or nested objects
      {"Thing": {"Agent": {}}}; a concept that is nested in several has several parents.
    - `.rdf`, `.owl`, `.skos`, `.ttl`: SKOS (broader, narrower) or OWL (subClassOf) in RDF/XML or
      Turtle. Needs rdflib, which the extra `rdf` installs. Classes without a URI are passed over.

    Parameters
    ----------
    names : "label" or "fragment"
        Names of RDF concepts: prefLabel or label (without language, else English, else
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
    if suffix not in _READERS:
        raise FormatError(
            f"unknown ending {quoted(suffix)} of an ontology; rename the file "
            f"({', '.join(_READERS)})",
            path,
        )
    edges, concepts = _READERS[suffix](path, names)
    long = [name for name in chain(concepts, *edges) if is_too_long(name)]
    if long:
        raise FormatError(f"an overlong name, {quoted(long[0][:40])}...; {SHORTER}", path)
    try:
        return Ontology.from_edges(edges, concepts)
    except ValueError as error:
        raise FormatError(f"no ontology: {error}", path) from error


def _read_rows(path: PathLike, names: str) -> _Edges:
    """Edges and concepts of a table."""
    delimiter = "\t" if suffix_of(path) == ".tsv" else ","
    edges, concepts, order = [], [], 1
    problems: list[Problem] = []
    with open_text(path) as lines:
        rows = csv.reader(bounded_lines(lines), delimiter=delimiter, strict=True)
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
                    problems.append(Problem(rows.line_num, f"a row of {quoted(row)}", advice))
                elif any(map(is_too_long, cells)):
                    problems.append(Problem(rows.line_num, "an overlong name", SHORTER))
                elif cells[1]:
                    edges.append((cells[0], cells[1]))
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


def _read_json(path: PathLike, names: str) -> _Edges:
    """Edges and concepts of a JSON file."""
    with open_text(path) as lines:
        text = lines.read(MOST_CHARACTERS + 1)
    if len(text) > MOST_CHARACTERS:
        raise FormatError(f"more than {MOST_CHARACTERS} characters; use a table instead", path)
    try:
        return _edges_of(
            parsed_json(text, object_pairs_hook=_checked_object, parse_constant=reject_constant)
        )
    except ContentError as mistake:
        raise FormatError(str(mistake), path) from None
    except NotJSONError as error:
        raise FormatError(f"invalid JSON ({error.reason}); {SHAPES}", path, error.line) from None


def _checked_object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object, if no name occurs twice in it."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ContentError(f"{quoted(twice)} occurs twice in one object", "merge the two")
    return found


def _edges_of(data: Any) -> _Edges:
    """Edges and concepts of parsed JSON."""
    if isinstance(data, list):
        if all(_is_names(row) and len(row) == 2 for row in data):
            return [(child, parent) for child, parent in data], []
    elif isinstance(data, dict) and all(_is_names(above) for above in data.values()):
        edges = [(child, parent) for child, above in data.items() for parent in above]
        return edges, list(data)
    elif isinstance(data, dict):
        return _nested_edges(data)
    raise ContentError("neither edges nor a tree", SHAPES)


def _is_names(value: object) -> bool:
    """Whether a JSON value is a list of names."""
    return isinstance(value, list) and all(isinstance(name, str) and name for name in value)


def _nested_edges(tree: dict[str, Any]) -> _Edges:
    """Edges and concepts of nested objects."""
    edges, concepts, waiting = [], list(tree), list(tree.items())
    while waiting:
        parent, children = waiting.pop()
        if not isinstance(children, dict):
            raise ContentError(f"{quoted(parent)} holds a {type(children).__name__}", SHAPES)
        edges += [(child, parent) for child in children]
        waiting += children.items()
    return edges, concepts


_READERS = {
    ".csv": _read_rows,
    ".tsv": _read_rows,
    ".json": _read_json,
    ".rdf": _read_rdf,
    ".owl": _read_rdf,
    ".skos": _read_rdf,
    ".ttl": _read_rdf,
}


def read_closeness(
    path: PathLike, *, concepts: Iterable[str] | None = None, names: str = "label"
) -> dict[Edge, float]:
    """How close concepts are: {(a, b): number in [0, 1]} with a <= b.

    Of an ontology, a file that `read_ontology` can read by its ending, BDM is computed. Any other
    file is one of GATE's BDM files: a first line of free text, then `key=A, response=B, bdm=0.66,
    ...`, one line for each unordered pair. Concepts that a file names by URI are called by the last
    part of it.

    Parameters
    ----------
    concepts : iterable of str, optional
        Only pairs of these: labels in use. Names that the file does not have are passed over. By
        default all; more than 2000 have too many pairs.
    names : "label" or "fragment"
        Names of RDF concepts: their labels, or the last part of their URI.

    Raises
    ------
    FormatError
        If the file cannot be read, or has too many pairs.
    ImportError
        Without rdflib, for RDF.

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
    if suffix_of(path) not in _READERS:
        return read_bdm(path, wanted)
    ontology = read_ontology(path, names=names)
    found = [name for name in ontology.concepts if wanted is None or name in wanted]
    if len(found) > MOST_CONCEPTS:
        raise FormatError(too_many(len(found)), path)
    return closeness(ontology, found)
