"""GATE XML and bdoc."""

import gzip
import json
from functools import partial

import pytest

from spacy_chance_eval import formats
from spacy_chance_eval.formats.errors import FormatError

TEXT_OF_ALL = "Ada \U0001f600 slept"
WITH_NODES = (
    '<TextWithNodes><Node id="0"/>Ada<Node id="3"/> <Node id="4"/>\U0001f600<Node id="6"/> '
    '<Node id="7"/>slept<Node id="12"/></TextWithNodes>'
)
NODES = {0: 0, 3: 3, 4: 4, 5: 6, 6: 7, 11: 12}  # characters to UTF-16 units
TOKENS = [("Token", 0, 3), ("Token", 4, 5), ("Token", 6, 11)]


def bdoc(sets, offset_type="p", **more):
    """The text of a bdoc file; sets hold rows (type, start, end, features)."""
    at = NODES.__getitem__ if offset_type == "j" else int
    found = {
        name: {
            "name": name,
            "annotations": [
                {"id": i, "type": kind, "start": at(start), "end": at(end), "features": dict(*said)}
                for i, (kind, start, end, *said) in enumerate(rows)
            ],
        }
        for name, rows in sets.items()
    }
    return json.dumps(
        {"text": TEXT_OF_ALL, "offset_type": offset_type, "annotation_sets": found} | more
    )


def xml(sets, features="", nodes=WITH_NODES):
    """The text of a GATE XML file."""
    found = "".join(
        f"<AnnotationSet{f' Name={json.dumps(name)}' if name else ''}>"
        + "".join(
            f'<Annotation Id="{i}" Type="{kind}" StartNode="{NODES[start]}" EndNode="{NODES[end]}">'
            + "".join(feature(*pair) for pair in dict(*said).items())
            + "</Annotation>"
            for i, (kind, start, end, *said) in enumerate(rows)
        )
        + "</AnnotationSet>"
        for name, rows in sets.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<GateDocument version="3">'
        f"<GateDocumentFeatures>{features}</GateDocumentFeatures>{nodes}{found}</GateDocument>"
    )


def feature(name, value, kind="java.lang.String"):
    return (
        f'<Feature><Name className="java.lang.String">{name}</Name>'
        f'<Value className="{kind}">{value}</Value></Feature>'
    )


READ = partial(formats.read, format="gate")


@pytest.fixture
def reading(tmp_path):
    def read(text, **options):
        path = tmp_path / ("a.xml" if text.startswith("<") else "a.bdocjs")
        path.write_text(text, encoding="utf-8")
        return READ(path, **options)

    return read


@pytest.fixture
def failing(reading):
    def fail(text, **options):
        with pytest.raises(FormatError) as caught:
            reading(text, **options)
        return str(caught.value)

    return fail


SETS = {"": TOKENS, "ann": [("PER", 0, 3), ("LOC", 4, 11)], "bob": []}


def test_an_external_entity_shows_nothing_of_its_file(failing, tmp_path):
    (tmp_path / "secret").write_text("open sesame")
    entity = f'<!DOCTYPE a [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
    assert "sesame" not in failing(entity + xml(SETS, feature("a", "&x;")).partition("\n")[2])


def test_a_url_of_nothing_is_one_error_that_names_it():
    with pytest.raises(FormatError, match="^http://localhost:9/a.xml: "):
        READ("http://localhost:9/a.xml")


def test_packed_files_are_read(tmp_path):
    (tmp_path / "a.bdocjs.gz").write_bytes(gzip.compress(bdoc(SETS).encode()))
    (tmp_path / "a.bdocjs").write_text(bdoc(SETS), encoding="utf-8")
    packed, plain = (READ(tmp_path / f"a.bdocjs{end}") for end in (".gz", ""))
    assert packed.documents == plain.documents
