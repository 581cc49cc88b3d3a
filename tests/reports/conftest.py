"""One browser for all tests of pages, started when the first test asks for it."""

import pytest

from helpers import browsing
from helpers.pages import Pages


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    browser = browsing.started(tmp_path_factory.mktemp("chromium"))
    browser.set_script_timeout(60)
    yield browser
    browser.quit()


@pytest.fixture
def browser(chromium):
    """The browser with a window of usual size, in the light, with scripts."""
    browsing.reset(chromium)
    yield chromium
    browsing.reset(chromium)


@pytest.fixture(scope="session")
def pages(tmp_path_factory):
    """All pages, made when they are first asked for, and served."""
    root = tmp_path_factory.mktemp("pages") / "served"
    root.mkdir()
    with browsing.served(root) as (address, asked):
        yield Pages(root, address, asked)
