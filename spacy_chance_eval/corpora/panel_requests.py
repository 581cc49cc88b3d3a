"""Which metrics a panel is compared by: those asked for, or the usual ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..formats.ontology import read_closeness
from ..measures.chance.expectation import check_placement
from ..metrics.catalog import CATALOG
from ..scoring.scoring import requests

SPAN_METRICS = ("span_f", "token_f", "u_alpha", "alpha_u")
CATEGORY_METRICS = ("percent_agreement", "krippendorff_alpha", "fleiss_kappa", "gwet_ac2")


@dataclass(frozen=True)
class Asked:
    """Metrics that were asked for, before it is known what there is to be compared.

    Parameters
    ----------
    metrics : sequence of str, or mapping of str to Request
    defaults : mapping
        Parameters of metrics that leave them open.
    bdm : str or Path, optional
        An ontology, or closeness of labels as GATE writes it, for metrics like "bdm_f".
    """

    metrics: object = ()
    defaults: Mapping = field(default_factory=dict)
    bdm: object = None

    def requests(self, positions, labels=(), chance=None):
        """{name: Request}, with the positions, labels and chance model of the annotation."""
        metrics, defaults = self.metrics, dict(self.defaults)
        if self.bdm is not None:
            defaults["closeness"] = read_closeness(self.bdm, concepts=labels)
            metrics = metrics or [*SPAN_METRICS, "bdm_f"]
        return requests_for(positions, metrics, **{"chance": chance} | defaults)


def requests_for(positions, metrics=(), **defaults):
    """{name: Request} of the metrics asked for, or the usual ones; items are what positions are."""
    if isinstance(metrics, Mapping):
        return dict(metrics)
    if isinstance(metrics, str):
        metrics = [metrics]
    categories = positions == "category"
    usual = CATEGORY_METRICS if categories else SPAN_METRICS
    items = {"items": "category"} if categories else {}
    found = requests(metrics or usual, **items | defaults)
    for name, asked in found.items():
        if categories and "items" not in asked.parameters:
            known = ", ".join(one for one in CATALOG if "items" in CATALOG[one].parameters)
            raise ValueError(f"{name} compares spans; of categories ask for one of {known}")
    return found


def chance_model(panel):
    """The chance model that the spans allow: None (the usual one) unless they overlap."""
    try:
        for spans in panel.together:
            check_placement(spans, spans, "disjoint")
    except ValueError:
        return "overlapping"
    return None
