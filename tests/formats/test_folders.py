"""Folders of pages that take the place of older ones: nothing that is not theirs is deleted."""

import pytest

from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.formats.outputs import OURS, replaced_folder

NAMES = r"index\.html|page-\d\.html"


@pytest.fixture
def folder(tmp_path):
    """A folder with one page."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "page-1.html").write_bytes(OURS)
    return folder


def replace(folder):
    """Replace the pages of a folder by an index."""
    with replaced_folder(folder, NAMES) as new:
        (new / "index.html").write_bytes(OURS)


def contents(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("name", ["why.html", "page-1.html.html", "old/page-1.html"])
def test_our_pages_of_other_names_are_not_deleted(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(OURS)
    before = contents(folder.parent)
    with pytest.raises(FormatError, match=f"not a folder of these pages .{name}.; move it"):
        replace(folder)
    assert contents(folder.parent) == before


@pytest.mark.parametrize("kind", ["page", "folder"])
def test_a_link_to_somewhere_else_is_not_one_of_the_pages(folder, kind):
    outside = folder.parent / "outside"
    outside.mkdir()
    (outside / "index.html").write_bytes(OURS)
    target = outside / "index.html" if kind == "page" else outside
    (folder / "page-2.html").symlink_to(target)
    before = contents(folder.parent)
    with pytest.raises(FormatError, match="page-2.html"):
        replace(folder)
    assert contents(folder.parent) == before
    assert (folder / "page-2.html").is_symlink()


def test_a_folder_with_other_files_is_refused_before_a_page_is_made(folder):
    (folder / "thesis.txt").write_text("mine")
    begun = []
    with pytest.raises(FormatError, match="thesis.txt"):
        with replaced_folder(folder, NAMES) as new:
            begun.append(new)
    assert not begun
