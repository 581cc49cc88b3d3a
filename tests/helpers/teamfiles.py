"""Files of annotators and of systems: their agreement and boards, as one block and as many."""

from random import Random

from helpers.blocks import LABELS, SOME, defaults, made, many_blocks, plain, some_span, written
from helpers.panelfiles import lines
from helpers.strategies import admitted
from spacy_chance_eval.formats.keys import Reading
from spacy_chance_eval.tasks.agree import agree_files
from spacy_chance_eval.tasks.rank import rank_files

NAMES = ("ann", "bob", "cyd", "dan")
SYSTEMS = NAMES[:3]
BOARDS = defaults("span_f", "token_f", "slicm_norm", "gwet_ac1", "negative_agreement")


# --- annotators


def documents(names, n_docs=13, kind="flat", seed=1, named=True):
    """(what all say of a document, spans by annotator), who agree more or less."""
    rng = Random(seed)
    for number in range(n_docs):
        size = rng.randint(0, 9)
        words = [rng.choice(["Rex", "Ada", "slept"]) for _ in range(size)]
        about = {"tokens": words, "sents": [0] if size else []}
        about |= {"id": f"d{number}"} if named else {}
        common = [some_span(size, rng, LABELS) for _ in range(size // 2)]
        work = {}
        for name in names:
            own = [some_span(size, rng, LABELS) for _ in range(min(size, 2))]
            kept = [span for span in common if rng.random() < 0.8]
            spans = [list(span) for span in admitted(kept + own, kind)]
            work[name] = None if rng.random() < 0.2 else spans
        yield about, work


def files_of_team(path, rows, names=NAMES[:2]):
    """A file for each annotator; their paths."""
    rows = list(rows)
    return [
        str(lines(path / f"{name}.jsonl", *(about | {"spans": work[name]} for about, work in rows)))
        for name in names
    ]


def team(path, n=2, **options):
    """A file for each of some annotators of made documents."""
    return files_of_team(path, documents(NAMES[:n], **options), NAMES[:n])


def agree(
    sources,
    workers=None,
    metrics=(),
    intervals=SOME,
    worst=20,
    pairs=True,
    by="auto",
    layers=(),
    categories=False,
    **reading,
):
    """The agreement of annotators in files; by default small files are one block."""
    found = agree_files(
        sources,
        metrics=metrics,
        reading=Reading.of(reading),
        by=by,
        layers=layers,
        categories=categories,
        workers=workers,
        intervals=intervals,
        worst=worst,
        pairs=pairs,
    )
    return plain(found.result)


def agree_in_blocks(sources, **options):
    """The agreement of annotators in files that are counted in many blocks."""
    with many_blocks():
        return agree(sources, **options)


# --- systems


def rows_of_board(n_docs=13, kind="flat", **options):
    """Rows of gold and of the systems; what gold has not seen, nobody has."""
    rows = list(made(n_docs, kind=kind, more=False, **options))
    others = [made(n_docs, seed, kind, more=False, **options) for seed in (2, 3)]
    for i, ((gold, first), *more) in enumerate(zip(rows, *others)):
        about = gold | {"article": f"a{i // 3}", "genre": "ab"[i % 2], "only": i % 5}
        size = len(gold["tokens"])
        fitting = [[s for s in pred["spans"] if s["end"] <= size] for _, pred in more]
        yield about, *(gold | {"spans": spans} for spans in (first["spans"], *fitting))


def files_of_board(path, rows=None):
    """Files of gold and the systems."""
    sides = zip(*(rows or rows_of_board()))
    return [str(written(path / f"{n}.jsonl", side)) for n, side in zip(("gold", *SYSTEMS), sides)]


def rank(gold, *systems, workers=None, reading=None, **how):
    """The leaderboard of files; by default small files are one block."""
    how = {"metrics": BOARDS, "intervals": SOME} | how
    reading = Reading.of(reading or {})
    return plain(rank_files(gold, systems, reading=reading, workers=workers, **how)[0])


def rank_in_blocks(*sources, kept=None, **options):
    """The leaderboard of files that are counted in many blocks."""
    with many_blocks(kept=kept):
        return rank(*sources, **options)
