"""`--on-error` for each format: small files in the style of real ones, with every kind of blemish.

The files stand in `blemished`, each line behind two signs: "! " if it has a blemish, which costs
its document.
"""

import json
from pathlib import Path
from random import Random

import pytest
from spacy.tokens import DocBin

from helpers import cas_files
from helpers.blocks import defaults, many_blocks, score
from spacy_chance_eval.formats import READERS, FormatError, read, read_folder
from spacy_chance_eval.formats.keys import Reading

TEXT = "Ada met Bob in Rome"


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


FILES = {  # name: (format, ending, options)
    "conll": ("conll", "conll", {}),
    "jsonl": ("jsonl", "jsonl", {}),
    "jsonl_characters": ("jsonl", "jsonl", {"offsets": "char"}),
    "jsonl_annotators": ("jsonl", "jsonl", {"annotator": "by", "offsets": "char"}),
    "prodigy": ("prodigy", "jsonl", {}),
    "doccano": ("doccano", "jsonl", {}),
    "doccano_categories": ("doccano", "jsonl", {}),
    "entities": ("entities", "jsonl", {}),
    "gliner": ("gliner", "jsonl", {}),
    "tagged": ("tagged", "jsonl", {}),
    "labelstudio": ("labelstudio", "jsonl", {}),
    "csv": ("csv", "csv", {}),
}
each = pytest.mark.parametrize("name", FILES)


def lines_of(name):
    """(whether it has a blemish, text) of each line of a file."""
    text = (Path(__file__).parent / "blemished" / f"{name}.txt").read_text("utf-8")
    return [(line.startswith("!"), line[2:]) for line in text.removesuffix("\n").split("\n")]


def written(folder, name, is_sound=False):
    """A file with its blemishes, or without these lines."""
    path = folder / f"{'sound' if is_sound else 'blemished'}.{FILES[name][1]}"
    kept = [line for is_bad, line in lines_of(name) if not (is_sound and is_bad)]
    path.write_text("\n".join(kept) + "\n", "utf-8", newline="")
    return path


def read_as(path, name, on_error="skip"):
    """The corpus of a file."""
    form, _, options = FILES[name]
    return read(path, format=form, on_error=on_error, **options)


@each
def test_the_rest_is_the_sound_file(tmp_path, name):
    lines = [n for n, (is_bad, _) in enumerate(lines_of(name), 1) if is_bad]
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
    path, (form, _, options) = str(written(tmp_path, name)), FILES[name]
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
        {"a.xmi": cas_files.xmi(*cas_files.ENTITIES), "c.xmi": cas_files.xmi()},
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
    rows = [json.dumps({"id": name, "tokens": ["Ada"], "spans": [[0, 1, "PER"]]}) for name in "abc"]
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
