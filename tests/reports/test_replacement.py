"""Texts of the test whether a candidate may replace an annotator, and its tables in notebooks."""

from html import unescape

from helpers.replacements import candidate, result
from spacy_chance_eval.reports import replacement_report, report_fragment, report_text
from spacy_chance_eval.tasks.replace import Replacement

HOSTILE = "<script>alert(1)</script>{{ 7*7 }}\"'&"
NOBODY = candidate("tiny", (None, None, None))


def test_notebooks_show_the_text():
    found = result(candidate(HOSTILE), NOBODY, warnings=["mind this"], notes=["and that"])
    html = Replacement(found, None)._repr_html_()
    assert html == report_fragment(replacement_report(found))
    assert "<script" not in html and HOSTILE in unescape(html)


def words_of(*candidates, **more):
    return " ".join(report_text(replacement_report(result(*candidates, **more))).split())


def test_the_text_has_the_numbers():
    text = words_of(candidate(), candidate("llama", (False, False, False)))
    for words in (
        "gpt passed .667 2 of 3 .610 [.520, .700]",
        "llama not passed .000 0 of 3",
        "Ada 60 .650 -.100 .0010 .018 yes Student's t",
        "u_alpha .81, [.77, .85]",
    ):
        assert words in text


def test_what_is_undefined_has_a_dash_and_a_reason():
    text = words_of(candidate(rejected=(True, None, None)), NOBODY)
    assert "Ben 4 - - - - - -" in text and "Ben: 4 instances, fewer than 30" in text
    assert "tiny not tested - -" in text
    assert "tiny cannot be tested: no annotator has 30 instances." in text


def test_warnings_and_notes_are_shown():
    text = words_of(warnings=["few people"], notes=["one is left out"])
    assert "few people" in text and "notes one is left out" in text


def test_unreliable_annotators_are_said():
    assert "the annotators are below the .667 that is asked" in words_of(alpha=0.41)
