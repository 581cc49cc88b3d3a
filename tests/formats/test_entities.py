"""Texts with entities: what spaCy, displaCy, Hugging Face and GLiNER write."""

import json

import pytest
import spacy
from spacy import displacy
from spacy.tokens import Doc, Span

from helpers.cases import each_case
from helpers.rawfiles import assert_same
from spacy_chance_eval.formats import FormatError, format_of, read
from spacy_chance_eval.formats.entities import read_entities

TEXT = "Ada Byron slept in Oslo."
PER, LOC = (0, 9, "PER"), (19, 23, "LOC")


@pytest.fixture
def reading(file):
    return lambda *rows, **options: read_entities(file(*rows), **options)


def by_name(names, cases):
    """A test for each case, which is called by its name."""
    return pytest.mark.parametrize(names, list(cases.values()), ids=list(cases))


def row(*entities, key="entities", text=TEXT, **more):
    return {"text": text, key: [*entities], **more}


def piece(word, start, end, tag, index=None):
    """The output for one token of a pipeline without aggregation."""
    number = {} if index is None else {"index": index}
    return {"entity": tag, "score": 0.9, "word": word, "start": start, "end": end} | number


@pytest.fixture
def doc():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    doc = nlp(TEXT)
    doc.ents = [Span(doc, 0, 2, "PER"), Span(doc, 4, 5, "LOC")]
    doc.spans["sc"] = [Span(doc, 0, 1, "X")]
    doc.cats = {"travel": 1.0, "sport": 0.0}
    return doc


FORMS = {
    "displacy": {"start": 0, "end": 9, "label": "PER", "kb_id": "", "kb_url": "#"},
    "aggregated": {"entity_group": "PER", "score": 0.9, "word": "Ada Byron", "start": 0, "end": 9},
    "gliner": {"start": 0, "end": 9, "text": "Ada Byron", "label": "PER", "score": 0.9},
    "presidio": {"entity_type": "PER", "start": 0, "end": 9, "score": 0.9},
    "stanza": {"text": "Ada Byron", "type": "PER", "start_char": 0, "end_char": 9},
    "list": [0, 9, "PER"],
    "pos": {"name": "Ada Byron", "type": "PER", "pos": [0, 9]},
    "span": {"name": "Ada Byron", "type": "PER", "span": [0, 9]},
}


@each_case("name", FORMS)
def test_entities_have_many_forms(file, name):
    (one,) = read_entities(file(row(FORMS[name]))).documents
    assert one.layers == {"spans": (PER,)}


@each_case("key", ["entities", "ents", "ner", "predictions"])
def test_the_key_of_entities_is_recognised(file, key):
    path = file(row(FORMS["gliner"], key=key))
    assert format_of(path) == "entities"
    assert read(path, role="pred").documents[0].layers == {
        "ents" if key == "ents" else "spans": (PER,)
    }


@each_case("name", ["a.jsonl", "a.json"])
def test_rows_stand_on_lines_or_in_an_array(file, name):
    path = file(row(), row(FORMS["gliner"]), name=name)
    assert format_of(path) == "entities"
    assert [one.layers["spans"] for one in read(path).documents] == [(), (PER,)]


def test_pairs_of_a_text_and_annotations_are_rows(file):
    path = file([TEXT, {"entities": [[0, 9, "PER"]]}], name="a.json")
    assert read(path).documents[0].layers == {"spans": (PER,)}


def test_what_else_is_said_of_an_entity_is_its_features(file):
    (one,) = read_entities(file(row(FORMS["aggregated"]))).documents
    assert one.features == {"spans": {PER: {"score": 0.9}}}


def test_columns_of_entities_are_as_good_as_a_list(file):
    entities = {"start": [0, 19], "end": [9, 23], "label": ["PER", "LOC"]}
    (one,) = read_entities(file({"text": TEXT, "entities": entities})).documents
    assert one.layers == {"spans": (PER, LOC)}


def test_a_row_without_the_key_or_with_null_was_not_annotated(file):
    corpus = read_entities(file(row(PER), {"text": "a"}, {"text": "b", "entities": None}, row()))
    assert corpus.spans("spans").seen.tolist() == [True, False, False, True]


# --- Docs of spaCy


def test_a_doc_is_read_with_its_tokens_groups_sentences_and_categories(file, doc):
    path = file(doc.to_json())
    assert format_of(path) == "entities"
    corpus = read(path)
    (one,) = corpus.documents
    assert corpus.positions == "token"
    assert one.words == ("Ada", "Byron", "slept", "in", "Oslo", ".")
    assert one.layers == {"ents": ((0, 2, "PER"), (4, 5, "LOC")), "spans:sc": ((0, 1, "X"),)}
    assert (one.text, one.sents) == (TEXT, (0,))
    assert one.categories == {"categories": ("travel",)}


def test_a_doc_is_the_same_as_json_and_in_docbin(file, doc, tmp_path):
    from spacy.tokens import DocBin

    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "a.spacy")
    one, two = read(file(doc.to_json())), read(tmp_path / "a.spacy")
    for field in ("words", "spaces", "sents", "layers"):
        assert getattr(one.documents[0], field) == getattr(two.documents[0], field)


def test_a_doc_without_entities_at_all_was_not_annotated(file, doc):
    bare = Doc(doc.vocab, words=["a", "b"], spaces=[True, False])
    corpus = read(file(doc.to_json(), bare.to_json()))
    assert corpus.spans("ents").seen.tolist() == [True, False]


def test_what_displacy_draws_is_read(file, doc):
    (one,) = read(file(displacy.parse_ents(doc))).documents
    assert one.layers == {"ents": (PER, LOC)}


# --- pipelines of Hugging Face


PIECES = [
    piece("Ada", 0, 3, "B-PER", 1),
    piece("By", 4, 6, "I-PER", 2),
    piece("##ron", 6, 9, "I-PER", 3),
    piece("Oslo", 19, 23, "I-LOC", 6),
]


@each_case("numbered", [True, False])
def test_pieces_with_tags_become_spans(file, numbered):
    pieces = [{k: v for k, v in one.items() if numbered or k != "index"} for one in PIECES]
    (one,) = read_entities(file(row(*reversed(pieces)))).documents
    assert one.layers == {"spans": (PER, LOC)}


def test_a_number_that_is_left_out_ends_a_span(file):
    pieces = [piece("Ada", 0, 3, "I-PER", 1), piece("Byron", 4, 9, "I-PER", 3)]
    (one,) = read_entities(file(row(*pieces))).documents
    assert one.layers == {"spans": ((0, 3, "PER"), (4, 9, "PER"))}


def test_a_word_that_is_left_out_ends_a_span(file):
    pieces = [piece("Ada", 0, 3, "I-X"), piece("Oslo", 19, 23, "I-X")]
    (one,) = read_entities(file(row(*pieces))).documents
    assert one.layers == {"spans": ((0, 3, "X"), (19, 23, "X"))}


def test_pieces_begin_a_span_as_simple_aggregation_does(file):
    """B inside a word begins a span, and so does another label."""
    pieces = [
        piece("Ad", 0, 2, "B-PER", 1),
        piece("##a", 2, 3, "B-PER", 2),
        piece("Byron", 4, 9, "I-ORG", 3),
    ]
    (one,) = read_entities(file(row(*pieces))).documents
    assert one.layers == {"spans": ((0, 2, "PER"), (2, 3, "PER"), (4, 9, "ORG"))}


def test_pieces_without_prefixes_go_on_with_the_same_label(file):
    pieces = [piece("Ada", 0, 3, "PER", 1), piece("Byron", 4, 9, "PER", 2)]
    assert read_entities(file(row(*pieces))).documents[0].layers == {"spans": (PER,)}


def test_pieces_may_be_of_bioes(file):
    pieces = [piece("Ada", 0, 3, "B-PER", 1), piece("Byron", 4, 9, "E-PER", 2)]
    single = piece("Oslo", 19, 23, "S-LOC", 3)
    (one,) = read_entities(file(row(*pieces, single))).documents
    assert one.layers == {"spans": (PER, LOC)}


def test_pieces_outside_are_passed_over(file):
    (one,) = read_entities(file(row(*PIECES, piece("slept", 10, 15, "O", 4)))).documents
    assert one.layers == {"spans": (PER, LOC)}


@pytest.mark.parametrize(
    "rows", [[[FORMS["aggregated"]]], [FORMS["aggregated"]]], ids=["texts", "text"]
)
def test_entities_without_their_text_say_what_to_write(file, rows):
    path = file(*rows, name="a.json")
    assert format_of(path) == "entities"
    with pytest.raises(FormatError, match='write one object for each text: {"text": text, "ent'):
        read(path)


# --- copies of the text


@by_name(
    "word, text",
    {
        "case": ("ada byron", TEXT),
        "accents": ("eloise x", "Éloïse X."),
        "piece": ("##ron", "ron"),
        "sentencepiece": ("▁Ada▁Byron", TEXT),
        "byte_level": ("ĠÃīloÃ¯se", "Éloïse X"),
        "unknown": ("[UNK] Byron", TEXT),
        "half": ("Ã", "é"),
    },
)
def test_what_a_tokenizer_changes_is_no_difference(file, word, text):
    end = {"ada byron": 9, "eloise x": 8, "##ron": 3}.get(word, min(len(text), 9))
    end = 6 if word.startswith("Ġ") else end
    found = {"entity_group": "X", "word": word, "start": 0, "end": end}
    assert read_entities(file(row(found, text=text))).documents[0].layers["spans"]


@each_case("key", ["text", "word", "name"])
def test_a_copy_that_is_not_in_the_text_is_an_error(failing, key):
    message = failing(row({"start": 1, "end": 10, "label": "PER", key: "Ada Byron"}))
    assert message.startswith(
        f':1: \'{key}\' of span PER [1, 10) is "Ada Byron", but the text has "da Byron " there; '
        "offsets count characters of the text (not bytes, not tokens)"
    )


def test_an_inclusive_end_is_named(failing):
    found = {"start": 0, "end": 8, "label": "PER", "text": "Ada Byron"}
    assert "the end looks inclusive, but has to be exclusive: add 1" in failing(row(found))


def test_offsets_of_bytes_are_found(failing):
    text = "Éva in Oslo."
    found = {"start": 8, "end": 12, "label": "LOC", "word": "Oslo"}
    assert "(not bytes" in failing(row(found, text=text))


# --- what is refused


@by_name(
    "entity, message",
    {
        "number": (3, "a span is 3; a span has start, end and label"),
        "pair": ([0, 9], "a span is [0, 9]; a span has start, end and label"),
        "no_label": ({"start": 0, "end": 9}, "a label is one of these keys: label, entity_group"),
        "no_offsets": (
            {"entity_group": "PER", "word": "Ada", "start": None, "end": None},
            "pipelines need a fast tokenizer",
        ),
        "label": ({"start": 0, "end": 9, "label": 3}, "a span has the label 3"),
        "behind": ({"start": 0, "end": 99, "label": "X"}, "span X [0, 99) among 24 characters"),
        "empty": ({"start": 3, "end": 3, "label": "X"}, "span X [3, 3) among 24"),
        "text": ({"start": "0", "end": 3, "label": "X"}, 'span X ["0", 3) among'),
        "tag": (piece("Ada", 0, 3, "X-PER", 1) | {"entity": "B-"}, "'B-' is not a tag"),
    },
)
def test_bad_entities_are_errors(failing, entity, message):
    assert message in failing(row(entity))


def test_a_row_without_text_is_an_error(failing):
    assert "a row without 'text'; write one object for each text" in failing({"entities": []})


def test_columns_of_different_lengths_are_an_error(failing):
    assert "must be a list of spans" in failing({"text": "a", "ner": {"start": [0], "end": []}})


# --- which key


BOTH = {"text": TEXT, "entities": [PER], "predictions": [LOC]}


def test_predictions_beside_gold_are_a_layer_of_gold(file):
    assert read(file(BOTH)).documents[0].layers == {"spans": (PER,), "predictions": (LOC,)}


def test_predictions_beside_gold_are_what_a_prediction_is(file):
    assert read(file(BOTH), role="pred").documents[0].layers == {"predictions": (LOC,)}


def test_two_keys_of_gold_are_an_error_that_says_how_to_choose(failing):
    message = failing({"text": TEXT, "entities": [PER], "ner": [LOC]})
    assert "rows have 'entities' and 'ner'; name the key to read: --column entities" in message


@each_case("key", ["ner", "mine"])
def test_a_key_can_be_chosen(file, key):
    rows = {"text": TEXT, "entities": [PER], "ner": [LOC], "mine": [LOC]}
    assert read_entities(file(rows), columns={"gold": key}).documents[0].layers == {"gold": (LOC,)}


def test_all_keys_can_be_layers(file):
    layers = read_entities(file(BOTH), columns="all").documents[0].layers
    assert layers == {"entities": (PER,), "predictions": (LOC,)}


def test_a_chosen_key_that_no_row_has_is_an_error(failing):
    message = failing(row(PER), columns={"gold": "entitis"})
    assert "no row has such a key 'entitis' (did you mean 'entities'?); name another" in message


# --- tokens


WORDS = ["Ada", "Byron", "slept", "in", "Oslo", "."]


def test_entities_in_characters_are_put_on_tokens(file):
    (one,) = read_entities(file(row(PER, tokens=WORDS))).documents
    assert one.layers == {"spans": ((0, 2, "PER"),)}


def test_entities_that_do_not_fit_the_tokens_are_an_error_in_gold(failing):
    message = failing(row([0, 8, "PER"], tokens=WORDS))
    assert "span PER [0, 8) does not fit the borders of tokens" in message


def test_entities_that_do_not_fit_the_tokens_are_unplaced_in_predictions(file):
    path = file(row([0, 8, "PER"], tokens=WORDS))
    assert format_of(path) == "entities"
    assert read(path, role="pred").documents[0].unplaced == {"spans": ((2, "PER"),)}


def test_without_a_text_offsets_count_tokens(file):
    found = {"tokens": WORDS, "entities": [{"start": 0, "end": 2, "type": "PER"}]}
    path = file(found)
    assert format_of(path) == "entities"
    assert read(path).documents[0].layers == {"spans": ((0, 2, "PER"),)}


def test_offsets_called_tokens_count_tokens(file):
    found = {"start_token": 0, "end_token": 2, "label": "PER", "text": "Ada Byron"}
    (one,) = read_entities(file(row(found, tokens=WORDS))).documents
    assert one.layers == {"spans": ((0, 2, "PER"),)}


def test_what_offsets_count_can_be_said(file):
    (one,) = read_entities(file(row([0, 2, "PER"], tokens=WORDS)), offsets="token").documents
    assert one.layers == {"spans": ((0, 2, "PER"),)}


def test_a_copy_that_is_not_in_the_tokens_is_an_error(failing):
    found = {"start": 0, "end": 1, "label": "PER", "text": "Byron"}
    assert "offsets count tokens" in failing({"tokens": WORDS, "entities": [found]})


def test_rows_of_annotators_are_layers(file):
    rows = [row(PER, by="ada", id=1), row(LOC, by="bob", id=1)]
    (one,) = read_entities(file(*rows), annotator="by").documents
    assert one.layers == {"ada": (PER,), "bob": (LOC,)}


# --- blocks


ROWS = [row(PER, LOC), row(), {"text": "a"}, row(FORMS["aggregated"]), row(*PIECES)]


@each_case("n", [1, 2, 9])
def test_blocks_have_the_documents_of_the_file(file, n):
    assert_same(file(*ROWS), n, format="entities")


def test_blocks_know_the_keys_of_the_whole_file(file):
    rows = [row(PER), BOTH, row(LOC, key="predictions")]
    assert_same(file(*rows), 1, format="entities")


# --- what spaCy is trained on: [text, annotation]

SC = ((0, 3, "X"), (0, 7, "Y"))
PAIR = ["Ada met Bob", {"entities": [[0, 3, "PER"]], "heads": [1, 1, 1], "tags": ["N", "V", "N"]}]


@each_case(
    "content",
    [json.dumps([PAIR, PAIR]), json.dumps([PAIR, PAIR], indent=1), f"{json.dumps(PAIR)}\n" * 2],
)
@each_case("name", ["a.json", "a.jsonl"])
def test_texts_with_annotation_are_rows(tmp_path, content, name):
    (tmp_path / name).write_text(content)
    assert format_of(tmp_path / name) == "entities"
    found = read(tmp_path / name).documents
    assert [(one.text, one.layers) for one in found] == [(PAIR[0], {"spans": ((0, 3, "PER"),)})] * 2


def test_lines_of_texts_with_annotation_are_read_in_blocks(tmp_path):
    (tmp_path / "a.jsonl").write_text(f"{json.dumps(PAIR)}\n" * 3)
    assert_same(tmp_path / "a.jsonl", 1)


@each_case(
    "annotation, layers, categories",
    [
        ({"words": ["Ada", "met"], "entities": ["U-X", "O"]}, {"spans": ((0, 1, "X"),)}, {}),
        ({"spans": {"sc": [[0, 3, "X"], [0, 7, "Y"]]}}, {"spans:sc": SC}, {}),
        ({"cats": {"a": 1.0, "b": 0}}, {}, {"categories": ("a",)}),
        ({"entities": [], "cats": {"a": True}}, {"spans": ()}, {"categories": ("a",)}),
    ],
)  # fmt: skip
def test_annotation_beside_a_text_may_be_of_all_kinds(tmp_path, annotation, layers, categories):
    (tmp_path / "a.json").write_text(json.dumps([[PAIR[0], annotation]]))
    (one,) = read(tmp_path / "a.json").documents
    assert (one.layers, one.categories) == (layers, categories)


def test_tags_without_words_are_no_entities(tmp_path):
    (tmp_path / "a.json").write_text(json.dumps([["Ada", {"entities": ["U-PER"]}]]))
    with pytest.raises(FormatError, match='a span is "U-PER"'):
        read(tmp_path / "a.json")


def test_an_object_may_stand_on_several_lines(tmp_path):
    doc = {"text": "Ada", "ents": [{"start": 0, "end": 3, "label": "PER", "kb_id": ""}]}
    (tmp_path / "a.json").write_text(json.dumps(doc, indent=2))
    (one,) = read(tmp_path / "a.json").documents
    assert (one.layers, one.features) == ({"ents": ((0, 3, "PER"),)}, {})
    (tmp_path / "a.json").write_text(json.dumps({**doc, "ents": [[0, 9, "PER"]]}, indent=2))
    with pytest.raises(FormatError, match="a.json:1: span PER"):
        read(tmp_path / "a.json")


TEXTS_BY_LABEL = {"text": "Ada met Ada", "entities": {"person": ["Ada"], "city": []}}
TEXTS_ALONE = {"text": "Ada met Ada", "entities": [{"text": "Ada", "label": "person"}]}


@each_case("row", [TEXTS_BY_LABEL, TEXTS_ALONE])
@each_case("name", ["a.json", "a.jsonl"])
def test_texts_without_a_place_are_refused_and_sent_to_mentions(tmp_path, row, name):
    (tmp_path / name).write_text(json.dumps([row] if name == "a.json" else row))
    with pytest.raises(FormatError, match="give .*--format mentions"):
        read(tmp_path / name, format="entities")
    (document,) = read(tmp_path / name).documents
    assert document.layers == {"spans": ((0, 3, "person"),)}


@each_case(
    "more",
    [
        {"tokens": 1.5, "ents": [[0, 3, "P"]]},
        {"ents": {"label": 1, "start": 2}},
        {"spans": {"text": {"a": 1.5}}, "ents": []},
    ],
)
def test_values_of_other_types_are_format_errors(tmp_path, more):
    some = {"text": "Ada met Ada", "ents": [[0, 3, "P"]]}, {"text": "Ada met Ada", **more}
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, some)))
    with pytest.raises(FormatError, match="a.jsonl:2: "):
        read(tmp_path / "a.jsonl", format="entities")
