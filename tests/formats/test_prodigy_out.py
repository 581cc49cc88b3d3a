import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from spacy_chance_eval.formats.annotators import document_key
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.prodigy import fill_layers, read_prodigy
from spacy_chance_eval.formats.prodigy_out import write_prodigy

ADA = {"words": ("Ada", "Byron", "😀"), "spaces": (True, True, False), "text": "Ada Byron 😀"}
PER, ORG = (0, 2, "PER"), (2, 3, "ORG")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "out.jsonl"


def document(layers=None, name="5", **fields):
    return Document(**(ADA | {"layers": layers or {}, "name": name} | fields))


def corpus(*documents, positions="token"):
    return Corpus("c", documents, positions)


def rows_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def written(path, *documents, positions="token", **options):
    write_prodigy(path, corpus(*documents, positions=positions), **options)
    return rows_of(path)


def again(path, *documents, positions="token", annotator="auto"):
    write_prodigy(path, corpus(*documents, positions=positions))
    return read_prodigy(path, annotator=annotator)


# --- what is in the file


def test_a_task_has_text_tokens_and_spans_with_the_last_token(path):
    (row,) = written(path, document({"spans": [PER, ORG]}))
    assert row["text"] == "Ada Byron 😀"
    assert row["tokens"][2] == {"text": "😀", "start": 10, "end": 11, "id": 2, "ws": False}
    assert row["spans"] == [
        {"start": 0, "end": 9, "token_start": 0, "token_end": 1, "label": "PER"},
        {"start": 10, "end": 11, "token_start": 2, "token_end": 2, "label": "ORG"},
    ]
    assert (row["answer"], row["_view_id"], row["_input_hash"]) == ("accept", "spans_manual", 5)


def test_annotators_have_rows_of_their_own_and_no_row_for_what_they_did_not_see(path):
    rows = written(path, document({"ann": [PER], "bob": None, "cat": ()}))
    whose = [(row["_annotator_id"], row["_session_id"]) for row in rows]
    assert whose == [("ann", "ann"), ("cat", "cat")]
    assert [len(row["spans"]) for row in rows] == [1, 0]


def test_one_layer_is_written_without_annotator(path):
    (row,) = written(path, document({"ann": [PER], "bob": [ORG]}), layer="bob")
    assert "_annotator_id" not in row and row["spans"][0]["label"] == "ORG"
    assert read_prodigy(path).documents[0].layers == {"spans": (ORG,)}


def test_an_unknown_layer_is_an_error(path):
    with pytest.raises(ValueError, match="unknown layer 'x'; expected one of ann"):
        write_prodigy(path, corpus(document({"ann": ()})), layer="x")


def test_hashes_of_tasks_tell_answers_and_inputs_apart(path):
    first = written(path, document({"ann": [PER], "bob": [ORG], "cat": [PER]}))
    hashes = [row["_task_hash"] for row in first]
    assert hashes[0] == hashes[2] != hashes[1]
    (same,) = read_prodigy(path, annotator="auto").documents
    assert hashes == [row["_task_hash"] for row in written(path, same)]
    (other,) = written(path, document({"spans": [PER]}, name="6"))
    assert other["_task_hash"] not in hashes
    assert all(-(2**31) <= number < 2**31 for number in hashes)


def test_text_that_is_not_there_is_made_of_the_words(path):
    one = document({"spans": [ORG]}, text=None, spaces=None)
    (row,) = written(path, one)
    assert (row["text"], row["tokens"][1]["ws"]) == ("Ada Byron 😀", True)
    assert read_prodigy(path).documents[0].spaces == (True, True, False)


def test_tokens_of_blanks_stay_where_they_were(path):
    words = {"words": ("a", " ", "b"), "spaces": (True, False, False), "text": "a  b"}
    (row,) = written(path, document({"spans": [(1, 2, "X")]}, **words))
    assert (row["spans"][0]["start"], row["spans"][0]["end"]) == (2, 3)


def test_categories_are_options_accepted(path):
    one = document(categories={"ann": ("A", "B"), "bob": ()})
    rows = written(path, one)
    assert rows[0]["options"] == [{"id": "A", "text": "A"}, {"id": "B", "text": "B"}]
    assert [row["accept"] for row in rows] == [["A", "B"], []]
    assert {row["_view_id"] for row in rows} == {"choice"} and "spans" not in rows[0]


def test_spans_and_categories_are_blocks(path):
    (row,) = written(path, document({"ann": [PER]}, categories={"ann": ("A",)}))
    assert (row["_view_id"], row["accept"], len(row["spans"])) == ("blocks", ["A"], 1)


# --- written and read again


@each_case("name", ["5", "-7", "0", "05", "train-12", "-0", "9" * 30, "+1", "٣"])
def test_names_come_back(path, name):
    one = document({"spans": [PER]}, name=name, attributes={"n": 1})
    assert again(path, one, annotator=None).documents[0].name == name
    assert again(path, document({"ann": ()}, name=name), annotator="auto").documents[0].name == name


def test_a_name_is_given_up_if_prodigy_makes_the_hash_anew(path):
    (row,) = written(path, document({"ann": [PER]}, name="train-12"))
    path.write_text(json.dumps(row | {"_input_hash": 44}))
    assert read_prodigy(path).documents[0].name == "44"


def test_a_name_of_somebody_elses_is_an_attribute(path):
    path.write_text(json.dumps({"text": "a", "_input_hash": 3, "meta": {"document": "x"}}))
    one = read_prodigy(path).documents[0]
    assert (one.name, one.attributes["document"]) == ("3", "x")


def test_what_was_read_of_one_annotator_is_written_as_it_was(path):
    base = {"text": "Ada", "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": False}]}
    span = {"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PER", "source": "m"}
    rows = [
        {"_input_hash": 1, "answer": "accept", "spans": [span], "_view_id": "ner_manual"},
        {"_input_hash": 2, "answer": "reject", "_session_id": None, "_view_id": "ner"},
        {"_input_hash": 3, "answer": "ignore", "_annotator_id": "x", "_view_id": "ner"},
        {"_input_hash": 4, "answer": "accept", "flagged": True, "_view_id": "ner",
         "meta": {"a": 1.5}},
    ]  # fmt: skip
    path.write_text("\n".join(json.dumps(base | row) for row in rows))
    before = read_prodigy(path)
    write_prodigy(path, before)
    assert read_prodigy(path) == before
    assert [row["answer"] for row in rows_of(path)] == ["accept", "reject", "ignore", "accept"]


@pytest.mark.parametrize("view", ["choice", "review", 5])
def test_an_interface_that_would_hide_the_spans_is_not_written(path, view):
    one = document({"spans": [PER]}, categories={"spans": ("A",)}, attributes={"_view_id": view})
    (row,) = written(path, one)
    assert row["_view_id"] == "blocks"
    assert read_prodigy(path).documents[0].layers == {"spans": (PER,)}


@pytest.mark.parametrize("annotator", [None, "auto"])
def test_decisions_are_written_as_they_were(path, annotator):
    rows = [
        {"text": "a", "label": "POS", "_input_hash": 1, "answer": "accept", "_annotator_id": "x"},
        {"text": "a", "label": "NEG", "_input_hash": 1, "answer": "reject", "_annotator_id": "x"},
        {"text": "b", "label": "NEG", "_input_hash": 2, "answer": "ignore", "_annotator_id": "x"},
    ]
    view = {"_view_id": "classification"}
    path.write_text("\n".join(json.dumps(row | view) for row in rows))
    before = read_prodigy(path, annotator=annotator)
    write_prodigy(path, before)
    assert read_prodigy(path, annotator=annotator) == before
    assert [row["answer"] for row in rows_of(path)] == ["accept", "reject", "ignore"]
    assert [row["label"] for row in rows_of(path)] == ["POS", "NEG", "NEG"]


def test_what_nobody_has_seen_comes_back(path):
    documents = (document({"ann": (), "bob": [PER]}), document({"ann": None, "bob": None}, "6"))
    assert again(path, *documents).documents == documents
    assert [row["answer"] for row in rows_of(path)] == ["accept", "accept", "ignore"]


def test_nobodys_layer_comes_back(path):
    one = document({"(none)": [PER], "bob": ()})
    assert again(path, one).documents == (one,)
    assert [row["_annotator_id"] for row in rows_of(path)] == [None, "bob"]


NAMES = st.one_of(st.none(), st.integers(-99, 99).map(str), st.text("abé:-", max_size=4))
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(-5, 5), st.text(max_size=3))
FEATURES = st.dictionaries(st.text("xyz", max_size=2), VALUES, max_size=2)
CATEGORIES = st.one_of(st.none(), st.sets(st.text("ABé", min_size=1, max_size=2), max_size=3))


@st.composite
def documents(draw, positions):
    words = tuple(draw(st.lists(st.text("ab😀é", min_size=1, max_size=3), min_size=1, max_size=5)))
    spaces = tuple(draw(st.booleans()) for _ in words)
    text = "".join(word + " " * space for word, space in zip(words, spaces))
    size = len(words) if positions == "token" else len(text)
    span = st.tuples(st.integers(0, size - 1), st.integers(1, size), st.sampled_from("XY"))
    spans = st.lists(span.filter(lambda row: row[0] < row[1]), unique=True, max_size=3)
    layers = {who: draw(st.one_of(st.none(), spans)) for who in ("ann", "bob")}
    return Document(
        words if positions == "token" else (),
        layers,
        name=draw(NAMES),
        text=text,
        spaces=spaces if positions == "token" else None,
        attributes=draw(FEATURES),
        features={who: {row: draw(FEATURES) for row in rows or ()} for who, rows in layers.items()},
        categories={who: draw(CATEGORIES) for who in draw(st.sets(st.sampled_from("cd")))},
    )


def are_distinct(documents):
    """Whether no two documents have the same name, or no name and the same tokens or text."""
    keys = [document_key(one) for one in documents]
    return len(set(keys)) == len(keys) and ("text", None) not in keys


def all_have_answered(documents):
    """Whether each layer has seen some document."""
    for field in ("layers", "categories"):
        said = [layer for one in documents for layer in getattr(one, field).items()]
        if {name for name, _ in said} != {name for name, found in said if found is not None}:
            return False
    return True


@pytest.mark.parametrize("positions", ["token", "char"])
@given(data=st.data())
def test_what_is_written_is_read_again(tmp_path_factory, positions, data):
    made = data.draw(
        st.lists(documents(positions), min_size=1, max_size=4)
        .filter(are_distinct)
        .filter(all_have_answered)
    )
    before = replace(corpus(*made, positions=positions), documents=fill_layers(made))
    path = tmp_path_factory.mktemp("out") / "a.jsonl"
    write_prodigy(path, before)
    assert read_prodigy(path, annotator="auto") == before


PATTERN = [{"lower": "ada"}, {"IS_ALPHA": True, "OP": None}]


def test_any_json_is_an_attribute_or_feature_that_comes_back(path):
    said = {"none": None, "pattern": PATTERN, "share": 0.5, "nested": {"a": [1, {"b": []}]}}
    one = document({"spans": [PER]}, features={"spans": {PER: said}}, attributes=said)
    (found,) = again(path, one, annotator=None).documents
    assert found.features == {"spans": {PER: said}}
    assert said.items() <= found.attributes.items()


def test_empty_spans_beside_categories_come_back(path):
    one = document({"spans": []}, categories={"spans": ["A"]}, attributes={"_view_id": None})
    (found,) = again(path, one, annotator=None).documents
    assert (found.layers, found.categories) == ({"spans": ()}, {"spans": ("A",)})


# --- what has no place


def deep(depth):
    """A list in a list in a list ..."""
    found = []
    for _ in range(depth):
        found = [found]
    return found


@each_case(
    "fields, found",
    [
        ({"missing": [(0, 1)]}, "positions without annotation"),
        ({"missing_in": {"spans": [(0, 1)]}}, "positions without annotation"),
        ({"unplaced": {"spans": [(1, "X")]}}, "spans that do not fit the tokens"),
        ({"text": "Ada"}, "the words of document '5' do not make up its text"),
        ({"attributes": {"a": {1}}}, "the values {'a': {1}}"),
        ({"attributes": {"a": float("inf")}}, "the values {'a': inf}"),
        ({"attributes": {"_session_id": deep(100_000)}}, "a value that is not JSON"),
        ({"attributes": {"document": "x"}, "name": "a"}, "an attribute 'document'"),
        ({"features": {"spans": {PER: {"label": 1}}}}, "the name 'label'"),
        ({"features": {"spans": {PER: {"a": (1,)}}}}, "the values {'a': (1,)}"),
        ({"categories": {"spans": ("A", "A")}}, 'categories ["A", "A"]'),
        ({"layers": {"spans": [(2, 4, "X")]}}, "span X [2, 4) among 3 tokens"),
        ({"layers": {"": [PER]}}, "a layer has no name"),
        ({"words": ("Ada", "")}, "token 2 of document '5' is empty"),
    ],
)
def test_what_has_no_place_is_an_error_that_leaves_the_file(path, fields, found):
    path.write_text("before")
    with pytest.raises(FormatError) as caught:
        write_prodigy(path, corpus(document(**({"layers": {"spans": [PER]}} | fields))))
    message = str(caught.value)
    assert found in message and path.name in message
    assert path.read_text() == "before" and list(path.parent.iterdir()) == [path]


@each_case("depth", [300, 500, 900, 990, 5000])
def test_deeply_nested_values_are_read_and_written_or_refused(path, depth):
    for key in ("_session_id", "_annotator_id", "meta", "options", "_input_hash", "versions"):
        nested = "[" * depth + "]" * depth
        path.write_text(f'{{"text": "a", "{key}": {nested}}}')
        for annotator in (None, "auto"):
            try:
                write_prodigy(path, read_prodigy(path, annotator=annotator))
            except FormatError:
                continue


def test_two_documents_of_one_name_are_an_error(path):
    two = (document({"spans": ()}), document({"spans": [PER]}))
    with pytest.raises(FormatError, match="document '5' has the same name or text as one before"):
        write_prodigy(path, corpus(*two))


def test_documents_without_names_need_texts_of_their_own_if_there_are_several_annotators(path):
    two = [document({who: ()}, name=None) for who in ("ann", "bob")]
    with pytest.raises(FormatError, match="document 2 has the same name or text"):
        write_prodigy(path, corpus(*two))
    alone = [document({"spans": ()}, name=None)] * 2
    assert len(again(path, *alone, annotator=None).documents) == 2


def test_a_corpus_without_documents_is_an_error(path):
    with pytest.raises(FormatError, match="there is no document to write"):
        write_prodigy(path, corpus())
