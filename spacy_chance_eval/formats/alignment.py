"""`--align`: the same documents with other tokens, on the tokens of gold or of all annotators.

As spaCy aligns tokens: by the characters of both texts, white space and case aside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, compress, pairwise
from typing import Any, NamedTuple

from ..measures.messages import quoted
from .blemishes import DOCUMENTS
from .corpus import Corpus, Document, Span, Stretch
from .notes import (
    BY_PLACE,
    CARRIED,
    NO_NOTES,
    NO_TOKENS,
    OTHER_TEXT,
    Notes,
    Place,
    add_notes,
    note,
)
from .texts import on_borders, on_tokens, to_characters, with_lengths

# the names of the methods in signatures
GOLD_TOKENS, COMMON_TOKENS = "gold_tokens", "common_tokens"
CHARACTERS, POSITION = "characters", "position"


class _Letters(NamedTuple):
    """A text without white space, and the stretch of it that each position of a document is.

    The stretch of a blank is empty.
    """

    text: str
    borders: tuple[Stretch, ...]


def _letters(parts: Iterable[str], blanks: Collection[int] = ()) -> _Letters:
    """The letters of words, or of the characters of a text."""
    found, n_letters = [], 0
    for part in parts:
        letters = "".join(part.split())
        found.append(letters or (part if n_letters in blanks else ""))
        n_letters += len(letters)
    cuts = accumulate(map(len, found), initial=0)
    return _Letters("".join(found), tuple(pairwise(cuts)))


def _blanks(parts: Iterable[str]) -> dict[int, list[str]]:
    """Parts that are blanks, by the number of letters in front."""
    found, n_letters = defaultdict(list), 0
    for part in parts:
        if part.isspace():
            found[n_letters].append(part)
        else:
            n_letters += len("".join(part.split()))
    return found


def _parts(document: Document, positions: str) -> Sequence[str] | None:
    """The words of a document, or its text; None if only its size is known."""
    if document.size is not None:
        return None
    return document.words if positions == "token" else document.text


def same_letters(one: str, two: str) -> bool:
    """Whether two texts are the same, case aside, character by character."""
    if one == two or len(one) != len(two):
        return one == two
    return all(map(str.__eq__, map(str.casefold, one), map(str.casefold, two)))


def letters_of(document: Document, positions: str) -> str:
    """The text of a document without white space."""
    return "".join("".join(_parts(document, positions) or ()).split())


def begin_with_same_text(one: Corpus, two: Corpus) -> bool:
    """Whether one corpus begins with all the text that the other has, but for blanks and case."""
    texts = [
        "".join(letters_of(document, corpus.positions) for document in corpus.documents)
        for corpus in (one, two)
    ]
    least = min(map(len, texts))
    return same_letters(texts[0][:least], texts[1][:least])


def in_characters(corpus: Corpus) -> Corpus:
    """The corpus with characters as positions, and a note of it if it had tokens."""
    if corpus.positions == "char":
        return corpus
    return replace(to_characters(corpus), notes=corpus.notes.with_how("align", CHARACTERS))


# --- one document


@dataclass(frozen=True)
class _Alignment:
    """How documents are aligned.

    Parameters
    ----------
    positions : "token" or "char"
        Of the documents that others are aligned with.
    by_place : bool
        Whether equally many tokens of another text are compared by their places.
    tokens : str
        How signatures call tokens to which spans were carried over.
    """

    positions: str
    by_place: bool
    tokens: str

    def aligned(self, document: Document, corpus: Corpus, like: Document) -> tuple[Document, Notes]:
        """A document of a corpus on the positions of another one, with notes.

        Itself, without notes, if there is no difference, or if it cannot be aligned.
        """
        mine, theirs = _parts(document, corpus.positions), _parts(like, self.positions)
        one_kind = corpus.positions == self.positions
        if mine is None or theirs is None or (one_kind and mine == theirs):
            return document, NO_NOTES
        path = document.path or corpus.path
        differ = [(at, *pair) for at, pair in enumerate(zip(mine, theirs)) if pair[0] != pair[1]]
        places = [
            Place(path, document.line(at), f"{quoted(a)} for {quoted(b)}") for at, a, b in differ
        ]
        parts = _letters(mine), _letters(theirs)
        same = same_letters(parts[0].text, parts[1].text)
        by_place = self.by_place and one_kind and fits_by_place(document, like, self.positions)
        if by_place and not (same and parts[0].borders != parts[1].borders):
            return _with_text_of(document, like), note(BY_PLACE, places).with_how("align", POSITION)
        if not same:
            return document, NO_NOTES
        blanks, others = _blanks(mine), _blanks(theirs)
        common = {at for at, found in blanks.items() if others[at] == found}
        own, letters = _letters(mine, common), _letters(theirs, common)
        if not one_kind:
            document = with_lengths(document, len(mine), len(theirs))
        carried = _carried_over(document, own, like, letters)
        if self.positions == "char":
            return carried, note(CARRIED, [Place(path, document.line(0), "a document")]).with_how(
                "align", CHARACTERS
            )
        said = note(CARRIED, places[:1]) if one_kind else NO_NOTES  # no tokens are no other tokens
        return carried, said.with_how("align", self.tokens)


def noted_by_place(gold: Corpus, pred: Corpus) -> Notes:
    """The note on as many tokens that are compared by place: those that are spelled otherwise."""
    words = zip(gold.table.words or (), pred.table.words or ())
    places = (
        Place(pred.path, None, f"{quoted(theirs)} for {quoted(mine)}")
        for mine, theirs in words
        if mine != theirs
    )
    return note(BY_PLACE, [*places]).with_how("align", POSITION)


def fits_by_place(one: Document, two: Document, positions: str) -> bool:
    """Whether documents have equally many positions, and sentences that begin at the same ones."""
    mine, theirs = _parts(one, positions), _parts(two, positions)
    if mine is None or theirs is None or len(mine) != len(theirs):
        return False
    return not (one.sents and two.sents) or {0, *one.sents} == {0, *two.sents}


def _carried_over(document: Document, own: _Letters, like: Document, letters: _Letters) -> Document:
    """The document on the positions of another one of the same text, `letters` by its positions.

    A span is placed if it begins and ends at borders of tokens; blanks around it that only one of
    the documents has do not count.
    """
    solid = [at for at, (start, end) in enumerate(letters.borders) if start < end]
    borders = [letters.borders[at] for at in solid]
    there = on_tokens(on_borders(document, own.borders), own.text, borders, "unplaced")
    return _with_text_of(on_borders(there, [(at, at + 1) for at in solid]), like)


def _with_text_of(document: Document, like: Document) -> Document:
    """The document with the words and the text of another one."""
    lines = document.lines
    if lines is not None and len(lines) != len(like.words):
        lines = lines[:1]
    return replace(document, words=like.words, text=like.text, spaces=like.spaces, lines=lines)


# --- gold and a prediction


def on_gold_positions(
    gold: Corpus, pred: Corpus, at: Iterable[int], align: str, *, skip: bool = False
) -> Corpus:
    """The prediction on the tokens of gold, or on its characters, with notes.

    Documents that cannot be aligned stay as they are; with `skip` they are left out: they remain
    without annotation.

    Parameters
    ----------
    gold, pred : Corpus
        The same documents in the same order.
    at : iterable of int
        The documents that may have other tokens.
    align : "auto", "tokens", "characters" or "position"
    """
    how = _Alignment(gold.positions, align == "position", GOLD_TOKENS)
    documents, notes = list(pred.documents), [pred.notes]
    one_kind = gold.positions == pred.positions
    for number in at:
        document, like = documents[number], gold.documents[number]
        said = NO_NOTES
        if align != "tokens":
            documents[number], said = how.aligned(document, pred, like)
        if skip and not said and _has_other_text(document, pred, like, gold):
            documents[number], said = _left_out(document, pred, like)
        elif not (one_kind or said):
            return pred
        notes += [said] * bool(said)
    if one_kind and len(notes) == 1:
        return pred
    return Corpus(pred.path, documents, gold.positions, pred.repair, add_notes(notes))


def _has_other_text(one: Document, corpus: Corpus, two: Document, other: Corpus) -> bool:
    """Whether documents of two corpora are known to have other tokens, or other texts."""
    parts = _parts(one, corpus.positions), _parts(two, other.positions)
    return None not in parts and (parts[0] != parts[1] or corpus.positions != other.positions)


def _left_out(document: Document, corpus: Corpus, like: Document) -> tuple[Document, Notes]:
    """A document with another text without its annotation, and a note on it."""
    called = "a document" if document.name is None else f"document {quoted(document.name)}"
    place = Place(document.path or corpus.path, document.line(0), f"{called} has another text")
    said = replace(note(OTHER_TEXT, [place]), sizes={DOCUMENTS: -1})
    empty: dict[str, Sequence[Span] | None] = dict.fromkeys(document.layers)
    unseen = Document((), empty, document.name, sents=like.sents, size=like.size)
    return _with_text_of(replace(unseen, attributes=like.attributes), like), said


def on_gold_tokens_throughout(gold: Corpus, pred: Corpus) -> Corpus | None:
    """The prediction, which has other documents, on the tokens of gold; None if these do not fit.

    Its documents stay its own; each has to begin and end with a token of gold.
    """
    words = [_parts(document, "token") for document in gold.documents]
    if gold.positions != "token" or None in words:
        return None
    tokens = [word for some in words for word in some or ()]
    letters = _letters(tokens)
    parts = [_parts(document, pred.positions) for document in pred.documents]
    own = [_letters(found or ()) for found in parts]
    if None in parts or not same_letters(letters.text, "".join(one.text for one in own)):
        return None
    ends = {border[1]: at + 1 for at, border in enumerate(letters.borders)}
    cuts = [ends.get(end) for end in accumulate((len(one.text) for one in own), initial=0)]
    cuts[0], cuts[-1] = 0, len(tokens)
    if None in cuts:
        return None
    likes = [Document(tokens[low:high], {}) for low, high in pairwise(cuts)]
    made = Corpus(gold.path, likes)
    return on_gold_positions(made, pred, range(len(likes)), "auto")


# --- annotators


def on_common_positions(
    corpora: Sequence[Corpus], keys: Sequence[Sequence[Hashable]], align: str
) -> list[Corpus]:
    """The corpora of annotators on positions that all have, with notes.

    Of documents with the same text, but other tokens, a token ends where one of any annotator does.
    Mentions on texts without tokens are carried over to those of the others. If others have no
    tokens, all are counted in characters. Documents that cannot be aligned stay as they are.

    Parameters
    ----------
    corpora : sequence of Corpus
    keys : sequence of sequences
        For each corpus, the keys of its documents; documents with equal keys are the same.
    align : "auto", "characters" or "position"
    """
    if align == "characters" or len({one.positions for one in corpora}) > 1:
        on_tokens = None if align == "characters" else _mentions_on_tokens(corpora, keys, align)
        if on_tokens is not None:
            return on_tokens
        corpora = [in_characters(one) for one in corpora]
    likes = _common_documents(corpora, keys, align)
    if not likes:
        return list(corpora)
    how = _Alignment(corpora[0].positions, align == "position", COMMON_TOKENS)
    notes: dict[Hashable, list[Notes]] = {key: [] for key in likes}
    aligned = []
    for corpus, mine in zip(corpora, keys):
        documents = list(corpus.documents)
        for at, key in enumerate(mine):
            if key in likes:
                documents[at], said = how.aligned(documents[at], corpus, likes[key])
                notes[key].append(said)
        aligned.append(replace(corpus, documents=documents))
    said = add_notes(chain([aligned[0].notes], *notes.values()))  # by document: so blocks add up
    return [replace(aligned[0], notes=said), *aligned[1:]]


def _mentions_on_tokens(
    corpora: Sequence[Corpus], keys: Sequence[Sequence[Hashable]], align: str
) -> list[Corpus] | None:
    """The corpora, mentions without tokens on those of the others; None if that cannot be done.

    Documents, matched by name, that no other has are left out, with a note, as are those of another
    text where blemishes are.
    """
    bare = [one.positions == "char" for one in corpora]
    if not all("mentions" in one.notes.how for one in compress(corpora, bare)):
        return None
    others = [not one for one in bare]
    named = list(compress(keys, others))
    common = on_common_positions(list(compress(corpora, others)), named, align)
    likes: dict[Hashable, Document] = {}
    for mine, one in zip(reversed(named), reversed(common)):
        likes |= zip(mine, one.documents)
    skip = any(one.notes.sizes for one in corpora)
    how = _Alignment("token", False, COMMON_TOKENS)
    made, rest = [], iter(common)
    for corpus, mine in zip(corpora, keys):
        if corpus.positions == "token":
            made.append(next(rest))
            continue
        documents, notes = [], [corpus.notes]
        for key, document in zip(mine, corpus.documents):
            if key not in likes and isinstance(key, str):
                place = Place(corpus.path, document.line(0), f"document {quoted(key)}")
                notes.append(note(NO_TOKENS, [place]))
                continue
            like = likes.get(key)
            moved, said = (document, NO_NOTES)
            if like is not None:
                moved, said = how.aligned(document, corpus, like)
            if like is not None and skip and not said:
                moved, said = _left_out(document, corpus, like)
            if like is None or not said:
                return None
            documents.append(moved)
            notes.append(said)
        said = add_notes(notes)
        made.append(replace(corpus, documents=documents, positions="token", notes=said))
    return made


def with_common_texts(
    corpora: Sequence[Corpus],
    keys: Sequence[Sequence[Hashable]],
    weights: Sequence[int],
    letters: bool,
) -> list[Corpus]:
    """The corpora of annotators, without the documents that have another text than most.

    These remain without annotation; a note of the first corpus counts them. Of two texts that
    equally many annotators have, the first one counts.

    Parameters
    ----------
    corpora : sequence of Corpus
    keys : sequence of sequences
        For each corpus, the keys of its documents; documents with equal keys are the same.
    weights : sequence of int
        Numbers of annotators of the corpora.
    letters : bool
        Whether texts are the same but for white space and case; otherwise tokens must be the same.
    """
    found: dict[Hashable, list[tuple[Any, list[tuple[int, int]]]]] = {}
    for number, (corpus, mine) in enumerate(zip(corpora, keys)):
        for at, (key, parts) in enumerate(zip(mine, _all_parts(corpus))):
            if parts is None:
                continue
            text = "".join("".join(parts).split()) if letters else parts
            texts = found.setdefault(key, [])
            for other, places in texts:
                if other == text or (letters and same_letters(other, str(text))):
                    places.append((number, at))
                    break
            else:
                texts.append((text, [(number, at)]))
    changed: dict[int, list[Document]] = {}
    notes = [corpora[0].notes]
    for texts in (texts for texts in found.values() if len(texts) > 1):
        most = max(texts, key=lambda one: sum(weights[number] for number, _ in one[1]))
        first, place = most[1][0]
        like = corpora[first].documents[place]
        for number, at in sorted(chain.from_iterable(one[1] for one in texts if one is not most)):
            corpus = corpora[number]
            if corpus.positions != corpora[first].positions:
                continue
            documents = changed.setdefault(number, list(corpus.documents))
            documents[at], said = _left_out(documents[at], corpus, like)
            notes.append(said)
    made = [
        replace(one, documents=changed[number]) if number in changed else one
        for number, one in enumerate(corpora)
    ]
    return [replace(made[0], notes=add_notes(notes)), *made[1:]] if changed else made


def _common_documents(
    corpora: Sequence[Corpus], keys: Sequence[Sequence[Hashable]], align: str
) -> dict[Hashable, Document]:
    """By key, the positions of documents that do not have the same in all corpora."""
    found: dict[Hashable, list[tuple[Sequence[str] | None, Corpus, int]]] = {}
    several: set[Hashable] = set()
    for corpus, mine in zip(corpora, keys):
        for at, (key, parts) in enumerate(zip(mine, _all_parts(corpus))):
            if key not in found:
                found[key] = [(parts, corpus, at)]
            elif all(parts != others for others, *_ in found[key]):
                found[key].append((parts, corpus, at))
                several.add(key)
    common = {}
    for key in (key for key in found if key in several):
        # the shortest first: no order of annotators decides whose positions count
        rows = sorted(found[key], key=lambda row: (len(row[0] or ()), row[0] or ()))
        documents = [corpus.documents[at] for _, corpus, at in rows]
        tokens = corpora[0].positions == "token"
        common[key] = _with_all_borders(documents, align) if tokens else documents[0]
    return common


def _all_parts(corpus: Corpus) -> Iterable[Sequence[str] | None]:
    """The words of all documents, or their texts; None where neither is known."""
    if corpus.positions == "token" and corpus.table.words is not None:
        return corpus.table.document_words()
    return (_parts(document, corpus.positions) for document in corpus.documents)


def _with_all_borders(documents: Sequence[Document], align: str) -> Document:
    """The first document, its tokens divided where those of any other one end.

    With "position", it is not if all have equally many tokens of another text.
    """
    parts = [_parts(document, "token") for document in documents]
    letters = [_letters(found or ()) for found in parts]
    if None in parts or not all(same_letters(one.text, letters[0].text) for one in letters):
        return documents[0]
    if align == "position" and all(one.borders == letters[0].borders for one in letters):
        return documents[0]
    cuts = sorted({0, *(end for one in letters for _, end in one.borders)})
    words = [letters[0].text[start:end] for start, end in pairwise(cuts)]
    return replace(documents[0], words=words, layers={}, spaces=None, lines=None)
