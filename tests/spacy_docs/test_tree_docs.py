import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.scorer import Scorer
from spacy.tokens import DocBin
from spacy.training import Example

from helpers.docmaking import make_doc
from helpers.parsing import cut_examples, heads_of, parsed, parsed_examples, rows
from spacy_chance_eval import FormatError
from spacy_chance_eval.spacy_docs.tree_docs import (
    ABSENT,
    treebank_of_docbin,
    trees_of_docs,
    trees_of_examples,
)

SLEPT = "Ada slept . She woke up"
HEADS, DEPS = [2, 0, 2, 5, 0, 5], "nsubj ROOT punct nsubj ROOT prt"


def docbin(path, *docs):
    """A `.spacy` file of the Docs, with their names."""
    DocBin(store_user_data=True, docs=docs).to_disk(path)
    return path


def test_relations_keep_their_case_unless_told():
    doc = parsed("it is", [2, 0], "nsubj ROOT")
    assert trees_of_docs([doc])[0].labels == ("ROOT", "nsubj")
    assert trees_of_docs([doc], lower=True)[0].labels == ("nsubj", "root")


def test_sentences_of_named_documents_are_called_by_name_and_number():
    docs = [parsed(SLEPT, HEADS, DEPS, name="a"), parsed("go", [0], "ROOT", name="b")]
    trees, sentences = trees_of_docs(docs)
    assert trees.names == ("a/1", "a/2", "b/1")
    assert [sentence.name for sentence in sentences] == ["a/1", "a/2", "b/1"]


def test_a_cycle_is_an_error_with_sentence_and_token():
    docs = [parsed("go", [0], "ROOT", name="a"), parsed("b c d", [2, 1, 0], "x y ROOT", name="b")]
    with pytest.raises(ValueError, match="token 1 of sentence b/1 cannot be reached"):
        trees_of_docs(docs)
    trees, _ = trees_of_docs(docs, cycles="reachable")
    assert trees.reachable.tolist() == [True, False, False, True]


def test_a_chain_of_thousands_of_tokens_is_read():
    n = 5000
    doc = parsed([f"w{i}" for i in range(n)], range(n), ["ROOT", *["x"] * (n - 1)])
    assert trees_of_docs([doc])[0].parents.tolist() == list(range(-1, n - 1))


# examples


def carried(gold, pred, **settings):
    """(gold rows, pred rows) of one Example."""
    return tuple(map(rows, trees_of_examples([Example(pred, gold)], **settings)))


def test_the_sentences_of_examples_are_those_of_gold():
    gold = parsed(SLEPT, HEADS, DEPS)
    pred = parsed(SLEPT, [2, 0, 2, 5, 2, 5], "nsubj ROOT punct nsubj conj prt")
    _, found = carried(gold, pred)
    # "woke" hangs on "slept" in the other sentence: under the root, with its relation
    assert found[1] == ([1, -1, 1], ["nsubj", "conj", "prt"])


def test_predictions_are_not_seen_where_gold_is_not():
    examples = [
        Example(parsed("go", [0], "ROOT"), make_doc("go")),
        Example(parsed("go", [0], "ROOT"), parsed("go", [0], "ROOT")),
        Example(parsed("a b", [0, 1], "ROOT x"), parsed("a b", [0, 1], ["ROOT", ""])),
    ]
    for trees in trees_of_examples(examples):
        assert trees.seen.tolist() == [False, True, False]


def test_white_space_that_gold_leaves_out_is_left_out_of_predictions():
    words = ["Ada", "\n", "slept"]
    gold = parsed(words, [3, 1, 0], ["nsubj", "", "ROOT"])
    pred = parsed(words, [2, 3, 0], "nsubj dep ROOT")
    assert carried(gold, pred)[1] == [([-1, -1], ["nsubj", "root"])]


def test_a_predicted_cycle_is_an_error_or_measured_as_far_as_it_can_be_reached():
    gold = parsed("b c d", [3, 3, 0], "x y ROOT")
    example = Example(parsed("b c d", [2, 1, 0], "x y ROOT"), gold)
    with pytest.raises(ValueError, match="token 1 of sentence .* cannot be reached"):
        trees_of_examples([example])
    _, pred = trees_of_examples([example], cycles="reachable")
    assert pred.reachable.tolist() == [False, False, True]


@given(parsed_examples(one_root=True))
def test_the_share_of_right_heads_is_spacys_where_no_arc_leaves_a_sentence(examples):
    gold, pred = trees_of_examples(examples)
    right = np.mean(gold.parents == pred.parents)
    assert right == pytest.approx(Scorer.score_deps(examples, "dep")["dep_uas"])


@st.composite
def damaged_docs(draw):
    """A Doc with relations that are missing, white space, and sentences as they come."""
    n = draw(st.integers(0, 6))
    words = draw(st.lists(st.sampled_from(["a", "b", "\n", " "]), min_size=n, max_size=n))
    deps = draw(st.lists(st.sampled_from(["nsubj", "Obj", "ROOT", ""]), min_size=n, max_size=n))
    starts = draw(st.lists(st.sampled_from([True, False]), min_size=n, max_size=n))
    if draw(st.booleans()):
        return parsed(words, draw(heads_of(n)), deps)
    return parsed(words, deps=deps, sent_starts=starts if draw(st.booleans()) else None)


def trees_token_by_token(doc):
    """[(parents, labels)] of the sentences of a Doc; None of one whose tree has holes."""
    found = []
    divided = doc.has_annotation("SENT_START")
    for sentence in doc.sents if divided else [doc[:]] * bool(len(doc)):
        tokens = [token for token in sentence if token.dep_ or not token.is_space]
        places = {token.i: place for place, token in enumerate(tokens)}
        heads = [places.get(t.head.i, -1) if t.head.i != t.i else -1 for t in tokens]
        whole = bool(tokens) and all(token.dep_ for token in tokens)
        found.append((heads, [token.dep_ for token in tokens]) if whole else None)
    return found


@settings(max_examples=10 * settings.default.max_examples)
@given(st.lists(damaged_docs(), max_size=4))
def test_columns_have_the_trees_that_the_tokens_say(docs):
    trees, sentences = trees_of_docs(docs)
    expected = [row for doc in docs for row in trees_token_by_token(doc)]
    assert rows(trees) == expected
    assert trees.seen.tolist() == [row is not None for row in expected]
    assert [s.parents and (list(s.parents), list(s.labels)) for s in sentences] == expected


def carried_by_characters(example):
    """Rows of the prediction on gold tokens: tokens are the same that cover the same characters."""
    gold = {(token.idx, token.idx + len(token)): token.i for token in example.y}
    parents, labels = [-1] * len(gold), [ABSENT] * len(gold)
    for token in example.x:
        places = [gold.get((t.idx, t.idx + len(t)), -1) for t in (token, token.head)]
        if places[0] != -1:
            parents[places[0]] = -1 if token.head == token else places[1]
            labels[places[0]] = token.dep_.lower()
    return parents, labels


@settings(max_examples=10 * settings.default.max_examples)
@given(cut_examples())
def test_tokens_are_carried_over_where_they_cover_the_same_characters(example):
    gold, pred = trees_of_examples([example])
    assert gold.n_items == 1
    assert rows(pred) == [carried_by_characters(example)]


# files


def test_a_docbin_is_a_treebank(tmp_path):
    bank = treebank_of_docbin(
        docbin(tmp_path / "a.spacy", parsed(SLEPT, HEADS, DEPS, name="a"), make_doc(2))
    )
    assert (bank.kind, bank.path) == ("dependency", str(tmp_path / "a.spacy"))
    assert [sentence.parents for sentence in bank.sentences] == [(1, -1, 1), (1, -1, 1), None]


def test_what_is_left_out_of_a_docbin_is_noted(tmp_path):
    docs = (
        parsed(["a", "\n", "b"], [3, 1, 0], ["x", "", "ROOT"]),
        parsed("a b", [0, 1], ["ROOT", ""]),
        make_doc(4),
    )
    bank = treebank_of_docbin(docbin(tmp_path / "a.spacy", *docs))
    assert sorted(bank.notes.values()) == [1, 1]
    assert any("white space" in note for note in bank.notes)
    assert any("not annotated" in note for note in bank.notes)


def test_a_predicted_docbin_leaves_nothing_out(tmp_path):
    path = docbin(tmp_path / "a.spacy", parsed("a b", [0, 1], ["ROOT", ""]), make_doc(1))
    bank = treebank_of_docbin(path, "pred")
    assert [(s.parents, s.labels) for s in bank.sentences] == [
        ((-1, -1), ("root", ABSENT)),
        ((-1,), (ABSENT,)),
    ]
    assert bank.notes == {}


@pytest.mark.parametrize(
    ("docs", "message"),
    [
        ([make_doc(3), make_doc(0)], r"a\.spacy: no sentence has the relations"),
        ([], "no documents"),
        (None, "no .spacy file"),
    ],
    ids=["no dependencies", "no documents", "no docbin"],
)
@pytest.mark.parametrize("role", ["gold", "pred"])
def test_what_is_no_docbin_of_trees_is_an_error(tmp_path, docs, message, role):
    (tmp_path / "a.spacy").write_text("1\tAda\n")
    if docs is not None:
        docbin(tmp_path / "a.spacy", *docs)
    with pytest.raises(FormatError, match=message):
        treebank_of_docbin(tmp_path / "a.spacy", role)
