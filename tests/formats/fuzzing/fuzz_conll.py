"""Fuzz the reader and writer of CoNLL: python fuzz_conll.py -max_total_time=600"""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
try:
    import atheris
except ImportError:
    from spacy_chance_eval.formats import conll as format
else:
    with atheris.instrument_imports(include=["spacy_chance_eval.formats"]):
        from spacy_chance_eval.formats import conll as format

from rows_fuzzing import fuzz

OPTIONS = (
    {"columns": "all"},
    {"columns": "all", "repair": "conlleval"},
    {"columns": "all", "repair": "drop", "documents": "sentence"},
    {"columns": "all", "scheme": "BIOES", "repair": "begin"},
    {"repair": "begin", "documents": "docstart"},
    {"columns": "all", "separator": "\t", "token": -1, "repair": "begin"},
)
SEEDS = (
    "#token\tada\tbob\n# id d1\tgenre=news\nAda\tB-PER\t-\nslept\tO\t-\n\n# id d2\nb\tI-X\tB-X\n",
    "-DOCSTART- -X- O O\n\nAda NNP B-PER\nLove NNP I-PER\n\nb X -\n\n-DOCSTART-\n\n"
    "# doc_id = x\nc Y O\n",
    "# newdoc id = x\n# sent_id = 1\r\na B-X\r\nb E-X\r\nc S-Y\r\n\r\n# newdoc\nd L-X\n",
    "\ufeff#a\tO\n\xa0\tB-\U0001f600\n\n\n\u2028\tO\n",
)


def same(path, corpus):
    """What was written, with what may differ made equal: see `write_conll`."""
    again = format.read_conll(path, columns="all")
    kept = [
        replace(one, sents=old.sents, missing_in=old.missing_in)
        if one.sents == (old.sents or one.sents) and gaps(one, corpus) == gaps(old, corpus)
        else one
        for one, old in zip(again.documents, corpus.documents, strict=True)
    ]
    return replace(again, documents=tuple(kept))


def gaps(document, corpus):
    """Positions without annotation, by layer."""
    return [
        {at for start, end in document.gaps(layer) for at in range(start, end)}
        for layer in corpus.layer_names
    ]


if __name__ == "__main__":
    words = ["O", "B-X", "I-X", "E-X", "S-X", "L-X", "U-X", "-", "--", "B-", "\t", " ", "\n\n",
             "\r\n", "-DOCSTART-", "# id x", "# newdoc", "#", "#token\tx\ty\n", "# k = v", "=",
             "\ufeff", "\u2028", "\0", "\xa0", "\U0001f600"]  # fmt: skip
    fuzz(format.read_conll, format.write_conll, OPTIONS, SEEDS, words, same=same)
