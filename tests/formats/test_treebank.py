"""Files of trees by format, and what a treebank makes of its sentences."""

import gzip

import pytest

from helpers.cases import each_case
from helpers.treefiles import conll, write
from spacy_chance_eval.corpora.treebanks import read_trees
from spacy_chance_eval.formats import TREEBANKS, format_of_trees
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.sentences import Sentence, Treebank


def sentence(name=None, document="", parents=(-1,), line=1):
    labels = None if parents is None else ("x",) * len(parents)
    return Sentence(name, None, parents, labels, line, "a.conllu", document)


def names(*sentences):
    return Treebank("a", "dependency", sentences).names


@each_case(
    ("name", "format"),
    [
        ("a.conllu", "conllu"),
        ("a.CONLLU.gz", "conllu"),
        ("x.y.conllx", "conllx"),
        ("10003-ssd.emily2.tree", "brackets"),
        ("wsj_0001.mrg", "brackets"),
        ("a.ptb.gz", "brackets"),
        ("a.conll", None),
        ("a.conllu.bak", None),
        ("conllu", None),
    ],
)
def test_formats_are_told_by_the_last_ending(name, format):
    assert format_of_trees(name) == format


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.conllu", conll(), "dependency"),
        ("a.conllx", conll(), "dependency"),
        ("a.mrg", "( (S (NN a)) )", "constituency"),
        ("a.tree", "(S a (T b))", "constituency"),
        (
            "a.txt",
            "(S (NP (DT a) (NN b)) (VP (V c)))\n(S (NP (DT a) (NN b)) (VP (V d)))",
            "constituency",
        ),
    ],
)
def test_packed_files_are_as_good_as_others(tmp_path, name, text, kind):
    file = write(tmp_path / name, text)
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    one, two = read_trees(file), read_trees(packed)
    assert one.kind == two.kind == kind
    assert [s.labels for s in one.sentences] == [s.labels for s in two.sentences]


@pytest.mark.parametrize("format", TREEBANKS)
@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"\x1f\x8bxxxxxxxx", b"\0\0\0"])
def test_files_that_are_no_text_are_errors_of_their_format(tmp_path, format, content):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(FormatError, match=str(tmp_path / "a")):
        read_trees(tmp_path / "a", format)


@pytest.mark.parametrize(
    ("name", "format", "message"),
    [
        ("none.conllu", None, "no such file"),
        ("none.xyz", None, "no ending of trees"),
        ("b.xyz", None, "no ending of trees .*--format"),
        (
            "a.xyz",
            "conll",
            "unknown format of trees 'conll' .did you mean 'conllx' or 'conllu'.*conllu, conllx",
        ),
    ],
)
def test_files_of_no_format_say_what_to_do(tmp_path, name, format, message):
    write(tmp_path / "a.xyz", conll())
    (tmp_path / "b.xyz").write_text("Ada met Bob.\n")
    with pytest.raises(ValueError, match=message):
        read_trees(tmp_path / name, format)


def test_a_treebank_remembers_what_to_make_of_cycles():
    round_about = [sentence(parents=(1, 0))]
    assert Treebank("a", "dependency", round_about, cycles="reachable").trees().n_items == 1
    with pytest.raises(ValueError, match="unknown value of cycles 'mend'"):
        Treebank("a", "dependency", round_about).trees("mend")


S = sentence


@each_case(
    ("sentences", "expected"),
    [
        ([S("b", "d"), S("a", "d")], ["b", "a"]),  # ids, if all differ
        ([S(), S()], ["1", "2"]),  # else their places
        # the names of files before them, if there are several
        ([S("1", "d"), S("2", "d"), S("1", "e")], ["d/1", "d/2", "e/1"]),
        ([S(None, "d"), S(None, "d"), S(None, "e")], ["d/1", "d/2", "e"]),
        # no two names are equal
        ([S("x"), S("x"), S("x")], ["x", "x (2)", "x (3)"]),
    ],
)
def test_sentences_are_called_by_ids_files_and_places(sentences, expected):
    assert names(*sentences) == expected


def conllx(*heads):
    """A sentence of CoNLL-X with these heads."""
    words = ["Ada", "met", "Bob"]
    rows = zip(range(1, 4), words, heads)
    return "".join(f"{n}\t{word}\t_\t_\t_\t_\t{head}\tdep\t_\t_\n" for n, word, head in rows) + "\n"


SOUND = "(S (NP (NN Ada)) (VP (VB met)))\n"
BLEMISHED_TREES = {
    "conllx": ("conllx", [conllx(2, 0, 2), conllx(2, 0, 9), conllx("x", 0, 2), conllx(2, 0, 2)]),
    "conllu": ("conllu", [conllx(2, 0, 2), "1\tAda\n\n", conllx(2, 0, "_"), conllx(2, 0, 2)]),
    "brackets": ("mrg", [SOUND, *["((NN Ada) (VB met))\n"] * 2, SOUND]),
}


@pytest.mark.parametrize("name", BLEMISHED_TREES)
def test_blemished_sentences_keep_their_places_without_trees(tmp_path, name):
    suffix, sentences = BLEMISHED_TREES[name]
    path = tmp_path / f"a.{suffix}"
    path.write_text("".join(sentences))
    with pytest.raises(FormatError):
        read_trees(path)
    bank = read_trees(path, on_error="skip")
    assert [one.parents is not None for one in bank.sentences] == [True, False, False, True]
    assert bank.skipped.signed() == {"skipped": "2/4 sentences"}
