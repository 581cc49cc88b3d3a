"""Agreement of large files, which are read in parts: it is that of the whole corpus."""

import json
from random import Random

import pytest

from helpers.laws import LAWS, requests
from helpers.panelfiles import lines
from helpers.strategies import admitted
from helpers.textfiles import call, failed
from spacy_chance_eval import Resampling
from spacy_chance_eval.corpora import sharded, sides
from spacy_chance_eval.corpora.panel_shards import NO_ROWS
from spacy_chance_eval.corpora.shards import Workers
from spacy_chance_eval.tasks.agree import agree_files

pytestmark = pytest.mark.integration

NAMES = ("ann", "bob", "cyd", "dan")
SOME = Resampling(20)
NONE = Resampling(0)


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Pieces of two or three documents."""
    monkeypatch.setattr(sides, "FEW", 2)
    monkeypatch.setattr(sides, "MOST", 3)


def documents(names, n_docs=13, kind="flat", seed=1, named=True):
    """Rows of JSONL of some annotators of the same documents, who agree more or less."""
    rng = Random(seed)
    for number in range(n_docs):
        size = rng.randint(0, 9)
        words = [rng.choice(["Rex", "Ada", "slept"]) for _ in range(size)]
        about = {"tokens": words, "sents": [0] if size else []}
        about |= {"id": f"d{number}"} if named else {}
        common = [some_span(size, rng) for _ in range(size // 2)]
        found = {}
        for name in names:
            own = [some_span(size, rng) for _ in range(min(size, 2))]
            kept = [span for span in common if rng.random() < 0.8]
            spans = [list(span) for span in admitted(kept + own, kind)]
            found[name] = None if rng.random() < 0.2 else spans
        yield about, found


def some_span(size, rng):
    start = rng.randrange(size)
    return start, min(start + rng.randint(1, 3), size), rng.choice("ABC")


def files(folder, names, **options):
    """A file for each annotator; their paths."""
    rows = list(documents(names, **options))
    return [
        str(
            lines(
                folder / f"{name}.jsonl", *(about | {"spans": found[name]} for about, found in rows)
            )
        )
        for name in names
    ]


def layers(path, names, **options):
    """One file with a layer for each annotator."""
    rows = [about | {"layers": found} for about, found in documents(names, **options)]
    return str(lines(path, *rows))


def whole(sources, **settings):
    found = agree_files(sources, **{"intervals": SOME} | settings)
    assert found.panel is not None
    return found.result


def in_shards(sources, workers=None, **settings):
    """The result of reading in parts, as if files were large."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharded, "LARGE", -1)
        found = agree_files(sources, workers=workers, **{"intervals": SOME} | settings)
    assert found.panel is None and found.corpus is None
    return found.result


def near(found):
    """What a result has to be: the same, its floats up to rounding."""
    if isinstance(found, dict):
        return {key: near(value) for key, value in found.items()}
    if isinstance(found, (list, tuple)):
        return [near(value) for value in found]
    return pytest.approx(found, rel=1e-12, abs=1e-12) if isinstance(found, float) else found


def plain(found):
    """A result as JSON has it."""
    return json.loads(json.dumps(found))


def check(sources, workers=None, **settings):
    """Compare a corpus in shards with the whole of it; the result."""
    found = in_shards(sources, workers, **settings)
    assert plain(found) == near(plain(whole(sources, **settings)))
    return found


# --- numbers


@pytest.mark.parametrize("name", LAWS)
def test_every_metric_has_the_numbers_of_the_whole_corpus(name, tmp_path):
    kinds = LAWS[name].kinds
    for kind in {kinds[0], kinds[-1]}:
        check(files(tmp_path / kind, NAMES[:3], kind=kind), metrics=requests(name, kind))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n_annotators", [1, 2, 4])
def test_the_usual_metrics_have_the_numbers_of_the_whole_corpus(n_annotators, seed, tmp_path):
    bca = Resampling(20, seed=seed, interval="bca")
    check(files(tmp_path, NAMES[:n_annotators], seed=seed), intervals=bca, worst=None)


def test_what_is_weighed_by_words_counts_those_of_the_whole_corpus(tmp_path):
    metrics = ["slicm(token_information=corpus)", "slicm_norm(token_information=corpus)"]
    check(files(tmp_path, NAMES[:3]), metrics=metrics)


def test_documents_without_names_are_called_by_their_place(tmp_path):
    found = check(files(tmp_path, NAMES[:2], named=False), worst=None)
    shown = {row["document"] for row in found["metrics"][0]["documents"]}
    assert shown <= {f"document {number}" for number in range(1, 14)}


def test_articles_are_resampled(tmp_path):
    rows = list(documents(NAMES[:2]))
    sources = [
        lines(tmp_path / f"{name}.jsonl", *(
            about | {"spans": found[name], "article": f"a{i // 3}"}
            for i, (about, found) in enumerate(rows)
        ))
        for name in NAMES[:2]
    ]  # fmt: skip
    assert check(sources)["resampling"]["unit"] == "article"
    assert check(sources, intervals=NONE, worst=None)["resampling"]["unit"] == "article"


def test_closeness_of_labels_is_read_for_those_in_use(tmp_path):
    table = tmp_path / "bdm.txt"
    table.write_text("key=A, response=B, bdm=0.6\nkey=C, response=D, bdm=0.5\n")
    check(files(tmp_path, NAMES[:2]), bdm=table)


def test_texts_are_cut_into_tokens(tmp_path):
    rows = [{"id": f"d{i}", "text": "Ada met Rex.", "spans": [[0, 3, "P"]]} for i in range(9)]
    other = [row | {"spans": [[8, 11, "P"], [4, 6, "Q"]]} for row in rows]
    sources = [lines(tmp_path / "a.jsonl", *rows), lines(tmp_path / "b.jsonl", *other)]
    reading = {"options": {"offsets": "char"}, "tokenize": borders}
    check(sources, reading=reading)
    check(sources, reading={"options": {"offsets": "char"}})


def borders(text):
    """Three tokens."""
    return [(0, 3), (4, 7), (8, len(text))]


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
    found = check(sources, metrics=["span_f(unit=sent)", "false_positives(of=sentence)"])
    assert "such documents" in found["metrics"][0]["mean"]["reason"]


def test_layers_that_some_parts_lack_are_annotators_of_all(tmp_path):
    rows = [about | {"layers": found} for about, found in documents(NAMES)]
    for row in rows[:4]:
        del row["layers"]["cyd"], row["layers"]["dan"]
    rows[-1]["layers"] = {"ann": []}
    path = lines(tmp_path / "all.jsonl", *rows)
    assert [one["name"] for one in check([path])["annotators"]] == list(NAMES)
    reading = {"layers": ["zoe=dan", "ann"]}
    assert [one["name"] for one in check([path], reading=reading)["annotators"]] == ["ann", "zoe"]


def test_entities_that_only_later_documents_have_are_an_annotator(tmp_path):
    path = layers(tmp_path / "all.jsonl", ("ents", "bob"))
    rows = [json.loads(line) for line in open(path)]
    for row in rows[:6]:
        row["layers"]["ents"] = None
    assert len(check([lines(tmp_path / "all.jsonl", *rows)])["annotators"]) == 2


def test_columns_are_annotators(tmp_path):
    rng, text = Random(1), ""
    for _ in range(9):
        tags = [rng.choice(["O", "B-A", "B-B"]) for _ in range(8)]
        text += "".join(f"w {a} {b}\n" for a, b in zip(tags[::2], tags[1::2])) + "\n"
    path = tmp_path / "two.conll"
    path.write_text(text)
    check([str(path)])
    check([f"ann={path}#1", f"bob={path}#2"])


def test_categories_are_compared(tmp_path):
    rng = Random(2)
    rows = [
        {"id": f"d{i}", "tokens": ["x"], "categories": {n: [rng.choice("AB")] for n in NAMES[:3]}}
        for i in range(11)
    ]
    del rows[0]["categories"]["ann"]
    path = lines(tmp_path / "all.jsonl", *rows)
    check([path], reading={"categories": True})
    metrics = ["cohen_kappa", "gwet_ac2", "krippendorff_alpha"]
    check([path], reading={"categories": True}, metrics=metrics)


def test_annotators_who_share_nothing_are_named_with_their_documents(tmp_path):
    rows = [about for about, _ in documents(())]
    parts = {"a": (rows[:5], rows[5:]), "b": (rows[5:], rows[:5])}
    sources = []
    for name, (seen, unseen) in parts.items():
        rows = [row | {"spans": []} for row in seen] + [row | {"spans": None} for row in unseen]
        rows.sort(key=lambda row: int(row["id"][1:]))
        sources.append(lines(tmp_path / f"{name}.jsonl", *rows))
    for settings in ({}, {"intervals": NONE, "worst": 0}):
        assert any("saw d0 and d5" in note for note in check(sources, **settings)["notes"])


# --- without rows


def test_without_intervals_only_sums_are_kept(tmp_path):
    sources = files(tmp_path, NAMES)
    found, expected = (run(sources, intervals=NONE) for run in (in_shards, whole))
    assert found["notes"].pop() == NO_ROWS
    for metric in (*found["metrics"], *expected["metrics"]):
        assert bool(metric.pop("documents")) == (metric in expected["metrics"])
    assert plain(found) == near(plain(expected))


def test_rows_are_kept_if_all_documents_are_asked_for(tmp_path):
    check(files(tmp_path, NAMES[:2]), intervals=NONE, worst=None)


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


def test_folders_are_read_file_by_file(tmp_path):
    check(folders(tmp_path))
    check([f"{source}/*.jsonl" for source in folders(tmp_path)])


@pytest.mark.slow
def test_two_processes_find_the_same_as_one(tmp_path):
    sources = files(tmp_path, NAMES[:3])
    check(sources, Workers(n_process=2))
    assert in_shards(sources, Workers(n_process=2)) == in_shards(sources)
    check(folders(tmp_path / "more"), Workers(n_process=2))


def test_bad_files_are_left_out_and_named_in_result_and_signature(tmp_path):
    sources = folders(tmp_path / "all")
    for name in NAMES[:2]:
        (tmp_path / "all" / name / "part-1.jsonl").unlink()
    expected = whole(sources)
    sources = folders(tmp_path / "all")
    bad = tmp_path / "all" / "bob" / "part-1.jsonl"
    bad.write_text(bad.read_text()[:-9])
    with pytest.raises(ValueError, match="part-1.jsonl"):
        in_shards(sources)
    found = in_shards(sources, Workers(skip_bad=True))
    (left_out,) = found.pop("left_out")
    assert left_out["files"][1] == str(bad) and "part-1.jsonl" in left_out["reason"]
    assert found["notes"][-1].startswith(f"left out: {left_out['files'][0]} (")
    for mine, other in zip(found["metrics"], expected["metrics"]):
        assert "|left_out=1/3|" in mine["signature"]
        mine["signature"] = mine["signature"].replace("|left_out=1/3", "")
        assert plain(mine) == near(plain(other))


def test_the_command_leaves_out_bad_files_and_intervals(tmp_path):
    sources = folders(tmp_path)
    bad = tmp_path / "ann" / "part-2.jsonl"
    bad.write_text(bad.read_text()[:-9])
    assert str(bad) in failed("agree", *sources)
    done = call("agree", *sources, "--skip-bad", "--no-intervals", "-o", "-")
    found = json.loads(done.stdout)
    assert found["resampling"]["resamples"] == 0 and found["n_docs"] == 10
    assert "left out:" in done.stderr
    assert "for spans" in failed("agree", "a.conllu", "b.conllu", "--skip-bad")


# --- what has to be read as a whole


def read_whole(sources, **settings):
    """Whether files that are large are read as a whole all the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharded, "LARGE", -1)
        return agree_files(sources, **{"intervals": NONE} | settings).panel is not None


def test_documents_in_another_order_are_matched_by_name(tmp_path):
    sources = files(tmp_path, NAMES[:2])
    rows = [json.loads(line) for line in open(sources[1])]
    assert read_whole([sources[0], lines(tmp_path / "bob.jsonl", *rows[::-1])])
    assert read_whole([sources[0], lines(tmp_path / "bob.jsonl", *rows[:-1])])


def test_metrics_whose_chance_is_drawn_are_counted_as_a_whole(tmp_path):
    few = {"draws": 2}
    assert read_whole(files(tmp_path, NAMES[:2]), metrics=["slicm_norm(chance=disjoint)"], **few)
    sources = files(tmp_path, NAMES[:2], kind="overlapping")
    assert read_whole(sources, metrics=["link_f"], **few)


def test_rows_that_name_their_annotators_are_read_as_a_whole(tmp_path):
    rows = [{"id": "d", "tokens": ["a"], "spans": [], "annotator": name} for name in NAMES]
    assert read_whole([lines(tmp_path / "all.jsonl", *rows)])


def test_pages_need_the_whole(tmp_path):
    sources = files(tmp_path, NAMES[:2])
    assert read_whole(sources, whole=True)
    with pytest.raises(ValueError, match="or write the index alone"):
        read_whole(sources, whole=True, workers=Workers(skip_bad=True))


def test_a_layer_that_no_document_has_is_an_error(tmp_path):
    path = layers(tmp_path / "all.jsonl", NAMES)
    with pytest.raises(ValueError, match="there is no layer 'zoe'; available: ann, bob, cyd, dan"):
        in_shards([path], reading={"layers": ["ann", "zoe"]})
