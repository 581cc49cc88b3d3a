"""Recipes of agreement on a stand-in for Prodigy: registration, spans, categories, errors."""

from configparser import ConfigParser
from pathlib import Path

import pytest
import srsly

from helpers.prodigy_stub import NAME, NEWS, TEACH, installed, marked
from spacy_chance_eval import agree
from spacy_chance_eval.cli import recipes as without_prodigy
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.scoring.intervals import Resampling
from spacy_chance_eval.scoring.statistics import headline

pytestmark = pytest.mark.integration

QUICK = ("--resamples", 0)


@pytest.fixture
def prodigy(monkeypatch, tmp_path):
    return installed(monkeypatch, tmp_path)


def values(found):
    """The team's value by metric."""
    return {metric["metric"]: headline(metric["team"]) for metric in found["metrics"]}


def of_tuples(ann, ben, labels=("ORG", "PER")):
    """The agreement of two annotators on documents of four tokens."""
    sides = [Spans.from_tuples(rows, [4] * len(rows), labels) for rows in (ann, ben)]
    found = agree(dict(zip(("ann", "ben"), sides)), ["span_f"], intervals=Resampling(0))
    return headline(found["span_f"]["team"])


# --- registration


def test_the_entry_points_are_the_recipes_of_their_names(prodigy):
    config = ConfigParser()
    config.read(Path(__file__).parents[2] / "setup.cfg", encoding="utf-8")
    lines = config["options.entry_points"]["prodigy_recipes"].split("\n")
    points = dict(line.split(" = ") for line in lines if line)
    assert set(points) == set(prodigy.recipes)
    for name, target in points.items():
        module, attribute = target.split(":")
        assert module == without_prodigy.__name__
        assert getattr(prodigy.module, attribute) is prodigy.recipes[name][0]


@pytest.mark.parametrize("name", ["chance.iaa", "chance.iaa.doc", "chance.replace", "chance.score"])
def test_help_says_what_a_recipe_and_each_of_its_arguments_do(prodigy, name):
    function, arguments = prodigy.recipes[name]
    assert f"Example: prodigy {name} " in function.__doc__
    assert all(len(arg.help.split()) > 2 for arg in arguments.values())
    assert "usage: prodigy" in prodigy.parser(name).format_help()


def test_without_prodigy_the_recipes_are_plain_functions(tmp_path, capsys):
    srsly.write_jsonl(tmp_path / "news.jsonl", NEWS)
    without_prodigy.iaa(str(tmp_path / "news.jsonl"), metric=["span_f"], resamples=0)
    assert "ann and ben agree at " in capsys.readouterr().out


# --- chance.iaa


def test_tasks_of_one_article_are_resampled_together(prodigy):
    prodigy.rows["news"] = [row | {"meta": {"article": row["_input_hash"] % 2}} for row in NEWS]
    found = prodigy.result("chance.iaa", "dataset:news", "-r", 20, "-m", "span_f")
    assert found["resampling"]["unit"] == "article"


def test_spans_that_do_not_fit_the_tokens_are_counted(prodigy):
    odd = {"start": 1, "end": 3, "label": "PER"}
    prodigy.rows["news"] = [marked(1, "ann", NAME), marked(1, "ben", spans=[odd])]
    found = prodigy.result("chance.iaa", "dataset:news", *QUICK)
    assert [one["n_unplaced"] for one in found["annotators"]] == [0, 1]
    assert any("1 span does not fit the tokens" in note for note in found["notes"])
    prodigy.rows["news"] += [marked(2, who, (3, 3, "ORG")) for who in ("ann", "ben")]
    found = prodigy.result("chance.iaa", "dataset:news", *QUICK, "-l", "ORG")
    assert [one["n_unplaced"] for one in found["annotators"]] == [0, 0]


def test_the_tables_are_printed(prodigy, capsys):
    assert prodigy.run("chance.iaa", "dataset:news", *QUICK) is None
    printed = capsys.readouterr().out
    for words in ("ann and ben agree at ", "span_f", "u_alpha", "next: "):
        assert words in printed


@pytest.mark.parametrize("way", [("-l", "PER"), ("--labels", " PER,")])
def test_only_the_labels_asked_for_are_compared(prodigy, way):
    ann = [[(0, 2, "PER"), (3, 4, "PER")]] * 2 + [[(0, 1, "PER")]]
    ben = [ann[0], [(0, 2, "PER")], [(1, 2, "PER")]]
    found = prodigy.result("chance.iaa", "dataset:news", *QUICK, "-m", "span_f", *way)
    assert found["labels"] == ["PER"]
    assert values(found) == {"span_f": pytest.approx(of_tuples(ann, ben, ["PER"]))}


def test_metrics_and_resamples_reach_the_signature(prodigy):
    words = ("-m", "span_f(chance=overlapping)", "-m", "token_f(encoding=BIO)")
    found = prodigy.result("chance.iaa", "dataset:news", "-r", 20, *words)
    one, two = (metric["signature"] for metric in found["metrics"])
    assert one.startswith("span_f(beta=1.0,chance=overlapping")
    assert found["resampling"]["resamples"] == 20
    assert "encoding=BIO" in two


def test_several_datasets_are_an_annotator_each(prodigy):
    """Even if nobody is named, or each day has a session of its own."""
    prodigy.rows["news_ann"] = [row | {"_annotator_id": None} for row in NEWS[::2][:3]]
    days = enumerate(NEWS[1::2][:3])
    prodigy.rows["news_ben"] = [row | {"_annotator_id": f"2026-01-0{day}"} for day, row in days]
    found = prodigy.result("chance.iaa", "dataset:news_ann,dataset:news_ben", *QUICK)
    assert [one["name"] for one in found["annotators"]] == ["news_ann", "news_ben"]
    assert values(found) == values(prodigy.result("chance.iaa", "dataset:news", *QUICK))


@pytest.mark.parametrize(
    "words", ["chance.iaa dataset:news", "chance.iaa.doc dataset:topics -m percent_agreement"]
)
def test_pages_are_written_if_a_folder_is_named(prodigy, tmp_path, words):
    prodigy.run(*words.split(), *QUICK, "-o", tmp_path / "pages")
    found = {path.name for path in (tmp_path / "pages").iterdir()}
    assert {"index.html", "pair-001-002.html"} <= found


# --- chance.iaa.doc


ANSWERS = ["accept", "reject"]


@pytest.mark.parametrize(
    ("words", "labels", "n_shared", "agreement"),
    [
        ("dataset:topics", ["arts", "news", "sport"], 3, 2 / 3),
        ("dataset:topics -l arts,sport", ["arts", "sport"], 3, None),
        # decisions on a label, text by text and label by label
        ("dataset:binary", ANSWERS, 3, 2 / 3),
        ("dataset:binary -l ARTS", ANSWERS, 2, 1 / 2),
        ("dataset:binary -l NEWS", ANSWERS, 1, 1.0),
        # of three suggested spans that both saw, one rejects what the other accepts
        ("dataset:teach", ANSWERS, 3, 2 / 3),
        ("dataset:teach -l PER", ANSWERS, 2, 1 / 2),
        ("dataset:teach -l ORG", ["reject"], 1, 1.0),
    ],
)
def test_choices_and_decisions_are_compared(prodigy, words, labels, n_shared, agreement):
    asked = (*words.split(), *QUICK, "-m", "percent_agreement")
    found = prodigy.result("chance.iaa.doc", *asked)
    assert (found["positions"], found["labels"]) == ("category", labels)
    assert found["n_shared"] == n_shared
    assert agreement is None or values(found) == {"percent_agreement": pytest.approx(agreement)}


def test_a_dataset_for_each_annotator_can_hold_decisions_on_spans(prodigy):
    for who in ("ann", "ben"):
        prodigy.rows[who] = [row for row in TEACH if row["_session_id"] == who]
    words = ("dataset:ann,dataset:ben", *QUICK, "-m", "percent_agreement")
    found = values(prodigy.result("chance.iaa.doc", *words))
    assert found == {"percent_agreement": pytest.approx(2 / 3)}


# --- errors


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("chance.iaa dataset:mews", "dataset:mews: Prodigy's database has no such dataset (did"),
        ("chance.iaa dataset:new", "dataset:new: no documents"),
        ("chance.iaa news", "news: no such file, folder or"),
        ("chance.iaa dataset:topics", "no document has any layer of spans; agree --categories (in"),
        ("chance.iaa dataset:teach", "(in Prodigy chance.iaa.doc) compares labels of documents"),
        ("chance.iaa.doc dataset:news", "no document has any categories; without --categories"),
        ("chance.iaa dataset:news -a ann,cat", "no layer 'cat'; available: ann, ben"),
        ("chance.iaa dataset:news -a ann", "only 1 annotator ('ann'), and agreement needs two"),
        ("chance.iaa.doc dataset:binary -l LOC", "no document has any categories"),
        ("chance.iaa dataset:news -m spam_f", "spam_f"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(prodigy, words, said):
    assert said in prodigy.failure(*words.split())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [row | {"_annotator_id": None, "_session_id": None} for row in (NEWS[0], NEWS[3])],
            "only 1 annotator ('(none)'), and agreement needs two",
        ),
        ([row | {"answer": "reject"} for row in NEWS], "no document is annotated; tasks of"),
        ([*NEWS, marked(6, "ann", answer="maybe")], "✘ dataset:news:10: 'answer' is \"maybe\""),
    ],
    ids=["nameless", "rejected", "broken"],
)
def test_rows_that_cannot_be_compared_are_an_error(prodigy, rows, message):
    prodigy.rows["news"] = rows
    assert message in prodigy.failure("chance.iaa", "dataset:news")


def test_a_task_answered_twice_alike_is_read_once_and_that_is_said(prodigy, capsys):
    prodigy.rows["news"] = [*NEWS, NEWS[0]]
    warning, *_ = prodigy.result("chance.iaa", "dataset:news", *QUICK)["warnings"]
    assert warning.startswith("1 further answer of an annotator to the same task was left out")
    assert f"Warning: {warning}"[:60] in capsys.readouterr().out
