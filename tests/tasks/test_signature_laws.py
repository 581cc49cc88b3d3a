"""Equal signatures mean equal values, and defaults are equal: one table of doors x formats.

A door turns two files into a signature and a corrected score.
"""

import json
import re

import pytest
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from helpers.cases import later
from helpers.docmaking import NLP
from helpers.textfiles import call
from spacy_chance_eval import Resampling, Spans, agree, evaluate, leaderboard, read
from spacy_chance_eval.scoring.statistics import headline

ARTICLE = "-DOCSTART- -X- O O\n\n"
# sentences of tokens with the tags of gold and of a prediction, which has improper ones
SENTENCES = [
    "Ada B-PER B-PER\nLovelace I-PER I-PER\nslept O O\nin O O\nParis B-LOC O",
    "Bob B-PER I-PER\nran O O\n. O O",
    "Rome B-LOC B-LOC\nis O O\na O O\nbig O I-LOC\ncity O O\n. O O",
    "So O O\nis O O\nRome B-LOC B-LOC",
]
METRIC = "span_f"
DRAWS = 20  # random annotations, where an expectation is drawn


def conll(column, articles=(0, 2)):
    """The text of a column file, in which articles begin before some sentences."""
    found = []
    for number, sentence in enumerate(SENTENCES):
        rows = [line.split() for line in sentence.split("\n")]
        text = "\n".join(f"{row[0]} {row[column]}" for row in rows)
        found.append(f"{ARTICLE * (number in articles)}{text}\n")
    return "\n".join(found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Gold and the prediction in all formats; of a spaCy file both share a vocabulary."""
    made = tmp_path_factory.mktemp("formats")
    for name, column in (("gold", 1), ("pred", 2)):
        (made / f"{name}.conll").write_text(conll(column))
        (made / f"{name}-flat.conll").write_text(conll(column, articles=()))
        for ending in ("jsonl", "spacy"):
            source, target = made / f"{name}.conll", made / f"{name}.{ending}"
            assert call("convert", source, target).exit_code == 0
    return made


def column_of(column):
    return [[line.split()[column] for line in one.split("\n")] for one in SENTENCES]


FEW = ("--resamples", 0, "-o", "-")


def asked(metric):
    """A metric with the number of random annotations."""
    return f"{metric.removesuffix(')')}{',' if '(' in metric else '('}draws={DRAWS})"


# --- doors: each is given the files of gold and of the prediction, and a metric


def by_command(gold, pred, metric, *more):
    done = call("score", gold, pred, "-m", asked(metric), *FEW, *more)
    assert done.exit_code == 0, done.stderr
    (layer,) = json.loads(done.stdout)["layers"]
    return layer["scores"][metric]["signature"], headline(layer["scores"][metric])


def by_board(gold, pred, metric, *more):
    systems = f"a={pred}", f"b={gold}"
    done = call("score", gold, *systems, "-m", asked(metric), *FEW, *more)
    assert done.exit_code == 0, done.stderr
    return of_board(json.loads(done.stdout))


def of_board(result):
    """The row of system a; its signature without the facts on the board."""
    (row,) = (one for one in result["boards"][0]["rows"] if one["system"] == "a")
    return re.sub(r"\|systems=\d\|test=[^|]*", "", row["signature"]), headline(row)


def spans_of(gold, pred):
    return read(gold).spans(), read(pred, role="pred").spans()


def by_evaluate(gold, pred, metric):
    score = evaluate(*spans_of(gold, pred), [metric], draws=DRAWS)[metric]
    return score.signature, score.headline


def by_leaderboard(gold, pred, metric):
    one, two = spans_of(gold, pred)
    return of_board(leaderboard(one, {"a": two}, [metric], intervals=Resampling(0), draws=DRAWS))


def docs_of(path):
    bytes_of = DocBin().from_disk(path)
    return list(bytes_of.get_docs(NLP.vocab))


def by_docs(gold, pred, metric):
    score = evaluate(docs_of(gold), docs_of(pred), [metric], draws=DRAWS)[metric]
    return score.signature, score.headline


def by_examples(gold, pred, metric):
    examples = [Example(*pair) for pair in zip(docs_of(pred), docs_of(gold))]
    score = evaluate(examples, metrics=[metric], draws=DRAWS)[metric]
    return score.signature, score.headline


def by_tags(gold, pred, metric):
    words = column_of(0)  # without them other random annotations are drawn
    one = Spans.from_tags(column_of(1), words=words)
    two = Spans.from_tags(column_of(2), words=words, repair="conlleval")
    score = evaluate(one, two, [metric], draws=DRAWS)[metric]
    return score.signature, score.headline


DOORS = {
    "score": by_command,
    "board": by_board,
    "evaluate": by_evaluate,
    "leaderboard": by_leaderboard,
}
DOORS_OF_DOCS = {"docs": by_docs, "examples": by_examples}
FILES = {
    "articles": "{}.conll",
    "sentences": "{}-flat.conll",
    "jsonl": "{}.jsonl",
    "spacy": "{}.spacy",
}
TABLE = {
    **{f"{door}-{name}": (DOORS[door], file) for door in DOORS for name, file in FILES.items()},
    **{door: (function, FILES["spacy"]) for door, function in DOORS_OF_DOCS.items()},
    "tags": (by_tags, ""),
}
# metrics, and whether they depend on what is a document: as a unit, or where chance is drawn
METRICS = {
    METRIC: False,
    "token_f": False,
    "token_f(encoding=BIO)": False,
    "span_f(chance=overlapping)": False,
    "span_f(unit=document)": True,
    "slicm_norm(chance=disjoint)": True,
}


def about_annotation(signature):
    """A signature without the parts that say on which documents, and how its interval was made."""
    return re.sub(r"\|(docs|gold|ci)=[^|]*", "", signature)


@pytest.mark.parametrize("metric", [METRIC, *later(*[*METRICS][1:])])
def test_equal_signatures_mean_equal_values(metric, folder):
    """But for what is a document, which is an article or a sentence: signatures have `docs=`."""
    values, signatures = {}, set()
    for name, (door, file) in TABLE.items():
        signature, value = door(*(folder / file.format(s) for s in ("gold", "pred")), metric)
        signatures.add(about_annotation(signature))
        documents = signature.partition("|gold=")[0] if METRICS[metric] else ""
        values.setdefault(documents, {})[name] = value
    assert len(signatures) == 1
    for some in values.values():
        assert [*some.values()] == pytest.approx([next(iter(some.values()))] * len(some), abs=1e-12)
    assert len(values) == 1 + METRICS[metric]


# keys that change what is read: options of the command line, and the same in Python
CHANGES = {
    "dropped": ("#repair=drop", {}, {"repair": "drop"}, "repair=gold=conlleval,pred=drop"),
    "gold repaired": (
        "",
        {"repair": "drop"},
        {},
        "repair=gold=drop,pred=conlleval",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_repair_asked_for_is_said_alike(name, folder):
    keys, of_gold, of_pred, said = CHANGES[name]
    files = folder / "gold.conll", folder / "pred.conll"
    options = [word for key, value in of_gold.items() for word in ("--read", f"{key}={value}")]
    expected = by_command(files[0], f"{files[1]}{keys}", METRIC, *options)
    spans = read(files[0], **of_gold).spans(), read(files[1], role="pred", **of_pred).spans()
    score = evaluate(*spans, [METRIC])[METRIC]
    assert (score.signature, score.headline) == expected
    assert f"|{said}|" in score.signature
    (tagged,) = evaluate(
        Spans.from_tags(column_of(1), **of_gold),
        Spans.from_tags(column_of(2), **{"repair": "conlleval", **of_pred}),
        [METRIC],
    ).values()
    assert about_annotation(tagged.signature) == about_annotation(score.signature)
    assert tagged.headline == pytest.approx(score.headline)


def test_other_values_have_other_signatures(folder):
    files = folder / "gold.conll", folder / "pred.conll"
    found = {by_command(*files, METRIC)}
    found.add(by_command(files[0], f"{files[1]}#repair=drop", METRIC))
    found.add(by_command(*files, METRIC, "--unit", "document"))
    signatures, values = zip(*found)
    assert len({*signatures}) == len({*values}) == 3


def test_characters_are_positions_at_every_door(folder):
    files = []
    for name, end in (("gold", 12), ("pred", 3)):
        row = {"text": "Ada Lovelace slept.", "spans": [{"start": 0, "end": end, "label": "PER"}]}
        files.append(folder / f"{name}-char.jsonl")
        files[-1].write_text(json.dumps(row) + "\n")
    found = [door(*files, METRIC) for door in DOORS.values()]
    assert len({about_annotation(signature) for signature, _ in found}) == 1
    assert "|positions=char|" in found[0][0]
    assert len({value for _, value in found}) == 1
    one, two = spans_of(*files)
    assert "|positions=char|" in agree({"a": one, "b": two}, [METRIC])[METRIC]["signature"]


def test_other_tokens_are_said_at_every_door(folder):
    gold = docs_of(folder / "gold.spacy")
    pred = []
    for doc in gold:  # whose first letters are tokens of their own
        rows = [
            (part, part is not token.text and bool(token.whitespace_))
            for token in doc
            for part in filter(None, (token.text[:1], token.text[1:]))
        ]
        pred.append(Doc(doc.vocab, *map(list, zip(*rows))))
        pred[-1].set_ents([])
    DocBin(docs=pred).to_disk(folder / "split.spacy")
    by_file = by_command(folder / "gold.spacy", folder / "split.spacy", METRIC)
    examples = [Example(*pair) for pair in zip(pred, gold)]
    score = evaluate(examples, metrics=[METRIC])[METRIC]
    assert (score.signature, score.headline) == by_file
    assert "|align=gold_tokens|" in score.signature


def test_annotators_are_said_alike(folder):
    """An annotator's improper tags are an error."""
    files = [folder / "gold.conll", folder / "again.conll"]
    files[1].write_text(conll(1).replace("Paris B-LOC", "Paris O"))
    done = call("agree", *files, "-m", METRIC, "-o", "-")
    (expected,) = json.loads(done.stdout)["metrics"]
    one, two = (read(file).spans() for file in files)
    assert (
        agree({"gold": one, "again": two}, [METRIC])[METRIC]["signature"] == expected["signature"]
    )
    assert "|repair=conlleval|" in expected["signature"]
    plain = [Spans.from_tuples([[(0, 1, "A")]], [4])] * 2
    signature = agree(dict(zip("ab", plain)), [METRIC])[METRIC]["signature"]
    assert "|repair=conlleval|" in signature
