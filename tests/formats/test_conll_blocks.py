import gzip
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.rawfiles import assert_same, documents_of, raw_reader
from spacy_chance_eval.formats import conll_bytes, read_file
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.keys import Reading


def read_conll(path, **keys):
    return read_file(path, Reading.of({"format": "conll", **keys}))


TOKENS = ["a O", "b B-X", "c I-X", "d I-Y", "e -", "f\tB-X", "g  O", " h O", "#tag O", "# O"]
TAGS = [
    "i S-X",
    "j E-X",
    "k U-Z",
    "U-Bahn O",
    "newdoc O",
    "l\x85 O",
    "\x0c O",
    "日本 B-é",
    "\xa0 O",
]
EMPTY = ["", "", " ", "\t "]
BORDERS = ["-DOCSTART- O", "-DOCSTART-", " -DOCSTART- O", "# newdoc", "# newdoc id = q"]
COMMENTS = [
    *("# id a\tk=v", "# sent_id = s", "# doc_id = d"),
    *("#", "# some more words", "#token\tgold"),
]
WRONG = ["x", "\tO", "y O O", "z PER"]
SOUND = [*TOKENS[:5], *EMPTY[:2], *BORDERS[:2], *BORDERS[3:], *COMMENTS[:3]]
LINES = [*TOKENS, *TAGS, *EMPTY, *BORDERS, *COMMENTS, *WRONG]
OPTIONS = st.fixed_dictionaries(
    {"documents": st.sampled_from(["auto", "docstart", "sentence"]),
     "repair": st.sampled_from(["conlleval", "drop"])},
    optional={"columns": st.sampled_from(["all", {"gold": -1, "also": 1}]),
              "scheme": st.sampled_from(["IOB1", "IOB2"])},
)  # fmt: skip
CHECKED = settings(suppress_health_check=list(HealthCheck), deadline=None)


def texts(lines):
    """Files of such lines, with some ends."""
    ends = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"])
    rows = st.lists(st.tuples(st.sampled_from(lines), ends), max_size=25)
    whole = rows.map(lambda rows: "a O\n" + "".join(line + end for line, end in rows))
    in_tabs = whole.map(lambda text: re.sub(r"(?m)^([^#\s]\S*) ", r"\1\t", text))
    return st.one_of(whole, in_tabs, in_tabs.map("\ufeff".__add__))


@pytest.fixture
def file(tmp_path):
    def write(text, name="a.conll"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture(scope="module", params=[1, 7, 1 << 20])
def buffer(request):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conll_bytes, "BLOCK", request.param)
        yield request.param


@pytest.mark.parametrize("lines", [SOUND, LINES], ids=["sound", "any"])
@settings(CHECKED, max_examples=5 * settings.default.max_examples)
@given(data=st.data(), n=st.integers(1, 4), options=OPTIONS)
def test_blocks_have_the_documents_of_the_file(file, buffer, lines, data, n, options):
    assert_same(file(data.draw(texts(lines))), n, **options)


def outcome(path, options):
    """All that a reader says of a file: documents with their lines, or the error."""
    try:
        corpus = read_conll(path, **options)
    except FormatError as error:
        return str(error)
    lines = [tuple(one.lines) for one in corpus.documents]
    return corpus.documents, lines, corpus.repair, corpus.notes


@settings(CHECKED, max_examples=5 * settings.default.max_examples)
@given(text=texts(LINES), options=OPTIONS)
def test_it_does_not_matter_where_pieces_end(file, text, options):
    path, found = file(text), []
    for size in (1, 3, 7, 50, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(conll_bytes, "BLOCK", size)
            found.append(outcome(path, options))
    assert found == [found[-1]] * len(found)


def test_tags_of_two_schemes_are_an_error_before_anything_is_read(file):
    path = file("a S-X\n\n" + "b O\n\n" * 10 + "c U-X\n")
    with pytest.raises(FormatError, match="a.conll: column 1 has both U-X of BILUO and S-X"):
        raw_reader(path).take(1)


@pytest.mark.parametrize(
    "data, message",
    [
        (gzip.compress(b"a O\n\n" * 5000, mtime=0)[:60], "broken or cut off"),
        (b"a O\n\n\xff O\n", ":3: not UTF-8"),
    ],
    ids=["gzip", "utf8"],
)
def test_a_damaged_file_is_an_error(file, data, message):
    with pytest.raises(FormatError, match=message):
        documents_of([file(data)], 1)
