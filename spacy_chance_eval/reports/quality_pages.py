"""The quality of predicted spans as HTML: by type and by document, with pages of the documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..analysis.diff import Diff, diff
from ..corpora.pairs import NAMES, CorpusPair
from ..formats.files import name_by_file
from ..formats.outputs import local_path, replaced_folder, write_atomically
from ..scoring.statistics import headline
from .diff_pages import INDEX, document_addresses, write_diff
from .html import page
from .scores import (
    MICRO,
    RELATIONS,
    averages_of,
    layer_sizes,
    main_metric,
    metric_of,
    rows_of,
    worst_first,
)
from .words import (
    Result,
    TableRow,
    against_chance,
    brief,
    brief_interval,
    digits_apart,
    few,
    includes_chance,
    interval_of,
    is_nothing,
    part_columns,
    quantity,
)

# files of a folder of these pages
QUALITY_PAGE_NAMES = (
    r"(index|documents-[0-9]{4,})\.html|differences-[0-9]+/(index|page-[0-9]{4,})\.html"
)
ROWS = 1000  # documents of one table
ENOUGH = 10  # gold spans from which on it says something that a type scores least
# GATE's names of the relations
COUNTS = dict(zip(RELATIONS, ("Match", "Overlap", "Only A", "Only B")))
SIDES = {"gold": "In A", "pred": "In B"}


def write_quality(
    result: Result,
    path: str | Path,
    compared: Sequence[CorpusPair] = (),
    *,
    progress: Callable[..., Iterable[Any]] | None = None,
) -> None:
    """Write the quality of predicted spans as a folder of pages, or as one self-contained page.

    Parameters
    ----------
    result : dict
        Scores of spans by document, as `score` computes them.
    path : str or Path
        A folder: `index.html` with tables by type and by document, further pages if there are more
        than 1,000 documents, and the pages of `write_diff` for each layer. It takes the place of a
        folder of such pages. If it ends in .html: the index alone, with 1,000 documents at most.
    compared : sequence of CorpusPair
        The documents of each layer; of one page only their names are used.
    progress : callable, optional
        progress(steps, what=) wraps pages; for progress bars.

    Raises
    ------
    FormatError
        If a file cannot be written, or the folder holds files that are not ours. Then nothing is
        changed.
    """
    target = local_path(path)
    if target.suffix.lower() == ".html":
        write_atomically(target, quality_page(result, names_of(result, compared)))
        return
    differences = [diff(one) for one in compared]
    with replaced_folder(target, QUALITY_PAGE_NAMES) as folder:
        for number, one in enumerate(differences, 1):
            write_diff(
                one,
                folder / f"differences-{number}",
                back=(f"../{INDEX}", "All scores"),
                progress=partial(progress, what="Pages") if progress else iter,
            )
        n_docs = max((len(_main(layer)["per_doc"] or ()) for layer in result["layers"]), default=0)
        for number in range(max(1, -(-n_docs // ROWS))):
            text = quality_page(result, names_of(result, compared), differences, number)
            write_atomically(folder / _page_name(number), text)


def quality_page(
    result: Result, names: Sequence[str], differences: Sequence[Diff] = (), number: int = 0
) -> str:
    """The scores by type and by document as one HTML page.

    Parameters
    ----------
    result : dict
        Scores of spans by document.
    names : (str, str)
        Names of gold and the prediction.
    differences : sequence of Diff
        Of each layer, where their pages are written beside this one.
    number : int
        Which thousand documents the page has; the first page has all else, too.
    """
    views = [
        _layer_values(layer, f"layer-{i + 1}", differences[i : i + 1], number)
        for i, layer in enumerate(result["layers"])
    ]
    n_pages = max((view["n_pages"] for view in views), default=1)
    most = max((view["n_documents"] for view in views), default=0)
    around = [
        ("Previous" if i < number else "Next", min(ROWS, most - i * ROWS), _page_name(i))
        for i in (number - 1, number + 1)
        if 0 <= i < n_pages
    ]
    facts = [(f"A: {names[0]}", str(result["gold"])), (f"B: {names[1]}", str(result["pred"]))]
    facts += [("Layer", layer_sizes(layer)) for layer in result["layers"]]
    return page(
        "quality.html",
        signatures=[
            score["signature"]
            for layer in (() if number else result["layers"])
            for score in layer["scores"].values()
        ],
        result=result,
        names=names,
        verdict="" if number else quality_verdict(result, names),
        views=views,
        number=number,
        n_pages=n_pages,
        has_pages=bool(differences),
        around=around,
        n_rows=ROWS,
        facts=facts,
    )


def quality_verdict(result: Result, names: Sequence[str]) -> str:
    """Summary of a prediction: its score, matching spans, types with the best and worst scores.

    The sentences are those of the first layer. They are plain text: names are not escaped.

    Parameters
    ----------
    result : dict
        Scores of spans, as `score` computes them.
    names : (str, str)
        Names of gold and the prediction.
    """
    layer = result["layers"][0]
    several = f"In the first of {len(result['layers'])} layers " * (len(result["layers"]) > 1)
    first = several + _score_clause(layer, names[1])
    return " ".join([f"{first}.", *_counts_sentence(layer, names), *_types_sentence(_main(layer))])


def names_of(result: Result, compared: Sequence[CorpusPair] = ()) -> tuple[str, str]:
    """The names of gold and the prediction, or of their files if they have none."""
    if compared:
        return compared[0].names
    gold, pred = (name_by_file(result[side]) for side in ("gold", "pred"))
    return (gold, pred) if gold != pred else NAMES


def _main(layer: Result) -> Result:
    """The score of a layer by its main metric."""
    score: Result = layer["scores"][main_metric(layer["scores"])]
    return score


def _score_clause(layer: Result, name: str) -> str:
    """The score of a prediction by the main metric, as a clause."""
    key, score = main_metric(layer["scores"]), _main(layer)
    value, limits, metric = headline(score), interval_of(score), metric_of(score)
    if value is None:
        if score["observed"] is not None:
            reason = "chance alone reaches the best score"
        else:
            nothing = "that it scores " * bool(layer["n_gold"] + layer["n_pred"])
            reason = f"nothing {nothing}was marked"
        return f"{name} has no score by {key}: {reason}"
    amount = " ".join(filter(None, [brief(value), brief_interval(limits)]))
    if metric is not None and metric.bits:
        return f"{name} scores {amount} bits by {key}"
    if metric is not None and not metric.higher_is_better:
        return f"{name} scores {amount} by {key}, where lower is better"
    if not score["is_corrected"]:
        return f"{name} scores {amount} by {key}, not corrected for chance"
    said = {
        "full": f"{name} scores {amount} beyond chance by {key}",
        "above": f"{name} scores {amount} beyond chance by {key}",
        "equal": f"{name} scores no better than chance by {key}: {amount}",
        "below": f"{name} scores worse than chance by {key}: {amount}",
    }
    level = against_chance(value, limits)
    doubt = level == "above" and includes_chance(limits)
    return said[level] + "; the interval includes 0, so it may be chance" * doubt


def _counts_sentence(layer: Result, names: Sequence[str]) -> Iterator[str]:
    """The sentence on spans that match, overlap, or are in only one annotation, as in GATE."""
    every = (score.get("relations") for score in layer["scores"].values())
    counts = next(filter(None, every), None)
    if counts is None or any(not isinstance(n, int) for n in counts.values()):
        return
    if not any(counts.values()):
        return
    matched = quantity(counts["correct"], "span")
    yield (
        f"It matches {matched} of {names[0]}, overlaps {counts['partial']} and misses "
        f"{counts['missing']}; only in {names[1]}: {counts['spurious']}."
    )


def _types_sentence(score: Result) -> Iterator[str]:
    """The sentence on the types with the lowest and highest scores, frequent types first."""
    rows = [(name, row) for name, row in score["per_label"].items() if headline(row) is not None]
    often = [one for one in rows if one[1]["gold"] >= ENOUGH]
    only_often = 1 < len(often) < len(rows)
    rows = often if only_often else rows
    values = {name: headline(row) for name, row in rows}
    order = [name for name in worst_first(score, "per_label") if name in values]
    if not order or values[order[0]] == values[order[-1]]:
        return
    worst, best = (values[order[place]] for place in (0, -1))
    metric = metric_of(score)
    is_scale = metric is None or (metric.higher_is_better and not metric.bits)
    by_chance = score["is_corrected"]
    if is_scale and is_nothing(best, by_chance):
        of = f" with {ENOUGH} spans of gold or more" * only_often
        yield f"No type{of} scores above {'chance' if by_chance else '0'}."
        return
    digits = digits_apart(worst, best)
    lowest, highest = ([name for name in order if values[name] == one] for one in (worst, best))
    are = "is" if len(lowest) == 1 else "are"
    low, high = brief(worst, digits), brief(best, digits)
    bad, good = (few(names, "type") for names in (lowest, highest))
    yield f"By type, {bad} {are} worst ({low}), {good} best ({high})."


def _layer_values(layer: Result, key: str, differences: Sequence[Diff], number: int) -> TableRow:
    """The values of one layer for the template."""
    scores: Mapping[str, Result] = layer["scores"]
    by_doc = {name: score for name, score in scores.items() if score["per_doc"]}
    documents = worst_first(_main(layer), "per_doc") if by_doc else []
    shown = documents[number * ROWS : (number + 1) * ROWS]
    labels = list(_main(layer)["per_label"])
    parts = part_columns([*scores.values()])
    layers = dict.fromkeys((layer["gold_layer"], layer["pred_layer"]))
    models = [name for name, score in scores.items() if score["is_corrected"]]
    return {
        "id": key,
        "name": " against ".join(layers),
        "sizes": layer_sizes(layer),
        "summary": [
            (name, score, [column[i] for _, column in parts])
            for i, (name, score) in enumerate(scores.items())
        ],
        "parts": [title for title, _ in parts],
        "models": models,
        "types": _table(scores, "per_label"),
        "documents": _table(by_doc, "per_doc", shown) if shown else None,
        "n_documents": len(documents),
        "n_pages": max(1, -(-len(documents) // ROWS)),
        "labels": {label: i for i, label in enumerate(labels)},
        "differences": f"differences-{key.split('-')[1]}" if differences else None,
        **_of_documents(_main(layer), labels, differences),
    }


def _table(scores: Mapping[str, Result], part: str, names: Sequence[str] | None = None) -> TableRow:
    """Titles and rows of types or documents, with the averages over all of them."""
    rows, averages = rows_of(scores, part), averages_of(scores, part)
    keys = list(averages[MICRO].counts)
    return {
        "counted": keys,
        "heads": [_count_title(key) for key in keys],
        "metrics": list(scores),
        "rows": [(name, rows[name]) for name in (rows if names is None else names)],
        "averages": averages,
    }


def _count_title(key: str) -> str:
    """The title of a column of counts, with the metric if its counts differ from the first's."""
    metric, _, name = key.rpartition(" ")
    title = SIDES.get(name) or COUNTS[name]
    return f"{metric} {title}" if metric else title


def _of_documents(score: Result, labels: Sequence[str], differences: Sequence[Diff]) -> TableRow:
    """The address of the page and the numbers of types of each document, by name."""
    if not differences:
        return {"addresses": {}, "types_of": {}}
    (found,) = differences
    number = {label: i for i, label in enumerate(labels)}
    names = list(score["per_doc"])
    places = np.flatnonzero(found.gold.seen).tolist()
    name_of = dict(zip(places, names, strict=True))
    addresses = document_addresses(found)
    types: dict[int, set[int]] = {}
    for spans in (found.gold, found.pred):
        docs = [*spans.doc.tolist(), *spans.unplaced[:, 0].tolist()]
        marked = [*spans.label.tolist(), *spans.unplaced[:, 1].tolist()]
        for doc, label in zip(docs, marked):
            if spans.labels[label] in number:
                types.setdefault(doc, set()).add(number[spans.labels[label]])
    return {
        "addresses": {name: addresses[i] for i, name in name_of.items() if i in addresses},
        "types_of": {
            name: " ".join(map(str, sorted(types.get(i, ())))) for i, name in name_of.items()
        },
    }


def _page_name(number: int) -> str:
    """The file name of a page of documents; the first page is the index."""
    return f"documents-{number + 1:04}.html" if number else INDEX
