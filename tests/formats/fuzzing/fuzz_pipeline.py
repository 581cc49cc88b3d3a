"""Fuzz `score` with a pipeline: python fuzz_pipeline.py -runs=3000 -jobs=2

Inputs are folders of pipelines whose config, meta data or other files are changed.
"""

import json
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

import spacy
from spacy.tokens import Doc, DocBin, Span

sys.path.insert(0, str(Path(__file__).parent))
import batch_fuzzing
from batch_fuzzing import changed_bytes, changed_values

JSON_ODD = [one for one in batch_fuzzing.ODD if not isinstance(one, bytes) and one != {b"nd": True}]


@cache
def seed():
    """A folder with gold documents and a pipeline."""
    folder = Path(tempfile.mkdtemp())
    nlp = spacy.blank("xx")
    patterns = [{"label": "PER", "pattern": "Ada"}, {"label": "LOC", "pattern": "Oslo"}]
    nlp.add_pipe("entity_ruler").add_patterns(patterns)
    nlp.add_pipe("span_ruler", config={"spans_key": "sc"}).add_patterns(patterns)
    nlp.add_pipe("sentencizer")
    nlp.to_disk(folder / "model")
    doc = Doc(nlp.vocab, words=["Ada", "met", "Bob", "in", "Oslo"])
    doc.set_ents([Span(doc, 0, 1, "PER"), Span(doc, 4, 5, "LOC")], default="outside")
    doc.spans["sc"] = [Span(doc, 0, 1, "PER")]
    DocBin(docs=[doc]).to_disk(folder / "gold.spacy")
    return folder


def changed_config(text, rng):
    """A config with other lines."""
    lines = text.splitlines()
    for _ in range(rng.choice([1, 1, 2])):
        at = rng.randrange(len(lines))
        kind, (key, equals, _) = rng.randrange(5), lines[at].partition("=")
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(rng.randrange(len(lines)), lines[at])
        elif kind == 2 and equals:
            odd = ["null", "[]", "{}", "-1", "1e99", '"x"', "${a.b}", '["x"]', "x", '{"@misc":"x"}']
            lines[at] = f"{key}= {rng.choice(odd)}"
        elif kind == 3:
            lines[at] = rng.choice(lines)
        else:
            lines[at] = changed_bytes(lines[at].encode(), rng).decode("latin-1")
    return "\n".join(lines)


def once(rng, folder):
    """Whether `score` takes a mutated pipeline."""
    model = folder / "model"
    shutil.rmtree(model, ignore_errors=True)
    shutil.copytree(seed() / "model", model)
    files = sorted(path for path in model.rglob("*") if path.is_file())
    path = rng.choice([*files, *[model / "config.cfg"] * 6, *[model / "meta.json"] * 4])
    if rng.random() < 0.05:
        path.unlink()
    elif path.name == "config.cfg" and rng.random() < 0.8:
        path.write_text(changed_config(path.read_text("utf-8"), rng), "utf-8")
    elif path.name == "meta.json" and rng.random() < 0.8:
        meta = changed_values(json.loads(path.read_text("utf-8")), rng, JSON_ODD)
        path.write_text(json.dumps(meta), "utf-8")
    else:
        path.write_bytes(changed_bytes(path.read_bytes(), rng))
    gold = seed() / "gold.spacy"
    more = rng.choice([(), ("--layer", "ents"), ("--metric", "syntax_alpha")])
    return batch_fuzzing.command("score", str(gold), str(model), *more)


if __name__ == "__main__":
    batch_fuzzing.main(__file__, once, 3_000)
