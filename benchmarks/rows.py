"""The benchmarks of `run.py`: `TOPICS`, each with rows of ours and rows of other libraries.

A row's `prepare(n)` makes the input in the form of its library and returns the measured code: a
function without arguments. Its value is compared with those of the other rows of the topic, unless
it is None. Nothing heavy is imported before `prepare`: rows of other libraries pay for their own.
"""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import comb
from pathlib import Path
from unittest.mock import patch

import numpy as np

import inputs


@dataclass(frozen=True)
class Row:
    """One function of a topic: one of ours, or a peer with the rows of ours it is compared with.

    `remark` names the differences in its work. `share` is the part of the work that is
    really done, a number or a function of sizes: seconds are divided by it. It is measured up to
    the size `largest`. `processes` is how many others it starts at a time.
    """

    name: str
    prepare: Callable
    beside: tuple = ()
    remark: str = ""
    share: float | Callable = 1
    largest: float = float("inf")
    processes: int = 0

    def share_of(self, size):
        """The part of the work that is done at a size."""
        return min(1, self.share(size) if callable(self.share) else self.share)


@dataclass(frozen=True)
class Topic:
    """Rows that do the same work, ours first, at some sizes; `large` ones only if asked for.

    `warm`: the size on which each process does the work first, so that imports and compilers do not
    count; 0 where the start counts, too, as that of whole processes. `clock`: what ratios are of.
    """

    title: str
    rows: tuple
    sizes: tuple = (10_000,)
    large: tuple = ()
    unit: str = "documents"
    remark: str = ""
    warm: int = 5
    clock: str = "processor_seconds"

    def row(self, name):
        """The row of that name."""
        return next(row for row in self.rows if row.name == name)


def value(metric, *annotation, **options):
    """The observed value that `evaluate` gives."""
    from spacy_chance_eval import evaluate

    return evaluate(*annotation, metrics=[metric], **options)[metric].observed


def silent(function, *arguments, **options):
    """A function without arguments whose result is not compared."""

    def work():
        function(*arguments, **options)

    return work


OURS = "ours"
SPAN_F, TOKEN_F = "span_f(chance=none)", "token_f(chance=none)"

# --- scorers of spaCy


def by_scorer(make, key, n_docs):
    """One of our scorers, on new Examples."""
    from spacy_chance_eval import integrations

    made = inputs.examples(inputs.conll_shaped(n_docs), key)
    scorer = getattr(integrations, make)()
    return lambda: scorer(made, spans_key=key)[f"{f'spans_{key}' if key else 'ents'}_f"]


def by_get_ner_prf(n_docs):
    from spacy.scorer import get_ner_prf

    made = inputs.examples(inputs.conll_shaped(n_docs))
    return lambda: get_ner_prf(made)["ents_f"]


def by_score_spans(n_docs):
    from spacy.scorer import Scorer

    made, key = inputs.examples(inputs.conll_shaped(n_docs), "sc"), "sc"
    options = {"getter": lambda doc, attr: doc.spans.get(key, []), "allow_overlap": True}
    return lambda: Scorer.score_spans(made, "spans_sc", **options)["spans_sc_f"]


def evaluating(kind, key, scorer, n_docs):
    """`nlp.evaluate` of a pipeline that has learned a little; the value is a score of spaCy's."""
    nlp, made = inputs.pipeline(kind, n_docs, scorer)
    return lambda: nlp.evaluate(made)[key]


NER, PARSER = partial(evaluating, "ner", "ents_f"), partial(evaluating, "parser", "dep_las")
NER_SCORER = {"@scorers": "spacy-chance-eval.ner_scorer.v1"}
PARSER_SCORER = {"@scorers": "spacy-chance-eval.parser_scorer.v1"}
SHARE = "; 1 less the ratio is the share that ours adds"

# --- lists of tags, Spans


def from_tags(n_docs):
    return partial(value, SPAN_F, *map(inputs.tags, inputs.conll_shaped(n_docs)))


def from_examples(n_docs):
    return partial(value, SPAN_F, inputs.examples(inputs.conll_shaped(n_docs)))


def on_spans(metric, n_docs, **options):
    return partial(value, metric, *inputs.conll_shaped(n_docs), **options)


def by_seqeval(n_docs):
    from seqeval.metrics import f1_score

    return partial(f1_score, *map(inputs.tags, inputs.conll_shaped(n_docs)))


def by_report(n_docs):
    from seqeval.metrics import classification_report

    sides = list(map(inputs.tags, inputs.conll_shaped(n_docs)))
    return lambda: classification_report(*sides, output_dict=True)["micro avg"]["f1-score"]


def by_nervaluate(n_docs):
    from nervaluate import Evaluator

    sides, labels = list(map(inputs.tags, inputs.conll_shaped(n_docs))), list(inputs.LABELS)
    work = lambda: Evaluator(*sides, tags=labels, loader="list").evaluate()  # noqa: E731
    return lambda: work()["overall"]["strict"].f1


def by_sklearn(n_docs):
    from sklearn.metrics import f1_score

    sides = [inputs.codes(side, begins=False) for side in inputs.conll_shaped(n_docs)]
    labels = list(range(1, 1 + len(inputs.LABELS)))
    return lambda: float(f1_score(*sides, labels=labels, average="micro"))


# --- expectation and resamples

RESAMPLES, FEW = 1000, 3  # of resamples, a loop does three: all would take hours
DRAWS = 10  # of 1,000 random annotations


def expected(n_docs):
    """Exact expected matches of spans; observed ones are counted before."""
    from spacy_chance_eval import align
    from spacy_chance_eval.measures import matching

    sides = align(*inputs.conll_shaped(n_docs))
    options = {"placement": "disjoint", "unit": "document"}
    return silent(matching.expected_span_hits, *sides, matching.span_hits(*sides), **options)


def by_drawing(n_docs):
    """The same as the mean of random annotations: near the exact one, so no value to compare."""
    from spacy_chance_eval import align
    from spacy_chance_eval.measures import matching
    from spacy_chance_eval.measures.chance.draws import drawn

    sides, rng = align(*inputs.conll_shaped(n_docs)), np.random.default_rng(0)
    options = {"placement": "disjoint", "unit": "document", "draws": DRAWS, "rng": rng}
    return silent(drawn, matching.span_hits, *sides, **options)


def resampled(n_docs):
    from spacy_chance_eval import Resampling

    return on_spans(SPAN_F, n_docs, intervals=Resampling(RESAMPLES))


def seqeval_loop(n_docs):
    """The loop that one would write around seqeval: draw sentences, score them again."""
    from seqeval.metrics import f1_score

    gold, pred = map(inputs.tags, inputs.conll_shaped(n_docs))
    rng = np.random.default_rng(0)

    def work():
        for _ in range(FEW):
            rows = rng.integers(0, n_docs, n_docs).tolist()
            f1_score([gold[i] for i in rows], [pred[i] for i in rows])

    return work


# --- agreement


def agreeing(metric, n_annotators, n_docs, *, team=False, **options):
    """`agree`, on one metric, without resamples; the value is that of the team."""
    from spacy_chance_eval import Resampling, agree
    from spacy_chance_eval.scoring.statistics import headline

    sides = inputs.team(n_annotators, n_docs)

    def work():
        found = agree(sides, [metric], intervals=Resampling(0), **options)
        return headline(found.to_dict()["metrics"][0]["team"]) if team else None

    return work


def pairs_by_seqeval(n_annotators, n_docs):
    """F of all pairs of annotators."""
    from seqeval.metrics import f1_score

    sides = list(map(inputs.tags, inputs.team(n_annotators, n_docs)))
    return silent(lambda: [f1_score(*pair) for pair in combinations(sides, 2)])


def table_of(n_annotators, n_docs):
    """Annotators by tokens: 0, or 1 and the number of the label."""
    sides = inputs.team(n_annotators, n_docs)
    return np.array([inputs.codes(side, begins=False) for side in sides], np.int64)


def by_krippendorff(n_docs):
    import krippendorff

    table = table_of(3, n_docs)
    return lambda: float(krippendorff.alpha(table, level_of_measurement="nominal"))


def by_nltk(n_docs):
    from nltk.metrics.agreement import AnnotationTask

    table = table_of(3, n_docs).tolist()
    rows = [(i, j, label) for i, row in enumerate(table) for j, label in enumerate(row)]
    return lambda: float(AnnotationTask(rows).alpha())


# --- files

CONLL, JSONL = (inputs.write_conll, ".conll"), (inputs.write_jsonl, ".jsonl")
DOCBIN = (inputs.write_docbin, ".spacy")
START = (sys.executable, "-m", "spacy_chance_eval")
BARE = ("--resamples", 0)  # without intervals, which the libraries beside do not make


def scoring(form, words, n_docs):
    """The command `score` in this process; the value is the observed span F."""
    import json

    from spacy_chance_eval.cli import main

    paths = inputs.files(*form, n_docs)
    output = Path(inputs.tempfile.mkdtemp()) / "scores.json"
    arguments = ["spacy-chance-eval", "score", *map(str, (*paths, *BARE, *words, "-o", output))]

    def work():
        with patch.object(sys, "argv", arguments):
            try:
                main()
            except SystemExit as end:
                if end.code:
                    raise
        scores = json.loads(output.read_text(encoding="utf-8"))["layers"][0]["scores"]
        return next(score["observed"] for name, score in scores.items() if "span_f" in name)

    return work


def reading(n_docs):
    """`read` of a `.spacy` file, and its spans."""
    from spacy_chance_eval import read

    path = inputs.files(*DOCBIN, n_docs)[0]
    return silent(lambda: read(path).spans("ents"))


def without(package, prepare, n_docs):
    """A row where an optional package is not installed."""
    sys.modules[package] = None
    return prepare(n_docs)


def process(*words):
    """A command in a separate process, which must succeed."""
    run = partial(subprocess.run, list(map(str, words)), check=True, stdout=subprocess.DEVNULL)
    return silent(run)


def scoring_process(form, words, n_docs):
    """The command `score`, whole."""
    output = Path(inputs.tempfile.mkdtemp()) / "scores.json"
    return process(*START, "score", *inputs.files(*form, n_docs), *BARE, *words, "-o", output)


def ranking(words, n_docs):
    """The command `score` on twelve systems, whole, with two metrics."""
    board = Path(inputs.tempfile.mkdtemp()) / "board"
    outputs = [word for ending in ("md", "csv", "json") for word in ("-o", f"{board}.{ending}")]
    paths = inputs.files(*CONLL, n_docs, n_systems=12)
    metrics = ("-m", "span_f", "-m", "token_f", "--seed", 0)
    return process(*START, "score", *paths, *metrics, *words, *outputs)


def agreeing_process(words, n_docs):
    """The command `agree` on three annotators, whole."""
    return process(*START, "agree", *inputs.files(*CONLL, n_docs, n_systems=2), *words)


def seqeval_on_files(function, options, n_docs):
    """The few lines that one would write to read columns for seqeval."""
    from seqeval import metrics

    paths = inputs.files(*CONLL, n_docs)

    def read(path):
        text = path.read_text(encoding="utf8").rstrip("\n")
        return [
            [line.split("\t")[-1] for line in block.split("\n")] for block in text.split("\n\n")
        ]

    def work():
        found = getattr(metrics, function)(*map(read, paths), **options)
        return found["micro avg"]["f1-score"] if options else found

    return work


def by_json(n_docs):
    """Each line of the files parsed and dropped, and nothing else."""
    import json
    from collections import deque

    texts = [path.read_text(encoding="utf-8").splitlines() for path in inputs.files(*JSONL, n_docs)]
    return silent(lambda: [deque(map(json.loads, lines), maxlen=0) for lines in texts])


def by_get_docs(n_docs):
    import spacy
    from spacy.tokens import DocBin

    path, vocab = inputs.files(*DOCBIN, n_docs)[0], spacy.blank("en").vocab
    return silent(lambda: list(DocBin().from_disk(path).get_docs(vocab)))


# --- trees

SOME = 300  # pairs that peers do of all


def distances(n_trees):
    """Distances of each tree and its prediction, summed up."""
    import trees
    from spacy_chance_eval.measures.trees.tree_edit import tree_edit_distances

    sides = trees.parsed(n_trees)
    return lambda: int(tree_edit_distances(*sides).sum())


def peer_distances(name, n_trees):
    """The same with a peer and trees in its form, which are made beforehand."""
    import trees

    turned, distance = trees.PEERS[name]()
    sides = trees.parsed(n_trees)
    done = min(n_trees, SOME if name != "edist" else n_trees)
    pairs = [[turned(trees.nested(side, item)) for side in sides] for item in range(done)]

    def work():
        total = int(sum(distance(*pair) for pair in pairs))
        return total if done == n_trees else None

    return work


def alpha(make, n_trees):
    """alpha of trees and a changed copy of them: all pairs."""
    from spacy_chance_eval import evaluate

    sides = both(make, n_trees)
    return silent(evaluate, *sides, ["syntax_alpha"])


def both(make, n_trees):
    """Trees, and copies of them with some other labels."""
    import trees

    if make == "parsed":
        return trees.parsed(n_trees)
    made, rng = trees.constituency_trees(n_trees), np.random.default_rng(1)
    changed = rng.random(len(made.label)) < 0.05
    label = np.where(changed, rng.permutation(made.label), made.label)
    return made, trees.replace(made, label=label)


def some_pairs(make, n_trees):
    """edist's distances of some of all pairs."""
    import trees

    turned, distance = trees.PEERS["edist"]()
    sides, rng = both(make, n_trees), np.random.default_rng(0)
    drawn = rng.integers([2, n_trees], size=(SOME, 2, 2)).tolist()
    pairs = [[turned(trees.nested(sides[side], item)) for side, item in pair] for pair in drawn]
    return silent(lambda: [distance(*pair) for pair in pairs])


def share_of_pairs(n_trees):
    """`SOME` pairs of all those of gold and predicted trees."""
    return SOME / comb(2 * n_trees, 2)


def alpha_rows(make):
    """Rows of alpha by both back ends, and of edist."""
    peer = partial(some_pairs, make)
    remark = f"distances only, measured on {SOME} pairs"
    return (
        Row(NUMBA, partial(alpha, make)),
        Row(NUMPY, partial(without, "numba", partial(alpha, make))),
        Row("edist", peer, (NUMBA, NUMPY), remark, share=share_of_pairs),
    )


NUMBA, NUMPY = "ours, numba", "ours, numpy"

# --- one long document


def long_document(shape, n_tokens):
    """Span F and token F of two annotators whose spans have different lengths.

    Lengths are 1 to 8, as of entities; or hostile: falling off slowly, so that many
    lengths differ and reach into the hundreds; or all that fit, each once.
    """
    from spacy_chance_eval import Spans, evaluate

    rng, n_spans = np.random.default_rng(n_tokens), max(2, n_tokens // 20)

    def lengths():
        if shape == "1 to 8":
            return rng.integers(1, 9, n_spans)
        if shape == "hostile":
            some = np.ceil(rng.pareto(0.9, n_spans) + rng.random(n_spans) * 4)
            found = np.sort(np.minimum(some, 600).astype(int))
        else:
            found = np.setdiff1d(np.arange(1, n_tokens), rng.integers(1, int(n_tokens**0.5), 5))
        return rng.permutation(found[np.cumsum(found) <= 0.75 * n_tokens])

    def document(found):
        free = n_tokens - found.sum() + len(found)
        slots = np.sort(rng.choice(free, len(found), replace=False))
        start = slots - np.arange(len(found)) + np.cumsum(found) - found
        return [(s, s + length, "X") for s, length in zip(start.tolist(), found.tolist())]

    sides = (Spans.from_tuples([document(lengths())], sizes=[n_tokens]) for _ in range(2))
    return silent(evaluate, *sides, ["span_f", "token_f"])


# --- the table

LOOP = f"a loop that draws sentences; measured on {FEW} of {RESAMPLES:,} resamples"
SCORE, RANK = "score", "rank, 1,000 resamples"
TEAM, PAIRS = "agree, pairs=False", "agree, with pairs"
TOPICS = {
    "ner_scorer": Topic(
        "ner_scorer",
        (
            Row(OURS, partial(by_scorer, "make_ner_scorer", None), remark="spaCy's keys and ours"),
            Row("get_ner_prf", by_get_ner_prf, (OURS,), "spaCy's keys"),
        ),
        (1000, 10_000),
        remark="entities of new Examples, whose gold and prediction have the same tokens",
    ),
    "spancat_scorer": Topic(
        "spancat_scorer",
        (
            Row(
                OURS,
                partial(by_scorer, "make_spancat_scorer", "sc"),
                remark="spaCy's keys and ours",
            ),
            Row("Scorer.score_spans", by_score_spans, (OURS,), "spaCy's keys"),
        ),
        (1000, 10_000),
        remark="a span group of new Examples",
    ),
    "parser_scorer": Topic(
        "nlp.evaluate, parser_scorer",
        (
            Row(OURS, partial(PARSER, PARSER_SCORER)),
            Row("spaCy's scorer", partial(PARSER, None), (OURS,)),
        ),
        (2000,),
        unit="sentences",
        remark=f"a small parser{SHARE}",
    ),
    "ner": Topic(
        "nlp.evaluate, ner_scorer",
        (
            Row(OURS, partial(NER, NER_SCORER)),
            Row("spaCy's scorer", partial(NER, None), (OURS,)),
        ),
        (3000,),
        remark=f"a small pipeline{SHARE}",
    ),
    "conll": Topic(
        "two CoNLL files",
        (
            Row(SCORE, partial(scoring, CONLL, ()), remark="the command, all default metrics"),
            Row(
                "score, span F",
                partial(scoring, CONLL, ("-m", SPAN_F)),
                remark="span F only, not corrected",
            ),
            Row(
                "seqeval, f1_score",
                partial(seqeval_on_files, "f1_score", {}),
                (SCORE, "score, span F"),
                "five lines of Python that read columns; F of all labels",
            ),
            Row(
                "seqeval, classification_report",
                partial(seqeval_on_files, "classification_report", {"output_dict": True}),
                (SCORE, "score, span F"),
                "the same; labels",
            ),
        ),
        (1000, 100_000),
    ),
    "jsonl": Topic(
        "two JSONL files",
        (
            Row(SCORE, partial(scoring, JSONL, ()), remark="all default metrics"),
            Row("json.loads", by_json, (SCORE,), "lines of both files parsed, nothing else"),
        ),
        (1000, 100_000),
    ),
    "spacy": Topic(
        "a .spacy file",
        (
            Row("read", reading, remark="to spans"),
            Row("DocBin.get_docs", by_get_docs, ("read",), "a list of Docs"),
        ),
        (10_000,),
    ),
    "start": Topic(
        "start of the program",
        (
            Row(SCORE, partial(scoring_process, CONLL, ()), remark="two small CoNLL files"),
            Row(
                "import numpy",
                lambda n_docs: process(sys.executable, "-c", "import numpy"),
                (SCORE,),
                "nothing else",
            ),
        ),
        (10,),
        remark="whole processes",
        warm=0,
    ),
    "board": Topic(
        "leaderboard of 12 files",
        (
            Row(RANK, partial(ranking, ("--resamples", 1000))),
            Row("rank, 10,000 resamples", partial(ranking, ("--resamples", 10_000))),
        ),
        (3453,),
        remark="whole processes: span F and token F, tests of all 66 pairs; md, csv, json",
        warm=0,
    ),
    "large_board": Topic(
        "leaderboard of 12 large files",
        (Row(RANK, partial(ranking, ("--resamples", 1000))),),
        (100_000,),
        large=(1_000_000,),
        remark="the same",
        warm=0,
    ),
    "memory": Topic(
        "memory of commands",
        (
            Row("score", partial(scoring_process, CONLL, ())),
            Row("score, JSONL", partial(scoring_process, JSONL, ())),
            Row(
                "rank, 12 systems",
                partial(
                    ranking,
                    (
                        "--resamples",
                        "0",
                    ),
                ),
                remark="no intervals",
            ),
            Row(
                "agree, 3 annotators",
                partial(
                    agreeing_process,
                    (
                        "--resamples",
                        "0",
                    ),
                ),
            ),
            Row("agree, intervals", partial(agreeing_process, ())),
        ),
        (3000, 30_000, 100_000),
        (300_000, 1_000_000),
        remark="whole processes; what matters is their peak, which blocks bound",
        warm=0,
    ),
    "processes": Topic(
        "two processes",
        (
            Row("score, -n 2", partial(scoring_process, CONLL, ("-n", 2)), processes=2),
            Row("score, -n 1", partial(scoring_process, CONLL, ("-n", 1)), ("score, -n 2",)),
        ),
        (200_000,),
        remark="whole processes, ratios of the wall clock",
        warm=0,
        clock="seconds",
    ),
    "spans": Topic(
        "span scores",
        (
            Row("ours, from tags", from_tags, remark="evaluate on lists of IOB2 tags; labels"),
            Row("ours, from Examples", from_examples, remark="evaluate on spaCy's Examples"),
            Row("seqeval, f1_score", by_seqeval, ("ours, from tags",), "F of all labels only"),
            Row("seqeval, classification_report", by_report, ("ours, from tags",), "labels"),
            Row("nervaluate", by_nervaluate, ("ours, from tags",), "more: four schemas; labels"),
            Row("get_ner_prf", by_get_ner_prf, ("ours, from Examples",), "labels"),
        ),
        remark="precision, recall and F of equal spans, without correction for chance",
    ),
    "tokens": Topic(
        "token scores",
        (
            Row(OURS, partial(on_spans, TOKEN_F), remark="evaluate, on Spans; labels, documents"),
            Row("scikit-learn", by_sklearn, (OURS,), "f1_score on arrays of labels; F only"),
        ),
        (100_000,),
        remark="precision, recall and F of tokens with equal labels",
    ),
    "expectation": Topic(
        "expected matches of spans",
        (
            Row(OURS, expected, remark="exact"),
            Row(
                "by drawing",
                by_drawing,
                (OURS,),
                f"1,000 random annotations, measured on {DRAWS}; not exact",
                share=DRAWS / 1000,
            ),
        ),
    ),
    "bootstrap": Topic(
        "bootstrap",
        (
            Row(OURS, resampled, remark="intervals of all labels, too"),
            Row("seqeval", seqeval_loop, (OURS,), LOOP, share=FEW / RESAMPLES),
        ),
        remark=f"{RESAMPLES:,} resamples of documents, span F of one system",
    ),
    "agreement": Topic(
        "agreement of pairs",
        (
            Row(OURS, partial(agreeing, SPAN_F, 3), remark="team, pairs, labels, documents"),
            Row("seqeval", partial(pairs_by_seqeval, 3), (OURS,), "F of all pairs"),
        ),
        remark="span F of three annotators",
    ),
    "team": Topic(
        "agreement of a team",
        (
            Row(TEAM, partial(agreeing, "u_alpha", 10, pairs=False), remark="the team alone"),
            Row(PAIRS, partial(agreeing, "u_alpha", 10), (TEAM,), "45 pairs, too"),
        ),
        remark="u-alpha of ten annotators",
    ),
    "alpha": Topic(
        "nominal alpha",
        (
            Row(
                OURS,
                partial(agreeing, "krippendorff_alpha", 3, team=True, pairs=False),
                remark="agree, the team alone; labels, documents",
            ),
            Row("krippendorff", by_krippendorff, (OURS,), "alpha, of a table of tokens"),
            Row("nltk", by_nltk, (OURS,), "a list of annotator, token, label", largest=10_000),
        ),
        (10_000, 100_000),
        remark="Krippendorff's alpha of the labels of tokens, three annotators",
    ),
    "distances": Topic(
        "tree edit distance",
        (
            Row(NUMPY, distances),
            Row("edist", partial(peer_distances, "edist"), (NUMPY,)),
            *(
                Row(
                    name,
                    partial(peer_distances, name),
                    (NUMPY,),
                    f"measured on {SOME} pairs",
                    share=lambda n: SOME / n,
                )
                for name in ("zss", "apted")
            ),
        ),
        (2000,),
        unit="pairs",
        remark="trees of 17 tokens and their parses",
    ),
    "dependency_alpha": Topic(
        "alpha of dependency trees",
        alpha_rows("parsed"),
        (1000,),
        unit="sentences",
        remark="all pairs of trees and parses of 17 tokens",
        warm=20,
    ),
    "constituency_alpha": Topic(
        "alpha of constituency trees",
        alpha_rows("phrases"),
        (300,),
        unit="sentences",
        remark="all pairs of trees of 44 nodes",
        warm=20,
    ),
    "long": Topic(
        "one long document",
        (
            Row("lengths 1 to 8", partial(long_document, "1 to 8")),
            Row("hostile lengths", partial(long_document, "hostile")),
            Row("distinct lengths", partial(long_document, "distinct"), largest=20_000),
        ),
        (5000, 20_000, 100_000),
        unit="tokens",
        remark="exact expectations of span F and token F",
        warm=100,
    ),
}
