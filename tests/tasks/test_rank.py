"""Several systems: files, folders, columns, layers on one board."""

import csv
import hashlib
import json
import shutil
import subprocess
import sys

import pytest
import spacy
from spacy.tokens import DocBin

from helpers.cases import each_case
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, WORDS, call, conll, failed, jsonl, prodigy
from spacy_chance_eval import read, sample
from spacy_chance_eval.formats.conll_out import write_conll

FEW = ("--resamples", "50")
ARTICLES = """-DOCSTART- -X- -X- O

Ada NNP B-NP B-PER
slept VB B-VP O

In IN O O
Oslo NNP O B-LOC

-DOCSTART- -X- -X- O

Ann NNP O B-PER
left VB O O
Rome NNP O B-LOC
"""


@pytest.fixture
def files(tmp_path):
    """Gold, a perfect copy and a worse prediction."""
    paths = [tmp_path / f"{name}.conll" for name in ("gold", "copy", "worse")]
    for path, tags in zip(paths, (GOLD, GOLD, PRED)):
        conll(path, tags)
    return paths


@pytest.fixture
def news(tmp_path):
    """Two articles of three sentences."""
    (tmp_path / "news.conll").write_text(ARTICLES)
    return tmp_path / "news.conll"


def ranked(*arguments):
    """The JSON of a board."""
    done = call("score", *arguments, *FEW, "-o", "-")
    result = json.loads(done.stdout)
    missing = [one for one in result["left_out"] if not one["optional"]]
    assert done.exit_code == (3 if missing else 0), done.stderr
    return result


def names(result, board=0):
    return [row["system"] for row in result["boards"][board]["rows"]]


def reasons(result):
    return {one["name"]: one["reason"] for one in result["left_out"]}


def changed(path, old, new, name="other.conll"):
    """A copy of a file with one change."""
    text = path.read_text()
    assert old in text
    target = path.with_name(name)
    target.write_text(text.replace(old, new, 1))
    return target


# --- where systems come from


def test_files_are_ranked(files):
    result = ranked(*files)
    assert names(result) == ["copy", "worse"]
    first, second = result["boards"][0]["rows"]
    assert (first["corrected"], first["rank"]) == (1.0, 1)
    assert second["observed"] == pytest.approx(2 / 3)


def test_columns_of_a_file_are_systems(tmp_path, files):
    both = conll(tmp_path / "both.conll", GOLD, PRED, GOLD)
    result = ranked(f"{both}#1", f"worse={both}#2", f"{both}#3")
    assert names(result) == ["3", "worse"]


def test_without_systems_the_named_columns_of_gold_are_ranked(tmp_path):
    rows = ["\t".join(row) for row in zip(WORDS, GOLD, PRED, GOLD)]
    path = tmp_path / "task.tsv"
    path.write_text("\n".join(["#token\tgold\tcrf\tbert", *rows]) + "\n")
    assert names(ranked(f"{path}#gold")) == ["bert", "crf"]
    assert names(ranked(f"{path}#bert")) == ["gold", "crf"]


def test_gold_is_the_column_of_that_name_and_the_board_says_so(tmp_path):
    rows = ["\t".join(row) for row in zip(WORDS, GOLD, PRED, GOLD)]
    path = tmp_path / "task.tsv"
    path.write_text("\n".join(["#token\tgold\tcrf\tbert", *rows]) + "\n")
    result = ranked(f"{path}#gold")
    assert (names(result), result["gold"], result["layer"]) == (
        ["bert", "crf"],
        f"{path}#gold",
        None,
    )
    assert (
        ranked(path, f"x={path}")["systems"][0]["source"] == f"{path}#crf"
    )  # bert's are gold's tags
    assert ranked(path, f"x={path}", "--column", "crf")["gold"] == f"{path}#crf"


def test_a_system_without_any_layer_is_left_out(tmp_path, files):
    path = tmp_path / "none.jsonl"
    path.write_text(json.dumps({"tokens": WORDS, "entz": []}) + "\n")
    for system in (path, f"{path}#spans"):
        (reason,) = reasons(ranked(*files, f"none={system}")).values()
        assert "'entz' (did you mean 'ents'?)" in reason


def test_the_layer_of_a_system_is_told_where_it_is_another(tmp_path):
    path = jsonl(tmp_path / "x.jsonl", SPANS)
    other = tmp_path / "y.jsonl"
    rows = [{"start": start, "end": end, "label": label} for start, end, label in FOUND]
    other.write_text(json.dumps({"tokens": WORDS, "layers": {"crf": rows}}) + "\n")
    assert ranked(path, f"y={other}")["systems"][0]["source"] == f"{other}#crf"


def test_documents_with_equal_texts_keep_their_resamples_in_any_order(tmp_path):
    one, two = [{"start": 0, "end": 1, "label": "A"}], [{"start": 1, "end": 2, "label": "A"}]
    tokens = ["x", "y", "z", "w"]

    def write(name, rows):
        lines = (json.dumps({"tokens": tokens, "spans": row}) + "\n" for row in rows)
        (tmp_path / name).write_text("".join(lines))
        return tmp_path / name

    found = []
    for step in (1, -1):
        sides = [one] * 9, ([one, two] * 5)[:9], [*([two, one] * 5)[:7], one, one]
        paths = [
            write(n, rows[::step]) for n, rows in zip(("g.jsonl", "a.jsonl", "b.jsonl"), sides)
        ]
        found.append(ranked(*paths)["boards"])
    assert found[0] == found[1]


def test_without_systems_and_names_of_columns_there_is_nothing_to_rank(files):
    assert "name files, or columns by number" in failed("score", files[0], "--subset", "length")


def test_layers_of_one_jsonl_file_are_systems(tmp_path):
    layers = {"a": [list(row) for row in FOUND], "b": [list(row) for row in SPANS]}
    path = jsonl(tmp_path / "x.jsonl", SPANS, layers=layers)
    assert names(ranked(f"{path}#spans")) == ["b", "a"]
    assert names(ranked(f"{path}#a", f"b={path}#b")) == ["b"]


def test_a_folder_of_files_is_one_system(tmp_path, files):
    gold, pred = tmp_path / "g", tmp_path / "p"
    for folder, second in ((gold, files[0]), (pred, files[2])):
        (folder / "deeper").mkdir(parents=True)
        shutil.copy(files[0], folder / "1.conll")
        shutil.copy(second, folder / "deeper" / "2.conll")
        (folder / "README").write_text("no data")
        (folder / ".hidden.conll").write_text("no data")
    result = ranked(gold, pred, f"g={gold}")
    assert (result["n_docs"], names(result)) == (2, ["g", "p"])
    assert result["boards"][0]["rows"][1]["observed"] == pytest.approx(5 / 6)


def test_formats_can_be_mixed(tmp_path, files):
    others = [jsonl(tmp_path / "j.jsonl", FOUND), prodigy(tmp_path / "p.jsonl", SPANS)]
    assert names(ranked(files[0], *others)) == ["p", "j"]


def test_a_list_shows_names_links_and_years(tmp_path, files):
    row = {"name": "A", "path": "worse.conll", "link": "https://example.org", "year": 2003}
    path = tmp_path / "systems.yml"
    path.write_text(json.dumps({"systems": [row, {"name": "B", "path": "copy.conll"}]}))
    systems = {one["name"]: one for one in ranked(files[0], path)["systems"]}
    assert (systems["A"]["link"], systems["A"]["year"]) == ("https://example.org", 2003)
    assert systems["B"]["link"] is None


def test_options_of_a_list_are_those_of_its_file(tmp_path, files):
    iob1 = conll(tmp_path / "old.conll", ["I-PER", "O", "I-PER", "I-PER", "O", "I-LOC", "O"])
    path = tmp_path / "systems.json"
    path.write_text(json.dumps([{"path": "old.conll", "scheme": "IOB1", "repair": "drop"}]))
    assert ranked(files[0], path)["boards"][0]["rows"][0]["observed"] == 1.0
    options = ("--read", "scheme=IOB2")
    row = ranked(files[0], f"x={iob1}#repair=drop", *options)["boards"][0]["rows"][0]
    assert row["observed"] == 0


def test_a_missing_file_is_named(files):
    assert "no.conll: no such file" in reasons(ranked(files[0], files[1], "no.conll"))["no"]
    assert "no.conll: no such file" in failed("score", files[0], "no.conll")
    assert "no.conll: no such file" in failed("score", "no.conll", files[1])


def test_systems_with_other_columns_or_labels_are_left_out_with_the_reason(files, tmp_path):
    conll(tmp_path / "two.conll", PRED, [*PRED[:5], "O", "O"])
    left = reasons(ranked(*files, tmp_path / "two.conll"))
    assert "which of them is the prediction" in left["two"]
    strange = conll(tmp_path / "strange.conll", ["B-X", *"OOOOOO"], PRED)
    left = reasons(ranked(*files, f"{strange}#1"))
    assert "no label in common with gold" in left["1"]
    assert f"in {strange}#2: name what is meant" in left["1"]


def test_a_submission_equal_to_gold_is_named(files):
    (said,) = ranked(*files)["warnings"]
    assert said == "copy is equal to gold: check that it is a prediction."


def test_an_unknown_layer_is_an_error(tmp_path):
    path = jsonl(tmp_path / "x.jsonl", SPANS)
    assert "has no layer 'z'; available: spans" in failed("score", path, f"{path}#z")


# --- what cannot be compared


def test_a_system_of_other_tokens_is_left_out_with_the_place(files):
    other = changed(files[1], "Rex", "Max")
    result = ranked(*files, other)
    assert names(result) == ["copy", "worse"]
    assert "gold.conll:3: token 3 of document 1 is 'Rex', but 'Max' in" in reasons(result)["other"]
    assert "other.conll:3" in reasons(result)["other"]


def test_a_system_of_fewer_documents_is_left_out(news):
    other = news.with_name("other.conll")
    other.write_text(ARTICLES[: ARTICLES.index("-DOCSTART-", 5)])
    reason = reasons(ranked(news, news, other))["other"]
    assert "1 document, but" in reason and "news.conll has 2; both need" in reason


def test_sentences_cut_elsewhere_are_those_of_gold(news):
    other = changed(news, "slept VB B-VP O\n\nIn", "slept VB B-VP O\nIn")
    for more, some in (([], "1 document of"), (["--documents", "sentence"], "2 documents of")):
        result = ranked(news, news, other, *more)
        assert names(result) == ["news", "other"]
        said = result["warnings"][0]
        assert said.startswith(some) and "documents and sentences are those of gold" in said


def test_predictions_that_the_chance_model_cannot_place_are_left_out(tmp_path, files):
    odd = jsonl(tmp_path / "odd.jsonl", [(0, 2, "PER"), (1, 3, "PER")])
    result = ranked(*files, odd, "--chance", "disjoint")
    assert "overlaps" in reasons(result)["odd"]
    loose = ranked(*files, odd, "--chance", "overlapping")
    assert sorted(names(loose)) == ["copy", "odd", "worse"]
    found = ranked(*files, odd)  # all systems have one model
    (said,) = [one for one in found["warnings"] if one not in loose["warnings"]]
    assert "chance=overlapping was used" in said and found["boards"] == loose["boards"]


def test_of_a_document_that_was_not_annotated_nothing_is_predicted(tmp_path, files):
    path = tmp_path / "null.jsonl"
    path.write_text(json.dumps({"tokens": WORDS, "spans": None}) + "\n")
    result = ranked(*files, path)
    rows = {row["system"]: row for row in result["boards"][0]["rows"]}
    assert (result["left_out"], rows["null"]["pred"]) == ([], 0)


def test_a_board_of_nobody_is_an_error(files):
    other = changed(files[1], "Rex", "Max")
    assert "no system can be compared (other: " in failed("score", files[0], f"other={other}")


def test_left_out_systems_are_in_every_format(tmp_path, files):
    other = changed(files[1], "Rex", "Max")
    done = call(
        "score",
        *files,
        other,
        *FEW,
        *(one for kind in ("md", "csv") for one in ("-o", tmp_path / f"b.{kind}")),
    )
    assert done.exit_code == 3 and "left out: other; correct" in done.stderr
    for text in (done.stdout, *((tmp_path / f"b.{name}").read_text() for name in ("md", "csv"))):
        assert "other" in text and "'Max'" in text


# --- documents, clusters, subsets


def test_sentences_of_articles_are_resampled_by_article(news):
    result = ranked(news, f"x={news}", "--documents", "sentence")
    assert (result["n_docs"], result["n_clusters"], result["clusters"]) == (3, 2, "article")
    assert (
        "ci=bootstrap,50,0,percentile,0.95,article" in result["boards"][0]["rows"][0]["signature"]
    )


def test_clusters_can_be_turned_off(news):
    result = ranked(news, news, "--documents", "sentence", "--cluster", "none")
    assert (result["n_clusters"], result["clusters"]) == (3, "documents")


def test_articles_that_are_documents_are_their_own_clusters(news):
    assert ranked(news, f"x={news}")["clusters"] == "documents"


def attributed(path):
    rows = [
        {"tokens": WORDS, "spans": [list(row) for row in SPANS], "topic": topic, "source": source}
        for topic, source in (("news", "a"), ("sport", "a"), ("news", "b"))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_documents_can_be_clustered_by_an_attribute(tmp_path):
    path = attributed(tmp_path / "x.jsonl")
    result = ranked(path, path, "--cluster", "source")
    assert (result["n_clusters"], result["clusters"]) == (2, "source")


def test_documents_without_the_attribute_are_counted(tmp_path):
    path = attributed(tmp_path / "x.jsonl")
    with path.open("a") as file:
        file.write(json.dumps({"tokens": WORDS, "spans": []}) + "\n")
    result = ranked(path, path, "--cluster", "source")
    assert result["n_clusters"] == 3
    assert "1 documents have no 'source': each is a cluster of its own." in result["notes"]


def test_an_unknown_attribute_names_those_that_are_there(tmp_path):
    path = attributed(tmp_path / "x.jsonl")
    for option in ("--cluster", "--subset"):
        message = failed("score", path, path, option, "genre")
        assert "an attribute 'genre'" in message and "source, topic" in message


def test_boards_of_a_subset_by_attribute(tmp_path):
    path = attributed(tmp_path / "x.jsonl")
    boards = ranked(path, path, "--subset", "topic", "-m", "span_f")["boards"]
    subsets = [(board["subset"], board["n_docs"]) for board in boards if board["subset"]]
    assert subsets == [
        ({"by": "topic", "value": "news"}, 2),
        ({"by": "topic", "value": "sport"}, 1),
    ]


def test_boards_of_subsets_by_number_cover_the_corpus():
    path = sample.path("train.jsonl")
    options = ("--subset", "length", "--subset", "chance", "--subset", "density")
    boards = ranked(path, path, *options, "-m", "span_f")["boards"]
    for by in ("length", "chance", "density"):
        sizes = [board["n_docs"] for board in boards if (board["subset"] or {}).get("by") == by]
        assert len(sizes) >= 2 and sum(sizes) == 36


def test_an_attribute_with_too_many_values_is_no_subset(tmp_path):
    path = tmp_path / "x.jsonl"
    rows = [{"tokens": WORDS, "spans": [], "key": i} for i in range(51)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "has 51 values" in failed("score", path, path, "--subset", "key")


# --- the command


def test_each_output_is_written_by_its_ending(tmp_path, files):
    kinds = ("csv", "html", "json", "md", "svg", "tex")
    (tmp_path / "deep").mkdir()
    outputs = [one for kind in kinds for one in ("-o", tmp_path / "deep" / f"board.{kind}")]
    done = call("score", *files, *FEW, *outputs, "-o", tmp_path / "deep" / "pages")
    assert done.exit_code == 0, done.stderr
    written = sorted(path.name for path in (tmp_path / "deep").iterdir())
    assert written == [*(f"board.{kind}" for kind in kinds), "pages"]
    pages = {path.name for path in (tmp_path / "deep" / "pages").iterdir()}
    assert pages == {"index.html", "01-copy.html", "02-worse.html"}


def test_a_table_has_a_row_for_each_system(files, tmp_path):
    call("score", *files, *FEW, "-o", tmp_path / "b.csv")
    rows = list(csv.DictReader((tmp_path / "b.csv").read_text().splitlines()))
    assert {row["system"] for row in rows} == {"copy", "worse"}


@each_case(
    ("options", "message"),
    [
        (("-o", "x.xls"), "this command writes .json .csv .md .tex .html .svg .pdf, or a folder"),
        (("-o", "x.svg#figure=bars"), "there is no figure 'bars'; name intervals or ranks"),
        (("--level", "95"), "level is 95.0; expected a number between 0 and 1"),
        (("-m", "span_g"), "unknown metric 'span_g'"),
        (("-m", "slicm", "--subset", "chance"), "needs a metric with a chance model"),
        (("--read", "offsets=char"), "has no key 'offsets'"),
        (("--code", "no.py"), "code no.py is for pipelines, and no system is one"),
        (("--gpu-id", "3"), "gpu_id 3 is for pipelines"),
    ],
)
def test_a_bad_option_is_one_message(files, options, message):
    assert message in failed("score", *files, *options)


def test_a_negative_seed_is_refused(files):
    done = call("score", *files, "--seed", "-1")
    assert done.exit_code == 2 and "seed" in done.stderr


def test_messages_in_files_are_whole_lines_without_colour(files):
    done = call("score", files[0], "no" * 60 + ".conll")
    assert done.stderr.count("\n") == 1 and "\x1b" not in done.stderr


@pytest.mark.integration
def test_a_reader_that_has_enough_is_no_error(files):
    command = [sys.executable, "-m", "spacy_chance_eval", "score", *map(str, files), *FEW]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    program.stdout.close()
    assert program.stderr.read() == ""
    assert program.wait() == 0
    program.stderr.close()


def test_json_has_the_numbers_in_full(files):
    row = ranked(*files)["boards"][0]["rows"][1]
    assert row["observed"] == 2 / 3


def test_equal_seeds_give_equal_boards(files, news):
    one, two = (ranked(news, f"x={news}", "--seed", "3") for _ in range(2))
    assert one == two
    assert ",3,percentile" in one["boards"][0]["rows"][0]["signature"]


def test_metrics_are_chosen_by_name(files):
    result = ranked(*files, "-m", "slicm", "-m", "token_f(encoding=BIO)")
    boards = {board["metric"]: board for board in result["boards"]}
    assert set(boards) == {"slicm", "token_f(encoding=BIO)"}
    assert boards["slicm"]["bits"] and "corrected" not in boards["slicm"]["rows"][0]


def test_the_order_of_arguments_does_not_matter(files):
    one, two = ranked(*files), ranked(files[0], files[2], files[1])
    assert one == two


def test_old_files_survive_a_failure(tmp_path, files):
    (tmp_path / "b.json").write_text("old")
    failed("score", files[0], "no.conll", "-o", tmp_path / "b")
    assert (tmp_path / "b.json").read_text() == "old"


def test_articles_survive_conversion_and_are_clusters_again(tmp_path, news):
    done = call("convert", news, tmp_path / "news.spacy", "--documents", "sentence")
    assert done.exit_code == 0, done.stderr
    result = ranked(tmp_path / "news.spacy", f"pred={tmp_path / 'news.spacy'}")
    assert (result["n_docs"], result["clusters"], result["n_clusters"]) == (3, "article", 2)


def test_the_sample_ranks_against_itself_in_any_format(tmp_path):
    corpus = read(sample.path("test.jsonl"))
    write_conll(tmp_path / "test.conll", corpus, ["spans"])
    result = ranked(sample.path("test.jsonl"), f"x={tmp_path / 'test.conll'}")
    assert result["boards"][0]["rows"][0]["corrected"] == 1.0


# --- systems of a list that are optional, or cannot be read


@pytest.fixture
def listed(tmp_path, files):
    """Ranks gold against a list: a good copy, and the systems that are given."""

    def rank(*rows, more=(), ranked=ranked):
        good = {"name": "good", "path": "copy.conll"}
        (tmp_path / "list.json").write_text(json.dumps({"systems": [good, *rows]}))
        return ranked(files[0], tmp_path / "list.json", *more)

    return rank


def test_a_file_with_a_wrong_checksum_is_left_out_with_both(listed, files):
    found = hashlib.sha256(files[2].read_bytes()).hexdigest()
    row = {"name": "worse", "path": "worse.conll", "sha256": "0" * 64, "year": 2003}
    result = listed(row)
    assert names(result) == ["good"]
    (left,) = result["left_out"]
    assert f"expected sha256 {'0' * 64}, found {found}; get the file" in left["reason"]
    assert (left["source"], left["year"]) == (str(files[2]), 2003)


def test_a_file_with_a_right_checksum_is_ranked(listed, files):
    digest = hashlib.sha256(files[2].read_bytes()).hexdigest()
    assert names(listed({"path": "worse.conll", "sha256": digest})) == ["good", "worse"]


def test_a_missing_file_is_left_out(listed):
    result = listed({"name": "lost", "path": "lost.conll"})
    assert names(result) == ["good"] and "no such file" in reasons(result)["lost"]


@each_case("damage", [b"Ada B-PER\nmet\n", b"\xff\xfe\xff B-PER\n", b"", b"\x1f\x8b damaged"])
def test_a_damaged_file_is_left_out(listed, tmp_path, damage):
    (tmp_path / "bad.conll").write_bytes(damage)
    result = listed({"name": "bad", "path": "bad.conll"})
    assert names(result) == ["good"] and str(tmp_path / "bad.conll") in reasons(result)["bad"]


def test_unreadable_gold_is_always_an_error(listed, files):
    files[0].write_bytes(b"Ada B-PER\nmet\n")
    assert str(files[0]) in listed(ranked=lambda *call: failed("score", *call))


def test_an_error_names_the_systems_if_none_can_be_read(files, tmp_path):
    (tmp_path / "list.json").write_text(json.dumps([{"name": "lost", "path": "lost.conll"}]))
    said = failed("score", files[0], tmp_path / "list.json")
    assert "lost.conll: no such file" in said


def test_an_optional_system_that_is_not_there_is_noted(listed, tmp_path):
    row = {"name": "later", "path": "later/model-best", "optional": True}
    result = listed(row, more=())
    path = tmp_path / "later/model-best"
    assert f"Optional, and not there: later ({path})." in result["notes"]
    assert (names(result), result["left_out"]) == (["good"], [])


@each_case(("optional", "code"), [(True, 0), (False, 3)])
def test_a_system_that_cannot_be_used_ends_with_3_unless_it_is_optional(
    listed, tmp_path, optional, code
):
    (tmp_path / "bad.conll").write_bytes(b"Ada B-PER\nmet\n")
    row = {"name": "bad", "path": "bad.conll", "optional": optional}
    done = listed(row, ranked=lambda *paths: call("score", *paths, *FEW, "-o", "-"))
    assert (done.exit_code, "optional: true" in done.stderr) == (code, not optional)
    assert reasons(json.loads(done.stdout)).keys() == {"bad"}


def test_an_optional_system_that_is_there_is_ranked(listed):
    assert names(listed({"path": "worse.conll", "optional": True})) == ["good", "worse"]


def test_no_document_to_score_is_an_error_that_names_other_layers(tmp_path):
    for name in ("gold", "pred"):
        doc = spacy.blank("en")("Ada slept")
        doc.spans["sc"] = [doc[:1]]
        DocBin(docs=[doc]).to_disk(tmp_path / f"{name}.spacy")
    paths = (tmp_path / f"{name}.spacy" for name in ("gold", "pred"))
    message = failed("score", *paths, "-m", "span_f", "--layer", "ents")
    assert "other layers: spans:sc (--layer NAME)" in message
