import random

import pytest

from spacy_chance_eval import formats
from spacy_chance_eval.formats.errors import FormatError

PLUS = """# global.columns = ID FORM MISC NER PARSEME:MWE
# sent_id = s1
# text = Ada gave it up
1\tAda\t_\tB-PER\t*
2\tgave\t_\tO\t1:VPC
3\tit\t_\tO\t*
4-5\tupin\t_\t_\t_
4\tup\t_\tO\t1;2:X
# a comment inside
5\tin\tSpaceAfter=No\tB-LOC\t2
5.1\tempty\t_\t_\t_

# sent_id = s2
1\tOslo\t_\t_\t_
"""

HEADER = "# global.columns = ID FORM NER"


@pytest.fixture
def reading(tmp_path):
    def read(text, name="a.conllup", **options):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return formats.read(tmp_path / name, **options)

    return read


def test_columns_of_tags_and_of_codes_are_layers(reading):
    one, two = reading(PLUS).documents
    assert (one.name, one.words) == ("s1", ("Ada", "gave", "it", "up", "in"))
    assert one.lines == (4, 5, 6, 8, 10)
    assert one.layers == {
        "NER": ((0, 1, "PER"), (4, 5, "LOC")),
        "PARSEME:MWE": ((1, 4, "VPC", ((1, 2), (3, 4))), (3, 5, "X")),
    }
    assert two.layers == {"NER": None, "PARSEME:MWE": None}


def test_some_tokens_may_be_without_annotation(reading):
    text = PLUS.replace("1\tOslo\t_\t_\t_", "1\tOslo\t_\t_\t_\n2\tx\t_\tB-LOC\t1:X")
    _, two = reading(text).documents
    assert two.layers == {"NER": ((1, 2, "LOC"),), "PARSEME:MWE": ((1, 2, "X"),)}
    assert two.missing_in == {"NER": ((0, 1),), "PARSEME:MWE": ((0, 1),)}


@pytest.mark.parametrize(
    ("outside", "missing", "counts"), [("_", (), {}), ("O", ((1, 2),), {"untagged": 1})]
)
def test_an_underscore_is_outside_where_no_tag_is(reading, outside, missing, counts):
    corpus = reading(f"{HEADER}\n1\tAda\tB-X\n2\tmet\t_\n3\tBob\tB-X\n4\tt\t{outside}\n")
    (one,) = corpus.documents
    assert one.layers == {"NER": ((0, 1, "X"), (2, 3, "X"))}
    assert one.gaps("NER") == missing
    assert corpus.notes.counts == counts


@pytest.mark.parametrize(
    ("header", "rows", "layers"),
    [
        ("FORM NER", ["Ada\tB-X", "#\tO"], {"NER": ((0, 1, "X"),)}),
        ("id form ner misc", ["1\tAda\tB-X\t_"], {"ner": ((0, 1, "X"),)}),
        ("ID FORM NER TURN", ["1\tAda\tB-X\t1", "2\tmet\tO\t2"], {"NER": ((0, 1, "X"),)}),
        ("ID FORM MWE", ["1\tAda\t*"], {"MWE": ()}),
    ],
    ids=["without numbers", "lower case", "no codes", "no expression"],
)
def test_columns_are_told_by_names_and_values(reading, header, rows, layers):
    text = "\n".join([f"# global.columns = {header}", "# sent_id = s1", *rows, ""])
    assert reading(text).documents[0].layers == layers


def test_an_expression_that_is_there_twice_is_one(reading):
    text = PLUS.replace("1:VPC", "1:VPC;3:VPC").replace("1;2:X", "1;2:X;3")
    (one, _) = (corpus := reading(text)).documents
    assert one.layers["PARSEME:MWE"] == ((1, 4, "VPC", ((1, 2), (3, 4))), (3, 5, "X"))
    assert corpus.notes.counts == {"merged": 1, "untagged": 1}


@pytest.mark.parametrize(
    ("options", "sizes", "names"),
    [
        ({}, [6], ["d"]),
        ({"documents": "sentence"}, [5, 1], ["s1", "s2"]),
        ({"documents": "file"}, [6], ["d"]),
    ],
    ids=["auto", "sentence", "file"],
)
def test_documents_are_those_of_conll(reading, options, sizes, names):
    text = PLUS.replace("# sent_id = s1", "# newdoc id = d\n# sent_id = s1")
    found = reading(text, **options).documents
    assert [len(one.words) for one in found] == sizes
    assert [one.name for one in found] == names


@pytest.mark.parametrize("name", ["a.cupt", "a.tsv", "a.conll", "a.txt"])
def test_it_is_recognised_by_its_ending_or_first_line(tmp_path, reading, name):
    reading(PLUS, name)
    assert formats.format_of(tmp_path / name) == "conllup"


def test_other_columns_are_passed_over(reading):
    text = "# global.columns = ID FORM GLOSS NER\n1\ta\tword\tS-X\n2\tb\tB-X\tO\n3\tc\tyes\tO\n"
    assert reading(text).documents[0].layers == {"NER": ((0, 1, "X"),)}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# global", "# no global", ":1: the first line is '# no global"),
        (" FORM", " WORD", ":1: the first line is"),
        ("1:VPC", "1", ":5: an expression without a label; one token"),
        ("\t2\n", "\twhat\n", ":10: 'what' in a column of codes"),
        ("2\tgave\t_\tO\t1:VPC", "2\tgave", ":5: 2 columns; the tokens of this file have 5"),
        ("B-LOC", "I-LOC", ":10: .*I-LOC"),
    ],
    ids=["header", "number", "label", "code", "columns", "tag"],
)
def test_what_is_wrong_is_said_with_its_line(reading, old, new, message):
    with pytest.raises(FormatError, match=message):
        reading(PLUS.replace(old, new), format="conllup")


def test_keys_of_misc_are_layers_where_no_column_has_spans(reading):
    misc = ["_", "name=B-PER|SpaceAfter=No", "name=O", "X=1|name=B-PER", "_"]
    lines = [
        "\t".join([number, form, *"_______", own])
        for number, form, own in zip(["1-2", *"1234"], ["Adamet", *"abcd"], misc)
    ]
    (one,) = reading("\n".join(["# sent_id = s", *lines]), "a.conllu", format="conllup").documents
    assert (one.name, one.words) == ("s", (*"abcd",))
    assert one.spaces == (False, True, True, True)
    assert one.layers == {"misc:name": ((0, 1, "PER"), (2, 3, "PER"))}
    plus = "# global.columns = FORM NER MISC\na\tB-X\tname=B-PER\n"
    assert reading(plus).documents[0].layers == {"NER": ((0, 1, "X"),)}


def test_a_file_without_spans_points_to_trees(reading):
    text = "# global.columns = ID FORM HEAD MISC\n1\ta\t0\t_\n"
    with pytest.raises(FormatError, match="no column of spans .* Trees: --format conllu"):
        reading(text)


def test_blemishes_can_be_left_out(reading):
    text = PLUS.replace("1:VPC", "1").replace("B-LOC", "I-LOC").replace("3\tit\t_\tO\t*", "3\tit")
    corpus = reading(text, on_error="skip:.9")
    assert corpus.documents[0].layers == {"NER": ((0, 1, "PER"),), "PARSEME:MWE": ((3, 5, "X"),)}
    assert corpus.notes.signed() == {"skipped": "2/4 spans+1/6 tokens"}


def test_damaged_files_raise_nothing_but_format_errors(tmp_path):
    rng = random.Random(17)
    for _ in range(300):
        data = bytearray(PLUS.encode())
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 3)] = rng.choice(
                [b"\t", b"\n", b";", b"1:X", b"_", b"*", b"-", b".1", b"#", b"\xff", b"9", b"B-X"]
            )
        (tmp_path / "a.conllup").write_bytes(data)
        try:
            corpus = formats.read(tmp_path / "a.conllup", format="conllup", repair="begin")
        except FormatError:
            continue
        for layer in corpus.layer_names:
            corpus.spans(layer)
