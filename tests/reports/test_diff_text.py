"""Where two annotations differ, as the terminal shows it."""

import re
from dataclasses import replace

import pytest

from helpers.differing import EQUAL, FEW, MANY, compare, corpora
from spacy_chance_eval.analysis.diff import diff, summary
from spacy_chance_eval.corpora.pairs import side_by_side
from spacy_chance_eval.formats import Corpus, Document
from spacy_chance_eval.reports.diff import LABELS, ROWS, diff_text, shorten, terminal_width
from spacy_chance_eval.reports.tables import WIDTH

NASTY = "\x1b[31mred\x1b[0m\r\n\u202eevil"


def text(found, top=10, **settings):
    return diff_text(summary(found), list(found.documents(found.order[:top])), **settings)


def lines(found, **settings):
    return [line.split() for line in text(found, **settings).splitlines()]


def test_the_text_says_what_was_compared_and_how_often_it_differs():
    printed = text(compare(EQUAL, FEW, MANY))
    for words in (
        "gold       gold.jsonl, layer spans",
        "predicted  pred.jsonl, layer spans",
        "3 annotated in both, 2 of them with differences",
        "correct 4  partial 2  label differs 1  missing 2  spurious 1",
    ):
        assert words in printed


def test_a_filter_is_told():
    printed = text(compare(FEW, labels=["LOC"], relations=["missing", "spurious"]))
    assert "Only       labels LOC; relations missing, spurious (the table of scores is" in printed
    assert "1 of them with differences that the filter keeps" in printed
    assert "Only" not in text(compare(FEW)) and "the filter" not in text(compare(FEW))


def test_scores_are_observed_expected_and_corrected():
    rows = lines(compare(FEW, EQUAL))
    assert ["strict", "F", "0.6667", "-", "-"] in rows
    assert ["lenient", "F", "0.8889", "-", "-"] in rows
    (span_f,) = [row for row in rows if row[:1] == ["span_f"]]
    assert span_f[1] == "0.6667" and "-" not in span_f


def test_the_matrix_has_a_row_and_a_column_for_none():
    rows = lines(compare(MANY))
    assert ["DATE", "LOC", "ORG", "PER", "(none)"] in rows
    assert ["LOC", "0", "0", "1", "0", "0"] in rows
    assert ["(none)", "1", "0", "0", "0"] in rows


def test_of_many_labels_those_with_most_differences_are_in_the_matrix():
    labels = [f"L{i:02}" for i in range(LABELS + 5)]
    same = [(0, 1, label) for label in labels]
    printed = text(compare((same, same[3:])))
    header = next(line.split() for line in printed.splitlines() if line.split()[:1] == ["L00"])
    assert header[:3] == ["L00", "L01", "L02"]
    assert "(5 more labels, with fewer differences)" in printed


def test_a_label_none_is_not_taken_for_nothing():
    printed = lines(compare(([(0, 1, "none")], [(0, 1, "none"), (2, 3, "none")])))
    assert ["none", "(none)"] in printed
    assert ["none", "1", "0"] in printed and ["(none)", "1"] in printed


def test_errors_have_examples():
    printed = text(compare(FEW, EQUAL))
    assert "too short (partial)" in printed
    assert 'd0: PER 2-4 "Rex Roe" > PER 2-3 "Rex"' in printed
    assert "kinds of errors" not in text(compare(EQUAL))


def test_each_document_has_a_table_of_its_pairs():
    printed = text(compare(MANY))
    rows = [line.split("  ") for line in printed.splitlines()]
    rows = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    assert ["relation", "error", "gold", "predicted"] in rows
    assert ["correct", "-", 'PER 0-1 "Ada"', 'PER 0-1 "Ada"'] in rows
    assert ["partial", "too long", 'PER 2-4 "Rex Roe"', 'PER 2-5 "Rex Roe in"'] in rows
    assert ["missing", "-", 'DATE 7-8 "Monday"', "-"] in rows
    assert ["spurious", "-", "-", 'DATE 6-7 "on"'] in rows


def test_documents_that_are_not_shown_are_counted():
    found = compare(FEW, MANY, EQUAL)
    assert "(1 more documents: --top N" in text(found, top=1)
    assert "more documents" not in text(found, top=2)
    assert "relation" not in text(found, top=0)


def test_features_stand_behind_the_text():
    said = {"spans": {(2, 4, "PER"): {"kind": "dog", "age": 3}}}
    assert 'PER 2-4 "Rex Roe" {age=3, kind=dog}' in text(compare(FEW, fields={"features": [said]}))


def test_spans_that_fit_no_tokens_have_no_place():
    gold, pred = corpora(EQUAL)
    pred = replace(pred, documents=[replace(pred.documents[0], unplaced={"spans": [(2, "LOC")]})])
    printed = text(diff(side_by_side(gold, pred)))
    assert "spurious  fits no tokens  -" in printed and "LOC no place" in printed


def test_a_long_document_shows_its_differences():
    words = [f"w{i}" for i in range(ROWS + 10)]
    same = [(i, i + 1, "X") for i in range(ROWS + 5)]
    sides = [
        Corpus(name, [Document(words, {"spans": rows}, "d")])
        for name, rows in (("g", same), ("p", same[2:]))
    ]
    printed = text(diff(side_by_side(*sides)))
    assert f"({ROWS + 3} more rows, correct ones first" in printed
    assert not re.search("^  correct +-", printed, re.MULTILINE)


def hostile():
    words = [NASTY, "end"]
    sides = [
        Corpus(
            f"{name}{NASTY}",
            [Document(words, {NASTY: [(0, end, NASTY)]}, NASTY, features={NASTY: {}})],
        )
        for name, end in (("g", 1), ("p", 2))
    ]
    return diff(side_by_side(*sides), documents=[NASTY])


@pytest.mark.parametrize("colour", [False, True])
def test_nothing_from_the_data_steers_the_terminal(colour):
    printed = text(hostile(), colour=colour)
    assert "\\x1b[31mred" in printed
    if not colour:
        assert all(sign.isprintable() or sign == "\n" for sign in printed)
    assert "\x1b[31m" not in printed and "\u202e" not in printed and "\r" not in printed


def test_colour_adds_to_words_and_changes_none():
    plain, coloured = (text(compare(MANY), colour=colour) for colour in (False, True))
    assert "\x1b" not in plain and "\x1b" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_lines_fit_the_width_whatever_the_texts():
    words = ["supercalifragilistic" * 3] * 8
    sides = corpora(MANY)
    sides = [replace(one, documents=[replace(one.documents[0], words=words)]) for one in sides]
    printed = text(diff(side_by_side(*sides)))
    own = [line for line in printed.splitlines() if "supercali" in line]
    assert own and max(map(terminal_width, own)) <= WIDTH


def test_long_texts_lose_their_middle():
    assert shorten("abcdefghij", 10) == "abcdefghij"
    assert shorten("abcdefghijk", 10) == "abcd..hijk"
    assert shorten("abcdefghijk", 9) == "abc..hijk"


def test_wide_signs_take_two_columns():
    assert (terminal_width("abc"), terminal_width("日本"), terminal_width("e\u0301")) == (3, 4, 1)


def test_a_corpus_without_spans_is_told():
    assert "correct 0  partial 0" in text(compare(([], []), equal=True))
    assert "no spans; strict F -" in text(compare(([], []), equal=True))


def test_pairs_fit_a_narrow_terminal_with_relation_and_error_in_one_column(monkeypatch):
    texts = ["Avonlea and Carmody", "Charlottetown Harbour"]
    words = " ".join(texts).split()
    spans = [(0, 3, "PLACE"), (3, 5, "PLACE")], [(0, 2, "PLACE"), (3, 5, "HARBOUR")]
    gold, pred = (Corpus(name, [Document(words, {"spans": one})]) for name, one in zip("gp", spans))
    found = diff(side_by_side(gold, pred))
    (head,) = [line for line in lines(found) if "relation" in line]
    assert head[:2] == ["relation", "error"]
    monkeypatch.setenv("COLUMNS", "66")
    narrow = text(found)
    rows = re.findall(r"^  .* \d-\d .*", narrow.rpartition("strict F")[2], re.MULTILINE)
    assert len(rows) == 2 and max(map(len, rows)) <= 66
    assert "\n  error " in narrow and "relation" not in narrow.rpartition("strict F")[2]
