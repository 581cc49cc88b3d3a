import html
import re

from helpers import comparisons
from helpers.comparisons import SCRIPT
from helpers.htmlpages import Page
from spacy_chance_eval.reports.compare import compare_page
from spacy_chance_eval.reports.words import number, printable

RESULT = comparisons.result(failures=["it is worse"], verbose_below=0.9)
TEXT = compare_page(RESULT)


def test_the_page_is_well_formed_and_what_comes_from_data_stays_text():
    page = Page(TEXT)
    assert len(page.all("script")) == 1 and SCRIPT not in TEXT
    assert not [a for _, a in page.tags if any(key.startswith("on") for key in a)]
    assert "{{ 7*7 }}\\n# head" in page.texts and "49" not in page.texts


def test_it_shows_the_scores_of_both_runs():
    texts = Page(TEXT).texts
    for metric in RESULT["metrics"]:
        for which in ("old", "new"):
            assert number(metric["total"][which][metric["key"]]) in texts
        for row in metric["labels"]:
            assert number(row["new"][metric["key"]]) in texts


def test_labels_have_their_numbers_of_spans():
    labels = [
        one | {"gold": 71, "old_pred": 72, "new_pred": 73} for one in RESULT["metrics"][0]["labels"]
    ]
    metric = RESULT["metrics"][0] | {"labels": labels}
    text = compare_page(RESULT | {"metrics": [metric]})
    cells = [f'<td data-value="{n}">{n}</td>' for n in (71, 72, 73)]
    assert text.count("".join(cells)) == len(labels)


def test_numbers_are_sorted_in_full():
    (row,) = [one for one in RESULT["metrics"][0]["labels"] if one["label"] == "PER"]
    assert f'data-value="{row["new"]["corrected"]!r}"' in TEXT


def test_ids_are_unique_and_links_and_labels_resolve():
    page = Page(TEXT)
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    links = [a["href"] for a in page.all("a")]
    assert {link[1:] for link in links} <= set(ids) and all(link[0] == "#" for link in links)
    labels = [a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a]
    assert set(" ".join(labels).split()) <= set(ids)


def test_every_table_has_a_caption_and_headers_with_a_scope():
    page = Page(TEXT)
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(a.get("scope") in ("col", "row", "colgroup") for a in page.all("th"))


def test_only_headings_with_names_break_within_words_on_paper():
    heads = re.findall(r'<th [^>]*class="named"[^>]*>([^<]*)', TEXT)
    names = [name for name in map(printable, RESULT["names"]) for _ in RESULT["metrics"]]
    found = {html.unescape(head).removesuffix(" spans") for head in heads}
    assert found == set(names) and len(heads) == 2 * len(names)


def test_failures_and_notes_are_shown():
    assert "it is worse" in Page(TEXT).texts
    noted = comparisons.result() | {"notes": [f"note {SCRIPT}"]}
    assert f"note {SCRIPT}" in Page(compare_page(noted)).texts


def test_lists_are_as_long_as_asked_for():
    short = compare_page(RESULT, top=1)
    assert short.count("<tr>") < TEXT.count("<tr>")
    assert re.search("1 of 3", short) or re.search("1 of 2", short)


def test_a_page_without_annotations_has_no_errors():
    assert 'id="errors"' not in compare_page(comparisons.result(annotations="none"))
