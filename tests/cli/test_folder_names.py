"""Folders that commands write can be copied to macOS and Windows, and links lead to their files."""

import json
import re
from unicodedata import normalize
from urllib.parse import unquote

import pytest

from helpers.htmlpages import Tags
from helpers.textfiles import call

NAMES = [
    *(
        "A",
        "a",
        "\u00e9",
        "e\u0301",
        "\u00df",
        "ss",
        "\u0130",
        "i\u0307",
        "con",
        "NUL.txt",
        "COM\u00b9",
    ),
    *("x.", "x", "x ", "a:b", "a?b", "q" * 150, "q" * 151, "D/d", "d/D", "lpt1", "<script>"),
]
DEVICES = {"con", "prn", "aux", "nul", "conin$", "conout$"}
DEVICES |= {f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789\u00b9\u00b2\u00b3"}
FOLDERS = {
    "agree": ("agree", "gold.jsonl", "one.jsonl", "two.jsonl", "-o", "out", "--resamples", "0"),
    "diff": ("diff", "gold.jsonl", "one.jsonl", "-o", "out"),
    "rank": (
        *("score", "gold.jsonl", "-o", "out/board", "--resamples", "0"),
        *(f"{name}=one.jsonl" for name in ("A", "a", "CON", "e\u0301", "\u00e9")),
    ),
}


def seen_as(part):
    """A part of a path as macOS and Windows compare it."""
    return normalize("NFD", normalize("NFD", part).casefold()).rstrip(". ")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Documents with names that not all systems can keep apart, by three annotators."""
    for where, labels in (("gold.jsonl", "XX"), ("one.jsonl", "XY"), ("two.jsonl", "XX")):
        spans = [{"start": at, "end": at + 1, "label": label} for at, label in enumerate(labels)]
        rows = [{"tokens": ["a", "b"], "spans": spans, "name": name} for name in NAMES]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / where).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder, words):
    """Paths in the folder that a command wrote: a new one."""
    done = call(*words)
    assert done.exit_code == 0, done.output
    return sorted(
        file.relative_to(folder / "out") for file in (folder / "out").rglob("*") if file.is_file()
    )


@pytest.mark.parametrize("name", FOLDERS)
def test_all_systems_can_have_the_files_and_links_lead_to_them(folder, name):
    if name == "rank":
        (folder / "out").mkdir()
    files = written(folder, FOLDERS[name])
    assert len({tuple(map(seen_as, file.parts)) for file in files}) == len(files)
    for part in {part for file in files for part in file.parts}:
        assert not re.search(r'[<>:"\\|?*\x00-\x1f]|[. ]$', part) and len(part.encode()) <= 255
        assert part.split(".")[0].rstrip().lower() not in DEVICES
    pages = [file for file in files if file.suffix == ".html"]
    assert pages
    there = {file.as_posix() for file in files}
    for page in pages:
        links = [unquote(tag["href"]).partition("#")[0] for tag in links_of(folder / "out" / page)]
        for link in filter(None, links):
            target = (folder / "out" / page.parent / link).resolve()
            assert target.relative_to((folder / "out").resolve()).as_posix() in there


def links_of(page):
    """Attributes of the links of a page into its folder."""
    tags = Tags(page.read_text(encoding="utf-8"))
    found = [attributes for name, attributes in tags.tags if name == "a"]
    return [one for one in found if one.get("href") and ":" not in one["href"]]
