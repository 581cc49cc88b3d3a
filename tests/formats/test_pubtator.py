"""PubTator: titles and abstracts with the mentions in them."""

import random
from functools import partial

import pytest

from helpers.cases import each_case
from helpers.rawfiles import assert_same
from spacy_chance_eval import formats
from spacy_chance_eval.formats import FormatError, format_of, read

ADA = "7|t|Ada Byron slept\n7|a|in Oslo.\n"
MENTIONS = "7\t0\t9\tAda Byron\tPerson\tQ7259\n7\t19\t23\tOslo\tPlace\n"
BOB = "8|t|Cystitis or gout.\n8|a|\n8\t0\t16\tCystitis or gout\tDisease\tD1|D2\tcystitis|gout\n"
RELATION = "7\tborn\tQ7259\tQ585\n"


READ = partial(formats.read, format="pubtator")


@pytest.fixture
def file(tmp_path):
    def write(text, name="a.txt"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@each_case("name", ["a.txt", "a.PubTator", "a.PubTator.txt"])
def test_it_is_recognised_by_its_first_line_or_its_ending(file, name):
    assert format_of(file(ADA, name)) == "pubtator"


def test_other_text_is_conll(file):
    assert format_of(file("Ada\tB-PER\n7|t|x\tO\n")) == "conll"


def test_offsets_count_the_title_a_blank_and_the_abstract(file):
    (one,) = read(file(ADA + MENTIONS)).documents
    assert (one.name, one.text, one.line(0)) == ("7", "Ada Byron slept in Oslo.", 1)
    assert one.layers == {"spans": ((0, 9, "Person"), (19, 23, "Place"))}


def test_concepts_and_further_columns_are_features(file):
    _, two = read(file(ADA + MENTIONS + "\n" + BOB)).documents
    said = {"identifier": "D1|D2", "details": "cystitis|gout"}
    assert two.features == {"spans": {(0, 16, "Disease"): said}}


def test_a_document_without_mentions_is_annotated(file):
    assert read(file(ADA + BOB)).documents[0].layers == {"spans": ()}


def test_a_new_title_begins_a_document_without_an_empty_line(file):
    assert [one.name for one in read(file(ADA + BOB + ADA)).documents] == ["7", "8", "7"]


def test_relations_are_counted_in_a_note(file):
    genes = "7\tAssociation\t12\t34\tNovel\n7\tAssociation\tD7\t34\tNo\n"
    notes = read(file(ADA + MENTIONS + RELATION + "\n" + BOB + ADA + genes)).notes
    assert notes.counts == {"relations": 3}
    assert notes.places["relations"][0].line == 5


@each_case("n", [1, 2, 3])
def test_blocks_are_the_whole(file, n):
    text = "\n" + ADA + MENTIONS + RELATION + "\n\n" + BOB + ADA
    assert_same(file(text), n)
    assert_same(file(text + "7\t0\t99\tx\tX\n"), n)


@each_case(
    "line, message",
    [
        ("7\t0\t8\tAda Byron\tX\n", 'has "Ada Byro"; offsets count the char'),
        ("7\t0\t99\tAda\tX\n", 'mention "Ada" at [0, 99)'),
        ("7\t3\t3\t\tX\n", "span X [3, 3) among 24 characters"),
        ("7\t0\t3\tAda\t\n", "'label' of a span is"),
        ("8\t0\t3\tAda\tX\n", 'a mention of "8" in document "7"'),
        ("7\t0\t3\tAda\n", 'a line "7\\t0\\t3\\tAda"; lines are ID|t|title'),
        ("Ada\n", 'a line "Ada"; lines are'),
        ("7\t1O\t20\tAda\tX\n", 'a line "7\\t1O\\t20'),
        ("7\t0\t-3\tAda\tX\n", 'a line "7\\t0\\t-3'),
        ("7\tx\ty\tAda\tX\tQ\n", 'a line "7\\tx\\ty'),
    ],
)
def test_bad_lines_are_refused(file, line, message):
    with pytest.raises(FormatError) as caught:
        READ(file(BOB + "\n" + ADA + line))
    assert message in str(caught.value)
    assert caught.value.line == 7


@each_case("line", ["7\t0\t8\tAda Byron\tX\n", "7\t3\t3\t\tX\n", "8\t0\t3\tAda\tX\n", "Ada\n"])
def test_a_bad_line_is_left_out_alone(file, line):
    corpus = read(file(ADA + line + MENTIONS + BOB), format="pubtator", on_error="skip:1")
    assert [len(one.layers["spans"]) for one in corpus.documents] == [2, 1]
    assert corpus.notes.skipped("spans")[0] == 1
    assert [place.line for places in corpus.notes.places.values() for place in places] == [3]


def test_a_file_of_which_all_is_left_out_is_refused(file):
    with pytest.raises(FormatError, match="a.txt:1: lines without a title"):
        read(file("Ada\n"), format="pubtator", on_error="skip:1")


@each_case("text", ["", "\n\n", "7\tborn\tQ7259\tQ585\n"])
def test_a_file_without_documents_is_refused(file, text):
    with pytest.raises(FormatError, match="documents|title"):
        READ(file(text))


def test_damaged_files_are_errors_of_the_format(file):
    draw, sound = random.Random(17), (ADA + MENTIONS + RELATION + "\n" + BOB).encode()
    path = file("")
    for _ in range(300):
        data = bytearray(sound)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.choice(b"\t\n|79x\xff\x00")
        path.write_bytes(data)
        try:
            READ(path)
        except FormatError:
            pass
