"""Ontologies in RDF: SKOS and OWL, read with rdflib from bytes that were checked before."""

import re

from .errors import FormatError
from .safe_xml import bounded_bytes, checked_xml

XML = re.compile(rb"(\xef\xbb\xbf)?\s*<([?!]|[\w.-]*:?RDF[\s>])|\xff\xfe|\xfe\xff")
ADVICE = "expected RDF/XML or Turtle; open and save it in the editor that it comes from"


def read_rdf(path, names):
    """Edges and concepts of a SKOS or OWL file."""
    graph = parsed(path)
    edges, concepts = statements(graph)
    called = names_of(graph, concepts, names)
    taken = {}
    for uri in sorted(concepts):
        if taken.setdefault(called[uri], uri) != uri:
            raise FormatError(
                f"{taken[called[uri]]} and {uri} are both called {called[uri]!r:.60}; rename one, "
                "or read names='fragment'",
                path,
            )
    return [(called[child], called[parent]) for child, parent in sorted(edges)], sorted(taken)


def parsed(path):
    """The statements of a file, as a graph of rdflib."""
    try:
        import rdflib
    except ImportError as error:
        raise ImportError(
            "SKOS and OWL files need rdflib: pip install 'spacy-chance-eval[rdf]' (or write the "
            "ontology as rows child,parent in a CSV file)"
        ) from error
    data = bounded_bytes(path)
    syntax = "xml" if XML.match(data) else "turtle"
    data = checked_xml(data, path) if syntax == "xml" else checked_text(data, path)
    graph = rdflib.Graph()
    try:
        graph.parse(data=data, format=syntax, publicID="urn:ontology:")
    except Exception as error:  # what rdflib raises is not documented, and is never our bug
        lines = [getattr(error, "lines", None), getattr(error, "getLineNumber", int)()]
        line = next((line for line in lines if isinstance(line, int) and line > 0), None)
        reason = " ".join(str(error).split())[:100] or type(error).__name__
        raise FormatError(f"not an ontology in RDF ({reason}); {ADVICE}", path, line) from error
    return graph


def checked_text(data, path):
    """The bytes, if they are UTF-8."""
    try:
        return data.decode("utf-8-sig").encode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            "not UTF-8 text; convert the file, or save it again", path, line
        ) from error


def statements(graph):
    """(child, parent) pairs of URIs, and the URIs of all concepts."""
    from rdflib import OWL, RDF, RDFS, SKOS, URIRef

    edges = set()
    for relation, turned in ((SKOS.broader, 1), (SKOS.narrower, -1), (RDFS.subClassOf, 1)):
        edges |= {pair[::turned] for pair in graph.subject_objects(relation)}
    edges = {
        (str(child), str(parent))
        for child, parent in edges
        if isinstance(child, URIRef) and isinstance(parent, URIRef) and child != parent
    }
    kinds = (SKOS.Concept, OWL.Class, RDFS.Class)
    subjects = {one for kind in kinds for one in graph.subjects(RDF.type, kind)}
    concepts = {str(one) for one in subjects if isinstance(one, URIRef)}
    return edges, concepts.union(*edges)


def names_of(graph, concepts, names):
    """What each URI is called."""
    from rdflib import RDFS, SKOS, URIRef

    called = {}
    for uri in concepts:
        labels = []
        if names == "label":
            for relation in (SKOS.prefLabel, RDFS.label):
                labels += sorted(graph.objects(URIRef(uri), relation), key=language)[:1]
        text = " ".join(str(labels[0]).split()) if labels else ""
        called[uri] = text or re.split("[#/:]", uri.rstrip("#/:"))[-1] or uri
    return called


def language(label):
    """Labels without a language first, then English ones, then by language."""
    code = getattr(label, "language", None) or ""
    return (code != "", code != "en", code, str(label))
