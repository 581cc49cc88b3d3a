"""Slow and obvious versions of how two annotations of one document differ: all pairings are tried.

A span is (start, end, label) or (start, end, label, features). A row is (span of gold or None,
predicted span or None, relation, error).
"""

from fractions import Fraction
from itertools import combinations

from helpers.gate_oracles import every_pairing


def jaccard(key, response):
    """Common tokens as a share of all tokens of either, as a Fraction; 0 if there are none."""
    common = len(set(range(*key[:2])) & set(range(*response[:2])))
    return Fraction(common, len({*range(*key[:2]), *range(*response[:2])}))


def best(pairings, keys, responses):
    """All pairings with most coextensive pairs, then most others, then most common tokens."""
    score = {chosen: value_of(chosen, keys, responses) for chosen in pairings}
    return [chosen for chosen in score if score[chosen] == max(score.values())]


def value_of(chosen, keys, responses):
    """(coextensive pairs, other pairs, common tokens of these as shares)."""
    shares = [jaccard(keys[i], responses[j]) for i, j in chosen]
    others = [share for share in shares if share < 1]
    return shares.count(1), len(others), sum(others)


def best_whatever_labels(keys, responses):
    """All pairings with most coextensive pairs, then the greatest sum of shares of the others."""
    pairs = [(i, j) for i, k in enumerate(keys) for j, r in enumerate(responses) if jaccard(k, r)]
    value = {}
    for n in range(min(len(keys), len(responses)) + 1):
        for chosen in combinations(pairs, n):
            if len({i for i, _ in chosen}) == n == len({j for _, j in chosen}):
                same, _, shares = value_of(chosen, keys, responses)
                value[chosen] = same, shares
    return [chosen for chosen in value if value[chosen] == max(value.values())]


def outcomes(keys, responses):
    """All sets of rows that are as good as any other; mostly there is one."""
    found = []
    for chosen in best(every_pairing(keys, responses), keys, responses):
        rows = [same_label(keys[i], responses[j]) for i, j in chosen]
        rest = [key for i, key in enumerate(keys) if i not in {i for i, _ in chosen}]
        left = [one for j, one in enumerate(responses) if j not in {j for _, j in chosen}]
        for others in best_whatever_labels(rest, left):
            more = [other_label(rest[i], left[j]) for i, j in others]
            more += [
                (key, None, "missing", "missing")
                for i, key in enumerate(rest)
                if i not in {i for i, _ in others}
            ]
            more += [
                (None, one, "spurious", "spurious")
                for j, one in enumerate(left)
                if j not in {j for _, j in others}
            ]
            found.append(in_order(rows + more))
    return found


def same_label(key, response):
    """The row of a pair that is correct or partial."""
    tokens, marked = set(range(*key[:2])), set(range(*response[:2]))
    if tokens == marked:
        return key, response, "correct", "none"
    error = "too long" if marked > tokens else "too short" if marked < tokens else "shifted"
    return key, response, "partial", error


def other_label(key, response):
    """The row of a pair that cannot be one for GATE."""
    if key[2] == response[2]:
        return key, response, "wrong label", "other features"
    same = key[:2] == response[:2]
    error = "other label" if same else "other label and extent"
    return key, response, "wrong label", error


def in_order(rows):
    """Rows in an order of their own."""
    return sorted(rows, key=repr)


MIRRORED = {
    "missing": "spurious",
    "spurious": "missing",
    "too long": "too short",
    "too short": "too long",
}


def swapped(rows):
    """The rows if both sides change places."""
    return in_order(
        (two, one, *(MIRRORED.get(name, name) for name in names)) for one, two, *names in rows
    )
