"""`Ontology`: concepts and what they are kinds of, and the lengths of its chains."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

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
        concepts = tuple(sorted(set(map(named, self.concepts))))
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
            raise ValueError(f"a cycle: {' < '.join(cycle(whole, self.shape.order))}; remove it")

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
            parents.setdefault(named(child), set()).add(named(parent))
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
        return shape_of(self)


def named(name):
    """A name, if it is one."""
    if not isinstance(name, str) or not name:
        raise ValueError(f"{name!r} is no name of a concept; expected a text that is not empty")
    return name


def cycle(parents, order):
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


def shape_of(ontology):
    """The `Shape` of an ontology: chains are counted, not listed."""
    index = {name: i for i, name in enumerate(ontology.concepts)}
    parents = [[index[name] for name in ontology.parents[child]] for child in ontology.concepts]
    children = [[] for _ in parents]
    for child, above in enumerate(parents):
        for parent in above:
            children[parent].append(child)
    order = sorted_down(parents, children)
    depth = np.zeros(len(parents), np.int64)
    for i in order:
        depth[i] = max((depth[parent] + 1 for parent in parents[i]), default=0)
    up, up_length = chains(order, parents)
    down, down_length = chains(order[::-1], children)
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


def sorted_down(parents, children):
    """Concepts so that parents stand in front of their children."""
    missing = [len(above) for above in parents]
    order = [i for i, number in enumerate(missing) if not number]
    for i in order:
        for child in children[i]:
            missing[child] -= 1
            if not missing[child]:
                order.append(child)
    return order


def chains(order, nearer):
    """Number and total length of the paths to each concept from where nothing is nearer."""
    number, length = [0] * len(nearer), [0] * len(nearer)
    for i in order:  # whole numbers: there may be more paths than a float can count
        number[i] = sum(number[j] for j in nearer[i]) if nearer[i] else 1
        length[i] = sum(length[j] + number[j] for j in nearer[i])
    return number, length
