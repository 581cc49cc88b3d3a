"""Tables of the agreement of a team, and what a `Score` or another table says instead."""

import numpy as np
import pytest

from helpers.panel_oracles import Team, Work
from spacy_chance_eval.metrics.request import parse
from spacy_chance_eval.scoring.agreement import agreement
from spacy_chance_eval.scoring.statistics import headline

NUMBERS = ("observed", "expected", "corrected")
SCOPES = ("mean", "team")


def tables(team, metric, **options):
    """All tables of one metric."""
    panel = team.panel() if hasattr(team, "panel") else team
    return agreement(panel, {metric: parse(metric)}, **{"worst": None, **options})["metrics"][0]


def near(number):
    return number if number is None else pytest.approx(number, rel=1e-9, abs=1e-10)


def same(row, score):
    """Whether a row of the tables has the numbers of a `Score`, or of a row of one."""
    get = score.get if isinstance(score, dict) else lambda name: getattr(score, name)
    for name in NUMBERS:
        assert row.get(name) == near(get(name)), name
    assert (row.get("reason") is None) == (headline(row) is not None) or "reason" not in row


def each(metrics):
    return pytest.mark.parametrize("metric", metrics)


def some_team(seed=3, n_docs=8, gaps=True):
    """Three annotators of some documents, who mostly agree."""
    rng = np.random.default_rng(seed)
    works = {name: [] for name in ("ann", "bob", "cyd")}
    for _ in range(n_docs):
        common = [(4 * i, 4 * i + 2, str(rng.choice(["A", "B"]))) for i in range(3)]
        for column in works.values():
            kept = [span for span in common if rng.random() < 0.7]
            column.append(Work(tuple(kept)) if rng.random() < 0.8 or not gaps else None)
    works = {name: tuple(column) for name, column in works.items()}
    return Team(works, (14,) * n_docs, ((7,),) * n_docs)
