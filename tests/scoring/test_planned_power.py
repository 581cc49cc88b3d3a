"""Planned widths and power against those of the real tests on new documents."""

from functools import partial

import numpy as np
import pytest

from helpers.populations import population
from spacy_chance_eval import Comparison, Resampling, stored_run
from spacy_chance_eval.measures.resampling import grouped
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.runs.common import find_common
from spacy_chance_eval.scoring.planning import PlanOptions, plan_columns, system_sample
from spacy_chance_eval.scoring.ranking import rank_systems

pytestmark = pytest.mark.slow
SETS = 400


class Pair:
    """Two systems: the better one first, and their statistics by document."""

    def __init__(self, spans):
        gold, old, new = spans
        both = find_common(*(stored_run(gold, one, ["span_f"]) for one in (old, new)))
        self.order = both.counts.order(both.clusters()[1])
        request, *pair = both.metrics["span_f"]
        self.score, self.pair = request.scorer(), pair[::-1]

    def samples(self, docs=None):
        order = self.order if docs is None else (docs, np.arange(len(docs)))
        return [system_sample(self.score, one, order, "corrected") for one in self.pair]

    def realised(self, n, test, rng):
        """Share of rejections and mean half-width over new sets of n documents."""
        units = [one.each(partial(grouped, order=self.order, known={})) for one in self.pair]
        rejected, halves = 0, []
        for seed in range(SETS):
            docs = rng.integers(0, len(self.order[1]), n)
            drawn = [one.arrays(lambda array, docs=docs: array[docs]) for one in units]
            ranking = rank_systems(self.score, drawn, Resampling(400, seed), Comparison(test))
            found = ranking["corrected"].pair(0, 0)
            rejected += found["p_value"] < 0.05
            halves.append((interval_of(found)[1] - interval_of(found)[0]) / 2)
        return rejected / SETS, np.mean(halves)


@pytest.mark.parametrize("test", ["randomisation", "bootstrap"])
@pytest.mark.parametrize(
    ("f", "mean"), [((0.65, 0.71), 3.0), ((0.65, 0.7), 1.0), ((0.3, 0.5), 0.3)]
)
def test_planned_power_and_width_are_reached(test, f, mean):
    """The real test on new sets of documents, drawn as the plan draws them."""
    pair, n_docs = Pair(population(200, 1, f=f, mean=mean)), 200
    options = PlanOptions(0.02, comparison=Comparison(test), intervals=Resampling(4000))
    whole = plan_columns(*pair.samples(), name="difference", n_units=n_docs, options=options)[0]
    rng = np.random.default_rng(2)
    for row in whole["curve"][2:8:2]:
        power, half = pair.realised(row["n"], test, rng)
        error = np.sqrt(max(power * (1 - power), 0.01) / SETS)
        assert row["power"] == pytest.approx(power, abs=3.5 * error + 0.01), row
        assert row["half_width"] == pytest.approx(half, rel=0.06), row
