"""Each command prints what its transcript shows: see helpers/transcripts.py."""

import pytest

from helpers.transcripts import FOLDER, calls_of, transcript
from spacy_chance_eval.cli import app


@pytest.mark.integration
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_commands_print_what_their_transcripts_show(path, tmp_path):
    text = path.read_text("utf8")
    assert transcript(calls_of(text), tmp_path) == text


def test_every_command_has_a_transcript():
    names = {one.name or one.callback.__name__ for one in app.registered_commands}
    assert {path.stem for path in FOLDER.glob("*.txt")} == names
