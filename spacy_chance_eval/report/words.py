"""How reports say things: numbers, intervals, ranks, names of boards. Formatted, never computed."""

from itertools import groupby

from wasabi import table

DASH = "-"
WHOLE = "All spans"
TURNING = {code: f"\\u{code:04x}" for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
TESTS = {"randomisation": "approximate randomisation", "bootstrap": "a paired bootstrap"}
HOW_TO_READ = (
    "Observed: the score as usual. Expected: what a random annotation with as many spans of the "
    "same lengths reaches. Corrected: (observed - expected) / (1 - expected), chance has 0. "
    "Change: places won (+) or lost (-) by the correction. Group: systems that share a letter "
    "cannot be told apart by the paired test. Ranks have an interval too; first is the share of "
    "the resamples in which the system is first."
)


def number(value):
    """A score with four decimals; a dash where it is undefined."""
    if value is None:
        return DASH
    text = str(value) if isinstance(value, int) else f"{value:.4f}"
    return "0.0000" if text == "-0.0000" else text


def counted(n, what):
    """1 span, 2 spans, 0 spans."""
    return f"{n} {what}{'s' * (n != 1)}"


def shown(text):
    """A name from the data, with whatever could steer the terminal spelled out."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def legible(text):
    """A text from the data, with the signs spelled out that turn round what stands behind them."""
    return text.translate(TURNING)


def signed(value):
    """A difference with its sign."""
    return DASH if value is None else f"{value:+.4f}"


def interval(limits):
    """Both ends of an interval."""
    return DASH if limits is None else f"[{number(limits[0])}, {number(limits[1])}]"


def rank(standing):
    """A rank with its interval: 2 (1-3)."""
    if standing["rank"] is None:
        return DASH
    limits = rank_limits(standing["rank_interval"])
    return f"{standing['rank']} ({limits})" if limits else str(standing["rank"])


def rank_limits(limits):
    """1-3, or 2 where both ends are the same; empty where it is undefined."""
    if limits is None:
        return ""
    return "-".join(dict.fromkeys(map(str, limits)))


def share(value):
    """A share with two decimals."""
    return DASH if value is None else f"{value:.2f}"


def change(places):
    """+2, -1, = for no change; a dash where there is nothing to compare."""
    if places is None:
        return DASH
    return f"{places:+d}" if places else "="


def p_value(value):
    """Four decimals; smaller ones as such."""
    if value is None:
        return DASH
    return "<0.0001" if value < 0.0001 else f"{value:.4f}"


def facts(result):
    """What was scored and how it was resampled, as pairs of a name and words."""
    ways = result["resampling"]
    clusters = f"{counted(result['n_clusters'], 'cluster')} (by {result['clusters']})"
    if result["clusters"] == "documents":
        clusters = counted(result["n_clusters"], "document")
    intervals = (
        f"{100 * ways['level']:g} % {ways['interval']} intervals from {ways['resamples']} "
        f"resamples of {clusters}, seed {ways['seed']}"
    )
    tests = (
        f"each pair of systems by {TESTS.get(ways['test'], ways['test'])}, p values after Holm "
        f"over the pairs of a table, alpha {ways['alpha']:g}"
    )
    return [
        ("Gold", ", layer ".join(part for part in (result["gold"], result["layer"]) if part)),
        ("Size", size(result)),
        ("Labels", ", ".join(map(shown, result["labels"])) or "none"),
        ("Intervals", intervals if ways["resamples"] else "none: no resamples were asked for"),
        ("Tests", tests if ways["resamples"] else "none"),
        ("Made by", f"spacy-chance-eval {result['version']}"),
    ]


def place(board):
    """What of the data a board is about."""
    parts = []
    if board["subset"]:
        parts.append(f"{board['subset']['by']}: {board['subset']['value']}")
    if board["label"] is not None:
        parts.append(board["label"])
    return ", ".join(parts) or WHOLE


def size(board):
    """How much data a board rests on."""
    return f"{counted(board['n_docs'], 'document')}, {counted(board['n_gold'], 'gold span')}"


def by_metric(result):
    """The boards of each metric: pairs of its name and a list."""
    together = groupby(result["boards"], key=lambda board: (board["metric"], board["request"]))
    return [(metric, list(boards)) for (metric, _), boards in together]


def is_corrected(board):
    """Whether a board has corrected scores at all."""
    return any(row["corrected"] is not None for row in board["rows"])


def headline(board):
    """Which of its scores a board is about: the corrected ones where there are any."""
    return "corrected" if is_corrected(board) else "observed"


def of_rows(board, key):
    """What each row has at `key`, with an undefined standing where a row has none."""
    nothing = dict.fromkeys(("score", "interval", "rank", "rank_interval", "first"))
    return [row[key] or {**nothing, "group": ""} for row in board["rows"]]


def signatures(board):
    """Pairs of a system and its signature; the system is None if all of the board have the same."""
    different = dict.fromkeys(row["signature"] for row in board["rows"])
    if len(different) == 1:
        return [(None, next(iter(different)))]
    return [(row["system"], row["signature"]) for row in board["rows"]]


def all_signatures(boards):
    """Triples of places, system and signature, each signature once; no place if it is for all."""
    found = {}
    for board in boards:
        for pair in signatures(board):
            found.setdefault(pair, []).append(place(board))
    return [
        (None if len(places) == len(boards) else ", ".join(places), *pair)
        for pair, places in found.items()
    ]


def web_link(link):
    """A link that may be followed: http or https only; None otherwise."""
    safe = link and link.lower().startswith(("https://", "http://"))
    return link if safe else None


def right_aligned(rows, header):
    """A table whose first column stands left, the others right."""
    aligns = ("l", *"r" * (len(header) - 1))
    return table(rows, header=header, divider=True, aligns=aligns, max_col=60)
