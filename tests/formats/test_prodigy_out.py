import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cases import each_case
from spacy_chance_eval.formats import read as read_any
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.prodigy_out import review_tasks, write_prodigy

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
    return read_any(format="prodigy", path=path, annotator=annotator)


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
    assert read_any(format="prodigy", path=path).documents[0].layers == {"spans": (ORG,)}


def test_hashes_of_tasks_tell_answers_and_inputs_apart(path):
    first = written(path, document({"ann": [PER], "bob": [ORG], "cat": [PER]}))
    hashes = [row["_task_hash"] for row in first]
    assert hashes[0] == hashes[2] != hashes[1]
    (same,) = read_any(format="prodigy", path=path, annotator="auto").documents
    assert hashes == [row["_task_hash"] for row in written(path, same)]
    (other,) = written(path, document({"spans": [PER]}, name="6"))
    assert other["_task_hash"] not in hashes
    assert all(-(2**31) <= number < 2**31 for number in hashes)


def test_text_that_is_not_there_is_made_of_the_words(path):
    one = document({"spans": [ORG]}, text=None, spaces=None)
    (row,) = written(path, one)
    assert (row["text"], row["tokens"][1]["ws"]) == ("Ada Byron 😀", True)
    assert read_any(format="prodigy", path=path).documents[0].spaces == (True, True, False)


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


# --- written and read again


@each_case("name", ["5", "-7", "0", "05", "train-12", "-0", "9" * 30, "+1", "٣"])
def test_names_come_back(path, name):
    one = document({"spans": [PER]}, name=name, attributes={"n": 1})
    assert again(path, one, annotator=None).documents[0].name == name
    assert again(path, document({"ann": ()}, name=name), annotator="auto").documents[0].name == name


def test_a_name_is_given_up_if_prodigy_makes_the_hash_anew(path):
    (row,) = written(path, document({"ann": [PER]}, name="train-12"))
    path.write_text(json.dumps(row | {"_input_hash": 44}))
    assert read_any(format="prodigy", path=path).documents[0].name == "44"


def test_a_name_of_somebody_elses_is_an_attribute(path):
    path.write_text(json.dumps({"text": "a", "_input_hash": 3, "meta": {"document": "x"}}))
    one = read_any(format="prodigy", path=path).documents[0]
    assert (one.name, one.attributes["document"]) == ("3", "x")


def test_what_was_read_of_one_annotator_is_written_as_it_was(path):
    base = {"text": "Ada", "tokens": [{"text": "Ada", "start": 0, "end": 3, "id": 0, "ws": False}]}
    span = {"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PER", "source": "m"}
    rows = [
        {"_input_hash": 1, "answer": "accept", "spans": [span], "_view_id": "ner_manual"},
        {"_input_hash": 2, "answer": "reject", "_session_id": None, "_view_id": "ner_manual"},
        {"_input_hash": 3, "answer": "ignore", "_annotator_id": "x", "_view_id": "spans_manual",
         "meta": {"a": 1.5}},
    ]  # fmt: skip
    path.write_text("\n".join(json.dumps(base | row) for row in rows))
    before = read_any(format="prodigy", path=path)
    write_prodigy(path, before)
    assert read_any(format="prodigy", path=path) == before
    assert [row["answer"] for row in rows_of(path)] == ["accept", "reject", "ignore"]


@pytest.mark.parametrize("view", ["choice", "review", 5])
def test_an_interface_that_would_hide_the_spans_is_not_written(path, view):
    one = document({"spans": [PER]}, categories={"spans": ("A",)}, attributes={"_view_id": view})
    (row,) = written(path, one)
    assert row["_view_id"] == "blocks"
    assert read_any(format="prodigy", path=path).documents[0].layers == {"spans": (PER,)}


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
    keys = [one.words or one.text if one.name is None else one.name for one in documents]
    return len(set(keys)) == len(keys) and ("text", None) not in keys


def annotated(documents):
    """The documents without layers that nobody annotated."""
    return [
        replace(
            one,
            layers={who: rows for who, rows in one.layers.items() if rows is not None},
            categories={who: some for who, some in one.categories.items() if some is not None},
        )
        for one in documents
    ]


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
    path = tmp_path_factory.mktemp("out") / "a.jsonl"
    write_prodigy(path, corpus(*made, positions=positions))
    found = read_any(format="prodigy", path=path, annotator="auto")
    assert found.positions == positions and annotated(found.documents) == annotated(made)


PATTERN = [{"lower": "ada"}, {"IS_ALPHA": True, "OP": None}]


def test_any_json_is_an_attribute_or_feature_that_comes_back(path):
    said = {"none": None, "pattern": PATTERN, "share": 0.5, "nested": {"a": [1, {"b": []}]}}
    one = document({"spans": [PER]}, features={"spans": {PER: said}}, attributes=said)
    (found,) = again(path, one, annotator=None).documents
    assert found.features == {"spans": {PER: said}}
    assert said.items() <= found.attributes.items()


# --- what has no place


@each_case("depth", [300, 500, 900, 990, 5000])
def test_deeply_nested_values_are_read_and_written_or_refused(path, depth):
    for key in ("_session_id", "_annotator_id", "meta", "options", "_input_hash", "versions"):
        nested = "[" * depth + "]" * depth
        path.write_text(f'{{"text": "a", "{key}": {nested}}}')
        for annotator in (None, "auto"):
            try:
                write_prodigy(path, read_any(format="prodigy", path=path, annotator=annotator))
            except FormatError:
                continue


# --- tasks to review

TEAM = ("ann", "bob", "cat")
TWO = {"ann": [PER], "bob": [ORG], "cat": [PER]}
REVIEWED = {  # layers, who is asked for, and who made each version
    "equal": (TWO, TEAM, [["ann", "cat"], ["bob"]]),
    "first of equally many": ({"ann": [ORG], "bob": [PER]}, ("bob", "ann"), [["bob"], ["ann"]]),
    "nobody": ({"(none)": [PER], "bob": [ORG]}, ("(none)", "bob"), [["(none)"], ["bob"]]),
    "those asked for": (TWO, ("ann", "cat"), []),
}


@pytest.mark.parametrize(("layers", "names", "versions"), REVIEWED.values(), ids=REVIEWED)
def test_equal_annotations_are_one_version_with_all_who_made_it(layers, names, versions):
    tasks = [*review_tasks(corpus(document(layers, "x-1")), names, [(0, float("nan"))])]
    found = [row["sessions"] for task in tasks for row in task["versions"]]
    assert found == versions
    for task in tasks:
        assert [row["default"] for row in task["versions"]] == [True, False]
        assert (task["sessions"], task["spans"]) == (versions[0], task["versions"][0]["spans"])
        assert (task["_view_id"], task["view_id"]) == ("review", "spans_manual")
        assert {row["answer"] for row in task["versions"]} == {"accept"} and "answer" not in task
        assert task["meta"] == {"document": "x-1", "disagreement": None}
        ids = [None if one[0] == "(none)" else one[0] for one in versions]
        assert [row["_session_id"] for row in task["versions"]] == ids


def test_tasks_of_texts_have_words_that_spans_fit():
    spans = {"ann": [(0, 4, "PER"), (5, 7, "X")], "bob": [(0, 3, "PER")]}
    one = Document((), spans, name="1", text="Ada  slept\nwell.")
    (task,) = review_tasks(Corpus("a", [one], "char"), TEAM, [(0, 1)])
    texts = [(token["text"], token["ws"]) for token in task["tokens"]]
    assert texts == [
        *(("Ada", False), (" ", True), ("sl", False), ("ept", False), ("\n", False)),
        *(("well", False), (".", False)),
    ]
    for version in task["versions"]:
        for span in version["spans"]:
            first, last = (version["tokens"][span[key]] for key in ("token_start", "token_end"))
            assert (first["start"], last["end"]) == (span["start"], span["end"])


def test_tasks_come_in_the_order_asked_for_and_only_where_versions_differ():
    same = document({"ann": [PER], "bob": [PER]}, name="1")
    alone = document({"ann": [PER], "bob": None}, name="2")
    differ = [document({"ann": [PER], "bob": ()}, name=name) for name in "34"]
    order = [(3, 0.5), (0, 0.4), (1, 0.3), (2, 0.1)]
    tasks = review_tasks(corpus(same, alone, *differ), TEAM, order)
    assert [task["_input_hash"] for task in tasks] == [4, 3]


def test_more_can_be_said_of_a_document():
    two = [
        document({"ann": [PER], "bob": found}, name=name) for name, found in zip("12", ((), [ORG]))
    ]
    tasks = review_tasks(corpus(*two), TEAM, [(1, 0.5), (0, 0.5)], about=lambda at: {"place": at})
    assert [task["meta"] for task in tasks] == [
        {"disagreement": 0.5, "place": 1},
        {"disagreement": 0.5, "place": 0},
    ]


def test_every_task_and_version_has_the_hash_of_its_input():
    texts = [(("a", "b"), "a b"), (("a", "c"), "a c")]
    two = [
        document({"ann": [(0, 1, "X")], "bob": ()}, None, words=words, text=text, spaces=None)
        for words, text in texts
    ]
    tasks = list(review_tasks(corpus(*two), TEAM, [(0, 1), (1, 1)]))
    hashes = [{row["_input_hash"] for row in (task, *task["versions"])} for task in tasks]
    assert [len(found) for found in hashes] == [1, 1] and hashes[0] != hashes[1]


def test_choices_are_reviewed_as_choices():
    one = document(categories={"ann": ("A",), "bob": ("A", "B"), "cat": ("A",)})
    (task,) = review_tasks(corpus(one), TEAM, [(0, 1)])
    assert (task["view_id"], task["accept"]) == ("choice", ["A"])
    assert [row["accept"] for row in task["versions"]] == [["A"], ["A", "B"]]


@pytest.mark.parametrize("name", ["5", "x-1", None])
def test_of_reviewed_tasks_the_decision_is_read(tmp_path, name):
    before = corpus(document({"ann": [PER], "bob": [ORG], "cat": [PER]}, name))
    (task,) = review_tasks(before, TEAM, [(0, 1)])
    (tmp_path / "a.jsonl").write_text(json.dumps(task | {"answer": "accept"}))
    (one,) = read_any(format="prodigy", path=tmp_path / "a.jsonl").documents
    assert one.layers == {"spans": (PER,)}


# --- decisions

TEXT = "Ada Byron slept in Oslo"
PERSON = (0, 9, "PERSON")


@pytest.fixture
def reading(tmp_path):
    def read(*rows, annotator="auto", **options):
        path = tmp_path / "a.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return read_any(format="prodigy", path=path, annotator=annotator, **options)

    return read


def suggested(who, answer, *spans, number=7, **fields):
    """A task of ner.teach: each of the spans as a model suggests it."""
    entries = [
        {
            "text": TEXT[start:end],
            "start": start,
            "end": end,
            "priority": 0.5,
            "score": 0.51,
            "pattern": None,
            "label": label,
        }
        for start, end, label in spans
    ]
    row = {"text": TEXT, "_input_hash": number, "_task_hash": -number, "spans": entries}
    row |= {"meta": {"score": 0.51}, "_view_id": "ner", "answer": answer}
    return row | {"_annotator_id": who, "_session_id": who, "_timestamp": 1700000000} | fields


def answers(corpus):
    return {one.name: one.categories for one in corpus.documents}


def test_decisions_on_spans_are_written_as_choices(reading, tmp_path):
    before = reading(suggested("ann", "accept", PERSON), suggested("ben", "reject", PERSON))
    write_prodigy(tmp_path / "a.jsonl", before)
    again = read_any(format="prodigy", path=tmp_path / "a.jsonl", annotator="auto")
    assert answers(again) == answers(before) != {}


def test_an_attribute_of_the_same_name_is_no_decision(reading, tmp_path):
    row = suggested(
        "ann", "accept", PERSON, _view_id="ner_manual", meta={"suggestion": "[1", "label": "x"}
    )
    before = reading(row)
    write_prodigy(tmp_path / "a.jsonl", before)
    assert read_any(format="prodigy", path=tmp_path / "a.jsonl", annotator="auto") == before
