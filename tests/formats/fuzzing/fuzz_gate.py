"""Fuzz `read_gate`: python fuzz_gate.py -max_total_time=600"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

try:
    import atheris
except ImportError:
    atheris = None

sys.path.insert(0, str(Path(__file__).parent))
import standoff_fuzzing

if atheris:
    with atheris.instrument_imports(include=["spacy_chance_eval", "gatenlp"]):
        from spacy_chance_eval.formats.gate import read_gate, write_gate
else:
    from spacy_chance_eval.formats.gate import read_gate, write_gate

from spacy_chance_eval.formats.corpus import Corpus, Document

WORDS = """Token Sentence SpaceToken Split Original default GateDocument TextWithNodes Node Feature
AnnotationSet Annotation Name Value className StartNode EndNode java.lang.String java.lang.Integer
java.lang.Double java.lang.Boolean gate.corpora.ObjectWrapper true false NaN Infinity -1 0 1e999
99999999999999999999 <!DOCTYPE <!ENTITY <![CDATA[ <!-- --> &#0; &x; encoding= UTF-16 &lt; null [] {}
\\ud800 "id" "start" "end" "type" "features" "offset_type" "j" "p" "annotation_sets" "name" "text"
<Node/> <Feature> </Feature> http://localhost/x file:///etc/passwd""".split()
WRAPPED = (
    '<Feature><Name className="java.lang.String">w</Name><Value className='
    '"gate.corpora.ObjectWrapper">&lt;value class="list"&gt;&lt;/value&gt;</Value></Feature>'
)


def documents():
    """Corpora whose files are the seeds."""
    words = ("Ada", "\U0001f600", "slept", ".")
    said = {"bob": {(0, 1, "PER"): {"kind": "x", "sure": False, "n": 3, "p": 0.5}}}
    layers = {"ann": ((0, 1, "PER"), (1, 3, "LOC")), "bob": ((0, 1, "PER"),), "default": ()}
    text = "Ada \U0001f600 slept."
    yield Corpus(
        "a",
        [
            Document(
                words, layers, name="a", sents=(0, 2), text=text, features=said, attributes={"a": 1}
            )
        ],
    )
    yield Corpus("a", [Document((), {"ann": ((0, 3, "PER"),)}, name="b", text=text)], "char")


def seeds():
    found = [b"{}", b"<GateDocument/>"]
    with tempfile.TemporaryDirectory() as folder:
        for corpus in documents():
            for name in ("a.xml", "a.bdocjs"):
                write_gate(Path(folder) / name, corpus)
                found.append((Path(folder) / name).read_bytes())
    bdoc = json.loads(found[-1])
    return [
        *found,
        json.dumps(bdoc | {"offset_type": "j"}).encode(),
        found[2].replace(b"</Annotation>", WRAPPED.encode() + b"</Annotation>", 1),
    ]


FOLDER = Path(tempfile.mkdtemp())


def once(data):
    """Read one input as a file."""
    path = FOLDER / "a"
    path.write_bytes(data)
    for options in ({"misaligned": "unplaced"}, {"tokens": False, "label": "kind"}):
        found = standoff_fuzzing.only_format_errors(read_gate, path, **options)
        for layer in found.layer_names if found else ():
            found.spans(layer)


if __name__ == "__main__":
    try:
        standoff_fuzzing.run(once, seeds(), WORDS)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
