"""Spans as tags in the text: SGML of MUC, GENIA, HAREM, and plain text with tags."""

from functools import partial

import pytest

from helpers.cases import each_case
from spacy_chance_eval import formats
from spacy_chance_eval.formats import format_of
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
<ENAMEX TYPE="PERSON">Bob</ENAMEX> ate.
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


def test_much_unclosed_markup_is_read_or_refused():
    for marked in ("<p>" * 4000, "<a " * 4000, "<!--" * 4000, "&a" * 4000):
        try:
            without_tags(marked + "</p>", str.islower)
        except ContentError:
            pass


def test_a_tag_with_a_long_word_is_read_in_no_time(file):
    found = READ(file(f"<DOC><PER {'x' * 200_000}>Ada</PER> met <LOC a='b'>Rex</LOC></DOC>"))
    assert [label for *_, label in found.documents[0].layers["spans"]] == ["PER", "LOC"]
