"""Rows of tokens with a tag for each, as text or number."""

import json

import pytest

from helpers.cases import each_case
from helpers.rawfiles import assert_same, taken
from spacy_chance_eval.formats import Corpus, Document, FormatError, format_of, read
from spacy_chance_eval.formats.tagged import write_tagged

WORDS = ["Ada", "Byron", "slept"]
TAGS = ["B-PER", "I-PER", "O"]
SPANS = ((0, 2, "PER"),)
NAMES = ["O", "B-PER", "I-PER"]
NUMBERED = {"tokens": WORDS, "ner_tags": [1, 2, 0]}
FEATURE = {"names": NAMES, "_type": "ClassLabel"}


@pytest.fixture
def file(tmp_path):
    def write(*rows, name="data/a.jsonl"):
        array = name.endswith(".json")
        text = json.dumps([*rows]) if array else "\n".join(map(json.dumps, rows))
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture
def reading(file):
    return lambda *rows, **options: read(file(*rows), **options, format="tagged")


def row(tags=TAGS, key="ner_tags", **more):
    return {"tokens": WORDS, key: [*tags], **more}


@each_case("key", ["ner_tags", "tags", "labels", "ner", "predictions"])
@each_case("name", ["data/a.jsonl", "data/a.json"])
def test_the_key_of_tags_is_recognised(file, key, name):
    path = file(row(key=key), name=name)
    assert format_of(path) == "tagged"
    (one,) = read(path).documents
    assert (one.words, one.layers) == (tuple(WORDS), {"spans": SPANS})


def test_tokens_may_be_called_words(file):
    path = file({"id": "7", "words": WORDS, "labels": TAGS, "lang": "en", "pos_tags": [1, 2, 3]})
    (one,) = read(path).documents
    assert (one.name, one.layers) == ("7", {"spans": SPANS})
    assert one.attributes == {"lang": "en", "pos_tags": [1, 2, 3]}


def test_spans_in_words_beside_the_tags_are_passed_over(file):
    path = file(row(spans=["PER: Ada Byron"], langs=["en"] * 3))
    assert read(path).documents[0].layers == {"spans": SPANS}


def test_a_row_without_tags_or_with_null_was_not_annotated(file):
    bare = {"tokens": WORDS}
    corpus = read(file(bare, row(), bare | {"ner_tags": None}))
    assert corpus.spans("spans").seen.tolist() == [False, True, False]


@pytest.mark.parametrize(
    "tags", [["B-PER", "E-PER", "O"], ["B-PER", "L-PER", "U-LOC"]], ids=["bioes", "biluo"]
)
def test_the_scheme_is_that_of_the_whole_file(file, tags):
    corpus = read(file(row(["O"] * 3), row(["B-X", tags[1][0] + "-X", "O"]), row(tags)))
    assert corpus.documents[1].layers["spans"] == ((0, 2, "X"),)
    assert corpus.documents[2].layers["spans"][0] == SPANS[0]


def test_a_scheme_can_be_named(file):
    path = file(row(["I-PER", "I-PER", "O"]))
    with pytest.raises(FormatError, match="where IOB2 needs B-PER"):
        read(path, scheme="IOB2")
    assert read(path, scheme="IOB1").documents[0].layers == {"spans": SPANS}


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        (["I-PER", "I-PER", "O"], SPANS),
        (["I-PER", "B-PER", "O"], ((0, 1, "PER"), (1, 2, "PER"))),
        (["I-PER", "I-LOC", "O"], ((0, 1, "PER"), (1, 2, "LOC"))),
    ],
    ids=["begin", "touch", "change"],
)
def test_iob1_is_recognised(file, tags, spans):
    assert read(file(row(["O"] * 3), row(tags))).documents[1].layers == {"spans": spans}
    numbers = [["O", "B-PER", "I-PER", "I-LOC"].index(tag) for tag in tags]
    corpus = read(file(row(numbers)), labels="O,B-PER,I-PER,I-LOC")
    assert corpus.documents[0].layers == {"spans": spans}


def test_iob1_is_that_of_the_whole_file_in_blocks(file):
    assert_same(file(row(["O"] * 3), row(["I-PER", "B-PER", "O"]), row(["I-PER"] * 3)), 1)


def test_improper_tags_are_an_error_in_gold(failing):
    message = failing(row(["O", "I-PER", "O"]), row())
    assert message.startswith(":1: token 1: tag I-PER follows O, where IOB2 needs B-PER")


def test_improper_tags_of_predictions_are_read_as_conlleval_does(file):
    path = file(row(["O", "I-PER", "O"]))
    assert read(path, role="pred").documents[0].layers == {"spans": ((1, 2, "PER"),)}


def test_tags_of_two_schemes_are_an_error(failing):
    message = failing(row(["S-A", "U-A", "O"]))
    assert "of two schemes; correct the tags" in message


# --- numbers


@pytest.mark.parametrize(
    "labels",
    ["O,B-PER,I-PER", "O, B-PER, I-PER", NAMES, tuple(NAMES), dict(enumerate(NAMES))],
    ids=["text", "spaced", "list", "tuple", "mapping"],
)
def test_names_of_numbers_can_be_given(file, labels):
    assert read(file(NUMBERED), labels=labels, format="tagged").documents[0].layers == {
        "spans": SPANS
    }


FILES = {
    "list": NAMES,
    "id2label": {str(i): name for i, name in enumerate(NAMES)},
    "label2id": {name: i for i, name in enumerate(NAMES)},
    "config": {"architectures": [], "id2label": {str(i): name for i, name in enumerate(NAMES)}},
    "info": {"features": {"ner_tags": {"feature": FEATURE, "_type": "Sequence"}}},
}


@each_case("name", FILES)
def test_names_of_numbers_can_be_in_a_file(file, tmp_path, name):
    (tmp_path / "names.json").write_text(json.dumps(FILES[name]))
    corpus = read(file(NUMBERED), labels=str(tmp_path / "names.json"), format="tagged")
    assert corpus.documents[0].layers == {"spans": SPANS}


def test_names_of_numbers_can_be_the_lines_of_a_file(file, tmp_path):
    (tmp_path / "names.txt").write_text("\n".join(NAMES) + "\n")
    corpus = read(file(NUMBERED), labels=str(tmp_path / "names.txt"), format="tagged")
    assert corpus.documents[0].layers == {"spans": SPANS}


BESIDE = {
    "data/dataset_info.json": FILES["info"],
    "dataset_info.json": FILES["info"],
    "data/dataset_infos.json": {"default": FILES["info"], "other": FILES["info"]},
    "dataset_infos.json": {"default": {"features": {"ner_tags": [FEATURE]}}},
    "data/labels.json": NAMES,
    "data/id2label.json": FILES["id2label"],
    "data/label2id.json": FILES["label2id"],
}


@pytest.mark.parametrize("beside", BESIDE)
def test_names_of_numbers_are_looked_for_beside_the_file(file, tmp_path, beside):
    path = file(NUMBERED)
    (tmp_path / beside).write_text(json.dumps(BESIDE[beside]))
    assert read(path).documents[0].layers == {"spans": SPANS}


@pytest.mark.parametrize(
    "info",
    [
        {"default": FILES["info"], "x": {"features": {"ner_tags": {"names": ["O", "B-X"]}}}},
        {"default": {"features": {"pos_tags": {"feature": FEATURE}}}},
    ],
    ids=["differ", "other"],
)
def test_names_of_other_columns_or_that_differ_are_not_taken(file, tmp_path, failing, info):
    file(NUMBERED)
    (tmp_path / "dataset_infos.json").write_text(json.dumps(info))
    assert "'ner_tags' has numbers, whose names are nowhere" in failing(NUMBERED)


def test_numbers_without_names_say_how_to_give_them(failing):
    message = failing(NUMBERED)
    assert "give the names of the numbers: --labels O,B-PER,I-PER ..., or --labels FILE" in message


def test_a_number_behind_the_names_is_an_error(failing):
    message = failing(NUMBERED, labels="O,B-PER")
    assert ":1: tag 2 in 'ner_tags', where there are 2 names, for 0 to 1; give the names" in message


def test_one_name_for_several_numbers_is_an_error(failing):
    assert "tag 1 in 'ner_tags', where there is one name, for 0;" in failing(NUMBERED, labels="O")


@each_case("labels", ["nofile.json", "names.txt", "data/labels"])
def test_labels_that_look_like_a_file_that_is_not_there_are_an_error(file, labels):
    with pytest.raises(FormatError, match=f"^{labels}: no such file; give the names"):
        read(file(row([0, 0, 0])), labels=labels, format="tagged")


def test_numbers_that_trainers_ignore_are_an_error(failing):
    message = failing({"tokens": WORDS, "labels": [-100, 1, 0]}, labels=NAMES)
    assert "-100 in 'labels', which marks pieces of words; give the tags of the words" in message


def test_names_that_are_no_tags_are_an_error(failing):
    message = failing(NUMBERED, labels="O,PER,LOC")
    assert "token 0: 'PER' is not a tag; IOB2 has O, B-LABEL, I-LABEL" in message


@each_case("labels", ["O,O,B-X", ["O", 3], {"a": "b"}, {}, ""])
def test_labels_that_are_no_names_are_an_error(file, labels):
    with pytest.raises(ValueError, match="labels"):
        read(file(NUMBERED), labels=labels, format="tagged")


# --- what is refused


def test_tags_for_other_tokens_are_an_error(failing):
    message = failing(row(), row(TAGS[:2]))
    assert ":2: 2 tags in 'ner_tags' for 3 tokens; each token has a tag" in message


def test_a_row_without_tokens_is_an_error(failing):
    assert ":2: a row without 'tokens'" in failing(row(), {"ner_tags": TAGS, "text": "a"})


def test_tags_that_are_none_are_an_error(failing):
    assert "tag 0.5 in 'ner_tags'" in failing(row(), row([0.5, "O", "O"]))


# --- which key


BOTH = row(predictions=["O", "B-PER", "O"])


def test_predictions_beside_gold_are_a_layer_of_gold(file):
    layers = {"spans": SPANS, "predictions": ((1, 2, "PER"),)}
    assert read(file(BOTH)).documents[0].layers == layers


def test_predictions_beside_gold_are_what_a_prediction_is(file):
    layers = {"predictions": ((1, 2, "PER"),)}
    assert read(file(BOTH), role="pred").documents[0].layers == layers


def test_two_keys_of_gold_are_an_error_that_says_how_to_choose(file, failing):
    rows = row(labels=["O"] * 3)
    assert "rows have 'ner_tags' and 'labels'; name the key to read: --column" in failing(rows)
    chosen = read(file(rows), columns={"gold": "labels"}, format="tagged")
    assert chosen.documents[0].layers == {"gold": ()}


def test_labels_of_pieces_beside_the_tags_are_no_tags_of_tokens(file):
    path = file(row(input_ids=[1, 2, 3, 4], labels=[-100, 1, 2, 0]))
    assert read(path).documents[0].layers == {"spans": SPANS}


def test_a_key_of_any_name_can_be_chosen(file):
    path = file({"tokens": WORDS, "mine": TAGS})
    corpus = read(path, format="tagged", columns={"gold": "mine"})
    assert corpus.documents[0].layers == {"gold": SPANS}


# --- blocks


@each_case("n", [1, 2, 9])
def test_blocks_have_the_documents_of_the_file(file, n):
    assert_same(file(row(), row(["O"] * 3), {"tokens": WORDS}, row()), n, format="tagged")


def test_blocks_have_the_scheme_of_the_whole_file(file):
    assert_same(file(row(["B-A", "I-A", "O"]), row(["O", "U-A", "O"])), 1, role="pred")


def test_blocks_have_the_names_of_numbers(file, tmp_path):
    path = file(NUMBERED, NUMBERED)
    (tmp_path / "dataset_infos.json").write_text(json.dumps(FILES["info"]))
    assert_same(path, 1, format="tagged")


def test_an_array_is_one_block(file):
    (((raw,)),) = taken([file(row(), row(), name="a.json")], 1)
    assert len(raw.read().documents) == 2


def test_rows_are_written_as_load_dataset_reads_them(tmp_path):
    documents = [
        Document(WORDS, {"ann": [(0, 2, "PER")]}, name="1", attributes={"lang": "en"}),
        Document(WORDS, {"ann": None}),
    ]
    write_tagged(tmp_path / "a.jsonl", Corpus("x", documents))
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert rows == [
        {"id": "1", "tokens": WORDS, "ner_tags": TAGS, "lang": "en"},
        {"tokens": WORDS, "ner_tags": None},
    ]


@each_case(
    "layers, found",
    [
        ({"a": (), "b": ()}, "one layer"),
        ({"a": [(0, 2, "X"), (1, 3, "X")]}, "document 'd': .*overlaps"),
    ],
)
def test_what_tags_cannot_say_is_an_error(tmp_path, layers, found):
    with pytest.raises(FormatError, match=found):
        write_tagged(tmp_path / "a.jsonl", Corpus("x", [Document(WORDS, layers, name="d")]))
    assert not list(tmp_path.iterdir())


def test_names_of_labels_that_are_nested_too_deeply_are_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"tokens": ["Ada"], "ner_tags": [1]}\n')
    (tmp_path / "l.json").write_text("[" * 100_000)
    with pytest.raises(FormatError, match=r"l\.json: invalid JSON \(nested too deeply\)"):
        read(tmp_path / "a.jsonl", labels=str(tmp_path / "l.json"), format="tagged")


def test_a_hyphen_says_that_a_token_was_not_annotated(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [(["B-X", "-", "-"], "abc"), (["B-X"], "d"), (["-"], "e")]
    path.write_text("".join(json.dumps({"tokens": [*w], "tags": t}) + "\n" for t, w in rows))
    first, second, third = read(path).documents
    assert first.layers == {"spans": ((0, 1, "X"),)}
    assert first.missing_in == {"spans": ((1, 2), (2, 3))}
    assert second.layers == {"spans": ((0, 1, "X"),)} and third.layers == {"spans": None}
