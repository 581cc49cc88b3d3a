"""Treebanks for pages: the sample as several people might annotate it, and what wishes harm."""

import random

import numpy as np

from helpers import made
from helpers.treefiles import conll
from spacy_chance_eval import Trees, sample
from spacy_chance_eval.corpora.treebanks import read_treebank

HARM = {"det": made.SCRIPT, "nsubj": made.IMAGE, "punct": "{{ 7*7 }}", "obj": "' onload='x"}


def trees():
    """(name, words, heads as CoNLL counts, relations) of each sentence of the sample."""
    bank = read_treebank(sample.path("treebank.conllu"))
    return [(s.name, s.words, [p + 1 for p in s.parents], list(s.labels)) for s in bank.sentences]


def hostile(rows):
    """A few of the sentences with hostile names, words and relations."""
    return [
        (
            name,
            [made.WORDS.get(word.lower(), word) for word in words],
            heads,
            [HARM.get(relation, relation) for relation in relations],
        )
        for name, (_, words, heads, relations) in zip(made.DOCUMENTS, rows)
    ]


def erring(rows, seed, share=0.12):
    """The same sentences as somebody else annotates them: other heads, other relations."""
    rng, known = random.Random(seed), sorted({label for row in rows for label in row[3]})
    return [(name, words, *mistaken(h, r, rng, share, known)) for name, words, h, r in rows]


def mistaken(heads, relations, rng, share, known):
    """Heads and relations with mistakes; no words cross that did not."""
    heads, relations = list(heads), list(relations)
    for place in range(len(heads)):
        if rng.random() < share:
            relations[place] = rng.choice(known)
        new = rng.randrange(1, len(heads) + 1)
        if heads[place] and rng.random() < share:
            changed = [*heads[:place], new, *heads[place + 1 :]]
            heads = changed if in_order(changed) else heads
    return heads, relations


def in_order(heads):
    """Whether each word stands, with all below it, in one stretch of a tree."""
    return leaves(heads, 0) == list(range(1, len(heads) + 1))


def leaves(heads, place):
    """The words below one, itself among them, in the order that brackets have; from 1."""
    own = [place] if place else []
    below = [i for i, head in enumerate(heads, 1) if head == place and i != place]
    return [one for part in sorted([*below, *own]) for one in found(heads, part, place)]


def found(heads, part, place):
    return [part] if part == place else leaves(heads, part)


def as_conllu(rows):
    return "".join(conll(heads, labels, words, name=name) for name, words, heads, labels in rows)


def as_brackets(rows):
    """Sentences as constituents: a phrase for each word that others hang on."""
    whole = [row for row in rows if in_order(row[2])]
    return "".join(f"(S {phrases(*row[1:], 0)})\n" for row in whole)


def phrases(words, heads, relations, place):
    """What stands below a word as brackets, itself among them."""
    below = [i for i, head in enumerate(heads, 1) if head == place]
    parts = [
        bracket(words, heads, relations, part, part == place)
        for part in sorted([*below, *([place] if place else [])])
    ]
    return " ".join(parts)


def bracket(words, heads, relations, place, alone):
    """One word, or all that hangs on it, with its label."""
    label = relations[place - 1].replace(" ", "_").replace("(", "[").replace(")", "]")
    if alone or place not in heads:
        word = words[place - 1].replace(" ", "_").replace("(", "[").replace(")", "]")
        return f"({label} {word})"
    return f"({label}P {phrases(words, heads, relations, place)})"


def varied(n_items=100):
    """A treebank-like set whose sentences differ in length as real ones do (from 1 to 60 tokens):
    tokens hang under near ones, and relations are as frequent as words are."""
    rng = np.random.default_rng(0)
    sizes = np.clip(np.exp(rng.normal(2.6, 0.6, n_items)).astype(int), 1, 60)
    weights = 1 / np.arange(1, 31)
    names = [f"relation{number}" for number in range(30)]
    labels = [rng.choice(names, size, p=weights / weights.sum()).tolist() for size in sizes]
    return Trees.from_heads([near_heads(rng, int(size)) for size in sizes], labels)


def near_heads(rng, size):
    """Tokens in a random order, each under the nearest of those before."""
    order, heads = rng.permutation(size) + 1, [0] * size
    for place, token in enumerate(order[1:].tolist(), 1):
        before = order[:place]
        heads[token - 1] = int(before[np.argmin(abs(before - token))])
    return heads
