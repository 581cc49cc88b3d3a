"""CoNLL-U Plus: columns that the first line names, some of them of spans; PARSEME's .cupt is it.

CoNLL-U has spans in its column MISC, as in NorNE: `name=B-PER`.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..measures.messages import quoted
from ..measures.spans import Copy
from .blemishes import SPANS
from .conll import checked_corpus
from .conll_bytes import UNSEEN, Shape, read_pieces, width_of
from .conll_documents import Columns, Layout
from .corpus import Corpus, Span, join_stretches
from .documents import SEEN, LayerTable
from .errors import FormatError, PathLike, Problem
from .keys import Reading
from .tags import is_tag

NAMES = re.compile(r"#\s*global\.columns\s*=\s*(.*)")
STANDARD = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC".split()
NOTHING, UNKNOWN = "*", "_"
CODE = re.compile(r"(\d{1,9})(?::([^;]+))?", re.ASCII)
CODES = re.compile(rf"{CODE.pattern}(?:;{CODE.pattern})*", re.ASCII)
GIVE_LABEL = "one token of an expression has its label, such as 1:VID, the others 1"


def read_conllup(path: PathLike, reading: Reading) -> Corpus:
    """The corpus of a file of CoNLL-U Plus; each column of spans is a layer of its name.

        # global.columns = ID FORM NER PARSEME:MWE
        1	Ada	B-PER	*
        2	gave	O	1:VID
        3	up	O	1

    Columns of spans are those beside the ten of CoNLL-U whose values mostly are tags, or codes as
    PARSEME has them: the number of an expression in its sentence, with its label at one of its
    tokens, several joined by semicolons; `*` for none. Without such a column, or such a first line,
    each key of the column MISC whose values mostly are tags is a layer: `misc:name` of
    `name=B-PER`. Tokens without it are outside.
    """
    pieces = [*read_pieces(path)]
    names, header = _names_of(path, pieces)
    own = {name: at for at, name in enumerate(names) if name not in STANDARD}
    ids, misc = (names.index(name) if name in names else None for name in ("ID", "MISC"))
    layout = Layout(Shape(len(names), names.index("FORM"), ids), own, {}, header, misc)
    found = Columns.of(pieces, layout)
    tags, codes = _span_columns(path, names, own, found)
    repair = reading.repair or "error"
    layout = layout._replace(places=tags, repairs=dict.fromkeys(tags, repair))
    layout = layout.settled(path, found, reading)
    table = found.table(layout)
    layers, copies = dict(table.layers), [*table.column("copies", {})]
    for name, at in codes.items():
        layers[name], again = _layer_of_codes(found, at)
        for doc, spans in again.items():
            copies[doc] = copies[doc] | {name: spans}
    table = replace(table, layers=layers, more={**table.more, "copies": copies})
    return checked_corpus(path, table, found, {"": repair})


def _names_of(path: PathLike, pieces: Sequence[bytes]) -> tuple[list[str], bool]:
    """The names of the columns, and whether the first line names them."""
    first = b"".join(pieces[:1]).partition(b"\n")[0].decode()
    match = NAMES.fullmatch(first.strip())
    if not match and pieces and width_of(pieces[0]) == len(STANDARD):
        return STANDARD, False
    given = match[1].split() if match else []
    names = [name.upper() if name.upper() in STANDARD else name for name in given]
    if len({*names}) < len(names) or "FORM" not in names:
        raise FormatError(
            f"the first line is {quoted(first[:60])}; expected '# global.columns = ID FORM ...', "
            "with a name for each column, FORM among them, or the ten columns of CoNLL-U",
            path,
            1,
        )
    return names, True


def _span_columns(
    path: PathLike, names: Sequence[str], own: Mapping[str, int], found: Columns
) -> tuple[dict[str, Any], dict[str, int]]:
    """The columns (of tags, of codes) by name."""
    tags: dict[str, Any] = {}
    codes: dict[str, int] = {}
    for name, at in own.items():
        counts = found.tags[at].counts
        every = {*counts, *(["O"] if counts.total() < found.n_tokens else [])}
        if _mostly(every, _are_codes) and (
            any(":" in one for one in every) or every <= {NOTHING, UNKNOWN, UNSEEN}
        ):
            codes[name] = at
        elif _mostly(every, is_tag):
            tags[name] = at
    if not tags and not codes and found.misc is not None:
        tags = _keys_of_misc(found)
    if not tags and not codes:
        raise FormatError(
            f"no column of spans (tags such as B-PER, or codes such as 1:VID) beside those of "
            f"CoNLL-U, and no tags in MISC (name=B-PER); the columns are {', '.join(names)}. "
            "Trees: --format conllu",
            path,
        )
    return tags, codes


def _keys_of_misc(found: Columns) -> dict[str, Any]:
    """{layer: its place in `found.tags`} of the keys of the column MISC that have tags."""
    assert found.misc is not None
    facts = {
        value: dict(pair.partition("=")[::2] for pair in value.split("|") if "=" in pair)
        for value in found.misc.counts
    }
    tags = {}
    for key in dict.fromkeys(key for own in facts.values() for key in own):
        values = {own[key] for own in facts.values() if key in own}
        if _mostly(values, is_tag) and values != {"O"}:
            tags[f"misc:{key}"] = name = f"misc:{key}"
            own = {value: said.get(key, "O") for value, said in facts.items()}
            found.tags[name] = found.misc.read_as(own, found)
    return tags


def _mostly(values: Collection[str], is_value: Callable[[str], bool]) -> bool:
    """Whether most of the different values are of a kind."""
    rest = {*values} - {UNKNOWN, UNSEEN}
    return sum(map(is_value, rest)) > len(rest) / 2


def _are_codes(value: str) -> bool:
    """Whether a value is one of a column of codes."""
    return value == NOTHING or CODES.fullmatch(value) is not None


def _layer_of_codes(
    found: Columns, at: int
) -> tuple[LayerTable, dict[int, dict[Span, list[Copy]]]]:
    """(the layer of a column of codes, spans that are there again by document)."""
    tokens, codes, values = found.tags[at].rows()
    outside = np.setdiff1d(np.arange(found.n_tokens), tokens)
    wrong = [(token, "O") for token in outside.tolist()]
    unknown: list[int] = []
    expressions: dict[tuple[int, str], tuple[list[int], list[str]]] = {}  # tokens and labels
    sentences = found.sentences_of(tokens).tolist()
    for token, code, sentence in zip(tokens.tolist(), codes.tolist(), sentences):
        if (value := values[code]) in (UNKNOWN, UNSEEN):
            unknown.append(token)
        elif not _are_codes(value):
            wrong.append((token, value))
        elif value != NOTHING:
            for number, label in CODE.findall(value):
                own, labels = expressions.setdefault((sentence, number), ([], []))
                own.append(token)
                labels.extend([label] if label else ())
    problems = [(token, f"{quoted(value[:60])} in a column of codes") for token, value in wrong]
    lost = [own[0] for own, labels in expressions.values() if not labels]
    problems += [(token, "an expression without a label") for token in lost]
    found.problems += [
        (SPANS, Problem(int(found.lines[token]), what, GIVE_LABEL)) for token, what in problems
    ]
    state, missing = found.seen([np.array(unknown, np.int64)])
    counts: Counter[tuple[int, Span]] = Counter()
    for own, labels in expressions.values():
        doc = int(found.doc_of[own[0]])
        if labels and state[doc] == SEEN:
            first = int(found.borders[doc])
            pieces = join_stretches((t - first, t - first + 1) for t in own)
            plain = (pieces[0][0], pieces[-1][1], labels[0])
            counts[doc, plain if len(pieces) == 1 else (*plain, tuple(pieces))] += 1
    again: dict[int, dict[Span, list[Copy]]] = {}
    for (doc, span), n in counts.items():
        if n > 1:
            again.setdefault(doc, {})[span] = [Copy({})] * (n - 1)
    rows = sorted((doc, *span) for doc, span in counts)
    return LayerTable.of(rows, state, missing=missing), again
