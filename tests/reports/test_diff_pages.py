"""A diff as one page or a folder of pages: whole, inside itself, and nobody else's files lost."""

import re
from urllib.parse import unquote, urlsplit

import pytest

from helpers.cases import each_case
from helpers.differing import EQUAL, FEW, MANY, PER, compare, corpora
from helpers.htmlpages import Tags
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.analysis.diff import diff
from spacy_chance_eval.corpora.pairs import CorpusPair
from spacy_chance_eval.formats import Corpus, Document, FormatError
from spacy_chance_eval.formats.outputs import OURS
from spacy_chance_eval.reports import diff_pages
from spacy_chance_eval.reports.diff_pages import diff_page, write_diff

NAMES = ["<script>", '"><img onerror', "../../x", "javascript:alert(1)", "\N{GRINNING FACE}", "a/b"]


@pytest.fixture
def small(monkeypatch):
    """Pages of two documents."""
    monkeypatch.setattr(diff_pages, "PER_PAGE", 2)


def read(path):
    return Tags(path.read_text(encoding="utf-8"))


def written(found, folder, **settings):
    """The pages of a folder, by name."""
    write_diff(found, folder, **settings)
    return {path.name: read(path) for path in sorted(folder.iterdir())}


def links(page):
    return [one["href"] for _, one in page.tags if "href" in one and one["href"] != "data:,"]


def both(gold, pred, positions="token", layer="s", **settings):
    """The diff of a document of two files."""
    sides = Corpus("g", [gold], positions), layer, Corpus("p", [pred], positions), layer
    return diff(CorpusPair(*sides, ("g", "p"), **settings))


def texts(*spans):
    return (Document((), {"s": [one]}, text="Ada met Rex.") for one in spans)


SPANS = [(0, 3, "X")], [(3, 4, "X")]
NAMED = corpora(FEW)
PAGES = {
    "written": lambda: compare(EQUAL, FEW, MANY),
    "characters": lambda: both(*texts((0, 3, "X"), (8, 11, "X")), positions="char"),
    "sizes": lambda: both(*(Document((), {"s": spans}, size=9) for spans in SPANS)),
    "categories": lambda: both(
        *(Document((), {}, text="Fine.", categories={"c": [c]}) for c in ("good", "bad")),
        layer="c",
        categories=True,
    ),
    "surrogate": lambda: both(*(Document(("\ud83d",), {"s": s}) for s in ([(0, 1, "X")], []))),
    "named": lambda: diff(
        CorpusPair(NAMED[0], "spans", NAMED[1], "spans", ("a", "b"), ("alice", "<b>bob</b>"))
    ),
    "left-out": lambda: compare(FEW, labels=["LOC"]),
}


@each_case("name", PAGES)
def test_one_page_is_as_it_was(tmp_path, name):
    write_diff(PAGES[name](), tmp_path / "diff.html")
    compare_with_snapshot(f"diff-{name}.html", (tmp_path / "diff.html").read_text("utf-8"))


def test_one_page_holds_the_worst_and_a_folder_all(tmp_path, small):
    found = compare(FEW, MANY, *[FEW] * 3)
    write_diff(found, tmp_path / "diff.html")
    pages = written(found, tmp_path / "pages")
    assert list(pages) == ["index.html", *(f"page-000{i}.html" for i in (2, 3))]
    for path in (tmp_path / "diff.html", *(tmp_path / "pages").iterdir()):
        compare_with_snapshot(f"diff-folder.{path.name}", path.read_text("utf-8"))


@pytest.mark.integration
def test_a_folder_has_pages_of_200_documents(tmp_path):
    pages = written(compare(*[FEW] * 401), tmp_path / "pages")
    assert list(pages) == ["index.html", *(f"page-000{i}.html" for i in (2, 3))]
    numbers = [[tag for tag, _ in page.tags].count("article") for page in pages.values()]
    assert numbers == [200, 200, 1]


def test_every_link_of_a_folder_leads_to_a_place_in_it(tmp_path, small):
    pages = written(compare(FEW, EQUAL, MANY, FEW, MANY), tmp_path / "pages")
    ids = {name: {one.get("id") for _, one in page.tags} for name, page in pages.items()}
    examples = set()
    for name, page in pages.items():
        for link in links(page):
            parts = urlsplit(link)
            assert not parts.scheme and not parts.netloc
            target = unquote(parts.path) or name
            assert target in pages and (not parts.fragment or parts.fragment in ids[target])
            examples |= {link} if "#document" in link else set()
    assert len(examples) > 1


@pytest.mark.parametrize("kind", ["diff.html", "pages"])
def test_hostile_names_and_labels_stay_text(tmp_path, small, kind):
    rows = [Document((name, "b"), {"s": [(0, 1, name)]}, name) for name in NAMES]
    others = [Document((name, "b"), {"s": [(1, 2, name)]}, name) for name in NAMES]
    sides = Corpus(f"{NAMES[1]}.jsonl", rows), "s", Corpus(f"{NAMES[0]}.jsonl", others), "s"
    found = diff(CorpusPair(*sides, (sides[0].path, sides[2].path)))
    write_diff(found, tmp_path / kind)
    shown = set()
    for path in tmp_path.rglob("*.html"):
        page = read(path)
        tags = [tag for tag, _ in page.tags]
        assert tags.count("script") == 1 and "img" not in tags
        assert not [k for _, one in page.tags for k in one if k.startswith("on")]
        shown |= {name for name in NAMES for text in page.text if name == text.strip()}
    assert shown >= set(NAMES[:2])
    assert {path.name for path in tmp_path.iterdir()} == {kind}


def test_an_older_folder_is_replaced(tmp_path, small):
    folder = tmp_path / "pages"
    written(compare(*[FEW] * 5), folder)
    assert list(written(compare(FEW), folder)) == ["index.html"]
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


@pytest.mark.parametrize("name", ["thesis.txt", "index.html", "more/notes.html"])
def test_a_folder_with_anything_else_is_left_alone(tmp_path, name):
    folder = tmp_path / "pages"
    written(compare(FEW), folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("mine")
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(FormatError, match=f"not a folder of these pages .{name}.; move it"):
        write_diff(compare(MANY), folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]


@pytest.mark.parametrize("name", ["why.html", "pair-001-002.html", "01-system.html"])
def test_pages_of_other_commands_are_left_alone(tmp_path, name):
    folder = tmp_path / "pages"
    written(compare(FEW), folder)
    (folder / "index.html").rename(folder / name)
    with pytest.raises(FormatError, match=f"not a folder of these pages .{name}."):
        write_diff(compare(MANY), folder)
    assert [path.name for path in folder.iterdir()] == [name]


def test_a_file_that_looks_like_a_folder_is_left_alone(tmp_path):
    (tmp_path / "pages").write_text("mine")
    with pytest.raises(FormatError, match="a file, not a folder"):
        write_diff(compare(FEW), tmp_path / "pages")
    assert (tmp_path / "pages").read_text() == "mine"


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_whoever_stops_half_way_finds_what_was_there_before(tmp_path, small, error):
    folder = tmp_path / "pages"
    before = sorted(written(compare(FEW), folder))

    def stopping(pages):
        for i, page in enumerate(pages):
            if i == 1:
                raise error
            yield page

    for target in (folder, tmp_path / "new"):
        with pytest.raises(error):
            write_diff(compare(*[MANY] * 5), target, progress=stopping)
    assert [path.name for path in tmp_path.iterdir()] == ["pages"]
    assert sorted(path.name for path in folder.iterdir()) == before


def test_progress_knows_how_many_pages_there_will_be(tmp_path, small):
    seen = []
    write_diff(
        compare(*[FEW] * 5), tmp_path / "p", progress=lambda pages: seen.append(len(pages)) or pages
    )
    assert seen == [3]


def test_every_page_says_that_it_is_ours(tmp_path):
    pages = written(compare(FEW), tmp_path / "pages")
    assert pages and all(OURS in path.read_bytes() for path in (tmp_path / "pages").iterdir())


def test_labels_keep_their_colour_on_all_pages(tmp_path, small):
    only = [(5, 6, "ZEBRA")], [PER]
    written(compare(*[FEW] * 2, only), tmp_path / "pages")
    colours = {}
    for path in (tmp_path / "pages").glob("*.html"):
        for colour, label in re.findall(r"--c:(#\w+)\"><a [^>]*>(\w+)</a></b>", path.read_text()):
            colours.setdefault(label, set()).add(colour)
    assert set(colours) == {"PER", "LOC", "ZEBRA"}
    assert all(len(found) == 1 for found in colours.values())


def test_a_page_of_one_label_has_pairs_with_others_too():
    found = compare(MANY, labels=["ORG"])
    page = Tags(diff_page(found, found.order, title="x"))
    options = [one["value"] for tag, one in page.tags if tag == "option"]
    (row,) = [one for _, one in page.tags if "data-row" in one]
    assert options[:2] == ["", "0"] and row["data-label"].split() == ["1", "0"]
