import gzip
import itertools
import re
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spacy_chance_eval.formats import read, read_file
from spacy_chance_eval.formats.conll import write_conll
from spacy_chance_eval.formats.conll_bytes import DOCSTART, FACT
from spacy_chance_eval.formats.conll_columns import header_names
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError

read_conll = partial(read_file, format="conll")

DATA = Path(__file__).parents[3] / "shared" / "data"
TWO = "a B-X\nb I-X\n\nc O\n"
HIPE = "TOKEN\tNE-LIT\tMISC\n# language = en\n# id d\n"
TWO_LAYERS = {"columns": {"gold": 1, "sys": 2}}
# a file and options, and what is read: names, spans in brackets, ? behind tokens that are not
# annotated, / between sentences, ; between documents
READ = {
    "last column": ("a NN B-X\nb NN I-X\n", {}, "[X a b]"),
    "two sentences": (TWO, {}, "[X a b] ; c"),
    "windows": (TWO.replace("\n", "\r\n"), {}, "[X a b] ; c"),
    "old mac": (TWO.replace("\n", "\r"), {}, "[X a b] ; c"),
    "mark of byte order": ("\ufeff" + TWO, {}, "[X a b] ; c"),
    "tabs": (TWO.replace(" ", "\t"), {}, "[X a b] ; c"),
    "blanks": (TWO.replace(" ", "   "), {}, "[X a b] ; c"),
    "blanks at ends": (TWO.replace("X\n", "X  \n").replace("b", " b"), {}, "[X a b] ; c"),
    "tabs and blanks": ("a B-X\nb\tI-X\n\nc  O \n", {}, "[X a b] ; c"),
    "blanks beside tabs": ("a \t B-X \nb\t I-X\n\nc\tO \n", {}, "[X a  b] ; c"),
    "empty lines of blanks": (TWO.replace("\n\n", "\n \t\n\n\n"), {}, "[X a b] ; c"),
    "no last newline": (TWO.rstrip(), {}, "[X a b] ; c"),
    "quotes": ('" O\n\'\' B-X\n" I-X\n', {}, "\" [X '' \"]"),
    "one column of O": ("a O\nb O\n", {}, "a b"),
    "zero byte": ("a\0b B-X\n\nc O\n", {}, "[X a\0b] ; c"),
    "long tag": (f"a B-{'x' * 300}\nb I-{'x' * 300}\n", {}, f"[{'x' * 300} a b]"),
    "token of blanks": ("a b\tO\n", {}, "a b"),
    "token of another space": ("\xa0 O\n\u3000 B-X\n", {}, "\xa0 [X \u3000]"),
    "token column": ("1 a O\n", {"token": 1}, "a"),
    # documents
    "docstart": ("-DOCSTART- -X- O O\n\na B-X\n\nb B-Y\n\n-DOCSTART-\n\nc O\n", {},
                 "[X a] / [Y b] ; c"),
    "docstart with blanks": (" -DOCSTART-\tO\na\tO\n -DOCSTART- O\nb\tO\n", {}, "a ; b"),
    "docstart with #": ("#DOCSTART\n\na O\n\nb O\n\n#DOCSTART\n\nc O\n", {}, "a / b ; c"),
    "tokens before": ("a O\n\n-DOCSTART-\n\nb O\n", {}, "a ; b"),
    "articles": ("-DOCSTART-\n\na O\n\nb O\n\n-DOCSTART-\n\nc O\n", {"documents": "sentence"},
                 "a {article=1} ; b {article=1} ; c {article=2}"),
    "one document": (TWO, {"documents": "docstart"}, "[X a b] / c"),
    "newdoc": ("# newdoc id = x\n# id = 1\na O\n\n# id = 2\nb O\n\n# newdoc id = y\nc O\n",
               {}, "x: a / b ; y: c"),
    "newdoc after docstart": ("-DOCSTART-\n# newdoc id = x\na O\n\n-DOCSTART-\n\n# newdoc\nb O\n",
                              {}, "x: a ; b"),
    "doc_id": ("-DOCSTART-\n\n# doc_id = x\na O\n\nb O\n", {}, "x: a / b"),
    "newpar": ("# newdoc id = d\n# newpar\na O\n\n# newpar id = p\nb O\n", {}, "d: a / b"),
    # comments
    "MultiCoNER": ("# id a-1\tdomain=dev\na _ _ B-X\n\n# id a-2\nb _ _ O\n", {},
                   "a-1: [X a] {domain=dev} ; a-2: b"),
    "names": ("# sent_id = x\na O\n\n# doc_id=y\nb O\n\n# id = z\nc O\n", {}, "x: a ; y: b ; z: c"),
    "GermEval": ("#\thttp://x\t[1]\t\n1\ta\tB-X\tO\n\n#\ty\t[2]\t\n1\t#\tO\tO\n",
                 {"columns": {"gold": 2}, "token": 1},
                 "[X a] ; #"),
    "KLUE": ("## CHAR\tNE_TAG\n## k-1\ta b\na\tB-X\n \tO\n##\tO\n", {}, "[X a]   ##"),
    "other widths": ("# a comment here\na X O\n\n#\nb X O\n\n# one\nc X O\n", {}, "a ; b ; c"),
    "inside": ("a X B-X\n# segment = 1\nb X I-X\n# two\tmore words\nc X O\n", {}, "[X a b] c"),
    "behind": ("a X B-X\n# more words here\n\nb X O\n", {}, "[X a] ; b"),
    "name inside": ("# id 1\na\tO\n# id = 2\nb\tO\n# newdoc id = d\nc\tO\n",
                    {"documents": "sentence"},
                    "1: a {article=0} ; 2: b {article=0} ; d: c {article=1}"),
    "columns of a token": ("# text = c\na _ _ O\n", {}, "a"),
    "tokens with #": ("#\tO\n#hash\tB-X\n#1\tO\n", {}, "# [X #hash] #1"),
    # columns
    "by number": ("a B-X O\n", {"columns": {"gold": 1, "sys": -1}}, "[X a] | a"),
    "by name": ("#token\tgold\tmic-cis\na\tB-X\tO\n", {"columns": {"gold": "gold",
                "sys": "mic-cis"}}, "[X a] | a"),
    "zero byte in a name": ("#token\ta\0b\nx\tB-X\n", {"columns": "all", "repair": "drop"},
                            "[X x]"),
    "names of columns": ("#token\tgold\na\tB-X\n", {}, "[X a]"),
    "HIPE": (HIPE + "a\tB-X\tNoSpaceAfter\nb\tI-X\tEndOfSentence\nc\tO\tx|EndOfSentence\n",
             {"columns": {"gold": 1}},
             "d: [X a b] / c"),
    "HIPE, span over a border": (HIPE + "a\tB-X\tEndOfSentence\nb\tI-X\tEndOfSentence\nc\tO\t_\n",
                                 {"columns": {"gold": 1}},
                                 "d: [X a b] / c"),
    "no names of HIPE": ("TOKEN\tB-X\t_\n\nAda\tO\t_\n", {"columns": {"gold": 1}},
                         "[X TOKEN] ; Ada"),
    "nested": ("Ada\tB-PER\tO\nof\tI-PER\tO\nOslo\tI-PER\tB-LOC\n", {"columns": {"gold": "1,2"}},
               "[PER Ada of [LOC Oslo]]"),
    # tags
    "hyphens": ("a O O\nb - O\nc - O\nd B-X -\n\ne O -\n", TWO_LAYERS,
                "a b? c? [X d] | a b c d? ; e | -"),
    "repair begin": ("a O\nb I-X\n", {"repair": "begin", "scheme": "IOB2"}, "a [X b]"),
    "repair conlleval": ("a I-X\nb I-Y\nc B-Y\n", {"repair": "conlleval"}, "[X a] [Y b] [Y c]"),
    "repair drop": ("a O\nb I-X\nc B-Y\n", {"repair": "drop"}, "a b [Y c]"),
    "repair by layer": ("a O O\nb O I-X\n", {**TWO_LAYERS, "repair": {"sys": "drop"}}, "a b | a b"),
    "border": ("a B-X\n\nb I-X\n", {"repair": "begin"}, "[X a] ; [X b]"),
    "IOB1": ("a I-X\nb I-X\nc B-X\n\nd O\ne I-Y\n", {}, "[X a b] [X c] ; d [Y e]"),
    "IOB1 without B": ("a I-X\n\nb O\nc I-Y\nd I-X\n", {}, "[X a] ; b [Y c] [X d]"),
    "IOB1 by name": ("a I-X\nb B-X\nc B-X\n", {"scheme": "IOB1"}, "[X a] [X b] [X c]"),
    "BIOES": ("a B-X\nb E-X\nc S-X\n", {}, "[X a b] [X c]"),
    "BILUO": ("a B-X\nb L-X\nc U-X\n", {}, "[X a b] [X c]"),
    "BMES": ("a B-X\nb M-X\nc E-X\nd S-X\ne O\n", {}, "[X a b c] [X d] e"),
    "BMES by name": ("a B-X\nb E-X\n", {"scheme": "BMES"}, "[X a b]"),
    "schemes by column": ("a I-X B-X S-X\nb I-X B-X U-X\n".replace("U", "S"),
                          {"columns": {"one": 1, "two": 2, "three": 3}},
                          "[X a b] | [X a] [X b] | [X a] [X b]"),
}  # fmt: skip
# a file and options, and the begin of the message
REFUSED = {
    "no column": ("a O\n", {"columns": {"gold": 2}}, ": no column 2; the tokens have 2 columns"),
    "no name": ("#token\tgold\na\tO\n", {"columns": {"gold": "sys"}},
                ": no column 'sys'; the first line names token, gold;"),
    "other columns": ("a O\nb\nc O\nd X O\n", {},
                      ":2: 1 columns; the tokens of this file have 2 columns: correct the line (2 "
                      "such lines)."),
    "hashtag inside": ("a X O\n#hashtag\nb X O\n", {}, ":2: 1 columns"),
    "hash inside": ("a X O\n# O\nb X O\n", {}, ":2: 2 columns"),
    "hashtag": ("#hashtag\nb X O\nc X O\n", {}, ":1: 1 columns"),
    "hash with a word": ("# WHAT\nb B-X\n", {}, ":1: column 1: 'WHAT' is not a tag"),
    "empty token": ("a\tO\n\tO\n", {}, ":2: an empty token"),
    "improper": ("a O\nb I-ORG\n\nc I-ORG\n\nd B-ORG\n", {},
                 ":2: column 1: tag I-ORG follows O, where IOB2 needs B-ORG; pass --repair begin "
                 "to read such a tag as the begin of a span, or --repair drop to ignore the "
                 "improper chunk; if the whole file is like that, pass --scheme IOB1 (2 such"),
    "improper layer": ("a I-X I-X\n\nb B-X B-X\n", {**TWO_LAYERS, "repair": {"sys": "drop"}},
                       ":1: column 1: tag I-X"),
    **{f"no tag, {repair}": ("a O\nb PER\nc B-X\n", {"repair": repair},
                             ":2: column 1: 'PER' is not a tag;")
       for repair in ("error", "begin", "drop", "conlleval")},
    **{f"B for I {n}": (f"a I-X\nb I-X\nc B-X\n\nd O\n\n{more}", {},
                        ":1: column 1: tag I-X begins a sentence, where IOB2 needs B-X")
       for n, more in enumerate(("e B-Y\n", "e O\nf B-Y\n", "e I-X\nf B-Y\n"))},
    "two schemes": ("a S-X\nb U-X\n", {},
                    ":1: column 1 has both U-X of BILUO and S-X of BIOES; a column has"),
    "M beside I": ("a B-X\nb I-X\nc M-X\n", {},
                   ":3: column 1: 'M-X' is not a tag; IOB2 has O, B-LABEL, I-LABEL"),
    **{f"no tokens {n}": (text, {}, ": no documents;") for n, text in enumerate(("", "\n\n",
                          "-DOCSTART- -X- O O\n", "# id x\n"))},
}  # fmt: skip


@pytest.fixture
def reading(tmp_path):
    def read(text, **options):
        path = tmp_path / "a.conll"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_conll(path, **options)

    return read


def shown(corpus):
    """A corpus as in `READ`."""
    found = []
    for one in corpus.documents:
        layers = []
        for name, spans in one.layers.items():
            words = []
            for at, word in enumerate(one.words):
                own = sorted((one for one in spans or () if one[0] == at), key=lambda one: -one[1])
                border = "/ " * (at in one.sents[1:])
                word += "?" * any(start <= at < end for start, end in one.gaps(name))
                closed = "]" * sum(end == at + 1 for _, end, *_ in spans or ())
                words.append(border + "".join(f"[{label} " for *_, label in own) + word + closed)
            layers.append("-" if spans is None else " ".join(words))
        facts = ", ".join(f"{key}={value}" for key, value in one.attributes.items())
        name = f"{one.name}: " * (one.name is not None)
        found.append(name + " | ".join(layers) + f" {{{facts}}}" * bool(facts))
    return " ; ".join(found)


@pytest.mark.parametrize(("text", "options", "outcome"), READ.values(), ids=READ)
def test_what_is_read(reading, text, options, outcome):
    corpus = reading(text, **options)
    assert shown(corpus) == outcome
    lines = re.split("\r\n|\r|\n", text)
    for one in corpus.documents:
        assert all(word in lines[line - 1] for word, line in zip(one.words, one.lines))
    assert reading(gzip.compress(text.encode()), **options) == corpus


@pytest.mark.parametrize(("text", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(reading, tmp_path, text, options, message):
    with pytest.raises(FormatError) as error:
        reading(text, **options)
    assert str(error.value).removeprefix(str(tmp_path / "a.conll")).startswith(message)


def test_repairs_are_noted(reading):
    assert reading("a O\nb I-X\n", repair="drop").repair == "drop"
    columns, repair = {"gold": 1, "sys": 2}, {"gold": "error", "sys": "drop"}
    assert reading("a O O\n", columns=columns, repair=repair).repair == "gold=error,sys=drop"


def test_spaces_of_hipe_are_known(reading):
    text = HIPE + "a\tO\tLED0.0|NoSpaceAfter\nb\tO\t_\n\nc\tO\t\n"
    found = reading(text, columns={"gold": 1}).documents
    assert [one.spaces for one in found] == [(False, True), None]


@pytest.mark.parametrize(
    "options", [{"scheme": "IO"}, {"repair": "guess"}, {"documents": "page"}], ids=str
)
def test_an_unknown_option_is_an_error(reading, options):
    with pytest.raises(ValueError, match="unknown"):
        reading(TWO, **options)


def test_wnut_has_its_sentences_tokens_and_entities():
    path = DATA / "wnut17_systems.tsv"
    if not path.exists():
        pytest.skip("the WNUT-17 file is not part of the project")
    corpus = read_conll(path, columns={"gold": "gold"})
    n_tokens = sum(len(document.words) for document in corpus.documents)
    assert (len(corpus.documents), n_tokens, len(corpus.spans("gold"))) == (1287, 23394, 1079)


def test_multiconer_has_its_sentences_and_entities():
    path = DATA / "multiconer_es_dev.conll"
    if not path.exists():
        pytest.skip("the MultiCoNER file is not part of the project")
    corpus = read_conll(path)
    assert (len(corpus.documents), len(corpus.spans("gold"))) == (800, 1176)


TEXTS = st.text("aB#-_=\xa0é. ", min_size=1, max_size=4)
WORDS = TEXTS.filter(lambda word: word.split()[:1] != [DOCSTART] and not FACT.match(word))
NAMES = TEXTS.filter(lambda name: name == name.strip(" ") and name[0] != "=")


@st.composite
def documents(draw, layers=("gold", "sys")):
    sentences = draw(st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=3))
    starts = [0, *itertools.accumulate(map(len, sentences))]
    found = {}
    for layer in layers:
        found[layer] = spans = []
        for start, end in itertools.pairwise(starts):
            cuts = sorted(draw(st.sets(st.integers(start, end))))
            pieces = [pair for pair in itertools.pairwise(cuts) if draw(st.booleans())]
            spans += [(*pair, draw(st.sampled_from(["X", "a-b c"]))) for pair in pieces]
    name = draw(st.none() | NAMES.filter(lambda name: name.strip()))
    return Document(sum(sentences, []), found, name=name, sents=starts[:-1])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(documents(), min_size=1, max_size=3), st.sampled_from(["IOB2", "BIOES", "BILUO"]))
def test_write_then_read_is_the_identity(tmp_path, documents, scheme):
    corpus = Corpus("x", documents)
    write_conll(tmp_path / "x.conll", corpus, ["gold", "sys"], scheme=scheme)
    assert read_conll(tmp_path / "x.conll", columns={"gold": 1, "sys": 2}) == corpus


def test_an_empty_document_is_written_and_read(tmp_path):
    corpus = Corpus("x", [Document([], {"gold": ()}, name="e"), Document(["a"], {"gold": ()})])
    write_conll(tmp_path / "x", corpus, ["gold"])
    back = read_conll(tmp_path / "x").documents
    assert [(document.name, document.words) for document in back] == [("e", ()), (None, ("a",))]


def test_characters_cannot_be_columns(tmp_path):
    corpus = Corpus("x", [Document([], {"gold": ()}, text="ab")], "char")
    with pytest.raises(FormatError, match="without tokens"):
        write_conll(tmp_path / "x", corpus, ["gold"])


def test_the_names_of_columns_are_known_from_the_first_lines(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("#token\tgold\tcrf\n-DOCSTART- -X- O O\n\nAda\tB-PER\tO\n")
    assert header_names(path) == ["token", "gold", "crf"]
    path.write_text("Ada\tB-PER\tO\n")
    assert header_names(path) is None


# --- files with several columns of tags, read in Python

THREE = "a B-X O\nb I-X B-X\n\nc O O\n"


@pytest.fixture
def three(tmp_path):
    path = tmp_path / "three.conll"
    path.write_text(THREE, encoding="utf8")
    return path


def test_a_file_with_two_columns_of_tags_is_read_with_the_calls_that_are_advised(three):
    with pytest.raises(FormatError, match=r"columns 1 \(X\) and 2 \(X\) have") as error:
        read(three)
    calls = re.findall(r"read\(PATH.*?\)", str(error.value))
    found = [shown(eval(call, {"read": read, "PATH": three})) for call in calls]
    assert found == ["[X a b] ; c", "[X a [X b]] ; c"]


@pytest.mark.parametrize(
    "text", ["a NNP B-NP B-X\nb NN I-NP O\n", "#token\tgold\tx\na\tB-X\tB-X\n"], ids=["c", "h"]
)
def test_a_file_of_which_one_column_can_be_gold_is_read(tmp_path, text):
    path = tmp_path / "a.conll"
    path.write_text(text, encoding="utf8")
    assert "gold" in read(path).layer_names


NESTED = "Ada\tB-PER\tO\nof\tI-PER\tO\nOslo\tI-PER\tB-LOC\n\nOslo\tB-LOC\tB-LOC\n"


@pytest.mark.parametrize("columns", ["1,2", "1, -1", [1, 2], ("1", -1)], ids=str)
def test_several_columns_are_one_nested_layer(tmp_path, columns):
    (tmp_path / "a.conll").write_text(NESTED)
    corpus = read(tmp_path / "a.conll", columns={"gold": columns})
    assert [one.layers for one in corpus.documents] == [
        {"gold": ((0, 3, "PER"), (2, 3, "LOC"))},
        {"gold": ((0, 1, "LOC"),)},
    ]
    assert corpus.notes.counts == {"merged": 1}


def test_a_column_name_with_a_comma_is_one_column(tmp_path):
    (tmp_path / "a.conll").write_text("#token\ta,b\tc\n" + NESTED)
    corpus = read(tmp_path / "a.conll", columns={"gold": "a,b"})
    assert corpus.documents[0].layers == {"gold": ((0, 3, "PER"),)}
    with pytest.raises(FormatError, match="columns 'c,-1'; name different ones, such as 1,2"):
        read(tmp_path / "a.conll", columns={"gold": "c,-1"})


def test_nested_columns_have_the_repair_and_the_gaps_of_their_layer(tmp_path):
    (tmp_path / "a.conll").write_text("Ada\tI-PER\tO\nOslo\t-\tB-LOC\n\nx\tO\t-\ny\tO\t-\n")
    corpus = read_conll(
        tmp_path / "a.conll", columns={"gold": "1,2"}, repair={"gold": "begin"}, scheme="IOB2"
    )
    assert corpus.repair == "begin"
    assert corpus.documents[0].layers == {"gold": ((0, 1, "PER"), (1, 2, "LOC"))}
    assert corpus.documents[0].missing_in == {"gold": ((1, 2),)}
    assert corpus.documents[1].layers == {"gold": None}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a O\n\nb O\n", ["a"]),
        ("# doc_id = d\na O\n\nb O\n", ["d"]),
        ("# newdoc id = d\na O\n\n# newdoc\nb O\n", ["d", None]),
        ("a B-X\nb -\n\nc O\n", ["a"]),
    ],
    ids=["no marks", "own name", "marks", "gaps"],
)
def test_a_file_may_be_a_document_with_its_name(reading, text, names):
    found = reading(text, documents="file").documents
    assert [one.name for one in found] == names
    assert sum(len(one.words) for one in found) == text.count(" O") + text.count("-")


@pytest.mark.parametrize(
    ("text", "spans", "skipped"),
    [
        ("a\tB-X\n\tI-X\nb\tO\n", [(0, 1, "X")], "1/3 lines"),
        ("a B-X\n I-X\nb O\n", [(0, 1, "X")], "1/3 lines"),
        ("a B-X\nx y z\nb I-X\nc B-X\n", [(3, 4, "X")], "1/4 tokens"),
        ("a B-X\nb I-Y\n", [(0, 1, "X")], "1/2 spans"),
        ("a B-X\nb what\nc O\nd B-X\n", [(3, 4, "X")], "1/4 tokens"),
    ],
    ids=["no word", "blank", "columns", "improper", "no tag"],
)
def test_blemishes_can_be_left_out(tmp_path, text, spans, skipped):
    (tmp_path / "a.conll").write_text(text)
    corpus = read(tmp_path / "a.conll", on_error="skip:.5", scheme="IOB2")
    assert corpus.documents[0].layers == {"gold": tuple(spans)}
    assert corpus.notes.signed() == {"skipped": skipped}


def test_labels_at_the_ends_of_tokens_are_told(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("Oslo/LOC O\nand/or O\nJohn/X B-X\n", "utf-8")
    (sentence,) = read_conll(path).notes.sentences()
    assert sentence == (
        "2 tokens end with a label, which was not read as their tag: "
        f"Oslo/LOC ({path}:1), John/X ({path}:3)"
    )


def test_numbers_as_tokens_are_told(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text("1\tAda\tB-X\n2\tmet\tO\n\n1\tBob\tB-X\n2\tran\tO\n", "utf-8")
    (sentence,) = read(path, token=0).notes.sentences()
    assert sentence.startswith("the tokens of 2 documents are numbers from 1")
    assert "--token-column" in sentence
    assert not read(path).notes
    path.write_text("#\tx\t[1]\t\n1\tAda\tB-X\tO\n2\tmet\tO\tO\n", "utf-8")
    assert read(path, columns={"gold": 2}).documents[0].words == ("Ada", "met")
