"""Addresses: what fsspec opens is read as local files are; nothing is written there."""

import json
import sys

import pytest

from helpers import treefiles
from helpers.cases import each_case
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, call, conll, failed, jsonl
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats import files_of, read
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.files import check_unchanged, fingerprint, open_text
from spacy_chance_eval.formats.outputs import check_writable, write_atomically
from spacy_chance_eval.formats.paths import Remote, is_remote, matching, path_of
from spacy_chance_eval.runs.files import read_run

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(params=["memory", pytest.param("file", marks=pytest.mark.integration)])
def folder(request, tmp_path):
    """The address of an empty folder: in memory, and as an address of a local one."""
    if request.param == "file":
        yield tmp_path.as_uri()
        return
    yield "memory://folder"
    fsspec.filesystem("memory").rm("/", recursive=True)


def put(address, data=b"text\n"):
    with fsspec.open(address, "wb") as file:
        file.write(data)
    return address


def test_a_remote_file_that_nobody_touches_is_unchanged(folder):
    path = put(f"{folder}/a")
    assert check_unchanged(path, fingerprint(path)) is None


def test_a_remote_file_that_changes_while_it_is_read_is_named(folder):
    path = put(f"{folder}/a")
    before = fingerprint(path)
    put(path, b"other text\n")
    with pytest.raises(FormatError, match=f"{path}: changed while it was read"):
        check_unchanged(path, before)


def test_a_remote_file_that_is_removed_while_it_is_read_is_named(folder):
    path = put(f"{folder}/a")
    before = fingerprint(path)
    system, place = fsspec.core.url_to_fs(path)
    system.rm(place)
    with pytest.raises(FormatError, match="changed while it was read .*no such file"):
        check_unchanged(path, before)


# --- which paths are addresses


@pytest.mark.parametrize(
    "path", ["s3://bucket/a.jsonl", "memory://a", "file:///a", "simplecache::s3://bucket/a"]
)
def test_addresses_are_told_by_their_beginning(path):
    assert is_remote(path) and is_remote(path_of(path)) and str(path_of(path)) == path


@pytest.mark.parametrize(
    "path", ["a.jsonl", "/a/b", "C://a", "C:\\a", "a::b", "./s3://a", "a b://c"]
)
def test_other_paths_are_local(path, tmp_path):
    assert not is_remote(path) and not is_remote(tmp_path / path)


@pytest.mark.parametrize(
    ("address", "parent", "name"),
    [
        ("s3://bucket/a/b.jsonl.gz", "s3://bucket/a", "b.jsonl.gz"),
        ("zip://a/b.jsonl.gz::s3://bucket/c.zip", "zip://a::s3://bucket/c.zip", "b.jsonl.gz"),
        ("simplecache::s3://a/b.jsonl.gz", "simplecache::s3://a", "b.jsonl.gz"),
    ],
)
def test_an_address_has_the_parts_of_a_path(address, parent, name):
    path = Remote(address)
    assert (str(path.parent), path.name, path.suffixes) == (parent, name, [".jsonl", ".gz"])
    assert path.parent / name == path and path.stem == "b.jsonl"
    assert path.with_name("x") == path.parent / "x"
    assert path.relative_to(path.parent.parent).name == name


# --- reading


TABLE = "document,start,end,label,size\nd,0,1,PER,4\n"


def local(folder):
    """Some files of each kind, with the folders that they are in."""
    conll(folder / "a.conll", GOLD)
    jsonl(folder / "a.jsonl", SPANS)
    treefiles.write(folder / "a.conllu", treefiles.conll())
    for name in ("a.jsonl.gz", "a.spacy"):
        done = call("convert", folder / "a.jsonl", folder / name)
        assert done.exit_code == 0, done.stderr
    (folder / "a.csv").write_text(TABLE)
    (folder / "brat").mkdir()
    (folder / "brat/1.txt").write_text("Ada met Bob")
    (folder / "brat/1.ann").write_text("T1\tPER 0 3\tAda\n")
    return folder


def sent(source, folder):
    """The address of a folder with the files of a local one."""
    for path in source.rglob("*"):
        if path.is_file():
            put(f"{folder}/{path.relative_to(source).as_posix()}", path.read_bytes())
    return folder


@pytest.mark.parametrize(
    "name", ["a.conll", "a.jsonl", "a.jsonl.gz", "a.spacy", "a.csv", "brat", "brat/1.ann"]
)
def test_a_remote_file_is_read_as_a_local_one(tmp_path, folder, name):
    (tmp_path / "here").mkdir()
    here, there = local(tmp_path / "here"), sent(tmp_path / "here", f"{folder}/there")
    expected, actual = read_corpus(here / name), read_corpus(f"{there}/{name}")
    assert actual.documents and actual.layer_names == expected.layer_names
    assert [one.words for one in actual.documents] == [one.words for one in expected.documents]
    assert [one.layers for one in actual.documents] == [one.layers for one in expected.documents]
    assert [one.name for one in actual.documents] == [one.name for one in expected.documents]


@pytest.mark.parametrize("pattern", ["shards", "shards/*.jsonl", "*/b?.jsonl", "**/b*.jsonl"])
def test_remote_folders_and_patterns_are_read_in_the_order_of_names(tmp_path, folder, pattern):
    for place, spans in (("b2", FOUND), ("b1", SPANS)):
        put(f"{folder}/shards/{place}.jsonl", jsonl(tmp_path / place, spans).read_bytes())
    put(f"{folder}/shards/README.md")
    found = [str(path) for path in files_of(f"{folder}/{pattern}")]
    assert found == [f"{folder}/shards/{name}.jsonl" for name in ("b1", "b2")]
    assert read_corpus(f"{folder}/{pattern}").spans("spans").start.size == len(SPANS) + len(FOUND)


def test_hidden_remote_files_are_passed_over(tmp_path, folder):
    data = jsonl(tmp_path / "a", SPANS).read_bytes()
    for name in ("a.jsonl", ".b.jsonl", ".c/d.jsonl"):
        put(f"{folder}/shards/{name}", data)
    assert [path.name for path in files_of(f"{folder}/shards")] == ["a.jsonl"]


def test_a_pattern_that_is_a_file_is_that_file(folder):
    path = put(f"{folder}/a[1].jsonl")
    assert matching(path) == []


def test_local_patterns_match_files_only(tmp_path):
    (tmp_path / "b.jsonl").mkdir()
    for name in ("c.jsonl", "a.jsonl"):
        (tmp_path / name).touch()
    assert [path.name for path in matching(tmp_path / "*.jsonl")] == ["a.jsonl", "c.jsonl"]


def test_a_missing_remote_file_is_named(folder):
    with pytest.raises(FormatError, match=f"^{folder}/none.jsonl: no such file"):
        read(f"{folder}/none.jsonl")


def test_a_remote_file_in_another_encoding_is_told_with_its_line(folder):
    path = put(f"{folder}/a.conll", b"fine O\n" * 9 + b"se\xf1al O\n")
    with pytest.raises(FormatError, match="a.conll:10: not UTF-8") as caught:
        read(path)
    assert caught.value.path == path


def test_an_unknown_kind_of_address_is_named():
    with pytest.raises(FormatError, match="^nowhere://a.jsonl: .*Protocol not known: nowhere"):
        read("nowhere://a.jsonl")


def test_addresses_without_fsspec_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(FormatError, match=r"spacy-chance-eval\[remote\]"):
        read("memory://a.jsonl")


class Broken(Exception):
    """An error that only one kind of file system has."""


def test_an_error_of_the_file_system_itself_is_told_with_the_address(folder, monkeypatch):
    path = put(f"{folder}/a.conll", b"a O\n" * 1000)
    system, _ = fsspec.core.url_to_fs(path)
    real = type(system).open

    def failing(self, *arguments, **options):
        file = real(self, *arguments, **options)
        monkeypatch.setattr(file, "read", lambda *_: refuse(), raising=False)
        return file

    def refuse():
        raise Broken("no token")

    monkeypatch.setattr(type(system), "open", failing)
    with (
        pytest.raises(FormatError, match=f"^{path}: cannot be read .Broken: no token"),
        open_text(path),
    ):
        pass


def test_an_error_inside_the_block_passes_through(folder):
    path = put(f"{folder}/a")
    with pytest.raises(KeyError), open_text(path):
        raise KeyError


# --- the command line


def ran(*arguments):
    done = call(*arguments)
    assert done.exit_code == 0, done.stderr
    return done


@pytest.fixture
def sides(tmp_path, folder):
    """Addresses of gold and a prediction."""
    made = (("gold", conll(tmp_path / "1", GOLD)), ("pred", conll(tmp_path / "2", PRED)))
    return [put(f"{folder}/{name}.conll", path.read_bytes()) for name, path in made]


def test_score_reads_addresses(sides):
    result = json.loads(ran("score", *sides, "-o", "-").stdout)
    assert [result["gold"], result["pred"]] == sides
    assert result["layers"][0]["n_gold"] == len(SPANS)


def test_runs_name_and_are_read_from_addresses(tmp_path, folder, sides):
    run = tmp_path / "a.run"
    ran("save", run, *sides, "-m", "span_f")
    assert read_run(run).sources == tuple(sides)
    there = put(f"{folder}/a.run", run.read_bytes())
    ran("compare", there, run, "--resamples", 10)


def test_a_remote_list_names_systems_beside_it(tmp_path, folder, sides):
    put(f"{folder}/all.yml", f"systems:\n- path: pred.conll\n- path: {sides[0]}\n".encode())
    ran("rank", sides[0], f"{folder}/all.yml", "--resamples", 10, "--output", tmp_path / "board")
    systems = json.loads((tmp_path / "board.json").read_text())["systems"]
    assert sorted(one["source"] for one in systems) == sorted(sides)


@each_case(
    "command",
    [
        "score {} {} -o TARGET.json",
        "convert {} TARGET.jsonl",
        "save TARGET.run {} {}",
        "rank {} {} -o TARGET",
        "agree {} {} --html TARGET",
        "diff {} {} --html TARGET",
    ],
)
def test_nothing_is_written_to_addresses(folder, sides, command):
    target = f"{folder}/new/out"
    message = failed(*command.format(*sides).replace("TARGET", target).split())
    assert f"✘ {target}" in message
    assert "outputs are written on this machine only" in message


def test_python_writes_nothing_to_addresses(folder):
    for write in (check_writable, lambda path: write_atomically(path, "new")):
        with pytest.raises(FormatError, match="on this machine only"):
            write(f"{folder}/a")


@pytest.mark.integration
def test_trees_are_read_from_addresses(tmp_path, folder):
    data = treefiles.write(tmp_path / "a", treefiles.conll()).read_bytes()
    paths = [put(f"{folder}/{name}.conllu", data) for name in ("one", "two")]
    assert "n_gold" in ran("score", *paths, "-o", "-").stdout
