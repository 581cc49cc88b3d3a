"""An explanation as one page: text, plots, tables, and every step."""

from markupsafe import Markup

from . import chance_plots
from . import explain_words as words
from . import information_words as information
from .diff_page import safe
from .diff_words import side_names
from .html import MISSING, page

TOKENS = 300  # rows of the table of tokens
STARTS = 30  # rows of the table of starts
UNITS = 12  # units whose starts have a table
ROWS = 200  # spans, pairs, documents
PASSAGES = 8  # above so many they are folded


def explain_page(result, drawn=None):
    """What `explain_document` or `explain_corpus` found, as one HTML page.

    Parameters
    ----------
    result : dict
    drawn : dict, optional
        The document's text with both annotations, as `drawing.drawn` makes it; its markup is safe
        already.
    """
    values = {"result": result, "facts": words.facts(result), "names": side_names(result["names"])}
    if "levels" in result:
        levels = [level_of(result, name, found) for name, found in result["levels"].items()]
        heads = [head.capitalize() for head in words.SHARES]
        return page("explain_corpus.html", levels=levels, heads=heads, **values)
    panels, missing = [], None
    for i, entry in enumerate(words.entries(result)):
        panel = panel_of(result, entry, f"label-{i}")
        try:
            panel["plots"] = plots_of(result, entry, panel["id"])
        except ImportError:
            missing = MISSING
        panels.append(panel)
    values |= {
        "size": words.size(result),
        "drawn": drawn and safe(drawn),
        "n_folded": len(drawn["passages"]) if drawn and len(drawn["passages"]) > PASSAGES else 0,
        "panels": panels,
        "missing": missing,
        "remark": result["labels"][0]["slicm"]["remark"],
        "pair_heads": [head.capitalize() for head in information.PAIRS],
    }
    return page("explain.html", **values)


def plots_of(result, entry, key):
    """Captions and plots of one label."""
    if entry["label"] is None:
        return []
    first, second = result["names"]
    plots = [("By chance: covered tokens", chance_plots.coverage_plot(result, entry, f"{key}-c"))]
    for side, name in (("gold", first), ("pred", second)):
        drawn = chance_plots.starts_plot(result, entry, side, f"{key}-{side}")
        plots.append((f"By chance: starts of {name} segments", drawn))
    return [(caption, Markup(svg)) for caption, svg in plots if svg]


def panel_of(result, entry, key):
    """Everything about one label, or about all together, as texts and cells."""
    whole = entry["label"] is None
    found = {
        "id": key,
        "title": words.TOGETHER.capitalize() if whole else entry["label"],
        "whole": whole,
        "plots": [],
        "levels": [panel_level(result, entry, level) for level in ("span", "token")],
        "slicm": {
            "metric": entry["slicm"]["metrics"]["slicm"],
            "prior": None if whole else information.prior_words(entry["slicm"]["prior"]),
            "pairs": [] if whole else information.pair_rows(entry["slicm"])[:ROWS],
            "steps": information.slicm_steps(entry["slicm"]),
        },
    }
    return found if whole else found | placed(result, entry)


def panel_level(result, entry, level):
    """The steps of one level."""
    expected = entry["label"] is not None and entry[level]["expected"] is not None
    return {
        "metric": entry[level]["metrics"]["f"],
        "sum": words.sum_words(result, level) if expected else None,
        "matches": words.match_rows(entry) if level == "span" and entry.get("matches") else [],
        "steps": words.level_steps(entry[level], level),
        "scores": words.score_rows(entry[level]),
    }


def placed(result, entry):
    """Where the tokens and segments of one label fall by chance, as tables."""
    tokens, left_out = words.token_rows(result, entry, TOKENS)
    units = []
    for unit in entry["units"][:UNITS]:
        tables = [
            (name, *words.start_table(unit, side, STARTS))
            for side, name in zip(("gold", "pred"), result["names"])
            if unit[side]["kinds"]
        ]
        lengths = [words.lengths(unit, side) for side in ("gold", "pred")]
        kinds = unit["gold"]["kinds"] + unit["pred"]["kinds"]
        rows = words.start_rows(unit, result["names"])
        units.append(
            {
                "unit": unit,
                "lengths": lengths,
                "rows": rows[:ROWS],
                "tables": tables,
                "inner": words.INNER if any(kind["parents"] for kind in kinds) else None,
            }
        )
    return {
        "tokens": tokens,
        "left_out": left_out,
        "units": units,
        "more_units": len(entry["units"]) - len(units),
        "unplaced": [
            (name, len(entry["unplaced"][side]))
            for side, name in zip(("gold", "pred"), side_names(result["names"]))
        ],
    }


def level_of(result, level, found):
    """One level of a corpus, as texts and cells."""
    return {
        "metric": found["total"]["metrics"]["f"],
        "reason": found["total"]["reason"],
        "steps": words.level_steps(found["total"], level),
        "by_label": [words.share_row(row, row["label"]) for row in found["by_label"]],
        "documents": [words.share_row(row, row["document"]) for row in found["documents"][:ROWS]],
        "more": max(len(found["documents"]) - ROWS, 0),
    }
