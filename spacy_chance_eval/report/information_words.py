"""How the steps of SL-ICM read: pairs, what was lost, what is noise. Formatted, never computed."""

from .explain_words import span, unplaced
from .words import DASH, number


def slicm_steps(slicm):
    """The steps to SL-ICM and its normalised value: dicts as `level_steps` has them."""
    bits = {name: number(value) for name, value in slicm["bits"].items()}
    value, gold = number(slicm["value"]), bits["gold"]
    return [
        {
            "name": "SL-ICM, bits",
            "formula": "3 I(common) - I(predicted) - I(gold)",
            "numbers": f"3 x {bits['common']} - {bits['pred']} - {gold}",
            "value": value,
            "reason": None,
        },
        {
            "name": "the same",
            "formula": "I(common) - lost - noise",
            "numbers": f"{bits['common']} - {bits['lost']} - {bits['noise']}",
            "value": value,
            "reason": None,
        },
        {
            "name": "normalised",
            "formula": "(SL-ICM + I(gold)) / (2 I(gold))",
            "numbers": f"({value} + {gold}) / (2 x {gold})",
            "value": number(slicm["normalised"]),
            "reason": "gold carries no information" if slicm["normalised"] is None else None,
        },
    ]


def prior_words(prior):
    """What the label itself tells."""
    return (
        f"the label has {prior['label']} of the {prior['all']} gold spans of the corpus: "
        f"{number(prior['bits'])} bits a span, before its tokens"
    )


def pair_rows(slicm):
    """Pairs, then spans without partner: gold, predicted, common, and their information."""
    rows = [
        [
            span(pair["gold"]),
            span(pair["pred"]),
            f"[{pair['start']}, {pair['end']})",
            *(number(pair["bits"][name]) for name in ("gold", "pred", "common", "lost", "noise")),
        ]
        for pair in slicm["pairs"]
    ]
    for one in slicm["missed"]:
        bits = number(one["bits"])
        rows.append([span(one["gold"]), DASH, DASH, bits, DASH, DASH, bits, DASH])
    for one in slicm["extra"]:
        bits = number(one["bits"])
        rows.append([DASH, span(one["pred"]), DASH, DASH, bits, DASH, DASH, bits])
    for one in slicm["unplaced"]["gold"]:
        bits = number(one["bits"])
        rows.append([unplaced(one["length"]), DASH, DASH, bits, DASH, DASH, bits, DASH])
    for one in slicm["unplaced"]["pred"]:
        bits = number(one["bits"])
        rows.append([DASH, unplaced(one["length"]), DASH, DASH, bits, DASH, DASH, bits])
    return rows


PAIRS = ("gold", "predicted", "common", "I(gold)", "I(pred.)", "I(common)", "lost", "noise")
