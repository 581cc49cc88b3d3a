"""What the room exports, and that a text loads no page."""

import subprocess
import sys

import pytest

from spacy_chance_eval import analysis, report

TEXTS = (
    *("agreement", "compare", "curves", "diff", "explain", "guide", "leaderboard"),
    *("perturbation", "scores", "tables", "words"),
)
HEAVY = {"jinja2", "markupsafe", "spacy", "matplotlib"}
HEAVY |= {f"{report.__name__}.{name}" for name in ("html", "drawing", "diff_pages")}


@pytest.mark.parametrize("room", [report, analysis], ids=["report", "analysis"])
def test_every_name_is_there(room):
    assert all(getattr(room, name) is not None for name in room.__all__)
    with pytest.raises(AttributeError, match="nothing"):
        _ = room.nothing


def test_every_lazy_name_is_exported():
    assert sorted(name for names in report.MODULES.values() for name in names) == report.__all__


@pytest.mark.integration
def test_texts_load_neither_pages_nor_what_these_need():
    imports = ", ".join(f"{report.__name__}.{name}" for name in TEXTS)
    code = f"import sys, {imports}; print(*sorted({HEAVY} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
