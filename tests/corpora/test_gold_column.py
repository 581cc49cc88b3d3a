"""Which columns are gold and the prediction where files have several, and none is named."""

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spacy_chance_eval import Resampling, request
from spacy_chance_eval.cli import app
from spacy_chance_eval.corpora.columns import columns_beside, with_columns
from spacy_chance_eval.corpora.sources import Source
from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.tasks import rank_files, score_files

WORDS = "Ann met Bob in Rome today".split()
POS = "NNP VBD NNP IN NNP NN".split()
CHUNK = "B-NP B-VP B-NP B-PP B-NP I-NP".split()
GOLD = "B-PER O B-PER O B-LOC O".split()
ONE = "B-PER O O O B-LOC O".split()
TWO = "B-LOC O B-PER O B-LOC O".split()
OTHER = "B-PERSON O B-PERSON O B-PLACE O".split()  # labels that gold does not have
NONE = ["O"] * 6
DENSE = "B-PER O B-PER I-PER B-LOC O".split()  # as may be in small files
LIKE_DENSE = "B-X O B-X I-X B-Y O".split()
INNER = "O O O O B-PER O".split()
BY = "eve - - - eve -".split()  # who annotated the spans of ONE
SCORE = "0.9 0.8 0.7 0.6 0.5 0.4".split()
EXPLAIN = ["score", "--explain", "-m", "span_f(draws=20)"]

# columns of gold behind the tokens, those of the other files, and which are gold and the others':
# the only one, the last, or an error about gold or a prediction
TABLE = {
    "one_column": ([GOLD], [[ONE]], 1, [1]),
    "one_column_before_others": ([GOLD, SCORE], [[POS, ONE, SCORE]], 1, [2]),
    "gold_of_2003": ([POS, CHUNK, GOLD], [[ONE]], 3, [1]),
    "gold_of_2003_and_gold_pred": ([POS, CHUNK, GOLD], [[GOLD, ONE], [GOLD, TWO]], 3, [2, 2]),
    "gold_of_2003_and_pred_gold": ([POS, CHUNK, GOLD], [[ONE, GOLD], [GOLD, TWO]], 3, [1, 2]),
    "gold_of_2003_and_all_columns": ([POS, CHUNK, GOLD], [[POS, CHUNK, GOLD, ONE]], 3, [4]),
    "gold_of_2003_and_pred_in_its_place": ([POS, CHUNK, GOLD], [[POS, CHUNK, ONE]], 3, [3]),
    "gold_of_2003_twice": ([POS, CHUNK, GOLD], [[POS, CHUNK, GOLD]], 3, [3]),
    "gold_of_2003_and_nothing_predicted": ([POS, CHUNK, GOLD], [[POS, CHUNK, NONE]], 3, [3]),
    "gold_of_2003_and_nothing_beside_chunks": ([POS, CHUNK, GOLD], [[CHUNK, NONE]], 3, [2]),
    "gold_of_2003_and_nothing_beside_gold": ([POS, CHUNK, GOLD], [[GOLD, NONE]], 3, [2]),
    "level_without_spans": ([GOLD, NONE], [[GOLD, NONE]], 1, [1]),
    "gold_of_2003_and_chunks_predicted": ([POS, CHUNK, GOLD], [[CHUNK[::-1]]], 2, [1]),
    "columns_of_o": ([NONE, GOLD], [[ONE]], 2, [1]),
    "columns_of_o_beside_gold": ([NONE, GOLD], [[GOLD, ONE]], 2, [2]),
    "columns_of_o_in_all": ([NONE, GOLD], [[NONE, TWO]], 2, [2]),
    "columns_of_o_and_gold_pred": ([NONE, GOLD, ONE], [[NONE, GOLD, TWO]], 2, [3]),
    "last_column_without_tags": ([GOLD, ONE, SCORE], [[GOLD, TWO]], 1, [2]),
    "last_column_of_annotators": ([ONE, BY], [[ONE, BY], [POS, TWO]], 1, [1, 2]),
    "labels_without_prefixes_of_other_spans": ([GOLD, BY], [[OTHER]], "gold", []),
    "gold_pred": ([GOLD, ONE], [[GOLD, TWO]], 1, [2]),
    "gold_pred_of_three": ([GOLD, ONE], [[GOLD, TWO], [GOLD, NONE]], 1, [2, 2]),
    "the_same_file": ([GOLD, ONE], [[GOLD, ONE]], "gold", []),
    "predictions_without_spans": ([GOLD, NONE], [[GOLD, ONE]], 1, [2]),
    "predictions_with_other_labels": ([GOLD, OTHER], [[GOLD, OTHER]], "gold", []),
    "all_columns_of_2003": ([POS, CHUNK, GOLD, ONE], [[POS, CHUNK, GOLD, TWO]], 3, [4]),
    "chunks_predicted": ([POS, CHUNK, CHUNK[::-1]], [[POS, CHUNK, CHUNK]], 2, [3]),
    "labels_of_gold": ([GOLD, OTHER], [[TWO]], 1, [1]),
    "labels_of_predictions": ([GOLD], [[TWO, OTHER], [OTHER, ONE]], 1, [1, 2]),
    "labels_of_neither": ([GOLD], [[OTHER]], 1, [1]),
    "last_column_elsewhere": ([ONE, GOLD], [[GOLD, TWO], [TWO, GOLD]], 2, [2, 1]),
    "pasted": ([GOLD, ONE], [[GOLD, ONE, TWO]], "gold", []),
    "two_copies": ([TWO, GOLD, ONE], [[GOLD, TWO]], "gold", []),
    "turned": ([TWO, GOLD], [[GOLD, TWO]], "gold", []),
    "gold_of_one_file_alone": ([GOLD, ONE], [[GOLD, TWO], [TWO]], "gold", []),
    "columns_of_tags_alone": ([GOLD, ONE], [[TWO]], "gold", []),
    "other_gold": ([GOLD, ONE], [[TWO, TWO]], "gold", []),
    "other_labels_alone": ([GOLD, OTHER], [[OTHER]], 2, [1]),
    "levels": ([GOLD, INNER, NONE], [[ONE, INNER, NONE]], "gold", []),
    "two_predictions": ([GOLD], [[GOLD, ONE, TWO]], "the prediction", []),
    "two_predictions_without_gold": ([GOLD], [[ONE, TWO]], "the prediction", []),
    "dense_gold_of_2003_and_nothing_beside_gold": ([CHUNK, DENSE], [[DENSE, NONE]], 2, [2]),
    "dense_gold_of_2003_and_nothing_beside_chunks": ([CHUNK, DENSE], [[CHUNK, NONE]], "gold", []),
    "dense_gold_of_2003_beside_other_labels": ([CHUNK, DENSE], [[LIKE_DENSE, DENSE]], 2, [1]),
    "dense_gold_equal_beside_chunks": ([DENSE], [[CHUNK, DENSE]], 1, [2]),
    "dense_gold_beside_other_labels": ([DENSE], [[LIKE_DENSE, DENSE]], 1, [1]),
    "a_prediction_and_no_span": ([GOLD], [[TWO, GOLD, NONE]], "the prediction", []),
    "no_labels_of_gold": ([GOLD], [[OTHER, OTHER[::-1]]], "the prediction", []),
}


def conll(path, *columns, words=WORDS):
    lines = ["\t".join(cells) for cells in zip(words, *columns, strict=True)]
    lines.insert(3, "")
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def source(path, column=None):
    return Source(path, column).looked_at()


def chosen(gold, *others):
    """The columns of gold and of other files, in which the last one stands for itself."""
    gold, others = with_columns(gold, others)
    return gold.layer, [one.layer for one in others]


@pytest.mark.parametrize(("mine", "theirs", "gold", "preds"), TABLE.values(), ids=TABLE)
def test_the_decision(tmp_path, mine, theirs, gold, preds):
    one = source(conll(tmp_path / "gold.conll", *mine))
    others = [source(conll(tmp_path / f"{i}.conll", *columns)) for i, columns in enumerate(theirs)]
    if isinstance(gold, str):
        with pytest.raises(FormatError, match=rf"nothing tells which of them is {gold}; name it:"):
            with_columns(one, others)
        return
    one, others = with_columns(one, others)
    places = [gold, *preds]
    lasts = [len(mine), *map(len, theirs)]
    nothing = [
        some[-1] == NONE and some is not mine and mine[-1] != NONE for some in (mine, *theirs)
    ]
    expected = [
        None if at == last and not (named and len(some) > 1) else str(at)
        for at, last, named, some in zip(places, lasts, nothing, (mine, *theirs))
    ]
    assert [one.layer, *(other.layer for other in others)] == expected
    tags = [sum({"O", "B-NP"} & {*column} != set() for column in some) for some in (mine, *theirs)]
    column = mine[gold - 1]
    others_too = (column in some[: at - 1] + some[at:] for some, at in zip(theirs, preds))
    copied = [False, *others_too]
    remarks = [bool(source.remark) for source in (one, *others)]
    assert remarks == [
        n > 1 and (at is not None or copy) for at, n, copy in zip(expected, tags, copied)
    ]


def test_the_error_lists_the_columns_with_their_labels(tmp_path):
    gold = source(conll(tmp_path / "gold.conll", GOLD, TWO, POS))
    with pytest.raises(FormatError) as caught:
        with_columns(gold, [source(conll(tmp_path / "other.conll", ONE))])
    assert str(caught.value).partition("gold.conll: ")[2] == (
        "columns 1 (LOC, PER) and 2 (LOC, PER) have tags (counted from 0), and nothing tells which "
        f"of them is gold; name it: {gold.path}#1; or all, if they are levels of nested spans: "
        f"{gold.path}#1,2"
    )


def test_files_that_cannot_be_read_are_passed_over(files):
    with open("broken.conll", "wb") as file:
        file.write(b"\xff\xfe\n")
    files = map(source, ("a.conll", "b.conll", "broken.conll"))
    assert chosen(*files) == ("1", [None, None])
    result = board("a.conll", "b.conll", "broken.conll", code=3)
    assert sorted(observed(result)) == ["a", "b"]
    assert "not UTF-8" in run("score", "a.conll", "broken.conll", code=1)


def test_a_named_column_of_gold_tells_which_is_the_prediction(tmp_path):
    gold = source(conll(tmp_path / "gold.conll", ONE, GOLD), "2")
    assert chosen(gold, source(conll(tmp_path / "other.conll", TWO, GOLD))) == ("2", ["1"])


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ([GOLD, INNER], [ONE, INNER], [None]),  # a level of which the prediction is right
        ([GOLD, INNER], [NONE, INNER], [None]),
        ([POS, CHUNK, GOLD], [POS, CHUNK[::-1], GOLD], [None]),
        ([ONE, GOLD], [TWO, GOLD], ["1"]),
        ([GOLD, INNER], [["O", "B-PER", *NONE[:4]], INNER], "the prediction; name it: .*#2;"),
    ],
)
def test_the_named_column_of_gold_and_a_copy_in_its_place(tmp_path, mine, theirs, expected):
    gold = source(conll(tmp_path / "gold.conll", *mine), str(len(mine)))
    other = source(conll(tmp_path / "other.conll", *theirs))
    if isinstance(expected, str):
        with pytest.raises(FormatError, match=expected):
            with_columns(gold, [other])
        return
    assert chosen(gold, other) == (gold.layer, expected)


def test_a_first_line_names_gold(tmp_path):
    names, words = ["#token", "gold", "one"], [WORDS, GOLD, ONE]
    rows = [names, *zip(*words)]
    (tmp_path / "gold.conll").write_text("".join("\t".join(row) + "\n" for row in rows))
    gold = source(str(tmp_path / "gold.conll"))
    other = source(conll(tmp_path / "other.conll", TWO))
    found, _ = with_columns(gold, [other])
    assert (found.layer, found.remark) == ("gold", "")
    assert chosen(other, gold) == (None, [None])  # in a prediction it is another one


def test_a_column_of_the_same_name_is_compared_though_it_is_equal_and_others_follow(tmp_path):
    """As in HIPE, where systems add columns."""
    for name, columns in {"gold": (GOLD, ONE), "pred": (GOLD, TWO, ONE)}.items():
        names = ["#token", *"abc"[: len(columns)]]
        lines = ["\t".join(row) for row in (names, *zip(WORDS, *columns))]
        (tmp_path / f"{name}.conll").write_text("\n".join(lines) + "\n")
    gold, pred = source(str(tmp_path / "gold.conll"), "a"), source(str(tmp_path / "pred.conll"))
    assert chosen(gold, pred) == ("a", ["a"])


# --- the commands


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    conll(tmp_path / "a.conll", GOLD, ONE)
    conll(tmp_path / "b.conll", GOLD, TWO)
    conll(tmp_path / "c.conll", GOLD, GOLD)
    conll(tmp_path / "alone.conll", TWO)


def run(*args, code=0):
    result = CliRunner().invoke(app, args)
    assert result.exit_code == code, result.output
    return result.output


def read(path="out.json"):
    with open(path) as file:
        return json.load(file)


def board(*args, code=0):
    run("score", *args, "--resamples", "0", "-m", "span_f", "-o", "out.json", code=code)
    return read()


def observed(result):
    return {row["system"]: row["observed"] for row in result["boards"][0]["rows"]}


def test_a_board_loses_only_what_cannot_be_read_of_a_file_that_is_named_twice(files):
    result = board("a.conll#1", "b=b.conll#2", "wrong=b.conll#9", code=3)
    assert [one["name"] for one in result["left_out"]] == ["wrong"]
    assert [*observed(result)] == ["b"]


PAIRS = {"score": ["score"], "diff": ["diff"], "explain": EXPLAIN}


def span_f(command, result):
    if command == "explain":
        return result["levels"]["span"]["total"]["scores"]["f"]["observed"]
    scores = result["layers"][0]["scores"] if command == "score" else result["scores"]
    return scores["span_f"]["observed"]


@pytest.mark.parametrize("command", PAIRS)
def test_the_advice_for_a_pair_works(files, command):
    text = run(*PAIRS[command], "a.conll", "alone.conll", code=1)
    assert "name it: a.conll#1" in " ".join(text.split())
    for files in (["a.conll#1", "alone.conll"], ["a.conll", "b.conll"]):
        run(*PAIRS[command], *files, "-o", "out.json")
        assert span_f(command, read()) == pytest.approx(4 / 6)


def test_one_file_with_more_columns_is_compared_by_its_last_two_which_is_said(tmp_path):
    path = conll(tmp_path / "a.conll", GOLD, ONE, TWO)
    *last, advice = scored([path])
    assert last == scored([f"{path}#2", f"{path}#3"])
    named = scored(shlex.split(advice.partition("name both: ")[2].rstrip(".")))
    assert named == scored([f"{path}#1", f"{path}#3"]) != last


def scored(args):
    """(gold spans, predicted spans, scores) of a call, and its first warning."""
    done = CliRunner().invoke(app, ["score", *args, "-o", "-"])
    result = json.loads(done.stdout)
    (layer,) = result["layers"]
    return [layer["n_gold"], layer["n_pred"], layer["scores"]["span_f"], *result["warnings"][:1]]


def rows(*columns):
    """A file of one token a line with its columns, after the tokens EU, rejects, German, call."""
    lines = zip("EU rejects German call .".split(), *map(str.split, columns))
    return "\n".join("\t".join(line) for line in lines) + "\n"


TRUE, FOUND = "B-ORG O B-MISC O O", "B-ORG O O O O"


PHRASES, TAGGED = "B-NP B-VP B-NP I-NP O", "NNP VBZ JJ NN ."
COPIED = [
    FOUND, "ORG _ _ _ _", "ORG 0 0 0 0", "(ORG) * * * *", "B_ORG o o o o", "ORG-B 0 0 0 0"
]  # fmt: skip
SPELT = {
    "ORG _ MISC _ _": "ORG _ _ _ _",
    "b-org o b-misc o o": "b-org o o o o",
    "ORG 0 MISC 0 0": "ORG 0 0 0 0",
    "ORG O MISC O O": "ORG O O O O",
}


@pytest.mark.parametrize(
    ("true", "found"),
    [([TRUE], [TRUE, spelt]) for spelt in COPIED]
    + [([TAGGED, PHRASES, one], [TAGGED, PHRASES, other]) for one, other in SPELT.items()],
)
def test_names_in_any_spelling_are_compared_not_gold_or_phrases_before_them(tmp_path, true, found):
    (tmp_path / "gold").write_text(rows(*true))
    (tmp_path / "pred").write_text(rows(*found))
    gold, pred, f, *_ = scored([str(tmp_path / "gold"), str(tmp_path / "pred")])
    assert (gold, pred, f["observed"]) == (2, 1, pytest.approx(2 / 3))


def test_phrases_behind_names_that_differ_are_not_compared_unasked(tmp_path):
    (tmp_path / "gold").write_text(rows(TRUE, PHRASES))
    (tmp_path / "pred").write_text(rows("O O O O O", PHRASES))
    done = CliRunner().invoke(app, ["score", str(tmp_path / "gold"), str(tmp_path / "pred")])
    assert done.exit_code == 1 and "columns 1 (MISC, ORG) and 2 (NP, VP) have" in done.stderr


def test_of_several_predictions_beside_a_column_called_gold_one_has_to_be_named(tmp_path):
    path = conll(tmp_path / "a.conll", GOLD, ONE, TWO)
    Path(path).write_text("#token\tgold\tone\ttwo\n" + Path(path).read_text())
    done = CliRunner().invoke(app, ["score", path])
    assert done.exit_code == 1 and "columns 2 one (LOC, PER) and 3 two " in done.stderr
    advice = shlex.split(done.stderr.partition("name it: ")[2].partition("\n")[0])
    assert scored(advice)[:2] == [3, 2]


@pytest.mark.parametrize(
    ("columns", "first_line", "expected"),
    [
        ([POS, CHUNK, GOLD, ONE], None, (3, 4)),
        ([POS, GOLD, ONE], None, (2, 3)),
        ([GOLD, POS, ONE], None, (1, 3)),
        ([GOLD, ONE, SCORE], None, (1, 2)),
        ([NONE, GOLD, NONE], None, (2, 3)),
        ([NONE, GOLD], None, (-2, -1)),
        ([GOLD, POS, ONE], ["#token", "gold", "pos", "pred"], ("gold", 3)),
        ([ONE, GOLD], ["#token", "pred", "gold"], ("gold", 1)),
    ],
    ids=["chunks", "pos", "between", "score", "o", "no_spans", "named", "named_last"],
)
def test_the_column_of_gold_beside_a_prediction(tmp_path, columns, first_line, expected):
    path = tmp_path / "a.conll"
    conll(path, *columns)
    if first_line:
        path.write_text("\t".join(first_line) + "\n" + path.read_text())
    assert columns_beside(source(str(path))) == (*expected, "")


def nested_f(*args):
    run(*args, "--chance", "nested", "-m", "span_f", "-o", "out.json")
    return read()["layers"][0]["scores"]["span_f"]["observed"]


@pytest.mark.parametrize(
    ("args", "said", "value"),
    [
        (("gold.conll#1,2",), "Columns 1,2 of pred.conll were read, as of gold.", 6 / 7),
        (("gold.conll", "--column", "1,2"), "Columns 1,2 of pred.conll were read, as", 6 / 7),
        (("gold.conll#1",), "The prediction is column 1 of pred.conll, as of gold.", 4 / 5),
        (("gold.conll", "--column", "1"), "The prediction is column 1 of pred.conll, as", 4 / 5),
    ],
)
def test_predictions_have_the_columns_of_gold(tmp_path, monkeypatch, args, said, value):
    monkeypatch.chdir(tmp_path)
    conll(tmp_path / "gold.conll", GOLD, INNER)
    conll(tmp_path / "pred.conll", ONE, INNER)
    assert nested_f("score", args[0], "pred.conll", *args[1:]) == pytest.approx(value)
    assert [text.startswith(said) for text in read()["warnings"]] == [True]
    result = board(args[0], "pred=pred.conll", *args[1:], "--chance", "nested")
    assert observed(result) == {"pred": pytest.approx(value)}


def test_tags_in_misc_of_a_treebank_are_compared_unless_trees_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, tags in (("gold", GOLD), ("pred", ONE)):
        heads = [0, *[1] * 5]
        rows = [
            f"{at}\t{word}\t_\t_\t_\t_\t{head}\tx\t_\tSpaceAfter=No|name={tag}\n"
            for at, (word, head, tag) in enumerate(zip(WORDS, heads, tags), 1)
        ]
        for ending in ("conllu", "conll"):
            (tmp_path / f"{name}.{ending}").write_text("".join(rows))
    for ending in ("conllu", "conll"):
        files = (f"gold.{ending}", f"pred.{ending}", "-o", "out.json")
        run("score", *files)
        assert span_f("score", read()) == pytest.approx(4 / 5)
        run("score", *files, "-m", "las")
        assert read()["layers"][0]["scores"]["las"]["observed"] == 1


def outcome(call):
    """(observed F, what is said of columns) of a call, or the error."""
    try:
        observed, warnings = call()
    except (FormatError, ValueError) as error:
        return str(error).replace("The prediction", "a").replace("the prediction", "a")
    said = [text for text in warnings if text.startswith(("Gold is", "The prediction is column"))]
    return observed, [text.partition("; its last column")[0].rstrip(".") for text in said]


ONE_OTHER = {name: case[:2] for name, case in TABLE.items() if len(case[1]) == 1}


@pytest.mark.parametrize(("mine", "theirs"), ONE_OTHER.values(), ids=ONE_OTHER)
def test_a_board_and_a_score_of_two_files_decide_alike(tmp_path, mine, theirs):
    gold, pred = conll(tmp_path / "gold.conll", *mine), conll(tmp_path / "a.conll", *theirs[0])
    metrics = {"span_f": request("span_f")}

    def scored():
        found = score_files(gold, pred, metrics=metrics)
        return found["layers"][0]["scores"]["span_f"]["observed"], found["warnings"]

    def ranked():
        found, _ = rank_files(gold, [pred], metrics=metrics, intervals=Resampling(0))
        rows = {row["system"]: row["observed"] for row in found["boards"][0]["rows"]}
        return rows["a"], found["warnings"]

    assert outcome(scored) == outcome(ranked)
