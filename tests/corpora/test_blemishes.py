"""`--on-error skip` in scores, boards and agreement: numbers are those of the sound part."""

import json
from contextlib import nullcontext

import numpy as np
import pytest

from helpers.blocks import assert_alike, check, defaults, many_blocks, plain, score
from spacy_chance_eval import Resampling
from spacy_chance_eval.corpora.jobs import Asked
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.tasks.agree import agree_files
from spacy_chance_eval.tasks.rank import RankOptions, rank_files
from spacy_chance_eval.tasks.trees import score_tree_files

SKIP = {"on_error": "skip"}
METRICS = ("span_f", "token_f", "slicm")
WORDS = ["Ada", "met", "Bob", "in", "Rome"]
BROKEN = '{"tokens": ['


def lines(seed, n=24, named=False):
    """Rows with two, one or no span."""
    spans = [[0, 1, "PER"], [2, 3, "PER"], [4, 5, "LOC"]]
    return [
        json.dumps(
            ({"id": f"d{i}"} if named else {})
            | {"tokens": [*WORDS, str(i)], "spans": spans[(i * seed) % 3 : 1 + (i + seed) % 3]}
        )
        for i in range(n)
    ]


def files(folder, broken, named=False):
    """Files with broken lines, and files without the rows that any of them lacks."""
    gone = set().union(*broken)
    found = [], []
    for seed, places in enumerate(broken, 1):
        rows = lines(seed, named=named)
        texts = [
            [BROKEN if at in places else row for at, row in enumerate(rows)],
            [row for at, row in enumerate(rows) if at not in gone],
        ]
        for paths, kind, text in zip(found, ("broken", "sound"), texts):
            path = folder / kind / f"{'abc'[seed - 1]}.jsonl"
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(text) + "\n", "utf-8")
            paths.append(str(path))
    return found


def scores_of(result):
    """What a result of `score` says of the spans, without signatures and documents."""
    layer = json.loads(
        json.dumps(result["layers"][0]),
        object_hook=lambda one: {k: v for k, v in one.items() if k not in ("signature", "per_doc")},
    )
    return {key: layer[key] for key in ("n_docs", "n_gold", "n_pred", "scores")}


@pytest.mark.parametrize("named", [False, True], ids=["by place", "by name"])
def test_a_score_is_that_of_the_sound_part(tmp_path, named):
    broken, sound = files(tmp_path, [{3}, {3, 7}], named)
    metrics = defaults(*METRICS)
    found = score(*broken, metrics=metrics, **SKIP)
    assert_alike(scores_of(found), scores_of(score(*sound, metrics=metrics)))


def test_the_result_and_the_signature_count_what_was_skipped(tmp_path):
    broken, _ = files(tmp_path, [set(), {3, 7}])
    result = score(*broken, metrics=defaults("span_f"), **SKIP)
    assert [one["n"] for one in result["skipped"]] == [2]
    assert "|skipped=pred=2/24 documents|" in json.dumps(result)
    assert "2 documents were left out" in "".join(result["warnings"])


def test_many_blocks_skip_as_one_does(tmp_path):
    broken, _ = files(tmp_path, [{3, 11}, {3, 7}])
    check(*broken, metrics=defaults(*METRICS), **SKIP)


def test_a_document_that_is_not_there_is_no_empty_prediction_in_any_block(tmp_path):
    row = {"tokens": WORDS, "spans": [[0, 1, "PER"]]}
    gold, pred = tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"
    gold.write_text("".join(f"{one}\n" for one in [BROKEN, *[json.dumps(row)] * 5]), "utf-8")
    bare = json.dumps({"tokens": WORDS})
    pred.write_text("".join(f"{one}\n" for one in [bare, BROKEN, *[json.dumps(row)] * 4]), "utf-8")
    assert check(str(gold), str(pred), metrics=defaults("span_f"), **SKIP)["n_docs"] == 4


def board(paths):
    """The result of a board without what differs by the names of the files."""
    how = RankOptions(defaults("span_f", "token_f"), intervals=Resampling(20))
    result, _ = rank_files(paths[0], paths[1:], how=how, reading=Reading(**SKIP))
    return plain(result)


def standings(result):
    """The scores of a board, without signatures."""
    text = json.dumps(result["boards"])
    return json.loads(
        text, object_hook=lambda one: {k: v for k, v in one.items() if k != "signature"}
    )


def test_a_board_compares_systems_on_what_all_have(tmp_path):
    broken, sound = files(tmp_path, [{3}, {5}, {3, 7}])
    found, expected = board(broken), board(sound)
    assert (found["n_docs"], found["left_out"]) == (21, [])
    assert_alike(standings(found), standings(expected))


def test_a_board_in_blocks_is_the_same(tmp_path):
    broken, _ = files(tmp_path, [{3}, {5}, {3, 7}])
    with many_blocks():
        found = board(broken)
    assert_alike(found, board(broken))


@pytest.mark.parametrize("named", [False, True], ids=["by place", "by name"])
def test_an_annotator_has_not_seen_what_was_skipped(tmp_path, named):
    broken, _ = files(tmp_path, [{3}, {5}, {3, 7}], named)
    reading = Reading(**SKIP)
    result = agree_files(broken, asked=Asked(["u_alpha"]), reading=reading, intervals=Resampling(0))
    seen = {one["name"]: one["n_docs"] for one in result.result["annotators"]}
    assert seen == {"a": 23, "b": 23, "c": 22}


@pytest.mark.parametrize("at", [0, 1], ids=["gold", "pred"])
def test_blemished_trees_are_not_compared(tmp_path, at):
    heads = [(2, 0, 2), (2, 0, 1), (3, 3, 0)]
    paths, sound = [tmp_path / "gold.conllx", tmp_path / "pred.conllx"], []
    for side, path in enumerate(paths):
        trees = [tree(*heads[(n * (side + 1)) % 3]) for n in range(13)]
        trees[3] = tree(2, 0, 9) if side == at else trees[3]
        path.write_text("".join(trees), "utf-8")
        sound.append(tmp_path / f"sound-{path.name}")
        sound[-1].write_text("".join(trees[:3] + trees[4:]), "utf-8")
    result = score_tree_files(*paths, reading=Reading(on_error="skip"))[0]
    expected = score_tree_files(*sound)[0]
    assert "skipped={}=1/13 sentences".format(("gold", "pred")[at]) in json.dumps(result)
    assert "1 sentence was left out" in json.dumps(result)
    assert_alike(*(trees_of(one)["scores"] for one in (result, expected)))


def trees_of(result):
    """The only layer of a result, without signatures."""
    return json.loads(
        json.dumps(result["layers"][0]),
        object_hook=lambda one: {k: v for k, v in one.items() if k != "signature"},
    )


def tree(*heads):
    """A sentence of CoNLL-X with these heads."""
    words = ["Ada", "met", "Bob"]
    rows = zip(range(1, 4), words, heads)
    return "".join(f"{n}\t{word}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n" for n, word, head in rows) + "\n"


def crossing(path, annotators):
    """A panel in which x crosses labels in document 2, and y units of one label in document 3."""
    units = {("x", 2): [[0, 2, "PER"], [1, 3, "LOC"]], ("y", 3): [[0, 2, "PER"], [1, 3, "PER"]]}
    rows = [
        {"id": str(doc), "tokens": WORDS, "annotator": name, "spans": units.get((name, doc), spans)}
        for doc in range(6)
        for name, spans in annotators.items()
    ]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


@pytest.mark.parametrize(
    ("metric", "gone"), [("u_alpha", {("x", "2"), ("y", "3")}), ("alpha_u", {("y", "3")})]
)
def test_overlapping_units_cost_the_row_of_their_annotator(tmp_path, metric, gone):
    annotators = {"x": [[0, 1, "PER"]], "y": [[0, 1, "PER"], [2, 3, "PER"]], "z": [[2, 4, "LOC"]]}
    path = crossing(tmp_path / "a.jsonl", annotators)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    sound = tmp_path / "b.jsonl"
    kept = [row for row in rows if (row["annotator"], row["id"]) not in gone]
    sound.write_text("\n".join(map(json.dumps, kept)), "utf-8")

    def team(path, **options):
        reading = Reading(annotator="annotator", **options)
        asked, none = Asked([metric]), Resampling(0)
        return agree_files([path], asked=asked, reading=reading, intervals=none).result

    found = team(path, on_error="skip")
    assert found["skipped"][0]["n"] == len(gone)
    assert f"skipped={len(gone)}/6 documents" in json.dumps(found)
    one, two = found["metrics"][0]["team"], team(sound)["metrics"][0]["team"]
    assert [one[kind] for kind in ("observed", "expected", "corrected")] == [
        two[kind] for kind in ("observed", "expected", "corrected")
    ]


@pytest.mark.parametrize("named", [True, False], ids=["names", "places"])
def test_overlapping_units_are_told_by_the_file_and_line_of_their_annotator(tmp_path, named):
    paths = []
    for name in "abc":
        rows = [{"id": str(n), "tokens": WORDS, "spans": [[0, 1, "PER"]]} for n in range(4)]
        if name == "b":
            rows[2]["spans"] = [[0, 2, "PER"], [1, 3, "LOC"]]
        rows = rows[::-1] if named and name == "b" else rows
        rows = rows if named else [{**row, "id": None} for row in rows]
        paths.append(tmp_path / f"{name}.jsonl")
        paths[-1].write_text("\n".join(map(json.dumps, rows)), "utf-8")
    reading = Reading(on_error="skip")
    asked, none = Asked(["u_alpha"]), Resampling(0)
    found = agree_files(paths, asked=asked, reading=reading, intervals=none).result["skipped"]
    (place,) = found[0]["first"]
    assert (place["path"], place["line"]) == (str(paths[1]), 2 if named else 3)


# the documents whose overlapping units a metric cannot use
CANNOT_USE = {
    "u_alpha": [1, 4],
    "alpha_u": [4],
    "alpha_u(labels=ignore)": [1, 4],
    "span_f(chance=none)": [],
}


def overlapping(folder, gone=()):
    """Files of three annotators; of one, units overlap in a document, of one label in another."""
    paths = []
    for seed, name in enumerate("abc"):
        rng = np.random.default_rng(seed)
        rows = []
        for n in range(12):
            start = int(rng.integers(4))
            spans = [[start, start + 2, "PER"]] if rng.random() < 0.8 else []
            rows.append({"id": str(n), "tokens": [f"w{i}" for i in range(9)], "spans": spans})
        if name == "b":
            rows[0]["spans"] = [[5, 6, "LOC"]]
            rows[1]["spans"] = [[0, 2, "PER"], [1, 3, "LOC"]]
            rows[4]["spans"] = [[0, 2, "PER"], [1, 3, "PER"]]
            for n in gone:
                rows[n]["spans"] = None
        folder.mkdir(exist_ok=True)
        paths.append(folder / f"{name}.jsonl")
        paths[-1].write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return paths


@pytest.mark.parametrize("blocks", [False, True], ids=["block", "blocks"])
@pytest.mark.parametrize("metric", CANNOT_USE)
def test_a_metric_leaves_out_the_units_that_it_cannot_use_whatever_stands_beside_it(
    tmp_path, metric, blocks
):
    def numbers(paths, metrics, **options):
        reading, ten = Reading(**options), Resampling(10)
        found = agree_files(paths, asked=Asked(metrics), reading=reading, intervals=ten).result
        (one,) = (one for one in found["metrics"] if one["metric"] == metric)
        return {**one, "signature": None, "documents": None}, found

    paths, gone = overlapping(tmp_path / "all"), CANNOT_USE[metric]
    expected, _ = numbers(overlapping(tmp_path / "sound", gone), [metric])
    with many_blocks() if blocks else nullcontext():
        alone, _ = numbers(paths, [metric], on_error="skip")
        beside, found = numbers(paths, list(CANNOT_USE), on_error="skip")
    assert_alike(alone, expected)
    assert_alike(beside, expected)
    said = [one["n"] for one in found["skipped"] if metric in one["metrics"]]
    assert said == [len(gone)] * bool(gone)
    (signature,) = (m["signature"] for m in found["metrics"] if m["metric"] == metric)
    assert ("|skipped=" in signature) == bool(gone)


def test_a_mean_says_which_pairs_it_lacks(tmp_path):
    asked, none = Asked(["u_alpha", "span_f(chance=none)"]), Resampling(0)
    found = agree_files(overlapping(tmp_path), asked=asked, intervals=none).result
    (said,) = (note for note in found["notes"] if "the mean of" in note)
    assert said.startswith("the mean of u_alpha is that of 1 of 3 pairs: 2 cannot be scored (b: ")
