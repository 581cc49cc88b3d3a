"""Fuzz `read_brat`: python fuzz_brat.py -max_total_time=600

The first byte of an input tells the options, a line of ==== parts the annotation from its text.
"""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import atheris
except ImportError:
    from spacy_chance_eval.formats import brat
else:
    with atheris.instrument_imports(include=["spacy_chance_eval.formats"]):
        from spacy_chance_eval.formats import brat

import standoff_fuzzing

PARTING = b"\n====\n"
OPTIONS = (
    {},
    {"label": "role"},
)
TEXTS = ("Ada met Rex.\nShe slept.", "\ufeffAda met\r\nRex. \U0001f680 slept\t.", "")
ANNOTATIONS = (
    "T1\tPER 0 3\tAda\nT2\tPER 8 11\tRex\nA1\tsure T1\nM2\tLevel T2 L3\n",
    "T1\tX 8 16\tRex. She\n#1\tAnnotatorNotes T1\thm\nN1\tReference T1 Wikipedia:5\tRex\n",
    "T1\tP 0 3;8 11\tAda Rex\nA1\trole T1 Boss\n",
    "T1\tX 1 4\tAda\r\nT2\tmeet 5 8\tmet\r\nE1\tmeet:T2 Who:T1\r\nR1\tr Arg1:T1 Arg2:T2\r\n",
    "*\tEquiv T1 T2\n# a comment\n",
)
WORDS = ["T1", "T2\tX 0 1\tA", "A1\ta T1", "#1\tN T1\tb", "N1\tR T1 c\td", "M1", "E1", "\t", "\r",
         "\n", "\r\n", ";", " 0 1;2 3", "99999999999999", "-1", "\ufeff", "\u2028", "\u0660",
         "\0", "role T1 b", "AnnotatorNotes T1\t", "\U0001f680"]  # fmt: skip


def seeds():
    pairs = [(annotation, text) for annotation in ANNOTATIONS for text in TEXTS]
    return [
        bytes([options]) + annotation.encode() + PARTING + text.encode()
        for options in range(len(OPTIONS))
        for annotation, text in pairs
    ]


FOLDER = Path(tempfile.mkdtemp())


def once(data):
    """Read one input as a pair of files."""
    options = OPTIONS[data[0] % len(OPTIONS)] if data else {}
    annotation, _, text = bytes(data[1:]).partition(PARTING)
    (FOLDER / "a.ann").write_bytes(annotation)
    (FOLDER / "a.txt").write_bytes(text)
    found = standoff_fuzzing.only_format_errors(brat.read_brat, FOLDER / "a.ann", **options)
    if found is not None:
        found.spans("spans")


if __name__ == "__main__":
    try:
        standoff_fuzzing.run(once, seeds(), WORDS)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
