"""UIMA CAS by hand: XMI, type systems, JSON."""

import json

TEXT = "Ada \U0001f600 slept"
UNITS = {0: 0, 3: 3, 4: 4, 5: 6, 6: 7, 11: 12}  # characters to UTF-16 units
DKPRO = "de.tudarmstadt.ukp.dkpro.core.api."
TYPES = {
    DKPRO + "segmentation.type.Token": {},
    DKPRO + "segmentation.type.Sentence": {},
    DKPRO + "metadata.type.DocumentMetaData": {"documentTitle": "String", "documentId": "String"},
    DKPRO + "ner.type.NamedEntity": {
        "value": "String",
        "identifier": "String",
        "sure": "Boolean",
        "n": "Integer",
        "p": "Double",
    },
    "webanno.custom.Arrow": {"Governor": "String", "Dependent": "String", "value": "String"},
    "webanno.custom.Part": {"kind": "String", "n": "Integer"},
    "webanno.custom.Whole": {"label": "String", "other": "String"},
    "my.Bare": {},
}
SHORT = {name.rpartition(".")[2]: name for name in TYPES}
TOKENS = [("Token", 0, 3), ("Token", 4, 5), ("Token", 6, 11)]
ENTITIES = [("NamedEntity", 0, 3, {"value": "PER"}), ("NamedEntity", 4, 11, {"value": "LOC"})]


def type_system():
    """The XML of the type system."""
    parts = []
    for name, features in TYPES.items():
        said = "".join(
            f"<featureDescription><name>{one}</name><description/>"
            f"<rangeTypeName>uima.cas.{kind}</rangeTypeName></featureDescription>"
            for one, kind in features.items()
        )
        parts.append(
            f"<typeDescription><name>{name}</name><description/><supertypeName>uima.tcas.Annotation"
            f"</supertypeName><features>{said}</features></typeDescription>"
        )
    return (
        '<?xml version="1.0" encoding="UTF-8"?><typeSystemDescription '
        f'xmlns="http://uima.apache.org/resourceSpecifier"><types>{"".join(parts)}</types>'
        "</typeSystemDescription>"
    )


def xmi(*rows, text=TEXT):
    """The XMI of rows (short type, start, end, features), places in characters."""
    parts = []
    for i, (kind, start, end, *said) in enumerate(rows, 2):
        package, _, name = SHORT[kind].rpartition(".")
        more = "".join(f' {key}="{value}"' for key, value in dict(*said).items())
        parts.append(
            f'<t:{name} xmlns:t="http:///{package.replace(".", "/")}.ecore" xmi:id="{i}" sofa="1" '
            f'begin="{UNITS.get(start, start)}" end="{UNITS.get(end, end)}"{more}/>'
        )
    members = " ".join(str(i) for i in range(2, len(rows) + 2))
    return (
        '<?xml version="1.0" encoding="UTF-8"?><xmi:XMI '
        'xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmi:version="2.0">'
        f'<cas:NULL xmi:id="0"/>{"".join(parts)}<cas:Sofa xmi:id="1" sofaNum="1" '
        'sofaID="_InitialView" '
        f'mimeType="text" sofaString="{text}"/><cas:View sofa="1" members="{members}"/></xmi:XMI>'
    )


def json_cas(*rows, text=TEXT):
    """The JSON CAS of the same rows."""
    found = [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView"}
        | {"mimeType": "text", "sofaString": text}
    ]
    for i, (kind, start, end, *said) in enumerate(rows, 2):
        place = {"begin": UNITS.get(start, start), "end": UNITS.get(end, end)}
        found.append({"%ID": i, "%TYPE": SHORT[kind], "@sofa": 1} | place | dict(*said))
    described = {
        name: {"%NAME": name, "%SUPER_TYPE": "uima.tcas.Annotation"}
        | {one: {"%NAME": one, "%RANGE": f"uima.cas.{kind}"} for one, kind in features.items()}
        for name, features in TYPES.items()
    }
    views = {"_InitialView": {"%SOFA": 1, "%MEMBERS": [*range(2, len(rows) + 2)]}}
    return json.dumps({"%TYPES": described, "%FEATURE_STRUCTURES": found, "%VIEWS": views})
