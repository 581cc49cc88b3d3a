"""How close two concepts of an ontology are: BDM, the balanced distance metric.

A chain is a path from a root down to a concept. With several parents a concept has several chains,
and BDM is that of the best pair of chains. There can be exponentially many, so they are not listed:
a chain matters only by where it leaves the other one, by its length, and by the branches beside it.
"""

from typing import NamedTuple

import numpy as np


class Parts(NamedTuple):
    """BDM of two concepts and what it is made of, for the best pair of their chains."""

    bdm: float
    msca: str | None  # most specific common ancestor; None without a common root
    cp: int | None  # edges from the root to it
    dpk: int | None  # edges from it to the key
    dpr: int | None  # edges from it to the response
    n0: float  # mean length of the chains from a root to a leaf
    n1: float  # ... of those through the key
    n2: float  # ... of those through the response
    branching: float | None  # children of the concepts between the two, over the usual number


def balanced_distance(*, cp, dpk, dpr, n0, n1, n2, branching):
    """BDM from its parts.

        BDM = t / (t + DPK / n1 + DPR / n2),   t = BR * CP / n0

    In [0, 1]; 1 if DPK = DPR = 0, that is, for equal concepts; 0 if only the root is common.

    References
    ----------
    Maynard, Peters and Li (2006), "Metrics for evaluation of ontology-based information
    extraction"; the GATE user guide, chapter 10 (BDM computation).

    Examples
    --------
    >>> parts = dict(cp=1, dpk=1, dpr=0, n0=2.0, n1=2.0, n2=2.8333333, branching=1.9565217)
    >>> round(float(balanced_distance(**parts)), 7)
    0.6617647
    """
    common = np.asarray(branching) * cp / n0 if n0 else np.zeros(())
    apart = np.asarray(dpk) / np.maximum(n1, 1) + np.asarray(dpr) / np.maximum(n2, 1)
    whole = common + apart
    return np.where(apart == 0, 1.0, common / np.where(whole == 0, 1, whole))


def bdm(ontology, key, response):
    """The closeness of two concepts, in [0, 1]; as `bdm_parts` has it.

    Examples
    --------
    >>> from spacy_chance_eval.measures.ontology import Ontology
    >>> edges = [("City", "Place"), ("Country", "Place"), ("Place", "Thing"), ("Thought", "Thing")]
    >>> ontology = Ontology.from_edges(edges)
    >>> round(bdm(ontology, "City", "Country"), 4), bdm(ontology, "City", "Thought")
    (0.375, 0.0)
    """
    return bdm_parts(ontology, key, response).bdm


def bdm_parts(ontology, key, response):
    """The `Parts` of BDM for two concepts.

    MSCA is their most specific common ancestor, CP the number of edges from the root to it, DPK and
    DPR those from it to key and response; n0 is the mean length of the chains from a root to a
    leaf, n1 and n2 that of those through key and response. BR is the mean number of children of
    MSCA and of the concepts strictly between it and the two, over the mean number of children of
    all concepts that have any. Symmetric; 1 for equal concepts, 0 without a common root.

    Raises
    ------
    ValueError
        For a name that is no concept.

    References
    ----------
    Maynard, Peters and Li (2006); the GATE user guide, chapter 10.

    Examples
    --------
    >>> from spacy_chance_eval.measures.ontology import Ontology
    >>> ontology = Ontology.from_edges([("City", "Place"), ("Capital", "City"), ("Sea", "Place")])
    >>> parts = bdm_parts(ontology, "Capital", "City")
    >>> parts.msca, parts.cp, parts.dpk, parts.dpr, parts.n0, round(parts.bdm, 4)
    ('City', 1, 1, 0, 1.5, 0.4706)
    """
    names = (key, response) if key != response else (key,)
    wanted = numbers_of(ontology, names)
    found = best_meetings(ontology, wanted)
    row = (table[0, -1].item() for table in found)
    return parts_of(ontology, wanted[0], wanted[-1], *row)


def all_parts(ontology, concepts=None):
    """Yield (key, response, `Parts`) for all unordered pairs, sorted, equal names included.

    Examples
    --------
    >>> from spacy_chance_eval.measures.ontology import Ontology
    >>> ontology = Ontology.from_edges([("City", "Place")])
    >>> [(key, response, parts.bdm) for key, response, parts in all_parts(ontology)]
    [('City', 'City', 1.0), ('City', 'Place', 0.0), ('Place', 'Place', 1.0)]
    """
    names = tuple(sorted(set(ontology.concepts if concepts is None else concepts)))
    wanted = numbers_of(ontology, names)
    found = best_meetings(ontology, wanted)
    for i, key in enumerate(names):
        rows = zip(*(table[i, i:].tolist() for table in found))
        for j, row in enumerate(rows, i):
            yield key, names[j], parts_of(ontology, wanted[i], wanted[j], *row)


def closeness(ontology, concepts=None):
    """BDM of all unordered pairs of concepts: {(a, b): number} with a <= b.

    Parameters
    ----------
    ontology : Ontology
    concepts : iterable of str, optional
        Only pairs of these; by default of all. Time and space grow with the number of pairs.

    Examples
    --------
    >>> from spacy_chance_eval.measures.ontology import Ontology
    >>> ontology = Ontology.from_edges([("City", "Place"), ("Place", "Thing")])
    >>> closeness(ontology, ["City", "Place"])
    {('City', 'City'): 1.0, ('City', 'Place'): 0.5, ('Place', 'Place'): 1.0}
    """
    names = tuple(sorted(set(ontology.concepts if concepts is None else concepts)))
    table = best_meetings(ontology, numbers_of(ontology, names)).bdm
    return {
        (key, response): number
        for i, key in enumerate(names)
        for response, number in zip(names[i:], table[i, i:].tolist())
    }


# --- where the chains of two concepts part


class Meetings(NamedTuple):
    """For each pair of wanted concepts: the best place where their chains part."""

    bdm: np.ndarray  # all of shape (n_wanted, n_wanted)
    msca: np.ndarray  # -1: none
    dpk: np.ndarray
    dpr: np.ndarray
    branching: np.ndarray


class Below(NamedTuple):
    """Ways from a concept down to wanted ones: one entry for each concept reached and length."""

    wanted: np.ndarray  # number of the concept reached
    steps: np.ndarray
    beside: np.ndarray  # the greatest sum of the children of concepts strictly between


def numbers_of(ontology, names):
    """The numbers of concepts given by name."""
    index = {name: i for i, name in enumerate(ontology.concepts)}
    unknown = [name for name in names if name not in index]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no concept of the ontology; check its spelling")
    return [index[name] for name in names]


def best_meetings(ontology, wanted):
    """The `Meetings` of some concepts, given by number."""
    shape = ontology.shape
    size = len(wanted), len(wanted)
    whole = [np.zeros(size, np.int32) for _ in range(3)]
    found = Meetings(np.full(size, -1.0), *whole, np.zeros(size))
    found.msca[:] = -1
    for top, one, two in partings(shape, wanted):
        keep_best(found, shape, wanted, top, one, two)
    own = np.arange(len(wanted))
    children = [len(shape.children[i]) for i in wanted]
    found.bdm[own, own], found.msca[own, own] = 1.0, wanted
    found.dpk[own, own] = found.dpr[own, own] = 0
    found.branching[own, own] = np.array(children) / max(shape.branching, 1)
    np.maximum(found.bdm, 0, out=found.bdm)
    return found


def partings(shape, wanted):
    """Yield (concept, ways down one child, ways down earlier ones or none): chains part here."""
    places = {concept: place for place, concept in enumerate(wanted)}
    needed = set()
    waiting = list(wanted)
    while waiting:
        concept = waiting.pop()
        if concept not in needed:
            needed.add(concept)
            waiting += shape.parents[concept]
    users = {concept: len(shape.parents[concept]) for concept in needed}
    below = {}
    for top in reversed(shape.order):
        if top not in needed:
            continue
        here = np.array([places[top]] if top in places else [], np.int64)
        earlier = Below(here, np.zeros_like(here), np.zeros_like(here))
        for child in shape.children[top]:
            if child not in needed:
                continue
            ways = below[child]
            users[child] -= 1
            if not users[child]:
                del below[child]
            if len(earlier.wanted):
                yield top, ways, earlier
            earlier = Below(*map(np.concatenate, zip(earlier, ways)))
        below[top] = lengthened(earlier, len(shape.children[top]), shape.tree)


def lengthened(ways, n_children, tree):
    """Ways from a concept as its parents have them: one step longer, the concept between."""
    wanted, steps, beside = ways
    beside = beside + n_children * (steps > 0)
    if not tree:
        order = np.lexsort((beside, steps, wanted))
        wanted, steps, beside = wanted[order], steps[order], beside[order]
        last = np.ones(len(order), bool)
        last[:-1] = (np.diff(wanted) != 0) | (np.diff(steps) != 0)
        wanted, steps, beside = wanted[last], steps[last], beside[last]
    return Below(wanted, steps + 1, beside)


def keep_best(found, shape, wanted, top, one, two):
    """Take over what is better than before, for all pairs of ways that part at `top`."""
    if not shape.depth[top]:  # BDM is 0 by whatever ways
        one, two = shortest(one), shortest(two)
    between = np.maximum(one.steps, 1)[:, None] + np.maximum(two.steps, 1) - 1
    branching = (len(shape.children[top]) + one.beside[:, None] + two.beside) / between
    branching /= shape.branching
    apart = [ways.steps / shape.through[wanted][ways.wanted] for ways in (one, two)]
    common = branching * (shape.depth[top] / shape.n0)
    value = common / (common + apart[0][:, None] + apart[1])
    i, j = np.nonzero(value > found.bdm[one.wanted[:, None], two.wanted])
    value, branching, dpk, dpr = value[i, j], branching[i, j], one.steps[i], two.steps[j]
    order = np.lexsort((-(dpk + dpr), value))  # the last one written stays
    value, branching, dpk, dpr = (column[order] for column in (value, branching, dpk, dpr))
    first, second = one.wanted[i[order]], two.wanted[j[order]]
    for a, b, down, up in ((first, second, dpk, dpr), (second, first, dpr, dpk)):
        found.msca[a, b], found.bdm[a, b], found.branching[a, b] = top, value, branching
        found.dpk[a, b], found.dpr[a, b] = down, up


def shortest(ways):
    """The shortest way to each concept."""
    order = np.lexsort((ways.steps, ways.wanted))
    _, first = np.unique(ways.wanted[order], return_index=True)
    return Below(*(column[order[first]] for column in ways))


def parts_of(ontology, key, response, value, top, dpk, dpr, branching):
    """The `Parts` of two concepts, from a row of `Meetings`."""
    shape = ontology.shape
    means = shape.n0, float(shape.through[key]), float(shape.through[response])
    if top < 0:
        return Parts(0.0, None, None, None, None, *means, None)
    msca, cp = ontology.concepts[top], int(shape.depth[top])
    return Parts(value, msca, cp, dpk, dpr, *means, branching)
