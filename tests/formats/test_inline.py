"""Spans as tags in the text: SGML of MUC, GENIA, HAREM, and plain text with tags."""

import random
from functools import partial

import pytest

from helpers.cases import each_case
from helpers.rawfiles import assert_same, taken
from spacy_chance_eval import formats
from spacy_chance_eval.formats import FormatError, format_of, read, safe_xml
from spacy_chance_eval.formats.errors import ContentError
from spacy_chance_eval.formats.inline import without_tags

MUC = """<DOC>
<DOCID> wsj-1 </DOCID>
<TXT>
<p>
<ENAMEX TYPE="ORGANIZATION" MIN='AT&T'>AT&amp;T <ENAMEX TYPE=LOCATION>U.S.</ENAMEX></ENAMEX> & c.
<p>
p < .05, <3 &LR; <!-- <X> --> <NUMEX TYPE="MONEY">$3</NUMEX><br/>
</TXT>
</DOC>
<DOC DOCNO="2">
<b_enamex TYPE="PERSON">Bob<e_enamex> ate.
</DOC>
"""
GENIA = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE set SYSTEM "gpml.dtd">
<set>
<article><articleinfo><bibliomisc>MEDLINE:9</bibliomisc></articleinfo>
<title><sentence><cons lex="a" sem="G#other"><cons lex="b">\u00e9</cons> and
<cons sem="G#cell"><![CDATA[<c>]]></cons></cons>.</sentence></title></article>
</set>
"""


READ = partial(formats.read, format="inline")


@pytest.fixture
def file(tmp_path):
    def write(text, name="a.txt", encoding="utf-8"):
        (tmp_path / name).write_text(text, encoding=encoding)
        return tmp_path / name

    return write


def spans_of(document):
    return [(document.text[start:end], label) for start, end, label in document.layers["spans"]]


@each_case(
    "text, name, format",
    [
        (MUC, "a.txt", "inline"),
        (MUC, "a.sgm", "inline"),
        (GENIA, "a.xml", "inline"),
        ("In <LOC>Oslo</LOC>.\nA line without.\n", "a.txt", "inline"),
        ("<LOC>Oslo</LOC> B-LOC\n. O\n", "a.txt", "conll"),
        ("<s> O\nOslo B-LOC\n</s> O\n", "a.txt", "conll"),
        ("<corpus><p><ENAMEX type='X'>a</ENAMEX></p></corpus>", "a.xml", "inline"),
        ("<corpus><head><name>TIGER</name></head></corpus>", "a.xml", "gate"),
        ("<GateDocument/>", "a.xml", "gate"),
        ("<xmi:XMI xmlns:xmi='x'/>", "a.xml", "cas"),
    ],
)
def test_it_is_recognised_by_its_tags(file, text, name, format):
    assert format_of(file(text, name)) == format


@each_case("encoding", ["utf-16", "latin-1"])
def test_other_encodings_are_recognised(file, encoding):
    path = file(GENIA.replace("ISO-8859-1", encoding), "a.xml", encoding)
    assert format_of(path) == "inline"
    assert read(path).documents[0].text.startswith("\u00e9 and\n")


def test_sgml_has_documents_with_names_and_tags_of_every_kind(file):
    one, two = read(file(MUC)).documents
    assert (one.name, one.line(0), two.name, two.line(0)) == ("wsj-1", 1, "2", 10)
    assert one.text.split() == "AT&T U.S. & c. p < .05, <3 &LR; $3".split()
    found = [("AT&T U.S.", "ORGANIZATION"), ("U.S.", "LOCATION"), ("$3", "MONEY")]
    assert spans_of(one) == found
    assert [*one.features["spans"].values()] == [{"min": "AT&T"}]
    assert (two.text, spans_of(two)) == ("Bob ate.", [("Bob", "PERSON")])


def test_a_part_of_a_term_without_class_is_no_span(file):
    (one,) = read(file(GENIA, "a.xml", "latin-1")).documents
    assert one.name == "MEDLINE:9"
    assert spans_of(one) == [("\u00e9 and\n<c>", "G#other"), ("<c>", "G#cell")]


def test_windows_newlines_are_newlines(file):
    (one,) = read(file("<X>a</X>\r\nb")).documents
    assert one.text == "a\nb"


def test_other_bytes_than_utf_8_have_to_be_declared(file):
    with pytest.raises(FormatError, match="a.sgm:2: not UTF-8 text.*iconv"):
        read(file("<X>a</X>\n\u00e9", "a.sgm", "latin-1"))


def test_a_file_without_documents_is_one_called_as_the_file(file):
    (one,) = read(file(" \n<PER>Ada</PER> read <doc>the <LOC>Oslo</LOC> file</doc>.\n")).documents
    assert (one.name, one.text) == ("a", "Ada read the Oslo file.")
    assert spans_of(one) == [("Ada", "PER"), ("Oslo", "LOC")]


@each_case("n", [0, 1])
def test_tags_around_documents_are_no_spans(file, n):
    doc = "<doc id='1'><DATE_TIME>3/14</DATE_TIME> <PER>Ada</PER> slept.</doc>\n"
    path = file(f"<foo a='b'>\n<x/><y>\n{doc * 2}</y>\n<y>\n{doc}</y></foo>\n", "a.sgml")
    documents = read(path).documents
    assert [one.text for one in documents] == ["3/14 Ada slept."] * 3
    assert [one.line(0) for one in documents] == [3, 4, 7]
    assert [spans_of(one) for one in documents] == [[("Ada", "PER")]] * 3
    assert_same(path, n + 1)


ADA = "<DOC><DOCNO>{}</DOCNO><PER>Ada</PER> slept.</DOC>\n"


@each_case(
    "head",
    [
        '<!DOCTYPE DOC [\n<!ELEMENT DOC (#PCDATA)>\n<!ENTITY x "y]">\n]>\n',
        "<?xml version='1.0'?>\n\n<!DOCTYPE set [ ]>\n<set>\n",
        '<!DOCTYPE DOC SYSTEM "x.dtd" [ \n<!-- ]> <DOC> it\'s -->\n<!ENTITY q "]>">\n]>\n',
        "<!-- <DOC>\n\n--> \n\n",
    ],
)
@each_case("n", [1, 2])
def test_declarations_and_comments_before_documents_are_no_text(file, head, n):
    path = file(head + ADA.format(1) + ADA.format(2), "a.sgml")
    documents = read(path).documents
    assert [(one.name, one.text, one.line(0)) for one in documents] == [
        ("1", "Ada slept.", 5),
        ("2", "Ada slept.", 6),
    ]
    assert_same(path, n)


@each_case(
    "text, line, where",
    [
        ("\nReuters\n\n{0}{0}", 2, "before the first <DOC>"),
        ("\n<TITLE>News</TITLE>\n\n{0}{0}", 2, "before the first <DOC>"),
        ("\n<!ENTITY a 'b'>\n\n{0}{0}", 2, "before the first <DOC>"),
        ("{0}\nReuters\n{0}", 3, "after </DOC>"),
        ("{0}{0}</set>\n<PER>Rex</PER>", 3, "after </DOC>"),
    ],
)
def test_text_outside_several_documents_is_refused(file, text, line, where):
    with pytest.raises(FormatError, match=f"sgml:{line}: text {where}; remove it, or put it into"):
        read(file(text.format(ADA), "a.sgml"))
    assert len(read(file(text.replace("{0}", ADA, 1).replace("{0}", ""), "a.sgml")).documents) == 1


@each_case(
    "options, spans",
    [
        ({"type": "em"}, [("Ada", "PER"), ("Oslo", "LOC")]),
        ({"type": "EM", "label": "ID"}, [("Ada", "1"), ("Oslo", "2")]),
        ({"label": "kind"}, [("Oslo", "city")]),
        ({"type": "x"}, []),
    ],
)
def test_tags_and_the_attribute_of_the_label_can_be_named(file, options, spans):
    text = "<EM ID='1' CATEG='PER'>Ada</EM> in <EM ID='2' CATEG='LOC' KIND='city'>Oslo</EM>"
    (one,) = READ(file(text), **options).documents
    assert spans_of(one) == spans


@each_case(
    "text, message",
    [
        ("a <X>b", "<X> is open at </DOC>; close each"),
        ("</DOC><X>a", "<X> is not closed; close each"),
        ("a</X> b", "</X> closes nothing"),
        ("<X>a <Y>b</X> c</Y>", "<Y> is open at </X>"),
        ("<p><X>a</p></X>", "<X> is open at </p>"),
        ("a <X>b</X> <!-- c", "<!-- without -->"),
        ("a <X></X> b", "span X [2, 2) among 4 characters"),
        ("<NE type=''>a</NE>", "'label' of a span is "),
    ],
)
def test_improper_tags_are_refused_with_the_line_of_the_document(file, text, message):
    with pytest.raises(FormatError) as caught:
        READ(file(f"<DOC>\n<X>x</X></DOC>\n<DOC>{text}</DOC>"))
    assert message in str(caught.value)
    assert caught.value.line == 3


def test_a_bad_document_or_span_is_left_out(file):
    path = file("<DOC><X>x</X></DOC><DOC><X>x</DOC><DOC><X></X><X>y</X></DOC>")
    corpus = read(path, format="inline", on_error="skip:1")
    assert [spans_of(one) for one in corpus.documents] == [[("x", "X")], [("y", "X")]]


def test_other_xml_is_read_as_the_error_advises(file):
    path = file("<a><b>1</b></a>", "b.xml")
    with pytest.raises(FormatError, match="expected a GateDocument.$"):
        read(path)
    path = file("<corpus><PER>Ada</PER> slept</corpus>", "a.xml")
    with pytest.raises(FormatError, match="--format inline"):
        read(path)
    assert spans_of(read(path, format="inline").documents[0]) == [("Ada", "PER")]


@each_case(
    "name, head, labels",
    [
        ("a.xml", "<!-- <x> --><TEI a='b'>", ["PER"]),
        ("a.txt", "<?xml version='1.0'?>\n<TEI>", ["PER"]),
        ("a.txt", "<TEI xmlns='x'>", ["PER"]),
        ("a.txt", "<TEI>", ["TEI", "PER"]),
    ],
)
def test_the_root_of_xml_is_no_span(file, name, head, labels):
    path = file(f"{head}<PER>Ada</PER> slept.</TEI>\n", name)
    (one,) = READ(path).documents
    assert sorted(label for _, label in spans_of(one)) == sorted(labels)
    (named,) = READ(path, type="TEI").documents
    assert spans_of(named) == [("Ada slept.", "TEI")]


def test_a_tag_without_the_attribute_that_is_named_is_refused(file):
    with pytest.raises(FormatError, match="<EM> \"b\" has no 'categ'; name an attribute"):
        READ(file("<EM CATEG='X'>a</EM> <EM>b</EM>"), type="EM", feature="CATEG")


@each_case(
    "text",
    [
        "",
        "Ada slept.",
        "<html><p>Ada</p></html>",
        "<Paper><SectionTitle>A</SectionTitle></Paper>",
        "<cons>a</cons>",
        "<ANNOTATION>a</ANNOTATION>",
        "<foo><doc>a</doc></foo>",
        "<?xml version='1.0'?><PER>Ada</PER>",  # the root alone
    ],
)
def test_a_file_without_tags_of_spans_is_refused(file, text):
    with pytest.raises(FormatError, match="no tag marks a span .*--type PER,LOC"):
        READ(file(text))


def test_text_and_elements_without_a_file():
    found = without_tags("<LOC>Oslo</LOC> &lt; <p>AT&T", lambda name: name == "p")
    assert found.text == "Oslo < AT&T"
    assert [(one.name, one.start, one.end) for one in found.elements] == [("LOC", 0, 4)]


def test_much_unclosed_markup_is_read_or_refused():
    for marked in ("<p>" * 20_000, "<a " * 20_000, "<!--" * 20_000, "&a" * 20_000):
        try:
            without_tags(marked + "</p>", str.islower)
        except ContentError:
            pass


@each_case("text", [MUC, GENIA, "\n<set>\n" + "<doc>\r\n<X>x</X>\n</DOC>\n" * 7])
def test_blocks_are_the_whole(file, monkeypatch, text):
    for size in (7, 200, 1 << 20):
        monkeypatch.setattr(safe_xml, "CHUNK", size)
        for n in (1, 2, 9):
            assert_same(file(text), n)
            assert_same(file(text + "<DOC>\n<X></X></DOC>"), n)


def test_a_file_without_tags_of_spans_is_refused_in_blocks_too(file):
    path = file("<doc>a</doc>\n<doc><p>b</p></doc>")
    for read_all in (READ, lambda path: taken([path], 1)):
        with pytest.raises(FormatError, match="no tag marks a span .tags: doc, p.;"):
            read_all(path)
    assert_same(file("<doc>a</doc><doc><X>b</X></doc>"), 1)


@each_case("text", [MUC, GENIA])
def test_damaged_files_are_errors_of_the_format(file, text):
    draw, path = random.Random(17), file("")
    for _ in range(100):
        data = bytearray(text.encode("latin-1"))
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.choice(b"<>/!&;\"'=x\xff\x00")
        path.write_bytes(data)
        try:
            READ(path)
        except FormatError:
            pass


def test_a_tag_with_a_long_word_is_read_in_no_time(file):
    found = READ(file(f"<DOC><PER {'x' * 200_000}>Ada</PER> met <LOC a='b'>Rex</LOC></DOC>"))
    assert [label for *_, label in found.documents[0].layers["spans"]] == ["PER", "LOC"]
