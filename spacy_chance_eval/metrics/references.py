"""The sources of all metrics, chance models, intervals and tests, as data.

Entries were checked against public records. Details missing there, such as the pages of a chapter,
are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..about import __version__
from ..formats.errors import known
from ..measures.messages import quoted
from .catalog import METRICS

YEAR = 2026  # of this version
ACL, MORE = "Association for Computational Linguistics", "and others"


@dataclass(frozen=True)
class Reference:
    """A source: an entry of a bibliography.

    Parameters
    ----------
    kind : str
        A type of BibTeX, such as "article".
    author : str
        "Family, Given" of each author, joined by " and "; an institution in braces.
    title : str
    year : int
    fields : mapping of str to str
        Further fields of BibTeX.
    """

    kind: str
    author: str
    title: str
    year: int
    fields: Mapping[str, str] = field(default_factory=dict)


def _article(
    author: str, title: str, year: int, journal: str, volume: str, pages: str = "", doi: str = ""
) -> Reference:
    """An article, optionally with an issue number in brackets behind its volume."""
    volume, _, number = volume.rstrip(")").partition("(")
    fields = {"journal": journal, "volume": volume, "number": number, "pages": pages, "doi": doi}
    return Reference("article", author, title, year, _filled(fields))


def _paper(
    author: str,
    title: str,
    year: int,
    booktitle: str,
    pages: str = "",
    doi: str = "",
    url: str = "",
) -> Reference:
    """A paper in conference proceedings."""
    fields = {"booktitle": booktitle, "pages": pages, "doi": doi, "url": url}
    return Reference("inproceedings", author, title, year, _filled(fields))


def _book(author: str, title: str, year: int, publisher: str, edition: str = "") -> Reference:
    return Reference(
        "book", author, title, year, _filled({"publisher": publisher, "edition": edition})
    )


def _filled(fields: Mapping[str, str]) -> dict[str, str]:
    return {name: text for name, text in fields.items() if text}


PACKAGE = "spacy-chance-eval"
LI, AMIGO, KRIPPENDORFF = "li-2024", "amigo-2025", "krippendorff-2004-content"
GATE, SKJAERHOLT, BOOTSTRAP = "gate-guide", "skjaerholt-2014", "efron-tibshirani-1993"
CARD = "card-2020"
UNITIZING, U_ALPHA = ("krippendorff-1995", "krippendorff-2004-reliability"), "krippendorff-2016"
ALT_TEST = "calderon-2025"
ENTRIES: dict[str, Reference] = {
    PACKAGE: Reference(
        "misc",
        "{The authors of spacy-chance-eval}",
        "spacy-chance-eval: scores and agreement beyond chance for spaCy",
        YEAR,
        {"note": f"Version {__version__}"},
    ),
    LI: _paper(
        "Li, Diya and Rosé, Carolyn and Yuan, Ao and Zhou, Chunxiao",
        "Estimating Agreement by Chance for Sequence Annotation",
        2024,
        f"Proceedings of the 62nd Annual Meeting of the {ACL} (Volume 1: Long Papers)",
        "5085--5097",
        url="https://aclanthology.org/2024.acl-long.278/",
    ),
    AMIGO: _paper(
        "Amigó, Enrique and Álvarez-Mellado, Elena and Gonzalo, Julio and "
        "Carrillo-de-Albornoz, Jorge",
        "Evaluating Sequence Labeling on the basis of Information Theory",
        2025,
        f"Proceedings of the 63rd Annual Meeting of the {ACL} (Volume 1: Long Papers)",
        "27849--27860",
        "10.18653/v1/2025.acl-long.1351",
    ),
    "rijsbergen-1979": _book(
        "van Rijsbergen, C. J.", "Information Retrieval", 1979, "Butterworths", "2nd"
    ),
    "bagga-1998": _paper(
        "Bagga, Amit and Baldwin, Breck",
        "Algorithms for Scoring Coreference Chains",
        1998,
        "The First International Conference on Language Resources and Evaluation, Workshop on "
        "Linguistic Coreference",
        "563--566",
    ),
    "cohen-1960": _article(
        "Cohen, Jacob",
        "A Coefficient of Agreement for Nominal Scales",
        1960,
        "Educational and Psychological Measurement",
        "20(1)",
        "37--46",
        "10.1177/001316446002000104",
    ),
    "scott-1955": _article(
        "Scott, William A.",
        "Reliability of Content Analysis: The Case of Nominal Scale Coding",
        1955,
        "Public Opinion Quarterly",
        "19(3)",
        "321--325",
        "10.1086/266577",
    ),
    "siegel-1988": _book(
        "Siegel, Sidney and Castellan, N. John",
        "Nonparametric Statistics for the Behavioral Sciences",
        1988,
        "McGraw-Hill",
        "2nd",
    ),
    "davies-1982": _article(
        "Davies, M. and Fleiss, Joseph L.",
        "Measuring Agreement for Multinomial Data",
        1982,
        "Biometrics",
        "38(4)",
        "1047--1051",
    ),
    "fleiss-1971": _article(
        "Fleiss, Joseph L.",
        "Measuring Nominal Scale Agreement among Many Raters",
        1971,
        "Psychological Bulletin",
        "76(5)",
        "378--382",
        "10.1037/h0031619",
    ),
    "fleiss-1979": _article(
        "Fleiss, Joseph L. and Cuzick, J.",
        "The Reliability of Dichotomous Judgments: Unequal Numbers of Judges per Subject",
        1979,
        "Applied Psychological Measurement",
        "3(4)",
        "537--542",
    ),
    KRIPPENDORFF: _book(
        "Krippendorff, Klaus",
        "Content Analysis: An Introduction to Its Methodology",
        2004,
        "Sage",
        "2nd",
    ),
    "gwet-2008": _article(
        "Gwet, Kilem Li",
        "Computing Inter-Rater Reliability and Its Variance in the Presence of High Agreement",
        2008,
        "British Journal of Mathematical and Statistical Psychology",
        "61(1)",
        "29--48",
        "10.1348/000711006X126600",
    ),
    "gwet-2014": _book(
        "Gwet, Kilem Li",
        "Handbook of Inter-Rater Reliability: The Definitive Guide to Measuring the Extent of "
        "Agreement Among Raters",
        2014,
        "Advanced Analytics",
        "4th",
    ),
    "cicchetti-1990": _article(
        "Cicchetti, Domenic V. and Feinstein, Alvan R.",
        "High Agreement but Low Kappa: II. Resolving the Paradoxes",
        1990,
        "Journal of Clinical Epidemiology",
        "43(6)",
        "551--558",
        "10.1016/0895-4356(90)90159-M",
    ),
    UNITIZING[0]: _article(
        "Krippendorff, Klaus",
        "On the Reliability of Unitizing Continuous Data",
        1995,
        "Sociological Methodology",
        "25",
        "47--76",
        "10.2307/271061",
    ),
    UNITIZING[1]: _article(
        "Krippendorff, Klaus",
        "Measuring the Reliability of Qualitative Text Analysis Data",
        2004,
        "Quality & Quantity",
        "38(6)",
        "787--800",
    ),
    U_ALPHA: _article(
        "Krippendorff, Klaus and Mathet, Yann and Bouvry, Stéphane and Widlöcher, Antoine",
        "On the Reliability of Unitizing Textual Continua: Further Developments",
        2016,
        "Quality & Quantity",
        "50(6)",
        "2347--2364",
        "10.1007/s11135-015-0266-1",
    ),
    GATE: Reference(
        "misc",
        f"Cunningham, Hamish {MORE}",
        "Developing Language Processing Components with GATE Version 8 (a User Guide)",
        2014,
        {"url": "https://gate.ac.uk/sale/tao/"},
    ),
    "maynard-2006": _paper(
        "Maynard, Diana and Peters, Wim and Li, Yaoyong",
        "Metrics for Evaluation of Ontology-based Information Extraction",
        2006,
        "Workshop at the 15th International World Wide Web Conference",
    ),
    SKJAERHOLT: _paper(
        "Skjærholt, Arne",
        "A Chance-Corrected Measure of Inter-Annotator Agreement for Syntax",
        2014,
        f"Proceedings of the 52nd Annual Meeting of the {ACL} (Volume 1: Long Papers)",
        "934--944",
        "10.3115/v1/P14-1088",
    ),
    "zhang-1989": _article(
        "Zhang, Kaizhong and Shasha, Dennis",
        "Simple Fast Algorithms for the Editing Distance between Trees and Related Problems",
        1989,
        "SIAM Journal on Computing",
        "18(6)",
        "1245--1262",
        "10.1137/0218082",
    ),
    "augsten-2005": _paper(
        "Augsten, Nikolaus and Böhlen, Michael and Gamper, Johann",
        "Approximate Matching of Hierarchical Data Using pq-Grams",
        2005,
        "Proceedings of the 31st International Conference on Very Large Data Bases",
    ),
    "buchholz-2006": _paper(
        "Buchholz, Sabine and Marsi, Erwin",
        "CoNLL-X Shared Task on Multilingual Dependency Parsing",
        2006,
        "Proceedings of the Tenth Conference on Computational Natural Language Learning (CoNLL-X)",
        "149--164",
        url="https://aclanthology.org/W06-2920/",
    ),
    "black-1991": _paper(
        f"Black, Ezra and Abney, Steven and Flickinger, Dan and Gdaniec, Claudia {MORE}",
        "A Procedure for Quantitatively Comparing the Syntactic Coverage of English Grammars",
        1991,
        "Speech and Natural Language: Proceedings of a Workshop",
        "306--311",
        url="https://aclanthology.org/H91-1060/",
    ),
    "evalb-1997": Reference(
        "misc",
        "Sekine, Satoshi and Collins, Michael",
        "Evalb: bracket scoring program",
        1997,
        {"url": "https://nlp.cs.nyu.edu/evalb/"},
    ),
    BOOTSTRAP: _book(
        "Efron, Bradley and Tibshirani, Robert J.",
        "An Introduction to the Bootstrap",
        1993,
        "Chapman & Hall",
    ),
    "noreen-1989": _book(
        "Noreen, Eric W.",
        "Computer-Intensive Methods for Testing Hypotheses: An Introduction",
        1989,
        "Wiley",
    ),
    CARD: _paper(
        "Card, Dallas and Henderson, Peter and Khandelwal, Urvashi and Jia, Robin and Mahowald, "
        "Kyle and Jurafsky, Dan",
        "With Little Power Comes Great Responsibility",
        2020,
        "Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing "
        "(EMNLP)",
        "9263--9274",
        "10.18653/v1/2020.emnlp-main.745",
    ),
    "yeh-2000": _paper(
        "Yeh, Alexander",
        "More Accurate Tests for the Statistical Significance of Result Differences",
        2000,
        "Proceedings of the 18th International Conference on Computational Linguistics, Volume 2",
        "947--953",
        url="https://aclanthology.org/C00-2137/",
    ),
    "holm-1979": _article(
        "Holm, Sture",
        "A Simple Sequentially Rejective Multiple Test Procedure",
        1979,
        "Scandinavian Journal of Statistics",
        "6(2)",
        "65--70",
    ),
    "piepho-2004": _article(
        "Piepho, Hans-Peter",
        "An Algorithm for a Letter-Based Representation of All-Pairwise Comparisons",
        2004,
        "Journal of Computational and Graphical Statistics",
        "13(2)",
        "456--466",
        "10.1198/1061860043515",
    ),
    ALT_TEST: _paper(
        "Calderon, Nitay and Reichart, Roi and Dror, Rotem",
        "The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically Justify Replacing "
        "Human Annotators with LLMs",
        2025,
        "Proceedings of the 63rd Annual Meeting of the Association for Computational Linguistics "
        "(Volume 1: Long Papers)",
        "16051--16081",
        url="https://aclanthology.org/2025.acl-long.782/",
    ),
    "benjamini-2001": _article(
        "Benjamini, Yoav and Yekutieli, Daniel",
        "The Control of the False Discovery Rate in Multiple Testing under Dependency",
        2001,
        "The Annals of Statistics",
        "29(4)",
        "1165--1188",
        "10.1214/aos/1013699998",
    ),
    "gandy-2014": Reference(
        "article",
        "Gandy, Axel and Hahn, Georg",
        "MMCTest -- A Safe Algorithm for Implementing Multiple Monte Carlo Tests",
        2014,
        {"journal": "Scandinavian Journal of Statistics", "doi": "10.1111/sjos.12085"},
    ),
}

# sources of metrics, by prefix of the metric's name; the longest matching prefix counts
OF_METRICS: dict[str, tuple[str, ...]] = {
    "span_": ("rijsbergen-1979",),
    "token_": ("rijsbergen-1979",),
    "link_": (AMIGO,),
    "bcubed_": (AMIGO, "bagga-1998"),
    "int_": (AMIGO,),
    "slicm": (AMIGO,),
    "percent_agreement": ("gwet-2014",),
    "positive_agreement": ("cicchetti-1990",),
    "negative_agreement": ("cicchetti-1990",),
    "cohen_kappa": ("cohen-1960",),
    "scott_pi": ("scott-1955", "siegel-1988"),
    "davies_fleiss": ("davies-1982",),
    "fleiss_kappa": ("fleiss-1971",),
    "fleiss_cuzick": ("fleiss-1979",),
    "krippendorff_alpha": (KRIPPENDORFF,),
    "gwet_ac1": ("gwet-2008",),
    "gwet_ac2": ("gwet-2014",),
    "alpha_u": UNITIZING,
    "u_alpha": (U_ALPHA,),
    "bar_u_alpha": (U_ALPHA,),
    "cu_": (U_ALPHA,),
    "gate_": (GATE,),
    "bdm_": ("maynard-2006", GATE),
    "error_rate": (GATE,),
    "false_positives": (GATE,),
    "syntax_alpha": (SKJAERHOLT, "zhang-1989", KRIPPENDORFF),
    "pq_alpha": ("augsten-2005", SKJAERHOLT),
    "las": ("buchholz-2006",),
    "uas": ("buchholz-2006",),
    "label_accuracy": ("buchholz-2006",),
    "jaccard": (SKJAERHOLT,),
    **dict.fromkeys(
        ("bracket_", "complete_match", "crossing_brackets", "few_crossing", "tag_accuracy"),
        ("black-1991", "evalb-1997"),
    ),
}
# sources of procedures that are no metrics, but have a signature
PROCEDURES = {"replace_test": (ALT_TEST, "benjamini-2001")}
TESTS = {"randomisation": ("noreen-1989", "yeh-2000"), "bootstrap": (BOOTSTRAP,)}


def references(texts: Iterable[str] = ()) -> dict[str, Reference]:
    """The package and the sources of metrics or signatures, by key.

    Parameters
    ----------
    texts : iterable of str
        Metrics such as "span_f" or "token_f(chance=nested)", signatures of scores, or
        "replace_test". Without any, the source of the chance model.

    Raises
    ------
    ValueError
        For a text whose metric or parameter is none.
    """
    texts = list(texts)
    keys = [PACKAGE, *(key for text in texts for key in _keys(text))]
    return {key: ENTRIES[key] for key in keys + [LI] * (not texts)}


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
        yield from sources_of(similarity[1]) if similarity else ()
    else:
        yield from _of_metric(match[1], match[2] or "")
    yield from _of_facts(dict(fact.partition("=")[::2] for fact in facts))


def _of_metric(name: str, parameters: str) -> Iterator[str]:
    """The keys of the sources of a metric with its chance model."""
    row = METRICS[known(name, METRICS, "metric")]
    given = dict(part.strip().partition("=")[::2] for part in parameters.split(",") if part)
    for parameter in given:
        known(parameter, row.parameters, f"parameter of {row.name}")
    yield from sources_of(row.name)
    if given.get("chance", row.parameters.get("chance", "none")) != "none":
        yield LI


def sources_of(metric: str) -> tuple[str, ...]:
    """The keys of the sources of a metric, () if it has none."""
    names = [name for name in OF_METRICS if metric.startswith(name)]
    return OF_METRICS[max(names, key=len)] if names else ()


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
