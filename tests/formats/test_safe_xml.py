"""What every reader of XML is spared: entities and wrong encodings."""

from xml.etree import ElementTree

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.safe_xml import xml_of

LAUGHS = "".join(f'<!ENTITY l{i + 1} "{f"&l{i};" * 10}">' for i in range(9))
DOCTYPES = {
    "billion laughs": f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}]><a>&l9;</a>',
    "external entity": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    "parameter entity": '<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><a/>',
    "late doctype": '\n<!-- x -->\n<!DOCTYPE a [<!ENTITY x "y">]><a/>',
}
BROKEN = {
    "empty": b"",
    "blank": b" \n",
    "truncated": b"<a><b>",
    "no XML": b"Ada slept.",
    "two roots": b"<a/><a/>",
    "NUL": b"<a>\x00</a>",
    "reference to NUL": b"<a>&#0;</a>",
    "unknown entity": b"<a>&x;</a>",
    "unbound prefix": b"<a:b/>",
    "attribute twice": b'<a b="1" b="2"/>',
    "xmlns for two prefixes": b'<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>',
    "Latin-1 without declaration": "<a>\u00e9</a>".encode("latin-1"),
    "UTF-16 without mark": "<a/>".encode("utf-16-le"),
    "UTF-32": "<a/>".encode("utf-32"),
    "two declarations": b"<?xml version='1.0'?><?xml version='1.0' encoding='UTF'?><a/>",
    "long declaration": b"<?xml version='1.0'" + b" " * 300 + b"encoding='UTF-7'?><a/>",
    "surrogate": b"<a>\xed\xa0\x80</a>",
}


def failing(data):
    with pytest.raises(FormatError) as caught:
        xml_of(data, "a.xml")
    return str(caught.value)


@pytest.mark.parametrize("text", DOCTYPES.values(), ids=DOCTYPES)
def test_entities_are_refused_with_their_line(text):
    line = text[: text.index("<!DOCTYPE")].count("\n") + 1
    assert failing(text.encode()).startswith(f"a.xml:{line}: entities are not expanded")


@each_case("name", ["SYSTEM 'a>b.dtd'", 'PUBLIC "x"\n"http://localhost:9/a.dtd"', ""])
def test_a_doctype_that_names_a_dtd_is_left_out(name):
    text = f"<?xml version='1.0'?>\n<!-- <!DOCTYPE -->\n<!DOCTYPE a {name} >\n<a>"
    assert [one.tag for one in xml_of(f"{text}<b/></a>".encode(), "a.xml").iter()] == ["a", "b"]
    assert failing(text.encode()).startswith(f"a.xml:{text.count(chr(10)) + 1}: broken XML")


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_broken_xml_is_one_error(data):
    assert failing(data).startswith("a.xml:")


def test_names_are_those_of_etree_and_text_is_kept():
    text = "<a xmlns='u' xmlns:p='v' p:b='1' c='2'>x<!-- y --><![CDATA[<&]]>z<d/>&#233;</a>"
    found = xml_of(text.encode(), "a.xml")
    assert ElementTree.tostring(found) == ElementTree.tostring(ElementTree.fromstring(text))


@pytest.mark.parametrize("encoding", ["utf-8", "ISO-8859-1", "windows-1252", "utf-16"])
def test_declared_encodings_become_utf_8(encoding):
    text = f'<?xml version="1.1" encoding="{encoding}"?><a>\u00e9</a>'
    assert xml_of(text.encode(encoding), "a.xml").text == "\u00e9"


@each_case("name", ["rot13", "x" * 50])
def test_odd_encodings_are_refused(name):
    assert "unknown encoding" in failing(f'<?xml version="1.0" encoding="{name}"?><a/>'.encode())
