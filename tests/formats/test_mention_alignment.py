"""Mentions placed on their text, against an oracle that tries all placements."""

import unicodedata
from itertools import chain, combinations, product
from random import Random

import pytest

from spacy_chance_eval import align_mentions
from spacy_chance_eval.formats.mention_alignment import normalized

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


# --- the oracle


def candidates(text, mention):
    """(how, occurrences) of a mention, for letters a and b of both cases and blanks."""
    for border, how, fold in product((True, False), ("exact", "normalized"), (str,)):
        fold = str.lower if how == "normalized" else str
        found = []
        for start in range(len(text) - len(mention) + 1):
            end = start + len(mention)
            outside = (text[:start][-1:] == " " or start == 0 or mention[0] == " ") and (
                text[end : end + 1] in (" ", "")
            )
            if fold(text[start:end]) == fold(mention) and outside == border:
                found.append((start, end))
        if found:
            return how, found
    return "unplaced", []


def meet(one, other):
    return one[0] < other[1] and other[0] < one[1]


def value(text, found):
    """What is maximised of mentions without a choice: (how, place) of each, in its order."""
    places = [place for _, place in found]
    return (
        len(places),
        [how for how, _ in found].count("exact"),
        sum(end - start for start, end in places),
        -sum(start for start, _ in places),
    )


def best_value(text, mentions):
    """The best value of all placements without overlap."""
    names = [mention for mention, _ in mentions]
    subsets = [
        [
            [(how, place) for place in own]
            for n in range(names.count(name) + 1)
            for own in combinations(places, n)
        ]
        for name in {*names}
        for how, places in [candidates(text, name)]
    ]
    best = (-1,)
    for chosen in product(*subsets):
        every = sorted(chain.from_iterable(chosen), key=lambda one: one[1])
        if not any(meet(one[1], other[1]) for one, other in zip(every, every[1:])):
            best = max(best, value(text, every))
    return best


def random_case(rng, alphabet="aab AB  "):
    """A small text, and some of its parts as mentions, sometimes changed."""
    text = "a" + "".join(rng.choice(alphabet) for _ in range(rng.randint(3, 11)))
    mentions = []
    for _ in range(rng.randint(1, 5)):
        start = rng.randrange(len(text))
        mention = text[start : start + rng.randint(1, 4)].strip()
        mention = rng.choice((mention, mention, mention.swapcase()))
        if mention and "  " not in mention:
            mentions.append((mention, rng.choice("XY")))
    return text.replace("  ", " b"), mentions


@pytest.mark.parametrize("seed", range(8))
def test_placements_are_the_best_of_all(seed):
    rng = Random(seed)
    for _ in range(60):
        text, mentions = random_case(rng)
        found = align_mentions(text, mentions)
        placed = [(one.how, (one.start, one.end)) for one in found if one.how != NO]
        names = [mention for mention, _ in mentions]
        if any(len(candidates(text, name)[1]) > names.count(name) for name in names):
            assert value(text, placed)[0] <= best_value(text, mentions)[0]
        else:
            assert value(text, placed) == best_value(text, mentions), (text, mentions)
        taken = spans(found)
        assert not any(meet(one, other) for one, other in zip(taken, taken[1:]))
        for one in found:
            if one.how == "exact":
                assert text[one.start : one.end] == one.text
            elif one.how == "normalized":
                assert text[one.start : one.end].lower() == one.text.lower()
            else:
                assert (one.how, one.start, one.end) == (NO, None, None)


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_mentions_and_blanks_around_change_no_number(seed):
    rng = Random(f"laws {seed}")
    for _ in range(40):
        text, mentions = random_case(rng)
        found = align_mentions(text, mentions)
        shuffled = align_mentions(text, rng.sample(mentions, len(mentions)))
        assert len(spans(shuffled)) == len(spans(found))
        moved = align_mentions(f"  {text} ", [(f" {one}", label) for one, label in mentions])
        assert spans(moved) == [(start + 2, end + 2, label) for start, end, label in spans(found)]
        relabelled = align_mentions(text, [(one, "Z") for one, _ in mentions])
        assert [span[:2] for span in spans(relabelled)] == [span[:2] for span in spans(found)]


# --- which occurrence


def test_mentions_of_a_text_take_its_occurrences_in_order():
    text = "Paris and Paris"
    assert placed(text, [("Paris", "A"), ("Paris", "B")]) == [(0, 5, "A"), (10, 15, "B")]
    assert placed(text, [("Paris", "A"), ("Paris", "B"), ("Paris", "C")])[2] is None


def test_fewer_mentions_than_occurrences_are_a_guess_and_take_the_first():
    found = align_mentions("Rome, Rome, Rome", [("Rome", "LOC")] * 2)
    assert spans(found) == [(0, 4, "LOC"), (6, 10, "LOC")]
    assert guesses(found) == [0, 1]


def test_an_occurrence_that_another_mention_has_is_no_choice():
    found = align_mentions("New York is in York", [("York", "LOC"), ("New York", "LOC")])
    assert spans(found) == [(0, 8, "LOC"), (15, 19, "LOC")]
    assert guesses(found) == []


def test_the_most_mentions_come_before_the_longest():
    text = "a b c d"
    assert placed(text, [("a b", "X"), ("b c", "X"), ("c d", "X")])[1] is None
    assert texts("a b c", "a b", "b c", "c") == ["a b", None, "c"]
    assert texts("a b c", "a b c", "a", "c") == [None, "a", "c"]
    assert texts("a b cc", "a b", "b cc") == [None, "b cc"]


def test_the_order_of_the_list_decides_between_occurrences():
    text = "Rome, Oslo, Rome, Bonn, Rome"
    assert placed(text, [("Oslo", "A"), ("Rome", "B"), ("Bonn", "C")])[1] == (12, 16, "B")
    assert placed(text, [("Bonn", "A"), ("Rome", "B"), ("Oslo", "C")])[1] == (0, 4, "B")


def test_each_of_several_mentions_has_its_own_place_in_the_order():
    text = "Rome, Oslo, Rome, Bonn, Rome"
    mentions = [(one, "X") for one in ("Rome", "Oslo", "Bonn", "Rome")]
    assert [start for start, _, _ in placed(text, mentions)] == [0, 6, 18, 24]


def test_a_text_with_two_labels_and_one_occurrence_has_the_first():
    mentions = [("Washington", "PER"), ("Washington", "LOC"), ("Washington", "PER")]
    found = align_mentions("Washington", mentions)
    assert spans(found) == [(0, 10, "PER")]
    assert [n for n, one in enumerate(found) if one.how == NO] == [1, 2]


def test_mentions_that_occur_nowhere_have_no_place():
    (one,) = align_mentions("Oslo", [("Bergen", "LOC")])
    assert (one.start, one.how, one.ambiguous) == (None, NO, False)


# --- what is equal


@pytest.mark.parametrize(
    ("text", "mention", "found"),
    [
        ("in Straße 5", "STRASSE", "Straße"),
        ("in STRASSE 5", "Straße", "STRASSE"),
        ("in İstanbul", "istanbul", "İstanbul"),
        ("in İstanbul", "Istanbul", "İstanbul"),
        ("an oﬃce here", "office", "oﬃce"),
        ("ein Cafe\u0301 hier", "Caf\u00e9", "Cafe\u0301"),
        ("ein Caf\u00e9 hier", "Cafe\u0301", "Caf\u00e9"),
        ("the O\u2019Brien case", "O'Brien", "O\u2019Brien"),
        ("say \u201eJa\u201c now", '"Ja"', "\u201eJa\u201c"),
        ("say ``Ja'' now", '"Ja"', "``Ja''"),
        ("Foo\u2014Bar", "foo--bar", "Foo\u2014Bar"),
        ("New \n\t York", "New York", "New \n\t York"),
        ("New \u200b York", "New York", "New \u200b York"),
        ("Kran\u00adken\u00adhaus", "Krankenhaus", "Kran\u00adken\u00adhaus"),
        ("\uff34\uff4f\uff4b\uff59\uff4f", "Tokyo", "\uff34\uff4f\uff4b\uff59\uff4f"),
        ("\uff76\uff9e\uff7d", "\u30ac\u30b9", "\uff76\uff9e\uff7d"),
        ("\ud55c\uad6d\uc5d0\uc11c", unicodedata.normalize("NFD", "\ud55c\uad6d"), "\ud55c\uad6d"),
    ],
    ids=range(17),
)
def test_forms_that_are_read_alike_are_found_with_their_own_offsets(text, mention, found):
    assert texts(text, mention) == [found]
    assert normalized(mention) == normalized(found)


@pytest.mark.parametrize(
    ("text", "mention"),
    [("Straße", "Stras"), ("oﬃce", "of"), ("한국", unicodedata.normalize("NFD", "한구"))],
    ids=["sharp-s", "ligature", "syllable"],
)
def test_no_occurrence_ends_inside_a_character(text, mention):
    assert texts(text, mention) == [None]


def test_exact_occurrences_come_before_normalised_ones():
    assert placed("us and US", [("US", "LOC")]) == [(7, 9, "LOC")]
    assert placed("US US", [("us", "A"), ("US", "B")]) == [(3, 5, "A"), (0, 2, "B")]


def test_borders_of_words_come_first():
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
def test_scripts_without_blanks_have_borders_everywhere(text, mention):
    found = align_mentions(text, [(mention, "X")])
    assert texts(text, mention) == [mention]
    assert not guesses(found)


def test_a_mention_without_width_is_nowhere():
    assert texts("a b", "\u200b") == [None]


# --- limits and errors


def test_very_many_mentions_are_placed():
    found = align_mentions("a" * 3000, [("a", "X")] * 3000)
    assert len(spans(found)) == 3000
    words = [f"w{i}" for i in range(600)]
    nested = [(" ".join(words[:i]), "X") for i in range(1, 600)]
    assert len(spans(align_mentions(" ".join(words), nested))) == 1


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


def test_without_mentions_or_text_there_are_no_spans():
    assert align_mentions("a", []) == []
    assert spans(align_mentions("", [("a", "X")])) == []
