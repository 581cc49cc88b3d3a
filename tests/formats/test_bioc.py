"""BioC: collections of documents with passages, as XML and JSON."""

import json
import random

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats import FormatError, format_of, read
from spacy_chance_eval.formats.bioc import read_bioc

TITLE, ABSTRACT = "Ada Byron slept", "in Oslo."
TEXT = f"{TITLE} {ABSTRACT}"


def annotation(*places, text=None, **infons):
    locations = [{"offset": start, "length": end - start} for start, end in places]
    text = " ".join(TEXT[start:end] for start, end in places) if text is None else text
    return {"id": "1", "infons": infons, "text": text, "locations": locations}


ADA = annotation((0, 9), type="PER", identifier="Q7259")
OSLO = annotation((19, 23), type="LOC")
RELATION = {"id": "R1", "infons": {}, "nodes": [{"refid": "1", "role": "who"}]}


def document(*annotations, **more):
    passages = [
        {"offset": 0, "infons": {}, "text": TITLE, "annotations": [*annotations]},
        {"offset": 16, "infons": {}, "text": ABSTRACT, "relations": [RELATION]},
    ]
    return {"id": "7", "infons": {"year": "1843"}, "passages": passages, **more}


def as_xml(row, name="document"):
    parts = [f"<id>{row['id']}</id>"] if name == "document" else []
    parts += [f'<infon key="{key}">{value}</infon>' for key, value in row["infons"].items()]
    parts += [f"<offset>{row['offset']}</offset>"] if "offset" in row else []
    parts += [f"<text>{row['text']}</text>"] if "text" in row else []
    parts += ["<location offset='{offset}' length='{length}'/>".format(**one) for one in
              row.get("locations", ())]  # fmt: skip
    for key in ("passages", "sentences", "annotations"):
        parts += [as_xml(one, key[:-1]) for one in row.get(key, ())]
    parts += ['<relation id="R1"><node refid="1"/></relation>' for _ in row.get("relations", ())]
    return f"<{name}>{''.join(parts)}</{name}>"


DOCTYPE = "<?xml version='1.0'?><!DOCTYPE collection SYSTEM 'BioC.dtd'>\n<collection>\n"
FORMS = {
    "a.xml": lambda *rows: DOCTYPE + "\n".join(map(as_xml, rows)) + "\n</collection>",
    "a.bioc": lambda *rows: DOCTYPE + "\n".join(map(as_xml, rows)) + "\n</collection>",
    "a.json": lambda *rows: json.dumps({"source": "x", "documents": [*rows]}, indent=1),
    "b.json": lambda *rows: json.dumps([{"bioctype": "x", "documents": [*rows]}]),
    "c.json": lambda *rows: json.dumps({"PubTator3": [*rows]}),
    "a.jsonl": lambda *rows: "\n".join(map(json.dumps, rows)),
}


@pytest.fixture
def file(tmp_path):
    def write(*rows, name="a.json"):
        (tmp_path / name).write_text(FORMS[name](*rows), encoding="utf-8")
        return tmp_path / name

    return write


@each_case("name", FORMS)
def test_all_forms_hold_the_same(file, name):
    path = file(document(ADA, OSLO), document(), name=name)
    one, two = read(path).documents
    assert format_of(path) == "bioc"
    assert (one.name, one.text, one.attributes) == ("7", TEXT, {"year": "1843"})
    assert one.layers == {"spans": ((0, 9, "PER"), (19, 23, "LOC"))}
    assert one.features == {"spans": {(0, 9, "PER"): {"identifier": "Q7259"}}}
    assert two.layers == {"spans": ()}


def test_a_long_collection_is_recognised_by_its_keys(file):
    long = document(infons={"x": "y" * (1 << 20)})
    assert format_of(file(long)) == "bioc"


@each_case("row", [{"documents": [{"text": "x"}]}, {"passages": ["x"]}, {"documents": []}])
def test_other_objects_are_of_no_collection(tmp_path, row):
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    assert format_of(tmp_path / "a.jsonl") == "jsonl"


@each_case("name, mark", [("a.xml", "<document>"), ("a.json", '"passages"'), ("a.jsonl", '"id"')])
def test_documents_know_their_lines(file, name, mark):
    path = file(document(ADA), document(), name=name)
    lines = [n for n, line in enumerate(path.read_text().split("\n"), 1) if mark in line]
    assert [one.line(0) for one in read(path).documents] == lines


def test_text_of_sentences_and_offsets_of_the_first_passage(file):
    sentences = [{"offset": 30, "infons": {}, "text": TITLE, "annotations": []},
                 {"offset": 46, "infons": {}, "text": ABSTRACT}]  # fmt: skip
    place = {"offset": 49, "length": 4}
    sentences[0]["annotations"] = [OSLO | {"locations": [place]}]
    passage = {"offset": 30, "infons": {}, "sentences": sentences}
    for name in FORMS:
        (one,) = read(file(document(passages=[passage]), name=name)).documents
        assert (one.text, one.layers) == (TEXT, {"spans": ((19, 23, "LOC"),)})


@each_case("how, spans", [("hull", ((0, 23, "X"),)), ("split", ((0, 3, "X"), (19, 23, "X")))])
def test_several_locations_are_read_as_asked_and_noted(file, how, spans):
    path = file(document(annotation((0, 3), (19, 23), type="X")))
    with pytest.raises(FormatError, match='"Ada Oslo" has 2 locations; .*--discontinuous hull'):
        read_bioc(path)
    corpus = read_bioc(path, discontinuous=how)
    assert corpus.documents[0].layers == {"spans": spans}
    assert corpus.notes.count("pieces") == 1


def test_relations_are_counted_in_a_note(file):
    assert read(file(document(), document())).notes.counts == {"relations": 2}


def test_the_label_may_be_another_infon(file):
    path = file(document(annotation((0, 3), kind="PER", sure="yes")))
    (one,) = read_bioc(path, label="kind").documents
    assert one.layers == {"spans": ((0, 3, "PER"),)}
    with pytest.raises(FormatError, match="without infon 'type' .it has 'kind', 'sure'.; name"):
        read_bioc(path)


@each_case(
    "change, message",
    [
        ({"text": "Ida"}, 'annotation "Ida" at [0, 9), where the text has "Ada Byron"'),
        ({"locations": []}, '"Ada Byron" has 0 locations; give it one'),
        ({"locations": [{"offset": 20, "length": 9}]}, "span PER [20, 29) among 24 characters"),
        ({"locations": [{"offset": 0}]}, 'a location {"offset": 0}'),
        ({"infons": {"type": ""}}, 'a span has the label ""'),
        ({"infons": []}, "'infons' is []"),
        ({"locations": 3}, "'locations' is 3"),
    ],
)
def test_bad_annotations_are_refused(file, change, message):
    with pytest.raises(FormatError) as caught:
        read_bioc(file(document(ADA | change)))
    assert message in str(caught.value)


def test_a_bad_annotation_is_left_out_alone(file):
    path = file(document(ADA | {"text": "Ida"}, OSLO), document(ADA | {"infons": {}}))
    corpus = read(path, on_error="skip:1")
    assert [one.layers["spans"] for one in corpus.documents] == [((19, 23, "LOC"),), ()]
    assert corpus.notes.skipped("spans")[0] == 2


@each_case("offset", [3, 99_999, "x", -1, None])
def test_passages_follow_each_other(file, offset):
    row = document()
    row["passages"][1]["offset"] = offset
    with pytest.raises(FormatError, match='"in Oslo." at offset .*, behind 15 characters'):
        read_bioc(file(row))


@each_case("text", ["", "{}", "[]", "<a/>", "<collection/>", "{'", '{"documents": 3}', "[3]"])
def test_what_is_no_collection_is_refused(tmp_path, text):
    (tmp_path / "a.bioc").write_text(text)
    with pytest.raises(FormatError):
        read(tmp_path / "a.bioc")


@each_case("name", ["a.xml", "a.json", "a.jsonl"])
def test_damaged_files_are_errors_of_the_format(file, name):
    draw, path = random.Random(17), file(document(ADA, OSLO), document(), name=name)
    sound = path.read_bytes()
    for _ in range(150):
        data = bytearray(sound)
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(len(data))] = draw.choice(b'<>[]{}",:-9x\xff\x00')
        path.write_bytes(data)
        try:
            read_bioc(path)
        except FormatError:
            pass
