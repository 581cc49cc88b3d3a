"""scripts/evidence.py on a corpus that is made up here; on the real ones where they are at hand."""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest
import srsly

from helpers.examples import ROOT, page
from spacy_chance_eval import evaluate

spec = importlib.util.spec_from_file_location("evidence", ROOT / "scripts/evidence.py")
evidence = importlib.util.module_from_spec(spec)
spec.loader.exec_module(evidence)

GOLD = [["B-X", "I-X", "O", "B-Y"], ["O", "B-Y", "O"]] * 40
SYSTEM = [["O", "B-X", "I-X", "B-Y"], ["B-Y", "O", "O"]] * 40
COLUMNS = (
    "\n\n".join("\n".join(f"w {tag}" for tag in one) for one in tags) for tags in (GOLD, SYSTEM)
)
TREES = [f"1\tA\t_\tX\tX\t_\t{a}\tX\n2\tB\t_\tX\tX\t_\t{b}\tY\n\n" for a, b in ((2, 0), (0, 1))]
FILES = dict(zip(("gold", "system", "a", "b"), (*COLUMNS, "".join(TREES) * 9, TREES[0] * 18)))
DATA = os.environ.get("EVIDENCE_DATA")


def made(monkeypatch, folder, *words):
    """A copy of the page into which the script put its tables."""
    (folder / "page.md").write_text(page("docs/evidence.md"), encoding="utf8")
    words = [*map(str, words), "--only", "counts", "--page", str(folder / "page.md")]
    monkeypatch.setattr(sys, "argv", ["evidence.py", *words])
    evidence.main()
    return (folder / "page.md").read_text(encoding="utf8")


def test_tables_of_a_repository(tmp_path, monkeypatch):
    repo = tmp_path / "origin"
    git = ["git", "-C", str(repo), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", "init", "-q", str(repo)], check=True)
    for name, text in FILES.items():
        (repo / name).write_text(text, encoding="utf8")
    for words in (["add", "."], ["commit", "-qm", "Add"]):
        subprocess.run([*git, *words], check=True)
    files = {"repo": "made/up", "commit": "HEAD", "paths": [*FILES]}
    corpus = files | {"name": "M", "kind": "tags", "gold": "gold", "systems": {"s": "system"}}
    listed = tmp_path / "made.yml"
    trees = files | {"annotators": {"T": ["a", "b"]}}
    srsly.write_yaml(listed, {"corpora": [corpus], "trees": trees})
    text = made(monkeypatch, tmp_path, tmp_path / "data", "--from", repo, "--corpora", listed)
    scores = evaluate(GOLD, SYSTEM, ["span_f", "token_f"]).values()
    expected = " | ".join(f"{score.expected:.3f}"[1:] for score in scores)
    assert f"/HEAD) | tags | systems: 1 | 80 | 120 | 1.3 | {expected} |" in text
    assert "| M | Y | .292 | .292 | X | .333 | .556 |" in text  # 1/4 or 1/3; 1/3, and 10/18


def test_an_order_that_the_correction_reverses():
    ones = np.ones(evidence.RESAMPLES + 1)
    items = {"a": (0.8 * ones, 0.6 * ones, 0.5 * ones), "b": (0.7 * ones, 0.1 * ones, 0.6 * ones)}
    totals, cases = evidence.orders_tables([("labels", "span F", items)])
    assert totals.splitlines()[-1] == "| labels, span F | 1 | 1 | 1 | 1 | 1 | 1 | 1 |"
    assert "| span F | a and b | .800, .700 | .000 | .500, .600 | .000 |" in cases


@pytest.mark.skipif(not DATA, reason="EVIDENCE_DATA names no folder with the corpora")
@pytest.mark.slow
def test_the_page_is_current(tmp_path, monkeypatch):
    assert made(monkeypatch, tmp_path, DATA) == page("docs/evidence.md")
