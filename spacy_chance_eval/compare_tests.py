"""The paired tests of two stored runs: intervals and p-values from resampling their statistics."""

from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from .intervals import corrects_itself
from .measures.resampling import grouped
from .metrics.catalog import CATALOG
from .standings import standings


@dataclass(frozen=True)
class Several:
    """The scores of several metrics that are made of the same sums, one after the other."""

    scores: tuple

    def __call__(self, statistics):
        return np.concatenate([score(statistics) for score in self.scores], axis=-1)

    def columns(self, place, n_labels):
        """Where one of the scores has its columns: the total, then every label."""
        first = len(self.scores) + place * n_labels
        return [place, *range(first, first + n_labels)]


def units_of(order, sides):
    """Statistics with one row for each of what is resampled."""
    return [side.each(partial(grouped, order=order, known={})) for side in sides]


def tests_of(both, order, intervals, comparison, watch):
    """{metric: its `Standings` by side, of the new run and the old one}.

    What is counted alike is resampled once: that is what takes long. `order` is as `cluster_order`
    makes it. Differences are those of the new run to the old one.
    """
    groups = {}
    for name, (request, *_) in both.metrics.items():
        row = CATALOG[request.metric]
        key = row.count, *request.only(row.counted).items()
        if request.placement != "none":
            key += *request.only(("chance", "unit")).items(), "expected"
        if corrects_itself(request.scorer()):
            key += name, "by itself"
        groups.setdefault(key, []).append(name)
    found = {}
    for names in groups.values():
        _, *sides = both.metrics[names[0]]
        score = Several(tuple(both.metrics[name][0].scorer() for name in names))
        score = score if len(names) > 1 else score.scores[0]
        bar = partial(watch, what=f"{', '.join(names)}: resamples")
        tests = standings(score, units_of(order, sides)[::-1], intervals, comparison, bar)
        for place, name in enumerate(names):
            some = slice(None)
            if len(names) > 1:
                some = score.columns(place, len(both.labels))
            found[name] = {side: with_columns_only(one, some) for side, one in tests.items()}
    return found


def with_columns_only(standing, some):
    """Some columns of `Standings`."""
    arrays = {f.name: getattr(standing, f.name) for f in fields(standing) if f.name != "alpha"}
    return replace(standing, **{name: array[..., some] for name, array in arrays.items()})
