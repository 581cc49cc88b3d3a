"""GATE XML and bdoc."""

import gzip
import json
import re
from functools import partial

import pytest

from spacy_chance_eval import formats
from spacy_chance_eval.formats import read
from spacy_chance_eval.formats.errors import FormatError

WORDS = ("Ada", "\U0001f600", "slept")
SPANS = ((0, 1, "PER"), (1, 3, "LOC"))
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


BOTH = pytest.mark.parametrize("made", [bdoc, xml], ids=["bdoc", "xml"])
SETS = {"": TOKENS, "ann": [("PER", 0, 3), ("LOC", 4, 11)], "bob": []}


@BOTH
def test_every_annotation_set_is_a_layer_and_its_types_are_labels(reading, made):
    one = reading(made(SETS)).documents[0]
    assert (one.words, one.text, one.name) == (WORDS, TEXT_OF_ALL, "a")
    assert one.layers == {"ann": SPANS, "bob": ()}


def test_java_offsets_count_utf_16_units(reading):
    assert reading(bdoc(SETS, "j")) == reading(bdoc(SETS))


def test_a_java_offset_inside_a_character_is_an_error(failing):
    text = bdoc(SETS, "j").replace('"start": 7', '"start": 5')
    assert "a start and an end in the text" in failing(text)


@BOTH
def test_the_default_set_is_a_layer_if_it_has_more_than_tokens(reading, made):
    sets = {"": [*TOKENS, ("Sentence", 4, 11), ("SpaceToken", 3, 4), ("PER", 0, 3)]}
    one = reading(made(sets)).documents[0]
    assert one.layers == {"default": ((0, 1, "PER"),)} and one.sents == (1,)


@BOTH
def test_linguistic_sets_and_markup_are_no_layers(reading, made):
    sets = {"pre": [("Token", 0, 3), ("Split", 0, 3)], "Original markups": [("p", 0, 11)]}
    assert reading(made(sets)).layer_names == ()


def test_without_tokens_positions_are_characters(reading):
    sets = {"ann": [("PER", 4, 11)]}
    assert reading(bdoc(sets)).positions == "char"


def test_options_name_one_set_some_types_and_the_label(reading):
    sets = SETS | {"ann": [("PER", 0, 3), ("LOC", 4, 11, {"kind": "city", "n": 2})]}
    assert reading(bdoc(sets), layer="bob").layer_names == ("bob",)
    one = reading(bdoc(sets), type="LOC", feature="kind").documents[0]
    assert one.layers == {"ann": ((1, 3, "city"),), "bob": ()}
    assert one.features == {"ann": {(1, 3, "city"): {"n": 2}}}
    assert reading(bdoc(sets), type="LOC,PER").documents[0].layers["ann"] == SPANS


def test_linguistic_types_can_be_asked_for(reading):
    one = reading(bdoc(SETS), layer="default", type="Token").documents[0]
    assert len(one.layers["default"]) == 3


def test_a_label_that_an_annotation_lacks_is_an_error(failing):
    assert "PER [0, 3) of set ann has no feature 'kind'" in failing(bdoc(SETS), feature="kind")


def test_features_of_xml_have_their_kinds(reading):
    said = feature("a", "false", "java.lang.Boolean") + feature("b", "3", "java.lang.Long")
    said += feature("c", "0.5", "java.lang.Double") + feature("d", " x ") + feature("e", "")
    said += feature("f", "NaN", "java.lang.Double") + feature("g", "3.4", "java.math.BigDecimal")
    found = reading(xml(SETS, said)).documents[0].attributes
    assert found == {"a": False, "b": 3, "c": 0.5, "d": " x ", "e": "", "g": 3.4}
    assert found["a"] is False


def test_wrapped_objects_are_left_alone(reading):
    laughs = "&lt;!DOCTYPE a [&lt;!ENTITY x SYSTEM 'file:///etc/passwd'&gt;]&gt;&lt;a&gt;&amp;x;"
    said = feature("w", laughs, "gate.corpora.ObjectWrapper")
    assert reading(xml(SETS, said)).documents[0].attributes == {}


def test_spans_between_tokens_are_errors_or_unplaced(reading, failing):
    text = bdoc({"": TOKENS, "ann": [("PER", 0, 4)]})
    assert "does not fit the borders of tokens" in failing(text)
    assert reading(text, misaligned="unplaced").documents[0].unplaced == {"ann": ((1, "PER"),)}


def test_annotations_without_id_are_read(reading):
    of_xml, of_bdoc = re.sub(' Id="."', "", xml(SETS)), re.sub('"id": ., ', "", bdoc(SETS))
    assert reading(of_xml) == reading(xml(SETS))
    assert reading(of_bdoc) == reading(bdoc(SETS))


@BOTH
def test_annotations_without_length_are_left_out_with_a_note(reading, made):
    found = reading(made(SETS | {"ann": [*SETS["ann"], ("POINT", 3, 3)]}))
    assert found.documents == reading(made(SETS)).documents
    assert found.notes.sentences() == [
        f"1 annotation without length was left out: POINT at 3 of set ann ({found.path})"
    ]


def test_tokens_without_length_are_no_tokens(reading):
    assert reading(bdoc(SETS | {"": [*TOKENS, ("Token", 11, 11)]})) == reading(bdoc(SETS))


def test_features_without_a_value_are_read(reading):
    said = "".join(feature("a", "", kind) for kind in ("java.lang.Integer", "java.lang.Boolean"))
    assert reading(xml(SETS, said)).documents[0].attributes == {}


@BOTH
def test_an_empty_value_is_a_label_of_its_own(reading, made):
    sets = {"ann": [("PER", 0, 3, {"kind": ""}), ("LOC", 4, 11, {"kind": "x"})]}
    found = reading(made(sets), feature="kind").documents[0]
    assert found.layers["ann"] == ((0, 3, "(empty)"), (4, 11, "x"))


def test_annotations_without_the_label_can_have_one(reading):
    sets = {"ann": [("PER", 0, 3), ("LOC", 4, 11, {"kind": "x"})]}
    found = reading(xml(sets), feature="kind=none").documents[0]
    assert found.layers["ann"] == ((0, 3, "none"), (4, 11, "x"))


BLEMISHES = {
    "outside": ("spans", bdoc(SETS).replace('"end": 11', '"end": 12'), {}),
    "no object": ("spans", bdoc(SETS).replace('"annotations": [{', '"annotations": [7, {'), {}),
    "unknown node": ("spans", xml(SETS).replace('EndNode="12"><', 'EndNode="99"><'), {}),
    "no type": ("spans", xml(SETS).replace('Type="PER"', 'Type=""'), {}),
    "no label": ("spans", xml(SETS), {"label": "kind", "type": "PER,LOC"}),
    "no value": ("values", xml(SETS, "<Feature><Name>a</Name></Feature>"), {}),
    "no number": ("values", xml(SETS, feature("a", "x", "java.lang.Integer")), {}),
}


@pytest.mark.parametrize(("unit", "text", "options"), BLEMISHES.values(), ids=BLEMISHES)
def test_a_blemish_costs_its_annotation_or_value(failing, tmp_path, unit, text, options):
    failing(text, **options)
    path = next(tmp_path.iterdir())
    found = read(path, format="gate", on_error="skip:1", **options)
    assert [one["unit"] for one in found.notes.skipped_entries()] == [unit]
    sound = {*SPANS, (0, 3, "PER"), (4, 11, "LOC")}
    assert {*found.documents[0].layers.get("ann", ())} <= sound


ODD = {
    "no text": "{}",
    "a list": '{"text": []}',
    "no JSON": '{"text": ',
    "NaN": '{"text": "a", "features": {"a": NaN}}',
    "deep": '{"text": ' + "[" * 100_000,
    "offset type": '{"text": "a", "offset_type": "x"}',
    "sets": '{"text": "a", "annotation_sets": []}',
    "a set": '{"text": "a", "annotation_sets": {"": []}}',
    "annotation": '{"text": "a", "annotation_sets": {"": {"annotations": [1]}}}',
    "empty": "",
    "surrogate": '{"text": "\\ud800"}',
    "outside": bdoc(SETS).replace('"end": 11', '"end": 12'),
    "backwards": bdoc(SETS).replace('"start": 6', '"start": 9999'),
    "truth": bdoc(SETS).replace('"start": 0', '"start": true'),
    "overlapping tokens": bdoc({"": [("Token", 0, 4), ("Token", 3, 5)]}),
    "two default sets": bdoc({"": [("A", 0, 3)], "default": [("B", 0, 3)]}),
    "other XML": "<a/>",
    "HTML": "<html><body>",
    "no nodes": xml(SETS, nodes=""),
    "unknown node": xml(SETS).replace('StartNode="4"', 'StartNode="5"'),
    "node twice": xml(SETS).replace('id="3"', 'id="0"'),
    "no type": xml(SETS).replace(' Type="PER"', ""),
    "set twice": xml(SETS).replace('"bob"', '"ann"'),
    "boolean": xml(SETS, feature("a", "yes", "java.lang.Boolean")),
    "integer": xml(SETS, feature("a", "9" * 5000, "java.lang.Integer")),
    "no value": xml(SETS, "<Feature><Name>a</Name></Feature>"),
    "doctype": '<!DOCTYPE a [<!ENTITY x "y">]>' + xml(SETS).partition("\n")[2],
    "cut off": xml(SETS)[:-20],
    "nodes backwards": xml({"": [("Token", 6, 3)]}),  # found by fuzzing
    "two declarations": '<?xml version="1.0"?>' + xml(SETS).replace("UTF-8", "UTF"),  # too
    "unbound prefix": "<Gate:ocument/>",  # found by fuzzing
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_every_unsound_file_is_one_error_that_names_it(failing, text):
    assert failing(text).split(":")[0].endswith(("a.xml", "a.bdocjs"))


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
