"""Pages of the documents that cost each system most."""

import json

import pytest
from typer.testing import CliRunner

from helpers.htmlpages import Tags
from helpers.reading import Reader, texts
from spacy_chance_eval import read, sample
from spacy_chance_eval.cli import app
from spacy_chance_eval.formats.conll_out import write_conll
from spacy_chance_eval.reports.diff_pages import slug
from spacy_chance_eval.scoring.evaluation import default_requests
from spacy_chance_eval.tasks.rank import rank_files

HOSTILE = "<script>alert(1)</script>"
GOLD = """A B-X
b O
c B-Y

d B-X
e I-X
f O

g O
h O
"""


@pytest.fixture
def files(tmp_path):
    """Gold of three sentences, and a system that errs in the second."""
    (tmp_path / "gold.conll").write_text(GOLD)
    (tmp_path / "sys.conll").write_text(GOLD.replace("e I-X", "e O"))
    return tmp_path


def run(folder, *arguments, names="gold.conll sys.conll"):
    gold, system = names.split()
    options = ("--resamples", "20", "-m", "span_f", "-o", folder / "board")
    arguments = (
        "score",
        folder / gold,
        f"sys={folder / system}",
        *arguments,
        *options,
    )
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_each_system_has_a_page_next_to_the_board(files):
    done = run(files, f"Other system={files / 'gold.conll'}")
    assert done.exit_code == 0, done.stderr
    pages = sorted(path.name for path in (files / "board").iterdir())
    assert pages == ["01-other-system.html", "02-sys.html", "index.html"]
    board = (files / "board" / "index.html").read_text()
    assert 'href="02-sys.html"' in board
    assert 'href="index.html"' in (files / "board" / "02-sys.html").read_text()


def test_a_page_beside_the_folder_has_no_links_into_it(files):
    done = run(files, "-o", files / "alone.html", "-o", files / "all.json")
    assert done.exit_code == 0, done.stderr
    assert "01-sys.html" not in (files / "alone.html").read_text()
    systems = json.loads((files / "all.json").read_text())["systems"]
    assert [one["errors"] for one in systems] == [None]


def test_the_worst_document_by_an_error_rate_is_that_with_errors(files):
    run(files, "--metric", "error_rate")
    page = "".join(Tags((files / "board" / "01-sys.html").read_text()).text)
    assert "loses most on document 2: without it, error_rate" in page
    assert "better." in page and "document 1" not in page


def test_only_documents_that_cost_something_are_shown(files):
    run(files, f"same={files / 'gold.conll'}")
    wrong = Tags((files / "board" / "02-sys.html").read_text())
    assert "document 2" in wrong.text and "document 1" not in wrong.text
    perfect = "".join(Tags((files / "board" / "01-same.html").read_text()).text)
    assert "Without any single document, the corrected span_f of same would not be" in perfect


def test_a_row_for_each_document_has_its_cost_and_counts_its_errors(files):
    run(files)
    page = Reader((files / "board/01-sys.html").read_text())
    found = {}
    for table in page.tables:
        rows = [["".join(cell) for cell in row] for row in texts(table)]
        found.setdefault(rows[0][0], rows)
    assert found["label"][-1][0] == "All" and found["label"][-1][4:6] == ["2", "1"]
    assert found["error"][1][:3] == ["too short", "partial", "1"]
    assert found["document"][0][:3] == ["document", "cost", "correct"]
    assert found["document"][1] == ["document 2", "+.4286", "0", "1", "0", "0", "0"]


def test_spans_are_drawn_by_their_relation_under_the_name_of_the_system(files):
    run(files, f"Other={files / 'sys.conll'}")
    text = (files / "board" / "01-other.html").read_text()
    assert text.count("too short: gold has X 0-2, Other has X 0-1") == 2
    assert '<div class="side">gold</div>' in text and '<div class="side">Other</div>' in text


def test_parts_of_discontinuous_spans_are_compared_one_by_one(tmp_path):
    parts = {"fragments": [[0, 3], [8, 10]], "label": "X"}
    spans_of_both = {"start": 4, "end": 7, "label": "X"}
    for name, spans in (("gold", [parts]), ("sys", [{"start": 0, "end": 3, "label": "X"}])):
        rows = [{"text": "Ada met Bo", "spans": one} for one in (spans, [spans_of_both])]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(text)
    done = run(tmp_path, "--chance", "overlapping", names="gold.jsonl sys.jsonl")
    assert done.exit_code == 0, done.stderr
    page = Reader((tmp_path / "board" / "01-sys.html").read_text())
    assert ["".join(cell) for cell in texts(page.tables[-2])[1]][2:] == ["1", "0", "0", "1", "0"]


def test_a_cost_is_what_the_score_would_gain_without_the_document(files):
    gold, system = files / "gold.conll", files / "sys.conll"
    how = {"metrics": default_requests(["span_f"]), "worst": 1}
    result, _ = rank_files(str(gold), [str(system)], **how)
    (worst,) = result["systems"][0]["worst"]
    without = GOLD.replace("d B-X\ne I-X\nf O\n\n", "")
    for path in (gold, system):
        path.write_text(without)
    score = lambda found: found["boards"][0]["rows"][0]["corrected"]  # noqa: E731
    less, _ = rank_files(str(gold), [str(system)], **how)
    assert worst["cost"] == pytest.approx(score(less) - score(result))
    assert worst["place"] == 1


def test_labels_words_and_names_stay_text(tmp_path):
    text = f"{HOSTILE} B-{HOSTILE}\nb O\n\nc B-Y\nd O\ne O\n"
    (tmp_path / "gold.conll").write_text(text)
    (tmp_path / "sys.conll").write_text(text.replace(f"B-{HOSTILE}", "O"))
    done = run(tmp_path, f"{HOSTILE}={tmp_path / 'sys.conll'}")
    assert done.exit_code == 0, done.stderr
    for path in (tmp_path / "board").iterdir():
        page = Tags(path.read_text())
        assert [tag for tag, _ in page.tags].count("script") == 1  # the page's own
        assert any(HOSTILE in part for part in page.text)
        assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)


def test_names_of_systems_stay_inside_the_folder():
    assert slug("../../etc/passwd") == "etc-passwd"
    assert slug("<>") == "system"
    assert len(slug("x" * 300)) == 40


def test_spans_of_characters_are_drawn_too(tmp_path):
    ada, bo = ({"start": start, "end": end, "label": "PER"} for start, end in ((0, 3), (8, 10)))
    for name, sides in (("gold", ([ada, bo], [ada])), ("sys", ([ada], [ada]))):
        rows = (json.dumps({"text": "Ada met Bo", "spans": spans}) + "\n" for spans in sides)
        (tmp_path / f"{name}.jsonl").write_text("".join(rows))
    paths = tmp_path / "gold.jsonl", tmp_path / "sys.jsonl"
    arguments = [
        "score",
        paths[0],
        f"sys={paths[1]}",
        "--read",
        "offsets=char",
        "-o",
        tmp_path / "b",
    ]
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.stderr
    text = " ".join((tmp_path / "b" / "01-sys.html").read_text().split())
    assert '<b class="k3"' in text and "<strong>PER</strong> Bo" in text


def test_old_pages_are_replaced_but_nothing_else_is(files):
    folder = files / "board"
    folder.mkdir()
    (folder / "09-old.html").write_text('<meta name="generator" content="spacy-chance-eval">')
    assert run(files).exit_code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["01-sys.html", "index.html"]
    (folder / "thesis.txt").write_text("mine")
    done = run(files)
    assert done.exit_code == 1 and "thesis.txt" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == [
        "01-sys.html",
        "index.html",
        "thesis.txt",
    ]
    assert not list(files.glob(".*"))


def test_pages_hold_what_the_writer_of_columns_gives_back(tmp_path):
    corpus = read(sample.path("dev.jsonl"))
    write_conll(tmp_path / "gold.conll", corpus, ["spans"])
    (tmp_path / "sys.conll").write_text(
        (tmp_path / "gold.conll").read_text().replace("-ORG", "-PER")
    )
    assert run(tmp_path).exit_code == 0
    page = Tags((tmp_path / "board" / "01-sys.html").read_text())
    assert any("dev-0" in part for part in page.text)
