"""Treebanks from files and folders, and pairs of them."""

import numpy as np
import pytest

from helpers.treefiles import (
    HEADS,
    MORE,
    OTHER,
    RELATIONS,
    WORDS,
    bank,
    conll,
    labels,
    mutations,
    refused,
    write,
)
from spacy_chance_eval.corpora.sources import treebank_format
from spacy_chance_eval.corpora.treebanks import read_tree_panel, read_treebank
from spacy_chance_eval.formats.errors import FormatError

# --- formats


def test_a_folder_holds_trees_if_no_more_of_its_files_hold_something_else(tmp_path):
    assert treebank_format(tmp_path) is None
    bank(tmp_path / "sub/a.conllu", None)
    write(tmp_path / "README.txt", "trees")
    write(tmp_path / ".hidden.jsonl", "{}")
    write(tmp_path / "LICENSE", "all rights")
    assert treebank_format(tmp_path) == "conllu"
    write(tmp_path / "a.ann")
    assert treebank_format(tmp_path) is None


# --- one treebank


def test_a_folder_is_one_treebank_in_the_order_of_its_files(tmp_path):
    write(tmp_path / "b.conllu", conll(), conll())
    bank(tmp_path / "a/x.conllu", "x1")
    write(tmp_path / "README.md", "nothing to read")
    found = read_treebank(tmp_path)
    assert found.names == ["a/x/x1", "b/1", "b/2"]
    assert [s.path for s in found.sentences] == [
        str(tmp_path / "a/x.conllu"),
        *[str(tmp_path / "b.conllu")] * 2,
    ]
    assert found.trees().n_items == 3


def test_a_cycle_is_an_error_of_its_file(tmp_path):
    bank(tmp_path / "a.conllu", "a1")
    wrong = write(tmp_path / "b.conllu", conll(), conll(heads=(2, 1, 4, 0)))
    message = refused(read_treebank, tmp_path)
    assert message.startswith(f"{wrong}:6: token 1 of sentence b/2 cannot be reached")
    assert read_treebank(tmp_path, cycles="reachable").trees().n_items == 3


def test_of_a_format_that_is_named_files_with_its_endings_are_read(tmp_path):
    bank(tmp_path / "a.conllx", "a")
    bank(tmp_path / "b.conllu", "b")
    assert read_treebank(tmp_path, format="conllx").names == ["a"]


# --- docbins


@pytest.fixture
def docbin(tmp_path):
    """The sentences "s" (as in CoNLL-U) and another one in a Doc, as a .spacy file."""
    import spacy
    from spacy.tokens import Doc, DocBin

    heads = [1, 1, 3, 1, 5, 5, 7, 5]
    words, starts = [*WORDS, *MORE], [True, False, False, False] * 2
    vocab = spacy.blank("xx").vocab
    doc = Doc(vocab, words=words, heads=heads, deps=[*OTHER, *RELATIONS], sent_starts=starts)
    DocBin(docs=[doc]).to_disk(tmp_path / "bob.spacy")
    return tmp_path / "bob.spacy"


def test_docbins_are_read_and_compare_with_conllu(tmp_path, docbin):
    alice = write(tmp_path / "alice.conllu", conll(name="a"), conll(words=MORE, name="b"))
    panel, sentences = read_tree_panel([alice, docbin])
    assert labels(panel) == {"alice": [list(RELATIONS)] * 2, "bob": [list(OTHER), list(RELATIONS)]}
    assert sentences["bob"][1].words == MORE


@pytest.mark.parametrize("ending", ["conllu", "conllx", "spacy"])
def test_the_relation_to_the_root_is_called_alike_in_all_files(tmp_path, ending):
    import spacy
    from spacy.tokens import Doc, DocBin

    file, relations = tmp_path / f"a.{ending}", ("SUBJ", "ROOT", "DET", "OBJ")
    if ending == "spacy":
        facts = {"words": WORDS, "heads": [1, 1, 3, 1], "deps": relations}
        DocBin(docs=[Doc(spacy.blank("xx").vocab, **facts)]).to_disk(file)
    else:
        bank(file, "s", relations=relations)
    assert read_treebank(file).sentences[0].labels == ("SUBJ", "root", "DET", "OBJ")


def test_of_docbins_the_number_of_a_sentence_is_its_place(tmp_path, docbin):
    alice = write(tmp_path / "alice.conllu", conll(), conll())
    message = refused(read_tree_panel, [alice, docbin])
    assert message.startswith(
        f"{docbin}: sentence 2 (document 1, sentence 2): 'Rexsawadog', but 'Adametthecrew' at "
        f"{alice}:6 "
    )
    assert refused(read_tree_panel, [docbin, alice]).endswith(
        f"'Rexsawadog' at {docbin} document 1, sentence 2 (character 1, without spaces); compare "
        "trees of the same text; --read text=warn takes such sentences as they are"
    )


def test_docbins_beside_other_files_of_trees_are_passed_over(tmp_path, docbin):
    assert read_treebank(tmp_path).names == ["bob/1", "bob/2"]
    bank(tmp_path / "a.conllu", "x")
    assert read_treebank(tmp_path).names == ["x"]


# --- damaged data


def test_damaged_files_are_errors_that_say_where(tmp_path):
    text = "".join(conll(HEADS, RELATIONS, words, name=words[0]) for words in (WORDS, MORE))
    alice, bob = write(tmp_path / "a.conllu", text), tmp_path / "b.conllu"
    pieces = ["\t", "_", "0", "9", "\n", "\n\n", "# sent_id = 1\n", "# sent_id = Ada\n", "1"]
    for damaged in mutations(text, np.random.default_rng(0), 300, pieces):
        try:
            panel, _ = read_tree_panel([alice, write(bob, damaged)])
            assert panel.n_items >= 1
        except FormatError as error:
            assert str(tmp_path) in str(error)
