"""Mentions on their texts, and texts of other files; forms stand in forms/mentions.txt."""

import json
import random

import pytest

from spacy_chance_eval import FormatError, evaluate, read
from spacy_chance_eval.corpora.pairs import read_compared
from spacy_chance_eval.corpora.panels import read_panel, read_panel_with
from spacy_chance_eval.formats.corpus import Corpus, Document

TEXT = "Ada Byron slept in Oslo."
WORDS = ["Ada", "Byron", "slept", "in", "Oslo", "."]
MENTIONS = [{"text": "Ada Byron", "label": "PER"}, {"text": "Oslo", "label": "LOC"}]
SPANS = ((0, 9, "PER"), (19, 23, "LOC"))
ANSWER = json.dumps(MENTIONS)


def rows(path, *some):
    """A file of JSON lines, or an array in a .json."""
    lines = map(json.dumps, some)
    text = f"[{', '.join(lines)}]" if path.suffix == ".json" else "\n".join(lines)
    path.write_text(text, encoding="utf8")
    return path


def test_a_key_of_answers_can_be_named_with_the_path(tmp_path):
    path = rows(tmp_path / "a.jsonl", {"text": TEXT, "gpt": ANSWER, "claude": "PER: Ada Byron"})
    gold = rows(tmp_path / "gold.jsonl", {"text": TEXT, "spans": [[0, 9, "PER"]]})
    for key, n in {"gpt": 2, "claude": 1}.items():
        options = {"offsets": "char"}
        assert len(read_compared(gold, f"{path}#{key}", **options).aligned()[1]) == n
    with pytest.raises(FormatError, match="FILE#KEY names their key"):
        read(rows(tmp_path / "b.jsonl", {"gpt": ANSWER}))


# --- places


def as_lines(text, spans):
    """A line of texts for each label."""
    lines = {label: [text[a:b] for a, b, one in spans if one == label] for label in ("PER", "LOC")}
    return "\n".join(f"{label}: {', '.join(texts)}" for label, texts in lines.items())


WRITERS = {
    "objects": lambda text, spans: [{"text": text[a:b], "label": one} for a, b, one in spans],
    "shuffled": lambda text, spans: [
        {"text": text[a:b], "label": one} for a, b, one in reversed(spans)
    ],
    "json": lambda text, spans: json.dumps(
        [{"name": text[a:b], "type": one} for a, b, one in spans]
    ),
    "lines": as_lines,
}


@pytest.mark.parametrize("form", WRITERS)
def test_spans_of_texts_that_are_there_once_come_back(tmp_path, form):
    chance = random.Random(form)
    wanted, made = [], []
    for number in range(30):
        words = [f"w{n}x" for n in chance.sample(range(1000), 12)]
        cuts = sorted(chance.sample(range(12), 6))
        ends = [sum(len(word) + 1 for word in words[:n]) for n in range(13)]
        text = " ".join(words)
        pairs = zip(cuts[::2], cuts[1::2])
        spans = [(ends[a], ends[b] - 1, chance.choice(["PER", "LOC"])) for a, b in pairs]
        wanted.append(tuple(spans))
        made.append({"id": number, "text": text, "mentions": WRITERS[form](text, spans)})
    order = chance.sample(range(30), 30)
    corpus = read(rows(tmp_path / "a.jsonl", *(made[n] for n in order)))
    assert [one.layers["spans"] for one in corpus.documents] == [wanted[n] for n in order]
    assert corpus.notes.entries()["mentions"]["n"] == 90
    assert not corpus.notes.sentences()


# --- texts from elsewhere


BARE = {"id": "1", "response": ANSWER}
CONLL = "".join(f"{word} {tag}\n" for word, tag in zip(WORDS, "B-PER I-PER O O B-LOC O".split()))


@pytest.fixture
def bare(tmp_path):
    return rows(tmp_path / "bare.jsonl", BARE)


def test_texts_are_those_of_a_file_or_a_corpus(tmp_path, bare):
    (tmp_path / "a.conll").write_text(CONLL)
    rows(
        tmp_path / "tokens.jsonl", {"id": "1", "tokens": WORDS, "spaces": [True] * 4 + [False] * 2}
    )
    places = [tmp_path / name for name in ("a.conll", "tokens.jsonl")]
    corpus = Corpus("c", [Document((), {}, name="1", text=TEXT)], "char")
    for texts in [*places, corpus, lambda: corpus]:
        found = read(bare, role="pred", texts=texts)
        (document,) = found.documents
        assert document.layers["spans"] == SPANS
        assert found.notes.count("other_texts") == 1


def test_texts_are_matched_by_id_or_else_by_order(tmp_path):
    texts = rows(tmp_path / "t.jsonl", {"id": "a", "text": "Rex"}, {"id": "b", "text": TEXT})
    named = rows(tmp_path / "n.jsonl", {**BARE, "id": "b"})
    assert [one.text for one in read(named, texts=texts).documents] == [TEXT]
    some = {"response": "PER: Rex"}, {"response": ANSWER}
    assert [one.text for one in read(rows(tmp_path / "o.jsonl", *some), texts=texts).documents] == [
        "Rex",
        TEXT,
    ]
    with pytest.raises(FormatError, match="no text of the document 'c'"):
        read(rows(tmp_path / "c.jsonl", {**BARE, "id": "b"}, {**BARE, "id": "c"}), texts=texts)
    with pytest.raises(FormatError, match="by id, else by order"):
        read(rows(tmp_path / "d.jsonl", {**BARE, "id": "c"}), texts=texts)


def test_predictions_take_the_texts_of_gold(tmp_path, bare):
    (tmp_path / "gold.conll").write_text(CONLL)
    pair = read_compared(tmp_path / "gold.conll", bare)
    gold, pred = pair.aligned()
    assert evaluate(gold, pred, ["span_f"])["span_f"].corrected == 1
    assert any("got that of another file" in one for one in pair.warnings_of(gold, pred))
    assert pair.described()["mentions"]["n"] == 2


def test_gold_takes_the_texts_of_predictions(tmp_path, bare):
    pred = rows(tmp_path / "pred.jsonl", {"id": "1", "text": TEXT, "spans": [[0, 9, "PER"]]})
    gold, pred = read_compared(bare, pred, offsets="char").aligned()
    assert (len(gold), len(pred)) == (2, 1)
    with pytest.raises(FormatError, match="no positions"):
        read_compared(bare, bare)


def test_annotators_take_the_texts_of_others(tmp_path, bare):
    text = rows(tmp_path / "text.jsonl", {"id": "1", "text": TEXT, "mentions": MENTIONS})
    panel, corpus = read_panel([bare, text])
    assert corpus.documents[0].layers == {"bare": SPANS, "text": SPANS}
    with pytest.raises(FormatError, match="no positions"):
        read_panel([bare, f"x={bare}"])


# --- what is nowhere


def test_candidates_take_the_texts_of_the_annotators(tmp_path):
    one = rows(tmp_path / "one.jsonl", {"id": "a", "tokens": WORDS, "spans": [[0, 2, "PER"]]})
    two = rows(tmp_path / "two.jsonl", {"id": "a", "tokens": WORDS, "spans": []})
    answer = rows(tmp_path / "gpt.jsonl", {"id": "a", "response": "PER: Ada Byron, Zed"})
    _, corpus, *_ = read_panel_with([one, two], [answer])
    (document,) = corpus.documents
    assert document.layers["gpt"] == document.layers["one"] == ((0, 2, "PER"),)
    assert document.unplaced["gpt"] == ((1, "PER"),)
