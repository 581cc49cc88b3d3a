"""Krippendorff's unitizing alphas as they are defined: loops over stretches and tokens, Fractions.

A team is a list of documents; a document is a pair (pieces, annotations): the pieces (start, end)
of its continuum, and for every annotator who saw it a list of units (start, end, label). Documents
with fewer than two annotators must have been left out.
"""

from fractions import Fraction
from itertools import permutations

from spacy_chance_eval.measures.stats import ratio

GAP = None


def quotient(numerator, denominator):
    """Return the Fraction, or None without denominator."""
    return None if not denominator else Fraction(numerator) / denominator


def one_minus(ratio):
    """Return 1 - ratio; None stays None."""
    return None if ratio is None else 1 - ratio


def continuum_length(team):
    """Return L."""
    return sum(end - start for pieces, _ in team for start, end in pieces)


def rated_length(team):
    """Return the sum of m_d L_d."""
    return sum((e - s) * len(annotations) for pieces, annotations in team for s, e in pieces)


# ----------------------------------------------------------------------------------------- alpha_U


def stretches(pieces, units, label):
    """Return (is a unit, start, end) of the units of a label and the gaps around them."""
    found = []
    for start, end in pieces:
        at = start
        for b, e, name in sorted(units):
            if name == label and start <= b < end:
                found += [(False, at, b)] * (b > at) + [(True, b, e)]
                at = e
        found += [(False, at, end)] * (end > at)
    return found


def delta(one, two):
    """Return delta squared of two stretches."""
    (is_unit, b, e), (is_unit_2, b_2, e_2) = one, two
    if is_unit and is_unit_2:
        return (b - b_2) ** 2 + (e - e_2) ** 2 if set(range(b, e)) & set(range(b_2, e_2)) else 0
    if is_unit and b_2 <= b and e <= e_2:
        return (e - b) ** 2
    if is_unit_2 and b <= b_2 and e_2 <= e:
        return (e_2 - b_2) ** 2
    return 0


def observed_distance(team, label):
    """Return D_o of a label; None without continuum."""
    total = Fraction(0)
    for pieces, annotations in team:
        sides = [stretches(pieces, units, label) for units in annotations]
        distance = sum(delta(g, h) for i, j in permutations(sides, 2) for g in i for h in j)
        total += Fraction(distance, len(annotations) - 1)
    return quotient(total, rated_length(team) * continuum_length(team))


def expected_distance(team, label):
    """Return D_e of a label; None without continuum."""
    every = [
        row
        for pieces, annotations in team
        for units in annotations
        for row in stretches(pieces, units, label)
    ]
    units = [e - b for is_unit, b, e in every if is_unit]
    gaps = [e - b for is_unit, b, e in every if not is_unit]
    rated = rated_length(team)
    room = rated * (rated - 1) - sum(a * (a - 1) for a in units)
    total = Fraction(0)
    for a in units:
        total += Fraction(len(units) - 1, 3) * (2 * a**3 - 3 * a**2 + a)
        total += a**2 * sum(g - a + 1 for g in gaps if g >= a)
    by_length = quotient(total, room)
    return None if by_length is None else quotient(2 * by_length, continuum_length(team))


def alpha_u(team, labels):
    """Return (D_o, D_e, alpha_U) of labels."""
    if not continuum_length(team):
        return None, None, None
    observed = sum(observed_distance(team, label) for label in labels)
    expected = sum(expected_distance(team, label) for label in labels)
    return observed, expected, one_minus(quotient(observed, expected))


# ------------------------------------------------------------------------------- u-alpha, |u-alpha


def value(token, units):
    """Return the label of a token, or GAP."""
    return next((label for start, end, label in units if start <= token < end), GAP)


def coincidences(team, values, valued=lambda label: label):
    """Return {(c, k): l_ck}, token by token; `valued` renames the labels."""
    table = {(c, k): Fraction(0) for c in values for k in values}
    for pieces, annotations in team:
        for token in (t for piece in pieces for t in range(*piece)):
            row = [valued(value(token, units)) for units in annotations]
            for c, k in permutations(row, 2):
                if (c, k) in table:
                    table[c, k] += Fraction(1, len(annotations) - 1)
    return table


def margins(table, values):
    """Return {c: l_c.}."""
    return {c: sum(table[c, k] for k in values) for c in values}


def u_alphas(team, labels):
    """Return (Obs mu, Exp mu, u-alpha, |u-alpha) with the gap and these labels as values."""
    values = (GAP, *labels)
    table = coincidences(team, values, lambda label: label if label in labels else GAP)
    length = margins(table, values)
    total = sum(length.values())
    squares = dict.fromkeys(values, 0) | {GAP: length[GAP]}
    for _, annotations in team:
        for start, end, label in (unit for units in annotations for unit in units):
            if label in labels:
                squares[label] += (end - start) ** 2
    room = total**2 - sum(squares.values())
    if not room:
        return None, None, None, None
    expected = {
        (c, k): total * (length[c] * length[k] - (squares[c] if c == k else 0)) / room
        for c in values
        for k in values
    }
    off = [cell for cell in table if cell[0] != cell[1]]
    observed_off, expected_off = (sum(source[cell] for cell in off) for source in (table, expected))
    gap_expected = sum(expected[GAP, k] for k in values) - expected[GAP, GAP]
    return (
        quotient(observed_off, total),
        quotient(expected_off, total),
        one_minus(quotient(observed_off, expected_off)),
        one_minus(quotient(length[GAP] - table[GAP, GAP], gap_expected)),
    )


# ---------------------------------------------------------------------------- cu-alpha, (k)u-alpha


def overlap_squares(team, label):
    """Return Q of a label: squares of the mean overlap of its units with others' units."""
    total = Fraction(0)
    for _, annotations in team:
        for i, units in enumerate(annotations):
            rest = [other for j, other in enumerate(annotations) if j != i]
            for start, end, name in units:
                shared = sum(
                    value(t, other) is not GAP for t in range(start, end) for other in rest
                )
                total += Fraction(shared, len(rest)) ** 2 if name == label else 0
    return total


def intersections(team, labels):
    """Return ({(c, k): l*_ck}, {(c, k): eps*_ck}); no expectations if nothing meets.

    All eps*_ck have one divisor. It is 0 for some units of different labels that overlap, of which
    only ratios of eps*_ck are wanted: then it is left out.
    """
    table = coincidences(team, labels)
    length = margins(table, labels)
    squares = {c: overlap_squares(team, c) for c in labels}
    total = sum(length.values())
    if not total:
        return table, None
    room = total - sum(squares.values()) / total
    cells = {(c, k): length[c] * length[k] - (squares[c] if c == k else 0) for c, k in table}
    return table, {cell: mass / (room or 1) for cell, mass in cells.items()}


def cu_alpha(team, labels):
    """Return cu-alpha."""
    table, expected = intersections(team, labels)
    if expected is None:
        return None
    off = [cell for cell in table if cell[0] != cell[1]]
    return one_minus(quotient(sum(table[x] for x in off), sum(expected[x] for x in off)))


def ku_alpha(team, labels, k):
    """Return the (k)u-alpha of a label."""
    table, expected = intersections(team, labels)
    row = sum(table[k, c] for c in labels)
    if not row:
        return None
    expected_row = sum(expected[k, c] for c in labels)
    share = quotient(row - table[k, k], expected_row - expected[k, k])
    return None if share is None else 1 - expected_row / row * share


def coverage(team, labels, own):
    """Return the share of the length of the units of `own` labels that meets others' units."""
    table = coincidences(team, labels)
    length = sum(e - s for _, sides in team for units in sides for s, e, x in units if x in own)
    return quotient(sum(mass for (c, _), mass in table.items() if c in own), length)


def with_alpha(observed, expected):
    """Observed and expected disagreement, and the coefficient that they make."""
    return observed, expected, 1 - ratio(observed, expected)
