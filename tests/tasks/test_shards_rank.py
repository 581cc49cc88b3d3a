"""Leaderboards of large files, which are read in parts: they are those of the whole files."""

import json

import pytest

from helpers.shardfiles import (
    NONE,
    apart,
    defaults,
    folder,
    law_requests,
    made,
    plain,
    tiny,
    written,
)
from spacy_chance_eval import Resampling
from spacy_chance_eval.corpora.shards import Workers
from spacy_chance_eval.scoring.standings import Comparison
from spacy_chance_eval.tasks import rank_shards
from spacy_chance_eval.tasks.rank import rank_files

pytestmark = pytest.mark.integration

METRICS = defaults("span_f", "token_f", "slicm_norm", "gwet_ac1", "negative_agreement")
SYSTEMS = ("ann", "bob", "cyd")


@pytest.fixture(autouse=True)
def whole_boards(monkeypatch):
    """Says how boards were made."""
    made_so, plain_work = [], rank_shards.ranked
    monkeypatch.setattr(rank_shards, "ranked", lambda *all: made_so.append(1) or plain_work(*all))
    return made_so


def rows_of(n_docs=13, kind="flat", **options):
    """Rows of gold and of the systems; what gold has not seen, nobody has."""
    rows = list(made(n_docs, kind=kind, more=False, **options))
    others = [made(n_docs, seed, kind, more=False, **options) for seed in (2, 3)]
    for i, both in enumerate(zip(rows, *others)):
        (gold, first), *more = both
        about = gold | {"article": f"a{i // 3}", "genre": "ab"[i % 2], "only": i % 5}
        size = len(gold["tokens"])
        systems = [first["spans"], *(fitting(pred["spans"], size) for _, pred in more)]
        yield about, *(gold | {"spans": spans} for spans in systems)


def fitting(spans, size):
    return [span for span in spans if span["end"] <= size]


def files(path, rows=None):
    """Files of gold and the systems."""
    sides = zip(*(rows or rows_of()))
    return [str(written(path / f"{n}.jsonl", side)) for n, side in zip(("gold", *SYSTEMS), sides)]


def board(gold, *systems, large=10**9, kept=None, few=2, **settings):
    settings = {"metrics": METRICS, "intervals": Resampling(20)} | settings
    with tiny(few, large=large, kept=kept):
        return plain(rank_files(gold, systems, **settings)[0])


@pytest.fixture
def check(whole_boards):
    def compared(*sources, kept=None, workers=None, **settings):
        """Compare a board made in parts with that of the whole files; it is given back."""
        found = board(*sources, large=-1, kept=kept, workers=workers, **settings)
        assert whole_boards, "not in parts"
        whole_boards.clear()
        expected = board(*sources, **settings)
        assert not whole_boards
        differ = list(apart(found, expected))
        assert not differ, differ[:3]
        return found

    return compared


@pytest.mark.parametrize("kept", [0, 10**9])
def test_boards_are_those_of_the_whole(kept, check, tmp_path):
    check(*files(tmp_path), kept=kept)


def test_boards_of_every_metric_are_those_of_the_whole(check, tmp_path):
    check(*files(tmp_path), metrics=law_requests("flat"), intervals=NONE)


@pytest.mark.parametrize("settings", [
    {"subset": ["length"]}, {"subset": ["chance", "genre"]}, {"subset": ["label_count"]} and
    {"subset": ["genre", "length"], "intervals": NONE}, {"cluster": "genre"}, {"cluster": "none"},
    {"sort": "name"}, {"sort": "span_f:observed"}, {"intervals": NONE}, {"bins": 2, "subset":
    ["length"]}, {"comparison": Comparison(alpha=0.2)}, {"intervals": Resampling(20, 1, "bca")},
], ids=str)  # fmt: skip
def test_boards_of_all_sorts_are_those_of_the_whole(settings, check, tmp_path):
    found = check(*files(tmp_path), **settings)
    assert found["clusters"] == settings.get("cluster", "article").replace("none", "documents") or (
        settings.get("intervals") is NONE
    )


def test_folders_are_ranked(check, tmp_path):
    sides = zip(*rows_of(20))
    paths = [str(folder(tmp_path / n, side, 3)) for n, side in zip(("gold", *SYSTEMS), sides)]
    check(*paths)
    check(paths[0], f"one={paths[1]}/*", paths[2], workers=Workers(n_process=1, skip_bad=True))


def test_columns_and_layers_are_systems(check, tmp_path):
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
        for gold, *systems in rows_of()
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


@pytest.mark.parametrize("system", [1, 2])
@pytest.mark.parametrize("subset", [[], ["length"]])
def test_a_system_with_other_tokens_is_left_out(subset, system, check, tmp_path):
    sources = files(tmp_path, with_other_tokens(rows_of(), system))
    found = check(*sources, subset=subset)
    (left_out,) = found["left_out"]
    assert left_out["name"] == SYSTEMS[system - 1]
    assert "gold.jsonl:13" in left_out["reason"] and "document 'd12'" in left_out["reason"]
    without = [path for i, path in enumerate(sources) if i != system]
    expected = board(*without, subset=subset)
    assert not list(apart(found | {"left_out": []}, expected))


def test_a_system_that_did_not_see_all_is_left_out_and_changes_nothing(check, tmp_path):
    rows = list(rows_of())
    rows[0][2]["spans"] = [{"start": 0, "end": 1, "label": "ODD"}] * bool(rows[0][2]["tokens"])
    rows[-1][2]["spans"] = None
    sources = files(tmp_path, rows)
    found, expected = (board(*sources, large=large) for large in (-1, 10**9))
    for one in (found, expected):
        assert "d12 is not annotated" in one["left_out"].pop()["reason"]
    assert not list(apart(found, expected))
    assert not list(apart(expected, board(*sources[:2], sources[3])))


def test_a_system_without_layers_is_left_out(check, tmp_path):
    rows = list(rows_of())
    for _, first, *_ in rows:
        del first["spans"]
    found = check(*files(tmp_path, rows), subset=["length"])
    assert "no document has any layer" in found["left_out"][0]["reason"]


def test_a_system_that_cannot_be_compared_may_be_an_error(tmp_path):
    sources = files(tmp_path, with_other_tokens(rows_of(), 2))
    for large in (-1, 10**9):
        with pytest.raises(ValueError, match="document 'd12'"):
            board(*sources, large=large, on_mismatch="error")


def test_if_no_system_can_be_compared_that_is_an_error(tmp_path):
    sources = files(tmp_path, with_other_tokens(rows_of(), 2))
    for large in (-1, 10**9):
        with pytest.raises(ValueError, match="no system can be compared .bob: .*d12"):
            board(sources[0], sources[2], large=large)


def test_labels_that_nobody_else_has_count_as_wrong(check, tmp_path):
    rows = list(rows_of())
    row = next(row for row in rows if row[2]["tokens"])
    row[2]["spans"] = [{"start": 0, "end": 1, "label": "ODD"}]
    assert any("ODD" in note for note in check(*files(tmp_path, rows))["notes"])


# --- what has to be read as a whole


def test_systems_in_another_order_are_read_as_a_whole(whole_boards, tmp_path):
    sides = list(zip(*rows_of()))
    gold = written(tmp_path / "gold.jsonl", sides[0])
    turned = written(tmp_path / "ann.jsonl", sides[1][::-1])
    other = written(tmp_path / "bob.jsonl", sides[2])
    found = board(str(gold), str(turned), str(other), large=-1)
    assert not whole_boards
    expected = board(*files(tmp_path / "more")[:3])
    for one in (found, expected):
        for system in one["systems"]:
            system.pop("source")
    assert not list(apart(found | {"gold": ""}, expected | {"gold": ""}))


def test_worst_documents_are_of_the_whole(whole_boards, tmp_path):
    board(*files(tmp_path), large=-1, worst=2)
    assert not whole_boards


def test_bad_files_are_left_out_of_boards(tmp_path):
    sides = [list(side) for side in zip(*rows_of(20))]
    paths = [folder(tmp_path / n, side, 3) for n, side in zip(("gold", *SYSTEMS), sides)]
    bad = paths[2] / "part-2.jsonl"
    bad.write_text(bad.read_text()[:-9])
    with pytest.raises(ValueError, match="bob/part-2.jsonl"):
        board(*map(str, paths), large=-1)
    found = board(*map(str, paths), large=-1, workers=Workers(skip_bad=True))
    (note,) = [one for one in found["notes"] if "Left out, and in no number" in one]
    assert str(bad) in note
    for path in paths:
        (path / "part-2.jsonl").unlink()
    expected = board(*map(str, paths))
    text = json.dumps(found).replace("left_out=1/3|", "")
    found = json.loads(text)
    found["notes"].remove(note)
    assert not list(apart(found, expected))
