"""Mentions placed on their text."""

from random import Random

import pytest

from spacy_chance_eval import align_mentions

NO = "unplaced"


def placed(text, mentions):
    """(start, end, label) of mentions, or None, in the order of the input."""
    found = align_mentions(text, mentions)
    return [None if one.start is None else (one.start, one.end, one.label) for one in found]


def spans(found):
    """(start, end, label) of the mentions that have a place, sorted."""
    return sorted((one.start, one.end, one.label) for one in found if one.how != NO)


def guesses(found):
    """The numbers of mentions whose place is a guess."""
    return [n for n, one in enumerate(found) if one.ambiguous]


def texts(text, *mentions):
    """The texts that mentions are placed on."""
    found = align_mentions(text, [(one, "X") for one in mentions])
    return [one.start if one.start is None else text[one.start : one.end] for one in found]


# --- laws


def random_case(rng, alphabet="aab AB  "):
    """A small text, and some of its parts as mentions, sometimes changed."""
    text = "a" + "".join(rng.choice(alphabet) for _ in range(rng.randint(3, 11)))
    mentions = []
    for _ in range(rng.randint(1, 5)):
        start = rng.randrange(len(text))
        mention = text[start : start + rng.randint(1, 4)].strip()
        mention = rng.choice((mention, mention, mention.swapcase()))
        if mention:
            mentions.append((mention, rng.choice("XY")))
    return text, mentions


@pytest.mark.parametrize("seed", range(4))
def test_placements_are_in_the_text_and_do_not_overlap(seed):
    rng = Random(seed)
    for _ in range(60):
        text, mentions = random_case(rng)
        found = align_mentions(text, mentions)
        taken = spans(found)
        assert not any(one[1] > other[0] for one, other in zip(taken, taken[1:]))
        for one in found:
            if one.how == "exact":
                assert text[one.start : one.end] == one.text
            elif one.how == "normalized":
                there = text[one.start : one.end].lower()
                assert there.split() == one.text.lower().split()
            else:
                assert (one.how, one.start, one.end) == (NO, None, None)
        moved = align_mentions(f"  {text} ", [(f" {one}", label) for one, label in mentions])
        assert spans(moved) == [(start + 2, end + 2, label) for start, end, label in taken]


# --- which occurrence


def test_mentions_of_a_text_take_its_occurrences_in_order():
    text = "Paris and Paris"
    assert placed(text, [("Paris", "A"), ("Paris", "B")]) == [(0, 5, "A"), (10, 15, "B")]
    assert placed(text, [("Paris", "A"), ("Paris", "B"), ("Paris", "C")])[2] is None


def test_the_longest_comes_first():
    assert texts("a b c", "a", "a b c", "c") == [None, "a b c", None]
    assert texts("a b cc", "a b", "b cc") == [None, "b cc"]
    assert texts("a b c", "a b", "b c", "c") == ["a b", None, "c"]


def test_the_order_of_the_list_decides_between_occurrences():
    text = "Rome, Oslo, Rome, Bonn, Rome"
    assert placed(text, [("Oslo", "A"), ("Rome", "B"), ("Bonn", "C")])[1] == (12, 16, "B")
    assert placed(text, [("Bonn", "A"), ("Rome", "B"), ("Oslo", "C")])[1] == (24, 28, "B")


# --- what is equal


@pytest.mark.parametrize(
    ("text", "mention", "found"),
    [
        ("in ISTANBUL", "Istanbul", "ISTANBUL"),
        ("the O\u2019Brien case", "O'Brien", "O\u2019Brien"),
        ("say \u201eJa\u201c now", '"Ja"', "\u201eJa\u201c"),
        ("say ``Ja'' now", '"Ja"', "``Ja''"),
        ("Foo\u2014Bar", "foo--bar", "Foo\u2014Bar"),
        ("New \n\t York", "New York", "New \n\t York"),
    ],
    ids=range(6),
)
def test_forms_that_are_read_alike_are_found_with_their_own_offsets(text, mention, found):
    assert texts(text, mention) == [found]


def test_boundaries_of_words_come_first():
    assert placed("USA US", [("US", "LOC")]) == [(4, 6, "LOC")]
    assert placed("Party art", [("Art", "X")]) == [(6, 9, "X")]
    found = align_mentions("Parties", [("arti", "X")])
    assert spans(found) == [(1, 5, "X")] and guesses(found)
    assert placed("\u0e01\u0e34 \u0e01", [("\u0e01", "X")]) == [(3, 4, "X")]
    found = align_mentions("cafe\u0301 cafe", [("cafe", "X")])
    assert spans(found) == [(6, 10, "X")] and not guesses(found)


@pytest.mark.parametrize(
    ("text", "mention"),
    [
        ("我在北京大学读书", "北京"),
        ("東京タワーへ", "タワー"),
        ("ฉันรักกรุงเทพมาก", "กรุงเทพ"),
        ("파리에서", "파리"),
    ],
    ids=["zh", "ja", "th", "ko"],
)
def test_scripts_without_blanks_have_boundaries_everywhere(text, mention):
    found = align_mentions(text, [(mention, "X")])
    assert texts(text, mention) == [mention]
    assert not guesses(found)


# --- limits and errors


def test_very_many_mentions_are_placed():
    found = align_mentions("a" * 3000, [("a", "X")] * 3000)
    assert len(spans(found)) == 3000


@pytest.mark.parametrize(
    ("mention", "message"),
    [
        (("  ", "X"), "mention 1 is"),
        ((3, "X"), "mention 1 is"),
        (("a", None), "mention 1 is"),
        ({"text": "a"}, "mention 1 is"),
        ("ab", "mention 1 is"),
        (None, "mention 1 is"),
    ],
    ids=["blank", "number", "label", "mapping", "text", "none"],
)
def test_what_is_no_mention_is_refused_with_its_number(mention, message):
    with pytest.raises(ValueError, match=message):
        align_mentions("a b", [("a", "X"), mention])
