"""Which files are compared as trees, and what `score` and `agree` make of them in Python."""

import pytest
from spacy.tokens import DocBin

from helpers.parsing import parsed
from helpers.reading import Reader
from helpers.treefiles import HEADS, MORE, OTHER, RELATIONS, conll, labels, tree_pair, write
from spacy_chance_eval import Spans, evaluate, leaderboard
from spacy_chance_eval.corpora.sources import are_trees
from spacy_chance_eval.reports.tree_pages import write_tree_agreement
from spacy_chance_eval.scoring.statistics import headline
from spacy_chance_eval.tasks.agree import Agreement
from spacy_chance_eval.tasks.trees import agree_tree_files, score_tree_files


@pytest.fixture
def two(tmp_path):
    """Two annotators' sentences."""
    return tuple(
        write(tmp_path / name, conll(relations=relations, name="s1"), conll(words=MORE, name="s2"))
        for name, relations in (("ann.conllu", RELATIONS), ("bob.conllu", OTHER))
    )


@pytest.mark.parametrize("names", [("ann", "bob"), ("bob", "ann")])
def test_the_agreement_with_gold_has_the_names_of_files(two, names):
    paths = [two[0].parent / f"{name}.conllu" for name in names]
    metrics = ["syntax_alpha", "las", "uas"]
    scored, agreement = score_tree_files(*paths, metrics=metrics)
    found = agreement()
    result = found.to_dict()
    assert [one["name"] for one in result["annotators"]] == [*names] == [*found.panel.names]
    (scores,) = (layer["scores"] for layer in scored["layers"])
    for metric in result["metrics"]:
        (pair,) = metric["pairs"]
        assert (pair["first"], pair["second"]) == names
        assert headline(pair) == headline(scores[metric["metric"]])
        assert [row["annotator"] for row in metric["annotators"]] == [*names]
    assert found.corpus[names[0]][0].path == str(paths[0])


def test_pages_of_a_prediction_speak_of_no_annotators(two, tmp_path):
    write_tree_agreement(score_tree_files(*two)[1](), tmp_path / "pages")
    for path in (tmp_path / "pages").iterdir():
        page = Reader(path.read_text(encoding="utf8")).text
        about = page.index("About this page") if "About this page" in page else len(page)
        page = page[:about].replace("|annotators=2|", "|")  # of signatures
        assert "ann and bob" in page and "nnotator" not in page
        assert "the team most" not in page and "pred " not in page


def test_a_treebank_on_either_side_makes_trees_of_both():
    assert are_trees(["gold.spacy", "pred.conllu"])


@pytest.mark.parametrize(
    "scored", [evaluate, lambda one, two, names: leaderboard(one, {"a": two}, names)]
)
def test_spans_have_no_metrics_of_trees(scored):
    spans = Spans.from_tuples([[(0, 1, "A")]], sizes=[3])
    with pytest.raises(ValueError, match="las compares trees"):
        scored(spans, spans, ["las"])


def test_agreement_of_files_knows_its_sentences_and_sources(two):
    found = agree_tree_files(two, metrics=["las"])
    assert isinstance(found, Agreement)
    paths = list(map(str, two))
    assert (found.result["title"], found.result["sources"]) == (", ".join(paths), paths)
    assert headline(found["las"]["team"]) == pytest.approx(7 / 8)
    assert [s.words for s in found.corpus["ann"]] == [s.words for s in found.corpus["bob"]]
    assert "las" in str(found)


def test_closeness_belongs_to_the_metrics_that_weigh_labels(two, tmp_path):
    table = write(tmp_path / "bdm.txt", "close\nkey=NSUBJ, response=SUBJ, bdm=0.5\n")
    metric = f"syntax_alpha(closeness={table})"
    found = agree_tree_files(two, metrics=[metric, "las"])
    plain = agree_tree_files(two)
    # the only error costs half of what it did, here and in the distances between sentences
    assert found[metric]["team"]["observed"] == 1 - 0.5**2 / 2
    assert plain["syntax_alpha"]["team"]["observed"] == 1 - 1 / 2
    assert found["las"]["team"] == plain["las"]["team"]


def test_sentences_that_one_side_lacks_the_trees_of_are_skipped(two, tmp_path):
    bare = "".join(f"{i}\t{w}\t_\t_\t_\t_\t_\t_\t_\t_\n" for i, w in enumerate(MORE, 1))
    pred = write(tmp_path / "c.conllu", conll(name="s1"), f"# sent_id = s2\n{bare}\n")
    (layer,) = score_tree_files(two[0], pred, metrics=["las"])[0]["layers"]
    assert (layer["n_docs"], layer["n_skipped"], layer["n_gold"]) == (1, 1, 4)


def test_nothing_annotated_on_both_sides_is_an_error(tmp_path):
    rows = "1\tit\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    gold = write(tmp_path / "a.conllu", rows)
    with pytest.raises(ValueError, match="nothing to score"):
        score_tree_files(gold, gold)


def test_subtypes_are_stripped_of_files_of_spacy_too(tmp_path):
    paths = [tmp_path / "a.spacy", tmp_path / "b.spacy"]
    for path, relation in zip(paths, ("SUBJ:x", "SUBJ:y")):
        relations = (relation, *RELATIONS[1:])
        DocBin(docs=[parsed("Ada met the crew", HEADS, relations)]).to_disk(path)
    panel, _ = tree_pair(*paths, strip_subtypes=True)
    assert labels(panel)["gold"] == labels(panel)["pred"] == [list(RELATIONS)]
    panel, _ = tree_pair(*paths)
    assert labels(panel)["pred"][0][0] == "SUBJ:y"
