"""UIMA CAS as XMI, JSON and zip, and what makes it unsound."""

import io
import os
import random
import re
import zipfile
from dataclasses import replace
from functools import partial

import pytest

from helpers.cas_files import ENTITIES, SHORT, TEXT, TOKENS, json_cas, type_system, xmi
from helpers.cases import each_case
from helpers.extras import needs
from spacy_chance_eval import formats
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError

SPANS = ((0, 1, "PER"), (1, 3, "LOC"))
SENTENCES = [("Sentence", 0, 3), ("Sentence", 4, 11)]
META = ("DocumentMetaData", 0, 11, {"documentTitle": "a.txt", "documentId": "ann"})
DOCUMENT = Document(
    ("Ada", "\U0001f600", "slept"),
    {"spans": SPANS},
    name="a.txt",
    sents=(0, 1),
    text=TEXT,
    spaces=(True, True, False),
)


READ = partial(formats.read, format="cas")


@pytest.fixture
def reading(tmp_path):
    def read(text, types=None, name=None, **options):
        (tmp_path / "TypeSystem.xml").write_text(types or type_system(), encoding="utf-8")
        path = tmp_path / (name or ("a.json" if text.startswith("{") else "a.xmi"))
        path.write_text(text, encoding="utf-8")
        return READ(path, **options)

    return read


@pytest.fixture
def failing(reading):
    def fail(*arguments, **options):
        with pytest.raises(FormatError) as caught:
            reading(*arguments, **options)
        return str(caught.value)

    return fail


def packed(files, **options):
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", **options) as made:
        for name, data in files:
            made.writestr(name, data)
    return sink.getvalue()


@pytest.fixture
def reading_zip(tmp_path):
    def read(*files, **options):
        (tmp_path / "a.zip").write_bytes(packed(files, **options))
        return READ(tmp_path / "a.zip")

    return read


BOTH = pytest.mark.parametrize("made", [xmi, json_cas], ids=["xmi", "json"])
WHOLE = (*TOKENS, *SENTENCES, *ENTITIES, META)


@BOTH
def test_offsets_count_utf_16_units_and_tokens_are_positions(reading, made):
    assert reading(made(*WHOLE)) == Corpus("a", [DOCUMENT])


def test_xml_1_1_as_inception_writes_it_is_read(reading):
    assert reading(xmi(*WHOLE, version="1.1")) == Corpus("a", [DOCUMENT])


@BOTH
def test_without_tokens_positions_are_characters(reading, made):
    found = reading(made(*ENTITIES, *SENTENCES))
    assert found.positions == "char" and found.documents[0].sents == (0, 4)
    assert found.documents[0].layers == {"spans": ((0, 3, "PER"), (4, 11, "LOC"))}


@BOTH
@pytest.mark.parametrize("offset", [5, 13], ids=["inside a character", "behind the text"])
def test_an_impossible_offset_is_an_error(tmp_path, made, offset):
    text = made(*TOKENS, ("NamedEntity", 0, "x", {"value": "PER"})).replace('"x"', f'"{offset}"')
    (tmp_path / "a").write_text(text.replace(f'"end": "{offset}"', f'"end": {offset}'))
    (tmp_path / "TypeSystem.xml").write_text(type_system())
    with pytest.raises(FormatError, match="offsets count UTF-16 units of the text"):
        READ(tmp_path / "a")


def test_a_document_is_named_by_its_title_its_id_or_its_file(reading):
    said = {"documentId": "ann"}
    assert reading(xmi(META)).documents[0].name == "a.txt"
    assert reading(xmi((*META[:3], said))).documents[0].name == "ann"
    assert reading(xmi(), name="b.c.xmi").documents[0].name == "b.c"


def test_other_features_are_kept(reading):
    said = {"value": "PER", "identifier": "Q1", "sure": True, "n": -3, "p": 0.5}
    as_text = said | {"sure": "true"}
    for text in (json_cas(("NamedEntity", 0, 3, said)), xmi(("NamedEntity", 0, 3, as_text))):
        found = reading(text).documents[0].features["spans"]
        assert found == {(0, 3, "PER"): {"identifier": "Q1", "sure": True, "n": -3, "p": 0.5}}


def test_the_label_is_the_value_or_the_feature_asked_for(reading, failing):
    rows = [("NamedEntity", 0, 3, {"identifier": "Q1", "n": 4})]

    def labels(**options):
        return [label for *_, label in reading(xmi(*rows), **options).documents[0].layers["spans"]]

    assert labels(feature="identifier") == ["Q1"] and labels(feature="n") == ["4"]
    assert "has no value;" in failing(xmi(*rows))
    assert "has no value;" in failing(xmi(*rows), feature="value")
    assert "has the features value, identifier" in failing(xmi(*rows), feature="colour")


def test_the_only_custom_layer_with_annotations_is_read(reading):
    rows = [("Part", 0, 3, {"kind": "leg"}), ("Arrow", 0, 3)]
    assert reading(xmi(*rows)).documents[0].layers == {"spans": ((0, 3, "leg"),)}


def test_two_layers_with_annotations_are_listed_and_one_can_be_asked_for(reading, failing):
    rows = [("Part", 0, 3, {"kind": "leg"}), ("Whole", 0, 3, {"label": "man", "other": "x"})]
    message = failing(xmi(*rows))
    assert "webanno.custom.Part (1), webanno.custom.Whole (1)" in message and "--type" in message
    for name in ("Whole", "webanno.custom.Whole"):
        assert reading(xmi(*rows), type=name).documents[0].layers == {"spans": ((0, 3, "man"),)}
    assert "no type 'Hole' of annotations" in failing(xmi(*rows), type="Hole")


def test_named_entities_go_before_custom_layers_and_may_be_none(reading):
    rows = [ENTITIES[0], ("Part", 0, 3, {"kind": "leg"})]
    assert reading(xmi(*rows)).documents[0].layers == {"spans": ((0, 3, "PER"),)}
    assert reading(xmi()).documents[0].layers == {"spans": ()}


def test_a_type_without_features_has_no_label(failing):
    assert "my.Bare has the features none" in failing(xmi(("Bare", 0, 3)), type="Bare")


def test_spans_between_tokens_are_errors_or_unplaced(reading, failing):
    text = xmi(*TOKENS, ("NamedEntity", 0, 4, {"value": "PER"}))
    assert "does not fit the borders of tokens" in failing(text)
    assert reading(text, misaligned="unplaced").documents[0].unplaced == {"spans": ((1, "PER"),)}


def test_the_only_view_with_a_text_is_read(reading, failing):
    assert reading(xmi(ENTITIES[0], view="other")).documents[0].text == TEXT
    assert "0 views with a text" in failing(xmi().replace("sofaString", "sofaURI"))


def test_the_type_system_may_lie_above_or_be_named_but_is_no_link(tmp_path):
    folder = tmp_path / "annotation" / "doc"
    folder.mkdir(parents=True)
    rows = [("Part", 0, 3, {"kind": "leg", "n": 4})]  # of which n is read if its type is known
    (folder / "ann.xmi").write_text(xmi(*rows), encoding="utf-8")
    (tmp_path / "types.xml").write_text(type_system())

    def features(**options):
        return dict(READ(folder / "ann.xmi", **options).documents[0].features.get("spans", {}))

    assert features(typesystem=tmp_path / "types.xml") == {(0, 3, "leg"): {"n": 4}}
    os.symlink(tmp_path / "types.xml", folder / "TypeSystem.xml")
    assert features() == {}
    (tmp_path / "types.xml").rename(tmp_path / "TypeSystem.xml")
    assert features() == {(0, 3, "leg"): {"n": 4}}


@pytest.fixture
def reading_alone(tmp_path):
    def read(text, **options):
        path = tmp_path / "alone" / ("a.json" if text.startswith("{") else "a.xmi")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return formats.read(path, format="cas", **options)

    return read


@pytest.mark.parametrize(
    "text", [xmi(*WHOLE), json_cas(*WHOLE[:-1], types={})], ids=["xmi", "json"]
)
def test_dkpros_types_need_no_type_system(reading_alone, text):
    found = reading_alone(text).documents[0]
    assert found == replace(DOCUMENT, name=found.name)


def test_other_types_of_xmi_are_inferred_without_features_that_are_numbers(reading_alone):
    rows = [("Part", 0, 3, {"kind": "leg", "n": 4, "other": "x"}), ("Part", 4, 11, {"kind": "9"})]
    found = reading_alone(xmi(*TOKENS, *rows), feature="kind").documents[0]
    assert found.layers == {"spans": ((0, 1, "leg"), (1, 3, "9"))}
    assert found.features == {"spans": {(0, 1, "leg"): {"other": "x"}}}


def test_of_several_inferred_types_one_has_to_be_named(reading_alone):
    text = xmi(("Bare", 0, 3), ("Part", 0, 3, {"kind": "leg"}))
    with pytest.raises(FormatError, match="my.Bare .1., .*webanno.custom.Part .1."):
        reading_alone(text)
    assert reading_alone(text, type="Part").documents[0].layers == {"spans": ((0, 3, "leg"),)}


def test_a_text_and_an_annotation_may_have_the_same_id(reading):
    text = xmi(*ENTITIES).replace('xmi:id="2"', 'xmi:id="1"').replace("2 3", "1 3")
    assert reading(text) == reading(xmi(*ENTITIES))


@BOTH
def test_spans_without_a_label_can_have_one(reading, failing, made):
    rows = [*ENTITIES, ("NamedEntity", 6, 11)]
    assert "--label-feature value=LABEL" in failing(made(*rows))
    found = reading(made(*rows), feature="value=none").documents[0].layers["spans"]
    assert found == ((0, 3, "PER"), (4, 11, "LOC"), (6, 11, "none"))
    assert reading(made(("Bare", 0, 3)), type="Bare", feature="value=none").documents[0].layers


ENTITY = {
    "no label": (6, 11),
    "empty": (3, 3, {"value": "A"}),
    "outside": (6, 99, {"value": "A"}),
    "inside a character": (4, "5", {"value": "A"}),
}


@pytest.mark.parametrize("entity", ENTITY.values(), ids=ENTITY)
@BOTH
def test_a_blemish_costs_its_span(reading, reading_alone, made, entity):
    text = made(*ENTITIES, ("NamedEntity", *entity)).replace('"end": "5"', '"end": 5')
    found = reading_alone(text, on_error="skip:.5")
    assert found.documents == reading(made(*ENTITIES)).documents
    assert [one["unit"] for one in found.notes.skipped_entries()] == ["spans"]


def test_a_zip_of_inception_is_read(reading_zip):
    files = [("TypeSystem.xml", type_system()), ("ann.xmi", xmi(*WHOLE)), ("d/", "")]
    assert reading_zip(*files) == Corpus("a", [DOCUMENT])
    assert reading_zip(("a.json", json_cas(*WHOLE))) == Corpus("a", [DOCUMENT])


def project(*files):
    """A zip of a project with a zip for each (document, annotator, rows)."""
    found = [("source/a.txt", TEXT)]
    for document, annotator, rows in files:
        inner = packed([("a.xmi", xmi(*TOKENS, *rows)), ("TypeSystem.xml", type_system())])
        found.append((f"annotation/{document}/{annotator}.zip", inner))
    return found


def test_a_zip_of_a_project_has_a_layer_for_each_annotator(reading_zip):
    files = [("a.txt", "INITIAL_CAS", []), ("a.txt", "ann", ENTITIES), ("b.txt", "ann", [])]
    corpus = reading_zip(
        ("exportedproject1.json", ""), *project(*files, ("a.txt", "ben", ENTITIES[:1]))
    )
    assert [one.name for one in corpus.documents] == ["a.txt", "b.txt"]
    assert [one.layers for one in corpus.documents] == [
        {"ann": SPANS, "ben": SPANS[:1]},
        {"ann": ()},
    ]


TSV = "#FORMAT=WebAnno TSV 3.3\n"
NER = "#T_SP=a.NamedEntity|value\n"
ROWS = "1-1\t0-3\tAda\tPER{}\n1-2\t4-9\tslept\t_{}\n"


def test_a_project_may_hold_webanno_tsv(reading_zip):
    corpus = reading_zip(
        ("exportedproject1.json", ""),
        ("annotation/a.txt/ann.tsv", TSV + NER + ROWS.format("", "")),
        ("annotation/a.txt/ben.tsv", TSV + NER + "#T_SP=b.B|x\n" + ROWS.format("\tX", "\t_")),
        ("annotation/a.txt/eve.tsv", TSV + ROWS.replace("PER", "_").format("", "")),
    )
    spans = ((0, 1, "PER"),)
    assert corpus.documents[0].layers == {"ann": spans, "ben": spans, "eve": ()}


@each_case(
    ("files", "message"),
    [
        (
            [
                (
                    "annotation/a/b.tsv",
                    TSV + "#T_SP=a.A|x\n#T_SP=b.B|x\n" + ROWS.format("\tX", "\t_"),
                )
            ],
            "layers A, B; name the type",
        ),
        ([("annotation/a/b.tsv", b"\xff")], "b.tsv: not UTF-8"),
        (
            [("annotation_ser/a.txt/ann.ser", "")],
            "a project without annotations as XMI, JSON or TSV",
        ),
        (
            project(("a.txt", "INITIAL_CAS", [])),
            "a project without annotations as XMI, JSON or TSV",
        ),
        ([("annotation/a/ann.xmi", "<a/>")], "a.zip/annotation/a/ann.xmi: "),
        (
            [("annotation/a/ann.xmi", xmi(*TOKENS)), ("annotation/a/ben.xmi", xmi())],
            "with tokens, and others without",
        ),
        (
            [("annotation/a/ann.xmi", xmi()), ("annotation/a/ben.xmi", xmi(text="Ben"))],
            "need the same text",
        ),
    ],
)
def test_an_unsound_project_is_an_error(reading_zip, files, message):
    with pytest.raises(FormatError, match=message):
        reading_zip(("exportedproject1.json", "{}"), *files)


BAD_ZIPS = {
    "nothing": [],
    "two documents": [("a.xmi", xmi()), ("b.xmi", xmi()), ("TypeSystem.xml", type_system())],
    "something else": [("a.xmi", xmi()), ("TypeSystem.xml", type_system()), ("c.exe", "")],
}


@pytest.mark.parametrize("files", BAD_ZIPS.values(), ids=BAD_ZIPS)
def test_other_zips_are_errors(reading_zip, tmp_path, files):
    with pytest.raises(FormatError):
        reading_zip(*files)
    assert [one.name for one in tmp_path.iterdir()] == ["a.zip"]


@pytest.mark.integration
def test_a_zip_bomb_is_an_error(reading_zip):
    with pytest.raises(FormatError, match="unpacked it is too large"):
        reading_zip(("a.xmi", b" " * (2**26 + 1)), compression=zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_zip_of_unbounded_packing_is_an_error(reading_zip, method):
    with pytest.raises(FormatError, match="packed in an unusual way"):
        reading_zip(("a.xmi", xmi()), compression=method)


def test_a_damaged_zip_is_an_error(tmp_path):
    whole = packed([("a.xmi", xmi()), ("TypeSystem.xml", type_system())])
    for cut in (4, len(whole) // 2, len(whole) - 3):
        (tmp_path / "a.zip").write_bytes(whole[:cut])
        with pytest.raises(FormatError, match="not a sound zip file"):
            READ(tmp_path / "a.zip")


ODD = {
    "empty": "",
    "other XML": "<a/>",
    "cut off": xmi(*ENTITIES)[:-30],
    "no sofa": xmi().replace("cas:Sofa", "cas:NULL"),
    "begin": xmi(*ENTITIES).replace('begin="0"', 'begin="x"'),
    "kind": xmi(("NamedEntity", 0, 3, {"value": "A", "sure": "x"})),
    "backwards": xmi(("NamedEntity", 6, 3, {"value": "A"})),
    "empty span": xmi(("NamedEntity", 3, 3, {"value": "A"})),
    "tokens": xmi(*TOKENS, ("Token", 3, 11)),
    "entity": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
    + xmi(text="&x;").partition("?>")[2],
    "JSON": "{",
    "deep JSON": '{"%TYPES": ' + "[" * 100_000,
    "other JSON": "{}",
    "types": '{"%TYPES": [], "%FEATURE_STRUCTURES": [], "%VIEWS": {}}',
    "a type": '{"%TYPES": {"a.A": 1}, "%FEATURE_STRUCTURES": [], "%VIEWS": {}}',
    "no supertype": '{"%TYPES": {"a.A": {}}, "%FEATURE_STRUCTURES": [], "%VIEWS": {}}',
    "circle": '{"%TYPES": {"a.A": {"%SUPER_TYPE": "a.A"}}, "%VIEWS": {}}',
    "NaN": json_cas(*ENTITIES).replace('"begin": 0', '"begin": NaN'),
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_every_unsound_file_is_one_error_that_names_it(failing, text):
    message = failing(text)
    assert message.split(":")[0].endswith(("a.xmi", "a.json")) and len(message) < 1000


@each_case("value", ["[]", '{"a": 1}', "null", "true", '"x"', "1.5", "[[1]]", f'"{"9" * 5_000}"'])
def test_values_of_other_kinds_in_json_have_no_message_about_code(reading, value):
    text = json_cas(*WHOLE)
    for key in ("%ID", "%TYPE", "%RANGE", "%SUPER_TYPE", "%MEMBERS", "@sofa", "begin", "end"):
        found = re.sub(rf'("{key}": )("[^"]*"|[0-9]+|\[[^]]*\])', rf"\g<1>{value}", text, count=1)
        assert found != text, key
        try:
            reading(found, name="a.json")
        except FormatError as error:
            assert not re.search("object|indices|literal|instances|NoneType", str(error)), key


def test_a_name_that_is_no_text_is_refused(reading):
    for name in ("[1]", "5", "true"):
        said = json_cas(META).replace('"a.txt"', name)
        with pytest.raises(FormatError, match="the document is called .*; expected a text"):
            reading(said, name="a.json")


@needs("cassis", "test")
def test_what_cassis_writes_is_read_as_cassis_reads_it(tmp_path):
    import cassis

    types = cassis.load_dkpro_core_typesystem()
    named = types.get_type(SHORT["NamedEntity"])
    below = types.create_type("my.Person", supertypeName=named.name)
    types.create_feature(below, "sure", "uima.cas.Boolean")
    rng = random.Random(5)
    for _ in range(10):
        text = "".join(rng.choice("aé😀 \n") for _ in range(30))
        cas = cassis.Cas(types, sofa_string=text)
        for _ in range(6):
            start, end = sorted(rng.sample(range(31), 2))
            cas.add(named(begin=start, end=end, value=rng.choice("AB"), identifier="1"))
            cas.add(below(begin=start, end=end, value="C", sure=rng.random() < 0.5))
        expected = {(one.begin, one.end, one.value) for one in cas.select(named)}
        cas.to_xmi(tmp_path / "a.xmi")
        cas.to_json(tmp_path / "a.json")
        types.to_xml(tmp_path / "TypeSystem.xml")
        found = [READ(tmp_path / name).documents[0] for name in ("a.xmi", "a.json")]
        assert [one.text for one in found] == [text] * 2
        assert [{*one.layers["spans"]} for one in found] == [expected] * 2
        assert found[0].features == found[1].features
