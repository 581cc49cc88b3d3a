"""Agreement of annotators as a piece of HTML for notebooks. Everything from data is escaped."""

from . import agreement_words as texts
from .html import new_environment
from .words import interval, number

# where the scale of colours ends; black text has a contrast of more than 5 on both
WHITE, GREEN, RED = (255, 255, 255), (46, 160, 67), (229, 83, 75)
TEXT = "#000000"
BAND, STRIPE = "#e3e6ea", "#c3c9d1"
# of a value that is undefined: no shade of the scale, with stripes on paper without colours, too
HATCHED = (
    f"background:{BAND} repeating-linear-gradient(135deg,{BAND} 0 5px,{STRIPE} 5px 7px);"
    f"color:{TEXT}"
)


def agreement_html(result):
    """Summary and matrix of pairs as an HTML fragment with its own style, without script.

    The matrix is that of the first metric; numbers are always written, colours only add to them.

    Parameters
    ----------
    result : dict
        As `agreement` makes it. It may have a `title` and a list of `sources`.
    """
    environment = new_environment()
    environment.filters |= {"corrected": corrected, "colour": colour, "said": said}
    environment.tests["coloured"] = is_coloured
    metrics = result["metrics"]
    drawn = [metric for metric in metrics[:1] if metric["pairs"]]
    return environment.get_template("agreement_table.html").render(
        result=result,
        facts=texts.facts(result),
        item=texts.document(result),
        title=result.get("title"),
        reasons=list(texts.summary_reasons(result)),
        explanations=texts.explanations(result),
        matrices=[(metric, texts.heading(metric), *texts.matrix(metric)) for metric in drawn],
        pair_reasons=list(texts.pair_reasons(drawn)),
    )


def corrected(metric):
    """The mean of the pairs as corrected for chance, None where there is no chance model."""
    return texts.corrected(metric, metric["mean"])


def is_coloured(metric):
    """Whether the values of a metric have a place between 0 and 1, the best."""
    return metric["higher_is_better"] and not metric["bits"]


def colour(row, metric):
    """Style of a cell: green from white at .5 to full at 1, red from white at .5 to full at 0.

    Hatched where the value is undefined.
    """
    if row["value"] is None:
        return HATCHED
    if not is_coloured(metric):
        return ""
    return f"background-color:{shade(row['value'])};color:{TEXT}"


def shade(value):
    """The colour of a value; beyond 0 and 1 that of the nearest of them."""
    full = GREEN if value > 0.5 else RED
    share = min(1, 2 * abs(value - 0.5))
    mixed = (round(low + share * (high - low)) for low, high in zip(WHITE, full))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def said(pair, metric, item="document"):
    """A pair in words: what its cell has no room for; `item` is what it shares."""
    between = "and" if metric["symmetric"] else "as gold,"
    parts = [f"{pair['first']} {between} {pair['second']}: {number(pair['value'])}"]
    parts += [f"interval {interval(pair['interval'])}"] * (pair["interval"] is not None)
    if metric["corrected"] and pair["observed"] is not None:
        parts.append(f"observed {number(pair['observed'])}")
        parts.append(f"expected {number(pair['expected'])}")
    parts.append(f"{item}s that both saw: {pair['n_docs']}")
    return "; ".join(parts + [pair["reason"]] * (pair["reason"] is not None))
