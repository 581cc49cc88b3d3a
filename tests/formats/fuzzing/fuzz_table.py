"""Fuzz `read_table`: python fuzz_table.py -max_total_time=600

The first byte of an input tells what offsets count and where the texts are.
"""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import atheris
except ImportError:
    from spacy_chance_eval.formats import table
else:
    with atheris.instrument_imports(include=["spacy_chance_eval.formats"]):
        from spacy_chance_eval.formats import table

import standoff_fuzzing

TABLES = (
    "document,annotator,start,end,label,size\na,Ada,0,2,PER,17\na,Rex,,,,17\nb,Ada,,,,3\nc,,,,,0\n",
    'document,start,end,label,size,sure,why\na,0,1,X,3,0.5,\na,1,2,X,,"[1, null]",well\n',
    'document;label;start;end;size\r\n"a\r\n\U0001f680";"X ""Y""";0.0;1;2\r\n',
    "document\tannotator\tlabel\na\tAda\tA\na\tAda\tB\na\tRex\t\nb\t\t\n",
    "\ufeffdocument,annotator,start,end,label,text\na,Ada,0,3,PER,Ada\nb,Rex,0,1,X,\U0001f680\n",
)
TEXTS = (
    '{"id": "a", "text": "Ada met", "tokens": ["Ada", "met"]}\n'
    '{"id": "b", "text": "\U0001f680", "tokens": ["\U0001f680"]}\n'
)
WORDS = ["document", "annotator", "start", "end", "label", "size", "text", ",,,,", '"', '""', "\t",
         ";", "\r\n", "\n", "\r", "\0", "1e999", "NaN", "[[[[", "{}", "true", "null", '"1"', "-1",
         "99999999999", "2147483648", "\u0660", " ", ".0", "../a", "\ufeff", "\\ud800"]  # fmt: skip


def seeds():
    return [bytes([options]) + found.encode() for options in range(5) for found in TABLES]


FOLDER = Path(tempfile.mkdtemp())
(FOLDER / "texts").mkdir()
(FOLDER / "texts" / "a.txt").write_text("Ada met", encoding="utf-8")
(FOLDER / "texts" / "b.txt").write_text("\U0001f680", encoding="utf-8")
(FOLDER / "texts.jsonl").write_text(TEXTS, encoding="utf-8")
OPTIONS = (
    {},
    {"offsets": "char"},
    {"offsets": "char", "texts": FOLDER / "texts"},
    {"offsets": "char", "texts": FOLDER / "texts.jsonl"},
    {"texts": FOLDER / "texts.jsonl"},
)


def once(data):
    """Read one input as a table."""
    options = OPTIONS[data[0] % len(OPTIONS)] if data else {}
    (FOLDER / "a.csv").write_bytes(bytes(data[1:]))
    found = standoff_fuzzing.only_format_errors(table.read_table, FOLDER / "a.csv", **options)
    if found is None:
        return
    for layer in found.layer_names:
        found.spans(layer)
    for layer in found.category_layers:
        found.categories(layer)


if __name__ == "__main__":
    try:
        standoff_fuzzing.run(once, seeds(), WORDS)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
