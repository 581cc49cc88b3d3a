"""The script that downloads and checks the data of the project: right, wrong and broken files."""

import hashlib
import subprocess
import sys
from importlib import import_module
from unittest import mock

import pytest
import srsly

from helpers.examples import ROOT
from helpers.servers import serving

with mock.patch.object(sys, "path", [str(ROOT / "scripts"), *sys.path]):
    assets = import_module("assets")

TEXT = b"Ada B-PER\n" * 1000
LICENCE = "Only for those who may."


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class Place:
    """A folder to fetch into, a server, and what was asked of it."""

    def __init__(self, root, url, asked, capsys):
        self.root, self.url, self.asked, self.capsys = root, url, asked, capsys
        self.folder = root / "assets"

    def fetch(self, *rows, url=None, **more):
        """Exit message (None if all went well), and what was said before; a name is an asset."""
        rows = [{"name": one, "sha256": sha256(TEXT)} if type(one) is str else one for one in rows]
        data = {"source": "The shop around the corner.", "license": LICENCE, "assets": rows}
        srsly.write_yaml(self.root / "listing.yml", data)
        try:
            assets.fetch(self.root / "listing.yml", self.folder, url, **more)
        except SystemExit as error:
            return error.code, self.capsys.readouterr().err
        return None, self.capsys.readouterr().err

    def have(self, name, content=TEXT):
        """Put a file into the folder by hand."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def files(self):
        """{name: content} of all that lies in the folder, temporary files too."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in found}


@pytest.fixture
def place(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    (tmp_path / "served" / "sub").mkdir(parents=True)
    for name in ("good.txt", "sub/deep.txt"):
        (tmp_path / "served" / name).write_bytes(TEXT)
    with serving(tmp_path / "served") as (url, asked):
        yield Place(tmp_path, url, asked, capsys)


def row(name, **more):
    return {"name": name, "sha256": sha256(TEXT), **more}


def test_files_are_fetched_after_the_licence_and_then_they_are_there(place):
    rows = [row("good.txt", bytes=10000), row("sub/deep.txt", bytes=10000)]
    code, said = place.fetch(*rows, url=place.url)
    assert (code, place.files()) == (None, {"good.txt": TEXT, "sub/deep.txt": TEXT})
    first, second, _, *fetched, last = said.splitlines()
    assert (first, second) == (LICENCE, "To be fetched: 2 of 2 files, 20,000 bytes")
    assert "good.txt: fetched from" in fetched[0] and last.endswith(
        "0 of 2 files were there already"
    )
    asked = len(place.asked)
    code, said = place.fetch(*rows, url=place.url)
    assert (code, len(place.asked), LICENCE in said) == (None, asked, False)
    assert "2 of 2 files were there already" in said


@pytest.mark.parametrize("name", ["sub/deep.txt", "deep.txt"], ids=["inner", "flat"])
@pytest.mark.parametrize("form", ["path", "url"])
def test_a_folder_of_this_machine_has_the_files_in_its_folders_or_side_by_side(place, name, form):
    mirror = place.root / "my mirror"
    (mirror / name).parent.mkdir(parents=True)
    (mirror / name).write_bytes(TEXT)
    url = str(mirror) if form == "path" else mirror.as_uri() + "/"
    assert place.fetch("sub/deep.txt", url=url)[0] is None
    assert place.files() == {"sub/deep.txt": TEXT} and place.asked == []


@pytest.mark.parametrize("content", [None, b"old"], ids=["missing", "wrong"])
def test_what_a_folder_lacks_or_has_wrong_comes_from_the_listing(place, content):
    if content:
        (place.root / "mine.txt").write_bytes(content)
    mine = row("mine.txt", url=f"{place.url}good.txt")
    code, said = place.fetch(mine, url=place.root.as_uri())
    assert (code, place.files()) == (None, {"mine.txt": TEXT})
    assert f"fetched from {place.url}good.txt" in said
    assert f"because {(place.root / 'mine.txt').as_uri()}: " in said
    assert not content or f"expected sha256 {sha256(TEXT)}, found {sha256(content)}" in said


def test_a_needed_file_that_is_wrong_is_never_replaced(place):
    place.have("good.txt", b"own")
    code, said = place.fetch(
        row("good.txt", description="Test set."), "sub/deep.txt", url=place.url
    )
    assert f"expected sha256 {sha256(TEXT)}, found {sha256(b'own')}" in code
    assert "move it away" in code and "Test set." in code and "corner" in code
    assert (said, place.asked, place.files()) == ("", [], {"good.txt": b"own"})


@pytest.mark.parametrize("optional", [False, True], ids=["needed", "optional"])
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("good.txt", f"expected sha256 {'0' * 64}, found {sha256(TEXT)}"),
        ("absent.txt", "404"),
        ("broken.txt", "500"),
        ("short-a.txt", "broke off after 5,000 bytes"),
        ("endless-a.txt", "more than 100,000 bytes"),
    ],
)
def test_a_failure_says_what_and_where_and_leaves_nothing(
    place, monkeypatch, name, message, optional
):
    monkeypatch.setattr(assets, "LIMIT", 100_000)
    wrong = row(name, sha256="0" * 64, optional=optional)
    code, said = place.fetch("sub/deep.txt", wrong, url=place.url)
    assert (code is None) == optional
    text = said if optional else code
    assert message in text and f"{place.url}{name}" in text
    assert (f"by hand: {place.folder / name}" in text) == (not optional)
    assert place.files() == {"sub/deep.txt": TEXT}


def test_an_optional_file_that_cannot_be_had_stays_and_is_named(place):
    place.have("absent.txt", b"old")
    code, said = place.fetch(row("absent.txt", optional=True), url=place.url)
    assert (code, place.files()) == (None, {"absent.txt": b"old"})
    assert f"expected sha256 {sha256(TEXT)}, found {sha256(b'old')}" in said and "404" in said


@pytest.mark.parametrize("content", [None, b"mine"], ids=["missing", "there"])
def test_another_edition_takes_the_place_of_a_file(place, content):
    if content:
        place.have("mine.txt", content)
    good = row("good.txt", url=f"{place.url}good.txt")
    code, _ = place.fetch(good, editions=["good.txt=mine.txt", "other=x"])
    assert place.asked == [] and (code is None) == bool(content)
    assert content or "mine.txt is missing" in code and "Your edition of good.txt." in code


@pytest.mark.parametrize("name", ["../a.txt", "/a.txt", "sub/../../a.txt"])
def test_no_file_is_written_elsewhere(place, name):
    assert "leads out of the folder" in place.fetch(name, url=place.url)[0]


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ({"path": "assets/god.txt"}, "assets/god.txt is neither there nor listed (did you mean"),
        ({"path": "assets/god.txt", "optional": True}, "neither there nor listed"),
        ({"path": "training/model-best", "optional": True}, None),
        ({"path": "assets/good.txt#1"}, None),
        ({"path": "listing.yml"}, None),
        ({"path": "https://example.org/a.conll"}, None),
    ],
    ids=["misspelt", "misspelt-optional", "later", "listed", "there", "address"],
)
def test_systems_are_looked_for_before_the_download(place, system, message):
    srsly.write_yaml(place.root / "systems.yml", {"systems": [system]})
    code, _ = place.fetch("good.txt", url=place.url, systems=place.root / "systems.yml")
    assert message in code if message else code is None
    assert bool(place.asked) == (message is None)


def test_what_cannot_be_read_is_one_line(tmp_path):
    command = [sys.executable, ROOT / "scripts/assets.py", tmp_path / "none.yml", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "none.yml" in done.stderr and "Traceback" not in done.stderr
