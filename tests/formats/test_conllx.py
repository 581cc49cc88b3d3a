"""CoNLL-X, eight or ten columns, and what is wrong with it."""

import numpy as np
import pytest

from helpers.cases import each_case
from helpers.treefiles import RELATIONS, WORDS, conll, mutations, write
from spacy_chance_eval.formats.conllu import read_conllx
from spacy_chance_eval.formats.errors import FormatError


@pytest.fixture
def file(tmp_path):
    return tmp_path / "a.conllx"


def sentences(path, *texts):
    return read_conllx(write(path, *texts))[0]


def test_ten_columns_give_words_heads_and_relations(file):
    (sentence,) = sentences(file, conll())
    assert (sentence.words, sentence.labels) == (WORDS, RELATIONS)
    assert (sentence.parents, sentence.name, sentence.line) == ((1, -1, 3, 1), None, 1)


def test_eight_columns_are_enough(file):
    assert sentences(file, conll().replace("\t_\t_\n", "\n")) == sentences(file, conll())


def test_blanks_separate_where_there_are_no_tabs(file):
    assert sentences(file, conll().replace("\t", "  ")) == sentences(file, conll())


def test_a_token_may_be_a_space_that_is_no_blank(file):
    words = ("\xa0", *WORDS[1:])
    assert sentences(file, conll(words=words).replace("\t", " "))[0].words == words


def test_comments_are_passed_over_but_for_ids(file):
    (sentence,) = sentences(file, "# by Ada\n# sent_id = 7\n", conll())
    assert (sentence.name, sentence.line) == ("7", 3)


def test_spaces_around_relations_do_not_count(file):
    relations = ("SUBJ ", "\xa0PRED", "DET\u2009", " OBJ")
    assert sentences(file, conll(relations=relations))[0].labels == RELATIONS


def test_a_sentence_whose_heads_all_are_left_open_is_not_annotated(file):
    assert [one.parents is None for one in sentences(file, conll(), conll(heads="____"))] == [
        False,
        True,
    ]


@each_case(
    ("texts", "message"),
    [
        ((conll(), "a b\n"), ":6: a line of 2 columns; CoNLL-X has the columns"),
        ((conll(heads=(2, "x", 4, 2)),), ":2: HEAD is 'x', not a number"),
        ((conll().replace("4\tcrew", "x\tcrew"),), ":4: ID is 'x', not a number"),
        ((conll(relations=("SUBJ", "PRED", "\xa0", "OBJ")),), ":3: token 3 has an empty relation"),
        ((conll(heads=(2, 0, "_", 2)),), ":3: token 3 has no head"),
        ((conll(heads=(2, 0, 9, 2)),), ":3: token 3 has the head 9, in a sentence of 4 tokens"),
        ((conll(heads=(2, 0, "9" * 9999, 2)),), ":3: HEAD is"),
        (("# nothing",), ": no sentences"),
    ],
)
def test_what_is_no_conllx_is_an_error_with_its_line(file, texts, message):
    with pytest.raises(FormatError) as error:
        sentences(file, *texts)
    assert str(error.value).startswith(f"{file}{message}")


@pytest.mark.integration
def test_damaged_files_are_errors_of_their_format(file):
    pieces = ["\t", "_", " ", "0", "99999999999", "-1", "\n", "#", "\x0b", "\u2028", "²"]
    text = conll(name="a") + conll()
    for damaged in mutations(text, np.random.default_rng(0), 500, pieces):
        try:
            assert read_conllx(write(file, damaged))[0]
        except FormatError as error:
            assert error.path == str(file)
