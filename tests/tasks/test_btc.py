"""Real annotators: raw judgments of the Broad Twitter Corpus, if the data is there."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from spacy_chance_eval import Resampling, agree
from spacy_chance_eval.corpora.panels import read_panel
from spacy_chance_eval.scoring.statistics import headline

DATA = Path(__file__).parents[3] / "shared/data/btc_a_crowd.jsonl"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason=f"{DATA.name} is not there")

# corrected span F of the team, mean of the pairs; by this package, to notice changes
EXPECTED = {"PER": (0.766, 0.749), "LOC": (0.708, 0.706), "ORG": (0.582, 0.584)}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One file of rows with an annotator for each type of entity."""
    rows, folder = defaultdict(list), tmp_path_factory.mktemp("btc")
    for line in DATA.read_text(encoding="utf8").splitlines():
        unit = json.loads(line)
        for judgment in unit["judgments"]:
            spans = [[*span, unit["type"]] for span in judgment["spans"]]
            row = {"id": unit["id"], "tokens": unit["tokens"], "spans": spans}
            rows[unit["type"]].append(json.dumps(row | {"annotator": judgment["worker"]}))
    for kind, lines in rows.items():
        (folder / f"{kind}.jsonl").write_text("\n".join(lines), encoding="utf8")
    return folder


@pytest.mark.integration
@pytest.mark.parametrize("kind", EXPECTED)
def test_crowd_workers_agree_by_type(files, kind):
    panel, _ = read_panel([str(files / f"{kind}.jsonl")])
    found = agree(panel, ["span_f"], intervals=Resampling(0))["span_f"]
    assert (round(headline(found["team"]), 3), round(headline(found["mean"]), 3)) == EXPECTED[kind]
