"""Ontologies, and BDM: how close two of their concepts are."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .arrays import FloatArray, IntArray
from .messages import listed, quoted


@dataclass(frozen=True, init=False)
class Ontology:
    """Concepts and what each is a kind of: a forest, or a directed graph without cycles.

    Parameters
    ----------
    edges : iterable of (str, str)
        A concept and one of its parents, its hypernyms. Concepts without any are roots.
    concepts : iterable of str
        Further concepts, without edges. All are kept sorted.

    Raises
    ------
    ValueError
        Without concepts, for a name that is no text or empty, or for a cycle.

    Examples
    --------
    >>> places = Ontology([("City", "Place"), ("Country", "Place")])
    >>> places.concepts, places.parents["City"], places.parents["Place"]
    (('City', 'Country', 'Place'), ('Place',), ())
    """

    concepts: tuple[str, ...]
    parents: Mapping[str, tuple[str, ...]]

    def __init__(self, edges: Iterable[tuple[str, str]], concepts: Iterable[str] = ()) -> None:
        above: dict[str, set[str]] = {_checked_name(name): set() for name in concepts}
        for child, parent in edges:
            above.setdefault(_checked_name(parent), set())
            above.setdefault(_checked_name(child), set()).add(parent)
        if not above:
            raise ValueError("an ontology without concepts; expected at least one")
        names = tuple(sorted(above))
        parents = {name: tuple(sorted(above[name])) for name in names}
        self.__dict__.update(concepts=names, parents=parents)
        order = _parents_first(*self.links)
        if len(order) < len(names):
            rest = {*names} - {names[i] for i in order}
            raise ValueError(f"a cycle above {listed(sorted(rest))}; remove it")

    @cached_property
    def links(self) -> tuple[list[list[int]], list[list[int]]]:
        """Numbers of the parents, and of the children, of each concept."""
        index = {name: i for i, name in enumerate(self.concepts)}
        parents = [[index[name] for name in self.parents[child]] for child in self.concepts]
        children: list[list[int]] = [[] for _ in parents]
        for child, above in enumerate(parents):
            for parent in above:
                children[parent].append(child)
        return parents, children

    @cached_property
    def shape(self) -> "_Shape":
        """The `_Shape` of the ontology; chains are counted, not listed."""
        parents, children = self.links
        order = _parents_first(parents, children)
        depth = np.zeros(len(parents), np.int64)
        for i in order:
            depth[i] = max((depth[parent] + 1 for parent in parents[i]), default=0)
        up, up_length = _count_chains(order, parents)
        down, down_length = _count_chains(order[::-1], children)
        leaves = [i for i in order if not children[i]]
        through = [up_length[i] / up[i] + down_length[i] / down[i] for i in range(len(order))]
        numbers = [len(below) for below in children if below]
        return _Shape(
            order,
            parents,
            children,
            depth,
            np.array(through),
            n0=sum(up_length[i] for i in leaves) / max(sum(up[i] for i in leaves), 1),
            branching=sum(numbers) / max(len(numbers), 1),
            tree=all(len(above) < 2 for above in parents),
        )


def _checked_name(name: object) -> str:
    """A name of a concept; ValueError unless it is a text that is not empty."""
    if not isinstance(name, str) or not name:
        raise ValueError(
            f"{quoted(name)} is no name of a concept; expected a text that is not empty"
        )
    return name


@dataclass(frozen=True, eq=False)
class _Shape:
    """The chains of an ontology; concepts are numbered as in `Ontology.concepts`."""

    order: list[int]  # concepts, parents first
    parents: list[list[int]]  # of each concept
    children: list[list[int]]
    depth: IntArray  # length of the longest chain to each concept
    through: FloatArray  # mean length of the chains from a root to a leaf through each concept
    n0: float  # mean length of all chains from a root to a leaf
    branching: float  # mean number of children of the concepts that have any
    tree: bool  # whether no concept has several parents


def _parents_first(
    parents: Sequence[Sequence[int]], children: Sequence[Sequence[int]]
) -> list[int]:
    """Concepts in an order in which parents come before their children.

    Those on a cycle, and below one, are left out.
    """
    missing = [len(above) for above in parents]
    order = [i for i, number in enumerate(missing) if not number]
    for i in order:
        for child in children[i]:
            missing[child] -= 1
            if not missing[child]:
                order.append(child)
    return order


def _count_chains(
    order: Iterable[int], nearer: Sequence[Sequence[int]]
) -> tuple[list[int], list[int]]:
    """Number and total length of the paths to each concept, over those that are `nearer`."""
    number, length = [0] * len(nearer), [0] * len(nearer)
    for i in order:  # whole numbers: there may be more paths than a float can count
        number[i] = sum(number[j] for j in nearer[i]) if nearer[i] else 1
        length[i] = sum(length[j] + number[j] for j in nearer[i])
    return number, length


class BdmParts(NamedTuple):
    """BDM of two concepts and its parts, for the best pair of their chains."""

    bdm: float
    msca: str | None  # most specific common ancestor; None without a common root
    cp: int | None  # edges from the root to it
    dpk: int | None  # edges from it to the key
    dpr: int | None  # edges from it to the response
    n0: float  # mean length of the chains from a root to a leaf
    n1: float  # ... of those through the key
    n2: float  # ... of those through the response
    branching: float | None  # children of the concepts between the two, over the usual number


def closeness(ontology: Ontology) -> dict[tuple[str, str], float]:
    """BDM of all unordered pairs of concepts, their closeness: {(a, b): number} with a <= b.

        BDM = t / (t + DPK / n1 + DPR / n2),   t = BR * CP / n0

    CP is the number of edges from the root to the most specific common ancestor, DPK and DPR that
    of edges from it to key and response; n0 is the mean length of the chains from a root to a leaf,
    n1 and n2 that of those through key and response. BR is the mean number of children of that
    ancestor and of the concepts strictly between it and the two, over the mean number of children
    of all concepts that have any. Of several chains those with the greatest BDM count.

    In [0, 1], symmetric; 1 for equal concepts, 0 if they have no ancestor in common or only a root.

    Parameters
    ----------
    ontology : Ontology
        The concepts and their parents.

    References
    ----------
    Maynard, Peters and Li (2006), "Metrics for evaluation of ontology-based information
    extraction"; the GATE user guide, chapter 10 (BDM computation).

    Examples
    --------
    >>> from spacy_chance_eval.measures.bdm import Ontology
    >>> ontology = Ontology([("City", "Place"), ("Place", "Thing")])
    >>> near = closeness(ontology)
    >>> near["City", "City"], near["City", "Place"], near["City", "Thing"]
    (1.0, 0.5, 0.0)
    """
    names, table = ontology.concepts, _best_meetings(ontology.shape).bdm
    return {
        (key, response): number
        for i, key in enumerate(names)
        for response, number in zip(names[i:], table[i, i:].tolist())
    }


def parts_of_pairs(ontology: Ontology) -> Iterator[tuple[str, str, BdmParts]]:
    """(key, response, parts) of the pairs of `closeness`, sorted: with the parts of the formula."""
    shape, names = ontology.shape, ontology.concepts
    meetings, through = _best_meetings(shape), shape.through.tolist()
    for i, key in enumerate(names):
        rows = zip(names[i:], through[i:], *(table[i, i:].tolist() for table in meetings))
        for response, n2, value, top, dpk, dpr, branching in rows:
            means = shape.n0, through[i], n2
            if top < 0:
                yield key, response, BdmParts(0.0, None, None, None, None, *means, None)
                continue
            place = ontology.concepts[top], int(shape.depth[top]), dpk, dpr
            yield key, response, BdmParts(value, *place, *means, branching)


# --- where the chains of two concepts separate


class _Meetings(NamedTuple):
    """For each pair of concepts, the best place where their chains separate."""

    bdm: FloatArray  # all of shape (n_concepts, n_concepts)
    msca: IntArray  # -1: none
    dpk: IntArray
    dpr: IntArray
    branching: FloatArray


class _Ways(NamedTuple):
    """Ways from a concept down to others: an entry for each concept reached and length."""

    reached: IntArray  # number of the concept
    steps: IntArray
    beside: IntArray  # the greatest sum of the children of concepts strictly between


def _best_meetings(shape: _Shape) -> _Meetings:
    """The `_Meetings` of all concepts."""
    n = len(shape.order)
    best = _Meetings(
        bdm=np.full((n, n), -1.0),
        msca=np.full((n, n), -1, np.int32),
        dpk=np.zeros((n, n), np.int32),
        dpr=np.zeros((n, n), np.int32),
        branching=np.zeros((n, n)),
    )
    for top, one, two in _partings(shape):
        _keep_best(best, shape, top, one, two)
    own = np.arange(n)
    best.bdm[own, own], best.msca[own, own] = 1.0, own
    best.dpk[own, own] = best.dpr[own, own] = 0
    best.branching[own, own] = np.array([*map(len, shape.children)]) / max(shape.branching, 1)
    np.maximum(best.bdm, 0, out=best.bdm)
    return best


def _partings(shape: _Shape) -> Iterator[tuple[int, _Ways, _Ways]]:
    """Yield (concept, ways down a child, ways down earlier ones): chains separate there."""
    users = [*map(len, shape.parents)]
    below: dict[int, _Ways] = {}
    for top in reversed(shape.order):
        earlier = _Ways(*np.array([[top], [0], [0]]))
        for child in shape.children[top]:
            ways = below[child]
            users[child] -= 1
            if not users[child]:
                del below[child]
            yield top, ways, earlier
            earlier = _Ways(*map(np.concatenate, zip(earlier, ways)))
        below[top] = _lengthen(earlier, len(shape.children[top]), shape.tree)


def _lengthen(ways: _Ways, n_children: int, tree: bool) -> _Ways:
    """The ways of a parent through a concept: one step longer, with the concept between."""
    reached, steps, beside = ways
    beside = beside + n_children * (steps > 0)
    if not tree:
        order = np.lexsort((beside, steps, reached))
        reached, steps, beside = reached[order], steps[order], beside[order]
        last = np.ones(len(order), bool)
        last[:-1] = (np.diff(reached) != 0) | (np.diff(steps) != 0)
        reached, steps, beside = reached[last], steps[last], beside[last]
    return _Ways(reached, steps + 1, beside)


def _keep_best(best: _Meetings, shape: _Shape, top: int, one: _Ways, two: _Ways) -> None:
    """Update `best` with better values, for all pairs of ways that separate at `top`."""
    between = np.maximum(one.steps, 1)[:, None] + np.maximum(two.steps, 1) - 1
    branching = (len(shape.children[top]) + one.beside[:, None] + two.beside) / between
    branching /= shape.branching
    apart = [ways.steps / shape.through[ways.reached] for ways in (one, two)]
    common = branching * (shape.depth[top] / shape.n0)
    value = common / (common + apart[0][:, None] + apart[1])
    i, j = np.nonzero(value > best.bdm[one.reached[:, None], two.reached])
    value, branching, dpk, dpr = value[i, j], branching[i, j], one.steps[i], two.steps[j]
    order = np.lexsort((-(dpk + dpr), value))  # the last one written stays
    value, branching, dpk, dpr = (column[order] for column in (value, branching, dpk, dpr))
    first, second = one.reached[i[order]], two.reached[j[order]]
    for a, b, down, up in ((first, second, dpk, dpr), (second, first, dpr, dpk)):
        best.msca[a, b], best.bdm[a, b], best.branching[a, b] = top, value, branching
        best.dpk[a, b], best.dpr[a, b] = down, up
