"""Small treebanks for readers to read."""

import pytest

from spacy_chance_eval.corpora.treebanks import find_tree_pair, read_tree_pair
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.keys import Reading

HEADS, RELATIONS = (2, 0, 4, 2), ("SUBJ", "PRED", "DET", "OBJ")
WORDS = ("Ada", "met", "the", "crew")
OTHER = ("NSUBJ", "PRED", "DET", "OBJ")
MORE = ("Rex", "saw", "a", "dog")


def conll(heads=HEADS, relations=RELATIONS, words=WORDS, *, name=None):
    """A sentence of CoNLL-U, which is CoNLL-X as well."""
    rows = zip(words, heads, relations)
    lines = [f"# sent_id = {name}"] if name else []
    lines += [
        f"{i}\t{word}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_"
        for i, (word, head, relation) in enumerate(rows, 1)
    ]
    return "\n".join(lines) + "\n\n"


SHORT = conll((2, 0), ("SUBJ", "PRED"), ("Ada", "slept"), name="s2")


def write(path, *texts):
    """A file of some texts, with the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(texts), encoding="utf-8")
    return path


def bank(path, *names, relations=RELATIONS, words=WORDS):
    """A file of a sentence for each name; an annotator's with other relations."""
    made = (conll(relations=relations, words=words, name=name) for name in names)
    return write(path, *made)


def two_annotators(folder):
    """The work of two annotators as CoNLL-U: the first sentence differs in one relation."""
    return (
        write(folder / "ann.conllu", conll(name="s1"), SHORT),
        write(folder / "bob.conllu", conll(relations=OTHER, name="s1"), SHORT),
    )


def labels(panel):
    """The labels of each annotator's trees, by item; None: not seen."""
    return {
        name: [
            [trees.labels[label] for label in trees.label[trees.item == item]] if seen else None
            for item, seen in enumerate(trees.seen)
        ]
        for name, trees in panel.annotators.items()
    }


def refused(read, *arguments, **options):
    with pytest.raises(FormatError) as error:
        read(*arguments, **options)
    return str(error.value)


def mutations(text, rng, n, pieces):
    """The text with small damages: pieces put in, left out, put twice, or exchanged."""
    for _ in range(n):
        found = text
        for _ in range(int(rng.integers(1, 4))):
            at, to = sorted(rng.integers(0, len(found) + 1, 2).tolist())
            to = min(to, at + 12)
            new = (str(rng.choice(pieces)), "", found[at:to] * 2)[int(rng.integers(3))]
            found = found[:at] + new + found[to:]
        yield found


def tree_pair(gold, pred, **options):
    """The panel of gold and a prediction in files, and the sentences behind it."""
    how = Reading.of(options)
    return read_tree_pair(*find_tree_pair(gold, pred, how), how)
