"""`agree`: how reliable are these annotations, beyond chance? From panels and from files."""

from dataclasses import dataclass

from ..corpora.panel_requests import Asked, chance_model, requests_for
from ..corpora.panel_shards import agree_sharded
from ..corpora.panels import read_panel
from ..corpora.sharded import check_whole
from ..formats import Corpus
from ..measures.panel import Panel
from ..report.agreement import agreement_text
from ..scoring.agreement import agreement
from ..scoring.evaluate import check_draws
from ..scoring.intervals import Resampling, article_clusters


@dataclass(frozen=True, eq=False)
class Agreement:
    """The agreement of a panel: prints as tables, shows as a table in notebooks.

    `panel` is who was compared; `corpus` are their documents, if these are known: a layer for each
    annotator, by name. Both are None where files were too large to be read at once.
    `integrations.agreement_pages.write_agreement` shows all of it as pages.
    """

    result: dict
    panel: Panel | None = None
    corpus: Corpus | None = None

    def __str__(self):
        return agreement_text(self.result)

    __repr__ = __str__

    def _repr_html_(self):
        from ..report.agreement_pages import agreement_html  # loads jinja2: for notebooks only

        return agreement_html(self.result)

    def __getitem__(self, metric):
        """All tables of one metric."""
        tables = {found["metric"]: found for found in self.result["metrics"]}
        if metric not in tables:
            raise KeyError(f"{metric!r} is not among {', '.join(tables)}")
        return tables[metric]

    def to_dict(self):
        """All of it, ready for JSON."""
        return self.result

    def records(self):
        """One flat row for each score, ready for a data frame: `pandas.DataFrame(a.records())`.

        `scope` is "mean" (of the pairs), "team", "pair", "others", "majority" or "document";
        `first` and `second` are annotators, `label` is None for all labels together.
        """
        return [row for metric in self.result["metrics"] for row in records_of(metric)]


def records_of(metric):
    """The flat rows of one metric."""
    for scope in ("mean", "team"):
        yield record(metric, scope, metric[scope])
        for row in metric["per_label"]:
            yield record(metric, scope, row[scope], label=row["label"])
    for pair in metric["pairs"]:
        names = {"first": pair["first"], "second": pair["second"]}
        yield record(metric, "pair", pair, **names)
        for label, row in pair["per_label"].items():
            yield record(metric, "pair", row, **names, label=label)
    for row in metric["annotators"]:
        for scope in ("others", "majority"):
            yield record(metric, scope, row[scope], first=row["annotator"])
    for row in metric["documents"]:
        yield record(metric, "document", row, document=row["document"])


def record(metric, scope, row, first=None, second=None, label=None, document=None):
    """One flat row."""
    low, high = row.get("interval") or (None, None)
    return {
        "metric": metric["metric"],
        "scope": scope,
        "first": first,
        "second": second,
        "label": label,
        "document": document,
        "value": row["value"],
        "observed": row["observed"],
        "expected": row["expected"],
        "low": low,
        "high": high,
        "n_docs": row.get("n_docs", 1),
        "reason": row.get("reason"),
    }


def agree(annotators, metrics=None, *, positions="token", intervals=None, **settings):
    """The agreement of several annotators, beyond chance.

    Parameters
    ----------
    annotators : Panel, mapping of str to Spans, or sequence of Spans
        On the same documents; what an annotator has not seen is not `seen` there.
    metrics : sequence of str or Request, optional
        Any of the catalog. By default corrected span and token F, u-alpha and alpha_U;
        of categories percent agreement, alpha, Fleiss' kappa and AC2.
    positions : "token", "char" or "category"
        What positions of the `Spans` are, if they are no `Panel`.
    intervals : Resampling, optional
        By default 1,000 bootstrap resamples of the documents that two annotators saw.
    **settings
        `clusters`, `unit`, `worst`, `draws`, `seed`, `data`, `progress`: see `agreement`.

    Returns
    -------
    Agreement
        Of all pairs (each over the documents that both saw), their mean weighted by shared
        documents, each annotator against the others and against their majority, labels,
        documents, and the team as a whole. What is undefined has a reason in words.

    Examples
    --------
    >>> from spacy_chance_eval import Resampling, Spans, agree
    >>> alice = Spans.from_tuples([[(0, 2, "PER")], [(5, 6, "LOC")]], sizes=[9, 9])
    >>> bob = Spans.from_tuples([[(0, 2, "PER")], [(4, 6, "LOC")]], sizes=[9, 9])
    >>> found = agree({"alice": alice, "bob": bob}, ["span_f"], intervals=Resampling(0))
    >>> round(found["span_f"]["mean"]["value"], 4)
    0.4667
    """
    panel = Panel.of(annotators, positions)
    wanted = requests_of(panel, metrics or ())
    intervals = Resampling(1000) if intervals is None else intervals
    return Agreement(agreement(panel, wanted, intervals=intervals, **settings), panel)


def requests_of(panel, metrics=(), **defaults):
    """{name: Request} of the metrics asked for, or the usual ones; items are what positions are."""
    return requests_for(panel.positions, metrics, **{"chance": chance_model(panel)} | defaults)


def agree_files(
    sources,
    *,
    metrics=(),
    defaults=None,
    bdm=None,
    title=None,
    reading=None,
    workers=None,
    whole=False,
    **settings,
):
    """The `Agreement` of annotators in files.

    Parameters
    ----------
    sources : sequence of str
    metrics : sequence of str
    defaults : mapping, optional
        Parameters of metrics that leave them open.
    bdm : str or Path, optional
        An ontology, or closeness of labels as GATE writes it, for metrics like "bdm_f".
    title : str, optional
    reading : mapping, optional
        As `read_panel` has it.
    workers : shards.Workers, optional
        Who works on large files. These are read in parts, if they can be.
    whole : bool
        Whether the documents are needed afterwards, for pages: then all are read at once.
    **settings
        As `agree` has them.
    """
    about = {"title": title or ", ".join(map(str, sources)), "sources": list(map(str, sources))}
    asked, reading = Asked(metrics, defaults or {}, bdm), reading or {}
    if whole:
        check_pages(workers)
    else:
        found = in_shards(sources, asked, reading, workers, **settings)
        if found is not None:
            return Agreement(about | found)
        check_whole(workers)
    panel, corpus = read_panel(sources, **reading)
    unit, clusters = article_clusters([document.attributes for document in corpus.documents])
    found = agree(
        panel,
        asked.requests(panel.positions, panel.labels, chance_model(panel)),
        clusters=clusters,
        unit=unit,
        data={"repair": corpus.repair},
        **settings,
    )
    return Agreement(about | found.result | {"left_out": []}, panel, corpus)


def check_pages(workers):
    """Raise if pages of documents were to be made of what is never read as a whole."""
    if workers is not None and (workers.skip_bad or workers.executor is not None):
        raise ValueError(
            "pages show documents, for which all of them are read at once: leave out --skip-bad "
            "and --scheduler, or write the index alone (--html agreement.html)"
        )


def in_shards(sources, asked, reading, workers, *, intervals=None, draws=1000, seed=0, **settings):
    """The result for large files; None if they have to be read as a whole."""
    check_draws(draws)
    settings["intervals"] = Resampling(1000) if intervals is None else intervals
    settings |= {"draws": f"{draws},{seed}", "reading": reading, "workers": workers}
    return agree_sharded(sources, asked, **settings)
