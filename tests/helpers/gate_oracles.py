"""Slow and obvious versions of GATE's pairing and of BDM, on plain Python data.

A span is (start, end, label) or (start, end, label, features).
"""

from fractions import Fraction
from itertools import combinations


def weight_of_pair(key, response, closeness=None):
    """What a pair weighs: 1 for equal labels; 0 if the two cannot be paired."""
    if min(key[1], response[1]) <= max(key[0], response[0]):
        return 0
    if len(key) > 3 and any(
        name not in response[3]
        or type(response[3][name]) is not type(value)
        or response[3][name] != value
        for name, value in key[3].items()
    ):
        return 0
    if key[2] == response[2]:
        return 1
    names = (key[2], response[2])
    return (closeness or {}).get(names, (closeness or {}).get(names[::-1], 0))


def every_pairing(keys, responses, closeness=None):
    """Yield all sets of one-to-one pairs (index of key, index of response)."""
    pairs = [
        (i, j)
        for i, key in enumerate(keys)
        for j, response in enumerate(responses)
        if weight_of_pair(key, response, closeness)
    ]
    for n in range(min(len(keys), len(responses)) + 1):
        for chosen in combinations(pairs, n):
            if len({i for i, _ in chosen}) == n == len({j for _, j in chosen}):
                yield chosen


def masses(keys, responses, pairing, closeness=None):
    """(correct, partial) of a pairing."""
    found = [0, 0]
    for i, j in pairing:
        partial = keys[i][:2] != responses[j][:2]
        found[partial] += weight_of_pair(keys[i], responses[j], closeness)
    return tuple(found)


def best_masses(keys, responses, closeness=None):
    """The greatest (correct, partial): correct first."""
    return max(
        masses(keys, responses, pairing, closeness)
        for pairing in every_pairing(keys, responses, closeness)
    )


def greedy_counts(keys, responses):
    """(correct, partial, missing, spurious) as GATE 8 pairs spans, in the order that they come in.

    A pair has a value: 3 correct, 2 partial. Its score is that value without the values of the
    pairs that exclude it, computed once. Pairs are taken by falling score; of equal ones the last.
    """
    value = {}
    for i, key in enumerate(keys):
        for j, response in enumerate(responses):
            if weight_of_pair(key, response):
                value[i, j] = 3 if key[:2] == response[:2] else 2
    rivals = {a: [b for b in value if a != b and (a[0] == b[0] or a[1] == b[1])] for a in value}
    score = {pair: value[pair] - sum(value[rival] for rival in rivals[pair]) for pair in value}
    taken, gone = [], set()
    for pair in sorted(value, key=score.get)[::-1]:
        if pair not in gone:
            taken.append(value[pair])
            gone.update(rivals[pair])
    n_missing, n_spurious = len(keys) - len(taken), len(responses) - len(taken)
    return taken.count(3), taken.count(2), n_missing, n_spurious


# ---------------------------------------------------------------- BDM


def chains(parents, name):
    """Return all paths from a root down to a concept."""
    if not parents.get(name):
        return [(name,)]
    return [(*chain, name) for parent in parents[name] for chain in chains(parents, parent)]


def mean(numbers):
    numbers = list(numbers)
    return Fraction(sum(numbers), len(numbers))


def bdm_of_parts(*, cp, dpk, dpr, n0, n1, n2, branching, **_):
    """Return BDM from its parts, by the formula of the GATE user guide."""
    if dpk == dpr == 0:
        return 1.0
    t = branching * cp / n0
    return t / (t + dpk / n1 + dpr / n2)


def bdm(parents, key, response):
    """Return BDM by trying all pairs of chains, as a Fraction."""
    if key == response:
        return Fraction(1)
    names = sorted({*parents, *(p for above in parents.values() for p in above)})
    children = {name: [c for c in names if name in parents.get(c, ())] for name in names}
    leaves = [chain for name in names if not children[name] for chain in chains(parents, name)]
    n0 = mean(len(chain) - 1 for chain in leaves)
    lengths = [mean(len(c) - 1 for c in leaves if name in c) for name in (key, response)]
    usual = [len(below) for below in children.values() if below]
    best = Fraction(0)
    for one in chains(parents, key):
        for two in chains(parents, response):
            shared = 0
            while shared < min(len(one), len(two)) and one[shared] == two[shared]:
                shared += 1
            if not shared:
                continue
            between = [one[shared - 1], *one[shared:-1], *two[shared:-1]]
            branching = mean(len(children[name]) for name in between) / mean(usual)
            t = branching * (shared - 1) / n0
            far = (len(one) - shared) / lengths[0] + (len(two) - shared) / lengths[1]
            best = max(best, t / (t + far))
    return best
