"""A text loads no page."""

import subprocess
import sys

import pytest

REPORTS = "spacy_chance_eval.reports"
TEXTS = (
    *("agreement", "compare", "diff", "explain", "leaderboard"),
    *("scores", "tables", "words"),
)
HEAVY = {"jinja2", "markupsafe", "spacy", "cairosvg"}
HEAVY |= {f"{REPORTS}.{name}" for name in ("html", "drawing", "diff_pages")}


@pytest.mark.integration
def test_texts_load_neither_pages_nor_what_these_need():
    imports = ", ".join(f"{REPORTS}.{name}" for name in TEXTS)
    code = f"import sys, {imports}; print(*sorted({HEAVY} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
