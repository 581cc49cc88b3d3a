"""Addresses: what fsspec opens is read as local files are; nothing is written there."""

import shutil
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers import treefiles
from helpers.cases import each_case, later
from helpers.servers import serving
from helpers.textfiles import GOLD, PRED, SPANS, call, conll, failed, jsonl
from spacy_chance_eval.corpora.sources import read_corpus
from spacy_chance_eval.formats import read
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.files import open_text
from spacy_chance_eval.formats.paths import is_remote
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


# --- which paths are addresses


@each_case("path", ["s3://b/a.jsonl", "memory://a", "file:///a", "simplecache::s3://b/a"])
def test_addresses_are_told_by_their_beginning(path):
    assert is_remote(path)


# --- reading


TABLE = "document,start,end,label,size\nd,0,1,PER,4\n"
WEBANNO = "#FORMAT=WebAnno TSV 3.3\n#T_SP=a.B|value\n\n\n#Text=Ada\n1-1\t0-3\tAda\tPER\t\n"


def local(folder):
    """Some files of each kind, with the folders that they are in."""
    (folder / "doc.txt").mkdir(parents=True)
    conll(folder / "a.conll", GOLD)
    jsonl(folder / "a.jsonl", SPANS)
    treefiles.write(folder / "a.conllu", treefiles.conll())
    for name in ("a.jsonl.gz", "a.spacy"):
        ran("convert", folder / "a.jsonl", folder / name)
    (folder / "a.csv").write_text(TABLE)
    (folder / "doc.txt/ann.tsv").write_text(WEBANNO)
    return folder


@contextmanager
def elsewhere(kind, here):
    """The address of each file of a folder, as a template for its name."""
    if kind == "zip":
        archive = shutil.make_archive(here.parent / "packed", "zip", here)
        yield f"zip://{{}}::{Path(archive).as_uri()}"
    elif kind == "http":
        pytest.importorskip("aiohttp")
        with serving(here) as (url, _):
            yield url + "{}"
    elif kind == "file":
        yield here.as_uri() + "/{}"
    else:
        fsspec.filesystem("memory").put(f"{here}/", "/there/", recursive=True)
        yield "memory://there/{}"
        fsspec.filesystem("memory").rm("/", recursive=True)


NAMES = ("a.conll", "a.jsonl", "a.jsonl.gz", "a.spacy", "a.csv", "doc.txt/ann.tsv")


@pytest.mark.parametrize("kind", ["memory", "zip", *later("file", "http")])
def test_a_remote_file_is_read_as_a_local_one(tmp_path, kind):
    here = local(tmp_path / "here")
    with elsewhere(kind, here) as there:
        for name in NAMES:
            expected, actual = read_corpus(here / name), read_corpus(there.format(name))
            assert actual.documents and actual.layer_names == expected.layer_names
            for one, other in zip(actual.documents, expected.documents, strict=True):
                assert (one.name, one.words, one.layers) == (other.name, other.words, other.layers)


@pytest.mark.integration
def test_processes_read_archives(tmp_path):
    with elsewhere("zip", local(tmp_path / "here")) as there:
        for name, *more in (("a.jsonl", "--read", "skip_bad=yes"), ("a.conllu",)):
            job = "score", *[there.format(name)] * 2, *more, "-o", "-", "--n-process"
            assert ran(*job, 2).stdout == ran(*job, 1).stdout != ""


def test_an_address_is_one_file(folder):
    put(f"{folder}/shards/a.jsonl")
    with pytest.raises(FormatError, match="an address names one file|a folder; name its files"):
        read(f"{folder}/shards")


@each_case(
    "path, message",
    [
        ("memory://none.jsonl", "no such file"),
        ("zip://a.jsonl::memory://none.zip", "no such file"),
        ("nowhere://a.jsonl", ".*Protocol not known: nowhere"),
    ],
)
def test_what_cannot_be_read_is_named(path, message):
    with pytest.raises(FormatError, match=f"^{path}: {message}"):
        read(path)


def test_addresses_without_fsspec_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(FormatError, match=r"spacy-chance-eval\[remote\]"):
        read("memory://a.jsonl")


def test_an_error_of_the_file_system_itself_is_told_with_the_address(folder, monkeypatch):
    def get_file(*_, **__):
        raise ArithmeticError("no token")

    path = put(f"{folder}/a.conll")
    system, _ = fsspec.core.url_to_fs(path)
    monkeypatch.setattr(type(system), "get_file", get_file)
    message = f"^{path}: cannot be read: no token"
    with pytest.raises(FormatError, match=message), open_text(path):
        pass


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


def test_runs_name_and_are_read_from_addresses(tmp_path, folder, sides):
    run = tmp_path / "a.run"
    ran("score", *sides, "-m", "span_f", "-o", run)
    assert read_run(run).sources == tuple(sides)
    there = put(f"{folder}/a.run", run.read_bytes())
    ran("compare", there, run, "--resamples", 10)


@each_case(
    "command",
    [
        "score {} {} -o TARGET.json",
        "convert {} TARGET.jsonl",
        "score {} {} -o TARGET.run",
        "score {} {} -o TARGET",
        "agree {} {} -o TARGET",
        "diff {} {} -o TARGET",
    ],
)
def test_nothing_is_written_to_addresses(folder, sides, command):
    target = f"{folder}/new/out"
    message = failed(*command.format(*sides).replace("TARGET", target).split())
    assert f"✘ {target}" in message
    assert "outputs are written on this machine only" in message
