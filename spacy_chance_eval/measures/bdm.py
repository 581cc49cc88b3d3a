"""`Ontology`: concepts and what they are kinds of, and the lengths of its chains."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np


@dataclass(frozen=True)
class Ontology:
    """Concepts and their parents: a forest, or a directed graph without cycles.

    Parameters
    ----------
    concepts : iterable of str
        In any order; kept sorted.
    parents : mapping of str to an iterable of str
        What each concept is a kind of; concepts that are not in it are roots.

    Raises
    ------
    ValueError
        Without concepts, for a name that is no concept, or for a cycle.

    Examples
    --------
    >>> places = Ontology(["City", "Place"], {"City": ["Place"]})
    >>> places.parents["City"], places.signature
    (('Place',), 'ontology:fa88ee7e')
    """

    concepts: tuple
    parents: Mapping

    def __post_init__(self):
        concepts = tuple(sorted(set(map(_checked_name, self.concepts))))
        if not concepts:
            raise ValueError("an ontology without concepts; expected at least one")
        parents = {name: tuple(sorted(set(above))) for name, above in dict(self.parents).items()}
        known = set(concepts)
        for child, above in parents.items():
            for name in (child, *above):
                if name not in known:
                    raise ValueError(f"{name!r} has an edge ({child!r}), but is no concept; add it")
        object.__setattr__(self, "concepts", concepts)
        whole = {name: parents.get(name, ()) for name in concepts}
        object.__setattr__(self, "parents", whole)
        if len(self.shape.order) < len(concepts):
            raise ValueError(f"a cycle: {' < '.join(_cycle(whole, self.shape.order))}; remove it")

    @classmethod
    def from_edges(cls, edges, concepts=()):
        """The ontology of (child, parent) pairs, and of concepts that may have no edge.

        Examples
        --------
        >>> Ontology.from_edges([("City", "Place"), ("Country", "Place")]).concepts
        ('City', 'Country', 'Place')
        """
        parents = {}
        for child, parent in edges:
            parents.setdefault(_checked_name(child), set()).add(_checked_name(parent))
        return cls(
            {*concepts, *parents, *(p for above in parents.values() for p in above)}, parents
        )

    @property
    def signature(self):
        """The ontology as names of results show it: equal ones have equal signatures."""
        digest = hashlib.sha256(repr(sorted(self.parents.items())).encode()).hexdigest()
        return f"ontology:{digest[:8]}"

    @cached_property
    def shape(self):
        """The `Shape` of the ontology."""
        return _shape_of(self)


def _checked_name(name):
    """A name, if it is one."""
    if not isinstance(name, str) or not name:
        raise ValueError(f"{name!r} is no name of a concept; expected a text that is not empty")
    return name


def _cycle(parents, order):
    """Names of the concepts on a cycle, the first one again at the end."""
    rest = set(parents) - {list(parents)[i] for i in order}
    path, place, name = [], {}, min(rest)
    while name not in place:
        place[name] = len(path)
        path.append(name)
        name = next(above for above in parents[name] if above in rest)
    return [*path[place[name] :], name]


@dataclass(frozen=True, eq=False)
class Shape:
    """What BDM needs of an ontology; concepts are numbered as in `Ontology.concepts`."""

    order: list  # concepts, parents first (those on a cycle and below it are not in it)
    parents: list  # of each concept
    children: list
    depth: np.ndarray  # length of the longest chain to each concept
    through: np.ndarray  # mean length of the chains from a root to a leaf through each concept
    n0: float  # mean length of all chains from a root to a leaf
    branching: float  # mean number of children of the concepts that have any
    tree: bool  # whether no concept has several parents


def _shape_of(ontology):
    """The `Shape` of an ontology: chains are counted, not listed."""
    index = {name: i for i, name in enumerate(ontology.concepts)}
    parents = [[index[name] for name in ontology.parents[child]] for child in ontology.concepts]
    children = [[] for _ in parents]
    for child, above in enumerate(parents):
        for parent in above:
            children[parent].append(child)
    order = _parents_first(parents, children)
    depth = np.zeros(len(parents), np.int64)
    for i in order:
        depth[i] = max((depth[parent] + 1 for parent in parents[i]), default=0)
    up, up_length = _count_chains(order, parents)
    down, down_length = _count_chains(order[::-1], children)
    leaves = [i for i in order if not children[i]]
    through = np.zeros(len(parents))
    for i in order:
        through[i] = up_length[i] / up[i] + down_length[i] / down[i]
    numbers = [len(below) for below in children if below]
    return Shape(
        order,
        parents,
        children,
        depth,
        through,
        sum(up_length[i] for i in leaves) / max(sum(up[i] for i in leaves), 1),
        sum(numbers) / max(len(numbers), 1),
        all(len(above) < 2 for above in parents),
    )


def _parents_first(parents, children):
    """Concepts so that parents stand in front of their children."""
    missing = [len(above) for above in parents]
    order = [i for i, number in enumerate(missing) if not number]
    for i in order:
        for child in children[i]:
            missing[child] -= 1
            if not missing[child]:
                order.append(child)
    return order


def _count_chains(order, nearer):
    """Number and total length of the paths to each concept from where nothing is nearer."""
    number, length = [0] * len(nearer), [0] * len(nearer)
    for i in order:  # whole numbers: there may be more paths than a float can count
        number[i] = sum(number[j] for j in nearer[i]) if nearer[i] else 1
        length[i] = sum(length[j] + number[j] for j in nearer[i])
    return number, length


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


def bdm(ontology, key, response):
    """The closeness of two concepts, in [0, 1]; as `bdm_parts` has it.

    Examples
    --------
    >>> from spacy_chance_eval.measures.bdm import Ontology
    >>> edges = [("City", "Place"), ("Country", "Place"), ("Place", "Thing"), ("Thought", "Thing")]
    >>> ontology = Ontology.from_edges(edges)
    >>> round(bdm(ontology, "City", "Country"), 4), bdm(ontology, "City", "Thought")
    (0.375, 0.0)
    """
    return bdm_parts(ontology, key, response).bdm


def bdm_parts(ontology, key, response):
    """The `Parts` of BDM for two concepts.

        BDM = t / (t + DPK / n1 + DPR / n2),   t = BR * CP / n0

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
    >>> from spacy_chance_eval.measures.bdm import Ontology
    >>> ontology = Ontology.from_edges([("City", "Place"), ("Capital", "City"), ("Sea", "Place")])
    >>> parts = bdm_parts(ontology, "Capital", "City")
    >>> parts.msca, parts.cp, parts.dpk, parts.dpr, parts.n0, round(parts.bdm, 4)
    ('City', 1, 1, 0, 1.5, 0.4706)
    """
    names = (key, response) if key != response else (key,)
    wanted = _numbers_of(ontology, names)
    found = _best_meetings(ontology, wanted)
    row = (table[0, -1].item() for table in found)
    return _parts_of(ontology, wanted[0], wanted[-1], *row)


def all_parts(ontology, concepts=None):
    """Yield (key, response, `Parts`) for all unordered pairs, sorted, equal names included.

    Examples
    --------
    >>> from spacy_chance_eval.measures.bdm import Ontology
    >>> ontology = Ontology.from_edges([("City", "Place")])
    >>> [(key, response, parts.bdm) for key, response, parts in all_parts(ontology)]
    [('City', 'City', 1.0), ('City', 'Place', 0.0), ('Place', 'Place', 1.0)]
    """
    names = tuple(sorted(set(ontology.concepts if concepts is None else concepts)))
    wanted = _numbers_of(ontology, names)
    found = _best_meetings(ontology, wanted)
    for i, key in enumerate(names):
        rows = zip(*(table[i, i:].tolist() for table in found))
        for j, row in enumerate(rows, i):
            yield key, names[j], _parts_of(ontology, wanted[i], wanted[j], *row)


def closeness(ontology, concepts=None):
    """BDM of all unordered pairs of concepts: {(a, b): number} with a <= b.

    Parameters
    ----------
    ontology : Ontology
    concepts : iterable of str, optional
        Only pairs of these; by default of all. Time and space grow with the number of pairs.

    Examples
    --------
    >>> from spacy_chance_eval.measures.bdm import Ontology
    >>> ontology = Ontology.from_edges([("City", "Place"), ("Place", "Thing")])
    >>> closeness(ontology, ["City", "Place"])
    {('City', 'City'): 1.0, ('City', 'Place'): 0.5, ('Place', 'Place'): 1.0}
    """
    names = tuple(sorted(set(ontology.concepts if concepts is None else concepts)))
    table = _best_meetings(ontology, _numbers_of(ontology, names)).bdm
    return {
        (key, response): number
        for i, key in enumerate(names)
        for response, number in zip(names[i:], table[i, i:].tolist())
    }


# --- where the chains of two concepts part


class _Meetings(NamedTuple):
    """For each pair of wanted concepts: the best place where their chains part."""

    bdm: np.ndarray  # all of shape (n_wanted, n_wanted)
    msca: np.ndarray  # -1: none
    dpk: np.ndarray
    dpr: np.ndarray
    branching: np.ndarray


class _Ways(NamedTuple):
    """Ways from a concept down to wanted ones: one entry for each concept reached and length."""

    wanted: np.ndarray  # number of the concept reached
    steps: np.ndarray
    beside: np.ndarray  # the greatest sum of the children of concepts strictly between


def _numbers_of(ontology, names):
    """The numbers of concepts given by name."""
    index = {name: i for i, name in enumerate(ontology.concepts)}
    unknown = [name for name in names if name not in index]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no concept of the ontology; check its spelling")
    return [index[name] for name in names]


def _best_meetings(ontology, wanted):
    """The `_Meetings` of some concepts, given by number."""
    shape = ontology.shape
    size = len(wanted), len(wanted)
    whole = [np.zeros(size, np.int32) for _ in range(3)]
    found = _Meetings(np.full(size, -1.0), *whole, np.zeros(size))
    found.msca[:] = -1
    for top, one, two in _partings(shape, wanted):
        _keep_best(found, shape, wanted, top, one, two)
    own = np.arange(len(wanted))
    children = [len(shape.children[i]) for i in wanted]
    found.bdm[own, own], found.msca[own, own] = 1.0, wanted
    found.dpk[own, own] = found.dpr[own, own] = 0
    found.branching[own, own] = np.array(children) / max(shape.branching, 1)
    np.maximum(found.bdm, 0, out=found.bdm)
    return found


def _partings(shape, wanted):
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
        earlier = _Ways(here, np.zeros_like(here), np.zeros_like(here))
        for child in shape.children[top]:
            if child not in needed:
                continue
            ways = below[child]
            users[child] -= 1
            if not users[child]:
                del below[child]
            if len(earlier.wanted):
                yield top, ways, earlier
            earlier = _Ways(*map(np.concatenate, zip(earlier, ways)))
        below[top] = _lengthen(earlier, len(shape.children[top]), shape.tree)


def _lengthen(ways, n_children, tree):
    """Ways from a concept as its parents have them: one step longer, the concept between."""
    wanted, steps, beside = ways
    beside = beside + n_children * (steps > 0)
    if not tree:
        order = np.lexsort((beside, steps, wanted))
        wanted, steps, beside = wanted[order], steps[order], beside[order]
        last = np.ones(len(order), bool)
        last[:-1] = (np.diff(wanted) != 0) | (np.diff(steps) != 0)
        wanted, steps, beside = wanted[last], steps[last], beside[last]
    return _Ways(wanted, steps + 1, beside)


def _keep_best(found, shape, wanted, top, one, two):
    """Take over what is better than before, for all pairs of ways that part at `top`."""
    if not shape.depth[top]:  # BDM is 0 by whatever ways
        one, two = _shortest(one), _shortest(two)
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


def _shortest(ways):
    """The shortest way to each concept."""
    order = np.lexsort((ways.steps, ways.wanted))
    _, first = np.unique(ways.wanted[order], return_index=True)
    return _Ways(*(column[order[first]] for column in ways))


def _parts_of(ontology, key, response, value, top, dpk, dpr, branching):
    """The `Parts` of two concepts, from a row of `_Meetings`."""
    shape = ontology.shape
    means = shape.n0, float(shape.through[key]), float(shape.through[response])
    if top < 0:
        return Parts(0.0, None, None, None, None, *means, None)
    msca, cp = ontology.concepts[top], int(shape.depth[top])
    return Parts(value, msca, cp, dpk, dpr, *means, branching)
