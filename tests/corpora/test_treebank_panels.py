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


def test_documents_are_what_stands_before_the_annotator_in_the_names_of_files(tmp_path):
    for name in ("ann/x/a-b-ann", "bob/x/a-b-bob", "ann/y/a-b-ann"):
        write(tmp_path / f"{name}.conllu", conll())
    panel, sentences = read_tree_panel([tmp_path / "ann", tmp_path / "bob"])
    assert panel.annotations[0].names == ("x/a-b", "y/a-b")
    assert [sentence is None for sentence in sentences["bob"]] == [False, True]
    assert panel.seen.tolist() == [[True, True], [True, False]]


ACCENT = {f"{name}.conllu": [conll(words=(word, *WORDS[1:]), name="1")]
          for name, word in (("a", "caf\xe9"), ("b", "cafe\u0301"))}  # fmt: skip
TWO = [conll(), conll(words=MORE)]
JOINED = (2, 0, 4, 2, 2, 5, 8, 5), (*RELATIONS, *RELATIONS)
OTHER_TEXT = [conll(*JOINED, (*WORDS, "Rex", "saw", "a", "cat")), SHORT]
CUT = ("Ada", "met", "th", "crew")
REFUSED = {  # files, how they are read, their names, options, and what the message has
    "no files": ({}, read_tree_panel, "", {}, "no files"),
    "a layer": ({"a.conllu": TWO}, read_tree_panel, "a.conllu x=a.conllu#ents", {}, "no layers"),
    "a number": (
        {"a.conllu": TWO, "b.conllu": TWO[:1]}, read_tree_panel, "a.conllu b.conllu", {},
        "b.conllu: 1 sentence, but 2 in a.conllu; without ids in common",
    ),
    "a number, where": (
        {"a.conllu": TWO, "b.conllu": TWO[:1]}, read_tree_panel, "a.conllu b.conllu", {},
        "from sentence 2 on they differ (a.conllu:6)",
    ),
    "a first sentence": (
        {"a.conllu": TWO, "b.conllu": TWO[1:]}, read_tree_panel, "a.conllu b.conllu", {},
        "from sentence 1 on they differ (a.conllu:1)",
    ),
    "another text": (
        {"a.conllu": [conll(name="1")], "b.conllu": [conll(words=CUT, name="1")]},
        read_tree_panel, "a.conllu b.conllu", {},
        "b.conllu:2: sentence 1: 'crew', but 'ecrew' at a.conllu:2 (character 9, without "
        f"spaces); {SAME_TEXT}",
    ),
    "a longer text": (
        {"a.conllu": TWO[:1], "b.conllu": [conll(words=(*WORDS[:3], "crewmen"))]},
        read_tree_panel, "a.conllu b.conllu", {}, "'men', but its end at",
    ),
    "texts that look alike": (
        ACCENT, read_tree_panel, "a.conllu b.conllu", {},
        r": sentence 1: 'e\u0301metthecrew', but '\xe9metthecrew' at",
    ),
    "sentences that end elsewhere": (
        {"a.conllu": [*TWO, SHORT], "b.conllu": OTHER_TEXT}, tree_pair, "a.conllu b.conllu", {},
        "from sentence 1 on they differ (a.conllu:1)",
    ),
    "phrases without words": (
        {"a.mrg": ["(S (D) (N))\n", "(S V)\n"], "b.mrg": ["(S D N V)\n"]}, tree_pair,
        "a.mrg b.mrg", {"format": "delexicalised"}, "1 sentence, but 2 in",
    ),
    "fewer predictions": (
        {"a.conllu": [conll(name=name) for name in "123"], "b.conllu": [conll(name="1")]},
        tree_pair, "a.conllu b.conllu", {},
        "b.conllu: there is no sentence 2, which a.conllu:8 has; both files need the same "
        "sentences (2 such sentences)",
    ),
    "less gold": (
        {"a.conllu": [conll(name=name) for name in "123"], "b.conllu": [conll(name="1")]},
        tree_pair, "b.conllu a.conllu", {},
        "b.conllu: there is no sentence 2, which a.conllu:8 has; both files need the same "
        "sentences (2 such sentences)",
    ),
    "both kinds": (
        {"x/a.conllu": TWO, "x/b.tree": ["(S (NP P) (VP V))\n"]}, read_tree_panel, "x y=x", {},
        "b.tree: constituency trees, but",
    ),
    "no trees": (
        {"x/README.md": ["nothing"]}, read_tree_panel, "x y=x", {},
        "no files of trees (.conllu, .conllx, .tree",
    ),
    "unknown way with texts": (
        {"a.conllu": TWO}, read_tree_panel, "a.conllu b=a.conllu", {"text": "ignore"},
        "unknown value of text 'ignore'; expected one of error,",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("files", "read", "names", "options", "message"), REFUSED.values(), ids=REFUSED
)
def test_what_does_not_belong_together_is_an_error(
    tmp_path, monkeypatch, files, read, names, options, message
):
    monkeypatch.chdir(tmp_path)
    for name, texts in files.items():
        write(tmp_path / name, *texts)
    paths = names.split()
    with pytest.raises(ValueError) as error:
        read(*paths, **options) if read is tree_pair else read(paths, **options)
    assert message in str(error.value)


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


def test_ids_that_come_again_in_other_documents_are_matched_by_document(tmp_path):
    bank(tmp_path / "ann/x.conllu", "1", "2")
    bank(tmp_path / "ann/y.conllu", "1")
    bank(tmp_path / "bob/y.conllu", "1")
    bank(tmp_path / "bob/x.conllu", "2", "1")
    panel, sentences = read_tree_panel([tmp_path / "ann", tmp_path / "bob"])
    assert panel.annotations[0].names == ("x/1", "x/2", "y/1")
    assert [s.line for s in sentences["bob"]] == [8, 2, 2]


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
