"""`--on-error` for each format: small files in the style of real ones, with every kind of blemish.

A file is a table of lines. A line that is a text stands as it is in the sound and in the blemished
file; a pair is (the blemished line, the sound one; None where the line is left out).
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from spacy.tokens import DocBin

from helpers import cas_files
from helpers.blocks import defaults, many_blocks, score
from spacy_chance_eval.formats import READERS, FormatError, read, read_folder
from spacy_chance_eval.formats.keys import Reading

TEXT = "Ada met Bob in Rome"
WORDS = TEXT.split()
PER, LOC = [0, 3, "PER"], [15, 19, "LOC"]


@dataclass(frozen=True)
class Blemished:
    """A file with blemishes, and what is said of them.

    Parameters
    ----------
    format : str
    name : str
        That of the file, or of one in its folder.
    lines : sequence of str or (str, str or None)
    stop : str
        What stops the reader: the first line, and a piece of the message.
    kinds : mapping of (str, str) to list of int
        The lines of blemishes by their unit and the beginning of the advice, in order.
    options : mapping
        Of the reader.
    beside : mapping of str to str
        Other files of the folder: their content by name.
    folder : bool
        Whether the folder is read, not the file.
    """

    format: str
    name: str
    lines: tuple[str | tuple[str, str | None], ...]
    stop: str
    kinds: dict[tuple[str, str], list[int]]
    options: dict[str, object] = field(default_factory=dict)
    beside: dict[str, str] = field(default_factory=dict)
    folder: bool = False

    def written(self, folder: Path, place: int) -> Path:
        """The blemished file (0), or the sound one (1), in a new folder."""
        folder /= ("blemished", "sound")[place]
        texts = [line if isinstance(line, str) else line[place] or "" for line in self.lines]
        for name, text in {**self.beside, self.name: "\n".join(texts) + "\n"}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="")
        return folder if self.folder else folder / self.name

    def read(self, path: Path, on_error: str = "skip:1"):
        """The corpus of a file."""
        return read(path, format=self.format, on_error=on_error, **self.options)


def row(**entries):
    """A line of JSON."""
    return json.dumps(entries)


def rows(**entries):
    """The same line in both files, with entries that are pairs: (blemished, sound)."""
    both = [
        {key: one[place] if isinstance(one, tuple) else one for key, one in entries.items()}
        for place in range(2)
    ]
    return tuple(map(json.dumps, both))


JSONL = (
    row(id="a", tokens=WORDS, spans=[[0, 1, "PER"]]),
    rows(id="b", tokens=WORDS, spans=([[0, 1, "PER"], [2, 2, "PER"]], [[0, 1, "PER"]])),
    ('{"id": "c", "tokens": ["Ada",', None),
    rows(id="d", tokens=WORDS, spans=([[4, 9, "LOC"], [2, 3, "PER"], 7], [[2, 3, "PER"]])),
    rows(id="e", tokens=WORDS, spans=([[0, 1, ""]], [])),
    rows(
        id="f",
        tokens=WORDS,
        spans=(
            [{"start": 0, "end": 1, "label": "PER", "features": None},
             {"start": 4, "end": 5, "label": "LOC", "features": "city"}],
            [[0, 1, "PER"], [4, 5, "LOC"]],
        ),
    ),
    (row(id="g", tokens=["Ada", "", "met"], spans=[]), None),
    ("[]", None),
    (row(id="h", spans=[]), None),
    rows(id="i", tokens=WORDS, sents=([0, 9], [0]), unplaced=({"spans": [[2, "PER"], [0, "X"]]},
         {"spans": [[2, "PER"]]}), spans=[]),
    rows(id="j", tokens=WORDS, spans=[], categories=(["news", "", "news"], ["news"])),
    rows(id="k", tokens=WORDS, spans=[], cats=({"news": 1, "mail": None}, {"news": 1})),
    (row(id="l", tokens=WORDS, missing=[[3, 9]], spans=[]), None),
    row(id="m", tokens=WORDS, spans=[[0, 1, "PER"]]),
)  # fmt: skip
MIXED = (
    row(id="a", text=TEXT, tokens=WORDS, spans=[PER]),
    (row(id="b", text=TEXT, spans=[PER]), None),
    row(id="c", text=TEXT, tokens=WORDS, spans=[LOC]),
    rows(id="d", text=TEXT, tokens=WORDS, spans=([[1, 3, "PER"], LOC], [LOC])),
)
ANSWERS = (
    row(id="a", by="Ada", text=TEXT, spans=[PER]),
    row(id="a", by="Rex", text=TEXT, spans=[]),
    row(id="b", by="Ada", text=TEXT, spans=[PER]),
    (row(id="b", by="", text=TEXT, spans=[]), None),
    row(id="b", by="Rex", text=TEXT, spans=[PER]),
)
TASK = {"text": TEXT, "answer": "accept"}
TOKENS = [
    {"text": word, "start": TEXT.index(word), "end": TEXT.index(word) + len(word), "id": n}
    for n, word in enumerate(WORDS)
]
ADA = {"start": 0, "end": 3, "token_start": 0, "token_end": 0, "label": "PER"}
PRODIGY = (
    row(**TASK, _input_hash=1, tokens=TOKENS, spans=[ADA]),
    rows(**TASK, _input_hash=2, tokens=TOKENS, spans=([ADA, ADA | {"token_end": 9}], [ADA])),
    rows(**TASK, _input_hash=3, tokens=TOKENS, spans=(
        [{"start": 3, "end": 3, "label": "PER"}, {"start": 1, "end": 3, "label": "PER"}, "PER"],
        [])),
    (row(**TASK | {"answer": "yes"}, _input_hash=4, tokens=TOKENS, spans=[ADA]), None),
    ('{"text": "Ada', None),
    (row(**TASK, _input_hash=5, spans=[]), None),
    rows(**TASK, _input_hash=6, tokens=TOKENS, spans=([ADA | {"label": ""}], [])),
)  # fmt: skip
DOCCANO = (
    row(id=1, text=TEXT, label=[PER]),
    (row(id=2, text=TEXT, label=[PER, [0]]), None),
    (row(id=3, label=[PER]), None),
    (row(id=4, text=TEXT, label="news"), None),
    ("{", None),
    row(id=5, text=TEXT, label=[LOC]),
)
DOCCANO_LABELS = (
    row(id=1, text=TEXT, label=["news"]),
    rows(id=2, text=TEXT, label=(["news", "", "news"], ["news"])),
)
ENTITIES = (
    row(text=TEXT, entities=[PER]),
    (row(text=TEXT, entities=[PER, [0, 3, None], {"label": "PER"}]), None),
    (row(entities=[PER]), None),
    ("[", None),
    (row(text=TEXT, entities=[PER, {"start": 0, "end": 3, "label": "PER", "text": "Bob"}]), None),
    (row(text=TEXT, tokens=WORDS, entities=[PER]), None),
    row(text=TEXT, entities=[LOC]),
)
GLINER = (
    row(tokenized_text=WORDS, ner=[[0, 0, "person"]]),
    (row(tokenized_text=WORDS, ner=[[0, 0, "person"], [3, 2, "person"], [1]]), None),
    (row(tokenized_text="Ada", ner=[]), None),
    ("{}", None),
)
TAGGED = (
    row(tokens=WORDS, ner_tags=["B-PER", "O", "B-PER", "O", "B-LOC"]),
    (row(tokens=WORDS, ner_tags=["B-PER", "O", "I-PER", "I-PER", "B-LOC"]), None),
    (row(tokens=WORDS, ner_tags=["O", "O"]), None),
    (row(tokens=WORDS, ner_tags=["B-PER", "O", "O", "X", "O"]), None),
    (row(ner_tags=["O"]), None),
)


def region(start, end, label="PER", **more):
    """A result of Label Studio."""
    value = {"start": start, "end": end, "labels": [label] if label else []}
    return {"id": "r1", "from_name": "label", "to_name": "text", "type": "labels",
            "value": value | more}  # fmt: skip


def task(number, **results):
    """A task of Label Studio with an annotation of each annotator."""
    answers = [{"completed_by": {"email": who}, "result": said} for who, said in results.items()]
    return {"id": number, "data": {"text": TEXT}, "annotations": answers}


LABELSTUDIO = (
    json.dumps(task(1, ada=[region(0, 3)], rex=[])),
    (json.dumps(task(2, ada=[region(0, 3), region(8, 11, "")])), None),
    (json.dumps(task(3, ada=[region(8, 99)], rex=[region(8, 11)])), None),
    (json.dumps({"id": 4, "data": {}, "annotations": []}), None),
    (json.dumps(task(5) | {"annotations": [{"completed_by": {"email": []}}]}), None),
    "",
)
TABLE = (
    "document,annotator,start,end,label,size,sure",
    "a,Ada,0,2,PER,17,0.5",
    "a,Rex,,,,17,",
    ("b,Rex,4,5,,17,", None),
    ("b,Ada,0,2,PER,17,", None),
    ("d,Rex,x,5,LOC,17,", None),
    ("e,Ada,0,2,PER,,", None),
    "c,Ada,,,,5,",
    ("f,Ada,0,2,PER,5,", None),
    ("f,Rex,0,2,PER,6,", None),
)

CONLL = (
    "Ada\tB-PER", "met\tO", "",
    ("Bob\tI-PER", None), ("in\tX", None), "",
    ("Ada\tO", None), ("met\tO\tO", None), "",
    ("Bob\tPER", None), "",
    ("\tO", None), ("Rome\tB-LOC", None), "",
    "Rome\tB-LOC",
)  # fmt: skip


def gate(*annotations):
    """The XML of a GATE document."""
    nodes = "".join(f'<Node id="{at}"/>{letter}' for at, letter in enumerate(TEXT))
    return (
        f'<GateDocument><TextWithNodes>{nodes}<Node id="19"/></TextWithNodes>'
        f'<AnnotationSet Name="ann">{"".join(annotations)}</AnnotationSet></GateDocument>'
    )


def annotation(number, kind, start, end, *features):
    """An annotation of a GATE document."""
    said = "".join(f"<Feature>{one}</Feature>" for one in features)
    place = f'Id="{number}" Type="{kind}" StartNode="{start}" EndNode="{end}"'
    return f"<Annotation {place}>{said}</Annotation>"


BOTH = cas_files.ENTITIES

SPAN = "a span needs whole numbers"
FILES = {
    "conll": Blemished(
        "conll",
        "a.conll",
        CONLL,
        "4: column 1: tag I-PER begins a sentence, ",
        {
            ("documents", "pass --repair begin"): [4],
            ("documents", "the tokens of this file have 2 columns"): [8, 12],
            ("documents", "IOB2 has"): [10],
        },
    ),
    "jsonl": Blemished(
        "jsonl",
        "a.jsonl",
        JSONL,
        r"2: span PER \[2, 2\) among 5 tokens",
        {
            ("spans", SPAN): [2, 4],
            ("spans", "a span has a start"): [4, 5],
            ("values", "'features' must be an object"): [6],
            ("spans", "'unplaced' holds"): [10],
            ("values", "'sents' holds"): [10],
            ("labels", "'categories' maps"): [11, 11],
            ("labels", "'cats' maps"): [12],
            ("documents", "write one JSON object a line"): [3, 8],
            ("documents", "'tokens' holds a string that"): [7],
            ("documents", "a document needs one of them"): [9],
            ("documents", "'missing' holds"): [13],
        },
    ),
    "jsonl, characters": Blemished(
        "jsonl",
        "a.jsonl",
        MIXED,
        r"4: span PER \[1, 3\) does not fit",
        {("spans", "move it to the borders"): [4], ("documents", "every row needs tokens"): [2]},
        {"offsets": "char"},
    ),
    "jsonl, annotators": Blemished(
        "jsonl",
        "a.jsonl",
        ANSWERS,
        r"4: 'by' is \"\"",
        {
            ("rows", "an annotator is a non-empty string"): [4],
        },
        {"annotator": "by", "offsets": "char"},
    ),
    "prodigy": Blemished(
        "prodigy",
        "a.jsonl",
        PRODIGY,
        r"2: span .* among 5 tokens",
        {
            ("spans", "both need whole numbers"): [2],
            ("spans", SPAN): [3],
            ("spans", "a span has a start and an end"): [3],
            ("spans", "move it to the borders"): [3],
            ("spans", "'label' must be a string"): [7],
            ("documents", "expected one of accept"): [4],
            ("documents", "write one JSON object a line"): [5],
            ("documents", "every row needs tokens"): [6],
        },
    ),
    "doccano": Blemished(
        "doccano",
        "a.jsonl",
        DOCCANO,
        r"2: a span is .0.",
        {
            ("documents", "a row has 'text'"): [2, 3, 4],
            ("documents", "write one JSON object a line"): [5],
        },
    ),
    "doccano, categories": Blemished(
        "doccano",
        "a.jsonl",
        DOCCANO_LABELS,
        "2: 'categories' has",
        {("labels", "'categories' maps layers to lists"): [2, 2]},
    ),
    "entities": Blemished(
        "entities",
        "a.jsonl",
        ENTITIES,
        r"2: a span is",
        {
            ("documents", "a span has start, end and label"): [2],
            ("documents", "write one object for each text"): [3],
            ("documents", "write one JSON object a line"): [4],
            ("documents", "offsets count characters"): [5],
            ("documents", "every row needs tokens"): [6],
        },
    ),
    "gliner": Blemished(
        "gliner",
        "a.jsonl",
        GLINER,
        r"2: a span is \[3, 2, \"person\"\]",
        {
            ("documents", "a span is [first token"): [2],
            ("documents", "'tokenized_text' must be a list"): [3],
            ("documents", "a document needs its tokens"): [4],
        },
    ),
    "tagged": Blemished(
        "tagged",
        "a.jsonl",
        TAGGED,
        "2: token 2: tag I-PER follows O",
        {
            ("documents", "pass --repair begin"): [2],
            ("documents", "IOB2 has"): [4],
            ("documents", "each token has a tag"): [3],
            ("documents", "tags need a list of tokens"): [5],
        },
    ),
    "labelstudio": Blemished(
        "labelstudio",
        "a.jsonl",
        LABELSTUDIO,
        "2: a region without label",
        {
            ("documents", "label or remove it"): [2],
            ("documents", "offsets are characters"): [3],
            ("documents", "name the key of the text"): [4],
            ("documents", "an annotator is a non-empty string"): [5],
        },
    ),
    "csv": Blemished(
        "csv",
        "a.csv",
        TABLE,
        '4: "Rex" as annotator',
        {
            ("documents", "fill annotator, start, end and label"): [4],
            ("documents", "start, end and size are whole numbers"): [6],
            ("documents", "the chance model needs"): [7, 9],
        },
    ),
}  # fmt: skip

each = pytest.mark.parametrize(
    "one",
    FILES.values(),
    ids=FILES,
)


@each
def test_the_first_blemish_stops(tmp_path, one):
    with pytest.raises(FormatError, match=one.stop):
        one.read(one.written(tmp_path, 0), "stop")


@each
def test_the_rest_is_the_sound_file(tmp_path, one):
    found, sound = (one.read(one.written(tmp_path, place)) for place in range(2))
    assert list(found.documents) == list(sound.documents)
    assert found.positions == sound.positions


@each
def test_a_sound_file_has_no_blemishes(tmp_path, one):
    path = one.written(tmp_path, 1)
    assert not one.read(path).notes.skipped_entries()
    assert one.read(path, "stop") == one.read(path)


@each
def test_blemishes_are_counted_by_kind(tmp_path, one):
    notes = one.read(one.written(tmp_path, 0)).notes
    found = {}
    for kind in notes.blemishes:
        key = next(
            key for key in one.kinds if kind.unit == key[0] and kind.advice.startswith(key[1])
        )
        found[key] = found.get(key, []) + [place.line for place in notes.places[kind]]
    assert found == one.kinds


@each
def test_the_blemished_file_is_named(tmp_path, one):
    path = one.written(tmp_path, 0)
    notes = one.read(path).notes
    assert {Path(place.path).parent for some in notes.places.values() for place in some} == {
        path if one.folder else path.parent
    }


BLOCKS = [name for name, one in FILES.items() if READERS[one.format].blocks is not None]


@pytest.mark.parametrize(
    "name", [name for name in BLOCKS if "categories" not in name and "annotators" not in name]
)
def test_blocks_leave_out_the_same(tmp_path, name):
    one = FILES[name]
    path = str(one.written(tmp_path, 0))
    options = {
        "on_error": "skip:1",
        "format": one.format,
        **one.options,
        "metrics": defaults("span_f"),
    }
    whole = score(path, path, **options)
    with many_blocks(strict=False):
        assert score(path, path, **options) == whole


JSON_SIGNS = b'"{}[],:019x\n\t '
PIECES = [*(bytes([one]) for one in JSON_SIGNS), b"null", b"[]", b"-1", b"\\u", b"\xff"]


def edited(content, rng):
    """Some bytes with a few random edits."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(content) + 1)
        cut = rng.choice([0, 0, 1, 4])
        content = content[:at] + rng.choice([b"", *PIECES]) + content[at + cut :]
    return content


@each
def test_what_stops_is_skipped_and_told_or_stops_all_the_same(tmp_path, one):
    rng = Random(17)
    for number in range(25):
        path = one.written(tmp_path, number % 2)
        file = path / one.name if one.folder else path
        file.write_bytes(edited(file.read_bytes(), rng))
        found = []
        for policy in ("stop", "skip:1"):
            try:
                found.append(one.read(path, policy))
            except ValueError:
                found.append(None)
        stopped, skipped = found
        if stopped is not None:
            assert skipped == stopped and not skipped.notes.skipped_entries()
        elif skipped is not None:
            assert skipped.notes.skipped_entries()


FOLDERS = {
    "brat": ({"a.ann": "T1\tPER 0 3\tAda", "c.ann": ""}, {"b.ann": ""}, "put the text there"),
    "gate": (
        {"a.xml": gate(annotation(1, "PER", 0, 3)), "c.xml": gate()},
        {"b.xml": gate()[:-20]},
        "export it again",
    ),
    "cas": (
        {"a.xmi": cas_files.xmi(*BOTH), "c.xmi": cas_files.xmi()},
        {"b.xmi": cas_files.xmi()[:-9]},
        "export it again",
    ),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_document_that_cannot_be_read_is_left_out_of_its_folder(tmp_path, name):
    sound, bad, advice = FOLDERS[name]
    texts = {"a.txt": TEXT, "c.txt": TEXT} if name == "brat" else {}
    for file, text in {**texts, **sound, **bad}.items():
        (tmp_path / file).write_text(text, "utf-8")
    with pytest.raises(FormatError, match=advice):
        read_folder(tmp_path, Reading(format=name))
    found = read_folder(tmp_path, Reading(format=name, on_error="skip:.5"))
    assert ([one.name for one in found.documents], found.skipped) == (["a", "c"], (1,))
    assert found.notes.signed() == {"skipped": "1/3 documents"}
    with pytest.raises(FormatError, match="1 of 3 documents would be left out"):
        read_folder(tmp_path, Reading(format=name, on_error="skip"))


@pytest.mark.parametrize("at", [0, 1], ids=["gold", "pred"])
def test_folders_in_blocks_leave_out_the_same_documents(tmp_path, at):
    rows = [annotation(1, "PER", 0, 3), annotation(2, "LOC", 15, 19)]
    for folder, some in (("gold", rows), ("pred", rows[:1])):
        (tmp_path / folder).mkdir()
        for name in "abcd":
            (tmp_path / folder / f"{name}.xml").write_text(gate(*some), "utf-8")
    (tmp_path / ("gold", "pred")[at] / "b.xml").write_text(gate()[:-20], "utf-8")
    paths = [str(tmp_path / folder) for folder in ("gold", "pred")]
    options = {"on_error": "skip:.5", "metrics": defaults("span_f")}
    whole = score(*paths, **options)
    assert whole["layers"][0]["n_docs"] == 3
    with many_blocks(strict=False):
        assert score(*paths, **options) == whole


def test_a_doc_that_cannot_be_made_is_left_out(tmp_path):
    path = tmp_path / "a.spacy"
    rows = [row(id=name, tokens=WORDS, spans=[[0, 1, "PER"]]) for name in "abc"]
    (tmp_path / "a.jsonl").write_text("\n".join(rows), "utf-8")
    READERS["spacy"].write(path, read(tmp_path / "a.jsonl"))
    whole = read(path)
    docs = DocBin(store_user_data=True).from_disk(path)
    docs.span_groups[1] = b"?"
    docs.to_disk(path)
    with pytest.raises(FormatError, match="document 2 is damaged: its span groups"):
        read(path)
    found = read(path, on_error="skip:.5")
    assert list(found.documents) == [whole.documents[0], whole.documents[2]]
    assert (found.skipped, found.notes.signed()) == ((1,), {"skipped": "1/3 documents"})
    options = {"on_error": "skip:.5", "metrics": defaults("span_f")}
    whole = score(str(path), str(path), **options)
    with many_blocks(strict=False):
        assert score(str(path), str(path), **options) == whole
