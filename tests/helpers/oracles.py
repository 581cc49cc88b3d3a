"""Slow and obvious versions of the measures, on plain Python data.

A span is a half-open (start, end); with a label it is (start, end, label). The annotation of a
document is a list of labelled spans, that of a corpus a list of such lists.
"""

from fractions import Fraction
from functools import partial
from itertools import combinations, product
from math import factorial, log2

# ---------------------------------------------------------------- the random annotation model


def placements_disjoint(n, lengths):
    """Yield (probability, spans): all placements without shared tokens, equally likely.

    The spans stand in the order of `lengths`, as in every model. Nothing if they do not fit.
    """
    placements = [x for x in all_placements(n, lengths) if len(tokens(x)) == sum(lengths)]
    yield from ((Fraction(1, len(placements)), spans) for spans in placements)


def placements_overlapping(n, lengths):
    """Yield (probability, spans): every start of every span on its own, equally likely."""
    every = all_placements(n, lengths)
    yield from ((Fraction(1, len(every)), spans) for spans in every)


def placements_nested(n, forest):
    """Yield (probability, spans) of laminar spans, each layer disjoint inside its parent.

    A forest is a tuple of nodes (length, forest of the children); the spans stand in preorder.
    """
    inner = [list(placements_nested(length, children)) for length, children in forest]
    for outer_probability, tops in placements_disjoint(n, [length for length, _ in forest]):
        for choice in product(*inner):
            probability, spans = outer_probability, ()
            for (start, end), (below_probability, below) in zip(tops, choice, strict=True):
                probability *= below_probability
                spans += ((start, end), *((start + b, start + e) for b, e in below))
            yield probability, spans


def all_placements(n, lengths):
    """Return every tuple of spans of these lengths inside n tokens."""
    return list(product(*([(s, s + size) for s in range(n - size + 1)] for size in lengths)))


def lengths_of(spans):
    """Return the list of the lengths of the spans."""
    return [end - start for start, end in spans]


def forest_of(spans):
    """Return the forest of laminar spans, siblings by start; a span crossing another fails."""
    nodes, rest = [], sorted(spans, key=lambda span: (span[0], -span[1]))
    while rest:
        (start, end), *rest = rest
        inside = [span for span in rest if span[0] < end]
        assert all(e <= end for _, e in inside), f"{(start, end)} is crossed by one of {inside}"
        nodes.append((end - start, forest_of(inside)))
        rest = rest[len(inside) :]
    return tuple(nodes)


def expected(measure, placements1, placements2):
    """Return the expectation of measure(spans1, spans2) over two independent placements."""
    pairs = product(placements1, placements2)
    return sum((p1 * p2 * measure(s1, s2) for (p1, s1), (p2, s2) in pairs), Fraction(0))


def expected_in_corpus(measure, gold, pred, sizes, model, label=None):
    """Return the sum over documents and labels of the expectation of measure(gold, pred).

    `model` is one of the placements_* functions; the unit is the document.
    """
    shape = forest_of if model is placements_nested else lengths_of
    total = Fraction(0)
    for d, g, p in units(gold, pred, label):
        total += expected(measure, model(sizes[d], shape(g)), model(sizes[d], shape(p)))
    return total


def formula_start_probability(start, i, n, lengths):
    """Return P(ST_i = l), l = `start` counted from 1, by the paper's sum over subsets: O(2^k)."""
    a, k, others = sum(lengths), len(lengths), [*lengths[:i], *lengths[i + 1 :]]
    ways = Fraction(0)
    for m in range(k):
        for subset in combinations(others, m):
            s = sum(subset)
            before = start - 1 - s
            f = n - start - lengths[i] + 1 - (a - lengths[i] - s)
            if before >= 0 and f >= 0:
                left = Fraction(factorial(before + m), factorial(before))
                ways += left * Fraction(factorial(f + k - 1 - m), factorial(f))
    return ways / Fraction(factorial(n - a + k), factorial(n - a))


# ------------------------------------------- what two annotations share, for one document and label
# Each function takes two sets of spans without label. Where the direction matters, it returns the
# part of the mass of `spans2` that `spans1` confirms: the mass that is right for spans2 = pred.


def tokens(spans):
    """Return the set of tokens inside the spans."""
    return {t for start, end in spans for t in range(start, end)}


def token_items(spans, encoding="IO"):
    """Return the set of (token, kind); IO* adds the gap between a token and the next in a span."""
    items = {(t, "I") for t in tokens(spans)}
    if encoding == "IO*":
        items |= {(t, "gap") for start, end in spans for t in range(start, end - 1)}
    elif encoding != "IO":
        items = {(t, kind(t, span, encoding)) for span in spans for t in range(*span)}
    return items


def kind(t, span, encoding):
    """Return B for the first token, E for the last of two or more (BIOE), else I."""
    if t == span[0]:
        return "B"
    return "E" if encoding == "BIOE" and t == span[1] - 1 else "I"


def links(spans):
    """Return the set of token pairs i <= j inside one span."""
    return {(i, j) for start, end in spans for i in range(start, end) for j in range(i, end)}


def neighbours(t, spans):
    """Return the tokens of all spans that contain token t, t among them; none if t is outside."""
    return tokens([span for span in spans if t in range(*span)])


def matching_spans(spans1, spans2):
    """Return the number of pairs of equal spans."""
    return sum(x == y for x in spans1 for y in spans2)


def shared_tokens(spans1, spans2, encoding="IO"):
    """Return the number of token items in both."""
    return len(token_items(spans1, encoding) & token_items(spans2, encoding))


def shared_links(spans1, spans2):
    """Return the number of links in both."""
    return len(links(spans1) & links(spans2))


def bcubed_matched(spans1, spans2):
    """Return the sum over tokens of spans2 of (neighbours in both) / (neighbours in spans2)."""
    pairs = [(neighbours(t, spans1), neighbours(t, spans2)) for t in tokens(spans2)]
    return sum((Fraction(len(theirs & mine), len(mine)) for theirs, mine in pairs), Fraction(0))


def int_matched(spans1, spans2):
    """Return the sum over spans2 of min(1, overlap with each of spans1 / own length)."""
    shared = [sum(len(tokens([x]) & tokens([y])) for y in spans1) for x in spans2]
    parts = map(Fraction, shared, lengths_of(spans2))
    return sum((min(part, Fraction(1)) for part in parts), Fraction(0))


# ------------------------------------------------------------------- matching metrics on a corpus


def span_masses(gold, pred, label=None):
    """Return (gold, recalled, pred, correct), in spans."""
    return corpus_masses(gold, pred, len, matching_spans, label)


def token_masses(gold, pred, encoding="IO", label=None):
    """Return (gold, recalled, pred, correct), in token items of the encoding."""
    matched = partial(shared_tokens, encoding=encoding)
    return corpus_masses(gold, pred, lambda spans: matched(spans, spans), matched, label)


def link_masses(gold, pred, label=None):
    """Return (gold, recalled, pred, correct), in token pairs."""
    return corpus_masses(gold, pred, lambda spans: len(links(spans)), shared_links, label)


def bcubed_masses(gold, pred, label=None):
    """Return (gold, recalled, pred, correct), in tokens weighed by shared neighbours."""
    return corpus_masses(gold, pred, lambda spans: len(tokens(spans)), bcubed_matched, label)


def int_masses(gold, pred, label=None):
    """Return (gold, recalled, pred, correct), in spans weighed by the part that overlaps."""
    return corpus_masses(gold, pred, len, int_matched, label)


def corpus_masses(gold, pred, mass, matched, label=None):
    """Return the four masses summed over documents and labels, or over one label only."""
    pairs = [(g, p) for _, g, p in units(gold, pred, label)]
    rows = [(mass(g), matched(p, g), mass(p), matched(g, p)) for g, p in pairs]
    return tuple(sum(column) for column in zip((0, 0, 0, 0), *rows, strict=True))


def units(gold, pred, label=None):
    """Yield (document, gold spans, pred spans) for every document and label; duplicates are one."""
    for d, annotations in enumerate(zip(gold, pred, strict=True)):
        used = {name for spans in annotations for _, _, name in spans}
        for wanted in sorted(used if label is None else {label}):
            sides = [{(s, e) for s, e, x in spans if x == wanted} for spans in annotations]
            yield d, *map(sorted, sides)


def precision(masses):
    """Return correct / pred; None if nothing was predicted."""
    _, _, pred, correct = masses
    return Fraction(correct) / pred if pred else None


def recall(masses):
    """Return recalled / gold; None if there is no gold."""
    gold, recalled, _, _ = masses
    return Fraction(recalled) / gold if gold else None


def f_beta(masses, beta=1):
    """Return (1 + beta^2) P R / (beta^2 P + R); 0 if one side is empty, None if both are."""
    p, r, weight = precision(masses), recall(masses), Fraction(beta) ** 2
    if p is None and r is None:
        return None
    return (1 + weight) * p * r / (weight * p + r) if p and r else Fraction(0)


# ------------------------------------------------------------------------------------------ SL-ICM

TIE = 1e-9


def slicm(gold, pred, sizes, token_bits=None, rank="position", matching="mutual"):
    """Return a dict of raw, normalised (None if gold has no information) and the information sums.

    `token_bits` holds a list of bits for every document, by default one bit a token. Without any
    gold span N is 0 and the label costs nothing: the definition leaves that case open.
    """
    token_bits = token_bits or [[1.0] * size for size in sizes]
    gold, pred = ([sorted(set(spans)) for spans in side] for side in (gold, pred))
    labels = [label for spans in gold for _, _, label in spans]
    info_gold = info_pred = info_intersection = 0.0
    for bits, g, p in zip(token_bits, gold, pred, strict=True):
        info_gold += sum(information(span, bits, labels, rank) for span in g)
        info_pred += sum(information(span, bits, labels, rank) for span in p)
        info_intersection += MATCHINGS[matching](common_information(g, p, bits, labels, rank))
    raw = 3 * info_intersection - info_pred - info_gold
    return {
        "raw": raw,
        "normalised": (raw + info_gold) / (2 * info_gold) if info_gold else None,
        "info_gold": info_gold,
        "info_pred": info_pred,
        "info_intersection": info_intersection,
    }


def information(span, bits, gold_labels, rank):
    """Return I(span) = -log2(N_t / N) + sum of the bits of the i-th token / i.

    The tokens are ranked by position or by falling bits; an unknown label counts as one of N.
    """
    start, end, label = span
    ranked = bits[start:end] if rank == "position" else sorted(bits[start:end], reverse=True)
    prior = -log2(max(gold_labels.count(label), 1) / max(len(gold_labels), 1))
    return prior + sum(b / i for i, b in enumerate(ranked, start=1))


def common_information(gold_spans, pred_spans, bits, gold_labels, rank):
    """Return {(gold span, pred span): information of the common tokens}, same label only."""
    edges = {}
    for g, p in product(gold_spans, pred_spans):
        start, end = max(g[0], p[0]), min(g[1], p[1])
        if g[2] == p[2] and start < end:
            edges[g, p] = information((start, end, g[2]), bits, gold_labels, rank)
    return edges


def mutual_matching(edges):
    """Return the information of a maximum matching over the edges that are best at both ends."""
    best = {}
    for (g, p), bits in edges.items():
        if all(bits >= x - TIE for (g2, p2), x in edges.items() if g2 == g or p2 == p):
            best[g, p] = bits
    return max((len(pairs), sum(best[e] for e in pairs)) for pairs in one_to_one(best))[1]


def optimal_matching(edges):
    """Return the largest total information of any one-to-one pairing."""
    return max(sum(edges[e] for e in pairs) for pairs in one_to_one(edges))


MATCHINGS = {"mutual": mutual_matching, "optimal": optimal_matching}


def one_to_one(edges):
    """Yield every subset of the edges (tuple of edges) in which no two share an end."""
    if not edges:
        yield ()
        return
    (g, p), *rest = edges
    yield from one_to_one(rest)
    for pairs in one_to_one([(g2, p2) for g2, p2 in rest if g2 != g and p2 != p]):
        yield ((g, p), *pairs)
