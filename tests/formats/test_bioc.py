"""BioC: collections of documents with passages, as XML and JSON."""

import json
import random
from functools import partial

import pytest

from helpers.cases import each_case
from spacy_chance_eval import formats
from spacy_chance_eval.formats import FormatError, format_of, read

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
