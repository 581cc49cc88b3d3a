"""Fuzz `read_cas`: python fuzz_cas.py -max_total_time=600

The first byte of an input tells its kind, a line of ==== parts XMI from its type system.
"""

import io
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

try:
    import atheris
except ImportError:
    atheris = None

sys.path.insert(0, str(Path(__file__).parent))
import standoff_fuzzing

if atheris:
    with atheris.instrument_imports(include=["spacy_chance_eval", "cassis"]):
        import cassis  # noqa: F401

        from spacy_chance_eval.formats import cas
        from spacy_chance_eval.formats.cas import write_cas
else:
    from spacy_chance_eval.formats import cas
    from spacy_chance_eval.formats.cas import write_cas

from spacy_chance_eval.formats.corpus import Corpus, Document

PARTING = b"\n====\n"
WORDS = """sofa begin end xmi:id members value identifier sofaString sofaID _InitialView
uima.tcas.Annotation uima.cas.String uima.cas.TOP uima.cas.FSArray uima.cas.StringList
uima.cas.Integer supertypeName rangeTypeName elementType multipleReferencesAllowed
<!DOCTYPE <!ENTITY <![CDATA[ <!-- --> &#0; &x; encoding= UTF-16 xmlns <elements> </elements>
%TYPES %FEATURES %VIEWS %MEMBERS %SOFA %ID %TYPE %RANGE %SUPER_TYPE %FEATURE_STRUCTURES %ELEMENTS
@sofa @x #f NaN Infinity null true false -1 0 99999999999999999999 1e999 [] {} "" \\ud800 self type
webanno.custom.A ../x TypeSystem.xml class __init__ elements head tail""".split()


def documents():
    """Corpora whose files are the seeds."""
    said = {"spans": {(0, 1, "PER"): {"identifier": "Q1", "sure": True, "n": 3, "p": 0.5}}}
    words = ("Ada", "\U0001f600", "slept", ".")
    spans = {"spans": ((0, 1, "PER"), (1, 3, "LOC"))}
    text = "Ada \U0001f600 slept."
    yield Corpus("a", [Document(words, spans, name="a", sents=(0, 2), text=text, features=said)])
    yield Corpus("a", [Document((), {"spans": ((0, 3, "PER"),)}, name="b", text=text)], "char")


def seeds():
    found = [b"\x00", b"\x01{}", b"\x02PK\x03\x04"]
    for corpus in documents():
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for ending in (".xmi", ".json", ".zip"):
                write_cas(folder / f"a{ending}", corpus)
            types = (folder / "TypeSystem.xml").read_bytes()
            found += [
                b"\x00" + (folder / "a.xmi").read_bytes() + PARTING + types,
                b"\x01" + (folder / "a.json").read_bytes(),
                b"\x02" + (folder / "a.zip").read_bytes(),
                b"\x03" + (folder / "a.xmi").read_bytes() + PARTING + types,
            ]
    return found


FOLDER = Path(tempfile.mkdtemp())


def once(data):
    """Read one input as a file."""
    kind, data = data[:1], bytes(data[1:])
    if kind == b"\x01":
        path = FOLDER / "a.json"
    elif kind == b"\x02":
        path = FOLDER / "a.zip"
    elif kind == b"\x03":  # the parts of a zip that is sound itself
        path, packed = FOLDER / "b.zip", io.BytesIO()
        with zipfile.ZipFile(packed, "w") as members:
            xmi, _, types = data.partition(PARTING)
            members.writestr("a.xmi", xmi)
            members.writestr("TypeSystem.xml", types)
        data = packed.getvalue()
    else:
        path = FOLDER / "a.xmi"
        data, _, types = data.partition(PARTING)
        (FOLDER / "TypeSystem.xml").write_bytes(types)
    path.write_bytes(data)
    found = standoff_fuzzing.only_format_errors(cas.read_cas, path, misaligned="unplaced")
    if found is not None and "spans" in found.layer_names:
        found.spans("spans")


if __name__ == "__main__":
    try:
        standoff_fuzzing.run(once, seeds(), WORDS)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
