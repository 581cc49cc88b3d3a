"""The sources of all metrics, chance models, intervals and tests, as BibTeX.

The entries are in `references.bib`, which this module reads when a source is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files

from ..about import __version__
from ..formats.errors import known
from ..measures.messages import quoted
from .catalog import METRICS

PACKAGE, LI, BOOTSTRAP, CARD = "spacy-chance-eval", "li-2024", "efron-tibshirani-1993", "card-2020"
# sources of procedures that are no metrics, but have a signature
PROCEDURES = {"replace_test": ("calderon-2025", "benjamini-2001")}
TESTS = {"randomisation": ("noreen-1989", "yeh-2000"), "bootstrap": (BOOTSTRAP,)}


@cache
def entries() -> Mapping[str, str]:
    """Entries of BibTeX by key, in pure ASCII, which all versions of BibTeX read."""
    text = files(__package__).joinpath("references.bib").read_text(encoding="utf-8")
    found = text.replace("VERSION", __version__).strip().split("\n\n")[1:]
    return {entry.partition("{")[2].partition(",")[0]: entry for entry in found}


def references(texts: Iterable[str] = ()) -> list[str]:
    """The keys of the package and of the sources of metrics or signatures.

    Parameters
    ----------
    texts : iterable of str
        Metrics such as "span_f" or "token_f(chance=nested)", signatures of scores, or
        "replace_test". Without any, the source of the chance model.
    """
    texts = list(texts)
    keys = [PACKAGE, *(key for text in texts for key in _keys(text))]
    return list(dict.fromkeys(keys + [LI] * (not texts)))


def bibtex(texts: Iterable[str] = ()) -> str:
    """The entries of `references`."""
    return "\n\n".join(entries()[key] for key in references(texts)) + "\n"


def citations(signatures: Iterable[str]) -> str:
    """The entries for scores with these signatures; unknown metrics are skipped."""
    return bibtex(filter(_is_known, dict.fromkeys(signatures)))


def _is_known(signature: str) -> bool:
    """Whether this version knows the metric of a signature."""
    try:
        references([signature])
    except ValueError:
        return False
    return True


def _keys(text: str) -> Iterator[str]:
    """The keys of the sources of a metric or a signature."""
    metric, *facts = text.strip().split("|")
    match = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", metric)
    if not match:
        raise ValueError(
            f"cannot read {quoted(text)}; expected a metric such as span_f, or a signature as "
            "reports print it"
        )
    if match[1] in PROCEDURES:
        yield from PROCEDURES[match[1]]
        similarity = re.search(r"\bmetric=(\w+)", match[2] or "")
        name = similarity[1] if similarity else ""
        yield from METRICS[name].sources if name in METRICS else ()
    else:
        yield from _of_metric(match[1], match[2] or "")
    yield from _of_facts(dict(fact.partition("=")[::2] for fact in facts))


def _of_metric(name: str, parameters: str) -> Iterator[str]:
    """The keys of the sources of a metric with its chance model."""
    row = METRICS[known(name, METRICS, "metric")]
    given = dict(part.strip().partition("=")[::2] for part in parameters.split(",") if part)
    for parameter in given:
        known(parameter, row.parameters, f"parameter of {row.name}")
    yield from row.sources
    if given.get("chance", row.parameters.get("chance", "none")) != "none":
        yield LI


def _of_facts(facts: Mapping[str, str]) -> Iterator[str]:
    """The keys of the sources of the intervals and tests in a signature."""
    if facts.get("ci", "none") != "none":
        yield BOOTSTRAP
    if "plan" in facts:
        yield CARD
    test, *settings = facts.get("test", "").split(",")
    if test and test != "none":
        yield from TESTS.get(test, ())
        if "plan" not in facts:  # power is that of a test without adjustment
            yield "holm-1979"
        if facts.get("systems", "2") != "2":  # several systems are grouped by letters
            yield "piepho-2004"
        if any("/" in setting for setting in settings):  # until tests are decided
            yield "gandy-2014"
