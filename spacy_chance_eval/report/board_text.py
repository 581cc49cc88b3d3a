"""A leaderboard as plain tables for the terminal."""

from . import words
from .text import right_aligned
from .words import change, interval, number, rank, shown

COLUMNS = 5


def leaderboard_text(result):
    """The whole board of each metric, compact tables of labels and subsets, notes, signatures.

    Parameters
    ----------
    result : dict
        As `leaderboard` makes it.
    """
    return "\n".join(parts(result))


def parts(result):
    """The pieces of the text, in order."""
    yield f"\n{shown(result['title'])}"
    width = max(len(name) for name, _ in words.facts(result))
    yield "\n".join(f"  {name:{width}}  {shown(said)}" for name, said in words.facts(result))
    for metric, boards in words.by_metric(result):
        whole = [board for board in boards if board["label"] is None and not board["subset"]]
        for board in whole:
            unit = ", in bits" if board["bits"] else ""
            yield f"\n{shown(metric)}{unit}: {words.size(board)}"
            yield board_table(board)
        labels = [board for board in boards if board["label"] is not None]
        subsets = [board for board in boards if board["label"] is None and board["subset"]]
        yield from compact(metric, "label", labels)
        yield from compact(metric, "subset", subsets)
    if result["left_out"]:
        yield "systems left out"
        lines = (f"  {out['name']}: {out['reason']}" for out in result["left_out"])
        yield "\n".join(map(shown, lines)) + "\n"
    if result["notes"]:
        yield "notes"
        yield "\n".join(f"  {shown(note)}" for note in result["notes"]) + "\n"
    yield "signatures"
    yield "\n".join(signature_lines(result))


def board_table(board):
    """One board in full."""
    corrected = words.is_corrected(board)
    header = ["system", "observed", "interval", "rank", "group"]
    if corrected:
        header += ["expected", "corrected", "interval", "rank", "group", "change"]
    rows = []
    for row, before, after in zip(
        board["rows"], words.of_rows(board, "observed"), words.of_rows(board, "corrected")
    ):
        cells = [shown(row["system"]), *standing_cells(before)]
        if corrected:
            cells += [number(row["expected"]), *standing_cells(after), change(row["change"])]
        rows.append(cells)
    return right_aligned(rows, header)


def standing_cells(standing):
    """Score, interval, rank and group of one system."""
    score, limits = number(standing["score"]), interval(standing["interval"])
    return [score, limits, rank(standing), standing["group"]]


def compact(metric, what, boards):
    """Tables of score and rank, a column for each label or subset, a few columns each."""
    for start in range(0, len(boards), COLUMNS):
        some = boards[start : start + COLUMNS]
        keys = sorted({words.headline(board) for board in some})
        yield f"{shown(metric)} by {what}: {' or '.join(keys)} (rank)"
        found = [dict(zip(names(board), score_cells(board))) for board in some]
        systems = dict.fromkeys(name for cells in found for name in cells)
        rows = [[shown(name), *(c.get(name, words.DASH) for c in found)] for name in systems]
        yield right_aligned(rows, ["system", *(shown(words.place(board)) for board in some)])


def names(board):
    """The systems of a board."""
    return [row["system"] for row in board["rows"]]


def score_cells(board):
    """The score that a board is about, with the rank behind it."""
    return [
        words.DASH if each["rank"] is None else f"{number(each['score'])} ({each['rank']})"
        for each in words.of_rows(board, words.headline(board))
    ]


def signature_lines(result):
    """What the numbers of the whole boards are quoted with; those of parts differ by what they say.

    Files have them all.
    """
    for metric, boards in words.by_metric(result):
        whole = [board for board in boards if words.place(board) == words.WHOLE]
        for _, system, signature in words.all_signatures(whole):
            yield shown(signature if system is None else f"{metric}, {system}: {signature}")
    if any(words.place(board) != words.WHOLE for board in result["boards"]):
        yield "(numbers of a label or subset have label=... or subset=... in theirs: see the files)"
