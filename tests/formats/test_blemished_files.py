"""`--on-error` for each format: small files in the style of real ones, with every kind of blemish.

A file is a list of lines. Those that are a `Bad` have a blemish, which costs their document.
"""

import json
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


class Bad(str):
    """A line with a blemish."""


def row(**entries):
    """A line of JSON."""
    return json.dumps(entries)


def bad(**entries):
    """The same with a blemish."""
    return Bad(json.dumps(entries))


JSONL = (
    row(id="a", tokens=WORDS, spans=[[0, 1, "PER"]]),
    bad(tokens=WORDS, spans=[[0, 1, "PER"], [2, 2, "PER"]]),
    Bad('{"id": "c", "tokens": ["Ada",'),
    bad(tokens=WORDS, spans=[[4, 9, "LOC"], [2, 3, "PER"], 7]),
    bad(tokens=WORDS, spans=[[0, 1, ""]]),
    bad(tokens=WORDS, spans=[{"start": 4, "end": 5, "label": "LOC", "features": "city"}]),
    bad(tokens=["Ada", "", "met"], spans=[]),
    Bad("[]"),
    bad(id="h", spans=[]),
    bad(tokens=WORDS, sents=[0, 9], spans=[]),
    bad(tokens=WORDS, unplaced={"spans": [[2, "PER"], [0, "X"]]}, spans=[]),
    bad(tokens=WORDS, spans=[], categories=["news", "", "news"]),
    bad(tokens=WORDS, spans=[], cats={"news": 1, "mail": None}),
    bad(tokens=WORDS, missing=[[3, 9]], spans=[]),
    *[row(tokens=WORDS, spans=[[0, 1, "PER"]])] * 12,
)
MIXED = (
    row(id="a", text=TEXT, tokens=WORDS, spans=[PER]),
    bad(id="b", text=TEXT, spans=[PER]),
    row(id="c", text=TEXT, tokens=WORDS, spans=[LOC]),
    bad(id="d", text=TEXT, tokens=WORDS, spans=[[1, 3, "PER"], LOC]),
)
ANSWERS = (
    row(id="a", by="Ada", text=TEXT, spans=[PER]),
    row(id="a", by="Rex", text=TEXT, spans=[]),
    row(id="b", by="Ada", text=TEXT, spans=[PER]),
    bad(id="b", by="", text=TEXT, spans=[]),
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
    bad(**TASK, _input_hash=2, tokens=TOKENS, spans=[ADA, ADA | {"token_end": 9}]),
    bad(**TASK, _input_hash=3, tokens=TOKENS, spans=[{"start": 3, "end": 3, "label": "PER"}]),
    bad(**TASK, _input_hash=4, tokens=TOKENS, spans=[{"start": 1, "end": 3, "label": "PER"}]),
    bad(**TASK, _input_hash=5, tokens=TOKENS, spans=["PER"]),
    bad(**TASK | {"answer": "yes"}, _input_hash=6, tokens=TOKENS, spans=[ADA]),
    Bad('{"text": "Ada'),
    bad(**TASK, _input_hash=7, spans=[]),
    bad(**TASK, _input_hash=8, tokens=TOKENS, spans=[ADA | {"label": ""}]),
    *[row(**TASK, tokens=TOKENS, spans=[])] * 8,
)
DOCCANO = (
    row(id=1, text=TEXT, label=[PER]),
    *(bad(text=TEXT, label=[PER, one]) for one in ([3, 3, "A"], [1, 99, "A"], [0, 3, ""], [0])),
    bad(label=[PER]),
    bad(text=TEXT, label="news"),
    Bad("{"),
    *[row(text=TEXT, label=[LOC])] * 8,
)
DOCCANO_LABELS = row(id=1, text=TEXT, label=["news"]), bad(text=TEXT, label=["news", "", "news"])
ENTITIES = (
    row(text=TEXT, entities=[PER]),
    *(
        bad(text=TEXT, entities=[PER, one])
        for one in (
            [3, 3, "PER"],
            [15, 99, "LOC"],
            [0, 3, None],
            {"start": 0, "end": 3, "label": ""},
            {"start": 0, "end": 3, "label": "PER", "text": "Bob"},
            {"label": "PER"},
            "PER",
        )
    ),
    bad(entities=[PER]),
    Bad("["),
    bad(text=TEXT, tokens=WORDS, entities=[PER]),
    *[row(text=TEXT, entities=[LOC])] * 10,
)
GLINER = (
    row(tokenized_text=WORDS, ner=[[0, 0, "person"]]),
    *(bad(tokenized_text=WORDS, ner=[one]) for one in ([3, 2, "A"], [4, 9, "A"], [2, 2, ""], [1])),
    bad(tokenized_text="Ada", ner=[]),
    Bad("{}"),
    *[row(tokenized_text=WORDS, ner=[])] * 6,
)
TAGGED = (
    row(tokens=WORDS, ner_tags=["B-PER", "O", "B-PER", "O", "B-LOC"]),
    bad(tokens=WORDS, ner_tags=["B-PER", "O", "PER", "I-PER", "B-LOC"]),
    bad(tokens=WORDS, ner_tags=["O", "O"]),
    bad(tokens=WORDS, ner_tags=["B-PER", "O", "O", "X", "O"]),
    bad(ner_tags=["O"]),
    *[row(tokens=WORDS, ner_tags=["O"] * 5)] * 4,
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
    row(**task(1, ada=[region(0, 3)], rex=[])),
    *(
        bad(**task(2, ada=[region(0, 3), one], rex=[region(8, 11)]))
        for one in (region(8, 8), region(8, 99), region(8, 11, ""), 7, region(8, 11, text="Ada"))
    ),
    bad(id=4, data={}, annotations=[]),
    bad(**task(5) | {"annotations": [{"completed_by": {"email": []}}]}),
    *[row(**task(6, ada=[], rex=[region(8, 11)]))] * 8,
    "",
)
TABLE = (
    "document,annotator,start,end,label,size,sure",
    "a,Ada,0,2,PER,17,0.5",
    "a,Rex,,,,17,",
    Bad("b,Rex,4,5,,17,"),
    "c,Ada,,,,5,",
)
CONLL = (
    "Ada\tB-PER", "met\tO", "",
    Bad("Bob\tPER"), "",
    Bad("Ada\tO\tO"), "",
    Bad("Ada"), "",
    Bad("Bob\tB_PER"), "",
    *["Rome\tB-LOC", ""] * 4,
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
FILES = {  # name: (format, ending, lines, options)
    "conll": ("conll", "conll", CONLL, {}),
    "jsonl": ("jsonl", "jsonl", JSONL, {}),
    "jsonl, characters": ("jsonl", "jsonl", MIXED, {"offsets": "char"}),
    "jsonl, annotators": ("jsonl", "jsonl", ANSWERS, {"annotator": "by", "offsets": "char"}),
    "prodigy": ("prodigy", "jsonl", PRODIGY, {}),
    "doccano": ("doccano", "jsonl", DOCCANO, {}),
    "doccano, categories": ("doccano", "jsonl", DOCCANO_LABELS, {}),
    "entities": ("entities", "jsonl", ENTITIES, {}),
    "gliner": ("gliner", "jsonl", GLINER, {}),
    "tagged": ("tagged", "jsonl", TAGGED, {}),
    "labelstudio": ("labelstudio", "jsonl", LABELSTUDIO, {}),
    "csv": ("csv", "csv", TABLE, {}),
}
each = pytest.mark.parametrize("name", FILES)


def written(folder, name, is_sound=False):
    """A file with its blemishes, or without these lines."""
    _, ending, lines, _ = FILES[name]
    path = folder / f"{'sound' if is_sound else 'blemished'}.{ending}"
    kept = [line for line in lines if not is_sound or not isinstance(line, Bad)]
    path.write_text("\n".join(kept) + "\n", "utf-8", newline="")
    return path


def read_as(path, name, on_error="skip"):
    """The corpus of a file."""
    form, _, _, options = FILES[name]
    return read(path, format=form, on_error=on_error, **options)


@each
def test_the_rest_is_the_sound_file(tmp_path, name):
    lines = [n for n, line in enumerate(FILES[name][2], 1) if isinstance(line, Bad)]
    path = written(tmp_path, name)
    found, sound = read_as(path, name), read_as(written(tmp_path, name, is_sound=True), name)
    documents = [[{**vars(one), "lines": ()} for one in some.documents] for some in (found, sound)]
    assert documents[0] == documents[1]
    assert found.positions == sound.positions
    places = [place for some in found.notes.places.values() for place in some]
    assert sorted(place.line for place in places) == lines
    assert {place.path for place in places} == {str(path)}
    with pytest.raises(FormatError) as error:
        read_as(path, name, "stop")
    assert error.value.line in lines


BLOCKS = [
    name
    for name, (form, *_) in FILES.items()
    if READERS[form].blocks is not None and "categories" not in name and "annotators" not in name
]


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_leave_out_the_same(tmp_path, name):
    path, (form, _, _, options) = str(written(tmp_path, name)), FILES[name]
    how = {"on_error": "skip", "format": form, **options, "metrics": defaults("span_f")}
    whole = score(path, path, **how)
    with many_blocks(strict=False):
        assert score(path, path, **how) == whole


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
def test_what_stops_is_skipped_and_told_or_stops_all_the_same(tmp_path, name):
    rng = Random(17)
    for number in range(25):
        path = written(tmp_path, name, is_sound=number % 2 == 1)
        path.write_bytes(edited(path.read_bytes(), rng))
        found = []
        for policy in ("stop", "skip"):
            try:
                found.append(read_as(path, name, policy))
            except ValueError:
                found.append(None)
        stopped, skipped = found
        if stopped is not None:
            assert skipped == stopped and not skipped.notes.entries().get("skipped")
        elif skipped is not None:
            assert skipped.notes.entries().get("skipped")


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
    texts |= {"TypeSystem.xml": cas_files.type_system()} if name == "cas" else {}
    for file, text in {**texts, **sound, **bad}.items():
        (tmp_path / file).write_text(text, "utf-8")
    with pytest.raises(FormatError, match=advice):
        read_folder(tmp_path, Reading(format=name))
    found = read_folder(tmp_path, Reading(format=name, on_error="skip"))
    assert ([one.name for one in found.documents], found.skipped) == (["a", "c"], (1,))
    assert found.notes.signed() == {"skipped": "1/3 documents"}


@pytest.mark.parametrize("at", [0, 1], ids=["gold", "pred"])
def test_folders_in_blocks_leave_out_the_same_documents(tmp_path, at):
    rows = [annotation(1, "PER", 0, 3), annotation(2, "LOC", 15, 19)]
    for folder, some in (("gold", rows), ("pred", rows[:1])):
        (tmp_path / folder).mkdir()
        for name in "abcd":
            (tmp_path / folder / f"{name}.xml").write_text(gate(*some), "utf-8")
    (tmp_path / ("gold", "pred")[at] / "b.xml").write_text(gate()[:-20], "utf-8")
    paths = [str(tmp_path / folder) for folder in ("gold", "pred")]
    options = {"on_error": "skip", "metrics": defaults("span_f")}
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
    with pytest.raises(FormatError, match="document 2 is damaged"):
        read(path)
    found = read(path, on_error="skip")
    assert list(found.documents) == [whole.documents[0], whole.documents[2]]
    assert (found.skipped, found.notes.signed()) == ((1,), {"skipped": "1/3 documents"})
    options = {"on_error": "skip", "metrics": defaults("span_f")}
    whole = score(str(path), str(path), **options)
    with many_blocks(strict=False):
        assert score(str(path), str(path), **options) == whole
