"""`score` and `agree` of trees: what they take, print and write, and what they refuse.

The trees are those of the hand cases: alpha of {A,B} {D,D} is 8/9, its LAS is 5/6.
"""

import json
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from helpers.cases import each_case
from helpers.parsing import parsed
from helpers.textfiles import call, failed, score, scored
from helpers.treefiles import (
    HEADS,
    OTHER,
    RELATIONS,
    WORDS,
    conll,
    two_annotators,
    write,
)
from spacy_chance_eval.scoring.statistics import headline

FEW = ("--resamples", 20)
ALPHA, LAS = pytest.approx(8 / 9), pytest.approx(5 / 6)
SSD = Path(__file__).parents[3] / "shared/data/ssd"


@Language.component("dependency_tests_flat", assigns=["token.dep", "token.head"])
def flat(doc):
    """Every token hangs on the second."""
    deps = ["SUBJ", "PRED", *["OBJ"] * (len(doc) - 2)]
    found = Doc(doc.vocab, words=[token.text for token in doc], heads=[1] * len(doc), deps=deps)
    return doc.from_array(["HEAD", "DEP"], found.to_array(["HEAD", "DEP"]))


@pytest.fixture
def two(tmp_path):
    return two_annotators(tmp_path)


def docbins(folder):
    """The same two as `.spacy` files, the gaps between tokens told."""
    paths = []
    for name, relations in (("ann", RELATIONS), ("bob", OTHER)):
        docs = [parsed(WORDS, HEADS, relations), parsed("Ada slept", [2, 0], "SUBJ PRED")]
        paths.append(folder / f"{name}.spacy")
        DocBin(docs=docs).to_disk(paths[-1])
    return paths


def agree(*arguments):
    """Tables of a call that goes well."""
    done = call("agree", *arguments, *FEW)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def agreed(*arguments):
    """The JSON of a call that goes well, and its metrics by name."""
    found = json.loads(agree(*arguments, "-o", "-"))
    return found, {metric["metric"]: metric for metric in found["metrics"]}


# score


def test_files_of_spacy_can_be_compared_by_characters(tmp_path):
    files, vocab = [tmp_path / "a.spacy", tmp_path / "b.spacy"], spacy.blank("en").vocab
    for file, words, spaces in zip(
        files,
        (["Ada", "met", "Rex"], ["Ada", "me", "t", "Rex"]),
        ([True, True, False], [True, False, True, False]),
    ):
        n = len(words)
        doc = Doc(vocab, words=words, spaces=spaces, heads=[0] * n, deps=["root"] + ["x"] * (n - 1))
        DocBin(docs=[doc]).to_disk(file)
    uas = ("-m", "uas")
    assert headline(scored(*files, *uas)["scores"]["uas"]) == pytest.approx(2 / 3)  # carried over
    row = scored(*files, *uas, "--align", "characters")["scores"]["uas"]
    assert headline(row) == pytest.approx(2 * 2 / (3 + 4))


def test_a_pipeline_is_not_aligned_in_another_way(two, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "model")
    message = failed("score", two[0], tmp_path / "model", "--align", "characters", "-m", "las")
    assert (
        "--align and --read text=... compare two files" in message and "leave them out" in message
    )
    message = failed("score", two[0], tmp_path / "model", "-m", "las")
    assert (
        f"a pipeline is scored on .spacy files; make some of treebanks: spacy convert {two[0]}"
        in message
    )


def test_pages_of_other_words_do_not_compare_them_by_place(tmp_path):
    gold, pred = write(tmp_path / "a.conllu", conll()), tmp_path / "b.conllu"
    write(pred, conll(words=("Ad", "amet", "the", "crew"), relations=OTHER))
    score(gold, pred, "-o", tmp_path / "pages")
    page = (tmp_path / "pages/pair-001-002.html").read_text()
    assert "The tokens differ, so that they are not compared" in page


@each_case(
    "words",
    [
        "ann.conllu bob.conll#format=conllx --read match=place",
        "ann.spacy bob.spacy",
        "ann.spacy bob.conllu --read match=place",
    ],
)
def test_trees_of_other_formats_have_the_same_scores(two, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    docbins(tmp_path)
    write(tmp_path / "bob.conll", two[1].read_text())
    scores = scored(*words.split(), "-m", "syntax_alpha", "-m", "las")["scores"]
    assert (headline(scores["syntax_alpha"]), headline(scores["las"])) == (ALPHA, LAS)


def test_a_pipeline_parses_the_documents_of_gold(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("dependency_tests_flat")
    nlp.to_disk(tmp_path / "model")
    layer = scored(docbins(tmp_path)[0], tmp_path / "model", "-m", "uas", "-m", "las")
    assert headline(layer["scores"]["uas"]) == LAS
    assert headline(layer["scores"]["las"]) == LAS
    assert layer["n_pred"] == 6


# agree


def test_files_of_spacy_agree_as_trees_or_as_spans(tmp_path):
    _, metrics = agreed(*docbins(tmp_path), "-m", "las")
    assert headline(metrics["las"]["team"]) == LAS


@pytest.mark.parametrize("command", ["score", "agree"])
def test_trees_are_drawn_in_a_folder(two, tmp_path, command):
    for _ in range(2):  # the second takes the place of the first
        done = call(command, *two, "-o", tmp_path / "pages", *FEW)
        assert done.exit_code == 0, done.stderr
        names = sorted(path.name for path in (tmp_path / "pages").iterdir())
        assert names == ["index.html", "pair-001-002.html"]
        title = {"score": "Scores of ", "agree": "Agreement: "}[command]
        assert f"<title>{title}" in (tmp_path / "pages/index.html").read_text()


@pytest.mark.integration
@pytest.mark.skipif(not SSD.is_dir(), reason="the SSD corpus is not beside the project")
def test_the_folders_of_a_published_corpus_are_read_as_they_are():
    found, metrics = agreed(*sorted(SSD.glob("ssd.*")))
    assert (found["n_docs"], len(found["annotators"])) == (96, 3)
    assert round(100 * headline(metrics["syntax_alpha"]["team"]), 1) == 99.1
    assert round(100 * headline(metrics["jaccard"]["team"]), 1) == 87.9


COMMENTED = "# text = Ada met the crew\n" + conll()


@each_case(
    "text",
    [
        conll(),
        COMMENTED,
        conll().replace("\t_\t_\n", "\n"),
        conll().replace("\t", "  "),
        "# by Ada\n \n" + conll().replace("\n", "\r\n"),
    ],
)
@pytest.mark.parametrize("name", ["a.conll", "a.tsv", "a"])
def test_trees_are_told_by_content(tmp_path, text, name):
    path = write(tmp_path / name, text)
    assert headline(scored(path, path)["scores"]["las"]) == 1
    assert "this file holds trees" in failed("diff", path, path)


@pytest.mark.parametrize("line", ["", " \n"], ids=["rows", "with-blanks"])
def test_numbers_beside_tags_are_no_trees(tmp_path, line):
    path = write(tmp_path / "a.conll", f"1\tAda\tB-X\n{line}2\tmet\tQ\n")
    assert "correct the tag" in failed("score", path, path)
