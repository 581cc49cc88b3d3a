"""A quoted result stays what it was: recorded signatures, their values, and how requests are read.

To record anew, after new metrics or parameters or a new version:

    PYTHONPATH=tests python tests/metrics/test_signatures.py

It refuses to change the value of a signature that is recorded: such a change needs a new version
in spacy_chance_eval/about.py.
"""

import json
from functools import cache
from pathlib import Path

import pytest

import spacy_chance_eval
from helpers.cases import each_case, rows_in
from spacy_chance_eval import CATALOG, Request, Spans, Trees, evaluate, parse, request
from spacy_chance_eval.metrics.catalog import METRICS, TREE_CATALOG

RECORD = Path(__file__).parent / "signatures.json"
HOW = (
    "run `PYTHONPATH=tests python tests/metrics/test_signatures.py` to record; a changed value "
    "needs a new version"
)

WORDS = (
    "the cat sat on the old mat in New York and Ann saw it with Bo Li near the New Forest".split()
)
GOLD = [
    [(1, 2, "ANI"), (4, 7, "OBJ"), (8, 10, "LOC")],
    [(0, 1, "PER"), (4, 6, "PER"), (8, 10, "LOC")],
    [],
]
PRED = [
    [(1, 2, "ANI"), (5, 7, "OBJ"), (9, 10, "LOC")],
    [(0, 1, "PER"), (4, 5, "PER"), (5, 6, "PER"), (7, 10, "LOC")],
    [(0, 1, "ANI")],
]
PARAMETERS = [
    {},
    *({"chance": chance} for chance in ("none", "disjoint", "uniform", "overlapping", "nested")),
    {"unit": "document"},
    {"beta": 0.5},
    {"beta": 2.0},
    *({"encoding": encoding} for encoding in ("BIO", "BIOE", "IO*")),
    {"encoding": "BIO", "chance": "overlapping"},
    {"token_information": "corpus"},
    {"token_information": {word: float(len(word)) for word in WORDS}},
    {"rank": "information", "token_information": "corpus"},
    {"matching": "optimal"},
    {"items": "span"},
    {"items": "any_span"},
    {"weights": {("ANI", "PER"): 0.5}},
    *({"mode": mode} for mode in ("lenient", "average", "strict")),
    {"mode": "lenient", "chance": "disjoint"},
    {"mode": "lenient", "of": "sentence", "per": 100},
    {"empty": "gate"},
    {"features": "all"},
]
# parameters without a default
NEEDED = {
    name: {"closeness": {("ANI", "PER"): 0.5, ("OBJ", "PER"): 0.25}}
    for name, metric in CATALOG.items()
    if "closeness" in metric.parameters
}
TREES = {
    "dependency": [
        ([[1, -1, 3, 1], [-1, 0], [-1, 0, 0]], ["SPDO", "PO", "PXY"]),
        ([[1, -1, 1, 1], [-1, 0], [1, -1, 1]], ["NPDO", "PX", "XPY"]),
    ],
    "constituency": [
        ([[-1, 0, 1, 0, 3], [-1, 0, 0], [-1, 0]], ["SNPVW", "SNV", "SV"]),
        ([[-1, 0, 1, 0], [-1, 0, 1], [-1, 0]], ["SNPV", "SNV", "SN"]),
    ],
}
TREE_PARAMETERS = [
    {},
    *({"delta": delta} for delta in ("diff", "norm")),
    {"closeness": {("S", "N"): 0.5}},
    {"sample": 10, "seed": 2},
    {"p": 1, "q": 2},
    {"ignore": "D+O"},
    {"subtypes": "strip"},
    {"params": "none"},
    {"labels": "ignore"},
    {"most": 2},
]


def corpus(documents):
    stretches = [(0, 0, 5), (0, 5, 11), (1, 0, 3), (1, 3, 10), (2, 0, 2)]
    if documents is GOLD:
        stretches[:2] = [(0, 0, 4), (0, 4, 11)]
    words = [*WORDS, "no", "one"][: 11 + 10 + 2]
    return Spans.from_tuples(documents, [11, 10, 2], words=words, stretches=stretches)


@cache
def current():
    """{signature: value, rounded to 12 digits} of every metric with various parameters."""
    table = {word: float(len(word)) for word in [*WORDS, "no", "one"]}
    asked = []
    for name in CATALOG:
        for parameters in PARAMETERS:
            if parameters.keys() <= CATALOG[name].parameters.keys():
                if isinstance(parameters.get("token_information"), dict):
                    parameters = {"token_information": table}
                asked.append(request(name, **NEEDED.get(name, {}) | parameters))
    scores = evaluate(corpus(GOLD), corpus(PRED), asked, draws=20, seed=1)
    rounded = lambda value: None if value is None else round(value, 12)  # noqa: E731
    scores = [*scores.values(), *tree_scores()]
    return {score.signature: rounded(score.headline) for score in scores}


def tree_scores():
    """Scores of the metrics of trees with various parameters."""
    for kind, sides in TREES.items():
        gold, pred = (Trees.from_nodes(kind, *side) for side in sides)
        asked = [
            request(name, **parameters)
            for name, metric in TREE_CATALOG.items()
            for parameters in TREE_PARAMETERS
            if kind in metric.kinds and parameters.keys() <= metric.parameters.keys()
        ]
        yield from evaluate(gold, pred, asked).values()


def recorded():
    return json.loads(RECORD.read_text(encoding="utf-8"))


def record():
    """Write the table, unless a signature would change its value."""
    now, before = current(), recorded() if RECORD.exists() else {}
    changed = sorted(key for key in now.keys() & before.keys() if not same(now[key], before[key]))
    if changed:
        raise SystemExit(f"{changed[0]} changed its value; give about.py a new version first")
    if lost := sorted(before.keys() - now.keys()):
        where = spacy_chance_eval.__file__
        raise SystemExit(f"{lost[0]} is not there any more; is {where} what you mean to record?")
    RECORD.write_text(json.dumps(now, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(now)} signatures recorded in {RECORD.name}")


def same(one, two):
    return one == two if None in (one, two) else one == pytest.approx(two, abs=2e-12)


def test_every_signature_is_recorded():
    assert sorted(current()) == sorted(recorded()), HOW


@each_case("name", METRICS)
def test_recorded_signatures_keep_their_values(name):
    before = recorded()
    for signature, value in current().items():
        if signature.partition("(")[0] == name and signature in before:
            assert same(value, before[signature]), f"{signature}: {HOW}"


@each_case("name", METRICS)
def test_every_metric_is_recorded_with_its_defaults(name):
    signature = f"{request(name, **NEEDED.get(name, {}))}|"
    assert any(key.startswith(signature) for key in recorded()), HOW


# --- names of requests

WRITTEN = {
    "span_precision": "span_precision(chance=disjoint,unit=sentence)",
    "span_f": "span_f(beta=1.0,chance=disjoint,unit=sentence)",
    "token_recall": "token_recall(chance=disjoint,encoding=IO,unit=sentence)",
    "token_f": "token_f(beta=1.0,chance=disjoint,encoding=IO,unit=sentence)",
    "link_f(chance=none)": "link_f(beta=1.0,chance=none,unit=sentence)",
    "bcubed_f(beta=2)": "bcubed_f(beta=2.0,chance=disjoint,unit=sentence)",
    "int_f(unit=sentence)": "int_f(beta=1.0,chance=disjoint,unit=sentence)",
    " token_f ( encoding = IO* , chance = uniform ) ": (
        "token_f(beta=1.0,chance=uniform,encoding=IO*,unit=sentence)"
    ),
    "slicm": "slicm(matching=mutual,rank=position,token_information=constant)",
    "span_f(beta=2,)": "span_f(beta=2.0,chance=disjoint,unit=sentence)",
    "slicm()": "slicm(matching=mutual,rank=position,token_information=constant)",
    "u_alpha": "u_alpha()",
    "gwet_ac2(items=category)": "gwet_ac2(items=category,weights=identity)",
    "gate_f(mode=average,empty=gate)": (
        "gate_f(beta=1.0,chance=none,empty=gate,features=none,mode=average,unit=sentence)"
    ),
    "false_positives(per=100)": "false_positives(features=none,mode=lenient,of=token,per=100.0)",
    "syntax_alpha(delta=norm)": "syntax_alpha(closeness=none,delta=norm,sample=0,seed=0)",
    "pq_alpha(q=4)": "pq_alpha(delta=plain,p=2,q=4)",
    "las(ignore=p+punct)": "las(ignore=p+punct,subtypes=keep)",
    "bracket_f(labels=ignore)": ("bracket_f(beta=1.0,ignore=none,labels=ignore,params=collins)"),
    "jaccard": "jaccard()",
    "slicm_norm(chance=nested)": (
        "slicm_norm(chance=nested,matching=mutual,rank=position,"
        "token_information=constant,unit=sentence)"
    ),
}


@each_case("text", WRITTEN)
def test_a_request_is_written_with_all_parameters_in_order(text):
    assert str(parse(text)) == WRITTEN[text]


@each_case("text", [*WRITTEN, *(name for name in CATALOG if name not in NEEDED)])
def test_a_written_request_reads_as_itself(text):
    once = parse(text)
    again = parse(str(once))
    assert again == once
    assert again.parameters == once.parameters


def test_equal_requests_are_equal_however_they_were_made():
    made = {
        parse("token_f(encoding=BIO,beta=2)"),
        parse("token_f(beta=2.0,encoding=BIO)"),
        request("token_f", beta=2, encoding="BIO"),
        request("token_f", encoding="BIO", beta="2"),
    }
    assert len(made) == 1
    assert isinstance(made.pop(), Request)


def test_parameters_of_a_request_cannot_be_changed():
    with pytest.raises(TypeError):
        request("span_f").parameters["beta"] = 2.0


def test_a_table_of_bits_is_written_by_its_digest_whatever_its_order():
    one = str(request("slicm", token_information={"a": 1, "b": 2.5}))
    two = str(request("slicm", token_information={"b": 2.5, "a": 1.0}))
    other = str(request("slicm", token_information={"a": 1, "b": 2.6}))
    assert one == two != other
    assert "token_information=table:" in one


@each_case(("text", "message"), rows_in(__file__, "wrong_requests.jsonl"))
def test_a_request_that_cannot_be_read_is_an_error(text, message):
    with pytest.raises(ValueError, match=message):
        parse(text)


if __name__ == "__main__":
    record()
