"""The page and the figures of the test whether a candidate may replace an annotator."""

import re
from html import unescape

import pytest

from helpers.drawn import Drawn, markers, rounding, value_at
from helpers.replacements import SIZES, candidate, result
from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.reports import replacement_figure, write_replacement
from spacy_chance_eval.reports.figures import Scale, svg_file
from spacy_chance_eval.reports.replacement_figures import (
    annotator_figure,
    power_figure,
    rate_figure,
    spaced_ticks,
)
from spacy_chance_eval.reports.replacement_page import (
    page_title,
    replacement_page,
    replacement_verdict,
)
from spacy_chance_eval.tasks.replace import Replacement

HOSTILE = "<script>alert(1)</script>{{ 7*7 }}\"'&"
OTHER = candidate("llama", (False, False, False))
NOBODY = candidate("tiny", (None, None, None))


def drawn(figure):
    return Drawn(svg_file(figure))


def plain(page):
    """The text of a page, without tags, style and script."""
    text = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", text)).split())


# --- notebooks


def test_notebooks_show_tables():
    found = result(candidate(HOSTILE), NOBODY, warnings=["mind this"], notes=["and that"])
    html = Replacement(found, None)._repr_html_()
    assert html.count("<table>") == 3 and "<script" not in html and "{{ 7*7 }}" in html
    text = plain(html)
    assert "mind this" in text and "Note: and that" in text
    assert "passes: it agrees with the others as well as 2 of 3 annotators" in text
    assert "tiny not tested - -" in text and found["signature"] in text


# --- the answer


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (
            result(),
            "gpt (as good as 2 of 3 annotators, winning rate .67) passes, an epsilon of .20 "
            "granted.",
        ),
        (
            result(candidate(), OTHER, NOBODY),
            "gpt (as good as 2 of 3 annotators, winning rate .67) passes; llama (as good as 0 of 3 "
            "annotators, winning rate .00) does not pass; tiny cannot be tested, an epsilon of "
            ".20 granted.",
        ),
        (
            result(*(candidate(name) for name in "abcd")),
            "four candidates pass, an epsilon of .20 granted.",
        ),
        (
            result(OTHER, alpha=0.41),
            "llama (as good as 0 of 3 annotators, winning rate .00) does not pass, an epsilon of "
            ".20 granted. The annotators themselves agree little beyond chance (u_alpha .41): "
            "being as good as they are says little.",
        ),
        (result(NOBODY), "tiny cannot be tested: no annotator has 30 instances."),
    ],
    ids=["one", "several", "many", "unreliable", "nobody"],
)
def test_the_verdict_is_a_sentence(found, verdict):
    assert replacement_verdict(found) == verdict
    assert f'<p class="verdict">{verdict}</p>' in replacement_page(found)


def test_the_title_is_the_question():
    assert page_title(result()) == "May gpt replace an annotator?"
    assert page_title(result(candidate(), OTHER)) == (
        "Which of two candidates may replace an annotator?"
    )


def test_the_page_has_the_numbers():
    text = plain(replacement_page(result(candidate(), OTHER)))
    for words in (
        "gpt 0.6667 passed 2 of 3 0.6100 [0.5200, 0.7000]",
        "llama 0.0000 not passed 0 of 3",
        "Ada 0.6500 -0.1000 0.0010 0.0182 yes 60 Student's t",
        "Cleo 0.5250 +0.1500 0.3000 0.0182 no 60 Student's t",
        "600 1.00 0.01",
        "u_alpha .81, [.77, .85]",
    ):
        assert words in text


def test_what_is_undefined_has_a_dash_and_a_reason():
    text = plain(replacement_page(result(candidate(rejected=(True, None, None)), NOBODY)))
    assert "Ben - - - - - 4 4 instances, fewer than 30" in text
    assert "tiny - not tested - -" in text


def test_warnings_and_notes_are_shown():
    page = replacement_page(result(warnings=["few people"], notes=["one is left out"]))
    assert '<p class="note">Warning: few people</p>' in page and "one is left out" in page


def test_a_candidate_that_does_no_work_stands_beside_the_agreement():
    lazy = {"winning_rate": 0.0, "advantage_probability": 0.2, "passed": False}
    page = replacement_page(result(baseline={"candidate": "marks nothing", **lazy}))
    assert "a candidate that marks nothing would not pass (winning rate .00" in page


def test_sources_are_cited():
    page = replacement_page(result())
    assert "calderon-2025" in page and "Cite this" in page


def test_names_are_escaped():
    found = result(candidate(HOSTILE), candidate("b"), title=HOSTILE, warnings=[HOSTILE])
    page = replacement_page(found)
    assert "<script>alert" not in page and page.count("<script>") == 1
    assert "{{ 7*7 }}" in page


def test_a_page_is_one_html_file(tmp_path):
    write_replacement(result(), tmp_path / "page.html")
    assert "</html>" in (tmp_path / "page.html").read_text(encoding="utf8")
    with pytest.raises(FormatError, match="name a file that ends in .html"):
        write_replacement(result(), tmp_path / "pages")


# --- figures


def test_differences_are_where_the_axis_says():
    one = candidate(rejected=(True, False, True))
    page = drawn(annotator_figure(result(one), one))
    value = value_at(page)
    for i, row in enumerate(one["annotators"]):
        ((shape, x, _),) = markers(page.group(f"annotator-{i}"))
        assert value(x) == pytest.approx(row["mean_difference"], abs=rounding(value))
        assert shape == ("circle" if row["rejected"] is False else "square") or row["rejected"]
    assert {"as good as", "not shown", "epsilon .20"} <= set(page.texts())


def test_an_annotator_who_was_not_tested_is_undefined():
    one = candidate(rejected=(True, None, True))
    page = drawn(annotator_figure(result(one), one))
    assert "undefined" in page.texts(page.group("annotator-1"))
    assert not markers(page.group("annotator-1"))


def test_hover_has_p_value_and_limit():
    page = drawn(replacement_figure(result()))
    assert page.hover("annotator-0") == [
        "Ada",
        "mean difference -0.1000: as good as",
        "advantage probability 0.6500",
        "p 0.0010, limit 0.0182",
    ]


def test_rates_of_several_candidates_stand_below_each_other():
    found = result(candidate(), OTHER, NOBODY)
    assert replacement_figure(found) == rate_figure(found)
    page = drawn(rate_figure(found))
    value = value_at(page)
    for i, one in enumerate(found["candidates"][:2]):
        rate, advantage = markers(page.group(f"candidate-{i}"))
        assert value(rate[1]) == pytest.approx(one["winning_rate"], abs=rounding(value))
        assert value(advantage[1]) == pytest.approx(0.61, abs=rounding(value))
    assert not markers(page.group("candidate-2"))


def test_power_rises_with_the_number_of_documents():
    found = result()
    one = found["candidates"][0]
    page = drawn(power_figure(found, one))
    up, across = value_at(page, "y"), []
    for i, power in enumerate(one["power"]["power"]):
        ((_, x, y),) = markers(page.group(f"size-{i}"))
        across.append(x)
        assert up(y) == pytest.approx(power, abs=rounding(up))
    assert across == sorted(across)
    assert page.hover("size-2") == ["60 documents", "power 0.50", "standard error 0.01"]
    assert "60 documents at hand" in page.texts()


@pytest.mark.parametrize("times", [1, 1000, 10_000_000])
def test_large_numbers_of_documents_stay_inside(times):
    one = candidate()
    one["power"] |= {"n_documents": [times * n for n in SIZES], "at_hand": times * 60}
    assert not drawn(power_figure(result(one), one)).misplaced()


def test_without_power_there_is_no_figure_of_it():
    one = candidate(power=False)
    assert power_figure(result(one), one) is None
    assert "Power in numbers" not in replacement_page(result(one))


def test_numbers_at_ticks_do_not_touch():
    across = Scale(SIZES[0], SIZES[-1], 20, 240, logarithmic=True)
    assert spaced_ticks(across, SIZES, 60) == [12, 30, 60, 90, 180, 300, 600]
    assert 60000 in spaced_ticks(Scale(12000, 600000, 20, 240, True), [12000, 60000, 70000], 60000)


@pytest.mark.parametrize("name", ["x" * 900, "\u6f22" * 30, "W" * 40])
def test_long_names_stay_inside(name):
    one = candidate(name, names=f"{name} Ben Cleo")
    for figure in (annotator_figure(result(one), one), rate_figure(result(one, OTHER))):
        assert not drawn(figure).misplaced()
