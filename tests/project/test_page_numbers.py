"""Numbers in the text of pages: each is printed by a block of the page, or computed here."""

import json
import re

import pytest

from helpers.examples import ROOT, page
from helpers.page_blocks import blocks_of
from helpers.textfiles import call

COLUMNS = ROOT.parent / "shared/data/wnut17_systems.tsv"
# pages of which every number is looked at, and those that no block prints, by where they are from
FROM = {
    "docs/comparing.md": {
        "wnut17": ".383 .350 .415 .376 .344 .408 .0065 .0233 .0367 .67 .030 .65",
        "thresholds": ".667 .80",
    },
}
needs_wnut17 = pytest.mark.skipif(
    not COLUMNS.is_file(), reason="the copy of WNUT-17 lies outside of the package"
)
DECIMALS = re.compile(r"(?<![\w.])\d?(\.\d{2,})\b")


def text_and_blocks(name):
    """The text of a page without its blocks, and what the blocks show, which is compared."""
    whole = page(name)
    shown = [f"{one.content}\n{one.output or ''}" for one in blocks_of(name, whole)]
    return re.sub(r"```.*?```", "", whole, flags=re.DOTALL), "\n".join(shown)


def rounded(number, others):
    """Whether a number of two decimals is a longer one, rounded."""
    return len(number) == 3 and any(f"{float(one):.2f}"[1:] == number for one in others)


@pytest.mark.parametrize("name", FROM)
def test_every_number_in_the_text_is_printed_or_computed(name):
    text, shown = text_and_blocks(name)
    given = {*DECIMALS.findall(text)}
    known = {*DECIMALS.findall(shown)}
    others = {number for row in FROM[name].values() for number in row.split()}
    found = known | others
    assert [one for one in sorted(given - found) if not rounded(one, found)] == []
    assert others <= given, "no longer on the page"


def board_of(folder, *options):
    """The board of all labels of the seven submissions to WNUT-17, by span F."""
    words = ("score", f"{COLUMNS}#gold", "-m", "span_f", *options, "-o", str(folder / "board.json"))
    done = call(*words)
    assert done.exit_code == 0, done.stderr
    boards = json.loads((folder / "board.json").read_text(encoding="utf8"))["boards"]
    return next(board for board in boards if board["label"] is None)


def short(number, digits=3):
    """A number as the text spells it."""
    return f"{abs(number):.{digits}f}".removeprefix("0")


@pytest.mark.integration
@needs_wnut17
def test_numbers_of_wnut17_in_comparing(tmp_path):
    board = board_of(tmp_path)
    rows = {row["system"]: row for row in board["rows"]}
    systems = ("spinningbytes", "arcada")
    numbers = [rows[name][key] for name in systems for key in ("corrected", "low", "high")]
    (pair,) = (
        row["corrected"]
        for row in board["pairs"]
        if {row["first"], row["second"]} == {"arcada", "spinningbytes"}
    )
    low, high = sorted((pair["low"], pair["high"]), key=abs)
    half = (abs(low) + abs(high)) / 2
    found = [short(number) for number in [*numbers, half]]
    found += [short(number, 4) for number in (pair["difference"], low, high)]
    found += [short(pair["p_value"], 2), short(100 * pair["difference"], 2)]
    text, _ = text_and_blocks("docs/comparing.md")
    assert {*FROM["docs/comparing.md"]["wnut17"].split()} <= {*found}
    assert [number for number in found if number not in text] == []
