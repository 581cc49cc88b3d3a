"""What several fuzzers share: read a file, look at all of it, write it, read it again."""

import shutil
import tempfile
from pathlib import Path

import standoff_fuzzing

# Changes of JSON that a reader has to notice.
WORDS = ["null", "NaN", "-Infinity", "1e999", "true", "1.5", "-1", "0", "99999999999", "[]", "{}",
         '""', '"\\ud83d"', '"\\ud83d\\ude00"', "\U0001f600", "\ufeff", "\r\n", "\u2028", "\0",
         "[[[[", "]]]]", ",", ":", "\n", '"X"', '"id"', '"text"', '"label"', '"spans"',
         '[0,1,"X"]', '"ada"', '"bob"']  # fmt: skip


def fuzz(read, write, options, seeds, words, *, same=None, name="a.txt"):
    """Fuzz a reader, and its writer if it has one.

    Parameters
    ----------
    read, write : functions
        Without a writer, None.
    options : sequence of dict
        The first byte of an input tells which one.
    seeds : sequence of str
    words : sequence of str
        What a mutation may put in.
    same : function of (path, corpus) to Corpus, optional
        Reads what was written; it has to be the same corpus. By default nothing is written.
    name : str
        Of the file.
    """
    folder = Path(tempfile.mkdtemp())

    def once(data):
        chosen = options[data[0] % len(options)] if data else {}
        (folder / name).write_bytes(bytes(data[1:]))
        corpus = standoff_fuzzing.only_format_errors(read, folder / name, **chosen)
        if corpus is None:
            return
        for layer in corpus.layer_names:
            corpus.spans(layer)
        for layer in corpus.category_layers:
            corpus.categories(layer)
        if write is None:
            return
        again = folder / "again"
        again.unlink(missing_ok=True)
        standoff_fuzzing.only_format_errors(write, again, corpus)
        if again.exists():
            assert same(again, corpus) == corpus, "written and read is another corpus"

    try:
        texts = [bytes([i]) + seed.encode() for i in range(len(options)) for seed in seeds]
        standoff_fuzzing.run(once, texts, words)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
