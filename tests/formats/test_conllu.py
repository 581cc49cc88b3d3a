"""CoNLL-U: words, heads and relations, and what is wrong with them."""

import numpy as np
import pytest

from helpers.cases import each_case
from helpers.treefiles import RELATIONS, WORDS, conll, mutations, write
from spacy_chance_eval.formats.conllu import read_conllu
from spacy_chance_eval.formats.errors import FormatError

FRENCH = """# newdoc id = d
# sent_id = fr-1
# text = du pain
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\t_\tADP\t_\t_\t3\tcase\t3:case\t_
2\tle\t_\tDET\t_\tGender=Masc\t3\tdet\t_\tA=B|C
2.1\tgros\t_\tADJ\t_\t_\t_\t_\t3:amod\t_
3\tpain\t_\tNOUN\t_\t_\t0\troot\t_\t_
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "a.conllu"


def sentences(path, *texts):
    return read_conllu(write(path, *texts))[0]


def refused(path, *texts):
    with pytest.raises(FormatError) as error:
        sentences(path, *texts)
    return str(error.value).removeprefix(f"{path}:")


def test_a_sentence_has_words_parents_from_zero_relations_an_id_and_a_line(file):
    (sentence,) = sentences(file, conll(name="s1"))
    assert (sentence.name, sentence.line, sentence.path) == ("s1", 2, str(file))
    assert (sentence.words, sentence.labels) == (WORDS, RELATIONS)
    assert sentence.parents == (1, -1, 3, 1)


def test_multiword_tokens_and_empty_nodes_are_passed_over_and_counted(file):
    (sentence,), notes = read_conllu(write(file, FRENCH))
    assert (sentence.words, sentence.parents) == (("de", "le", "pain"), (2, 2, -1))
    assert notes == {"multiword tokens": 1, "empty nodes": 1}


def test_spaces_around_relations_do_not_count(file):
    relations = ("SUBJ ", "\xa0PRED", "DET\u2009", " OBJ")
    assert sentences(file, conll(relations=relations))[0].labels == RELATIONS


def test_a_sentence_whose_heads_all_are_left_open_is_not_annotated(file):
    open_heads = conll(heads="____")
    first, second = sentences(file, open_heads, conll())
    assert (first.words, first.parents, first.labels) == (WORDS, None, None)
    assert second.parents is not None


def test_a_relation_that_is_left_open_is_a_label(file):
    (sentence,) = sentences(file, conll(relations=("_",) * 4))
    assert sentence.labels == ("_",) * 4


def test_comments_alone_and_empty_lines_are_no_sentences(file):
    assert len(sentences(file, "# a comment\n\n\n \n", conll(), "\n\n# the end")) == 1


def test_a_form_may_have_several_blanks(file):
    (sentence,) = sentences(file, conll(words=("Ada  met", *WORDS[1:])))
    assert sentence.words[0].split() == ["Ada", "met"]


def test_other_columns_may_hold_anything(file):
    text = conll().replace("\t_\t_\n", "\t0:a|b\t=|=\n", 1)
    assert len(sentences(file, text)) == 1


def test_windows_newlines_and_a_byte_order_mark_make_no_difference(file):
    file.write_bytes(b"\xef\xbb\xbf" + conll(name="s1").replace("\n", "\r\n").encode())
    (sentence,) = read_conllu(file)[0]
    assert (sentence.name, sentence.labels) == ("s1", RELATIONS)


@each_case(
    ("texts", "message"),
    [
        (
            (conll(relations=("SUBJ", "PRED", "\xa0", "OBJ")),),
            "3: token 3 has an empty relation; write _",
        ),
        ((conll(heads=(2, 0, "_", 2)),), "3: token 3 has no head; give heads to all tokens"),
        ((conll(heads=(2, 0, 5, 2)),), "3: token 3 has the head 5, in a sentence of 4 tokens"),
        ((conll(heads=(-1, 0, 4, 2)),), "1: HEAD is '-1', not a number"),
        ((conll().replace("3\tthe", "5\tthe"),), "3: a token has the number 5, expected 3;"),
        ((conll().replace("3\tthe", "_\tthe"),), "3: ID is '_', not a number"),
        ((conll(heads=(2, 0, "x", 2)),), "3: HEAD is 'x', not a number; CoNLL-U has"),
        ((conll(heads=(2, 0, "1" * 9999, 2)),), "3: HEAD is"),
        ((conll().replace("\t_\t_\n", "\n"),), "1: a line of 8 columns; CoNLL-U has ten columns"),
        ((conll(), "hello\n"), "6: a line of 1 columns"),
        (("1-2\tdu" + "\t_" * 8,), "1: a sentence without words"),
    ],
)
def test_what_is_no_conllu_is_an_error_with_its_line(file, texts, message):
    assert refused(file, *texts).startswith(message)


def test_all_problems_are_reported_at_once(file):
    wrong = conll(heads=(9, 0, 8, 2))
    message = refused(file, wrong, conll(), wrong, conll(heads="_0__"))
    assert message.endswith("(4 such lines, 1 line with other problems).")


def test_a_file_without_sentences_is_an_error(file):
    assert "no sentences" in refused(file, "# nothing\n")


@pytest.mark.integration
def test_damaged_files_are_errors_of_their_format(file):
    pieces = ["\t", "_", "1-2", "1.1", "0", "99999999999", "-", "\n", "#", "\x0b", "\u2028", "  "]
    for text in mutations(FRENCH + "\n" + conll(), np.random.default_rng(0), 500, pieces):
        try:
            assert sentences(file, text)
        except FormatError as error:
            assert error.path == str(file)


def test_the_package_conllu_reads_the_same(file):
    conllu = pytest.importorskip("conllu")
    text = (
        FRENCH
        + "\n"
        + conll(name="s1")
        + conll(heads="____")
        + conll(words=("Ada  met", *WORDS[1:]))
    )
    for ours, theirs in zip(
        sentences(file, text), conllu.parse(text.replace("  ", " ")), strict=True
    ):
        words = [token for token in theirs if isinstance(token["id"], int)]
        heads = [token["head"] for token in words]
        assert ours.name == theirs.metadata.get("sent_id")
        assert [word.replace("  ", " ") for word in ours.words] == [
            token["form"] for token in words
        ]
        assert ours.parents == (None if None in heads else tuple(head - 1 for head in heads))
        assert ours.labels in (None, tuple(token["deprel"] for token in words))
