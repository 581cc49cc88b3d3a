"""scripts/evidence.py on a corpus that is made up here; on the real ones where they are at hand."""

import os
import subprocess
import sys

import numpy as np
import pytest
import srsly

from helpers.examples import ROOT, page
from spacy_chance_eval import evaluate

sys.path.append(str(ROOT / "scripts"))
import evidence

GOLD = [["B-X", "I-X", "O", "B-Y"], ["O", "B-Y", "O"]] * 40
SYSTEM = [["O", "B-X", "I-X", "B-Y"], ["B-Y", "O", "O"]] * 40
TREES = [f"1\tA\t_\tX\tX\t_\t{a}\tX\n2\tB\t_\tX\tX\t_\t{b}\tY\n\n" for a, b in ((2, 0), (0, 1))]
FILES = {"a": "".join(TREES) * 9, "b": TREES[0] * 18}
for name, tags in (("gold", GOLD), ("system", SYSTEM)):
    FILES[name] = "\n\n".join("\n".join(f"w {tag}" for tag in sentence) for sentence in tags)
DATA = os.environ.get("EVIDENCE_DATA")


def made(monkeypatch, folder, *words):
    """A copy of the page into which the script put its tables."""
    (folder / "page.md").write_text(page("docs/evidence.md"), encoding="utf8")
    monkeypatch.setattr(sys, "argv", ["evidence.py", *words, "--page", str(folder / "page.md")])
    evidence.main()
    return (folder / "page.md").read_text(encoding="utf8")


@pytest.mark.integration
def test_tables_of_a_repository(tmp_path, monkeypatch):
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b"]
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "Add"]):
        subprocess.run([*git, *words], check=True)
    files = {"repo": "made/up", "commit": "HEAD", "paths": [*FILES]}
    corpus = files | {"name": "M", "kind": "tags", "gold": "gold", "systems": {"s": "system"}}
    corpus["checkpoints"] = {"train": "gold", "test": "gold"}
    plan = srsly.read_yaml(ROOT / "scripts/evidence.yml")["training"] | {"steps": 60, "seeds": 2}
    trees = files | {"annotators": {"T": ["a", "b"]}}
    listed = {"corpora": [corpus], "trees": trees, "training": plan}
    srsly.write_yaml(tmp_path / "made.yml", listed)
    options = ["--from", str(tmp_path), "--corpora", str(tmp_path / "made.yml")]
    text = made(monkeypatch, tmp_path, str(tmp_path / "data"), *options)
    scores = evaluate(GOLD, SYSTEM, ["span_f", "token_f"]).values()
    expected = " | ".join(f"{score.expected:.3f}"[1:] for score in scores)
    assert f"/HEAD) | tags | systems: 1 | 80 | 120 | 1.3 | {expected} |" in text
    assert "| M | Y | .292 | .292 | X | .333 | .556 |" in text  # 1/4 or 1/3; 1/3, and 10/18
    assert text.count("| M | 0/2/0: .000 [.000, .000] |") == 1


def test_an_order_that_the_correction_reverses():
    ones = np.ones(evidence.RESAMPLES + 1)
    items = {"a": (0.8 * ones, 0.6 * ones, 0.5 * ones), "b": (0.7 * ones, 0.1 * ones, 0.6 * ones)}
    totals, cases = evidence.orders_tables([("labels", "span F", items)])
    assert totals.splitlines()[-1] == "| labels, span F | 1 | 1 | 1 | 1 | 1 | 1 | 1 |"
    assert "| span F | a and b | .800, .700 | .000 | .500, .600 | .000 |" in cases


def test_choices_of_checkpoints():
    steps = [
        {"dev": dict.fromkeys(evidence.METRICS, dev), "test": dict.fromkeys(evidence.METRICS, test)}
        for dev, test in (([0.9, 0.1], [0.8, 0.2]), ([0.8, 0.3], [0.7, 0.4]))
    ]
    table = evidence.checkpoints_table({"M": [steps, steps]})
    assert "| M | 2/0/0: .200 [.200, .200] | 0/0/2: -.100 [-.100, -.100] |" in table


@pytest.mark.skipif(not DATA, reason="EVIDENCE_DATA names no folder with the corpora")
@pytest.mark.slow
def test_the_page_is_current(tmp_path, monkeypatch):
    assert made(monkeypatch, tmp_path, DATA, "--only", "counts") == page("docs/evidence.md")
