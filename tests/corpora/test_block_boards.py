"""Leaderboards of many blocks: they are those of one block."""

import pytest

from helpers.blocks import NONE, assert_alike, folder, written
from helpers.teamfiles import SYSTEMS, files_of_board, rank, rank_in_blocks, rows_of_board
from spacy_chance_eval import Resampling, request
from spacy_chance_eval.corpora.passes import Workers
from spacy_chance_eval.scoring.evaluation import default_requests
from spacy_chance_eval.scoring.ranking import Comparison


def check(*sources, workers=None, kept=None, **options):
    """Assert that many blocks give what one does; the board."""
    found = rank_in_blocks(*sources, workers=workers, kept=kept, **options)
    assert_alike(found, rank(*sources, **options))
    return found


SETTINGS = {
    "subsets": {"subset": ["chance", "density", "genre", "length"], "intervals": NONE},
    "thresholds": {"subset": ["chance:.2", "length:3,6"], "intervals": NONE},
    "cluster": {"subset": ["length"], "cluster": "genre"},
    "documents": {"cluster": "none", "intervals": Resampling(20, 1, "bca")},
    "alpha": {"comparison": Comparison(alpha=0.2)},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_boards_of_all_sorts_are_those_of_one_block(settings, tmp_path):
    found = check(*files_of_board(tmp_path), **settings)
    assert found["clusters"] == settings.get("cluster", "article").replace("none", "documents") or (
        settings.get("intervals") is NONE
    )


def test_folders_are_ranked(tmp_path):
    sides = zip(*rows_of_board(20))
    paths = [str(folder(tmp_path / n, side, 3)) for n, side in zip(("gold", *SYSTEMS), sides)]
    check(*paths)
    check(paths[0], f"one={paths[1]}/*", paths[2], workers=Workers(n_process=1, skip_bad=True))


def test_columns_and_layers_are_systems(tmp_path):
    text = "#token\tgold\tann\tbob\n"
    for i in range(20):
        tags = [["O", "B-A", "B-B"][(i * k) % 3] for k in (1, 2, 3)]
        text += "\t".join(["w", *tags]) + "\n" + "\n" * (i % 3 == 0)
    path = tmp_path / "all.tsv"
    path.write_text(text)
    assert [one["name"] for one in check(f"{path}#gold")["systems"]]
    check(f"{path}#gold", f"x={path}#bob")
    rows = [
        gold | {"spans": None, "layers": {"gold": gold["spans"], **named(systems)}}
        for gold, *systems in rows_of_board()
    ]
    for row in rows:
        del row["spans"]
    check(f"{written(tmp_path / 'layers.jsonl', rows)}#gold")


def named(systems):
    return {name: one["spans"] for name, one in zip(SYSTEMS, systems)}


# --- systems that cannot be compared


def with_other_tokens(rows, system, label="ODD"):
    """The rows, of which one system has other tokens in the end, and a label of its own."""
    rows = list(rows)
    last = rows[-1][system]
    last["tokens"] = [*last["tokens"], "more"]
    first = next(row[system] for row in rows if row[system]["tokens"])
    first["spans"] = [{"start": 0, "end": 1, "label": label}]
    return rows


@pytest.mark.parametrize(("subset", "system"), [([], 1), (["length"], 2)])
def test_a_system_with_other_tokens_is_left_out(subset, system, tmp_path):
    sources = files_of_board(tmp_path, with_other_tokens(rows_of_board(), system))
    found = check(*sources, subset=subset)
    (left_out,) = found["left_out"]
    assert left_out["name"] == SYSTEMS[system - 1]
    assert "gold.jsonl:13" in left_out["reason"] and "document 'd12'" in left_out["reason"]
    without = [path for i, path in enumerate(sources) if i != system]
    expected = rank(*without, subset=subset)
    assert_alike(found | {"left_out": []}, expected)


def test_a_system_without_layers_is_left_out(tmp_path):
    rows = list(rows_of_board())
    for _, first, *_ in rows:
        del first["spans"]
    found = check(*files_of_board(tmp_path, rows), subset=["length"])
    assert "no row has a list of spans" in found["left_out"][0]["reason"]


OPEN = ("span_f", "span_f(labels=ignore)", "token_f(chance=none)")


@pytest.mark.parametrize(
    ("labels", "models"),
    [("AA", ["overlapping"] * 2), ("AB", ["disjoint", "overlapping"]), ("A", ["disjoint"] * 2)],
)
def test_a_system_whose_last_spans_overlap_decides_on_the_chance_of_all(tmp_path, labels, models):
    rows = list(rows_of_board())
    rows.append([{"id": "last", "tokens": [*"abcd"], "sents": [0], "spans": []} for _ in range(4)])
    spans = [{"start": i, "end": i + 2, "label": label} for i, label in enumerate(labels)]
    rows[-1][2] = rows[-1][2] | {"spans": spans}
    files = files_of_board(tmp_path, rows)
    found = check(*files, metrics=default_requests(OPEN), intervals=NONE)
    named = {key: request("span_f", chance=m, **more)
             for key, m, more in zip(OPEN, models, ({}, {"labels": "ignore"}))}  # fmt: skip
    expected = rank(*files, metrics={**default_requests(OPEN), **named}, intervals=NONE)
    assert_alike(found["boards"], expected["boards"])
    said = [one for one in found["warnings"] if one not in expected["warnings"]]
    assert len(said) == ("overlapping" in models) and all("chance=overlapping" in x for x in said)
