"""Every folder of pages is whole, stays inside itself, and what came from files stays text."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from helpers import made
from helpers.pages import FIRST, KINDS, PAGES

pytestmark = pytest.mark.integration

ADDRESSES = ("href", "src", "action", "data", "poster", "xlink:href", "srcset", "formaction")
REFERENCES = ("for", "aria-labelledby", "aria-describedby", "aria-controls")


class Page(HTMLParser):
    """Tags with their attributes, and the text, of a page."""

    def __init__(self, path):
        super().__init__()
        self.tags, self.text, self.inside = [], [], None
        self.feed(path.read_text(encoding="utf-8"))
        self.close()
        self.ids = [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    def handle_starttag(self, tag, attributes):
        assert len(dict(attributes)) == len(attributes), self.getpos()
        self.tags.append((tag, dict(attributes)))
        self.inside = tag

    def handle_data(self, data):
        if self.inside not in ("script", "style"):
            self.text.append(data)

    def addresses(self):
        """Addresses of all elements, and of styles."""
        for _, attributes in self.tags:
            yield from (attributes[name] for name in ADDRESSES if name in attributes)
            yield from re.findall(r"url\(['\"]?([^)'\"]*)", attributes.get("style") or "")


@pytest.fixture(params=[(name, kind) for name in FIRST for kind in KINDS], ids="-".join)
def each(request):
    return request.param


@pytest.fixture
def written(pages, each):
    """All pages that the command of a page wrote, parsed, by path."""
    return {path: Page(path) for path in sorted(pages.out(*each).rglob("*.html"))}


def test_every_address_leads_to_a_place_in_the_folder(pages, each, written):
    out = pages.out(*each).resolve()
    for path, page in written.items():
        for address in page.addresses():
            parts = urlsplit(address)
            if parts.scheme == "data":
                continue
            assert not parts.scheme and not parts.netloc and not parts.query, address
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert out in target.parents and target.is_file(), f"{path.name}: {address}"
            if parts.fragment:
                assert unquote(parts.fragment) in written[target].ids, f"{path.name}: {address}"


def test_every_page_can_be_reached_from_the_first(pages, each, written):
    reached, waiting = set(), {pages.path(*each)}
    while waiting:
        path = waiting.pop()
        reached.add(path)
        found = {unquote(urlsplit(address).path) for address in written[path].addresses()}
        links = {(path.parent / link).resolve() for link in found if link.endswith(".html")}
        waiting |= (links & set(written)) - reached
    assert reached == set(written)


def test_every_id_is_there_once_and_every_reference_leads_to_one(written):
    for path, page in written.items():
        assert len(page.ids) == len(set(page.ids)), path.name
        for _, attributes in page.tags:
            wanted = " ".join(attributes.get(name) or "" for name in REFERENCES).split()
            assert set(wanted) <= set(page.ids), f"{path.name}: {wanted}"


def test_nothing_is_written_outside(pages, each):
    assert pages.strays(*each) == set()


def test_files_are_called_by_number(pages, each, written):
    for path in written:
        assert re.fullmatch(r"[a-z0-9_-]+\.html", path.name)


def test_nothing_of_the_files_becomes_markup(pages, each, written):
    for path, page in written.items():
        tags = [tag for tag, _ in page.tags]
        assert tags.count("script") == 1 and not {"img", "iframe"} & set(tags), path.name
        names = {name for _, attributes in page.tags for name in attributes}
        assert not [name for name in names if name.startswith("on")], path.name


@pytest.mark.parametrize("name", PAGES)
def test_hostile_words_are_shown_as_they_are(pages, name):
    text = "".join(Page(pages.path(name, "hostile")).text)
    assert made.SCRIPT in text and made.IMAGE in text
    assert "49 }}" not in text and "7*7" in text
