"""Fuzz the readers of treebanks: python fuzz_treebank.py -max_total_time=600

The first byte of an input tells which one. What could be read is matched with itself.
"""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import atheris
except ImportError:
    from spacy_chance_eval.formats import sentences, treebank
else:
    with atheris.instrument_imports(include=["spacy_chance_eval.formats"]):
        from spacy_chance_eval.formats import sentences, treebank

import standoff_fuzzing

ROWS = (
    "# newdoc id = d\n# sent_id = s1\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tde\t_\tADP\t_\t_\t3\tcase\t3:case\t_\n2\tle\t_\tDET\t_\tA=B\t3\tdet\t_\tA=B|C\n"
    "2.1\tx\t_\t_\t_\t_\t_\t_\t3:amod\t_\n3\tpain\t_\t_\t_\t_\t0\troot\t_\t_\n\n",
    "# sent_id = s1\r\n1\ta\t_\t_\t_\t_\t2\tx:y\t_\t_\r\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\r\n\r\n"
    "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n",
    "1 a _ _ _ _ 0 x\n\n\ufeff1 \xa0 _ _ _ _ 1 y\n",
)
TREES = (
    "( (S (NP-SBJ (DT the) (NN dog)) (VP (VBZ barks) (NP (-NONE- *T*-1)))) )\n(S (NP a))\n",
    "(S (NP P) (VP V (NP D N)))\n(S)\n(A\n b)",
)
FORMATS = tuple(treebank.TREEBANKS)
WORDS = ["\t", "_", "1-2", "1.1", "0", "-1", "99999999999", "\n", "\n\n", "\r\n", "#", "(", ")",
         "((", "))", "()", "(-NONE- *)", "(X y)", "# sent_id = s1\n", "# global.columns = ID\n",
         "\ufeff", "\u2028", "\x0b", "\x1c", "\0", "\xa0", "\u00b2", "\U0001f600"]  # fmt: skip
FOLDER = Path(tempfile.mkdtemp())


def once(data):
    """Read one input as trees; look at all of it."""
    format = FORMATS[data[0] % len(FORMATS)] if data else FORMATS[0]
    (FOLDER / "a").write_bytes(bytes(data[1:]))
    found = standoff_fuzzing.only_format_errors(treebank.read_trees, FOLDER / "a", format)
    if found is None:
        return
    standoff_fuzzing.only_format_errors(found.trees)
    assert found.trees("reachable").n_items == len(found.sentences)
    names, sides = sentences.matched({"a": found, "b": found})
    assert sides["a"] == sides["b"] == list(found.sentences)
    assert len(set(names)) == len(names)


if __name__ == "__main__":
    texts = [
        bytes([number]) + text.encode()
        for number, name in enumerate(FORMATS)
        for text in (ROWS if name.startswith("conll") else TREES)
    ]
    try:
        standoff_fuzzing.run(once, texts, WORDS)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
