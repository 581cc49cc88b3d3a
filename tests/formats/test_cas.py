"""UIMA CAS as XMI, JSON and zip, and what makes it unsound."""

import io
import random
import re
import zipfile
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


WHOLE = (*TOKENS, *SENTENCES, *ENTITIES, META)


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
        ([("annotation/a/b.tsv", b"\xff")], "b.tsv:1: not UTF-8"),
        (
            [("annotation/a.txt/ann.txt", ""), ("curation/a.txt/CURATION_USER.tsv", TSV)],
            "a project in which no annotator has .* name the folder curation/",
        ),
        (
            project(("a.txt", "INITIAL_CAS", [])),
            "a project in which no annotator has a file of XMI, JSON or TSV",
        ),
        ([("annotation/a/ann.json", "{}")], "a.zip/annotation/a/ann.json: "),
        (
            [("annotation/a/ann.json", json_cas(*TOKENS)), ("annotation/a/ben.json", json_cas())],
            "positions are of the kind 'char'",
        ),
        (
            [
                ("annotation/a/ann.json", json_cas()),
                ("annotation/a/ben.json", json_cas(text="Ben")),
            ],
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
}


@pytest.mark.parametrize("files", BAD_ZIPS.values(), ids=BAD_ZIPS)
def test_other_zips_are_errors(reading_zip, tmp_path, files):
    with pytest.raises(FormatError):
        reading_zip(*files)
    assert [one.name for one in tmp_path.iterdir()] == ["a.zip"]


def test_a_damaged_zip_is_an_error(tmp_path):
    whole = packed([("a.xmi", xmi()), ("TypeSystem.xml", type_system())])
    for cut in (4, len(whole) // 2, len(whole) - 3):
        (tmp_path / "a.zip").write_bytes(whole[:cut])
        with pytest.raises(FormatError, match="not a sound zip file"):
            READ(tmp_path / "a.zip")


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


def test_a_cas_without_the_extra_says_how_to_install_it(reading, monkeypatch):
    monkeypatch.setattr("spacy_chance_eval.formats.cas.find_spec", lambda name: None)
    with pytest.raises(ValueError, match=r'a.xmi is a CAS.*pip install "spacy-chance-eval\[cas\]"'):
        reading(xmi())


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
