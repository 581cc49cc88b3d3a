"""Files that are no runs, or damaged ones: refused, most of them before they are read."""

import io
import json
import pickle
import zipfile

import numpy as np
import pytest

from runs.test_store import changed, run_of, written
from spacy_chance_eval import FormatError
from spacy_chance_eval.measures.spans import Spans
from spacy_chance_eval.runs import files
from spacy_chance_eval.runs.files import read_run, stored_run, write_run


@pytest.fixture
def path(tmp_path):
    """A file of a run."""
    write_run(tmp_path / "a.run", run_of(annotations="text"))
    return tmp_path / "a.run"


def message(path):
    with pytest.raises(FormatError) as caught:
        read_run(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_a_missing_file_is_an_error(tmp_path):
    assert "No such file" in message(tmp_path / "none")


def test_a_folder_is_an_error(tmp_path):
    assert "Is a directory" in message(tmp_path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"text", pickle.dumps([1])])
def test_another_file_is_an_error(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    assert "not a run written by `save`" in message(tmp_path / "a")


def test_arrays_of_somebody_else_are_an_error(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.ones(3))
    assert "not one of `save`" in message(tmp_path / "a.npz")


@pytest.mark.parametrize("version", [True, 1.0, "1", None])
def test_a_version_is_a_whole_number(path, version):
    said = message(changed(path, lambda header: header | {"format_version": version}))
    assert f"format version {version!r}" in said


def test_an_unknown_version_says_which_are_known_and_what_to_do(path):
    said = message(changed(path, lambda header: header | {"format_version": 7}))
    assert "format version 7" in said and "knows 1: update it, or save the run again" in said


@pytest.mark.parametrize("chance", ["candidates", "candidates-overlapping"])
def test_a_chance_model_that_is_gone_is_to_be_replaced(path, chance):
    kept = changed(path, lambda h: h["metrics"][0]["parameters"].update(chance=chance))
    said = message(kept)
    assert f"chance is '{chance}'" in said and "with another metric or chance model" in said
    assert "damaged" not in said


def test_a_file_cut_off_anywhere_is_an_error(path):
    whole = path.read_bytes()
    for length in range(0, len(whole), 97):
        path.write_bytes(whole[:length])
        assert message(path)


@pytest.mark.integration
def test_a_file_with_any_wrong_byte_is_an_error_or_the_same(path):
    whole, run = path.read_bytes(), read_run(path)
    for place in range(0, len(whole), 41):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x15]) + whole[place + 1 :])
        try:
            assert read_run(path).labels == run.labels
        except FormatError:
            pass


def test_pickles_are_not_loaded(path, tmp_path):
    np.save(tmp_path / "x.npy", np.array([{"a": 1}], object), allow_pickle=True)
    content = (tmp_path / "x.npy").read_bytes()
    assert "damaged" in message(changed(path, lambda h: None, {"0.npy": content}))


def statistics(header):
    return header["metrics"][0]["statistics"]["observed"]


TAMPERED = {
    "no labels": lambda h: h.pop("labels") and None,
    "fewer labels": lambda h: h["labels"].pop() and None,
    "labels twice": lambda h: h.update(labels=["A"] * len(h["labels"])),
    "labels that are numbers": lambda h: h.update(labels=list(range(len(h["labels"])))),
    "fewer names": lambda h: h["names"].pop() and None,
    "names twice": lambda h: h.update(names=["x"] * len(h["names"])),
    "one cluster": lambda h: h.update(clusters=["x"]),
    "no metrics": lambda h: h.update(metrics=[]),
    "a list": lambda h: [h],
    "another metric": lambda h: h["metrics"][0].update(metric="cohen_kappa"),
    "an unknown metric": lambda h: h["metrics"][0].update(metric="__class__"),
    "a wrong beta": lambda h: h["metrics"][0]["parameters"].update(beta="x"),
    "a beta of text": lambda h: h["metrics"][0]["parameters"].update(beta="2.0"),
    "a parameter less": lambda h: h["metrics"][0]["parameters"].pop("beta") and None,
    "a parameter more": lambda h: h["metrics"][0]["parameters"].update(x=1),
    "no expectation": lambda h: h["metrics"][0]["statistics"].update(expected=None),
    "an array that is not there": lambda h: statistics(h).update(gold=999),
    "an array of another shape": lambda h: statistics(h).update(gold=h["seen"]),
    "no place of an array": lambda h: statistics(h).update(gold="../0"),
    "a negative place": lambda h: statistics(h).update(gold=-1),
    "another kind": lambda h: statistics(h).update(kind="Pairings"),
    "no kind": lambda h: statistics(h).pop("kind") and None,
    "types that are none": lambda h: h.update(arrays=["O"] * len(h["arrays"])),
    "facts that are none": lambda h: h.update(facts=[]),
    "no digest": lambda h: h["facts"].pop("gold") and None,
    "one source": lambda h: h.update(sources=["x"]),
    "a text for sources": lambda h: h.update(sources="xy"),
    "empty annotations": lambda h: h.update(annotations={}),
    "a title that is none": lambda h: h.update(title=[1]),
    "spans outside": lambda h: h["annotations"]["gold"].update(doc=h["annotations"]["gold"]["end"]),
    "fewer words": lambda h: h["annotations"]["words"].pop() and None,
    "keys of another type": lambda h: h["keys"].update(gold=h["support"]["gold"]),
}


@pytest.mark.parametrize("change", TAMPERED.values(), ids=TAMPERED)
def test_parts_that_do_not_fit_each_other_are_an_error(path, change):
    assert message(changed(path, change))


def npy(array, shape=None):
    """A file of numpy; its header may tell another shape."""
    file = io.BytesIO()
    header = np.lib.format.header_data_from_array_1_0(array)
    np.lib.format.write_array_header_1_0(file, header | {"shape": shape or array.shape})
    return file.getvalue() + array.tobytes()


HEADERS = {
    "no end": "{'descr': '<f8', 'shape': (3,",
    "an open text": "{'descr': '<f8",
    "an open text of lines": '{\'descr\': """<f8',
    "no literal": "{'descr': '<f8', 'fortran_order': False, 'shape': (2**40,), }",
    "a call": "{'descr': '<f8', 'fortran_order': False, 'shape': (print(1),), }",
    "columns first": "{'descr': '<f8', 'fortran_order': True, 'shape': (5,), }",
    "objects": "{'descr': '|O', 'fortran_order': False, 'shape': (5,), }",
    "texts": "{'descr': '<U2', 'fortran_order': False, 'shape': (5,), }",
    "complex numbers": "{'descr': '<c16', 'fortran_order': False, 'shape': (5,), }",
    "a dtype that is none": "{'descr': '<f7', 'fortran_order': False, 'shape': (5,), }",
    "a negative shape": "{'descr': '<f8', 'fortran_order': False, 'shape': (-5,), }",
    "a huge shape": "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
    "nothing": "",
    "deep brackets": "(" * 5000,
    "zeros": "\0" * 80,
}


@pytest.mark.parametrize("text", HEADERS.values(), ids=HEADERS)
def test_a_header_of_an_array_that_numpy_does_not_write_is_an_error(path, text):
    place = statistics(header_of(path))["gold"]
    head = b"\x93NUMPY\x01\x00" + (len(text) + 1).to_bytes(2, "little") + text.encode() + b"\n"
    said = message(changed(path, lambda h: None, {f"{place}.npy": head + bytes(40)}))
    assert "damaged (an array that holds no numbers); copy or save it again" in said


@pytest.mark.parametrize("packing", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
@pytest.mark.parametrize("name", ["run.json", "0.npy"])
def test_members_are_compressed_as_save_does(path, packing, name):
    with zipfile.ZipFile(path) as archive:
        members = {one: archive.read(one) for one in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for one, content in members.items():
            archive.writestr(one, content, packing if one == name else zipfile.ZIP_DEFLATED)
    assert f"damaged ({name} is compressed in another way" in message(path)


@pytest.mark.parametrize("where", [0, -1], ids=["before the member", "in the list at the end"])
def test_a_name_of_a_member_that_is_no_text_is_an_error(path, where):
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("\u00e9.npy", b"")
    content, name = path.read_bytes(), "\u00e9.npy".encode()
    parts = content.split(name)
    assert len(parts) == 3
    seams = [name, name]
    seams[where] = b"\xff\xff.npy"
    path.write_bytes(parts[0] + seams[0] + parts[1] + seams[1] + parts[2])
    if where == 0:
        assert read_run(path).labels  # nobody asks for that member
    else:
        assert "damaged" in message(path)
        assert not files.is_run(path)


def test_the_name_of_an_array_that_is_no_text_is_an_error(path):
    content = path.read_bytes()
    at = content.index(b"0.npy")
    flags = at - 24  # of the member: 30 bytes before its name, 6 behind their beginning
    broken = bytearray(content)
    broken[flags : flags + 2] = (0x800).to_bytes(2, "little")
    broken[at : at + 1] = b"\xff"
    path.write_bytes(bytes(broken))
    assert "damaged" in message(path)


def test_a_shape_of_more_than_there_is_takes_no_memory(path):
    place = statistics(header_of(path))["gold"]
    said = message(changed(path, lambda h: None, {f"{place}.npy": npy(np.ones(5), (10**15,))}))
    assert "an array of shape (1000000000000000,) that has 40 bytes" in said


@pytest.mark.parametrize("start", [b"", b"\x93NUM", b"\x93NUMPY\x01\x00", b"\x93NUMPY\x03\x00aaaa"])
def test_an_array_without_its_beginning_is_an_error(path, start):
    place = statistics(header_of(path))["gold"]
    assert "damaged" in message(changed(path, lambda h: None, {f"{place}.npy": start}))


@pytest.mark.parametrize("kind", ["x", "|O", 5, None, "<f8,<f8", "(", "<f3"])
def test_a_type_of_numbers_that_is_none_is_an_error(path, kind):
    said = message(changed(path, lambda h: h.update(arrays=[kind] * len(h["arrays"]))))
    assert "an array that holds no numbers" in said


def header_of(path):
    """What a file says of itself."""
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("run.json"))


def test_a_header_that_unpacks_to_far_more_than_any_is_not_read(path, monkeypatch):
    monkeypatch.setattr(files, "SMALL", 10_000)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.json", b" " * 1_000_000)
    assert "run.json would have 1000000 bytes" in message(path)


def test_a_header_that_lies_about_its_size_is_an_error(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("run.json", b"{}" + b" " * 1_000_000)
    content, size = path.read_bytes(), (1_000_002).to_bytes(4, "little")
    assert content.count(size) == 2  # before the member, and in the list at the end
    path.write_bytes(content.replace(size, (2).to_bytes(4, "little")))
    assert message(path)


def test_an_array_that_is_longer_than_its_shape_says_is_not_read(path, monkeypatch):
    monkeypatch.setattr(np.lib.format, "read_array", lambda *_, **more: pytest.fail("was read"))
    seen = f"{header_of(path)['seen']}.npy"
    file = changed(path, lambda h: None, {seen: npy(np.ones(5, bool), (10**12,))})
    assert "an array of shape (1000000000000,) that has 5 bytes" in message(file)


def test_an_array_of_a_shape_that_was_not_expected_is_not_read(path, monkeypatch):
    members = []
    read = np.lib.format.read_array
    monkeypatch.setattr(
        np.lib.format,
        "read_array",
        lambda file, **options: members.append(file.name) or read(file, **options),
    )
    header = header_of(path)
    for place in (header["support"]["gold"], statistics(header)["gold"]):
        write_run(path, run_of(annotations="text"))
        members.clear()
        message(changed(path, lambda h: None, {f"{place}.npy": npy(np.ones((4000, 3)))}))
        assert f"{place}.npy" not in members


def test_a_run_of_many_documents_with_text_is_read(tmp_path):
    words = [f"word{i % 5000}" for i in range(200_000)]
    spans = Spans.from_tuples([[(0, 1, "PER")]] * 20_000, [10] * 20_000, words=words)
    run = stored_run(spans, spans, ["span_f"], annotations="text")
    assert written(tmp_path / "a", run).n_docs == 20_000


def test_deeply_nested_headers_are_an_error(path):
    deep = b"[" * 100_000 + b"]" * 100_000
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("run.json", deep)
    assert "damaged" in message(path)
