"""Panels on plain Python data, and their agreement by loops over pairs with `evaluate` alone."""

from dataclasses import dataclass, replace
from itertools import combinations, permutations

from hypothesis import strategies as st

from helpers.strategies import KINDS, LABELS, admitted, candidates
from spacy_chance_eval import Panel, Spans, evaluate

NAMES = ("ann", "bob", "cyd", "dan")


@dataclass(frozen=True)
class Work:
    """What one annotator did with one document; `loose` are unplaced (length, label)."""

    spans: tuple
    missing: frozenset = frozenset()
    loose: tuple = ()


@dataclass(frozen=True)
class Team:
    """`works[name][d]` is a `Work`, or None if not seen; `cuts[d]` are boundaries of sentences."""

    works: dict
    sizes: tuple
    cuts: tuple
    kind: str = "disjoint"

    def spans(self, name):
        """`Spans` of one annotator of the whole corpus, with the labels that this one used."""
        return built(self.works[name], self.sizes, self.cuts)

    def panel(self):
        return Panel({name: self.spans(name) for name in self.works})

    def part(self, docs):
        """Some of the documents, in this order, some more than once."""
        works = {name: tuple(column[d] for d in docs) for name, column in self.works.items()}
        sizes, cuts = (tuple(column[d] for d in docs) for column in (self.sizes, self.cuts))
        return replace(self, works=works, sizes=sizes, cuts=cuts)

    def renamed(self, names):
        """The same annotators under other names, in the order of these."""
        works = {names[name]: column for name, column in self.works.items()}
        return replace(self, works={name: works[name] for name in sorted(works)})

    def both(self, first, second):
        """The documents that two annotators saw."""
        columns = self.works[first], self.works[second]
        return [d for d in range(len(self.sizes)) if None not in (columns[0][d], columns[1][d])]

    def shared(self):
        """The documents that at least two annotators saw."""
        return sorted({d for pair in combinations(self.works, 2) for d in self.both(*pair)})


def built(works, sizes, cuts, gone=None):
    """`Spans` of one annotator, without what touches the tokens that are `gone` (its own)."""
    gone = gone or [work.missing if work else frozenset() for work in works]
    rows = [
        None if work is None else [s for s in work.spans if gone[d].isdisjoint(range(*s[:2]))]
        for d, work in enumerate(works)
    ]
    loose = [(d, *row) for d, work in enumerate(works) if work for row in work.loose]
    labels = sorted({span[2] for spans in rows for span in spans or ()} | {x for *_, x in loose})
    return Spans.from_tuples(
        rows,
        sizes,
        labels,
        unplaced=[(d, labels.index(label), length) for d, length, label in loose],
        stretches=stretches(sizes, cuts, gone),
    )


def stretches(sizes, cuts, gone):
    """Rows (doc, start, end) of the tokens that are not gone, by sentence."""
    found = []
    for d, size in enumerate(sizes):
        borders = sorted({0, size, *cuts[d], *gone[d], *(t + 1 for t in gone[d])})
        pieces = zip(borders, borders[1:])
        found += [(d, start, end) for start, end in pieces if start not in gone[d]]
    return found


# --- the slow way: two annotators at a time, on the documents and tokens that both annotated


def majority(team, name):
    """The column of works of the majority of all others; None for what none of them saw."""
    others = [column for other, column in team.works.items() if other != name]
    found = []
    for d in range(len(team.sizes)):
        saw = [column[d] for column in others if column[d] is not None]
        gone = frozenset(t for work in saw for t in work.missing)
        marked = {span for work in saw for span in work.spans}
        kept = [s for s in marked if 2 * sum(s in work.spans for work in saw) > len(saw)]
        found.append(Work(tuple(sorted(kept)), gone) if saw else None)
    return tuple(found)


def score(team, metric, pairs, **options):
    """The `Score` of one long corpus: the documents that each pair shares, one pair after another.

    `pairs` are pairs of columns of works, the first as gold. A column restricted to some documents
    has None elsewhere.
    """
    sides, sizes, cuts = ([], []), [], []
    for pair in pairs:
        for d, (one, two) in enumerate(zip(*pair)):
            if one is not None and two is not None:
                gone = one.missing | two.missing
                for side, work in zip(sides, (one, two)):
                    side.append(replace(work, missing=gone))
                sizes.append(team.sizes[d])
                cuts.append(team.cuts[d])
    gold, pred = (built(side, sizes, cuts) for side in sides)
    return evaluate(gold, pred, [metric], **options)[metric]


def columns(team, pair, docs=None):
    """The works of two annotators; of some documents only, if these are given."""
    keep = range(len(team.sizes)) if docs is None else docs
    return tuple(
        tuple(work if d in keep else None for d, work in enumerate(team.works[name]))
        for name in pair
    )


def pairs_of(team, symmetric=True):
    """All pairs of names; in both orders, if the order matters."""
    return list((combinations if symmetric else permutations)(team.works, 2))


def pair(team, metric, names, docs=None):
    """The `Score` of one pair, the first as gold."""
    return score(team, metric, [columns(team, names, docs)])


def against_majority(team, metric, name):
    """The `Score` of one annotator against the majority of the others, which is gold."""
    return score(team, metric, [(majority(team, name), team.works[name])])


def sums(team, metric, symmetric=True, docs=None):
    """The `Score` of the sums over all pairs."""
    return score(team, metric, [columns(team, names, docs) for names in pairs_of(team, symmetric)])


def mean(team, scores, numbers):
    """Means over the pairs with a value, else over all: {pair: Score}, weighted by documents."""
    found = {}
    scored = {pair: one for pair, one in scores.items() if one.headline is not None}
    scores = scored or scores
    for number in numbers:
        rows = [(getattr(one, number), len(team.both(*pair))) for pair, one in scores.items()]
        rows = [(value, weight) for value, weight in rows if value is not None and weight]
        weights = sum(weight for _, weight in rows)
        found[number] = sum(v * w for v, w in rows) / weights if rows else None
    return found


# --- random panels


@st.composite
def panels(draw, kinds=KINDS, gaps=True, cut=True, docs=4, most=4, labels=LABELS):
    """A `Team`: some annotators lack documents, tokens, or a label; some spans fit no tokens."""
    kind = draw(st.sampled_from(kinds))
    sizes = tuple(draw(st.lists(st.integers(0, 7), min_size=1, max_size=docs)))
    common = [admitted(draw(candidates(size, labels, most)), kind) for size in sizes]
    works = {}
    for name in NAMES[: draw(st.integers(2, 4))]:
        mine = draw(st.sampled_from([labels, labels[:1], labels[1:]]))
        works[name] = tuple(
            draw(one_work(size, common[d], mine, kind, gaps)) for d, size in enumerate(sizes)
        )
    cuts = tuple((size // 2,) if cut and size > 3 else () for size in sizes)
    return Team(works, sizes, cuts, kind)


@st.composite
def one_work(draw, size, common, labels, kind, gaps):
    """A `Work` that has some of the `common` spans; or None."""
    if draw(st.integers(0, 4)) == 4:
        return None
    kept = [span for span in common if span[2] in labels and draw(st.booleans())]
    spans = admitted(kept + draw(candidates(size, labels, 2)), kind)
    gone = draw(st.sets(st.integers(0, 3 * size), max_size=2)) if gaps else ()
    loose = draw(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(labels)), max_size=1))
    return Work(tuple(spans), frozenset(t for t in gone if t < size), tuple(loose))
