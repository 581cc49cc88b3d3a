"""`score` and `agree` of trees in files: which files are trees, what is read, what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ..corpora.run import is_docbin
from ..corpora.systems import is_pipeline
from ..corpora.treebanks import (
    pair_of_trees,
    read_tree_pair,
    read_tree_panel,
    read_treebank,
    treebank_format,
    without_subtypes,
)
from ..formats.ontology import read_closeness
from ..measures.trees.trees import TreePanel
from ..metrics.catalog import CATALOG, TREE_CATALOG, USUAL
from ..metrics.request import parse
from .tree_agreement import agree_trees, compared_trees


def are_trees(paths, metrics=(), format=None):
    """Whether annotations are to be compared as trees: treebanks, or metrics of trees asked for.

    Parameters
    ----------
    paths : sequence of str or Path
        Files or folders.
    metrics : sequence of str
        Those asked for; `.spacy` files are read as trees for metrics of trees.
    format : str, optional
        The format of the files, if it was named.

    Raises
    ------
    ValueError
        For metrics of trees beside those of spans, and for treebanks with metrics of spans.
    """
    of_trees, of_spans = sorted_metrics(metrics)
    if of_trees and of_spans:
        raise ValueError(
            f"{of_trees[0]} compares trees and {of_spans[0]} spans; ask for them in two calls"
        )
    banks = [path for path in paths if treebank_format(path, {"format": format})]
    if banks and of_spans:
        raise ValueError(
            f"{of_spans[0]} compares spans, but {banks[0]} holds trees; ask for one of "
            f"{', '.join(TREE_CATALOG)}"
        )
    return bool(of_trees or banks)


def sorted_metrics(metrics):
    """Metrics of trees, and those of spans; unknown ones are an error elsewhere."""
    names = [(text, str(text).partition("(")[0].strip()) for text in metrics]
    return tuple(
        [text for text, name in names if name in table] for table in (TREE_CATALOG, CATALOG)
    )


def tree_requests(panel, metrics=(), bdm=None):
    """{name: Request} of the metrics asked for, or of the usual ones for such trees.

    `bdm` is a file of how close labels are, for the metrics that weigh them.
    """
    defaults = {}
    if bdm is not None:
        defaults["closeness"] = read_closeness(bdm, concepts=panel.labels)
    return {str(name): parse(name, **defaults) for name in metrics or USUAL[panel.kind]}


def agree_tree_files(sources, *, metrics=(), bdm=None, title=None, reading=None, **settings):
    """The `Agreement` of annotators of trees in files; its corpus are their sentences.

    Parameters
    ----------
    sources : sequence of str
        [NAME=]PATH of files or folders.
    metrics : sequence of str
    bdm : str or Path, optional
        An ontology, or closeness of labels as GATE writes it: what it costs to relabel a node.
    title : str, optional
    reading : mapping, optional
        As `treebanks.read_tree_panel` has it.
    **settings
        As `tree_agreement.agree_trees` has them.
    """
    reading = dict(reading or {})
    panel, sentences = read_tree_panel(sources, **reading)
    wanted = tree_requests(panel, metrics, bdm)
    found = agree_trees(panel, wanted, data=facts_of(reading), **settings)
    about = {"title": title or ", ".join(map(str, sources)), "sources": list(map(str, sources))}
    return replace(found, result=about | found.result, corpus=sentences)


def score_tree_files(gold, pred, *, metrics=(), bdm=None, reading=None, per_doc=False, **settings):
    """The result of scoring the trees of a file, or of a pipeline, against those of gold.

    Parameters
    ----------
    gold, pred : str or Path
    metrics, bdm
        As `agree_tree_files` has them.
    reading : mapping, optional
        As `read_pair` has it.
    per_doc, **settings
        As `tree_agreement.evaluate_trees` has them.

    Returns
    -------
    dict
        As `score.score_files` makes it, of one layer; "n_docs" counts sentences, "n_gold" and
        "n_pred" count nodes.
    """
    pair = Pair.read(gold, pred, metrics=metrics, bdm=bdm, reading=reading)
    return pair.score(pair.compared(**{"intervals": None} | settings), per_doc)


@dataclass(frozen=True, eq=False)
class Pair:
    """Gold and predicted trees of the same sentences, and the metrics that they are compared by.

    `facts` are what signatures say of the data.
    """

    panel: TreePanel
    sentences: Mapping
    requests: Mapping
    sources: tuple
    facts: Mapping

    @classmethod
    def read(cls, gold, pred, *, metrics=(), bdm=None, reading=None):
        """The pair of two files, or of a file and a pipeline. As `score_tree_files` has them."""
        reading = dict(reading or {})
        panel, sentences = read_pair(gold, pred, **reading)
        requests = tree_requests(panel, metrics, bdm)
        return cls(panel, sentences, requests, (str(gold), str(pred)), facts_of(reading))

    def compared(self, **settings):
        """The `ComparedTrees` of the pair; settings as `compared_trees` has them."""
        return compared_trees(self.panel, self.requests, **settings)

    def score(self, found, per_doc=False):
        """The scores of what was compared, as `score_tree_files` returns them."""
        gold, pred = (self.panel.annotators[name] for name in ("gold", "pred"))
        both = gold.seen & pred.seen
        scores = found.scores(per_doc=per_doc, data=self.facts)
        layer = {
            "positions": "tree",
            "kind": self.panel.kind,
            "gold_layer": "trees",
            "pred_layer": "trees",
            "n_docs": int(both.sum()),
            "n_skipped": int((~both).sum()),
            "n_gold": int(gold.n_nodes[both].sum()),
            "n_pred": int(pred.n_nodes[both].sum()),
            "n_unplaced": 0,
            "n_uneven": int((both & ~self.panel.even).sum()),
            "notes": list(self.panel.notes),
            "scores": {name: score.to_dict() for name, score in scores.items()},
        }
        return {"gold": self.sources[0], "pred": self.sources[1], "layers": [layer]}

    def agreement(self, found):
        """The `Agreement` of gold and prediction, of what was compared; for pages."""
        found = found.agreement(data=self.facts)
        about = {"title": " and ".join(self.sources), "sources": list(self.sources)}
        return replace(found, result=about | found.result, corpus=self.sentences)


def read_pair(
    gold,
    pred,
    *,
    match="auto",
    cycles="error",
    strip=False,
    format=None,
    pred_format=None,
    pipeline_options=None,
):
    """The panel of gold and predicted trees, and their sentences, as `read_tree_pair` has them.

    Of two `.spacy` files the prediction is carried over to the tokens and sentences of gold; so is
    that of a pipeline, if `pred` is one.

    Parameters
    ----------
    gold, pred : str or Path
    match, cycles, strip, format
        As `read_treebank` and `read_tree_pair` have them.
    pred_format : str, optional
        By default the same.
    pipeline_options : mapping, optional
        For `integrations.tree_pairs.predicted_treebanks`.
    """
    how = {"cycles": cycles, "strip": strip}
    if is_pipeline(str(pred)):
        from ..spacy_docs.tree_docs import predicted_treebanks

        source = gold if is_docbin(gold) else read_treebank(gold, format=format, **how)
        banks = predicted_treebanks(str(pred), source, **pipeline_options or {})
    elif is_docbin(gold) and is_docbin(pred):
        from ..spacy_docs.tree_docs import treebanks_of_docbins

        banks = treebanks_of_docbins(gold, pred)
    elif pred_format not in (None, format):
        banks = (
            read_treebank(gold, format=format, **how),
            read_treebank(pred, format=pred_format, role="pred", **how),
        )
    else:
        return read_tree_pair(gold, pred, match=match, format=format, **how)
    if strip and banks[0].kind == "dependency":
        banks = (replace(b, sentences=map(without_subtypes, b.sentences)) for b in banks)
    return pair_of_trees(*banks, match, cycles)


def facts_of(reading):
    """What signatures say of how trees were read."""
    return {"subtypes": "stripped" if reading.get("strip") else "kept"}
