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


def test_a_token_that_is_a_blank_stands_behind_the_blank_in_front(path):
    one = document({"spans": ()}, words=("a", " ", "b"), spaces=(True, False, False), text="a  b")
    (row,) = written(path, one)
    assert [token["start"] for token in row["tokens"]] == [0, 2, 3]


# --- written and read again


def test_a_name_is_given_up_if_prodigy_makes_the_hash_anew(path):
    (row,) = written(path, document({"ann": [PER]}, name="train-12"))
    path.write_text(json.dumps(row | {"_input_hash": 44}))
    assert read_any(format="prodigy", path=path).documents[0].name == "44"


NAMES = st.one_of(st.none(), st.integers(-99, 99).map(str), st.text("abé:-", max_size=4))
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(-5, 5), st.text(max_size=3))
FEATURES = st.dictionaries(st.text("xyz", max_size=2), VALUES, max_size=2)


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
        )
        for one in documents
    ]


def all_have_answered(documents):
    """Whether each layer has seen some document."""
    said = [layer for one in documents for layer in one.layers.items()]
    return {name for name, _ in said} == {name for name, found in said if found is not None}


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


def test_every_task_and_version_has_the_hash_of_its_input():
    texts = [(("a", "b"), "a b"), (("a", "c"), "a c")]
    two = [
        document({"ann": [(0, 1, "X")], "bob": ()}, None, words=words, text=text, spaces=None)
        for words, text in texts
    ]
    tasks = list(review_tasks(corpus(*two), TEAM, [(0, 1), (1, 1)]))
    hashes = [{row["_input_hash"] for row in (task, *task["versions"])} for task in tasks]
    assert [len(found) for found in hashes] == [1, 1] and hashes[0] != hashes[1]
