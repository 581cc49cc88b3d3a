"""`--on-error skip` in scores, boards and agreement: numbers are those of the sound part."""

import json

import numpy as np
import pytest

from helpers.blocks import assert_alike, check, defaults, plain, score
from spacy_chance_eval import Resampling
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.tasks.agree import agree_files
from spacy_chance_eval.tasks.rank import rank_files
from spacy_chance_eval.tasks.trees import score_tree_files

SKIP = {"on_error": "skip"}
METRICS = ("span_f", "token_f", "slicm")
WORDS = ["Ada", "met", "Bob", "in", "Rome"]
BROKEN = '{"tokens": ['


def lines(seed, n=24):
    """Rows with two, one or no span."""
    spans = [[0, 1, "PER"], [2, 3, "PER"], [4, 5, "LOC"]]
    return [
        json.dumps(
            {"tokens": [*WORDS, str(i)], "spans": spans[(i * seed) % 3 : 1 + (i + seed) % 3]}
        )
        for i in range(n)
    ]


def files(folder, broken):
    """Files with broken lines, and files without the rows that any of them lacks."""
    gone = set().union(*broken)
    found = [], []
    for seed, places in enumerate(broken, 1):
        rows = lines(seed)
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
    how = {"metrics": defaults("span_f", "token_f"), "intervals": Resampling(20)}
    result, _ = rank_files(paths[0], paths[1:], **how, reading=Reading(**SKIP))
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


def overlapping(folder):
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
        folder.mkdir(exist_ok=True)
        paths.append(folder / f"{name}.jsonl")
        paths[-1].write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return paths


def test_a_mean_says_which_pairs_it_lacks(tmp_path):
    metrics, none = ["u_alpha", "span_f(chance=none)"], Resampling(0)
    found = agree_files(overlapping(tmp_path), metrics=metrics, intervals=none).result
    mean = found["metrics"][0]["mean"]
    assert mean["corrected"] is None and mean["n_pairs"] == 1
    assert mean["reason"].startswith("2 of 3 pairs cannot be scored (b: ")
