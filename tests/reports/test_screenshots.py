"""Pictures of the pages for the documentation, in docs/images, from the sample.

    SCREENSHOTS=docs/images pytest tests/reports/test_screenshots.py

writes them anew; else they go into a temporary folder, and are only looked at.
"""

import base64
import os
import time
from io import BytesIO
from pathlib import Path

import pytest

from helpers import made
from helpers.browsing import DESKTOP, element, window
from helpers.pages import PAGES

pytestmark = pytest.mark.integration

# page: height of the picture, where it begins, and what is pressed before
PICTURES = {
    "demo": (340, ".figures", None),
    "leaderboard": (1330, None, None),
    "errors": (900, None, None),
    "diff": (1000, "#documents", None),
    "diff-index": (1300, None, None),
    "explain": (1300, None, None),
    "quality": (1300, None, None),
    "agreement": (1900, None, None),
    "pair": (1200, None, None),
    "tree-pair": (1250, "#sentences", None),
    "bracket-pair": (1000, "#sentences", None),
    "compare": (1300, None, None),
}
# the first screen of each kind of page, NAME-WIDTH.png: docs/start.md shows them all
SCREENS = {1400: 900, 375: 812}  # sizes of windows
# pages that look as others do
FURTHER = ("diff-page", "pair-page", "tree-page", "bracket-index", "quality-page")
SHOT = {"captureBeyondViewport": True, "format": "png"}


# fonts are there, pictures are unpacked, and what follows from both has been drawn
DRAWN = """
const done = arguments[0], pictures = Array.from(document.images, (image) => image.decode());
Promise.allSettled([document.fonts.ready, ...pictures]).then(
  () => requestAnimationFrame(() => requestAnimationFrame(() => done())));
"""
HEIGHT = "return Math.ceil(document.documentElement.getBoundingClientRect().height)"
PATIENCE = 30  # seconds until a blank picture is taken for the page: a busy machine draws late


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_a_page_is_neither_blank_nor_cut(browser, pages, tmp_path, name):
    pytest.importorskip("PIL.Image", reason="no pillow")
    height, start, button = PICTURES[name]
    window(browser, DESKTOP, height)
    browser.get(demo_page(tmp_path) if name == "demo" else pages.address(name, "plain"))
    if button:
        element(browser, button).click()
    browser.execute_async_script(DRAWN)
    top = element(browser, start).location["y"] - 16 if start else 0
    window(browser, DESKTOP, top + height)  # what no window shows may be left out of the drawing
    browser.execute_async_script(DRAWN)
    whole = browser.execute_script(HEIGHT)
    clip = {"x": 0, "y": top, "width": DESKTOP, "height": min(height, whole - top), "scale": 1}
    check_picture(browser, clip, f"{name}.png", tmp_path)


@pytest.mark.parametrize("width", SCREENS)
@pytest.mark.parametrize("name", [name for name in PAGES if name not in FURTHER])
def test_a_picture_of_the_first_screen_is_not_blank(browser, pages, tmp_path, name, width):
    pytest.importorskip("PIL.Image", reason="no pillow")
    window(browser, width, SCREENS[width])
    browser.get(pages.address(name, "plain"))
    browser.execute_async_script(DRAWN)
    clip = {"x": 0, "y": 0, "width": width, "height": SCREENS[width], "scale": 1}
    check_picture(browser, clip, f"{name}-{width}.png", tmp_path)


def check_picture(browser, clip, name, folder):
    """Write a part of the page, and assert that it is small, whole and not blank."""
    end = time.monotonic() + PATIENCE
    while is_blank(picture := picture_of(browser, clip)) and time.monotonic() < end:
        time.sleep(0.5)
    path = Path(os.environ.get("SCREENSHOTS") or folder) / name
    picture.save(path, optimize=True)
    assert picture.size == (clip["width"], clip["height"]) and path.stat().st_size < 200_000
    assert not is_blank(picture)


def demo_page(folder):
    """The address of the demo's board of long spans."""
    made.made("demo", "-o", folder / "demo")
    return (folder / "demo/statements.html").as_uri()


def picture_of(browser, clip):
    """A part of the page as it is now; a palette makes small files."""
    from PIL import Image

    found = browser.execute_cdp_cmd("Page.captureScreenshot", SHOT | {"clip": clip})
    image = Image.open(BytesIO(base64.b64decode(found["data"])))
    return image.convert("RGB").quantize(256, dither=0)


def is_blank(picture):
    """Whether nearly all of a picture has one colour."""
    counts = sorted((n for n, _ in picture.getcolors()), reverse=True)
    return len(counts) <= 16 or sum(counts[1:]) <= 0.02 * sum(counts)
