"""Column files by chance: in pieces, in blocks, and without damaged sentences."""

import random

import pytest

from spacy_chance_eval.corpora import blocks
from spacy_chance_eval.corpora.sources import Source
from spacy_chance_eval.formats import read_file
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.keys import Reading


def read_conll(path, **keys):
    return read_file(path, Reading.of({"format": "conll", **keys}))


SEEDS = range(200)
WORDS = ["a", "Bern", "é", "日本", "#tag", "#", "-", "O", "x-y", "\u00a0", "👍", "B-PER", "w" * 20]
LABELS = ["PER", "LOC", "a-b", "é", "L" * 30]
COMMENTS = [
    *("# id d{}", "# sent_id = s{}", "# newdoc", "# newdoc id = n{}", "# doc_id = x{}"),
    *("#", "# a comment", "# id  two  blanks", "# id t{}\tkey=value\tother = 1", "# text = a b"),
]
STARTS = ["-DOCSTART- -X- O O", "-DOCSTART-", "-DOCSTART- O", " -DOCSTART-\tO"]
OPTIONS = [
    *({}, {}, {"repair": "begin"}, {"repair": "drop"}, {"repair": "conlleval"}),
    *({"documents": "sentence"}, {"documents": "docstart"}, {"scheme": "IOB1"}),
    *({"scheme": "BIOES", "repair": "drop"}, {"columns": "all"}, {"token_column": 1}),
    {"columns": {"one": 1, "two": -1}, "repair": "drop"},
]


def tags_of(rng: random.Random, size: int, scheme: str, wild: float) -> list[str]:
    """The tags of a sentence; the share `wild` of them is drawn at random."""
    first, inside, last, single = {
        "IOB1": "IIII", "IOB2": "BIIB", "BIOES": "BIES", "BILUO": "BILU"
    }[scheme]  # fmt: skip
    tags, label = [], rng.choice(LABELS)
    while len(tags) < size:
        n = rng.randint(1, 3)
        label = rng.choice(LABELS[: rng.choice([1, 5])])
        if rng.random() < 0.5:
            tags += ["O"] * n
        elif scheme != "IOB1" or not tags or not tags[-1].endswith(label):
            inner = [inside] * (n - 2)
            letters = [single] if n == 1 else [first, *inner, last]
            tags += [f"{letter}-{label}" for letter in letters]
    tags = tags[:size]
    others = ["-", "B-X", "I-PER", "E-PER", "S-LOC", "O", "I-a-b", "PER", "B-"]
    return [rng.choice(others) if rng.random() < wild else tag for tag in tags]


def some_text(seed: int) -> str:
    """A file that has, or lacks, all that files can have."""
    rng = random.Random(seed)
    mark = rng.choice([" ", " ", "\t", "\t", "  "])
    width = rng.choice([2, 2, 3])
    scheme = rng.choice(["IOB1", "IOB2", "IOB2", "BIOES", "BILUO"])
    wild = rng.choice([0, 0, 0, 0.02, 0.2])
    blemish = rng.choice([0, 0, 0, 0.02])
    commented, started = rng.choice([0, 0, 0.3]), rng.choice([0, 0, 0.3])
    unseen = rng.choice([0, 0, 0.3])
    lines = ["\t".join(["#token", "one", "two"][:width])] if rng.random() < 0.1 else []
    for number in range(rng.randint(1, 12)):
        if rng.random() < started:
            lines += [rng.choice(STARTS), *[""] * rng.randint(0, 2)]
        while rng.random() < commented:
            lines += [rng.choice(COMMENTS).format(number), *[""] * (rng.random() < 0.2)]
        size = rng.randint(1, 8)
        words = [rng.choice(WORDS[: rng.choice([4, 13])]) for _ in range(size)]
        columns = [tags_of(rng, size, scheme, wild) for _ in range(width - 1)]
        if rng.random() < unseen:
            columns[-1] = ["-"] * size
        for cells in zip(words, *columns):
            line = mark.join(cells)
            if rng.random() < blemish:
                line = rng.choice(
                    [f"{line}{mark}", f" {line}", line.replace(mark, "\t"), cells[0], f"{line} x"]
                )
            lines.append(line)
        lines += rng.choice([[""], [""], ["", ""], [" "], ["\t "]])
    end = rng.choice(["\n", "\n", "\n", "\r\n", "\r"])
    text = end.join(lines)
    return rng.choice(["", "", "\ufeff"]) + text + rng.choice(["", end, end * 3])


def result_of(path, options):
    """All that a reader says of a file: documents, or the error."""
    try:
        corpus = read_conll(path, **options)
    except FormatError as error:
        return str(error)
    documents = [
        {**vars(one), "lines": tuple(one.lines), "attributes": dict(one.attributes)}
        for one in corpus.documents
    ]
    return documents, corpus.positions, corpus.repair, corpus.notes


@pytest.fixture(params=range(0, len(SEEDS), 50), ids=lambda first: f"from{first}")
def cases(request, tmp_path):
    """Some files, with options to read them."""
    found = []
    for seed in SEEDS[request.param : request.param + 50]:
        path = tmp_path / f"{seed}.conll"
        path.write_bytes(some_text(seed).encode())
        found.append((path, random.Random(seed).choice(OPTIONS)))
    return found


def test_blocks_are_the_file(cases, monkeypatch):
    monkeypatch.setattr(blocks, "FEW", 2)
    monkeypatch.setattr(blocks, "MOST", 3)
    n_read = 0
    for path, options in cases:
        whole, found = result_of(path, options), blocks_in(path, options)
        assert isinstance(found, str) if isinstance(whole, str) else found == whole[0]
        n_read += not isinstance(whole, str)
    assert n_read > 15


def blocks_in(path, options):
    """All documents of the blocks of a file, or the error."""
    source = Source(str(path)).looked_at("gold", Reading.of({"format": "conll", **options}))
    try:
        found = [blocks.blocks_of(batch, [source]) for batch in blocks.batches_of([source], False)]
        documents = [d for some in found for block in some for d in block.corpora[0].documents]
    except FormatError as error:
        return str(error)
    return [{**vars(one), "lines": tuple(one.lines)} for one in documents]


def test_a_damaged_line_costs_its_sentence_and_no_other(tmp_path):
    path = tmp_path / "a.conll"
    for seed in SEEDS:
        rng = random.Random(seed)
        lines = [f"w{n} {tag}" for n, tag in enumerate(tags_of(rng, 12, "IOB2", 0))]
        sentences = ["\n".join(lines[at : at + 4]) for at in (0, 4, 8)]
        sentences = [one.replace(" I-", " B-") for one in sentences]
        at = rng.randrange(3)
        wrong = rng.choice([f"w{at}", f"w{at} x y", f"w{at} what"])
        damaged = [*sentences[:at], f"{sentences[at]}\n{wrong}", *sentences[at + 1 :]]
        path.write_text("\n\n".join(damaged))
        found = read_conll(path, scheme="IOB2", on_error="skip")
        path.write_text("\n\n".join(sentences[:at] + sentences[at + 1 :]))
        assert (found.skipped, found.documents) == ((at,), read_conll(path).documents)


@pytest.mark.parametrize("size", [3, 7, 50])
def test_it_does_not_matter_where_pieces_end(tmp_path, monkeypatch, size):
    path = tmp_path / "a.conll"
    for seed in range(60):
        path.write_bytes(some_text(seed).encode())
        whole = result_of(path, {})
        with monkeypatch.context() as patched:
            patched.setattr("spacy_chance_eval.formats.conll_bytes.BLOCK", size)
            assert result_of(path, {}) == whole


def test_many_tags_are_told_apart(tmp_path):
    path = tmp_path / "a.conll"
    labels = [f"L{number}" * (1 + number % 40) for number in range(3000)]
    path.write_text("".join(f"a B-{label}\n" for label in labels))
    (document,) = read_conll(path).documents
    assert [label for *_, label in document.layers["gold"]] == labels
