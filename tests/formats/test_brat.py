import re
from functools import partial

import pytest

from helpers.cases import each_case
from spacy_chance_eval import formats
from spacy_chance_eval.formats import format_of
from spacy_chance_eval.formats.errors import FormatError

TEXT = "Ada met Rex Roe.\nShe slept."


READ = partial(formats.read, format="brat")


@pytest.fixture
def reading(tmp_path):
    def read(ann, text=TEXT, **options):
        encoded = ann if isinstance(ann, bytes) else ann.encode()
        (tmp_path / "a.ann").write_bytes(encoded)
        (tmp_path / "a.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
        return READ(tmp_path / "a.ann", **options).documents[0]

    return read


@pytest.fixture
def failing(reading):
    def fail(*arguments, **options):
        with pytest.raises(FormatError) as caught:
            reading(*arguments, **options)
        return re.sub(r"^.*a\.ann", "a.ann", str(caught.value))

    return fail


def files(folder, **texts):
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")


def test_spans_are_characters_of_the_text_beside(reading):
    found = reading("T1\tPER 0 3\tAda\nT2\tPER 8 15\tRex Roe\n")
    assert found.layers == {"spans": ((0, 3, "PER"), (8, 15, "PER"))}
    assert (found.text, found.name, found.words) == (TEXT, "a", ())


def test_a_line_end_in_a_span_is_quoted_as_a_blank(reading):
    assert reading("T1\tX 12 20\tRoe. She\n").layers["spans"] == ((12, 20, "X"),)


def test_an_emoji_is_one_character(reading):
    assert reading("T1\tX 2 3\tb", "🚀\nb").layers["spans"] == ((2, 3, "X"),)


def test_a_span_may_have_a_tab_and_other_line_separators(reading):
    assert reading("T1\tX 0 5\ta\tb\u2028c", "a\tb\u2028c").layers["spans"] == ((0, 5, "X"),)


@pytest.mark.parametrize("quote", ["a  b", "a  b\r", "a\r b"])
def test_both_characters_of_a_windows_line_end_count(reading, quote):
    assert reading(f"T1\tX 0 4\t{quote}\n", "a\r\nb").layers["spans"] == ((0, 4, "X"),)


def test_windows_line_ends_in_the_annotation_make_no_difference(reading):
    ann = "T1\tX 0 3\tAda\r\nA1\tsure T1\r\nA2\twho T1 me\r\n\r\n#1\tAnnotatorNotes T1\tb c\r\n"
    found = reading(ann)
    said = {"sure": True, "who": "me", "AnnotatorNotes": "b c"}
    assert found.features == {"spans": {(0, 3, "X"): said}}


def test_a_byte_order_mark_counts_in_the_text_and_not_in_the_annotation(reading):
    found = reading(b"\xef\xbb\xbfT1\tX 1 4\tAda", b"\xef\xbb\xbfAda")
    assert found.layers["spans"] == ((1, 4, "X"),)


def test_an_empty_annotation_is_no_spans(reading):
    assert reading("").layers == {"spans": ()}


def test_an_empty_text_may_be_annotated(reading):
    found = reading("\n", "")
    assert (found.text, found.layers) == ("", {"spans": ()})


def test_attributes_normalisations_and_notes_are_features(reading):
    found = reading(
        "A1\tNegated T1\nM2\tLevel T1 L 3\nN1\tReference T1 Wikipedia:5\tAda Lovelace\n"
        "#1\tAnnotatorNotes T1\tnot\tsure\n#2\tAnnotatorNotes T1\tasked\nT1\tX 0 3\tAda\n"
    )
    assert found.features["spans"][0, 3, "X"] == {
        "Negated": True,
        "Level": "L 3",
        "Reference": "Wikipedia:5",
        "AnnotatorNotes": "not\tsure; asked",
    }


def test_relations_events_equivalences_and_what_is_said_of_them_are_passed_over(reading):
    found = reading(
        "T1\tX 0 3\tAda\nT2\tmeet 4 7\tmet\nE1\tmeet:T2 Who:T1\nR1\tsame Arg1:T1 Arg2:T2\n"
        "*\tEquiv T1 T2\nA1\tSpeculation E1\n#1\tAnnotatorNotes R1\thm\n# a comment\n"
    )
    assert found.layers["spans"] == ((0, 3, "X"), (4, 7, "meet"))
    assert found.features == {}


def test_discontinuous_spans_have_the_features_of_their_attributes(reading):
    found = reading("T1\tP 8 15;0 3\tRex Roe Ada\nA1\tsure T1\n")
    span = (0, 15, "P", ((0, 3), (8, 15)))
    assert found.layers["spans"] == (span,)
    assert found.features["spans"] == {span: {"sure": True}}


def test_discontinuous_spans_are_kept_and_pieces_that_touch_are_one(reading):
    found = reading("T1\tP 0 3;8 15\tAda Rex Roe\nT2\tP 0 2;2 3;8 9\tAd a R\n")
    assert found.layers["spans"] == (
        (0, 9, "P", ((0, 3), (8, 9))),
        (0, 15, "P", ((0, 3), (8, 15))),
    )


def test_pieces_keep_the_attribute_that_is_the_label(reading):
    found = reading("T1\tX 0 3;8 9\tAda R\nA1\trole T1 Boss\n", feature="role")
    assert found.layers["spans"] == ((0, 9, "Boss", ((0, 3), (8, 9))),)


def test_an_attribute_can_be_the_label(reading):
    found = reading("T1\tX 0 3\tAda\nA1\trole T1 Boss\nA2\tsure T1\n", feature="role")
    assert found.layers["spans"] == ((0, 3, "Boss"),)
    assert found.features["spans"] == {(0, 3, "Boss"): {"sure": True}}


@pytest.mark.parametrize("more", ["", "A1\trole T1\n"])
def test_a_span_without_the_attribute_that_is_the_label_is_an_error(failing, more):
    assert failing(f"{more}T1\tX 0 3\tAda\n", feature="role").startswith("a.ann:")


BAD = [
    "T1",
    "T1\tX 0 3",
    "T1\t\tAda",
    "T1\t 0 3\tAda",
    "T1\tX 0\tA",
    "T1\tX 0 3 \tAda",
    "T1\tX 0,3\tAda",
    "T1\tX 0 3;\tAda",
    "T1\tX -1 3\tAda",
    "T1\tX 3 3\t",
    "T1\tX 3 0\tAda",
    "T1\tX 0 99\tAda",
    "T1\tX 0 9999999999\tAda",
    "T1\tX 0 99999999999999999999\tAda",
    "T1\tX ٠ ٣\tAda",
    "T1\tX 0 3\tAd",
    "T1\tX 0 3\tAdam",
    "T1\tX 0 3\tBob",
    "T1\tX 1 4\tAda",
    "A1",
    "A1\tsure",
    "A1\t T0",
    "A1\tsure T9",
    "N1\tReference T0",
    "N1\tReference T0 \tAda",
    "#1\tAnnotatorNotes T0",
    "#1\tAnnotatorNotes",
    "Ada",
    "\x00",
    "{}",
]


@each_case("line", BAD)
def test_a_bad_line_is_an_error_with_its_number(failing, line):
    assert failing(f"T0\tX 0 3\tAda\n\n{line}\n").startswith("a.ann:3: ")


def test_the_text_and_the_quote_are_both_shown(failing):
    message = failing("T1\tX 1 4\tAda")
    assert 'span X [1 4] quotes "Ada", but the text has "da "; offsets count' in message


@each_case(
    "ann, line",
    [
        ("T1\tX 0 3\tAda\nT1\tX 4 7\tmet", 2),
        ("T1\tX 0 3\tAda\nA1\ta T1 b\nA2\ta T1 c", 3),
        ("T1\tX 0 3\tAda\nA1\ta T1\nA2\ta T1 c", 3),
        ("T1\tX 0 3\tAda\nA1\tN T1\nN1\tN T1 c\td", 3),
    ],
)
def test_what_is_said_twice_is_an_error(failing, ann, line):
    assert failing(ann).startswith(f"a.ann:{line}: ")


@pytest.mark.parametrize(
    "piece, quote", [("0 3", "Ada"), ("1 5", "da m")], ids=["equal", "crossed"]
)
def test_pieces_that_overlap_are_an_error(failing, piece, quote):
    said = failing(f"T1\tX 0 3;{piece}\tAda {quote}")
    assert "overlap; pieces must lie apart" in said


def test_annotations_may_share_a_piece(reading):
    ann = "T1\tX 0 3;4 7\tAda met\nT2\tX 0 3;8 11\tAda Rex\n"
    document = reading(ann, "Ada met Rex")
    one, two = (0, 7, "X", ((0, 3), (4, 7))), (0, 11, "X", ((0, 3), (8, 11)))
    assert document.layers["spans"] == (one, two)


def test_the_same_place_may_have_two_labels(reading):
    assert len(reading("T1\tX 0 3\tAda\nT2\tY 0 3\tAda").layers["spans"]) == 2


@pytest.mark.integration
def test_many_pieces_of_a_long_text_take_little_time(failing):
    ann = "T1\tX " + ";".join(["0 1000000"] * 50_000) + "\ta"
    assert "quotes" in failing(ann, "a" * 1_000_000)


def test_many_notes_on_one_span_take_little_time(reading):
    found = reading("T1\tX 0 3\tAda\n" + "#1\tNote T1\tab\n" * 50_000)
    assert len(found.features["spans"][0, 3, "X"]["Note"]) == 50_000 * 4 - 2


def test_a_line_of_a_million_characters_is_read(reading):
    text = "🚀 " * 500_000
    assert reading(f"T1\tX 0 1000000\t{text}", text).layers["spans"] == ((0, 1_000_000, "X"),)


@pytest.mark.integration
def test_a_bad_line_of_a_million_characters_is_shown_in_short(failing):
    assert len(failing("x" * 1_000_000)) < 300
    assert len(failing("T1\tX " + "0 1;" * 200_000 + "0 1\tx")) < 500


@pytest.mark.parametrize("which", ["a.ann", "a.txt"])
def test_another_encoding_is_an_error_with_its_file_and_line(tmp_path, which):
    files(tmp_path, a_ann="", a_txt="")
    (tmp_path / which).write_bytes("fine\nse\xf1al".encode("latin-1"))
    with pytest.raises(FormatError, match=rf"{re.escape(which)}:2: not UTF-8"):
        READ(tmp_path / "a.ann")


def test_a_file_that_is_too_long_is_an_error(reading, monkeypatch):
    monkeypatch.setattr("spacy_chance_eval.formats.brat.LONGEST", 10)
    with pytest.raises(FormatError, match="more than 10 characters"):
        reading("")


def test_a_text_alone_was_not_seen(tmp_path):
    files(tmp_path, a_txt="Ada")
    (document,) = READ(tmp_path / "a.txt").documents
    assert (document.layers, document.text) == ({"spans": None}, "Ada")


def test_the_text_names_its_annotation(tmp_path):
    files(tmp_path, a_txt="Ada", a_ann="T1\tX 0 3\tAda")
    assert READ(tmp_path / "a.txt") == READ(tmp_path / "a.ann")


def test_an_annotation_without_text_is_an_error(tmp_path):
    files(tmp_path, a_ann="")
    with pytest.raises(FormatError, match="a.ann: there is no a.txt beside it"):
        READ(tmp_path / "a.ann")


@pytest.mark.parametrize("name", ["a.json", "none.ann", "none.txt"])
def test_a_file_of_another_kind_or_a_missing_one_is_an_error(tmp_path, name):
    with pytest.raises(FormatError, match=re.escape(name)):
        READ(tmp_path / name)


def test_a_folder_has_a_document_for_each_pair_in_the_order_of_names(tmp_path):
    for folder in (tmp_path, tmp_path / "sub", tmp_path / ".hidden"):
        folder.mkdir(exist_ok=True)
        files(folder, b_txt="b", b_ann="T1\tX 0 1\tb", a_b_txt="a")
    (tmp_path / "annotation.conf").write_text("[entities]")
    found = READ(tmp_path).documents
    assert [document.name for document in found] == ["a.b", "b", "sub/a.b", "sub/b"]
    assert [document.layers["spans"] is None for document in found] == [True, False] * 2


def test_a_folder_without_files_is_an_error(tmp_path):
    with pytest.raises(FormatError, match="no .txt and .ann files"):
        READ(tmp_path)


def test_a1_of_bionlp_is_an_annotation(tmp_path):
    files(tmp_path, a_txt="Ada", a_a1="T1\tX 0 3\tAda")
    for path in (tmp_path, tmp_path / "a.a1", tmp_path / "a.txt"):
        assert READ(path).documents[0].layers == {"spans": ((0, 3, "X"),)}
    assert format_of(tmp_path) == "brat"


def test_one_in_five_characters_of_a_quote_may_differ(tmp_path, failing):
    files(tmp_path, a_txt="Alice", a_ann="T1\tX 0 5\tAlize\n")
    corpus = READ(tmp_path)
    assert corpus.documents[0].layers == {"spans": ((0, 5, "X"),)}
    assert corpus.notes.counts == {"misquoted": 1}
    assert "quotes" in failing("T1\tX 0 5\tAlizz\n", "Alice")


def test_endings_may_be_in_capitals(tmp_path):
    (tmp_path / "A.TXT").write_text("Ada met Rex\n")
    (tmp_path / "A.ANN").write_text("T1\tPER 0 3\tAda\n")
    for path in (tmp_path, tmp_path / "A.ANN", tmp_path / "A.TXT"):
        (document,) = READ(path).documents
        assert (document.name, document.layers["spans"]) == ("A", ((0, 3, "PER"),))
    assert format_of(tmp_path) == "brat"
