"""Fuzz what reads `.spacy` files: python fuzz_docbin.py -runs=20000 -jobs=2

Inputs are files with changed bytes before or after compression, or with other values in the
message of msgpack: columns, span groups, user data, categories, strings.
"""

import random
import sys
import zlib
from functools import cache
from pathlib import Path

import numpy as np
import spacy
import srsly
from spacy.tokens import Doc, DocBin, Span

sys.path.insert(0, str(Path(__file__).parent))
import batch_fuzzing
from batch_fuzzing import ODD, changed_bytes, changed_values

from spacy_chance_eval import read
from spacy_chance_eval.formats import READERS
from spacy_chance_eval.formats.files import Excerpt
from spacy_chance_eval.formats.keys import Reading

NLP = spacy.blank("xx")
WORDS = ("Ada", "Byron", "slept", "in", "Oslo", ".", "ORG", "\n", "東京")
ODD_SCORES = [*ODD, np.float32(0.7), np.float64("nan"), np.bool_(True), np.array(0.5),
              np.array([0.5, 1.0]), np.array(["a"]), np.int64(3), "0.7", {"score": 1}]  # fmt: skip
COMMANDS = [
    ("score", "GOLD", "PRED"),
    ("score", "GOLD#spans:sc", "PRED#spans:sc"),
    ("score", "GOLD", "PRED", "--on-error", "skip"),
    ("score", "GOLD", "PRED", "--metric", "syntax_alpha"),
    ("agree", "GOLD", "PRED"),
    ("agree", "GOLD", "--annotators", "layer"),
    ("agree", "GOLD", "PRED", "--categories"),
    ("agree", "GOLD", "PRED", "--categories", "--on-error", "skip"),
    ("agree", "GOLD", "PRED", "--metric", "syntax_alpha"),
    ("score", "GOLD", "a=PRED", "b=SOUND", "--resamples", "20"),
    ("plan", "GOLD", "PRED"),
    ("diff", "GOLD", "PRED"),
    ("score", "GOLD", "PRED", "--explain"),
    ("score", "GOLD", "PRED", "-o", "FOLDER/a.run"),
    ("convert", "GOLD", "FOLDER/a.jsonl"),
    ("convert", "GOLD", "FOLDER/a.spacy#ents=none"),
    ("convert", "GOLD", "FOLDER/a.conll", "--layer", "ents"),
]


@cache
def seeds():
    """Sound files, unpacked."""
    draw = random.Random(0)
    return [zlib.decompress(docbin(draw, n_docs, user_data).to_bytes())
            for n_docs in (1, 3, 6) for user_data in (True, True, False)]  # fmt: skip


def docbin(draw, n_docs, user_data):
    """A DocBin with all that Docs may have."""
    docs = [doc(draw, number) for number in range(n_docs)]
    return DocBin(store_user_data=user_data, docs=docs)


def doc(draw, number):
    """A Doc with entities, span groups, a tree, categories and user data."""
    n = draw.randint(3, 8)
    words = draw.choices(WORDS, k=n)
    made = Doc(NLP.vocab, words=words, heads=[max(i - 1, 0) for i in range(n)],
               deps=["ROOT", *["nsubj"] * (n - 1)], tags=["X"] * n,
               morphs=["Case=Nom|Number=Sing"] * n)  # fmt: skip
    made.set_ents([Span(made, 0, 2, "PER", kb_id="Q1")], default="outside")
    made.spans["sc"] = [Span(made, 0, 2, "PER"), Span(made, 1, 3, "LOC", span_id="s")]
    made.spans["ada"] = made.spans["bob"] = [Span(made, 1, 2, "ORG")]
    made.cats = {"a": 1.0, "b": draw.random(), "c": 0}
    made.user_data |= {"name": f"d{number}", "source": "web", "n": 3}
    return made


def mutated(rng):
    """The bytes of a file."""
    data = rng.choice(seeds())
    kind = rng.random()
    if kind < 0.1:
        return changed_bytes(zlib.compress(data), rng)
    if kind < 0.3:
        return zlib.compress(changed_bytes(data, rng))
    message = srsly.msgpack_loads(data)
    for _ in range(rng.choice([1, 1, 2])):
        message = changed_message(message, rng)
    try:
        return zlib.compress(srsly.msgpack_dumps(message))
    except (OverflowError, ValueError, TypeError):  # what cannot be packed cannot be met
        return zlib.compress(changed_bytes(data, rng))


def changed_message(message, rng):
    """A message with other values in one of its parts."""
    message = dict(message)
    part = rng.choice([*message, "values", "values", "values"])
    if part == "values" and "tokens" not in message:
        return message
    if part == "values" or part == "tokens" and rng.random() < 0.7:
        return changed_tokens(message, rng)
    if part == "cats" and isinstance(message[part], list) and rng.random() < 0.8:
        cats = [changed_values(one, rng, ODD_SCORES) for one in message[part]]
        return message | {part: cats}
    if part in ("span_groups", "user_data") and isinstance(message[part], list):
        return message | {part: [repacked(one, rng) for one in message[part]]}
    sized = isinstance(message[part], bytes) and message[part] and len(message[part]) % 4 == 0
    if part == "lengths" and sized and rng.random() < 0.7:
        lengths = np.frombuffer(message[part], "int32").copy()
        lengths[rng.randrange(len(lengths))] += rng.choice([-1, 1, -20, 2**20, 2**30])
        return message | {part: lengths.tobytes()}
    if rng.random() < 0.1:
        del message[part]
        return message
    return message | {part: changed_values(message[part], rng)}


def changed_tokens(message, rng):
    """A message with other numbers in some column of tokens."""
    n = len(message["attrs"]) if isinstance(message.get("attrs"), list) else 0
    data = message.get("tokens")
    if not n or not isinstance(data, bytes) or len(data) % (8 * n) or not data:
        return message
    table = np.frombuffer(data, "uint64").reshape(-1, n).copy()
    row, column = rng.randrange(len(table)), rng.randrange(n)
    rows = rng.choice([row, slice(None)])
    odd = [0, 1, 2, 3, 4, 5, 91, 450, 456, 457, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 12345,
           2**64 - 3, int(table[rng.randrange(len(table)), rng.randrange(n)])]  # fmt: skip
    table[rows, column] = rng.choice(odd)
    return message | {"tokens": table.tobytes()}


def repacked(data, rng):
    """Packed span groups, or user data, with other values in them."""
    if rng.random() < 0.3 or not isinstance(data, bytes):
        return changed_values(data, rng) if rng.random() < 0.5 else data
    if rng.random() < 0.3:
        return changed_bytes(data, rng)
    try:
        content = srsly.msgpack_loads(data)
    except (ValueError, TypeError):  # changed before
        return data
    if isinstance(content, dict) and all(isinstance(key, bytes) for key in content):
        groups = {regrouped(key, rng): keys for key, keys in content.items()}
        content = groups if rng.random() < 0.7 else [*groups]
    try:
        return srsly.msgpack_dumps(changed_values(content, rng, ODD_SCORES))
    except (OverflowError, ValueError, TypeError):
        return data


def regrouped(data, rng):
    """A packed span group with other values in it."""
    try:
        return srsly.msgpack_dumps(changed_values(srsly.msgpack_loads(data), rng))
    except (OverflowError, ValueError, TypeError):
        return data


def read_all(path, role):
    """Read a file in every way, and all of what it holds."""
    corpus = read(path, role=role)
    for layer in corpus.layer_names:
        corpus.spans(layer)
    for document in corpus.documents:
        assert document.name is None or document.words is not None
    blocks = READERS["spacy"].blocks
    layers, documents = blocks.open(path, Reading(role=role))
    raw = [one for one, _ in documents]
    part = Excerpt(path, blocks.join(raw[len(raw) // 2 :]))
    READERS["spacy"].read(part, Reading(role=role), layers)
    for layer in corpus.category_layers:
        corpus.labelled_documents.spans(layer)


def once(rng, folder):
    """Whether a mutated file is taken, by readers alone, or by a command, which takes longer."""
    odd, sound = folder / "odd.spacy", folder / "sound.spacy"
    odd.write_bytes(mutated(rng))
    sound.write_bytes(zlib.compress(rng.choice(seeds())))
    gold, pred = rng.choice([(odd, odd), (odd, sound), (sound, odd)])
    if rng.random() < 0.8:
        role = rng.choice(["gold", "pred"])
        return batch_fuzzing.called("read", lambda: read_all(odd, role))
    slow = ("score", "plan", "agree")
    weights = [1 if words[0] in slow or "token_f" in words else 3 for words in COMMANDS]
    words = rng.choices(COMMANDS, weights)[0]
    names = {"GOLD": gold, "PRED": pred, "SOUND": sound, "FOLDER": folder}
    for name, path in names.items():
        words = [word.replace(name, str(path)) for word in words]
    return batch_fuzzing.command(*words)


if __name__ == "__main__":
    batch_fuzzing.main(__file__, once, 20_000)
