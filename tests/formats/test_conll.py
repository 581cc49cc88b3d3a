import gzip
import itertools
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.cases import each_case
from spacy_chance_eval.formats import read
from spacy_chance_eval.formats.conll import read_conll, write_conll
from spacy_chance_eval.formats.conll_bytes import DOCSTART, FACT
from spacy_chance_eval.formats.conll_columns import header_names
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError

DATA = Path(__file__).parents[3] / "shared" / "data"
TWO = "a B-X\nb I-X\n\nc O\n"


@pytest.fixture
def reading(tmp_path):
    def read(text, **options):
        path = tmp_path / "a.conll"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_conll(path, **options)

    return read


def layer(corpus, name="gold"):
    return [document.layers[name] for document in corpus.documents]


def words(corpus):
    return [" ".join(document.words) for document in corpus.documents]


def test_the_last_column_is_the_layer_gold_and_the_first_the_token(reading):
    corpus = reading("a NN B-X\nb NN I-X\n")
    assert (words(corpus), layer(corpus)) == (["a b"], [((0, 2, "X"),)])


def test_every_sentence_is_a_document_without_docstart(reading):
    assert words(reading(TWO)) == ["a b", "c"]


def test_a_sentence_document_has_one_sentence_and_its_lines(reading):
    assert [(d.sents, [*d.lines]) for d in reading(TWO).documents] == [((0,), [1, 2]), ((0,), [4])]


@pytest.mark.parametrize(
    "raw",
    [
        TWO.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TWO.encode(),
        gzip.compress(TWO.encode()),
        TWO.replace(" ", "\t").encode(),
        TWO.replace(" ", "   ").encode(),
        TWO.replace("\n\n", "\n \t\n\n\n").encode(),
        TWO.rstrip().encode(),
    ],
    ids=["CRLF", "BOM", "gzip", "tabs", "blanks", "blank lines", "no last newline"],
)
def test_the_shape_of_the_file_makes_no_difference(reading, raw):
    assert reading(raw) == reading(TWO)


@each_case(
    "line",
    ["-DOCSTART- -X- O O", "-DOCSTART- -X- -X- O", "-DOCSTART-", "-DOCSTART-\tO", " -DOCSTART- O"],
)
def test_documents_begin_at_docstart_in_every_spelling(reading, line):
    corpus = reading(f"{line}\n\na B-X\n\nb B-Y\n\n{line}\n\nc O\n")
    assert words(corpus) == ["a b", "c"]
    assert layer(corpus) == [((0, 1, "X"), (1, 2, "Y")), ()]
    assert corpus.documents[0].sents == (0, 1)


def test_a_docstart_without_empty_lines_also_ends_a_sentence(reading):
    assert words(reading("-DOCSTART-\na O\n-DOCSTART-\nb O\n")) == ["a", "b"]


def test_tokens_before_the_first_docstart_are_a_document(reading):
    assert words(reading("a O\n\n-DOCSTART-\n\nb O\n")) == ["a", "b"]


def test_sentences_of_articles_know_their_article(reading):
    corpus = reading("-DOCSTART-\n\na O\n\nb O\n\n-DOCSTART-\n\nc O\n", documents="sentence")
    assert words(corpus) == ["a", "b", "c"]
    assert [document.attributes["article"] for document in corpus.documents] == [1, 1, 2]


def test_a_file_without_docstart_can_be_one_document(reading):
    assert words(reading(TWO, documents="docstart")) == ["a b c"]


def test_an_inside_after_an_empty_line_does_not_go_on(reading):
    assert layer(reading("a B-X\n\nb I-X\n", repair="begin")) == [((0, 1, "X"),)] * 2


def test_multiconer_comments_give_name_and_attributes(reading):
    corpus = reading("# id fa-1\tdomain=dev\na _ _ B-X\n\n# id fa-2\tdomain=dev\nb _ _ O\n")
    assert [document.name for document in corpus.documents] == ["fa-1", "fa-2"]
    assert corpus.documents[0].attributes == {"domain": "dev"}


@pytest.mark.parametrize("comment", ["# id x", "# sent_id = x", "# doc_id=x", "# newdoc id = x"])
def test_comments_name_a_sentence(reading, comment):
    assert reading(f"{comment}\na O\n", documents="sentence").documents[0].name == "x"


def test_newdoc_comments_begin_and_name_documents(reading):
    text = "# newdoc id = x\n# sent_id = 1\na O\n\n# sent_id = 2\nb O\n\n# newdoc id = y\nc O\n"
    corpus = reading(text)
    assert words(corpus) == ["a b", "c"]
    assert [document.name for document in corpus.documents] == ["x", "y"]


def test_a_docstart_with_a_newdoc_is_one_document(reading):
    corpus = reading("-DOCSTART-\n# newdoc id = x\na O\n\n-DOCSTART-\n# newdoc id = y\nb O\n")
    assert [document.name for document in corpus.documents] == ["x", "y"]


def test_doc_id_names_a_document_of_sentences(reading):
    corpus = reading("-DOCSTART-\n\n# doc_id = x\na O\n\nb O\n")
    assert (corpus.documents[0].name, words(corpus)) == ("x", ["a b"])


@each_case("line", ["# O", "#hash B-X", "#\tO", "#hash\tO", "#1 O"])
def test_a_hash_with_the_right_number_of_columns_is_a_token(reading, line):
    assert words(reading(f"{line}\na O\n{line}\n")) == [f"{line.split()[0]} a {line.split()[0]}"]


@pytest.mark.parametrize("line", ["# a comment here", "#", "# a", "#\tone\ttwo\tthree"])
def test_a_hash_with_another_number_of_columns_is_a_comment_in_front_of_a_sentence(reading, line):
    assert words(reading(f"{line}\na X O\n\n{line}\nb X O\n")) == ["a", "b"]


def test_a_hash_with_another_number_of_columns_inside_a_sentence_is_an_error(reading):
    with pytest.raises(FormatError, match=":2: 1 columns"):
        reading("a X O\n#hashtag\nb X O\n")


def test_a_hashtag_without_its_tag_in_front_of_a_sentence_is_an_error(reading):
    with pytest.raises(FormatError, match=":1: 1 columns"):
        reading("#hashtag\nb X O\nc X O\n")


def test_a_comment_with_the_columns_of_a_token_is_one_in_front_of_a_sentence(reading):
    assert words(reading("# text = c\na _ _ O\n")) == ["a"]


def test_tokens_may_begin_with_a_hash_everywhere(reading):
    assert words(reading("#a\tO\n#b\tB-X\n")) == ["#a #b"]


def test_columns_can_be_chosen_by_number(reading):
    corpus = reading("a B-X O\n", columns={"gold": 1, "sys": -1})
    assert (layer(corpus), layer(corpus, "sys")) == ([((0, 1, "X"),)], [()])


def test_columns_can_be_chosen_by_the_names_in_the_first_line(reading):
    text = "#token\tgold\tmic-cis\na\tB-X\tO\n"
    corpus = reading(text, columns={"gold": "gold", "sys": "mic-cis"})
    assert (words(corpus), layer(corpus), layer(corpus, "sys")) == (["a"], [((0, 1, "X"),)], [()])


def test_a_first_line_with_names_is_no_token_without_asking(reading):
    assert words(reading("#token\tgold\na\tB-X\n")) == ["a"]


@pytest.mark.parametrize(
    ("first", "n_docs"),
    [("TOKEN\tNE-LIT\tMISC", 1), ("TOKEN\tB-X\t_", 2), ("TOKEN\t-\t_", 2)],
    ids=["names", "tag", "hyphen"],
)
def test_a_first_line_of_names_may_begin_with_token(reading, first, n_docs):
    corpus = reading(f"{first}\n\n# language = en\nAda\tB-X\t_\n", columns={"gold": 1})
    assert len(corpus.documents) == n_docs


def test_the_token_can_be_in_another_column(reading):
    assert words(reading("1 a O\n", token=1)) == ["a"]


def test_an_unknown_column_name_lists_the_names(failing):
    message = failing("#token\tgold\na\tO\n", columns={"gold": "sys"})
    assert message.startswith(": no column 'sys'; the first line names token, gold;")


def test_a_column_number_that_is_not_there_is_reported(failing):
    message = failing("a O\n", columns={"gold": 2})
    assert message == ": no column 2; the tokens have 2 columns, from 0"


def test_another_separator_can_be_named(reading):
    assert words(reading("a b|O\n", separator="|")) == ["a b"]


@pytest.mark.parametrize("tag", ["S-PER", "U-PER", "I-PER"])  # BIOES, BILUO, IOB1
def test_blanks_beside_a_tab_do_not_hide_the_scheme(reading, tag):
    corpus = reading(f"Ada \t {tag}\nmet\tO\n")
    assert corpus.documents[0].layers["gold"] == ((0, 1, "PER"),)


def test_with_tabs_a_token_may_hold_blanks(reading):
    assert reading("a b\tO\n").documents[0].words == ("a b",)


def test_a_token_may_be_a_space_that_does_not_separate(reading):
    assert reading("\xa0 O\n\u3000 O\n").documents[0].words == ("\xa0", "\u3000")


def test_lines_with_other_columns_are_reported_once_with_their_number(failing):
    message = failing("a O\nb\nc O\nd X O\n")
    assert message.startswith(":2: 1 columns; the tokens of this file have 2 columns")
    assert message.endswith("(2 such lines).")


def test_an_empty_token_is_reported(failing):
    assert failing("a\tO\n\tO\n").startswith(":2: an empty token")


def test_an_improper_tag_is_an_error_by_default(failing):
    assert failing("a O\nb I-ORG\n\nc I-ORG\n\nd B-ORG\n") == (
        ":2: column 1: tag I-ORG follows O, where IOB2 needs B-ORG; pass --repair begin to read "
        "such a tag as the begin of a span, or --repair drop to ignore the improper chunk; if the "
        "whole file is like that, pass --scheme IOB1 (2 such lines)."
    )


@pytest.mark.parametrize(
    "repair, expected",
    [("begin", [((1, 2, "X"),)]), ("drop", [()]), ("conlleval", [((1, 2, "X"),)])],
)
def test_a_repair_reads_improper_tags_and_is_noted(reading, repair, expected):
    corpus = reading("a O\nb I-X\n", repair=repair)
    assert (layer(corpus), corpus.repair) == (expected, repair)


def test_each_layer_can_have_its_repair(reading):
    columns, repair = {"gold": 1, "sys": 2}, {"gold": "error", "sys": "drop"}
    corpus = reading("a O O\nb O I-X\n", columns=columns, repair=repair)
    assert (layer(corpus, "sys"), corpus.repair) == ([()], "gold=error,sys=drop")


def test_a_repair_by_layer_does_not_excuse_the_others(failing):
    columns, repair = {"gold": 1, "sys": 2}, {"sys": "drop"}
    assert failing("a I-X I-X\n\nb B-X B-X\n", columns=columns, repair=repair).startswith(
        ":1: column 1: tag I-X"
    )


@pytest.mark.parametrize("repair", ["error", "begin", "drop", "conlleval"])
def test_what_is_not_a_tag_is_an_error_under_every_repair(failing, repair):
    assert failing("a O\nb PER\n", repair=repair).startswith(":2: column 1: 'PER' is not a tag;")


IOB1 = "a I-X\nb I-X\nc B-X\n\nd O\ne I-Y\n"


def test_iob1_is_recognised_where_b_only_divides_spans_of_one_label(reading):
    assert layer(reading(IOB1)) == [((0, 2, "X"), (2, 3, "X")), ((1, 2, "Y"),)]


def test_iob1_is_recognised_where_there_is_no_b(reading):
    assert layer(reading("a I-X\n\nb O\nc I-Y\nd I-X\n")) == [
        ((0, 1, "X"),),
        ((1, 2, "Y"), (2, 3, "X")),
    ]


@each_case("more", ["e B-Y\n", "e O\nf B-Y\n", "e I-X\nf B-Y\n"])
def test_a_b_where_iob1_has_i_makes_it_iob2(failing, more):
    assert "where IOB2 needs B-X" in failing(f"{IOB1}\n{more}")


def test_columns_are_recognised_each_by_its_own_tags(reading):
    corpus = reading("a I-X B-X\nb I-X B-X\n", columns={"one": 1, "two": 2})
    assert corpus.documents[0].layers == {
        "one": ((0, 2, "X"),),
        "two": ((0, 1, "X"), (1, 2, "X")),
    }


def test_iob1_is_read_if_named(reading):
    assert layer(reading("a I-X\nb I-X\nc B-X\n", scheme="IOB1")) == [((0, 2, "X"), (2, 3, "X"))]


@pytest.mark.parametrize("tags", ["B-X E-X S-X", "B-X L-X U-X"])
def test_bioes_and_biluo_are_recognised(reading, tags):
    text = "".join(f"w {tag}\n" for tag in tags.split())
    assert layer(reading(text)) == [((0, 2, "X"), (2, 3, "X"))]


def test_the_scheme_is_recognised_for_each_column(reading):
    corpus = reading("a B-X B-X\nb I-X E-X\n", columns={"gold": 1, "sys": 2})
    assert layer(corpus) == layer(corpus, "sys") == [((0, 2, "X"),)]


def test_a_column_with_tags_of_two_schemes_is_an_error(failing):
    message = failing("a S-X\nb U-X\n")
    assert message.startswith(":1: column 1 has both U-X of BILUO and S-X of BIOES; a column has")


@pytest.mark.parametrize("text", ["", "\n\n", "-DOCSTART- -X- O O\n", "# id x\n"])
def test_a_file_without_tokens_is_an_error(failing, text):
    assert failing(text).startswith(": no documents;")


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
    corpora = [eval(call, {"read": read, "PATH": three}) for call in calls]
    assert [layer(corpus)[0] for corpus in corpora] == [((0, 2, "X"),), ((0, 2, "X"), (1, 2, "X"))]


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


def test_a_new_paragraph_is_no_token(reading):
    text = "# newdoc id = d\n# newpar\na O\n\n# newpar id = p\nb O\n"
    assert [one.words for one in reading(text).documents] == [("a", "b")]


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


@pytest.mark.parametrize("plain", [True, False], ids=["fast", "careful"])
def test_labels_at_the_ends_of_tokens_are_told(tmp_path, plain):
    path = tmp_path / "a.conll"
    path.write_text("Oslo/LOC O\nand/or O\nJohn/X B-X\n" + ("" if plain else "\u00a0 O\n"), "utf-8")
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
