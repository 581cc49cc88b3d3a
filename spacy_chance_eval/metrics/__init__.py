"""The table of all metrics, and how they are asked for."""

# not later: `metrics.request` would be the module, once it is imported
from .catalog import CATALOG, METRICS, TREE_CATALOG, Metric
from .request import Request, parse, request

__all__ = ["CATALOG", "METRICS", "TREE_CATALOG", "Metric", "Request", "parse", "request"]
