"""`notes`: a template filled in with the numbers of a leaderboard."""

import json

import pytest

from helpers.textfiles import GOLD, PRED, call, conll, failed


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


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"boards": []}'])
def test_a_file_that_is_no_leaderboard_is_an_error(tmp_path, template, text):
    (tmp_path / "other.json").write_text(text)
    assert "no leaderboard; expected JSON" in failed(
        "notes", tmp_path / "other.json", template("{{ board }}")
    )


def test_missing_files_are_errors(board, template, tmp_path):
    assert "no such file" in failed("notes", tmp_path / "none.json", template("x"))
    assert "no such file" in failed("notes", board, tmp_path / "none.md")


def test_the_inputs_are_not_overwritten(board, template):
    path = template("x")
    for target in (board, path):
        assert "is read" in failed("notes", board, path, "-o", target)
    assert json.loads(board.read_text())["n_gold"] == 3
