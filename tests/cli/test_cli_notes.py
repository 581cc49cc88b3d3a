"""`notes`: a template filled in with the numbers of a leaderboard."""

import json
from pathlib import Path

import pytest

from helpers.textfiles import GOLD, PRED, call, conll, failed

CONLL03 = Path(__file__).parents[2] / "configs" / "conll03.notes.md"


@pytest.fixture
def board(tmp_path):
    """The JSON of a leaderboard of two systems."""
    paths = [
        conll(tmp_path / f"{name}.conll", tags) for name, tags in zip("gab", (GOLD, GOLD, PRED))
    ]
    done = call("rank", *paths, "--no-intervals", "--to", "json", "-o", tmp_path / "board")
    assert done.exit_code == 0, done.stderr
    return tmp_path / "board.json"


@pytest.fixture
def template(tmp_path):
    """Writes a template."""

    def write(text):
        (tmp_path / "notes.md").write_text(text)
        return tmp_path / "notes.md"

    return write


def test_a_template_sees_the_board_and_the_facts(board, template):
    path = template(
        "{{ board.n_gold | quantity('span') }}: {% for name in facts.span_f.all.systems %}\n"
        "{{ name }} {{ facts.span_f.all.systems[name].observed | number }}\n{% endfor %}"
    )
    done = call("notes", board, path)
    assert (done.exit_code, done.stdout) == (0, "3 spans: a 1.0000\nb 0.6667\n"), done.stderr


def test_notes_are_written_to_a_file(board, template, tmp_path):
    assert call("notes", board, template("{{ board.title }}"), "-o", "-").stdout == "g\n"
    done = call("notes", board, template("Ünd {{ board.title }}\n"), "-o", tmp_path / "x" / "n.md")
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "x" / "n.md").read_text(encoding="utf8") == "Ünd g\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("one\n{% if %}\n", "notes.md:2: no template"),
        ("{{ board.nothing }}", "cannot be filled in with this leaderboard"),
        ("{{ facts.span_f.all.systems.z.observed | number }}", "cannot be filled in"),
        ("{{ ''.__class__.__mro__ }}", "cannot be filled in"),
    ],
    ids=["syntax", "board", "system", "unsafe"],
)
def test_a_template_that_cannot_be_filled_in_is_an_error(board, template, text, message):
    assert message in failed("notes", board, template(text))


NO_BOARDS = {
    "empty": "",
    "list": "[]",
    "object": "{}",
    "alpha": '{"resampling": 5, "boards": []}',
    "board": '{"resampling": {"alpha": 0.05}, "boards": [1]}',
    "metric": '{"resampling": {"alpha": 0.05}, "boards": [{}]}',
    "deep": "[" * 100_000,
    "digits": "9" * 5_000,
}


@pytest.mark.parametrize("text", NO_BOARDS.values(), ids=NO_BOARDS)
def test_a_file_that_is_no_leaderboard_is_an_error(tmp_path, template, text):
    (tmp_path / "other.json").write_text(text)
    message = failed("notes", tmp_path / "other.json", template("{{ board }}"))
    assert "no leaderboard; expected JSON as `rank -o PREFIX` writes it" in message


def test_a_leaderboard_whose_rows_are_others_is_an_error(board, template):
    sound = json.loads(board.read_text())
    del sound["boards"][0]["rows"][0]["observed"]
    board.write_text(json.dumps(sound))
    assert "no leaderboard; expected JSON" in failed("notes", board, template("{{ board }}"))
    for key, value in (
        ("rows", [5]),
        ("rows", None),
        ("pairs", {}),
        ("metric", []),
        ("n_gold", "x"),
    ):
        board.write_text(json.dumps(sound | {"boards": [sound["boards"][0] | {key: value}]}))
        assert "no leaderboard; expected JSON" in failed("notes", board, template("{{ board }}"))


def test_missing_files_are_errors(board, template, tmp_path):
    assert "no such file" in failed("notes", tmp_path / "none.json", template("x"))
    assert "no such file" in failed("notes", board, tmp_path / "none.md")


def test_the_inputs_are_not_overwritten(board, template):
    path = template("x")
    for target in (board, path):
        assert "is read" in failed("notes", board, path, "-o", target)
    assert json.loads(board.read_text())["n_gold"] == 3


@pytest.mark.parametrize(
    ("reason", "is_fetched"),
    [
        ("a.txt: no such file; check the path", True),
        ("a.txt: expected sha256 00, found 11; get the file from its source", True),
        ("a.txt:1: check the column and the scheme, or correct the tag.", False),
    ],
    ids=["missing", "wrong", "unreadable"],
)
def test_the_notes_of_conll03_say_how_to_fetch_only_what_fetching_helps(board, reason, is_fetched):
    result = json.loads(board.read_text())
    result["left_out"] = [{"name": "three", "reason": reason}]
    board.write_text(json.dumps(result))
    done = call("notes", board, CONLL03)
    assert done.exit_code == 0, done.stderr
    assert "**Left out: three.** a.txt:" in done.stdout and ".." not in done.stdout
    assert ("To fetch it once more" in done.stdout) == is_fetched


@pytest.mark.parametrize("resamples", [0, 100])
def test_the_notes_of_conll03_speak_of_tests_only_if_there_are_some(tmp_path, resamples):
    paths = [
        conll(tmp_path / f"{name}.conll", tags) for name, tags in zip("gab", (GOLD, PRED, PRED))
    ]
    for path in paths:
        path.write_text((path.read_text() + "\n") * 8)
    options = ("--documents", "sentence", "--resamples", resamples, "--to", "json")
    done = call("rank", *paths, *options, "-o", tmp_path / "board")
    assert done.exit_code == 0, done.stderr
    result = json.loads((tmp_path / "board.json").read_text())
    row = next(one for one in result["boards"][0]["rows"] if one["system"] == "a")
    row["observed"]["score"] -= 0.1  # now the correction changes the order
    row["corrected"]["score"] += 0.1
    (tmp_path / "board.json").write_text(json.dumps(result))
    done = call("notes", tmp_path / "board.json", CONLL03)
    assert done.exit_code == 0, done.stderr
    assert "a is 0.100000 behind b before" in done.stdout
    assert ("the tests" in done.stdout) == (resamples > 0)
    assert ("No tests were made" in done.stdout) == (resamples == 0)


@pytest.mark.parametrize("more", [[], ["--table10"]], ids=["without", "with"])
def test_the_notes_of_conll03_have_the_printed_numbers_beside_ours(tmp_path, more):
    path = conll(tmp_path / "g.conll", GOLD)
    system = f"BERT, MLP={conll(tmp_path / 'a.conll', PRED)}"
    done = call("rank", path, system, "--no-intervals", *more, "-o", tmp_path / "board")
    assert done.exit_code == 0, done.stderr
    done = call("notes", tmp_path / "board.json", CONLL03)
    assert done.exit_code == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| BERT, MLP |")]
    here, printed = rows[-2:]
    assert here.count("|") == printed.count("|") == (9 if more else 5)
    assert printed.startswith("| BERT, MLP | printed as A | 0.923 | 0.901 |")
