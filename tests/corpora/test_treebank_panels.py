"""Who annotated which sentence of the treebanks in files and folders."""

from pathlib import Path

import pytest

from helpers.treefiles import (
    MORE,
    OTHER,
    RELATIONS,
    SHORT,
    WORDS,
    bank,
    conll,
    labels,
    refused,
    tree_pair,
    write,
)
from spacy_chance_eval.corpora.treebanks import read_tree_panel, read_treebank
from spacy_chance_eval.formats.sentences import SAME_TEXT

DATA = Path(__file__).parents[3] / "shared/data/ssd"

# --- annotators: who they are


def test_files_are_annotators_called_as_the_files(tmp_path):
    alice = bank(tmp_path / "alice.conllu", "s")
    bob = bank(tmp_path / "bob.v2.conllu.gz", "s", relations=OTHER)
    panel, sentences = read_tree_panel([alice, bob])
    assert labels(panel) == {"alice": [list(RELATIONS)], "bob.v2": [list(OTHER)]}
    assert [sentences[name][0].labels for name in ("alice", "bob.v2")] == [RELATIONS, OTHER]


def test_annotators_can_be_given_names(tmp_path):
    one, two = bank(tmp_path / "a/x.conllu", "s"), bank(tmp_path / "b/x.conllu", "s")
    assert read_tree_panel([f"zoe={one}", f"ann={two}"])[0].names == ("ann", "zoe")
    assert read_tree_panel([one, two])[0].names == ("a/x", "b/x")


def test_folders_of_one_name_are_told_apart_by_those_they_are_in(tmp_path):
    for name in ("ann/out", "bob/out"):
        bank(tmp_path / name / "d.conllu", "s")
    panel, _ = read_tree_panel([tmp_path / "ann/out", tmp_path / "bob/out"])
    assert panel.names == ("ann/out", "bob/out")


def test_documents_are_what_stands_before_the_annotator_in_the_names_of_files(tmp_path):
    for name in ("ann/x/a-b-ann", "bob/x/a-b-bob", "ann/y/a-b-ann"):
        write(tmp_path / f"{name}.conllu", conll())
    panel, sentences = read_tree_panel([tmp_path / "ann", tmp_path / "bob"])
    assert panel.annotations[0].names == ("x/a-b", "y/a-b")
    assert [sentence is None for sentence in sentences["bob"]] == [False, True]
    assert panel.seen.tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize(
    ("sources", "options", "message"),
    [
        ([], {}, "no files"),
        (["a.conllu", "b.conllu"], {"match": "x"}, "unknown value of match 'x'"),
        (["a.conllu", "b.conllu"], {"cycles": "x"}, "unknown value of cycles 'x'"),
        (["a.conllu", "b.conllu"], {"format": "x"}, "unknown format of trees 'x'"),
        (["a.conllu", "x=b.conllu#ents"], {}, "treebanks have no layers"),
        (["a.conllu", "a.conllu"], {}, "two annotators are called 'a'"),
    ],
)
def test_options_that_do_not_fit_are_errors(tmp_path, monkeypatch, sources, options, message):
    monkeypatch.chdir(tmp_path)
    bank(tmp_path / "a.conllu", "s")
    bank(tmp_path / "b.conllu", "s")
    with pytest.raises(ValueError, match=message):
        read_tree_panel(sources, **options)


# --- which sentence is which


def test_sentences_are_matched_by_id_in_any_order_and_may_be_missing(tmp_path):
    alice = write(tmp_path / "a.conllu", conll(name="1"), conll(words=MORE, name="2"))
    bob = write(tmp_path / "b.conllu", conll(words=MORE, name="2"), conll(name="3"))
    panel, sentences = read_tree_panel([alice, bob])
    assert panel.annotations[0].names == ("1", "2", "3")
    assert panel.seen.tolist() == [[True, True, False], [False, True, True]]
    assert sentences["a"][2] is sentences["b"][0] is None
    assert sentences["b"][1].words == MORE


@pytest.mark.parametrize("ids", [("x", "y"), (None, None), ("1", "1"), ("1", None)])
def test_sentences_without_ids_in_common_are_matched_by_place(tmp_path, ids):
    alice = write(tmp_path / "a.conllu", conll(name="1"), conll(words=MORE, name="2"))
    texts = [conll(words=words, name=name) for words, name in zip((WORDS, MORE), ids)]
    panel, _ = read_tree_panel([alice, write(tmp_path / "b.conllu", *texts)])
    assert panel.seen.all() and panel.annotations[0].names == ("1", "2")


def test_ids_can_be_left_out_of_account(tmp_path):
    alice = bank(tmp_path / "a.conllu", "1", "2")
    bob = bank(tmp_path / "b.conllu", "2", "3")
    assert read_tree_panel([alice, bob])[0].n_items == 3
    panel, _ = read_tree_panel([alice, bob], match="place")
    assert (panel.n_items, panel.annotations[0].names) == (2, ("1", "2"))


def test_ids_that_come_again_in_other_documents_are_matched_by_document(tmp_path):
    bank(tmp_path / "ann/x.conllu", "1", "2")
    bank(tmp_path / "ann/y.conllu", "1")
    bank(tmp_path / "bob/y.conllu", "1")
    bank(tmp_path / "bob/x.conllu", "2", "1")
    panel, sentences = read_tree_panel([tmp_path / "ann", tmp_path / "bob"])
    assert panel.annotations[0].names == ("x/1", "x/2", "y/1")
    assert [s.line for s in sentences["bob"]] == [8, 2, 2]


def test_files_of_folders_are_matched_by_their_names_and_sentences_by_place(tmp_path):
    for name, n in (("ann/x", 2), ("ann/y", 1), ("bob/x", 2), ("bob/z", 1)):
        write(tmp_path / f"{name}.conllu", *[conll()] * n)
    panel, _ = read_tree_panel([tmp_path / "ann", tmp_path / "bob"])
    assert panel.annotations[0].names == ("x/1", "x/2", "y", "z")
    assert panel.seen.tolist() == [[True, True, True, False], [True, True, False, True]]


def test_a_folder_and_a_file_are_matched_over_all_files(tmp_path):
    write(tmp_path / "ann/x.conllu", conll())
    write(tmp_path / "ann/y.conllu", conll(words=MORE))
    bob = write(tmp_path / "bob.conllu", conll(), conll(words=MORE))
    panel, _ = read_tree_panel([tmp_path / "ann", bob])
    assert panel.seen.all() and panel.n_items == 2


def test_by_place_numbers_of_sentences_must_be_equal(tmp_path):
    alice = write(tmp_path / "a.conllu", conll(), conll(words=MORE))
    bob = write(tmp_path / "b.conllu", conll())
    message = refused(read_tree_panel, [alice, bob])
    assert message.startswith(f"{bob}: 1 sentence, but 2 in {alice}; without ids in common")
    assert f"from sentence 2 on they differ ({alice}:6)" in message
    carl = write(tmp_path / "c.conllu", conll(words=MORE))
    message = refused(read_tree_panel, [alice, carl])
    assert f"from sentence 1 on they differ ({alice}:1)" in message


def test_ids_that_are_asked_for_must_be_there(tmp_path):
    alice, none = bank(tmp_path / "a.conllu", "1"), write(tmp_path / "b.conllu", conll())
    other, twice = bank(tmp_path / "c.conllu", "x"), bank(tmp_path / "d.conllu", "1", "1")

    for path in (none, other, twice):
        message = refused(read_tree_panel, [alice, path], match="id")
        assert message.startswith(f"{path}: sentences without ids, each its own,")


@pytest.mark.parametrize("name", ["1", None])
def test_the_text_of_a_sentence_must_be_the_same(tmp_path, name):
    alice = bank(tmp_path / "a.conllu", name)
    bob = bank(tmp_path / "b.conllu", name, words=("Ada", "met", "th", "crew"))
    line = 2 if name else 1
    assert refused(read_tree_panel, [alice, bob]) == (
        f"{bob}:{line}: sentence 1: 'crew', but 'ecrew' at {alice}:{line} (character 9, without "
        f"spaces); {SAME_TEXT}"
    )
    bob = bank(tmp_path / "b.conllu", name, words=("Ada", "met", "the", "crewmen"))
    assert "'men', but its end at" in refused(read_tree_panel, [alice, bob])


def test_texts_that_look_alike_are_shown_by_their_code_points(tmp_path):
    files = [
        bank(tmp_path / f"{name}.conllu", "1", words=("caf" + accent, *WORDS[1:]))
        for name, accent in (("a", "\xe9"), ("b", "e\u0301"))
    ]
    message = refused(read_tree_panel, files)
    assert r": sentence 1: 'e\u0301metthecrew', but '\xe9metthecrew' at" in message


def test_leaves_that_differ_may_be_labels_without_words(tmp_path):
    files = [write(tmp_path / f"{v}.tree", f"(S (NP P) (VP {v}))") for v in "VW"]
    assert refused(read_tree_panel, files).endswith(
        f"{SAME_TEXT} (if these are labels, no words: --format delexicalised)"
    )
    assert read_tree_panel(files, format="delexicalised")[0].seen.all()


def other_words(folder):
    """Two annotators of a text, one with other words."""
    rows = (2, 0, 5, 5, 2), (*OTHER, "x"), ("Ada", "met", "th", "e", "cr ew")
    return bank(folder / "a.conllu", "1"), write(folder / "b.conllu", conll(*rows, name="1"))


def test_a_text_may_be_cut_into_other_tokens(tmp_path):
    panel, _ = read_tree_panel(other_words(tmp_path))
    assert panel.even.tolist() == [True]
    assert panel.notes == (
        "sentences with other words: 1; aligned by characters (as in CoNLL 2018)",
    )
    one, two = panel.annotations
    assert one.words.end.tolist() == [3, 6, 9, 13]
    assert two.words.end.tolist() == [3, 6, 8, 9, 13]


def test_other_tokens_are_left_out_if_tokens_are_to_be_the_same(tmp_path):
    panel, _ = read_tree_panel(other_words(tmp_path), align="tokens")
    assert panel.even.tolist() == [False]


MULTIWORD = "1-2\tAdamet" + "\t_" * 8 + "\n"


def test_multiword_tokens_are_the_text_of_their_words(tmp_path):
    made = conll(words=("Ada", "MET", "the", "crew"))
    alice = write(tmp_path / "a.conllu", MULTIWORD + made)
    bob = write(tmp_path / "b.conllu", conll((2, 0, 2), OTHER[:3], ("Adamet", "th", "ecrew")))
    panel, sentences = read_tree_panel([alice, bob])
    assert sentences["a"][0].multiwords == ((0, 2, "Adamet"),)
    assert panel.annotations[0].words.table[:, :3].tolist() == [
        [0, 6, 1], [0, 6, 1], [6, 9, 0], [9, 13, 0]
    ]  # fmt: skip
    assert "compare trees of the same text" in refused(
        read_tree_panel, [alice, bob], align="tokens"
    )


def test_sentences_that_end_elsewhere_are_joined_between_common_ends(tmp_path):
    alice = write(tmp_path / "a.conllu", conll(), conll(words=MORE), SHORT)
    rows = (2, 0, 4, 2, 2, 5, 8, 5), (*RELATIONS, *RELATIONS), (*WORDS, *MORE)
    bob = write(tmp_path / "b.conllu", conll(*rows), SHORT)
    panel, sentences = tree_pair(alice, bob)
    assert [len(s.words) for s in sentences["gold"]] == [8, 2]
    assert sentences["gold"][0].parents == (1, -1, 3, 1, 5, -1, 7, 5)
    assert panel.n_items == 2 and panel.notes == (
        "sentences end elsewhere (3 of gold, 2 of pred): compared are the 2 stretches of text "
        "between the ends that all have in common",
    )
    message = refused(tree_pair, alice, bob, align="tokens")
    assert "2 sentences, but 3" in message and "from sentence 1 on they differ" in message
    assert refused(read_tree_panel, [alice, bob]) == message


def test_sentences_of_another_text_are_not_joined(tmp_path):
    alice = write(tmp_path / "a.conllu", conll(), conll(words=MORE), SHORT)
    rows = (2, 0, 4, 2, 2, 5, 8, 5), (*RELATIONS, *RELATIONS), (*WORDS, "Rex", "saw", "a", "cat")
    bob = write(tmp_path / "b.conllu", conll(*rows), SHORT)
    assert refused(tree_pair, alice, bob).endswith(f"from sentence 1 on they differ ({alice}:1)")


def test_words_that_are_spelled_otherwise_can_be_compared_by_place(tmp_path):
    alice = bank(tmp_path / "a.conllu", "1")
    bob = bank(tmp_path / "b.conllu", "1", words=("Ada", "met", "THE", "``"))
    panel, _ = read_tree_panel([alice, bob], align="position")
    assert panel.even.all()
    assert panel.notes == (
        "words spelled otherwise: 2; compared by place ('the' and 'THE'; 'crew' and '``')",
    )


def test_the_style_of_brackets_is_that_of_all_files(tmp_path):
    small = write(tmp_path / "a.tree", "(S (NP P) (VP V))\n", "(S (NP P))")
    large = write(tmp_path / "b.tree", "(S (NP P) V)\n", "(S (NP P))")
    _, sentences = read_tree_panel([small, large])
    assert sentences["a"][0].labels == ("S", "NP", "P", "VP", "V")
    assert tree_pair(small, large)[1]["gold"] == sentences["a"]
    assert read_treebank(small).sentences[0].labels == ("S", "NP", "VP")
    assert read_treebank(small, format="delexicalised").sentences[0].labels[-1] == "V"


def test_cycles_are_errors_with_their_place_unless_they_are_to_be_measured(tmp_path):
    alice = bank(tmp_path / "a.conllu", "1")
    bob = write(tmp_path / "b.conllu", conll(heads=(2, 1, 4, 0), name="1"))
    assert refused(read_tree_panel, [alice, bob]).startswith(f"{bob}:2: token 1 of sentence 1 ")
    panel, _ = read_tree_panel([alice, bob], cycles="reachable")
    assert panel.annotations[1].reachable.tolist() == [False, False, True, True]


# --- real data


@pytest.mark.skipif(not DATA.exists(), reason="../shared/data/ssd is not there")
def test_three_annotators_of_derivations_are_read_from_their_folders():
    folders = sorted(path for path in DATA.iterdir() if path.is_dir())
    panel, sentences = read_tree_panel(folders)
    assert (panel.kind, panel.n_items, panel.names) == (
        "constituency",
        96,
        ("ssd.emily2", "ssd.woodley", "ssd.woodley2"),
    )
    assert panel.seen.sum(axis=1).tolist() == [93, 92, 95]
    assert all(sentence is None or sentence.words is None for sentence in sentences["ssd.emily2"])
