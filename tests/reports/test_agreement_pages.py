"""Folders of pages: an index of the annotators, and documents of each pair."""

import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from helpers.docmaking import make_doc
from helpers.panelfiles import brat, lines, row
from helpers.reading import Reader
from helpers.textfiles import FOUND, SPANS, WORDS, call, failed
from spacy_chance_eval import Resampling, Spans, agree
from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.integrations.panels import corpus_of_docs, panel_of_docs
from spacy_chance_eval.reports import agreement_pages
from spacy_chance_eval.reports.agreement_pages import write_agreement
from spacy_chance_eval.reports.words import number
from spacy_chance_eval.scoring.evaluation import default_requests
from spacy_chance_eval.tasks.agree import agree_files

FEW = ("--resamples", 0)
FURTHER = ["pair-001-002-0002.html", "pair-001-002-0003.html"]
EVIL = '../"><script>alert(1)</script>'
OTHER = [(0, 1, "LOC"), (5, 6, "LOC")]


def team(path, **work):
    """A file of rows: what each annotator did with each document, None where they saw it not."""
    rows = [
        row(spans, id=f"d{d}", annotator=name)
        for name, documents in work.items()
        for d, spans in enumerate(documents)
        if spans is not None
    ]
    return lines(path, *rows)


@pytest.fixture
def three(tmp_path):
    """Three annotators; the last shares no document with the first."""
    return team(
        tmp_path / "work.jsonl",
        ann=[SPANS, SPANS, SPANS, None],
        bob=[FOUND, SPANS, OTHER, SPANS],
        cem=[None, None, None, FOUND],
    )


def written(path, *arguments, expected=0):
    """The folder that `agree -o pages/` writes beside its file, and its pages, read."""
    folder = Path(path).parent / "pages"
    done = call("agree", path, *FEW, "-o", folder, *arguments)
    assert done.exit_code == expected, done.output
    return folder, {one.name: Reader(one.read_text("utf-8")) for one in folder.iterdir()}


def articles(page):
    """The places of the documents that a page draws, in order."""
    return [int(attrs["data-document"]) for attrs in page.all("article")]


def test_there_is_an_index_and_a_page_for_each_pair_that_shares_documents(three):
    _, pages = written(three)
    assert sorted(pages) == ["index.html", "pair-001-002.html", "pair-002-003.html"]


def test_the_command_says_where_the_pages_are(three):
    done = call("agree", three, *FEW, "-o", three.parent / "pages")
    assert str(three.parent / "pages" / "index.html") in done.stderr
    assert "span_f" in done.stdout


def test_numbers_are_those_of_the_json(three):
    out = three.parent / "out.json"
    _, pages = written(three, "-o", out, "-m", "span_f", "-m", "cohen_kappa")
    found = json.loads(out.read_text("utf-8"))
    tables = pages["pair-001-002.html"].tables
    for line, one in zip(tables[0][1:], found["metrics"]):
        (pair,) = [p for p in one["pairs"] if (p["first"], p["second"]) == ("ann", "bob")]
        shown = [cell["text"] for cell in line[1:]]
        assert shown == [[number(pair[key])] for key in ("corrected", "observed", "expected")]
    assert [line[0]["text"] for line in tables[1][1:]] == [["LOC"], ["PER"]]


def test_every_link_leads_to_something_inside_the_folder(three):
    folder, pages = written(three, "-m", "span_f", "-m", "cohen_kappa")
    ids = {name: {a["id"] for _, a in page.tags if "id" in a} for name, page in pages.items()}
    links = [(name, attrs["href"]) for name, page in pages.items() for attrs in page.all("a")]
    assert ("index.html", "pair-002-003.html") in links
    for name, href in links:
        parts = urlsplit(href)
        assert not parts.scheme and not parts.netloc
        target = unquote(parts.path) or name
        assert target in pages
        assert not parts.fragment or parts.fragment in ids[target], href


def test_documents_that_differ_most_come_first(three):
    _, pages = written(three)
    assert articles(pages["pair-001-002.html"]) == [2, 0]
    assert "Documents without a difference, which are not shown: 1." in (
        pages["pair-001-002.html"].text
    )


@pytest.mark.parametrize("names", [("gold", "bob"), ("gold", "predicted")])
def test_annotators_are_called_by_their_names_as_they_are(tmp_path, names):
    path = team(tmp_path / "x.jsonl", **dict.fromkeys(names, [SPANS]) | {names[1]: [FOUND]})
    page = written(path)[1]["pair-001-002.html"]
    assert "gold" in page.text and "Gold" not in page.text and "Predicted" not in page.text


def test_an_annotator_s_costly_documents_lead_to_where_they_are_drawn(three):
    _, pages = written(three)
    links = [attrs["href"] for attrs in pages["index.html"].all("a")]
    assert "pair-001-002.html#document-3" in links and "pair-002-003.html#document-4" in links


def test_of_pairs_that_differ_alike_the_first_shows_the_document(tmp_path):
    path = team(tmp_path / "x.jsonl", ann=[SPANS], bob=[FOUND], cem=[FOUND])
    _, pages = written(path)
    links = [attrs["href"] for attrs in pages["index.html"].all("a")]
    found = {link for link in links if link.endswith("#document-1")}
    assert found == {"pair-001-002.html#document-1"}


MORE = [(500, [200, 200, 5]), (300, [200, 100])]


@pytest.mark.parametrize(
    "number, sizes",
    [(200, [200]), *(pytest.param(*row, marks=pytest.mark.integration) for row in MORE)],
)
def test_a_page_has_200_documents_at_most(tmp_path, number, sizes):
    path = team(tmp_path / "x.jsonl", ann=[SPANS] * 405, bob=[FOUND] * 405)
    _, pages = written(path, "-m", "span_f", "--top", number)
    names = sorted(set(pages) - {"index.html"}, key=lambda name: (len(name), name))
    assert names == ["pair-001-002.html", *FURTHER][: len(sizes)]
    assert [len(articles(pages[name])) for name in names] == sizes
    assert {place for name in names for place in articles(pages[name])} == set(range(sum(sizes)))


@pytest.mark.integration
def test_further_pages_lead_to_each_other(tmp_path):
    path = team(tmp_path / "x.jsonl", ann=[SPANS] * 401, bob=[FOUND] * 401)
    _, pages = written(path, "-m", "span_f", "--top", 500)
    around = {
        name: {
            attrs["rel"]: attrs["href"]
            for attrs in page.all("a")
            if attrs.get("rel") in ("next", "prev")
        }
        for name, page in pages.items()
    }
    names = ["pair-001-002.html", *FURTHER]
    assert [around[name] for name in names] == [
        {"next": names[1]},
        {"prev": names[0], "next": names[2]},
        {"prev": names[1]},
    ]


def test_an_asymmetric_metric_has_a_matrix_both_ways_and_one_page_of_the_pair(three):
    _, pages = written(three, "-m", "token_precision")
    page = pages["pair-001-002.html"]
    names = [line[0]["text"][0] for line in page.tables[0][1:]]
    assert names == ["token_precision, ann as gold", "token_precision, bob as gold"]
    links = [attrs["href"] for attrs in pages["index.html"].all("a")]
    assert links.count("pair-001-002.html") >= 2 and "pair-002-001.html" not in pages


def test_annotators_of_texts_are_drawn_by_characters(tmp_path):
    brat(tmp_path / "alice", "d", SPANS)
    brat(tmp_path / "bob", "d", FOUND)
    pages = tmp_path / "pages"
    done = call("agree", tmp_path / "alice", tmp_path / "bob", *FEW, "-o", pages)
    assert done.exit_code == 0, done.output
    page = Reader((pages / "pair-001-002.html").read_text("utf-8"))
    assert articles(page) == [0] and "characters" in (pages / "index.html").read_text("utf-8")


def test_categories_have_pages(tmp_path):
    task = {"answer": "accept", "_view_id": "choice", "options": [{"id": "P"}, {"id": "N"}]}
    tasks = [
        task
        | {"text": f"say {d}", "_input_hash": d, "_task_hash": d, "_annotator_id": who}
        | {"accept": [choice]}
        for who, choices in (("ann", "PPNN"), ("ben", "PPNP"))
        for d, choice in enumerate(choices)
    ]
    _, pages = written(lines(tmp_path / "x.jsonl", *tasks), "--categories")
    page = pages["pair-001-002.html"]
    assert articles(page) == [3] and "say 3" in page.text
    assert "page 1 of" not in page.text and "1 of them with differences" in page.text


def test_names_and_labels_from_data_stay_text_and_inside_the_folder(tmp_path):
    spans = [(0, 1, EVIL), (2, 4, "PER")]
    rows = [row(spans, id=EVIL, annotator=EVIL), row(SPANS, id=EVIL, annotator="</title><b>")]
    before = {*tmp_path.rglob("*")}
    path = lines(tmp_path / "x.jsonl", *rows)
    folder, pages = written(path)
    assert {*tmp_path.rglob("*")} - before == {path, folder, *folder.iterdir()}
    assert sorted(pages) == ["index.html", "pair-001-002.html"]
    for page in pages.values():
        assert len(page.all("script")) == 1
        assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
        assert EVIL in page.text and "</title><b>" in page.text


def test_two_who_agree_have_a_page_that_says_so(tmp_path):
    _, pages = written(team(tmp_path / "x.jsonl", ann=[SPANS], bob=[SPANS]))
    page = pages["pair-001-002.html"]
    assert not articles(page) and "nothing differs" in page.text


def test_an_older_folder_is_replaced(three):
    folder, _ = written(three)
    (folder / "pair-009-010.html").write_bytes((folder / "index.html").read_bytes())
    written(three)
    assert not (folder / "pair-009-010.html").exists()


def test_a_folder_with_other_files_is_refused_before_anything_is_compared(three):
    folder = three.parent / "pages"
    folder.mkdir()
    (folder / "thesis.txt").write_text("mine")
    message = failed("agree", three, "-o", folder, "-o", three.parent / "out.json")
    assert "thesis.txt" in message
    assert [one.name for one in folder.iterdir()] == ["thesis.txt"]
    assert not (three.parent / "out.json").exists()


def test_the_folder_of_a_diff_is_not_replaced(three):
    folder, _ = written(three)
    (folder / "pair-001-002.html").rename(folder / "page-0001.html")
    assert "page-0001.html" in failed("agree", three, *FEW, "-o", folder)
    assert (folder / "page-0001.html").exists()


def test_nothing_is_left_behind_when_a_page_fails(three, monkeypatch):
    folder, pages = written(three)

    def failing(result, *arguments, **options):
        raise FormatError("no", "here")

    monkeypatch.setattr(agreement_pages, "agreement_report", failing)
    before = {one: one.read_bytes() for one in folder.iterdir()}
    failed("agree", three, *FEW, "-o", folder)
    assert {one: one.read_bytes() for one in folder.iterdir()} == before
    assert sorted(three.parent.iterdir()) == [folder, three]


def test_a_path_that_ends_in_html_is_the_index_alone(three):
    path = three.parent / "agreement.html"
    done = call("agree", three, *FEW, "-o", path)
    assert done.exit_code == 0, done.output
    page = Reader(path.read_text("utf-8"))
    assert not [attrs for attrs in page.all("a") if not attrs["href"].startswith("#")]
    assert {one.name for one in path.parent.iterdir()} == {path.name, three.name}


def test_agreement_in_python_knows_its_documents(three, tmp_path):
    metrics = default_requests(["span_f"])
    found = agree_files([three], metrics=metrics, intervals=Resampling(0), keep=True)
    seen = []

    def watch(steps, total=None, what=""):
        seen.append((len(steps), total, what))
        return steps

    write_agreement(found, tmp_path / "out", progress=watch)
    assert (tmp_path / "out" / "pair-001-002.html").exists()
    assert seen == [(2, 2, "Pages of pairs")]


def test_docs_have_pages(tmp_path):
    docs = [make_doc(WORDS, None, groups={"a": SPANS, "b": FOUND})]
    layers = {"ann": "spans:a", "bob": "spans:b"}
    found = agree(panel_of_docs(docs, layers), ["span_f"], intervals=Resampling(0))
    write_agreement(found, tmp_path / "out", corpus=corpus_of_docs(docs, layers))
    page = Reader((tmp_path / "out" / "pair-001-002.html").read_text("utf-8"))
    assert articles(page) == [0] and "ann and bob" in page.text


def test_bare_spans_have_an_index_alone(tmp_path):
    ann, bob = (Spans.from_tuples([[span]], [9]) for span in ((0, 2, "PER"), (0, 3, "PER")))
    found = agree({"ann": ann, "bob": bob}, ["span_f"], intervals=Resampling(0))
    with pytest.raises(ValueError, match="pass corpus="):
        write_agreement(found, tmp_path / "out")
    write_agreement(found, tmp_path / "out.html")
    assert (tmp_path / "out.html").exists() and not (tmp_path / "out").exists()
