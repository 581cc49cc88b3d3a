"""Commands print what their transcripts show: see helpers/transcripts.py."""

import pytest

from helpers.cases import later
from helpers.transcripts import FOLDER, transcript
from spacy_chance_eval.cli import app

NAMES = sorted(path.stem for path in FOLDER.glob("*.txt"))
# what takes longer than a second
LONG = {
    *"advice annotators boards candidates comparisons demo discontinuous duplicates".split(),
    *"explanations pipelines planning rows runs score score_files trees".split(),
}


@pytest.mark.parametrize(
    "name", [*(one for one in NAMES if one not in LONG), *later(*sorted(LONG))]
)
def test_commands_print_what_their_transcripts_show(name, tmp_path):
    text = (FOLDER / f"{name}.txt").read_text("utf8")
    assert transcript(text, tmp_path) == text


def test_every_command_has_a_transcript():
    assert {one.name or one.callback.__name__ for one in app.registered_commands} <= {*NAMES}
