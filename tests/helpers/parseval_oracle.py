"""PARSEVAL by lists of brackets, each a label and the set of its words."""

from collections import Counter
from fractions import Fraction

from helpers.tree_oracles import quotient

COLLINS = {"TOP", "-NONE-", ",", ":", "``", "''", "."}


def words_of(tree, start=0):
    """Return {place: tag} of the leaves of a tree."""
    label, children = tree
    if not children:
        return {start: label}
    found = {}
    for child in children:
        found |= words_of(child, start + len(found))
    return found


def brackets_of(tree, kept, start=0):
    """Return (label, kept words) of every constituent, pre-terminals left out."""
    label, children = tree
    places = frozenset(words_of(tree, start))
    found = [(label, places & kept)] if children else []
    for child in children:
        found += brackets_of(child, kept, start)
        start += len(words_of(child))
    return found


def plain(label):
    """Return the label before its first function."""
    short = label
    for sign in "-=":
        short = short.split(sign)[0]
    return short or label


def counts(gold, pred, params="collins", labels="compare", ignore=()):
    """Return the counts of a sentence by name; None if it is not compared."""
    deleted = {*ignore, *(COLLINS if params == "collins" else ())}

    def same(label):
        return "ADVP" if label == "PRT" and params == "collins" else label

    sides = []
    for tree in (gold, pred):
        words = {i: tag for i, tag in words_of(tree).items() if tag not in deleted}
        rows = [(same(plain(a)), b) for a, b in brackets_of(tree, frozenset(words))]
        gone = {same(label) for label in deleted}
        sides.append((words, [row for row in rows if row[1] and row[0] not in gone]))
    (words, one), (others, two) = sides
    if not words or words.keys() != others.keys() or len(words_of(gold)) != len(words_of(pred)):
        return None
    bags = [Counter(row if labels == "compare" else row[1] for row in rows) for rows in (one, two)]
    crossing = sum(any(a & b and a - b and b - a for _, a in one) for _, b in two)
    return {
        "gold": len(one),
        "pred": len(two),
        "both": sum((bags[0] & bags[1]).values()),
        "complete": bags[0] == bags[1],
        "crossing": crossing,
        "tags": sum(same(tag) == same(others[place]) for place, tag in words.items()),
        "words": len(words),
    }


def scores(pairs, **options):
    """Return each score of pairs of trees by the name of its metric."""
    rows = [row for row in (counts(*pair, **options) for pair in pairs) if row]
    total = {name: sum(row[name] for row in rows) for name in (rows[0] if rows else ())}

    def share(top, bottom):
        return quotient(Fraction(total.get(top, 0)), total.get(bottom, 0))

    n = len(rows)
    both = 2 * total["both"] if rows else 0
    return {
        "bracket_precision": share("both", "pred"),
        "bracket_recall": share("both", "gold"),
        "bracket_f": quotient(Fraction(both), total["gold"] + total["pred"]) if rows else None,
        "complete_match": quotient(Fraction(total.get("complete", 0)), n),
        "crossing_brackets": quotient(Fraction(total.get("crossing", 0)), n),
        "few_crossing": quotient(Fraction(sum(row["crossing"] == 0 for row in rows)), n),
        "few_crossing(most=2)": quotient(Fraction(sum(row["crossing"] <= 2 for row in rows)), n),
        "tag_accuracy": share("tags", "words"),
    }
