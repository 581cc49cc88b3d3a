"""What a source knows of its files and tells their reader."""

import os

import pytest

from spacy_chance_eval import formats
from spacy_chance_eval.corpora.blocks import match_files
from spacy_chance_eval.corpora.panels import read_panel
from spacy_chance_eval.corpora.sources import Source
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.keys import Reading


def conll_folder(folder, **texts):
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text)
    return str(folder)


def test_files_of_a_folder_of_conll_are_documents(tmp_path):
    folder = conll_folder(tmp_path / "anna", one="a O\n\nb O\n", two="c O\n")
    found = Source(folder).looked_at().read().documents
    assert [(one.name, one.words) for one in found] == [("one", ("a", "b")), ("two", ("c",))]


@pytest.mark.parametrize("size", [0, 1_000_000])
def test_sentences_are_documents_of_a_folder_where_users_or_large_files_say_so(tmp_path, size):
    folder = conll_folder(tmp_path / "anna", one="a O\n\nb O\n" + "\n" * size, two="c O\n")
    options = {} if size else {"documents": "sentence"}
    found = Source(folder).looked_at("gold", Reading.of(options)).read().documents
    assert [(one.name, one.words) for one in found] == [(None, (word,)) for word in "abc"]


def test_folders_of_annotators_are_matched_by_the_names_of_files(tmp_path):
    anna = conll_folder(tmp_path / "anna", one="a B-X\n\nb O\n", two="a O\n\nb O\n")
    ben = conll_folder(tmp_path / "ben", two="a O\n\nb O\n", zwei="c B-X\n")
    panel, corpus = read_panel([anna, ben])
    assert {one.name for one in corpus.documents} == {"one", "two", "zwei"}
    seen = {name: spans.seen.sum() for name, spans in panel.annotators.items()}
    assert seen == {"anna": 2, "ben": 2}


MATCHES = {
    "names": ([["a/1.conll", "a/2.conll"], ["b/2.jsonl", "b/1.jsonl"]], [[0, 1], [1, 0]]),
    "places": ([["a/1.conll", "a/2.conll"], ["b/3.conll", "b/4.conll"]], [[0, 1], [0, 1]]),
    "other numbers": ([["a/1.conll", "a/2.conll"], ["b/1.conll"]], None),
    "one file each": ([["a/1.conll"], ["b/2.conll"]], None),
}


@pytest.mark.parametrize(("files", "places"), MATCHES.values(), ids=MATCHES)
def test_files_belong_together_by_name_or_else_by_place(files, places):
    check_matches(files, places)


def check_matches(files, places, **options):
    found = match_files([Source(names[0][0], files=tuple(names)) for names in files], **options)
    if places is None:
        assert found is None
    else:
        expected = [tuple(names[i] for i in order) for names, order in zip(files, places)]
        assert [one.files for one in found] == expected


@pytest.mark.parametrize("change", ["appended", "replaced", "removed", "truncated"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, change):
    path, new = tmp_path / "a.jsonl", tmp_path / "new"
    row = '{"tokens": ["Ada"], "spans": []}\n'
    path.write_text(row * 2)
    new.write_text(row * 2)
    source = Source(str(path)).looked_at()
    read_file = formats.read_file

    def read(file, *reading):
        corpus = read_file(file, *reading)
        if change == "replaced":
            os.replace(new, file)
        elif change == "removed":
            os.unlink(file)
        else:
            with open(file, "a" if change == "appended" else "r+") as opened:
                opened.truncate(3) if change == "truncated" else opened.write(row)
                raise ValueError("no JSON")  # as half of a file may lead to
        return corpus

    monkeypatch.setattr(formats, "read_file", read)
    with pytest.raises(FormatError, match=r"a\.jsonl: changed while it was read"):
        source.read()
    monkeypatch.undo()
    if change == "appended":
        assert len(source.read().documents) == 3
