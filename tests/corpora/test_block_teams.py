"""Agreement of annotators in many blocks: what only all documents tell, and what is one block."""

import pytest

from helpers.blocks import NONE, assert_alike
from helpers.panelfiles import lines
from helpers.teamfiles import NAMES, agree, agree_in_blocks, documents, team
from spacy_chance_eval.corpora.passes import Workers
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.tasks.agree import agree_files


def check(sources, **options):
    """Assert that many blocks give what one does; the result."""
    found = agree_in_blocks(sources, **options)
    assert_alike(found, agree(sources, **options))
    return found


def layers(path, names, **options):
    """One file with a layer for each annotator."""
    rows = [about | {"layers": found} for about, found in documents(names, **options)]
    return str(lines(path, *rows))


@pytest.mark.parametrize("worst", [None, 20], ids=["rows", "sums"])
def test_units_of_labels_that_overlap_have_the_values_of_one_block(tmp_path, worst):
    metrics = ["u_alpha", "bar_u_alpha", "cu_alpha", "cu_coverage"]
    found = check(team(tmp_path, 3, kind="disjoint"), metrics=metrics, worst=worst)
    for one in found["metrics"]:
        assert headline(one["team"]) is None and "units of several labels" in one["team"]["reason"]
        assert any(headline(row["team"]) is not None for row in one["per_label"])


def test_texts_are_cut_into_tokens(tmp_path):
    rows = [{"id": f"d{i}", "text": "Ada met Rex.", "spans": [[0, 3, "P"]]} for i in range(9)]
    other = [row | {"spans": [[8, 11, "P"], [4, 6, "Q"]]} for row in rows]
    sources = [lines(tmp_path / "a.jsonl", *rows), lines(tmp_path / "b.jsonl", *other)]
    check(sources, offsets="char", tokenizer="xx")
    check(sources, offsets="char")


# --- what only the whole corpus tells


def test_overlaps_in_the_last_documents_change_the_chance_model_of_all(tmp_path):
    rows = list(documents(NAMES[:2]))
    about, found = {"id": "last", "tokens": ["a"] * 5}, [[0, 3, "A"], [2, 4, "A"]]
    rows.append((about, {"ann": found, "bob": found[:1]}))
    sources = [
        lines(tmp_path / f"{name}.jsonl", *(about | {"spans": one[name]} for about, one in rows))
        for name in NAMES[:2]
    ]
    found = check(sources)
    assert "chance=overlapping" in found["metrics"][0]["signature"]
    reasons = [metric["mean"]["reason"] for metric in found["metrics"]]
    assert any("overlap" in reason for reason in reasons if reason)


def test_documents_that_lack_sentences_are_counted_in_all_parts(tmp_path):
    sources = []
    for name in NAMES[:3]:
        rows = [about | {"spans": found[name]} for about, found in documents(NAMES[:3])]
        sources.append(lines(tmp_path / f"{name}.jsonl", *(row | {"sents": []} for row in rows)))
    found = check(sources, metrics=["span_f", "false_positives(of=sentence)"])
    assert "such documents" in found["metrics"][1]["mean"]["reason"]


# --- workers and faults


def folders(path, names=NAMES[:2], n_files=3):
    """A folder of files for each annotator."""
    for number in range(n_files):
        rows = list(documents(names, n_docs=5, seed=number))
        for name in names:
            found = (
                about | {"id": f"{number}-{about['id']}", "spans": one[name]} for about, one in rows
            )
            lines(path / name / f"part-{number}.jsonl", *found)
    return [str(path / name) for name in names]


@pytest.mark.slow
def test_two_processes_find_the_same_as_one(tmp_path):
    sources = team(tmp_path, 3)
    check(sources, workers=Workers(n_process=2))
    assert agree_in_blocks(sources, workers=Workers(n_process=2)) == agree_in_blocks(sources)
    check(folders(tmp_path / "more"), workers=Workers(n_process=2))


def test_bad_files_are_left_out_and_named_in_result_and_signature(tmp_path):
    sources = folders(tmp_path / "all")
    for name in NAMES[:2]:
        (tmp_path / "all" / name / "part-1.jsonl").unlink()
    expected = agree(sources)
    sources = folders(tmp_path / "all")
    bad = tmp_path / "all" / "bob" / "part-1.jsonl"
    bad.write_text(bad.read_text()[:-9])
    with pytest.raises(ValueError, match="part-1.jsonl"):
        agree_in_blocks(sources)
    found = agree_in_blocks(sources, workers=Workers(skip_bad=True))
    (left_out,) = found.pop("left_out")
    assert left_out["files"][1] == str(bad) and "part-1.jsonl" in left_out["reason"]
    assert found["notes"][-1].startswith(f"left out: {left_out['files'][0]} (")
    for mine, other in zip(found["metrics"], expected["metrics"]):
        assert "|left_out=1/3|" in mine["signature"]
        mine["signature"] = mine["signature"].replace("|left_out=1/3", "")
        assert_alike(mine, other)


# --- what has to be read as a whole


def test_documents_that_are_kept_are_one_block(one_block, tmp_path):
    sources = team(tmp_path)
    assert agree_files(sources, intervals=NONE, keep=True).panel is not None and one_block
    with pytest.raises(ValueError, match="or write one page without documents"):
        agree_files(sources, keep=True, workers=Workers(skip_bad=True))


def test_a_layer_that_no_document_has_is_an_error(tmp_path):
    path = layers(tmp_path / "all.jsonl", NAMES)
    with pytest.raises(ValueError, match="there is no layer 'zoe'; available: ann, bob, cyd, dan"):
        agree_in_blocks([path], layers=["ann", "zoe"])
