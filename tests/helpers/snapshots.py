"""What reports print and write, letter by letter, in files beside the tests.

`SNAPSHOT_UPDATE=1 pytest tests/reports` writes them anew; a changed file is read in review.
"""

import os
import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "reports" / "snapshots"


def stable(name, text):
    """A text without version and last digits; pages without styles, scripts, sources, breaks."""
    if name.endswith("html"):
        text = re.sub(r"<(style|script|pre)\b.*?</\1>", r"<\1/>", text, flags=re.DOTALL)
        text = re.sub("sha256-[^']*", "sha256-HASH", text.replace("<wbr>", ""))
    text = re.sub(r"-?\d+\.\d{10,}", lambda found: f"{float(found[0]):.9f}", text)
    text = re.sub(r"(\beval |\bv=)\d+\.\d+(\.\w+)*", r"\1VERSION", text)
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def compare_with_snapshot(name, text):
    """Fails unless a text is as it was written to the snapshot of this name."""
    file = FOLDER / name
    if "SNAPSHOT_UPDATE" in os.environ:
        file.parent.mkdir(exist_ok=True)
        file.write_text(stable(name, text), encoding="utf8")
    assert stable(name, text) == file.read_text(encoding="utf8")
