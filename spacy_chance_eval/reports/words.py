"""How reports write numbers, intervals and names. Values are formatted here, never computed."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import floor, log10
from typing import Any, TypeAlias

from ..measures.messages import brief as brief
from ..measures.messages import printable as printable
from ..scoring.statistics import headline, headline_name

Result: TypeAlias = Mapping[str, Any]  # plain values, ready for JSON
TableRow: TypeAlias = dict[str, Any]  # plain values of a row, or those that a template shows
Details: TypeAlias = list[tuple[str, str]]  # names and texts at the head of a report

DASH = "-"
DIGITS = 3  # decimals of scores
ALIKE = 1e-9  # scores that differ by less are ties
ENOUGH = 10  # spans from which on it says something that a label scores least
# overrides and isolates of the direction of writing, each as its escape sequence
BIDI_CONTROLS = {
    code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
}
# what positions are in trees, and what nodes are called by the kind of trees
TREE = "tree"
NODES = {"dependency": "tokens", "constituency": "nodes"}
TEST_NAMES = {"randomisation": "approximate randomisation", "bootstrap": "a paired bootstrap"}

# --- numbers


def number(value: float | None, digits: int = DIGITS) -> str:
    """A score such as .396; whole numbers as they are, a dash where it is undefined.

    Numbers of 100 and more, which are bits, have one decimal.
    """
    if value is None or isinstance(value, int):
        return DASH if value is None else str(value)
    return brief(value, digits if abs(value) < 100 else 1)


def interval_of(row: Result, name: str = "") -> tuple[Any, Any] | None:
    """The interval of the headline or the difference in a row, or of something else by its name.

    The interval of an observed score that is the headline has no name before `low` and `high`.
    """
    beside = f"{name}_" if name and name != headline_name(row) else ""
    low = row.get(f"{beside}low")
    return None if low is None else (low, row[f"{beside}high"])


def score_cells(row: Result, disagreement: bool) -> TableRow:
    """The parts of a score that its kind has, each with an interval of its own.

    A coefficient has `disagreement`s in place of observed and expected agreement.
    """
    beside = "_disagreement" * disagreement
    keys = (f"observed{beside}", f"expected{beside}", "corrected")
    cells = {key: row[key] for key in keys if key in row}
    for key, start in (("corrected", ""), ("observed", "observed_")):
        if key in cells:
            cells[f"{start}low"], cells[f"{start}high"] = interval_of(row, key) or (None, None)
    return cells


def against_chance(value: float, limits: Sequence[float] | None = None) -> str:
    """The position of a corrected score: "full", "above", "equal" (to chance) or "below".

    A score equals chance if it is 0 to two decimals, or if it is negative and its interval
    includes 0.
    """
    if value >= 1 - ALIKE:
        return "full"
    if brief(value) == ".00" or (value < 0 and limits is not None and includes_chance(limits)):
        return "equal"
    return "above" if value > 0 else "below"


def includes_chance(limits: Sequence[float] | None) -> bool:
    """Whether a corrected score has an interval that includes 0."""
    return limits is not None and limits[0] <= 0 <= limits[1]


def precise(value: float | None) -> str:
    """A number with three decimals, or more to show three significant digits.

    For what is often small: disagreements of `alpha_u`, which are shares of a squared length, and
    probabilities of single tokens.
    """
    if value is None or not 1e-9 < abs(value) < 0.1:
        return number(value)
    return brief(value, 2 - floor(log10(abs(value))))


def signed(value: float | None, digits: int = DIGITS) -> str:
    """A difference with its sign, such as +.036; a dash where it is undefined."""
    if value is None:
        return DASH
    return ("-" if value < 0 else "+") + brief(abs(value), digits)


def brief_amount(value: float, digits: int) -> str:
    """The size of a difference for a sentence: .021, or "less than .001" instead of .000."""
    least = 10.0**-digits
    small = value and abs(value) < least / 2
    return f"less than {brief(least, digits)}" if small else brief(abs(value), digits)


def brief_interval(limits: Sequence[float] | None, digits: int = 2) -> str:
    """An interval for a sentence; "" if there is none."""
    return "" if limits is None else f"[{brief(limits[0], digits)}, {brief(limits[1], digits)}]"


def reached(verb: str, score: Result, metric: Result, by: str, digits: int = 2) -> str:
    """A score from its verb on, such as "agree at .71 [.64, .77] beyond chance by span_f"."""
    value, limits = headline(score), interval_of(score)
    amount = " ".join(filter(None, [brief(value, digits), brief_interval(limits, digits)]))
    if metric["bits"]:
        return f"{verb} {amount} bits {by}"
    if not metric["higher_is_better"]:
        return f"{verb.replace('agree', 'differ')} {amount} {by}, where lower is better"
    if not metric["is_corrected"]:
        return f"{verb} {amount} {by}, which is not corrected for chance"
    level = against_chance(value, limits)
    if level in ("equal", "below"):
        than = "no better than" if level == "equal" else "below"
        return f"{verb.removesuffix(' at')} {than} chance {by}: {amount}"
    doubt = level == "above" and includes_chance(limits)
    not_sure = "; the interval includes 0, so this is not significant" * doubt
    return f"{verb} {amount} beyond chance {by}{not_sure}"


def beyond_chance(*scores: float | None) -> str:
    """ "beyond chance", or "corrected for chance" if some scores are not above chance."""
    above = all(score is None or score > 0 for score in scores)
    return "beyond chance" if above else "corrected for chance"


def digits_apart(one: float, other: float) -> int:
    """The number of decimals, at least two, at which `brief` tells two scores apart."""
    enough = (n for n in range(2, 7) if brief(one, n) != brief(other, n))
    return next(enough, 2)


def share(value: float | None) -> str:
    """A share with two decimals; a dash where it is undefined."""
    return brief(value)


def p_value_text(value: float | None, test: Mapping[str, Any] | None = None) -> str:
    """A p-value with four decimals, or that it is smaller; a dash where there is none.

    Parameters
    ----------
    test : mapping, optional
        Its `p_value` and `replicas`: where no replica reached the difference, the value is the
        least that this number can give, and only a bound.
    """
    if value is None:
        return DASH
    if value < 0.0001:
        return "<.0001"
    least = test and test.get("replicas") and test["p_value"] * (1 + test["replicas"]) < 1.5
    return f"{'<=' if least else ''}{brief(value, 4)}"


def p_clause(value: float | None) -> str:
    """A p-value for a sentence: p = .0243, or p < .0001."""
    text = p_value_text(value)
    return f"p {text[0]} {text[1:]}" if text.startswith("<") else f"p = {text}"


def interval_text(limits: Sequence[float] | None, digits: int = DIGITS) -> str:
    """Both ends of an interval in brackets; a dash where there is none."""
    return DASH if limits is None else f"[{', '.join(number(end, digits) for end in limits)}]"


def quantity(n: int, what: str) -> str:
    """A number of things: 0 spans, 1 span, 2 spans."""
    return f"{n} {what}{'s' * (n != 1)}"


def documents(n_docs: int, n_sentences: int | None) -> str:
    """A number of documents, with the number of their sentences if it is known."""
    known = "" if n_sentences is None else f" ({quantity(n_sentences, 'sentence')})"
    return quantity(n_docs, "document") + known


def misfits(n: int) -> str:
    """The words for predicted spans that do not fit the gold tokens."""
    do = "does" if n == 1 else "do"
    return f"{quantity(n, 'predicted span')} {do} not fit the gold tokens: wrong"


def intervals_text(resampling: Result, units: str) -> str:
    """How intervals were made: level, method, resamples of units, and what these are worth."""
    if not resampling["resamples"]:
        return "none: no resamples were asked for"
    blocks, n_eff = resampling.get("blocks"), resampling.get("n_eff")  # older results lack these
    units += f" in {blocks} random blocks" if blocks else ""
    units += "" if n_eff is None else f" (n_eff {n_eff:.1f})"
    return (
        f"{100 * resampling['level']:g} % {resampling['interval']} intervals from "
        f"{resampling['resamples']} resamples of {units}, seed {resampling['seed']}"
    )


def rank(standing: Result) -> str:
    """A rank with its interval, such as 2 (1-3)."""
    if standing["rank"] is None:
        return DASH
    limits = rank_limits(interval_of(standing, "rank"))
    return f"{standing['rank']} ({limits})" if limits else str(standing["rank"])


def rank_limits(limits: Sequence[int] | None) -> str:
    """The interval of a rank: 1-3, or 2 where both ends are equal; empty where undefined."""
    if limits is None:
        return ""
    return "-".join(dict.fromkeys(map(str, limits)))


def change(places: int | None) -> str:
    """Places gained or lost: +2, -1, = for none; a dash where there is nothing to compare."""
    if places is None:
        return DASH
    return f"{places:+d}" if places else "="


COUNT_WORDS = "no one two three four five six seven eight nine ten".split()


def count_word(n: int) -> str:
    """A number as a word up to ten, else in digits."""
    return COUNT_WORDS[n] if n < len(COUNT_WORDS) else f"{n:,}"


def quantity_word(n: int, what: str) -> str:
    """A number of things for a sentence: no systems, one system, two systems."""
    return f"{count_word(n)} {what}{'s' * (n != 1)}"


def in_sentence(parts: Sequence[str]) -> str:
    """Parts joined for a sentence: a, b and c."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def few(names: Sequence[str], what: str, most: int = 2) -> str:
    """A few names for a sentence; of more than `most` only their number, such as "three labels"."""
    return in_sentence(names) if len(names) <= most else quantity_word(len(names), what)


def extremes(values: Mapping[str, float], n_spans: Mapping[str, int]) -> Iterator[str]:
    """The sentence on the labels with the worst and the best score, if these differ.

    Labels with fewer than ten spans count only if fewer than two have more.
    """
    often = {label: value for label, value in values.items() if n_spans[label] >= ENOUGH}
    values = often if len(often) > 1 else values
    low, high = min(values.values(), default=0), max(values.values(), default=0)
    if high - low < ALIKE:
        return
    digits = digits_apart(low, high)
    worst, best = (
        [label for label, value in values.items() if abs(value - end) < ALIKE]
        for end in (low, high)
    )
    are = "is" if len(worst) == 1 else "are"
    yield (
        f"By label, {few(worst, 'label')} {are} worst ({brief(low, digits)}), "
        f"{few(best, 'label')} best ({brief(high, digits)})."
    )


# --- names


def legible(text: str) -> str:
    """A text from the data with the characters escaped that change the direction of writing."""
    return text.translate(BIDI_CONTROLS)


def text_direction(words: Iterable[str], otherwise: str = "ltr") -> str:
    """The direction of a text, "rtl" or "ltr", from its first strong character."""
    for sign in "".join(words):
        way = unicodedata.bidirectional(sign)
        if way in ("L", "R", "AL"):
            return "ltr" if way == "L" else "rtl"
    return otherwise


def web_link(link: str | None) -> str | None:
    """A link that is safe to follow, which is http or https; None for any other."""
    safe = link and link.lower().startswith(("https://", "http://"))
    return link if safe else None
