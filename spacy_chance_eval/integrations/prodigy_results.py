"""Whose annotation of what, in datasets of Prodigy and in the files that it exports.

A source is the path of a JSONL file, or "dataset:NAME". `how` are `duplicates` and `on_error`, the
treatment of second answers and of blemishes; other parameters are those of the recipes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tqdm import tqdm

from ..corpora.jobs import panel_requests, requests_of_panel
from ..corpora.panels import panel_of
from ..corpora.sources import MENTIONS
from ..formats import READERS, Corpus, Document, FormatError, format_of
from ..formats.decisions import SUGGESTION, decided_label
from ..formats.errors import did_you_mean, similar_names
from ..formats.json_rows import Rows
from ..formats.keys import Reading, split_path
from ..formats.merging import AnnotatorLayer, merge_annotators
from ..formats.paths import path_of
from ..formats.prodigy import NOBODY
from ..measures.alignment import align
from ..measures.panel import Panel
from ..metrics.request import Request
from ..scoring.evaluation import count_pair, default_requests
from ..scoring.intervals import Resampling, article_clusters
from ..scoring.replacement import ReplacementTest
from ..scoring.scores import layer_result
from ..scoring.warnings import count_warnings
from ..spacy_docs.pipeline import predict
from ..tasks.agree import Agreement, SpanAgreement, agree
from ..tasks.candidates import Question, replacement
from ..tasks.replace import Replacement

DATASET = "dataset:"
NAMED_SESSIONS = (
    "give everybody a session of their own (?session=alice behind Prodigy's address), or a dataset "
    "of their own (dataset:news_alice,dataset:news_bob)"
)


def _read_source(source: str, **keys: Any) -> Corpus:
    """The corpus of one source; keys of `Reading`, which a path may also have.

    A file may have answers without offsets, too; then `texts()` gives texts for rows without one.
    """
    reading = Reading.of(keys)
    if source.startswith(DATASET):
        examples = _examples(source.removeprefix(DATASET))
        if not examples:
            raise FormatError("no annotations yet; annotate, or name another dataset", source)
        return READERS["prodigy"].read(Rows(source, examples), reading.without("texts"))
    place, _, own = split_path(source)
    if not path_of(place).exists():
        raise FormatError(f"no such file; a dataset of Prodigy is {DATASET}{source}", source)
    name = own.format or (MENTIONS if format_of(place) == MENTIONS else "prodigy")
    row = READERS[name]
    return row.read(place, reading.only([key for key in reading.given if row.knows(key)]) | own)


def _examples(name: str) -> list[dict[str, Any]] | None:
    """The examples of a dataset in Prodigy's database."""
    from prodigy.components.db import connect

    database = connect()
    if name not in database:
        names = sorted(database.datasets)
        near = similar_names(name, names) or names[:10]
        known = f"did you mean {', '.join(near)}?" if near else "it has none yet"
        raise ValueError(f"Prodigy's database has no dataset {name!r}; {known}")
    get = getattr(database, "get_dataset_examples", None) or database.get_dataset
    rows: list[dict[str, Any]] | None = get(name)
    return rows


def _merged_corpus(sources: Sequence[str], how: Mapping[str, Any]) -> Corpus:
    """A corpus with a layer for each annotator: the sessions of one source, or several sources."""
    how = {"misaligned": "unplaced", **how}
    if len(sources) == 1:
        return _read_source(sources[0], annotator="auto", **how)
    return merge_annotators(
        [AnnotatorLayer(_annotator_name(one), _read_source(one, **how), "spans") for one in sources]
    )


def _annotator_name(source: str) -> str:
    """The name of the annotator of a source: the dataset, or the file without its endings."""
    dataset = source.startswith(DATASET)
    return source.removeprefix(DATASET) if dataset else path_of(source).name.partition(".")[0]


def _read_gold(source: str, annotator: str | None, how: Mapping[str, Any]) -> tuple[Corpus, str]:
    """(corpus, layer) of the annotation that is gold.

    By default the answers of all, if each task has one (of a task under review the decision); or
    those of the only annotator, who answered some tasks again.
    """
    if annotator is None:
        try:
            alone = _read_source(source, **how)
        except FormatError as error:
            several = error
        else:
            if not _those_who_saw(alone, alone.layer_names, "layers"):
                raise _no_annotation(alone, "layers")
            return alone, "spans"
    # itself reports errors in single rows
    team = _read_source(source, annotator="auto", **how)
    names = _those_who_saw(team, team.layer_names, "layers")
    if not names:
        raise _no_annotation(team, "layers")
    if annotator is not None:
        return team, _known_names([annotator], names, "annotator", source)[0]
    if len(names) == 1:
        return team, names[0]
    raise ValueError(
        f"{source}: tasks have answers of several annotators; say whose are gold (--annotator "
        f"{names[0]}; there are {', '.join(names)}), or review them (prodigy review)"
    ) from several


# --- annotators and labels


def _panel(corpus: Corpus, annotators: Sequence[str], categories: bool) -> Panel:
    """The panel of the annotators asked for who saw anything."""
    kind = "categories" if categories else "layers"
    layers = corpus.category_layers if categories else corpus.layer_names
    names = _those_who_saw(corpus, layers, kind)
    if not names:
        raise _no_annotation(corpus, kind)
    if annotators:
        names = _known_names(annotators, names, "annotator", corpus.path)
    if len(names) == 1:
        who = "the rows name no annotator" if names[0] == NOBODY else f"{names[0]} is alone"
        advice = "name another one (--annotators)" if annotators else NAMED_SESSIONS
        raise ValueError(f"{corpus.path}: {who}, but agreement needs two annotators; {advice}")
    documents = []
    for document in corpus.documents:
        own = getattr(document, kind)
        chosen: dict[str, Any] = {kind: {name: own[name] for name in names if name in own}}
        documents.append(replace(document, **chosen))
    return panel_of(replace(corpus, documents=documents), categories)


def _those_who_saw(corpus: Corpus, names: Iterable[str], kind: str) -> list[str]:
    """The annotators who annotated any document."""
    return [
        name
        for name in names
        if any(getattr(one, kind).get(name) is not None for one in corpus.documents)
    ]


DECISIONS = (
    "it has decisions on suggested spans, which do not say what spans there are: use "
    'chance.iaa.doc, or, if tasks show all spans of their texts, set "_view_id" to "ner_manual"'
)


def _no_annotation(corpus: Corpus, kind: str) -> FormatError:
    """The error for a source without any annotation of the wanted kind."""
    others = {"layers": corpus.category_layers, "categories": corpus.layer_names}[kind]
    what = {"layers": "spans", "categories": "choices or decisions"}[kind]
    advice = "accept some tasks first: rejected, ignored and flagged ones do not count"
    if any(SUGGESTION in document.attributes for document in corpus.documents):
        advice = DECISIONS
    elif others:
        other = {"layers": "choices or decisions", "categories": "spans"}[kind]
        recipe = {"layers": "chance.iaa.doc", "categories": "chance.iaa"}[kind]
        advice = f"it has {other}: use {recipe}, or {advice}"
    return FormatError(f"nobody annotated {what}; {advice}", corpus.path)


def _known_names(wanted: Iterable[str], names: Sequence[str], what: str, where: str) -> list[str]:
    """The names wanted, if all are there."""
    for name in wanted:
        if name not in names:
            available = ", ".join(names) or "none"
            hint = did_you_mean(name, names)
            raise ValueError(f"{where}: there is no {what} {name!r}{hint}; it has {available}")
    return list(dict.fromkeys(wanted))


def _with_labels(
    corpus: Corpus, labels: Sequence[str], deciders: Sequence[str] = ()
) -> tuple[Corpus, list[str]]:
    """The corpus without spans and categories of other labels, and decisions on them; warnings."""
    decisions = [decided_label(document, deciders) for document in corpus.documents]
    used = {label for one in corpus.documents for label in _labels_in(one)}
    if any(decisions):
        used = {decision for decision in decisions if decision}
    unused = [label for label in dict.fromkeys(labels) if label not in used]
    if len(unused) == len(dict.fromkeys(labels)):
        _known_names(labels, sorted(used), "label", corpus.path)
    documents = [
        one if decision else _only_labels(one, labels)
        for one, decision in zip(corpus.documents, decisions)
        if decision is None or decision in labels
    ]
    return replace(corpus, documents=documents), [_unused_label(one, used) for one in unused]


def _unused_label(label: str, used: Iterable[str]) -> str:
    """The warning about a label that was asked for."""
    there = ", ".join(sorted(used))
    return f"Nobody used the label {label!r}{did_you_mean(label, used)}; there is {there}."


def _labels_in(document: Document) -> Iterator[str]:
    """All labels of spans and categories of a document."""
    for spans in document.layers.values():
        yield from (span[2] for span in spans or ())
    for rows in document.unplaced.values():
        yield from (label for _, label in rows)
    for labels in document.categories.values():
        yield from labels or ()


def _only_labels(document: Document, labels: Sequence[str]) -> Document:
    """The document without spans and categories of other labels."""
    kept: dict[str, Any] = {
        field: {
            name: None if rows is None else [row for row in rows if row[-1] in labels]
            for name, rows in getattr(document, field).items()
        }
        for field in ("layers", "unplaced")
    }
    features = {
        name: {span: own for span, own in spans.items() if span[-1] in labels}
        for name, spans in document.features.items()
    }
    categories = {
        name: None if rows is None else [label for label in rows if label in labels]
        for name, rows in document.categories.items()
    }
    return replace(document, **kept, features=features, categories=categories)


LENIENT = "gate_f(mode=lenient)"


def agreement_in_dataset(
    sources: Sequence[str],
    *,
    annotators: Sequence[str],
    labels: Sequence[str],
    metrics: Sequence[str],
    duplicates: str,
    on_error: str,
    resamples: int,
    seed: int,
    categories: bool = False,
    partial: bool = False,
    chance: str | None = None,
) -> SpanAgreement:
    """The `Agreement` of the annotators of some datasets.

    `sources` are one, whose sessions are the annotators, or one for each annotator. `categories`:
    choices and decisions are compared instead of spans.
    """
    corpus = _merged_corpus(sources, {"duplicates": duplicates, "on_error": on_error})
    corpus, warnings = _selected(corpus, labels, categories)
    panel = _panel(corpus, annotators, categories)
    wanted = _requests(panel, metrics, chance)
    if partial:
        wanted |= _requests(panel, [LENIENT])
    agreement = agree(
        panel,
        wanted,
        data={"repair": corpus.repair, **corpus.notes.signed()},
        intervals=Resampling(resamples, seed),
        **_articles(corpus),
        seed=seed,
        progress=progress_bar,
    )
    about = {"title": ", ".join(sources), "sources": list(sources)}
    told = {"warnings": warnings + agreement.result["warnings"]}
    return Agreement(about | agreement.result | told, panel, corpus)


def progress_bar(
    steps: Iterable[Any], total: int | None = None, what: str = "Random annotations"
) -> Iterable[Any]:
    """A progress bar on standard error, for long work at a terminal."""
    return tqdm(steps, what, total, leave=False, disable=None)


def _selected(
    corpus: Corpus, labels: Sequence[str], categories: bool = False
) -> tuple[Corpus, list[str]]:
    """The corpus with these labels, or with all; warnings."""
    warnings = corpus.notes.sentences()
    if not categories:
        warnings += _left_out(corpus)
    if labels:
        corpus, unused = _with_labels(corpus, labels, corpus.category_layers if categories else ())
        warnings += unused
    return corpus, warnings


def _left_out(corpus: Corpus) -> list[str]:
    """The warning about decisions among tasks whose spans are compared."""
    layers = corpus.category_layers
    number = sum(decided_label(document, layers) is not None for document in corpus.documents)
    if not number:
        return []
    tasks = "1 task is a decision" if number == 1 else f"{number} tasks are decisions"
    return [
        f"{tasks} on a label or on suggested spans, left out here: chance.iaa.doc compares them."
    ]


def replacement_in_dataset(
    sources: Sequence[str],
    how: Mapping[str, Any],
    candidates: Sequence[str],
    rules: ReplacementTest,
    *,
    annotators: Sequence[str],
    labels: Sequence[str],
    metric: str | None,
    resamples: int,
) -> Replacement:
    """The `Replacement` of candidates, by the annotators of some datasets.

    Where annotators marked spans, these are compared, else choices and decisions. A candidate has a
    source of its own, or is one of the annotators.
    """
    corpus, names = _with_candidates(_merged_corpus(sources, how), candidates, how)
    categories = not corpus.layer_names
    corpus, warnings = _selected(corpus, labels, categories)
    panel = _panel(corpus, [*annotators, *names] if annotators else (), categories)
    articles = _articles(corpus)
    found = replacement(
        panel,
        _known_names(names, panel.names, "candidate", corpus.path),
        Question(metric, clusters=articles["clusters"]),
        rules,
        Resampling(resamples, rules.seed, unit=articles["unit"]),
        progress_bar,
        corpus.notes.signed(),
    )
    about = {"title": ", ".join(sources), "sources": list(sources)}
    about["candidate_sources"] = [one for one in candidates if one not in names]
    return Replacement(about | found | {"warnings": warnings + found["warnings"]}, panel)


def _with_candidates(
    corpus: Corpus, candidates: Sequence[str], how: Mapping[str, Any]
) -> tuple[Corpus, list[str]]:
    """The corpus with a layer for each candidate of a source of its own; the candidates' names."""
    who = list(dict.fromkeys([*corpus.layer_names, *corpus.category_layers]))
    parts, names = [AnnotatorLayer(name, corpus, name) for name in who], []
    options: dict[str, Any] = {"texts": lambda: corpus, "misaligned": "unplaced", **how}
    for one in dict.fromkeys(candidates):
        name = one
        if one not in who:
            if not one.startswith(DATASET) and not path_of(one).exists():
                raise ValueError(
                    f"there is no candidate {one!r}{did_you_mean(one, who)}; name a dataset "
                    f"({DATASET}{one}), a file, or one of the annotators: {', '.join(who)}"
                )
            name = _annotator_name(one)
            if name in [part.annotator for part in parts]:
                raise ValueError(
                    f"{one}: somebody else is called {name!r}, too; give the candidate's dataset "
                    "or file another name"
                )
            parts.append(AnnotatorLayer(name, _read_source(one, **options), "spans"))
        names.append(name)
    return (merge_annotators(parts) if len(parts) > len(who) else corpus), names


def score_of(
    model: str,
    source: str,
    how: Mapping[str, Any],
    intervals: Resampling,
    *,
    annotator: str | None,
    labels: Sequence[str],
    layer: str | None,
    metrics: Sequence[str],
    chance: str | None,
    gpu_id: int,
) -> dict[str, Any]:
    """Scores of a pipeline on the texts of a dataset, as plain values like those of `score_files`.

    By default spans of groups may overlap by chance, entities not.
    """
    gold, name = _read_gold(source, annotator, how)
    gold, warnings = _selected(gold, labels)
    pred, layer = predict(model, gold, name, layer, gpu_id=gpu_id, progress=progress_bar)
    if labels:
        pred = replace(
            pred, documents=[_only_labels(document, labels) for document in pred.documents]
        )
    wanted = default_requests(
        metrics, chance=chance or ("disjoint" if layer == "ents" else "overlapping")
    )
    counts = count_pair(
        align(gold.spans(name), pred.spans(layer)),
        wanted.values(),
        articles=_articles_of(gold),
        seed=intervals.seed,
        keys=bool(intervals.resamples),
        progress=progress_bar,
    )
    result = layer_result(
        counts,
        wanted,
        {"positions": gold.positions, "repair": gold.repair, **gold.notes.signed()},
        draws=f"1000,{intervals.seed}",
        intervals=intervals,
        progress=progress_bar,
    )
    result.update(gold_layer=name, pred_layer=layer)
    told = {"warnings": warnings + count_warnings(counts, wanted.values())}
    return {"model": model, "gold": source, **told, "layers": [result]}


def _articles(corpus: Corpus) -> dict[str, Any]:
    """The resampled unit for `agree`: articles, if all documents say theirs."""
    unit, clusters = article_clusters(_articles_of(corpus))
    return {"unit": unit, "clusters": clusters}


def _articles_of(corpus: Corpus) -> list[Any]:
    """The article of each document, None where it is unknown."""
    return [document.attributes.get("article") for document in corpus.documents]


def _requests(
    panel: Panel, metrics: Sequence[str] = (), chance: str | None = None
) -> dict[str, Request]:
    """{name: Request} of the wanted metrics, or of the usual ones for the kind of a panel."""
    if chance is not None:
        return panel_requests(panel.positions, metrics, chance=chance)
    return requests_of_panel(panel, metrics)
