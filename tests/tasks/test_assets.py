"""Fetching and checking data: a local server has right, wrong and broken files."""

import hashlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

import pytest
import srsly

from helpers.cases import each_case
from helpers.servers import serving
from helpers.textfiles import GOLD, call, conll, failed
from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.tasks.assets import MAX_DOWNLOAD, AssetError, fetch, read_listing, verify

TEXT = b"Ada B-PER\n" * 1000
CONLL03 = Path(__file__).parents[2] / "configs" / "conll03.assets.yml"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def server(tmp_path, monkeypatch):
    """URL of a folder with the file good.txt, and what was asked for."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    (tmp_path / "served" / "sub").mkdir(parents=True)
    (tmp_path / "served" / "good.txt").write_bytes(TEXT)
    (tmp_path / "served" / "sub" / "deep.txt").write_bytes(TEXT)
    with serving(tmp_path / "served") as found:
        yield found


@pytest.fixture
def listing(tmp_path):
    """Writes a listing of assets; a bare name has the checksum of TEXT."""

    def write(*assets, source="The shop around the corner."):
        rows = [a if isinstance(a, dict) else {"name": a, "sha256": sha256(TEXT)} for a in assets]
        srsly.write_yaml(tmp_path / "listing.yml", {"source": source, "assets": rows})
        return tmp_path / "listing.yml"

    return write


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "assets"


def files(folder):
    """Names of all that lies in a folder, temporary files too."""
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_a_right_file_is_fetched(server, listing, folder):
    done = call("fetch", listing("good.txt", "sub/deep.txt"), folder, "--url", server[0])
    assert done.exit_code == 0, done.stderr
    assert files(folder) == ["good.txt", "sub/deep.txt"]
    assert (folder / "good.txt").read_bytes() == TEXT
    assert "10,000 bytes" in done.stdout


def test_a_url_needs_no_slash_at_its_end(server, listing, folder):
    assert list(fetch(listing("good.txt"), folder, server[0].rstrip("/")))
    assert files(folder) == ["good.txt"]


def test_an_asset_may_have_its_own_url(server, listing, folder):
    row = {"name": "mine.txt", "sha256": [sha256(TEXT)], "url": f"{server[0]}good.txt"}
    assert list(fetch(listing(row), folder))
    assert files(folder) == ["mine.txt"]


def test_any_of_several_checksums_is_right(server, listing, folder):
    row = {"name": "good.txt", "sha256": ["0" * 64, sha256(TEXT).upper()]}
    assert list(fetch(listing(row), folder, server[0]))
    assert verify(listing(row), folder) == [f"{folder / 'good.txt'}: right"]


def test_a_file_without_checksum_is_fetched_and_said_to_be_unchecked(server, listing, folder):
    path = listing({"name": "good.txt"})
    assert "not checked" in next(iter(fetch(path, folder, server[0])))
    assert "no checksum is known" in verify(path, folder)[0]


def test_a_good_file_is_not_fetched_again(server, listing, folder):
    folder.mkdir()
    (folder / "good.txt").write_bytes(TEXT)
    assert "1 of 1 files were there" in next(iter(fetch(listing("good.txt"), folder, server[0])))
    assert server[1] == []


def test_an_optional_file_with_another_checksum_is_replaced_with_a_message(server, listing, folder):
    folder.mkdir()
    (folder / "good.txt").write_bytes(b"old")
    row = {"name": "good.txt", "sha256": sha256(TEXT), "optional": True}
    (said,) = fetch(listing(row), folder, server[0])
    assert f"It replaced another file: {folder / 'good.txt'}" in said
    assert f"expected sha256 {sha256(TEXT)}, found {sha256(b'old')}" in said
    assert (folder / "good.txt").read_bytes() == TEXT


def test_a_needed_file_with_another_checksum_is_not_replaced(server, listing, folder):
    folder.mkdir()
    (folder / "good.txt").write_bytes(b"own")
    row = {"name": "good.txt", "sha256": sha256(TEXT), "description": "Test set."}
    said = failed("fetch", listing(row, "sub/deep.txt"), folder, "--url", server[0])
    assert f"expected sha256 {sha256(TEXT)}, found {sha256(b'own')}. Move it away to" in said
    assert "rename it, and name it: --edition good.txt=FILE Test set." in said
    assert (folder / "good.txt").read_bytes() == b"own" and server[1] == []
    (folder / "good.txt").rename(folder / "own.txt")
    options = ("--url", server[0], "--edition", "good.txt=own.txt")
    assert call("fetch", listing(row, "sub/deep.txt"), folder, *options).exit_code == 0
    assert files(folder) == ["own.txt", "sub/deep.txt"]


@pytest.mark.parametrize(
    "name, message",
    [
        ("good.txt", f"expected sha256 {'0' * 64}, found {sha256(TEXT)}"),
        ("absent.txt", "the server answers 404"),
        ("broken.txt", "the server answers 500"),
        ("short-a.txt", "the download broke off after"),
    ],
)
def test_a_failure_says_what_and_where_and_leaves_the_old_file(
    server, listing, folder, name, message
):
    folder.mkdir()
    (folder / name).write_bytes(b"old")
    (folder / "other.txt").write_bytes(b"other")
    path = listing({"name": name, "sha256": "0" * 64, "optional": True})
    (said,) = fetch(path, folder, server[0])
    assert message in said and f"{server[0]}{name}" in said
    assert files(folder) == sorted([name, "other.txt"])
    assert (folder / name).read_bytes() == b"old"


def test_a_download_that_breaks_off_says_how_much_was_there(server, listing, folder):
    said = failed("fetch", listing("short-a.txt"), folder, "--url", server[0])
    assert "of 10,000 bytes; try again" in said
    assert files(folder) == []


def test_files_fetched_before_a_failure_stay(server, listing, folder):
    done = call("fetch", listing("good.txt", "absent.txt"), folder, "--url", server[0])
    assert done.exit_code == 1
    assert files(folder) == ["good.txt"]


def test_an_optional_file_that_cannot_be_had_is_no_failure(server, listing, folder):
    rows = [{"name": "absent.txt", "optional": True}, "good.txt"]
    done = call("fetch", listing(*rows), folder, "--url", server[0])
    assert done.exit_code == 0, done.stderr
    assert "404" in done.stdout
    assert files(folder) == ["good.txt"]
    assert "optional, and not there" in verify(listing(*rows), folder)[0]


def test_no_server_is_an_error(listing, folder, monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with serving(".") as (url, _):
        pass
    assert "cannot be reached" in failed("fetch", listing("good.txt"), folder, "--url", url)
    assert files(folder) == []


@pytest.mark.parametrize("url", ["ftp://127.0.0.1", "relative/folder"])
def test_only_http_and_files_are_fetched(listing, folder, url):
    assert "http://" in failed("fetch", listing("good.txt"), folder, "--url", url)


def test_a_folder_of_this_machine_is_fetched_from(listing, folder, tmp_path):
    mirror = tmp_path / "my mirror"
    mirror.mkdir()
    (mirror / "good.txt").write_bytes(TEXT)
    done = call("fetch", listing("good.txt"), folder, "--url", mirror.as_uri())
    assert (done.exit_code, files(folder)) == (0, ["good.txt"]), done.stderr


@pytest.mark.parametrize(
    "url, message",
    [
        ("file:///nowhere", "file:///nowhere/good.txt: there is no such file"),
        ("file://folder", "expected file:/// and an absolute path"),
    ],
    ids=["absent", "relative"],
)
def test_a_folder_that_is_not_there_is_an_error(listing, folder, url, message):
    assert message in failed("fetch", listing("good.txt"), folder, "--url", url)


def test_the_path_of_a_folder_is_answered_with_its_url(listing, folder, tmp_path):
    said = failed("fetch", listing("good.txt"), folder, "--url", tmp_path)
    assert f"({(tmp_path / 'good.txt').as_uri()}?)" in said


def test_what_a_mirror_lacks_comes_from_where_the_listing_says(server, listing, folder, tmp_path):
    row = {"name": "mine.txt", "sha256": sha256(TEXT), "url": f"{server[0]}good.txt"}
    (said,) = fetch(listing(row), folder, tmp_path.as_uri())
    assert f"from {server[0]}good.txt, because {(tmp_path / 'mine.txt').as_uri()} is not" in said
    assert (folder / "mine.txt").read_bytes() == TEXT


def test_what_a_mirror_has_wrong_comes_from_where_the_listing_says(
    server, listing, folder, tmp_path
):
    (tmp_path / "mine.txt").write_bytes(b"old")
    row = {"name": "mine.txt", "sha256": sha256(TEXT), "url": f"{server[0]}good.txt"}
    (said,) = fetch(listing(row), folder, tmp_path.as_uri())
    assert f"because {(tmp_path / 'mine.txt').as_uri()} has a wrong checksum" in said
    assert (folder / "mine.txt").read_bytes() == TEXT


def test_a_mirror_needs_no_inner_folders(server, listing, folder, tmp_path):
    (tmp_path / "deep.txt").write_bytes(TEXT)
    row = {"name": "sub/deep.txt", "sha256": sha256(TEXT), "url": f"{server[0]}sub/deep.txt"}
    assert list(fetch(listing(row), folder, tmp_path.as_uri())) == [
        f"{folder / 'sub' / 'deep.txt'}: fetched, 10,000 bytes"
    ]
    assert files(folder) == ["sub/deep.txt"] and server[1] == []


def test_without_a_checksum_a_file_of_another_folder_is_not_taken(listing, folder, tmp_path):
    (tmp_path / "deep.txt").write_bytes(TEXT)
    said = failed("fetch", listing({"name": "sub/deep.txt"}), folder, "--url", tmp_path.as_uri())
    assert f"{(tmp_path / 'sub' / 'deep.txt').as_uri()}: there is no such file" in said


@pytest.mark.parametrize("optional", [False, True], ids=["required", "optional"])
def test_a_failure_names_all_places_where_the_file_is_not(
    server, listing, folder, tmp_path, optional
):
    row = {"name": "sub/a.txt", "sha256": "0" * 64, "url": f"{server[0]}absent.txt"}
    path = listing({**row, "optional": optional})
    done = call("fetch", path, folder, "--url", tmp_path.as_uri())
    said = " ".join((done.stdout + done.stderr).split())
    for name in ("sub/a.txt", "a.txt"):
        assert f"{(tmp_path / name).as_uri()}: there is no such file" in said
    assert f"{server[0]}absent.txt: expected the file, but the server answers 404" in said


# --- licences, editions, systems


@pytest.fixture
def licensed(listing, server):
    """A listing of two files with a licence and their sizes."""
    path = listing("good.txt", {"name": "sub/deep.txt", "sha256": sha256(TEXT), "bytes": 10000})
    data = srsly.read_yaml(path)
    data["license"] = "Only for those who may."
    data["assets"][0]["bytes"] = 10000
    srsly.write_yaml(path, data)
    return path


def test_the_licence_is_shown_before_the_first_download(server, licensed, folder):
    messages = fetch(licensed, folder, server[0])
    assert next(messages).splitlines() == [
        "Only for those who may.",
        "To be fetched: 2 files, 20,000 bytes",
        f"A file that you put into {folder} by hand is taken instead, if its checksum is right",
    ]
    assert server[1] == [] and len(list(messages)) == 2


def test_the_licence_is_not_shown_where_nothing_is_downloaded(server, licensed, folder):
    list(fetch(licensed, folder, server[0]))
    assert list(fetch(licensed, folder, server[0])) == [
        f"{folder}: 2 of 2 files were there already"
    ]


@each_case("size", [-1, "10", True, 1.5])
def test_a_size_is_a_whole_number(listing, size):
    with pytest.raises(FormatError, match="good.txt: bytes is"):
        read_listing(listing({"name": "good.txt", "bytes": size}))


def test_another_edition_is_taken_in_place_of_a_file(server, listing, folder):
    folder.mkdir()
    (folder / "mine.txt").write_bytes(b"mine")
    options = ("--edition", "good.txt=mine.txt")
    done = call("fetch", listing("good.txt"), folder, *options)
    assert (done.exit_code, files(folder)) == (0, ["mine.txt"]), done.stderr
    done = call("verify", listing("good.txt"), folder, *options)
    assert sha256(b"mine") in "".join(done.stdout.split()) and "no checksum is known" in done.stdout


def test_the_checksums_written_are_of_the_edition(listing, folder):
    folder.mkdir()
    (folder / "mine.txt").write_bytes(b"mine")
    found = folder / "found.sha256"
    call("verify", listing("good.txt"), folder, "--edition", "good.txt=mine.txt", "-o", found)
    assert found.read_text() == f"{sha256(b'mine')}  mine.txt\n"


def test_an_edition_that_is_missing_is_to_be_brought(listing, folder):
    row = {"name": "good.txt", "sha256": sha256(TEXT), "url": "http://127.0.0.1/good.txt"}
    said = failed("fetch", listing(row), folder, "--edition", "good.txt=mine.txt")
    assert f"{folder / 'mine.txt'} (missing) Your edition of good.txt." in said


def test_the_file_itself_is_no_other_edition(listing, folder):
    folder.mkdir()
    (folder / "good.txt").write_bytes(b"old")
    said = failed("verify", listing("good.txt"), folder, "--edition", "good.txt=good.txt")
    assert "wrong checksum" in said


@pytest.mark.parametrize(
    "text, message",
    [
        ("god.txt=mine.txt", "no asset is called 'god.txt' (did you mean 'good.txt'?)"),
        ("good.txt=../mine.txt", "leads out of the folder"),
        ("good.txt", "expected NAME=FILE"),
        ("good.txt=", "expected NAME=FILE"),
    ],
    ids=["name", "out", "no file", "empty"],
)
def test_an_edition_that_cannot_be_is_an_error(listing, folder, text, message):
    for command in ("fetch", "verify"):
        assert message in failed(command, listing("good.txt"), folder, "--edition", text)


@pytest.fixture
def systems(tmp_path):
    """Writes a list of systems."""

    def write(*rows):
        srsly.write_yaml(tmp_path / "systems.yml", {"systems": list(rows)})
        return tmp_path / "systems.yml"

    return write


@pytest.mark.parametrize(
    "row, message",
    [
        ({"path": "assets/godo.txt"}, "(did you mean 'good.txt'?); correct the path"),
        ({"path": "assets/good.txt", "sha256": "0" * 64}, "has " + sha256(TEXT)),
        ({"path": "assets/good.txt", "sha256": "0"}, "64 hexadecimal digits"),
        ({"path": "assets/good.txt", "optional": 1}, "must be true or false"),
        ({"path": "assets/good.txt", "optinal": True}, "(did you mean 'optional'?)"),
    ],
    ids=["path", "other sum", "no sum", "optional", "key"],
)
def test_systems_are_checked_before_the_download(server, listing, folder, systems, row, message):
    path = systems({"name": "one", **row})
    said = failed("fetch", listing("good.txt"), folder, "--url", server[0], "--systems", path)
    assert message in said and str(path) in said
    assert server[1] == []


def test_systems_may_be_listed_or_there_or_optional(server, listing, folder, systems, tmp_path):
    conll(tmp_path / "own.conll", GOLD)
    path = systems(
        {"path": "assets/good.txt", "sha256": [sha256(TEXT)]},
        {"path": "own.conll"},
        {"path": "later/model-best", "optional": True},
    )
    done = call("fetch", listing("good.txt"), folder, "--url", server[0], "--systems", path)
    assert (done.exit_code, files(folder)) == (0, ["good.txt"]), done.stderr


def test_an_optional_file_that_is_wrong_is_named_with_both_checksums(server, listing, folder):
    folder.mkdir()
    (folder / "absent.txt").write_bytes(b"old")
    path = listing({"name": "absent.txt", "sha256": sha256(TEXT), "optional": True})
    for said in (*fetch(path, folder, server[0]), *verify(path, folder)):
        assert f"expected sha256 {sha256(TEXT)}, found {sha256(b'old')}" in said


def test_a_failed_download_says_that_the_file_may_be_put_there_by_hand(server, listing, folder):
    said = failed("fetch", listing("absent.txt"), folder, "--url", server[0])
    assert f"or put the file there by hand: {folder / 'absent.txt'}" in said


def test_without_a_url_the_message_says_what_is_missing_and_where_it_comes_from(listing, folder):
    folder.mkdir()
    (folder / "there.txt").write_bytes(TEXT)
    (folder / "wrong.txt").write_bytes(b"old")
    row = {"name": "a.txt", "sha256": "0" * 64, "description": "The first part."}
    said = failed("fetch", listing(row, "there.txt", "wrong.txt"), folder)
    assert f"{folder / 'a.txt'} (missing) The first part." in said
    assert f"{folder / 'wrong.txt'}: wrong checksum" in said
    assert "there.txt" not in said
    assert "The shop around the corner." in said


def test_verify_names_all_that_is_wrong_or_missing(listing, folder):
    folder.mkdir()
    (folder / "wrong.txt").write_bytes(b"old")
    path = listing("wrong.txt", "a.txt", "b.txt", {"name": "c.txt", "optional": True})
    said = failed("verify", path, folder)
    assert f"expected sha256 {sha256(TEXT)}, found {sha256(b'old')}" in said
    assert "a.txt (missing)" in said and "b.txt (missing)" in said
    assert "c.txt" not in said
    assert (folder / "wrong.txt").read_bytes() == b"old"


def test_verify_of_right_files_ends_well(listing, folder):
    folder.mkdir()
    (folder / "good.txt").write_bytes(TEXT)
    done = call("verify", listing("good.txt"), folder)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "good.txt: right" in " ".join(done.stdout.split())


@each_case("name", ["../a.txt", "/etc/passwd", "a/../../b", "C:\\a.txt", "a\\b", "", ".", "sub/.."])
def test_a_name_must_stay_inside_the_folder(listing, name):
    with pytest.raises(FormatError, match="out of the folder"):
        read_listing(listing(name))


def test_a_link_does_not_lead_out_of_the_folder(server, listing, folder, tmp_path):
    (tmp_path / "outside").mkdir()
    folder.mkdir()
    (folder / "sub").symlink_to(tmp_path / "outside")
    with pytest.raises(AssetError, match="by a link"):
        list(fetch(listing("sub/deep.txt"), folder, server[0]))
    assert files(tmp_path / "outside") == []


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "expected a list"),
        ("assets: []", "expected a list"),
        ("assets: [a.txt]", "is no asset"),
        ("assets: [{sha256: ab}]", "is no asset"),
        ("assets: [{name: a.txt, sha256: ab}]", "64 hexadecimal digits"),
        ("assets: [{name: a.txt, sha256: {a: b}}]", "64 hexadecimal digits"),
        ("assets: [{name: a.txt, sha256: {}}]", "64 hexadecimal digits"),
        ("assets: [{name: a.txt, sha256: []}]", "64 hexadecimal digits"),
        ("assets: [{name: a.txt, sha256: ''}]", "64 hexadecimal digits"),
        ("assets: [{name: a.txt, sha256: }]", "64 hexadecimal digits, or no such key"),
        ("assets: [{name: a.txt, md5: ab}]", "unknown key 'md5'"),
        ("assets: [{name: a.txt, url: 1}]", "url is 1"),
        ("assets: [{name: a.txt, optional: perhaps}]", "expected true or false"),
        ("assets: [{name: a.txt}, {name: a.txt}]", "listed twice"),
        ("assets: [{name: a.txt}, {name: A.txt}]", "'a.txt' and 'A.txt' would be one file"),
        ("assets: [{name: a.txt}, {name: ./a.txt}]", "'a.txt' is listed twice"),
        ("assets: [{name: sub/a.txt}, {name: sub/.//a.txt}]", "'sub/a.txt' is listed twice"),
        ("assets: [", "no plain YAML"),
    ],
)
def test_a_malformed_listing_is_an_error(tmp_path, folder, text, message):
    path = tmp_path / "bad.yml"
    path.write_text(text)
    for command in ("fetch", "verify"):
        said = failed(command, path, folder)
        assert str(path) in said and message in said


def test_a_missing_listing_is_an_error(tmp_path, folder):
    assert "no such file" in failed("verify", tmp_path / "none.yml", folder)


def test_verify_writes_the_checksums_of_files_that_are_right(listing, folder, tmp_path):
    folder.mkdir()
    (folder / "good.txt").write_bytes(TEXT)
    found = tmp_path / "metrics" / "found.sha256"
    assert call("verify", listing("good.txt"), folder, "-o", found).exit_code == 0
    assert found.read_text() == f"{sha256(TEXT)}  good.txt\n"
    (folder / "good.txt").write_bytes(b"old")
    found.unlink()
    failed("verify", listing("good.txt"), folder, "-o", found)
    assert not found.exists()


@pytest.fixture
def slow_fetch(server, listing, folder):
    """A process that has begun to download a file which does not come to its end."""
    path = listing("slow-a.txt")
    command = [sys.executable, "-m", "spacy_chance_eval", "fetch", path, folder, "--url", server[0]]
    run = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        end = time.monotonic() + 60
        while not (folder.is_dir() and files(folder)):
            assert run.poll() is None and time.monotonic() < end, run.communicate()
            time.sleep(0.02)
        yield run
    finally:
        run.kill()
        run.communicate()


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_a_terminated_download_leaves_no_file(slow_fetch, folder):
    slow_fetch.terminate()
    said = slow_fetch.communicate(timeout=60)[1]
    assert slow_fetch.returncode == 128 + signal.SIGTERM
    assert files(folder) == [] and b"Traceback" not in said


@pytest.mark.integration
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_what_a_killed_download_left_is_removed_by_the_next(slow_fetch, server, listing, folder):
    slow_fetch.kill()
    slow_fetch.communicate(timeout=60)
    (folder / ".mine.tmp").write_bytes(b"of somebody else")
    assert len(files(folder)) == 2
    row = {"name": "slow-a.txt", "sha256": sha256(TEXT), "url": f"{server[0]}good.txt"}
    list(fetch(listing(row), folder))
    assert files(folder) == [".mine.tmp", "slow-a.txt"]


def test_a_folder_in_the_place_of_a_file_is_an_error(server, listing, folder):
    (folder / "good.txt").mkdir(parents=True)
    for arguments in (["verify"], ["fetch"], ["fetch", "--url", server[0]]):
        said = failed(arguments[0], listing("good.txt"), folder, *arguments[1:])
        assert f"{folder / 'good.txt'}: expected a file, found a folder; move" in said
    assert server[1] == []


def test_a_file_in_the_place_of_the_folder_is_an_error(server, listing, folder):
    folder.write_bytes(TEXT)
    for arguments in (["verify"], ["fetch"], ["fetch", "--url", server[0]]):
        said = failed(arguments[0], listing("good.txt"), folder, *arguments[1:])
        assert f"{folder}: expected a folder for the files, found a file" in said


def test_a_file_in_the_place_of_an_inner_folder_is_an_error(server, listing, folder):
    folder.mkdir()
    (folder / "sub").write_bytes(TEXT)
    said = failed("fetch", listing("sub/deep.txt"), folder, "--url", server[0])
    assert f"{folder / 'sub'}: expected a folder" in said and "move away" in said


def test_a_folder_as_listing_is_an_error(tmp_path, folder):
    said = failed("verify", tmp_path, folder)
    assert "a folder, not a file" in said and str(tmp_path) in said


@pytest.mark.parametrize("length", ["%C2%B2", "-1", "1e3", "9" * 1500])
def test_a_length_that_is_no_number_is_an_error(server, listing, folder, length):
    row = {"name": "a.txt", "sha256": sha256(TEXT), "url": f"{server[0]}length-{length}"}
    said = failed("fetch", listing(row), folder)
    assert row["url"] in said and "expected a number as Content-Length" in said
    assert not folder.exists()


@pytest.mark.parametrize("name", ["length-2097152", "endless-a", "packed-a"])
def test_no_more_is_fetched_than_is_allowed(server, listing, folder, name):
    path = listing({"name": "a.txt", "url": server[0] + name})
    said = failed("fetch", path, folder, "--max-mb", 1)
    assert "at most 1,048,576 are fetched; check the file, then allow it: --max-mb 2" in said
    assert server[0] + name in said and files(folder) == []


def test_a_file_that_is_listed_as_too_large_is_not_asked_for(server, listing, folder):
    path = listing({"name": "a.txt", "bytes": MAX_DOWNLOAD + 1, "url": server[0] + "good.txt"})
    assert "a.txt: 1,073,741,825 bytes" in failed("fetch", path, folder)
    assert server[1] == []
    assert call("fetch", path, folder, "--max-mb", 1025).exit_code == 0  # as advised


@pytest.mark.parametrize("place", ["file:///etc/hostname", "ftp://127.0.0.1/a", "data:,a"])
def test_a_server_cannot_send_the_program_to_other_schemes(server, listing, folder, place):
    path = listing({"name": "a.txt", "url": f"{server[0]}moved-{quote(place, '')}"})
    assert "cannot be fetched" in failed("fetch", path, folder)
    assert files(folder) == []


def test_a_pipe_gets_no_colours_and_no_marks(server, listing, folder):
    done = call("fetch", listing("good.txt"), folder, "--url", server[0])
    assert "\033" not in done.output and "\u2139" not in done.output


@pytest.mark.parametrize("end", ["?x=", "?", "#part", "folder?x#y"])
def test_a_url_that_no_name_can_be_appended_to_is_an_error(server, listing, folder, end):
    said = failed("fetch", listing("good.txt"), folder, "--url", server[0] + end)
    assert f"{server[0]}{end}: expected the URL of a folder" in said
    assert server[1] == []


def test_an_asset_may_have_a_url_with_a_query(server, listing, folder):
    row = {"name": "mine.txt", "sha256": sha256(TEXT), "url": f"{server[0]}good.txt?raw=1"}
    list(fetch(listing(row), folder))
    assert files(folder) == ["mine.txt"]


def test_a_malformed_url_is_an_error(listing, folder):
    said = failed("fetch", listing("good.txt"), folder, "--url", "http://[half")
    assert "http://[half/good.txt: cannot be fetched" in said


def test_a_web_page_is_not_taken_for_a_file_without_checksum(server, listing, folder):
    row = {"name": "sub"}  # a folder of the server, which answers with a page
    said = failed("fetch", listing(row), folder, "--url", server[0])
    assert f"{server[0]}sub: expected sub, but the answer looks like a web page" in said
    assert not folder.exists()


def test_a_web_page_of_the_right_checksum_is_fetched(server, listing, folder, tmp_path):
    (tmp_path / "served" / "page.html").write_bytes(TEXT)
    list(fetch(listing("page.html"), folder, server[0]))
    assert files(folder) == ["page.html"]


def test_the_message_about_missing_files_says_how_to_name_a_url(listing, folder):
    for command in ("fetch", "verify"):
        assert "--url URL" in failed(command, listing("good.txt"), folder)


def test_the_message_about_conll03_says_what_to_do_in_the_project(folder):
    said = failed("verify", CONLL03, folder)
    assert "put the files into assets/conll03 by hand" in said
    assert "--vars.conll03_url file:///" in said
