"""Comparisons of runs as text, Markdown and page, letter by letter, and what holds for all."""

import re
from html import unescape

import pytest

from helpers import comparisons
from helpers.cases import each_case
from helpers.comparisons import SCRIPT
from helpers.htmlpages import Page
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval import Resampling, Spans
from spacy_chance_eval.reports.compare import (
    compare_markdown,
    compare_page,
    compare_text,
    compare_verdict,
    html_name,
    markdown_name,
    markdown_note,
)
from spacy_chance_eval.reports.words import printable
from spacy_chance_eval.runs.compare import compare
from spacy_chance_eval.runs.files import stored_run

GOLD = [[(0, 1, "A")], [(2, 3, "A")]]


def runs(*preds, gold=GOLD):
    """The comparison of two runs that were stored without the names of files."""
    made = [Spans.from_tuples(one, [9] * len(gold)) for one in (gold, *preds)]
    stored = [stored_run(made[0], one, ["span_f"], saved="2026-01-01T00:00:00") for one in made[1:]]
    return compare(*stored, intervals=Resampling(9))


def undefined():
    found = comparisons.result(["slicm_norm"])
    total = found["metrics"][0]["total"]
    total["new"]["observed"] = total["observed"]["difference"] = total["verdict"] = None
    return found


COMPARED = {
    "all": lambda: comparisons.result(failures=["span_f is worse @all"], verbose_below=0.9),
    "warned": lambda: comparisons.result() | {"warnings": ["<no> spans"], "notes": [SCRIPT]},
    "untested": lambda: comparisons.result(resamples=0),
    "no-annotations": lambda: comparisons.result(annotations="none"),
    "undefined": undefined,
    "new-label": lambda: runs(GOLD, [GOLD[0], [*GOLD[1], (5, 6, "B"), (7, 8, "B")]]),
    "equal": lambda: runs(GOLD, GOLD),
    "one-document": lambda: runs([[]], GOLD[:1], gold=GOLD[:1]),
}
OUTPUTS = {
    "txt": lambda result: "\n".join([compare_verdict(result), compare_text(result)]),
    "md": compare_markdown,
    "html": compare_page,
}
SHORT = {
    "top.txt": lambda result: compare_text(result, top=0),
    "top.md": lambda result: compare_markdown(result, top=1),
    "top.html": lambda result: compare_page(result, top=1),
}


@pytest.mark.parametrize("output", OUTPUTS)
@each_case("name", COMPARED)
def test_a_comparison_is_as_it_was(name, output):
    compare_with_snapshot(f"compare-{name}.{output}", OUTPUTS[output](COMPARED[name]()))


@each_case("output", SHORT)
def test_lists_are_as_long_as_asked_for(output):
    compare_with_snapshot(f"compare-all.{output}", SHORT[output](COMPARED["all"]()))


@each_case("output", ["txt", "md"])
def test_nothing_can_steer_the_terminal(output):
    text = OUTPUTS[output](COMPARED["all"]())
    assert "\x1b" not in text and not re.search(r"^(# head|@all)", text, re.MULTILINE)


@each_case("name", COMPARED)
def test_pages_are_well_formed_and_what_comes_from_data_stays_text(name):
    text = compare_page(COMPARED[name]())
    page = Page(text)
    assert len(page.all("script")) == 1 and SCRIPT not in text
    assert not [a for _, a in page.tags if any(key.startswith("on") for key in a)]
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids)) and {a["href"][1:] for a in page.all("a")} <= set(ids)
    named = " ".join(a.get("aria-labelledby", "") for _, a in page.tags)
    assert set(named.split()) <= set(ids)
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(a.get("scope") in ("col", "row", "colgroup") for a in page.all("th"))


@each_case("name", COMPARED)
def test_markdown_mentions_nobody_and_has_no_html_but_our_own(name):
    text = compare_markdown(COMPARED[name]())
    assert set(re.findall(r"</?(\w+)", text)) <= {"code", "details", "summary", "no"}
    outside = re.sub(r"<code>.*?</code>|(`+).*?\1", "", text)
    assert not re.search(r"@\w|(?<!&)#\d|https?:(?!\\)//|\]\(", outside)
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        sizes = {len(re.split(r"(?<!\\)(?:\\\\)*\|", row)) for row in block.splitlines()}
        assert len(sizes) == 1


@pytest.mark.integration
def test_titles_are_shown_without_the_escapes_of_markdown():
    result = COMPARED["all"]()
    text = compare_markdown(result)
    shown = pytest.importorskip("markdown_it").MarkdownIt().enable("table").render(text)
    titles = re.findall("<summary>(.*?)</summary>", shown, re.DOTALL)
    titles = [unescape(re.sub("</?code>", "", title)) for title in titles]
    assert len(titles) == text.count("<summary>")
    assert [f"{one['metric']} by label" for one in result["metrics"]] == titles[:3]
    names = [re.sub(r"[ \n]", "", printable(one["document"])) for one in result["verbose"]]
    assert names == [title.rpartition(":")[0].replace(" ", "") for title in titles[5:-1]]


@each_case(
    "shown, text, expected",
    [
        (html_name, "a\n\n<b> @x `_`", r"<code>a\n\n&lt;b&gt; @x `_`</code>"),
        (html_name, "x" * 500, f"<code>{'x' * 77}...</code>"),
        (markdown_name, "x" * 500, f"<code>{'x' * 77}...</code>"),
        (markdown_name, "a|b`c`", r"<code>a\|b\`c\`</code>"),
        (markdown_name, "\\|", r"<code>\\\|</code>"),
        (markdown_note, "by @all in #12", "by @&#8203;all in #&#8203;12"),
    ],
)
def test_names_stay_code_and_notes_mention_nobody(shown, text, expected):
    assert shown(text) == expected
