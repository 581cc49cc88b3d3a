import gzip
import itertools
from pathlib import Path

import pytest

from spacy_chance_eval.formats import read, read_file
from spacy_chance_eval.formats.conll_columns import header_names
from spacy_chance_eval.formats.conll_out import write_conll
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.keys import Reading


def read_conll(path, **keys):
    return read_file(path, Reading.of({"format": "conll", **keys}))


DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def reading(tmp_path):
    def read(text, **options):
        path = tmp_path / "a.conll"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_conll(path, **options)

    return read


@pytest.mark.parametrize("text", ["a B-X\nb I-X\n\n# id x\nc O\n", "\ufeffa O\r\n\r\nb O"], ids=len)
def test_packed_files_are_read_and_lines_are_known(reading, text):
    corpus = reading(text)
    lines = text.splitlines()
    for one in corpus.documents:
        assert all(word in lines[line - 1] for word, line in zip(one.words, one.lines))
    assert reading(gzip.compress(text.encode())) == corpus


def test_wnut_has_its_sentences_tokens_and_entities():
    path = DATA / "wnut17_systems.tsv"
    if not path.exists():
        pytest.skip("the WNUT-17 file is not part of the project")
    corpus = read_conll(path, columns={"gold": "gold"})
    n_tokens = sum(len(document.words) for document in corpus.documents)
    assert (len(corpus.documents), n_tokens, len(corpus.spans("gold"))) == (1287, 23394, 1079)


def test_multiconer_has_its_sentences_and_entities():
    path = DATA / "multiconer_es_dev.conll"
    if not path.exists():
        pytest.skip("the MultiCoNER file is not part of the project")
    corpus = read_conll(path)
    assert (len(corpus.documents), len(corpus.spans("gold"))) == (800, 1176)


def test_characters_cannot_be_columns(tmp_path):
    corpus = Corpus("x", [Document([], {"gold": ()}, text="ab")], "char")
    with pytest.raises(FormatError, match="without tokens"):
        write_conll(tmp_path / "x", corpus, ["gold"])


def test_the_names_of_columns_are_known_from_the_first_lines(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("#token\tgold\tcrf\n-DOCSTART- -X- O O\n\nAda\tB-PER\tO\n")
    assert header_names(path) == ["token", "gold", "crf"]
    path.write_text("Ada\tB-PER\tO\n")
    assert header_names(path) is None


@pytest.mark.parametrize(("column", "spans"), [("1", 1), ("1,2", 2)])
def test_the_paths_that_are_advised_read_several_columns_of_tags(tmp_path, column, spans):
    path = tmp_path / "three.conll"
    path.write_text("a B-X O\nb I-X B-X\n\nc O O\n", encoding="utf8")
    with pytest.raises(FormatError) as error:
        read(path)
    assert f"{path}#{column}" in str(error.value)
    assert len(read(f"{path}#{column}").spans("gold")) == spans


def test_a_damaged_line_costs_its_sentence_and_no_other(tmp_path):
    path = tmp_path / "a.conll"
    sentences = ["a B-X\nb I-X", "c O\nd B-Y", "e O"]
    for at, wrong in itertools.product(range(3), ("f", "f x y", "f what")):
        damaged = [*sentences[:at], f"{sentences[at]}\n{wrong}", *sentences[at + 1 :]]
        path.write_text("\n\n".join(damaged))
        found = read_conll(path, scheme="IOB2", on_error="skip")
        path.write_text("\n\n".join(sentences[:at] + sentences[at + 1 :]))
        assert (found.skipped, found.documents) == ((at,), read_conll(path).documents)


def test_many_tags_are_told_apart(tmp_path):
    path = tmp_path / "a.conll"
    labels = [f"L{number}" * (1 + number % 40) for number in range(3000)]
    path.write_text("".join(f"a B-{label}\n" for label in labels))
    (document,) = read_conll(path).documents
    assert [label for *_, label in document.layers["gold"]] == labels
