"""Table 10 of Li et al. (2024) on any board."""

import json

import pytest

from helpers.textfiles import call, failed
from spacy_chance_eval import leaderboard, parse, read
from spacy_chance_eval.scoring.intervals import Resampling
from spacy_chance_eval.scoring.subsets import chance_levels

SENTENCES = [  # tokens, gold, prediction of one system
    (4, [(0, 2, "A")], [(0, 2, "A")]),
    (4, [(1, 3, "A")], [(1, 2, "A")]),
    (20, [(3, 5, "A")], []),
    (20, [(3, 5, "A"), (8, 9, "B")], [(3, 5, "A"), (8, 10, "B")]),
    (9, [], [(0, 1, "A")]),
]


@pytest.fixture
def files(tmp_path):
    """Gold, and two systems, of which one is perfect."""
    for name in ("gold", "perfect", "partial"):
        rows = [
            {
                "tokens": ["w"] * n,
                "spans": [list(span) for span in {"partial": pred}.get(name, gold)],
            }
            for n, gold, pred in SENTENCES
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return [tmp_path / f"{name}.jsonl" for name in ("gold", "perfect", "partial")]


def rank(*arguments):
    done = call("rank", *arguments, "--no-intervals", "--table10")
    assert done.exit_code == 0, done.stderr
    return done.stdout


def cells(files, *more):
    """{system: values of the table}."""
    table = json.loads(rank(*files, "--to", "json", *more))["table10"]
    return {row["name"]: [one["value"] for one in row["cells"]] for row in table["rows"]}


def test_its_scores_are_those_of_boards_of_the_subsets(files):
    gold, *systems = (read(path).spans("spans") for path in files)
    levels = chance_levels(gold, parse("token_f"))
    subsets = {"x": {"low": levels <= 0.175, "high": levels > 0.175}}
    named = dict(zip(("perfect", "partial"), systems))
    boards = leaderboard(gold, named, ["token_f"], subsets=subsets, intervals=Resampling(0))
    expected = {"perfect": [], "partial": []}
    for board in boards["boards"]:
        for row in board["rows"] if board["label"] is None else ():
            for score in (row["observed"], row["corrected"]):
                expected[row["system"]] += [score["score"], score["rank"]]
    assert cells(files) == expected


def test_documents_without_spans_are_in_no_subset(files):
    table = json.loads(rank(*files, "--to", "json"))["table10"]
    assert "subset1: 2 with chance up to 0.175, subset2: 2 above it; 1 without" in table["title"]


@pytest.mark.parametrize("to", [(), ("--to", "md"), ("--to", "html")], ids=["text", "md", "html"])
def test_it_stands_below_the_boards(files, to):
    printed = rank(*files, *to)
    assert printed.rindex("Table 10") > printed.index("partial")
    assert "Obs all" in printed and "Cor subset2" in printed


def test_a_subset_without_documents_has_no_scores(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"tokens": ["w"] * 4, "spans": [[0, 2, "A"]]}) + "\n")
    assert cells([path, path])["a"][4:8] == [None] * 4


def test_it_is_of_the_token_f_that_was_asked_for(files):
    found = cells(files, "-m", "token_f(encoding=BIO)")
    assert found["partial"] != cells(files)["partial"]


def test_other_metrics_have_no_table_10(files):
    assert "add --metric token_f" in failed("rank", *files, "--table10", "-m", "span_f")
    uncorrected = failed("rank", *files, "--table10", "-m", "token_f(chance=none)")
    assert "leave out chance=none" in uncorrected
