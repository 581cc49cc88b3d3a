"""GateDocument XML to and from the dictionary that gatenlp makes a document of.

The loader of gatenlp opens URLs, expands entities, and takes the text "false" for true.
"""

import math
from itertools import count
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from .errors import FormatError, Mistake
from .rows import shown
from .safe_xml import checked_characters, checked_xml

TRUTH = {"true": True, "false": False}
JAVA = "java.lang."
READ_AS = {
    "String": str,
    "Boolean": TRUTH.__getitem__,
    **dict.fromkeys(("Byte", "Short", "Integer", "Long"), int),
    **dict.fromkeys(("Float", "Double", "java.math.BigDecimal"), float),
}
# As attributes have them; text would lose its carriage returns otherwise.
KEPT = {"\r": "&#13;"}
KEPT_IN_ATTRIBUTES = KEPT | {"\n": "&#10;", "\t": "&#9;"}


def bdoc_of(data, path):
    """The bytes of GATE XML as a bdoc dictionary with offsets in characters.

    Features that are neither text, numbers nor truth are left out.

    Raises
    ------
    FormatError
        If it is not sound XML, or no GateDocument.
    """
    root = ElementTree.fromstring(checked_xml(data, path))
    if root.tag != "GateDocument":
        raise FormatError(f"an XML file of {shown(root.tag)}; expected a GateDocument", path)
    try:
        text, offsets = text_with_nodes(root)
        return {
            "text": text,
            "features": features_of(root.find("GateDocumentFeatures")),
            "offset_type": "p",
            "annotation_sets": sets_of(root, offsets),
        }
    except Mistake as mistake:
        raise FormatError(f"{mistake.found}; {mistake.advice}.", path) from None


def text_with_nodes(root):
    """The text, and the offset of each node in it."""
    found = root.findall("TextWithNodes")
    if len(found) != 1:
        raise Mistake(f"{len(found)} elements TextWithNodes", "a GateDocument has one")
    pieces, offsets, at = [found[0].text or ""], {}, len(found[0].text or "")
    for node in found[0]:
        name = node.get("id")
        if node.tag != "Node" or len(node) or node.text or name is None or name in offsets:
            raise Mistake(
                f"an element {node.tag} with id {name!r} in the text",
                "the text has empty nodes, each with an id of its own",
            )
        offsets[name] = at
        pieces.append(node.tail or "")
        at += len(pieces[-1])
    return "".join(pieces), offsets


def sets_of(root, offsets):
    """The annotation sets by name, as bdoc has them."""
    found = {}
    for each in root.findall("AnnotationSet"):
        name = each.get("Name", "")
        if name in found:
            raise Mistake(f"two annotation sets {name!r}", "rename one")
        rows = [annotation_of(one, offsets) for one in each.findall("Annotation")]
        found[name] = {"name": name, "annotations": rows}
    return found


def annotation_of(element, offsets):
    """One annotation, as bdoc has it."""
    said = [element.get(key) for key in ("Id", "Type", "StartNode", "EndNode")]
    number, kind, start, end = said
    if None in said or not {start, end} <= offsets.keys() or offsets[start] > offsets[end]:
        raise Mistake(
            f"an annotation {kind!r} with id {number!r} from node {start!r} to {end!r}",
            "an annotation needs an Id, a Type, and nodes in the text, in this order",
        )
    return {
        "id": converted(int, number),
        "type": kind,
        "start": offsets[start],
        "end": offsets[end],
        "features": features_of(element),
    }


def features_of(element):
    """Simple features of the document or an annotation."""
    found = {}
    for feature in () if element is None else element.findall("Feature"):
        name, said = feature.find("Name"), feature.find("Value")
        if name is None or said is None:
            raise Mistake("a feature without Name or Value", "a feature needs both")
        kind = (said.get("className") or JAVA + "String").removeprefix(JAVA)
        if kind in READ_AS and not len(said):
            found[name.text or ""] = converted(READ_AS[kind], said.text or "")
    return found


def converted(kind, text):
    """A value of its kind."""
    try:
        return kind(text)
    except (ValueError, KeyError):
        raise Mistake(f"the value {shown(text)}", "it is not of the kind that it says") from None


def gate_xml(bdoc, path):
    """A bdoc dictionary with offsets in characters as the text of GATE XML.

    Annotations are numbered anew: GATE wants different ids in the whole document.

    Raises
    ------
    FormatError
        For a character that XML cannot hold, or a feature that is not simple.
    """
    lines = ["<?xml version='1.0' encoding='UTF-8'?>", '<GateDocument version="3">']
    lines += ["<GateDocumentFeatures>", *feature_lines(bdoc["features"], path)]
    lines += ["</GateDocumentFeatures>", text_line(bdoc)]
    numbers = count()
    for name in sorted(bdoc["annotation_sets"]):
        lines.append(f"<AnnotationSet Name={attribute(name)}>" if name else "<AnnotationSet>")
        for each in bdoc["annotation_sets"][name]["annotations"]:
            lines += annotation_lines(each | {"id": next(numbers)}, path)
        lines.append("</AnnotationSet>")
    return checked_characters("\n".join([*lines, "</GateDocument>", ""]), "the document", path)


def text_line(bdoc):
    """The text with a node wherever an annotation begins or ends, named by its offset."""
    text, sets = bdoc["text"], bdoc["annotation_sets"].values()
    rows = [each for found in sets for each in found["annotations"]]
    cuts = sorted({0, len(text), *(each[key] for each in rows for key in ("start", "end"))})
    parts = [
        f'<Node id="{start}"/>{escape(text[start:end], KEPT)}'
        for start, end in zip(cuts, [*cuts[1:], len(text)])
    ]
    return f"<TextWithNodes>{''.join(parts)}</TextWithNodes>"


def annotation_lines(each, path):
    """The lines of one annotation."""
    place = f'StartNode="{each["start"]}" EndNode="{each["end"]}"'
    yield f'<Annotation Id="{each["id"]}" Type={attribute(each["type"])} {place}>'
    yield from feature_lines(each["features"], path)
    yield "</Annotation>"


def attribute(text):
    return quoteattr(text, KEPT_IN_ATTRIBUTES)


def feature_lines(features, path):
    """The lines of features."""
    for name in sorted(features):
        kind, text = written(features[name], name, path)
        name, text = (escape(each, KEPT) for each in (name, text))
        yield f'<Feature><Name className="java.lang.String">{name}</Name>'
        yield f'<Value className="java.lang.{kind}">{text}</Value></Feature>'


def written(found, name, path):
    """(class in Java, text) of a simple value."""
    if type(found) is str:
        return "String", found
    if type(found) is bool:
        return "Boolean", str(found).lower()
    if type(found) is int and -(2**63) <= found < 2**63:
        return ("Integer" if -(2**31) <= found < 2**31 else "Long"), str(found)
    if type(found) is float and math.isfinite(found):
        return "Double", repr(found)
    raise FormatError(
        f"feature {name!r} is {shown(found)}; GATE XML holds strings, finite numbers and truth",
        path,
    )
