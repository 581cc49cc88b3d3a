"""What the Prodigy recipes do, without Prodigy: from datasets to agreement, reviews and scores."""

from dataclasses import replace

from ..agree import Agreement, agree, requests_of
from ..formats.prodigy_out import review_tasks
from ..intervals import Resampling, article_clusters
from ..scoring import requests, score_layer
from .predictions import predicted
from .prodigy_data import gold_of, only_labels, team_of, team_panel, with_labels

LENIENT = "gate_f(mode=lenient)"


def agreement_of(
    sources,
    load,
    *,
    categories=False,
    annotators=(),
    labels=(),
    metrics=(),
    partial=False,
    chance=None,
    resamples=1000,
    **settings,
):
    """The `Agreement` of the annotators of some datasets.

    Parameters
    ----------
    sources : sequence of str
        One source, whose sessions are the annotators; or one for each annotator.
    load : callable
    categories : bool
        Whether choices and decisions are compared in place of spans.
    annotators, labels : sequences of str
        Those to take; by default all.
    metrics : sequence of str
    partial : bool
        Whether to add a metric by which spans of one label agree if they overlap.
    chance : str, optional
        Chance model of the metrics that leave it open.
    resamples : int
        For the intervals; 0 for none.
    **settings
        As `agree` has them.

    Raises
    ------
    ValueError
        If a source cannot be read, or fewer than two annotators are left.
    """
    corpus = team_of(sources, load)
    if labels:
        corpus = with_labels(corpus, labels, corpus.category_layers if categories else ())
    panel = team_panel(corpus, annotators, categories)
    defaults = {} if chance is None else {"chance": chance}
    wanted = requests_of(panel, metrics, **defaults)
    if partial:
        wanted |= requests_of(panel, [LENIENT])
    found = agree(
        panel,
        wanted,
        data={"repair": corpus.repair},
        intervals=Resampling(resamples, settings.get("seed", 0)),
        **articles(corpus),
        **settings,
    )
    about = {"title": ", ".join(sources), "sources": list(sources)}
    return Agreement(about | found.result, panel, corpus)


def review_of(sources, load, *, annotators=(), metric=None, **settings):
    """Tasks for Prodigy's `review` interface, most disagreement first; and its settings.

    The disagreement of a document is 1 less the observed agreement; of equal ones that comes first
    which costs the team more. Where annotators marked spans, these decide, else the categories.

    Parameters
    ----------
    sources, load, annotators
        As `agreement_of` has them.
    metric : str, optional
        What measures the disagreement; by default the first of those that `agree` uses.
    **settings
        As `agree` has them.

    Returns
    -------
    list of dict, dict
        No tasks, if the annotators agree.
    """
    corpus = team_of(sources, load, misaligned="error")
    categories = not corpus.layer_names
    panel = team_panel(corpus, annotators, categories)
    name, request = next(iter(requests_of(panel, [metric] if metric else ()).items()))
    found = agree(panel, {name: request}, intervals=Resampling(0), worst=None, **settings)[name]
    if not found["documents"]:
        raise ValueError(f"{name} measures no document: {found['mean']['reason']}")
    ranked = [
        (disagreement(row, found["higher_is_better"]), row["cost"] or 0, row["place"])
        for row in found["documents"]
    ]
    ranked.sort(key=lambda row: (row[0] is None, -(row[0] or 0), -row[1], row[2]))
    order = [(place, float("nan") if much is None else much) for much, _, place in ranked]
    tasks = list(review_tasks(corpus, panel.names, order))
    return tasks, review_settings(tasks, panel.labels, categories)


def disagreement(row, higher_is_better):
    """How much annotators differ on a document; None where their agreement is undefined."""
    found = row["value"] if row["observed"] is None else row["observed"]
    return found if found is None or not higher_is_better else 1 - found


def review_settings(tasks, labels, categories):
    """What Prodigy has to know of a review: labels to correct with, and what is done already.

    Decisions on several labels of one text are tasks of their own, which share the input.
    """
    chosen = [version.get("accept") or () for task in tasks for version in task["versions"]]
    return {
        "labels": [] if categories else list(labels),
        "choice_style": "multiple" if any(len(one) > 1 for one in chosen) else "single",
        "exclude_by": "task" if categories else "input",
    }


def score_of(
    model,
    source,
    load,
    *,
    annotator=None,
    labels=(),
    layer=None,
    metrics=(),
    chance=None,
    resamples=0,
    seed=0,
    gpu_id=-1,
    progress=None,
    draw_progress=iter,
    **settings,
):
    """The result of a pipeline on the texts of a dataset, like that of `score.score_files`.

    Parameters
    ----------
    model : str
        A pipeline, by name or folder.
    source, load
        The dataset that is gold.
    annotator : str, optional
        Whose annotation is gold, if tasks were answered by several.
    labels : sequence of str
        Those to score, of gold and pipeline; by default all.
    layer : str, optional
        "ents" or "spans:KEY" of the pipeline; see `predicted`.
    metrics, chance
        As `scoring.requests` has them. Span groups are placed with overlaps by default.
    resamples, seed : int
        For intervals.
    gpu_id, progress
        As `predicted` has them.
    draw_progress : callable
        Wraps random annotations.
    **settings
        As `evaluate` has them.
    """
    gold, name = gold_of(source, load, annotator)
    gold = with_labels(gold, labels) if labels else gold
    pred, layer = predicted(model, gold, name, layer, gpu_id=gpu_id, progress=progress)
    if labels:
        pred = replace(
            pred, documents=[only_labels(document, labels) for document in pred.documents]
        )
    wanted = requests(metrics, chance=chance or ("disjoint" if layer == "ents" else "overlapping"))
    result = score_layer(
        gold.spans(name),
        pred.spans(layer),
        metrics=wanted,
        data={"positions": gold.positions, "repair": gold.repair},
        attributes=[document.attributes for document in gold.documents],
        intervals=Resampling(resamples, seed),
        seed=seed,
        progress=draw_progress,
        **settings,
    )
    result.update(gold_layer=name, pred_layer=layer)
    return {"model": model, "gold": source, "layers": [result]}


def articles(corpus):
    """What resampling has to know of documents that come from the same article."""
    unit, clusters = article_clusters([document.attributes for document in corpus.documents])
    return {"unit": unit, "clusters": clusters}
