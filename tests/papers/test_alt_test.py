"""Published numbers of the alternative annotator test, from counts of the authors' data.

Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge. On their data
set WAX, papers/alt_test_counts.csv says on how many instances each candidate agrees with the others
better than an annotator, equally or worse; papers/alt_test.csv has the numbers, each with its
source. The data are not included; ALT_TEST=FOLDER names a checkout of nitaytech/AltTest.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import srsly

from helpers import scripts
from helpers.cases import each_case
from helpers.examples import page
from helpers.published import rows
from spacy_chance_eval.measures.replacement import (
    Outcomes,
    advantage_probability,
    mean_advantage,
    p_values,
    winning_rate,
)

COUNTS = rows("alt_test_counts.csv")
NUMBERS = rows("alt_test.csv")
OUTCOMES = ("better", "equal", "worse")
ANNOTATORS = list(dict.fromkeys(row["annotator"] for row in COUNTS))
EPSILON = 0.1  # as in the notebook
QUANTITIES = {
    "omega": lambda outcomes: winning_rate(p_values(outcomes, EPSILON)),
    "rho": mean_advantage,
}
OF_ANNOTATORS = {"rho": advantage_probability, "p": lambda outcomes: p_values(outcomes, EPSILON)}


def outcomes_of(candidate):
    """The counts of a candidate, an annotator each."""
    found = [row for row in COUNTS if row["candidate"] == candidate]
    assert [row["annotator"] for row in found] == ANNOTATORS
    return Outcomes(*(np.array([int(row[name]) for row in found]) for name in OUTCOMES))


@each_case("row", NUMBERS)
def test_counts_give_the_printed_number(row):
    outcomes = outcomes_of(row["candidate"])
    if row["annotator"]:
        found = OF_ANNOTATORS[row["quantity"]](outcomes)[ANNOTATORS.index(row["annotator"])]
    else:
        found = QUANTITIES[row["quantity"]](outcomes)
    decimals = len(row["value"].partition(".")[2])
    assert f"{found:.{decimals}f}" == row["value"]


# --- the script that makes the table again

CHECKOUT = os.environ.get("ALT_TEST", "")
WAX = Path(CHECKOUT) / "data/wax"
needs_data = pytest.mark.skipif(not CHECKOUT, reason="ALT_TEST names no checkout of AltTest")


@pytest.fixture(scope="module")
def script():
    """The script, as a module."""
    return scripts.script("calderon")


def counted(humans, work, name):
    """Better, equal, worse: a candidate and an annotator, item by item."""
    found = [0, 0, 0]
    for item, own in humans[name].items():
        others = [humans[other].get(item) for other in humans if other != name]
        of_candidate, of_annotator = others.count(work[item]), others.count(own)
        if any(others):
            found[(of_candidate <= of_annotator) + (of_candidate < of_annotator)] += 1
    return found


@pytest.fixture
def data(tmp_path, script):
    """Small files like those of the authors: three annotators, one of whom saw less."""
    drawn = np.random.default_rng(0)
    items = [f"item {i}" for i in range(60)]

    def work(n):
        return dict(zip(items[:n], drawn.choice(["PartOf", "Time", "Action"], n).tolist()))

    folder = tmp_path / "theirs"
    folder.mkdir()
    humans = {"10": work(60), "3": work(60), "4": work(40)}
    srsly.write_json(folder / "human_annotations.json", humans)
    models = {name: humans["3"] if name == "gpt-4o" else work(60) for name in script.PRINTED}
    srsly.write_json(folder / "llm_annotations.json", models)
    return folder


def test_the_script_counts_what_is_counted_by_hand(script, data):
    humans, models = (srsly.read_json(data / f"{who}_annotations.json") for who in ("human", "llm"))
    found = script.tested(data)
    for name, work in models.items():
        for row in found[name]["annotators"]:
            better, equal, worse = counted(humans, work, row["annotator"])
            n = better + equal + worse
            assert row["n_instances"] == n
            assert row["advantage_probability"] == pytest.approx((better + equal) / n)
            assert row["mean_difference"] == pytest.approx((worse - better) / n)
    rates, annotators = script.tables_of_paper(data)["tables"]
    assert [row["name"] for row in annotators["rows"]] == ["3", "4", "10"]
    assert annotators["rows"][0]["cells"][1] == {"value": 1.0}  # gpt-4o repeats annotator 3
    assert rates["rows"][0]["cells"][2]["printed"] == "0.69"


def test_the_script_has_the_printed_numbers(script):
    printed = {
        (row["candidate"], row["quantity"]): row["value"]
        for row in NUMBERS
        if row["source"].startswith("notebook")
    }
    assert printed == {
        (name, quantity): value
        for name, values in script.PRINTED.items()
        for quantity, value in zip(("omega", "rho"), values, strict=True)
    }


def test_the_script_takes_no_other_files(script, data, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "LISTING", own_listing(script, tmp_path, {}))
    assert "wrong checksum" in scripts.ran("calderon", "--url", data.as_uri())


def test_the_script_fetches_and_prints(script, data, tmp_path, monkeypatch, capsys):
    sums = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in data.iterdir()}
    monkeypatch.setattr(script, "LISTING", own_listing(script, tmp_path, sums))
    monkeypatch.setattr(sys, "argv", ["calderon.py", "--url", data.as_uri(), "--to", "json"])
    script.main()
    out, err = capsys.readouterr()
    assert json.loads(out)["tables"] == script.tables_of_paper(data)["tables"]
    assert "no licence" in err


def own_listing(script, folder, sums):
    """The listing without addresses, with other checksums."""
    listing = srsly.read_yaml(script.LISTING)
    for asset in listing["assets"]:
        assert "/18428b1f4f34ac61c4978bc180263b90111e7337/data/wax/" in asset.pop("url")
        del asset["bytes"]
        asset["sha256"] = sums.get(asset["name"], asset["sha256"])
    srsly.write_yaml(folder / "own.assets.yml", listing)
    return folder / "own.assets.yml"


@needs_data
def test_the_counts_are_those_of_the_data():
    humans, models = (srsly.read_json(WAX / f"{who}_annotations.json") for who in ("human", "llm"))
    assert len(COUNTS) == len(humans) * len(models)
    for row in COUNTS:
        found = counted(humans, models[row["candidate"]], row["annotator"])
        assert found == [int(row[name]) for name in OUTCOMES]


@needs_data
def test_the_page_shows_what_the_script_prints():
    env = {**os.environ}  # without COLUMNS, which readline sets behind the back of Python
    done = subprocess.run(
        [sys.executable, scripts.FOLDER / "calderon.py", WAX],
        capture_output=True,
        text=True,
        check=True,
        env=env,
    )
    lines = [line.rstrip() for line in done.stdout.strip().splitlines()]
    assert "\n".join(lines) in page("docs/papers.md")
