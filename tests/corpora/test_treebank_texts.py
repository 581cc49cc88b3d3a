"""Treebanks whose texts, or the ends of whose sentences, are not the same."""

import numpy as np
import pytest
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from helpers.treefiles import conll, refused, tree_pair, write
from spacy_chance_eval import Resampling, Trees, agree
from spacy_chance_eval.corpora.treebanks import read_tree_panel
from spacy_chance_eval.formats.sentences import SAME_TEXT
from spacy_chance_eval.scoring.statistics import headline

NO = Resampling(0)
METRICS = ("syntax_alpha", "syntax_alpha(delta=diff)", "las", "uas")
CHAIN = ("root", "x", "y", "z", "x", "y")


def teams(panel, metrics=METRICS):
    """{metric: value of the team}."""
    found = agree(panel, list(metrics), intervals=NO)
    return {metric: headline(found[metric]["team"]) for metric in metrics}


def sentence(words, heads=None, name=None):
    """A sentence of words between blanks, by default a chain."""
    words = words.split()
    return conll(heads or range(len(words)), CHAIN[: len(words)], words, name=name)


def write_both(folder, one, two, ending="conllu"):
    """Files of the sentences of two annotators."""
    return write(folder / f"a.{ending}", *one), write(folder / f"b.{ending}", *two)


# --- other texts


def test_sentences_with_other_texts_are_counted(tmp_path):
    one, two = ([sentence(f"w{i} {end}") for i in range(102)] for end in ("x", "y"))
    alice, bob = write_both(tmp_path, one, two)
    assert refused(read_tree_panel, [alice, bob]) == (
        f"{bob}:1: sentence 1: 'y', but 'x' at {alice}:1 (character 3, without spaces); "
        f"{SAME_TEXT} (102 sentences have other texts)"
    )


def test_trees_of_other_texts_can_be_compared_as_they_are(tmp_path):
    one = sentence("an old dog"), sentence("it barks"), sentence("no more")
    two = sentence("an dog"), sentence("it bites"), sentence("no more")
    panel, _ = read_tree_panel(write_both(tmp_path, one, two), text="warn")
    made = [[[*range(n)] for n in sizes] for sizes in ((3, 2, 2), (2, 2, 2))]
    team = {
        name: Trees.from_heads(heads, [CHAIN[: len(own)] for own in heads])
        for name, heads in zip("ab", made)
    }
    assert teams(panel) == teams(team)
    assert (panel.n_other_texts, panel.even.tolist()) == (2, [False, True, True])
    places = ", ".join(f"{tmp_path / 'b.conllu'}:{line}" for line in (1, 4))
    assert panel.notes == (f"sentences with other texts, compared as they are: 2 ({places})",)


@pytest.mark.parametrize("align", ["auto", "characters", "tokens", "position"])
def test_attachment_leaves_out_other_texts_of_another_number_of_words_alone(tmp_path, align):
    one = sentence("an old dog"), sentence("it barks", (2, 0)), sentence("so what")
    two = sentence("an dog"), sentence("it bites"), sentence("so w hat")
    panel, _ = read_tree_panel(write_both(tmp_path, one, two), text="warn", align=align)
    # the first is left out, the second has no right head of 2, the third 2 x 1 of 2 + 3
    aligned = align in ("auto", "characters")
    uas = teams(panel, ["uas"])["uas"]
    assert uas == pytest.approx((2 * 0 + 2.5 * (2 * 1 / 5)) / (2 + 2.5) if aligned else 0)
    assert panel.even.tolist() == [False, True, aligned]


def test_a_pair_compares_words_that_a_third_annotator_has_otherwise(tmp_path):
    texts = ("an old dog", "an old cat", "a dog"), ("so what", "so what", "s owhat")
    files = [
        write(tmp_path / f"{name}.conllu", *map(sentence, own))
        for name, own in zip("abc", zip(*texts))
    ]
    found = agree(read_tree_panel(files, text="warn")[0], ["las"], intervals=NO)["las"]
    pairs = {(one["first"], one["second"]): headline(one) for one in found["pairs"]}
    # a, b: all; a, c: no word of the second has the characters of the other, the first is left out
    assert pairs == {("a", "b"): 1, ("a", "c"): 0, ("b", "c"): 0}
    assert headline(found["team"]) == pytest.approx(1 / 3)  # of the second alone


# --- sentences that end elsewhere


def as_conll(forms, heads):
    """Text of sentences from their words and heads."""
    return "".join(
        conll(own, [f"r{word}" for word in words], words) for words, own in zip(forms, heads)
    )


def joined(rows, cuts):
    """Lists of sentences joined between some of their ends; heads are moved with their tokens."""
    found = []
    for begin, end in zip([0, *cuts], cuts):
        words, heads = [], []
        for own, parents in rows[begin:end]:
            heads += [head and head + len(words) for head in parents]
            words += own
        found.append((words, heads))
    return found


@pytest.mark.parametrize("ending", ["conllu", "conllx"])
def test_joined_sentences_are_those_that_were_written_joined(tmp_path, ending):
    rng = np.random.default_rng(5)
    words = [[f"w{rng.integers(9)}" for _ in range(rng.integers(1, 5))] for _ in range(30)]
    works = [
        [(own, [int(rng.integers(0, place + 1)) for place in range(len(own))]) for own in words]
        for _ in range(2)
    ]
    cuts = [sorted({*rng.integers(1, 30, 18).tolist(), 30}) for _ in works]
    common = sorted({*cuts[0]} & {*cuts[1]})
    sides = [write_texts(tmp_path / "cut", ending, works, cuts)]
    sides.append(write_texts(tmp_path / "joined", ending, works, [common, common]))
    panels = [tree_pair(*files)[0] for files in sides]
    assert panels[0].n_items == len(common) < 18
    assert panels[0].digest() == panels[1].digest() and teams(panels[0]) == teams(panels[1])


def write_texts(folder, ending, works, cuts):
    """Files of the works of annotators, each joined at cuts of its own."""
    return [
        write(folder / f"{name}.{ending}", as_conll(*zip(*joined(work, own))))
        for name, work, own in zip("ab", works, cuts)
    ]


def test_sentences_of_docs_are_joined_too(tmp_path):
    words, deps = "a dog it barks".split(), ["root", "x"] * 2
    for name, heads in {"a": [0, 0, 2, 2], "b": [0, 0, 0, 2]}.items():
        starts = [True, False, name == "a", False]
        doc = Doc(Vocab(), words, heads=heads, deps=deps, sent_starts=starts)
        DocBin(docs=[doc]).to_disk(tmp_path / f"{name}.spacy")
    files = tmp_path / "a.spacy", tmp_path / "b.spacy"
    panel, sentences = tree_pair(*files, align="characters")
    assert [one.parents for one in sentences["gold"]] == [(-1, 0, -1, 2)]
    assert teams(panel, ["uas"]) == {"uas": 3 / 4}
