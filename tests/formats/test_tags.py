import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from spacy_chance_eval.measures.tags import REPAIRS, families, spans_of_tags, tags_of_spans


def spans(text, scheme="IOB2", repair="conlleval"):
    found, _, malformed = spans_of_tags(text.split(), scheme=scheme, repair=repair)
    assert malformed == []
    return found


def improper(text, scheme="IOB2", repair="conlleval"):
    return spans_of_tags(text.split(), scheme=scheme, repair=repair)[1]


@pytest.mark.parametrize(
    "scheme, tags",
    [
        ("IOB1", "I-X I-X B-X O I-Y I-Z"),
        ("IOB2", "B-X I-X B-X O B-Y B-Z"),
        ("BIOES", "B-X E-X S-X O S-Y S-Z"),
        ("BILUO", "B-X L-X U-X O U-Y U-Z"),
    ],
)
def test_every_scheme_has_the_same_spans(scheme, tags):
    expected = [(0, 2, "X"), (2, 3, "X"), (4, 5, "Y"), (5, 6, "Z")]
    assert (spans(tags, scheme), improper(tags, scheme)) == (expected, [])


@each_case(
    "tags, scheme, places",
    [
        ("O I-X", "IOB2", [1]),
        ("I-X", "IOB2", [0]),
        ("I-X", "IOB1", []),
        ("B-X I-Y", "IOB2", [1]),
        ("O I-X I-X I-Y", "IOB2", [1, 3]),
        ("O I-X E-X", "BIOES", [1]),
        ("O E-X", "BIOES", [1]),
        ("S-X E-X", "BIOES", [1]),
        ("B-X O", "BIOES", [0]),
        ("B-X S-X", "BIOES", [0]),
        ("B-X E-Y", "BIOES", [0, 1]),
        ("B-X I-X", "BIOES", [0]),
        ("O L-X", "BILUO", [1]),
    ],
)
def test_chunks_without_begin_or_end_are_improper(tags, scheme, places):
    assert improper(tags, scheme) == improper(tags, scheme, "drop") == places


@each_case("repair", REPAIRS)
@each_case("tag", ["PER", "B-", "-", "o", "b-X", "E-X", "B_X", "", "I"])
def test_what_is_not_a_tag_is_a_problem_under_every_repair(repair, tag):
    assert spans_of_tags(["B-X", tag], scheme="IOB2", repair=repair)[2] == [1]


@pytest.mark.integration
@pytest.mark.parametrize("prefixes", ["BI", "BIES"])
def test_conlleval_reads_every_sequence_of_four_tags_as_seqeval_does(prefixes):
    get_entities = pytest.importorskip("seqeval.metrics.sequence_labeling").get_entities
    scheme = {"BI": "IOB2", "BIES": "BIOES"}[prefixes]
    tags = ["O", *(f"{prefix}-{label}" for prefix in prefixes for label in "XY")]
    for sequence in itertools.product(tags, repeat=4):
        expected = [(start, end + 1, label) for label, start, end in get_entities(list(sequence))]
        assert spans_of_tags(sequence, scheme=scheme, repair="conlleval")[0] == expected


# For IOB tags, the pairs of (previous, current) prefix at which the script of CoNLL-2000 ends and
# starts a chunk; both also happen where the type changes, unless that side is O.
SCRIPT_ENDS = {"BB", "BO", "IB", "IO"}
SCRIPT_STARTS = {"BB", "IB", "OB", "OI"}


def script(tags):
    chunks, start = [], None
    for i, (before, tag) in enumerate(itertools.pairwise(["O", *tags, "O"])):
        pair, changes = before[0] + tag[0], before[1:] != tag[1:]
        if start is not None and (pair in SCRIPT_ENDS or changes and before != "O"):
            chunks.append((start, i, tags[start][2:]))
            start = None
        if pair in SCRIPT_STARTS or changes and tag != "O":
            start = i
    return chunks


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2"])
def test_conlleval_reads_every_sequence_of_iob_tags_as_the_script_does(scheme):
    for tags in itertools.product(["O", "B-X", "I-X", "B-Y", "I-Y"], repeat=4):
        assert spans_of_tags(tags, scheme=scheme, repair="conlleval")[0] == script(tags)


@st.composite
def sentences(draw):
    cuts = sorted(draw(st.sets(st.integers(0, 12), max_size=8)))
    labels = st.sampled_from(["X", "Y", "a-b"])
    pieces = [(start, end, draw(labels)) for start, end in itertools.pairwise(cuts)]
    return [piece for piece in pieces if draw(st.booleans())]


@given(sentences(), st.sampled_from(REPAIRS))
def test_written_tags_read_back_as_the_same_spans(spans, repair):
    tags = tags_of_spans(spans, 12)
    assert spans_of_tags(tags, repair=repair) == (spans, [], [])


@pytest.mark.parametrize("span", [(0, 4, "X"), (1, 1, "X"), (2, 1, "X"), (0, 1, "")])
def test_an_impossible_span_cannot_be_tags(span):
    with pytest.raises(ValueError, match="is empty"):
        tags_of_spans([span], 3)


def test_unknown_schemes_and_repairs_are_named():
    with pytest.raises(ValueError, match="unknown scheme 'IO'"):
        spans_of_tags([], scheme="IO")
    with pytest.raises(ValueError, match="unknown repair 'guess'"):
        spans_of_tags([], repair="guess")


def test_families_tell_the_schemes_that_tags_can_only_belong_to():
    assert families(["O", "B-X", "S-X", "E-X", "U-X"]) == {"BIOES": "S-X", "BILUO": "U-X"}
    assert families(["S-X", "M-X", "O"]) == {"BMES": "M-X"}
    assert families(["B-X", "M-X", "I-X"]) == {}
