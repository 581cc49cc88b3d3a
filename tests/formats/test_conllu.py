"""CoNLL-U and CoNLL-X: words, heads and relations, and what is wrong with them."""

import numpy as np
import pytest

from helpers.cases import each_case
from helpers.treefiles import RELATIONS, WORDS, conll, mutations, write
from spacy_chance_eval.formats.conllu import read_conllu
from spacy_chance_eval.formats.errors import FormatError

ENDINGS = ("conllu", "conllx")
FRENCH = """# newdoc id = d
# sent_id = fr-1
# text = du pain
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\t_\tADP\t_\t_\t3\tcase\t3:case\t_
2\tle\t_\tDET\t_\tGender=Masc\t3\tdet\t_\tA=B|C
2.1\tgros\t_\tADJ\t_\t_\t_\t_\t3:amod\t_
3\tpain\t_\tNOUN\t_\t_\t0\troot\t_\t_
"""
both = pytest.mark.parametrize("ending", ENDINGS)


@pytest.fixture
def read(tmp_path):
    """A function from the ending of a file, and texts, to its sentences."""
    return lambda ending, *texts: read_conllu(write(tmp_path / f"a.{ending}", *texts), ending)[0]


@both
def test_a_sentence_has_words_parents_from_zero_relations_an_id_and_a_line(read, ending, tmp_path):
    (sentence,) = read(ending, "# by Ada\n", conll(name="s1"))
    path = tmp_path / f"a.{ending}"
    assert (sentence.name, sentence.line, sentence.path) == ("s1", 3, str(path))
    assert (sentence.words, sentence.labels) == (WORDS, RELATIONS)
    assert sentence.parents == (1, -1, 3, 1)


def test_multiword_tokens_and_empty_nodes_are_passed_over_and_counted(tmp_path):
    (sentence,), notes = read_conllu(write(tmp_path / "a.conllu", FRENCH))
    assert (sentence.words, sentence.parents) == (("de", "le", "pain"), (2, 2, -1))
    assert sentence.multiwords == ((0, 2, "du"),)
    assert notes == {"multiword tokens": 1, "empty nodes": 1}


SAME = {
    "spaces_around_relations": conll(relations=("SUBJ ", "\xa0PRED", "DET\u2009", " OBJ")),
    "comments_alone": "# a comment\n\n\n \n" + conll() + "\n\n# the end",
    "other_columns": conll().replace("\t_\t_\n", "\t0:a|b\t=|=\n", 1),
    "windows": "\ufeff" + conll().replace("\n", "\r\n"),
}


@both
@each_case("text", SAME.values())
def test_what_makes_no_difference(read, ending, text):
    (sentence,), (same,) = read(ending, text), read(ending, conll())
    assert (sentence.words, sentence.parents, sentence.labels) == (
        (same.words, same.parents, same.labels)
    )


@both
def test_open_heads_are_no_annotation_but_open_relations_are_labels(read, ending):
    first, second = read(ending, conll(heads="____"), conll(relations=("_",) * 4))
    assert (first.words, first.parents, first.labels) == (WORDS, None, None)
    assert second.labels == ("_",) * 4


@both
@each_case(
    ("texts", "message"),
    [
        (
            (conll(relations=("SUBJ", "PRED", "\xa0", "OBJ")),),
            ":3: an empty relation; name it, or write _",
        ),
        ((conll(heads=(2, 0, "_", 2)),), ":3: HEAD is '_', in a sentence of 4 tokens; heads are"),
        ((conll(heads=(2, 0, 5, 2)),), ":3: HEAD is '5', in a sentence of 4 tokens; heads are"),
        ((conll(heads=(-1, 0, 4, 2)),), ":1: HEAD is '-1', in"),
        ((conll().replace("3\tthe", "5\tthe"),), ":3: a token has the number 5, expected 3;"),
        ((conll().replace("3\tthe", "_\tthe"),), ":3: ID is '_', not a number"),
        ((conll(heads=(2, 0, "x", 2)),), ":3: HEAD is 'x', in"),
        ((conll(heads=(2, 0, "1" * 9999, 2)),), ":3: HEAD is "),
        ((conll(), "hello\n"), ":6: a line of 1 columns; CoNLL-"),
        (("# nothing\n",), ": no sentences; expected one token a line"),
    ],
)
def test_what_is_wrong_is_an_error_with_its_line(read, ending, texts, message, tmp_path):
    with pytest.raises(FormatError) as error:
        read(ending, *texts)
    assert str(error.value).startswith(f"{tmp_path / 'a.'}{ending}{message}")


@each_case(
    ("ending", "text", "message"),
    [
        ("conllu", conll().replace("\t_\t_\n", "\n"), "1: a line of 8 columns; CoNLL-U has ten"),
        ("conllu", "1-2\tdu" + "\t_" * 8, "1: a sentence without words"),
        (
            "conllu",
            conll(heads=(9, 0, 8, 2)) + conll() + conll(heads=(9, 0, 8, 2)) + conll(heads="_0__"),
            "(3 such lines).",
        ),
    ],
)
def test_what_is_wrong_in_one_of_the_formats(read, ending, text, message):
    with pytest.raises(FormatError) as error:
        read(ending, text)
    assert message in str(error.value)


@both
@pytest.mark.integration
def test_damaged_files_are_errors_of_their_format(read, ending, tmp_path):
    pieces = ["\t", "_", "1-2", "1.1", "0", "99999999999", "-1", "\n", "#", "\x0b", "\u2028", " ²"]
    text = {"conllu": FRENCH, "conllx": conll(name="a")}[ending] + "\n" + conll()
    for damaged in mutations(text, np.random.default_rng(0), 500, pieces):
        try:
            assert read(ending, damaged)
        except FormatError as error:
            assert error.path == str(tmp_path / f"a.{ending}")


def test_the_package_conllu_reads_the_same(read):
    conllu = pytest.importorskip("conllu")
    text = FRENCH + "\n" + conll(name="s1") + conll(heads="____")
    for ours, theirs in zip(read("conllu", text), conllu.parse(text), strict=True):
        words = [token for token in theirs if isinstance(token["id"], int)]
        heads = [token["head"] for token in words]
        assert ours.name == theirs.metadata.get("sent_id")
        assert len(ours.words) == len(words)
        assert ours.parents == (None if None in heads else tuple(head - 1 for head in heads))
        assert ours.labels in (None, tuple(token["deprel"] for token in words))
