"""The table of metrics of trees: as `catalog` has those of spans."""

from types import MappingProxyType

from .catalog import CATALOG, Metric
from .measures import matching
from .measures.trees import syntax
from .measures.trees.trees import KINDS

SKJAERHOLT = "Skjærholt (2014), A chance-corrected measure of inter-annotator agreement for syntax"
AUGSTEN = "Augsten, Böhlen and Gamper (2005), Approximate matching of hierarchical data; alpha as "
BUCHHOLZ = "Buchholz and Marsi (2006), CoNLL-X shared task on multilingual dependency parsing"
DEPENDENCY, CONSTITUENCY = KINDS
NO_TABLE = "none"
CHOICES = {"delta": tuple(syntax.DELTAS)}
WHOLE = {"sample": 0, "p": 1, "q": 1}  # whole numbers: the least that they can be
# distances whose alpha is asked for: parameters, paper
ALPHAS = {
    "syntax_alpha": (
        {"closeness": NO_TABLE, "delta": "plain", "sample": 0, "seed": 0},
        SKJAERHOLT,
    ),
    "pq_alpha": ({"delta": "plain", "p": 2, "q": 3}, AUGSTEN + "Skjærholt (2014)"),
}
# sums over items: count, score, parameters of the count, kind of trees, paper
SUMS = {
    "las": (
        syntax.labelled_edges,
        matching.f_score,
        {"ignore": "none"},
        DEPENDENCY,
        BUCHHOLZ,
    ),
    "uas": (
        syntax.unlabelled_edges,
        matching.f_score,
        {"ignore": "none"},
        DEPENDENCY,
        BUCHHOLZ,
    ),
    "label_accuracy": (
        syntax.edge_labels,
        matching.f_score,
        {"ignore": "none"},
        DEPENDENCY,
        BUCHHOLZ,
    ),
    "jaccard": (syntax.bracket_overlap, syntax.weighted_mean, {}, CONSTITUENCY, SKJAERHOLT),
}
USUAL = {
    DEPENDENCY: ("syntax_alpha", "las", "uas", "label_accuracy"),
    CONSTITUENCY: ("syntax_alpha", "jaccard"),
}


def alpha_metrics():
    """The rows of alphas over distances. Two annotators may change places."""
    for name, (parameters, paper) in ALPHAS.items():
        yield Metric(
            name,
            syntax.within_items,
            syntax.alpha,
            MappingProxyType(parameters),
            paper,
            swapped=name,
            team=True,
            parts=syntax.alpha,
            kinds=KINDS,
        )


def sum_metrics():
    """The rows of attachment scores and of brackets."""
    for name, (count, score, counted, kind, paper) in SUMS.items():
        yield Metric(
            name,
            count,
            score,
            MappingProxyType(counted),
            paper,
            counted=tuple(counted),
            swapped=name,
            kinds=(kind,),
        )


TREE_CATALOG = {row.name: row for rows in (alpha_metrics, sum_metrics) for row in rows()}
METRICS = CATALOG | TREE_CATALOG
