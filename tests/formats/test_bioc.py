"""BioC: collections of documents with passages, as XML and JSON."""

import json
import random
from functools import partial

import pytest

from helpers.cases import each_case
from helpers.rawfiles import assert_same, taken
from spacy_chance_eval import formats
from spacy_chance_eval.formats import FormatError, format_of, read, safe_xml
from spacy_chance_eval.formats.notes import add_notes

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
}


READ = partial(formats.read, format="bioc")


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


@each_case("row", [{"documents": [{"text": "x"}]}, {"documents": []}])
def test_other_objects_are_of_no_collection(tmp_path, row):
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    assert format_of(tmp_path / "a.jsonl") == "jsonl"


@each_case("name, mark", [("a.xml", "<document>"), ("a.json", '  {"')])
def test_documents_know_their_lines(file, name, mark):
    path = file(document(ADA), document(), name=name)
    text = path.read_text().replace("\n  {\n", '\n  {"\n')
    lines = [n for n, line in enumerate(text.split("\n"), 1) if mark in line]
    assert [one.line(0) for one in read(path).documents] == lines


@each_case("name", FORMS)
@each_case("n", [1, 2, 9])
def test_blocks_are_the_whole(file, monkeypatch, name, n):
    rows = [document(ADA, OSLO), document(), document(OSLO, id="8"), document(ADA)]
    path = file(*rows, name=name)
    for size in (7, 64, 1 << 20):
        monkeypatch.setattr(safe_xml, "CHUNK", size + 140)  # in which the DOCTYPE is
        assert_same(path, n)
        assert_same(file(*rows, document(ADA | {"text": "Ida"}), name=name), n)


@each_case("name", ["a.xml", "c.json"])
def test_the_size_of_a_block_is_that_of_its_texts(file, name):
    path = file(*[document(ADA)] * 9, name=name)
    sizes = [one.n_characters for raw in taken([path], 3) for one in raw]
    assert len(sizes) == 3
    assert 0.9 < sum(sizes) / path.stat().st_size < 1.1


@each_case("name", FORMS)
def test_blocks_leave_out_what_the_whole_leaves_out(file, name):
    bad = (
        document(ADA | {"text": "Ida"}),
        document(passages=[{"offset": -1, "infons": {}, "text": "x"}]),
    )
    sound = [document(ADA, id=str(n)) for n in range(6)]
    path = file(*sound[:2], bad[0], *sound[2:4], bad[1], *sound[4:], name=name)
    whole = read(path, on_error="skip")
    parts = [one.read() for raw in taken([path], 2, on_error="skip") for one in raw]
    assert [doc for one in parts for doc in one.documents] == [*whole.documents]
    assert add_notes(one.notes for one in parts).counts == whole.notes.counts
    assert whole.notes.skipped("documents") == (2, 8)


@each_case(
    "text, line, message",
    [
        (DOCTYPE + "<document>\n<id>1</id></collection>", 4, "mismatched tag"),
        (DOCTYPE + "<document/>\n<date>&x;</date></collection>", 4, "undefined entity"),
        (DOCTYPE + "<document/>\n" + "<a>" * 200, 4, "200 elements inside each other"),
        ("<!DOCTYPE collection [<!ENTITY x 'y'>]><collection/>", 1, "a DOCTYPE with declarations"),
        ("\n<GateDocument/>", 2, "an XML file of <GateDocument>; a BioC collection has"),
        (DOCTYPE + "<document/>\n</collection>\n<a/>", 5, "junk after document element"),
        (
            '{"documents": [\n{"passages": []},\n{"passages": [}]}',
            3,
            "not JSON with a list of docu",
        ),
        ('{"passages": []}\n{"passages": []}\n', 2, "not JSON with a list of documents"),
        ('{"documents": [{"passages": []},\n{"id": "x"}]}', 2, "a document without 'passages'"),
        ('{"passages": ' + "[" * 200_000, None, "not JSON with a list of documents"),
        ('{"documents": []}', None, "no documents; a BioC collection has documents"),
    ],
)
def test_broken_files_have_the_same_error_in_blocks(tmp_path, text, line, message):
    path = tmp_path / "a.bioc"
    path.write_text(text)
    with pytest.raises(FormatError, match=message) as caught:
        read(path)
    with pytest.raises(FormatError) as again:
        [one.read() for raw in taken([path], 1) for one in raw]
    assert str(caught.value) == str(again.value)
    assert caught.value.line == line


def test_a_document_may_be_larger_than_what_is_read_at_a_time(file, monkeypatch):
    monkeypatch.setattr(safe_xml, "CHUNK", 200)
    assert len(read(file(*[document(ADA)] * 20, name="a.xml")).documents) == 20


@each_case("name", ["a.xml", "a.json"])
def test_damaged_files_are_errors_of_the_format(file, name):
    draw, path = random.Random(17), file(document(ADA, OSLO), document(), name=name)
    sound = path.read_bytes()
    for _ in range(150):
        data = bytearray(sound)
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(len(data))] = draw.choice(b'<>[]{}",:-9x\xff\x00')
        path.write_bytes(data)
        try:
            READ(path)
        except FormatError:
            pass
