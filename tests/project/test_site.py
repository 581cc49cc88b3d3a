"""The documentation as a site: built without a warning, complete, and without other hosts."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from configparser import ConfigParser
from functools import cache
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag

import pytest

import spacy_chance_eval
from helpers.cases import each_case
from helpers.examples import ROOT
from spacy_chance_eval.cli import COMMANDS

NAVIGATION = (ROOT / "mkdocs.yml").read_text(encoding="utf8").partition("\nnav:\n")[2]
PAGES = sorted(path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md"))


def test_every_page_is_in_the_navigation_once():
    named = re.findall(r"^ *- (?:.*: )?(\S+\.md)$", NAVIGATION, re.MULTILINE)
    own = [name for name in named if not name.startswith(("project/", "notebooks/"))]
    assert sorted(own) == PAGES


# --- the built site


class Page(HTMLParser):
    """The links, the anchors, and the addresses of what is loaded, of an HTML page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loaded, self.anchors, self.text = [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors |= {attrs[key] for key in ("id", "name") if key in attrs}
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        elif tag in ("script", "img", "iframe", "source"):
            self.loaded += [attrs[key] for key in ("src", "srcset") if key in attrs]
        elif tag == "link" and attrs.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(attrs["href"])

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture
def site(tmp_path):
    """The folder of the site."""
    if importlib.util.find_spec("material") is None:
        pytest.skip("the site needs the extra docs: pip install '.[docs]'")
    folder = tmp_path / "site"
    words = (sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder))
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr, done.stderr
    return folder


@cache
def page(path):
    """The parsed page of a file."""
    return Page(path.read_text(encoding="utf8"))


def words(path):
    """The text of a page."""
    return "".join(page(path).text)


def links_lead_to_pages_and_anchors(site):
    broken = []
    for path in site.rglob("*.html"):
        for link in page(path).links:
            target, anchor = urldefrag(unquote(link))
            if re.match(r"[a-z]+:", target) or path.name == "404.html":
                continue
            found = (path.parent / target).resolve() if target else path
            if found.is_dir():
                found = found / "index.html"
            if not found.exists():
                broken.append((path.relative_to(site), link))
            elif anchor and found.suffix == ".html" and anchor not in page(found).anchors:
                broken.append((path.relative_to(site), link))
    assert broken == []


def nothing_is_loaded_from_another_host(site):
    addresses = re.compile(r"""(?:url\(|@import )["']?(?:https?:)?//""")
    for path in site.rglob("*.html"):
        assert [one for one in page(path).loaded if re.match(r"(https?:)?//", one)] == []
    for path in site.rglob("*.css"):
        assert not addresses.search(path.read_text(encoding="utf8"))


def the_reference_has_every_command_with_its_options_and_output(site):
    for name in COMMANDS:
        text = words(site / f"reference/commands/{name}/index.html")
        assert f"Usage: spacy-chance-eval {name} [OPTIONS]" in text and "--help" in text
        assert f"$ spacy-chance-eval {name}" in text


def the_reference_has_every_registered_name(site):
    setup = ConfigParser()
    setup.read(ROOT / "setup.cfg")
    text = words(site / "reference/names/index.html")
    for group, rows in setup["options.entry_points"].items():
        if group not in ("console_scripts", "spacy_cli"):
            assert all(row.split(" = ")[0] in text for row in rows.strip().splitlines())


def the_reference_has_every_public_name_of_python(site):
    pages = site.glob("reference/python/*/index.html")
    anchors = set().union(*(page(path).anchors for path in pages))
    names = {*spacy_chance_eval.__all__} - {"__version__"}
    assert {f"spacy_chance_eval.{name}" for name in names} <= anchors


def the_reference_has_every_schema_with_its_keys(site):
    for path in ROOT.glob("docs/schemas/*.json"):
        schema = json.loads(path.read_text(encoding="utf8"))
        text = words(site / f"reference/schemas/{path.stem}/index.html")
        keys = {*schema["properties"], *schema["$defs"]}
        assert [key for key in keys if key not in text] == []


def the_site_names_no_folder_of_this_machine(site):
    places = (str(ROOT), tempfile.gettempdir(), os.path.expanduser("~") + "/")
    for path in site.glob("reference/**/*.html"):
        text = path.read_text(encoding="utf8")
        assert [place for place in places if place in text] == [], path


CHECKS = (
    links_lead_to_pages_and_anchors,
    nothing_is_loaded_from_another_host,
    the_reference_has_every_command_with_its_options_and_output,
    the_reference_has_every_registered_name,
    the_reference_has_every_public_name_of_python,
    the_reference_has_every_schema_with_its_keys,
    the_site_names_no_folder_of_this_machine,
)


@pytest.mark.integration
@each_case("check", CHECKS)  # in one test, so that the site is built once
def test_the_site_is_whole(check, site):
    check(site)
