"""How reports say what two annotations are, and what of them is shown."""

SIDES = {("gold", "predicted"): ["Gold", "Predicted"]}
UNITS = {"token": "tokens", "char": "characters", "category": "documents"}


def side_names(names):
    """What reports call the sides of a diff; names other than the usual two stay as they are."""
    return SIDES.get(tuple(names), list(names))


def facts(summary):
    """What was compared, and what of it is shown."""
    for side, name in zip(("gold", "pred"), side_names(summary["names"])):
        yield name, f"{summary[side]}, layer {summary[f'{side}_layer']}"
    chosen = summary["filter"]
    filters = [
        f"{what} {', '.join(chosen[what])}"
        for what in ("labels", "relations", "documents")
        if chosen[what]
    ]
    size = f"{summary['n_docs']} on both sides, {summary['n_differing']} of them with differences"
    size += " that the filter keeps" if filters else ""
    if summary["n_skipped"]:
        size += f"; {summary['n_skipped']} not annotated on both sides: left out"
    yield "Documents", size
    if filters:
        yield "Only", "; ".join(filters) + " (the table of scores is of everything)"
    if summary["features"] != "none":
        yield "Features", f"that must agree: {summary['features']}"
    yield "Offsets", f"of {UNITS[summary['positions']]}, from 0; the end is the first one behind"
