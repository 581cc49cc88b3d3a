import pytest
import spacy
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokens import Doc, DocBin

from helpers.docmaking import make_doc
from helpers.parsing import parsed, rows
from spacy_chance_eval import FormatError
from spacy_chance_eval.spacy_docs.pipeline import examples_of
from spacy_chance_eval.spacy_docs.tree_docs import (
    ABSENT,
    predicted_treebanks,
    treebanks_of_docbins,
    trees_of_examples,
)
from spacy_chance_eval.tasks.trees import score_tree_files


@Language.component("chance_eval_tests_chain", assigns=["token.dep", "token.head"])
def chain_of(doc):
    """Every token hangs on the one before it."""
    heads = [max(i - 1, 0) for i in range(len(doc))]
    deps = ["ROOT" if i == 0 else "next" for i in range(len(doc))]
    chained = Doc(doc.vocab, words=[t.text for t in doc], heads=heads, deps=deps)
    return doc.from_array(["HEAD", "DEP"], chained.to_array(["HEAD", "DEP"]))


def docbin(path, *docs):
    """A `.spacy` file of the Docs, with their names."""
    DocBin(store_user_data=True, docs=docs).to_disk(path)
    return path


def trees_and_words(bank):
    """[(parents, labels, words)] of a treebank."""
    return [(s.parents, s.labels, s.words) for s in bank.sentences]


@pytest.fixture(scope="module")
def chain(tmp_path_factory):
    """Folder of a saved pipeline that makes a chain of every document."""
    folder = tmp_path_factory.mktemp("chain")
    nlp = spacy.blank("en")
    nlp.add_pipe("chance_eval_tests_chain")
    nlp.to_disk(folder / "model")
    return folder / "model"


# two files


def test_tokens_of_gold_that_no_predicted_token_fits_are_counted(tmp_path):
    gold = parsed("so cannot go", [3, 3, 0], "advmod aux ROOT")
    split = parsed(
        "so can not go", [4, 4, 2, 0], "advmod aux neg ROOT", spaces=[True, False, True, False]
    )
    files = [docbin(tmp_path / f"{i}.spacy", doc) for i, doc in enumerate((gold, split))]
    notes = "gold tokens without a predicted token that fits (relation (none))"
    assert [bank.notes for bank in treebanks_of_docbins(*files)] == [{}, {notes: 1}]
    assert [bank.notes for bank in treebanks_of_docbins(*files[::-1])] == [{}, {notes: 2}]
    assert treebanks_of_docbins(files[0], files[0])[1].notes == {}
    (layer,) = score_tree_files(*files, metrics=["las"])[0]["layers"]
    assert layer["notes"] == [f"pred: 1 {notes}"]


def test_other_tokens_and_sentences_are_carried_over_to_those_of_gold(tmp_path):
    gold = parsed("so cannot . go", [2, 0, 2, 0], "advmod ROOT punct ROOT")
    pred = parsed(
        "so can not . go", [2, 5, 2, 2, 0], "advmod dep neg punct ROOT",
        spaces=[True, False, True, True, False],
    )  # fmt: skip
    _, bank = treebanks_of_docbins(
        docbin(tmp_path / "gold.spacy", gold), docbin(tmp_path / "pred.spacy", pred)
    )
    assert trees_and_words(bank) == [
        ((-1, -1, -1), ("advmod", ABSENT, "punct"), ("so", "cannot", ".")),
        ((-1,), ("root",), ("go",)),
    ]


def test_documents_are_matched_by_name_if_both_files_have_the_same_names(tmp_path):
    a, b = parsed("go", [0], "ROOT", name="a"), parsed("it is", [2, 0], "nsubj ROOT", name="b")
    gold, pred = treebanks_of_docbins(
        docbin(tmp_path / "gold.spacy", a, b), docbin(tmp_path / "pred.spacy", b, a)
    )
    assert trees_and_words(gold) == trees_and_words(pred)
    assert gold.names == pred.names == ["a/1", "b/1"]


def test_documents_of_another_text_are_named_and_shown_by_code_points_if_they_look_alike(tmp_path):
    files = [
        docbin(tmp_path / f"{number}.spacy", parsed(text, [0], "ROOT", name="letter"))
        for number, text in enumerate(("\xe9", "e\u0301"))
    ]
    message = r"document 1 \(letter\) has another text than in .*: 'e\\u0301', but there '\\xe9' "
    with pytest.raises(FormatError, match=message):
        treebanks_of_docbins(*files)


def test_other_numbers_of_documents_are_an_error(tmp_path):
    gold = docbin(tmp_path / "gold.spacy", parsed("go", [0], "ROOT"), parsed("so", [0], "ROOT"))
    pred = docbin(tmp_path / "pred.spacy", parsed("go", [0], "ROOT"))
    with pytest.raises(FormatError, match="1 document, but 2 in"):
        treebanks_of_docbins(gold, pred)


def test_predictions_or_gold_without_dependencies_are_an_error(tmp_path):
    full = docbin(tmp_path / "full.spacy", parsed("go", [0], "ROOT"))
    bare = docbin(tmp_path / "bare.spacy", make_doc("go"))
    with pytest.raises(FormatError, match=r"bare\.spacy: no dependencies are predicted"):
        treebanks_of_docbins(full, bare)
    with pytest.raises(FormatError, match=r"bare\.spacy: no sentence has the relations"):
        treebanks_of_docbins(bare, full)


# pipelines


def test_a_pipeline_is_compared_on_docs_as_spacy_evaluate_does(chain, tmp_path):
    docs = parsed("it is so", [2, 0, 2], "nsubj ROOT advmod"), parsed("I go", [2, 0], "nsubj ROOT")
    path = docbin(tmp_path / "gold.spacy", *docs)
    gold, pred = predicted_treebanks(chain, path)
    assert [s.parents for s in pred.sentences] == [(-1, 0, 1), (-1, 0)]
    assert (gold.path, pred.path) == (str(path), str(chain))
    nlp = spacy.load(chain)
    examples = list(examples_of(nlp, path))
    for example in examples:
        example.predicted = nlp(example.predicted)
    assert rows(pred.trees()) == rows(trees_of_examples(examples)[1])
    right = sum(
        one == two
        for a, b in zip(gold.sentences, pred.sentences)
        for one, two in zip(a.parents, b.parents)
    )
    assert right / 5 == pytest.approx(Scorer.score_deps(examples, "dep")["dep_uas"])


def test_a_pipeline_without_a_parser_is_an_error(gazetteer, tmp_path):
    gold = docbin(tmp_path / "gold.spacy", parsed("go", [0], "ROOT"))
    with pytest.raises(FormatError, match="no dependencies are predicted"):
        predicted_treebanks(gazetteer, gold)


def test_documents_of_a_pipeline_are_watched(chain, tmp_path):
    seen = []

    def watch(steps, total=None, what=""):
        seen.append((total, what))
        return steps

    path = docbin(tmp_path / "gold.spacy", parsed("go", [0], "ROOT"))
    predicted_treebanks(str(chain), path, progress=watch)
    assert seen == [(1, f"{chain}: documents")]
