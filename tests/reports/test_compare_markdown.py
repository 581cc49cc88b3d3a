import re
from html import unescape

import pytest

from helpers import comparisons
from helpers.comparisons import SCRIPT
from spacy_chance_eval.reports.compare import (
    compare_markdown,
    html_name,
    label_lines,
    markdown_name,
    markdown_note,
)
from spacy_chance_eval.reports.words import number, printable

RESULT = comparisons.result(failures=["span_f is worse @all"], verbose_below=0.9)
TEXT = compare_markdown(RESULT)
CODE = re.compile(r"<code>.*?</code>|(`+).*?\1")


def tables():
    """The cells of every row."""
    rows = [line for line in TEXT.splitlines() if line.startswith("|")]
    return [re.split(r"(?<!\\)(?:\\\\)*\|", line)[1:-1] for line in rows]


def test_the_scores_of_every_metric_stand_in_the_first_table():
    head = TEXT.split("<details>")[0]
    for metric in RESULT["metrics"]:
        for which in ("old", "new"):
            assert number(metric["total"][which][metric["key"]]) in head


def test_every_row_has_as_many_cells_as_its_header():
    sizes = [len(cells) for cells in tables()]
    assert set(sizes) <= {5, 8, 11}
    blocks = re.findall(r"(?:^\|.*\n)+", TEXT, re.MULTILINE)
    assert len(blocks) > 5
    for block in blocks:
        found = {len(re.split(r"(?<!\\)(?:\\\\)*\|", row)) for row in block.splitlines()}
        assert len(found) == 1


def test_there_is_no_html_but_our_own():
    tags = set(re.findall(r"</?(\w+)", TEXT))
    assert tags == {"code", "details", "summary"}
    assert SCRIPT not in TEXT and "&lt;script&gt;" in TEXT


def summaries():
    """The titles of what is folded up, as a browser shows them."""
    shown = pytest.importorskip("markdown_it").MarkdownIt().enable("table").render(TEXT)
    found = re.findall("<summary>(.*?)</summary>", shown, re.DOTALL)
    assert len(found) == TEXT.count("<summary>")
    return [unescape(re.sub("</?code>", "", title)) for title in found]


@pytest.mark.integration
def test_titles_are_shown_without_the_escapes_of_markdown():
    titles = summaries()
    assert [f"{one['metric']} by label" for one in RESULT["metrics"]] == titles[:3]
    names = [re.sub(r"[ \n]", "", printable(one["document"])) for one in RESULT["verbose"]]
    assert names == [title.rpartition(":")[0].replace(" ", "") for title in titles[5:-1]]


def test_titles_stay_in_one_line_and_in_code():
    assert html_name("a\n\n<b> @x `_`") == r"<code>a\n\n&lt;b&gt; @x `_`</code>"
    assert html_name("x" * 500) == f"<code>{'x' * 77}...</code>"


def test_details_are_closed():
    assert TEXT.count("<details>") == TEXT.count("</details>") > 3
    assert TEXT.count("<code>") == TEXT.count("</code>")


def test_nobody_is_mentioned_and_nothing_linked_outside_code():
    outside = CODE.sub("", TEXT)
    assert not re.search(r"@\w", outside)
    assert not re.search(r"(?<!&)#\d", outside)
    assert not re.search(r"https?:(?!\\)//", outside) and "](" not in outside


def test_names_do_not_begin_lines_of_their_own():
    assert not re.search(r"^(# head|@all)", TEXT, re.MULTILINE)


def test_backticks_and_pipes_of_names_are_escaped():
    assert markdown_name("a|b`c`") == r"<code>a\|b\`c\`</code>"
    assert markdown_name("\\|") == r"<code>\\\|</code>"


def test_long_names_are_cut():
    assert markdown_name("x" * 500) == f"<code>{'x' * 77}...</code>"


def test_texts_outside_code_mention_nobody():
    assert markdown_note("by @all in #12") == "by @&#8203;all in #&#8203;12"


def test_the_line_about_documents_names_its_metric():
    first = RESULT["metrics"][0]
    assert f"By {first['key']} <code>{first['metric'].replace('_', chr(92) + '_')}</code>: " in TEXT


def test_labels_have_their_numbers_of_spans_in_gold_and_both_runs():
    only_new = RESULT["metrics"][0]["labels"][0] | {"label": "new", "gold": 0}
    metric = RESULT["metrics"][0] | {"labels": [only_new | {"old_pred": 0, "new_pred": 17}]}
    row = list(label_lines(metric, ("a", "b")))[2]
    assert row.startswith("| <code>new</code> | 0 | 0 | 17 |")


def test_failures_come_first():
    lines = [line for line in TEXT.splitlines() if line]
    assert lines[1].startswith("> **Failed:** span\\_f is worse")


def test_errors_need_annotations():
    assert "fixed" not in compare_markdown(comparisons.result(annotations="none"))


def test_lists_are_as_long_as_asked_for():
    assert len(compare_markdown(RESULT, top=1)) < len(TEXT)
