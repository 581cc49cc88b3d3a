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
    SHORT,
    WORDS,
    conll,
    two_annotators,
    write,
)
from spacy_chance_eval.reports.words import interval_of
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


@pytest.fixture
def brackets(tmp_path):
    """The work of two annotators as brackets."""
    return (
        write(tmp_path / "ann.mrg", "(S (NP P) (VP V))\n(S (NP D N))\n"),
        write(tmp_path / "bob.mrg", "(S (NP P) V)\n(S (NP D N))\n"),
    )


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


def test_trees_are_scored_by_alpha_and_attachment(two):
    layer = scored(*two)
    assert (layer["positions"], layer["kind"]) == ("tree", "dependency")
    assert (layer["n_docs"], layer["n_gold"], layer["n_pred"]) == (2, 6, 6)
    values = {name: headline(row) for name, row in layer["scores"].items()}
    assert values == {"syntax_alpha": ALPHA, "las": LAS, "uas": 1, "label_accuracy": LAS}


def test_scores_of_trees_speak_of_sentences_and_tokens(two):
    printed = score(*two, "--per-doc", *FEW)
    assert "dependency trees: 2 sentences, 6 gold tokens, 6 predicted" in printed
    assert "by label" in printed and "by sentence, worst first" in printed
    assert "squared tree edit distances" in " ".join(printed.split())
    assert "document" not in printed and "span" not in printed


def test_the_worst_sentence_comes_first_with_its_distance(two):
    table = score(*two, "--per-doc").partition("by sentence")[2].splitlines()
    assert table[1].split()[:4] == ["sentence", "gold", "pred", "distance"]
    assert [line.split()[0] for line in table[3:5]] == ["s1", "s2"]
    assert [line.split()[3] for line in table[3:5]] == ["1.000", ".000"]


def test_brackets_are_scored_by_alpha_and_jaccard(brackets):
    layer = scored(*brackets)
    assert layer["kind"] == "constituency"
    assert list(layer["scores"]) == ["syntax_alpha", "jaccard"]
    assert headline(layer["scores"]["jaccard"]) == pytest.approx((2 * 0.8 + 2) / 4)
    assert "by label" not in score(*brackets)


def test_metrics_of_trees_have_parameters(two):
    text = "las(ignore=DET+OBJ)"
    scores = scored(*two, "-m", text, "-m", "syntax_alpha(delta=norm)")["scores"]
    assert headline(scores[text]) == pytest.approx(3 / 4)
    assert headline(scores["syntax_alpha(delta=norm)"]) == pytest.approx(103 / 111)


def test_intervals_of_trees_are_of_sentences(two):
    row = scored(*two, *FEW)["scores"]["las"]
    assert len(interval_of(row)) == 2
    assert row["resampling"] == "bootstrap,20,0,percentile,0.95,sentences"


def test_both_back_ends_give_the_same_scores(two):
    pytest.importorskip("numba")
    assert scored(*two) == scored(*two)


def test_closeness_of_labels_makes_errors_cheaper(two, tmp_path):
    table = write(tmp_path / "bdm.txt", "close\nkey=NSUBJ, response=SUBJ, bdm=0.5\n")
    metric = f"syntax_alpha(closeness={table})"
    row = scored(*two, "-m", metric)["scores"][metric]
    assert headline(row) > 8 / 9
    assert "closeness=table:" in row["signature"]
    table.write_text("close\nkey=NSUBJ, response=OBJ, bdm=0.5\n")
    for command in ("score", "agree"):
        said = " ".join(call(command, *two, "-m", metric).stdout.split())
        assert "closeness= does not know some labels of" in said


def test_subtypes_can_be_stripped(tmp_path):
    gold = write(tmp_path / "a.conllu", conll(relations=("SUBJ:x", *RELATIONS[1:])), SHORT)
    pred = write(tmp_path / "b.conllu", conll(), SHORT)
    assert headline(scored(gold, pred)["scores"]["las"]) == LAS
    row = scored(gold, pred, "--read", "strip_subtypes=yes")["scores"]["las"]
    assert headline(row) == 1
    assert "subtypes=stripped" in row["signature"]


def test_cycles_are_an_error_unless_what_can_be_reached_is_measured(two, tmp_path):
    round_ = write(tmp_path / "c.conllu", conll((2, 0, 4, 3), name="s1"), SHORT)
    assert "c.conllu:2: token 3 of sentence s1" in failed("score", two[0], round_)
    assert 0 < headline(scored(two[0], round_, "--read", "cycles=reachable")["scores"]["las"]) < 1


def test_sentences_can_be_matched_by_place(tmp_path):
    gold = write(tmp_path / "a.conllu", conll(name="s1"))
    pred = write(tmp_path / "b.conllu", conll(name="t1"))
    assert scored(gold, pred, "--read", "match=place")["n_docs"] == 1
    assert "by place (--read match=place)" in failed("score", gold, pred, "--read", "match=id")


def other_words(folder):
    """One text twice, the second time with other words: three of four and of five are alike."""
    rows = (2, 0, 5, 5, 2), ("NSUBJ", "PRED", "x", "x", "x"), ("Ada", "met", "th", "e", "crew")
    return write(folder / "a.conllu", conll()), write(folder / "b.conllu", conll(*rows))


@pytest.mark.parametrize("turned", [False, True])
def test_other_words_of_a_text_are_aligned_by_characters(tmp_path, turned):
    files = other_words(tmp_path)
    layer = scored(*(files[::-1] if turned else files), "-m", "las", "-m", "uas")
    las, uas = layer["scores"].values()
    assert (headline(las), headline(uas)) == (pytest.approx(2 / 9), pytest.approx(6 / 9))
    assert "|align=characters|" in las["signature"] and layer["n_uneven"] == 0


def test_other_words_of_a_text_have_no_attachment_if_tokens_are_to_be_the_same(tmp_path):
    layer = scored(*other_words(tmp_path), "-m", "las", "--align", "tokens")
    assert headline(layer["scores"]["las"]) is None and layer["n_uneven"] == 1
    assert "|align=tokens|" in layer["scores"]["las"]["signature"]


def test_of_files_with_the_same_words_the_signature_does_not_speak_of_alignment(two):
    assert "align=" not in scored(*two)["scores"]["las"]["signature"]


def test_annotators_with_other_words_agree(tmp_path):
    found, metrics = agreed(*other_words(tmp_path), "-m", "uas")
    assert headline(metrics["uas"]["team"]) == pytest.approx(6 / 9)
    assert found["notes"][0].startswith("sentences with other words: 1")


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
    score(gold, pred, "-o", tmp_path / "page.html")
    assert (
        "The tokens differ, so that they are not compared" in (tmp_path / "page.html").read_text()
    )


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


def test_scores_of_trees_are_drawn_on_a_page(two, tmp_path):
    score(*two, "-o", tmp_path / "page.html", *FEW)
    page = (tmp_path / "page.html").read_text()
    assert "NSUBJ" in page and "gold" in page


def test_one_file_of_trees_is_not_enough(two):
    assert "scored against those of another file" in failed("score", two[0])


# agree


def test_two_annotators_of_trees_agree(two):
    found, metrics = agreed(*two)
    assert (found["positions"], found["n_docs"]) == ("tree", 2)
    assert [one["name"] for one in found["annotators"]] == ["ann", "bob"]
    assert found["sources"] == [str(path) for path in two]
    assert headline(metrics["syntax_alpha"]["team"]) == ALPHA
    assert headline(metrics["las"]["team"]) == LAS


def test_annotators_are_the_folders_of_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, relations in {"a": RELATIONS, "b": OTHER, "c": RELATIONS}.items():
        write(Path(f"x/{name}/one-{name}.conllu"), conll(relations=relations))
        write(Path(f"x/{name}/two-{name}.conllu"), conll((2, 0), ("A", "B"), ("it", "is")))
    message = failed("agree", "x")
    assert "x: only 1 annotator ('x')" in message and "agree FOLDER/* takes each" in message
    found, metrics = agreed("x/a", "x/b", "x/c")
    assert [one["name"] for one in found["annotators"]] == ["a", "b", "c"]
    assert len(metrics["las"]["pairs"]) == 3


@pytest.mark.parametrize("by", ["layer", "name"])
def test_annotators_of_trees_are_files_or_folders(two, by):
    message = failed("agree", *two, "--annotators", by)
    said = f"--annotators {by} is not for trees; name a file or folder of each (agree FOLDER/*"
    assert said in message


@pytest.mark.parametrize("command", ["score", "agree"])
def test_sentences_of_other_texts_are_scored_as_they_are_with_a_note(
    tmp_path, monkeypatch, command
):
    monkeypatch.chdir(tmp_path)
    files = write(Path("a.conllu"), conll()), write(Path("b.conllu"), conll(words="abcd"))
    assert "--read text=warn takes such sentences as they are" in failed(command, *files)
    printed = " ".join(call(command, *files, "--read", "text=warn").stdout.split())
    assert "sentences with other texts, compared as they are: 1 (b.conllu:1)" in printed
    assert "|other_texts=1|" in printed


def test_annotators_of_trees_can_be_named(two):
    found, _ = agreed(f"x={two[0]}", f"y={two[1]}")
    assert [one["name"] for one in found["annotators"]] == ["x", "y"]


def test_tables_of_trees_speak_of_sentences_and_leave_out_majorities(two):
    printed = agree(*two, "--top", 5)
    for text in ("Sentences", "annotators against the others", "sentences that cost the team most"):
        assert text in printed
    assert "mean distance: tree edit distance" in printed and "corrected is alpha" in printed
    for text in ("majority", "document", "span"):
        assert text not in printed


def test_sentences_come_with_their_mean_distances(two):
    _, metrics = agreed(*two)
    first, second = metrics["syntax_alpha"]["documents"]
    assert (first["document"], first["distance"]) == ("s1", 1)
    assert (second["document"], second["distance"]) == ("s2", 0)


def test_files_of_spacy_agree_as_trees_or_as_spans(tmp_path):
    _, metrics = agreed(*docbins(tmp_path), "-m", "las")
    assert headline(metrics["las"]["team"]) == LAS


def test_brackets_agree_by_labelled_brackets(brackets):
    _, metrics = agreed(*brackets)
    assert list(metrics) == ["syntax_alpha", "jaccard"]
    printed = agree(*brackets, "--top", 5)
    assert "constituency" in printed and "nodes" in printed and "label  " not in printed


@pytest.mark.parametrize("command", ["score", "agree"])
def test_trees_are_drawn_in_a_folder(two, tmp_path, command):
    for _ in range(2):  # the second takes the place of the first
        done = call(command, *two, "-o", tmp_path / "pages", *FEW)
        assert done.exit_code == 0, done.stderr
        names = sorted(path.name for path in (tmp_path / "pages").iterdir())
        assert names == ["index.html", "pair-001-002.html"]


def test_pages_do_not_replace_a_folder_of_other_files(two, tmp_path):
    write(tmp_path / "mine" / "a.txt", "mine")
    assert "not a folder of these pages" in failed("agree", *two, "-o", tmp_path / "mine")
    assert "not a folder of these pages" in failed("score", *two, "-o", tmp_path / "mine")


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


def test_commands_of_spans_say_which_commands_read_trees(two):
    message = failed("diff", *two, "--format", "conllx")
    assert "conllx is a format of trees, which score and agree read" in message


@pytest.mark.parametrize("line", ["", " \n"], ids=["rows", "with-blanks"])
def test_numbers_beside_tags_are_no_trees(tmp_path, line):
    path = write(tmp_path / "a.conll", f"1\tAda\tB-X\n{line}2\tmet\tQ\n")
    assert "correct the tag" in failed("score", path, path)
