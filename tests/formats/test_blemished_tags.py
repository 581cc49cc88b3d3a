"""Spans beside blemished tags: those that may run over one count on neither side."""

import pytest

from spacy_chance_eval.formats.tags import spans_beside

CASES = {
    "inside": ("B-X ? I-X O B-Y", [(4, 5, "Y")], {0, 1, 2}),
    "in front": ("O ? I-X I-X O", [], {1, 2, 3}),
    "behind": ("B-X I-X ? O", [], {0, 1, 2}),
    "other label in front": ("B-X I-Y ? O", [(0, 1, "X")], {1, 2}),
    "other label behind": ("O ? I-X I-Y", [], {1, 2}),
    "two": ("B-X ? ? I-X O B-X", [(5, 6, "X")], {0, 1, 2, 3}),
    "free": ("B-X O ? O B-Y", [(0, 1, "X"), (4, 5, "Y")], {2}),
    "new span behind": ("O ? B-X I-X", [(2, 4, "X")], {1}),
}
ENDED = {
    "ended in front": ("B-X E-X ? E-Y S-Z", [(0, 2, "X"), (4, 5, "Z")], {2, 3}),
    "one in front": ("S-X ? I-X E-X B-X E-X", [(0, 1, "X"), (4, 6, "X")], {1, 2, 3}),
}


@pytest.mark.parametrize(
    ("tags", "spans", "unseen", "scheme"),
    [(*case, "IOB2") for case in CASES.values()] + [(*case, "BIOES") for case in ENDED.values()],
    ids=[*CASES, *ENDED],
)
@pytest.mark.parametrize("known", [True, False], ids=["line", "tag"])
def test_no_part_of_a_span_is_left(tags, spans, unseen, scheme, known):
    tags = tags.split()
    places = [place for place, tag in enumerate(tags) if tag == "?"] if known else []
    found, _, left_out = spans_beside(tags, places, scheme=scheme, repair="error")
    assert (found, left_out) == (spans, unseen)


CHUNKS = {
    "begin and end": ("I-X O S-X", [0]),
    "end of sentence": ("O I-X I-X", [1]),
    "neighbours": ("B-X B-X O", [1, 2]),
    "two": ("I-X O I-Y O", [0, 2]),
}


@pytest.mark.parametrize(("tags", "places"), CHUNKS.values(), ids=CHUNKS)
def test_an_improper_chunk_is_one_blemish(tags, places):
    problems = spans_beside(tags.split(), (), scheme="BIOES", repair="error")[1]
    assert [one.place for one in problems] == places
