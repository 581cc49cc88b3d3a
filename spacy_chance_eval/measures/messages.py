"""Values and texts from strangers, as messages show them: bounded, and harmless to a terminal."""

import re
from collections.abc import Iterable

LONGEST_VALUE = 60  # characters of a value that a message quotes
LONGEST_LINE = 2000  # characters of a line of a message, which quotes several, and names choices
MOST_NAMES = 50  # that a message lists
MOST_LINES = 200  # of a message: a list of all files that are missing
# what acts on a terminal: controls, overrides of the direction of writing, halves of surrogates
_STEERING = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

_FORMS = re.compile(r"\(([^()|]*)\|([^()|]*)\)")  # the words for one thing, and for several


def quoted(value: object, most: int = LONGEST_VALUE) -> str:
    """A value as messages quote it: its `repr`, of which `most` characters are kept.

    Behind a value that is cut stands its length. No character of it can steer a terminal.

    Examples
    --------
    >>> quoted("B-PER")
    "'B-PER'"
    >>> quoted("x" * 10**6, most=5)
    "'xxxxx…' (1,000,000 characters)"
    """
    if isinstance(value, str) and len(value) > most:
        text = repr(value[:most])
        return f"{text[:-1]}…{text[-1]} ({len(value):,} characters)"
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or an integer with too many digits
        text = f"a value of the type {type(value).__name__} that is too large to be shown"
    return text if isinstance(value, str) else shortened(printable(text), most)


def listed(names: Iterable[object]) -> str:
    """Names from the data as messages list them: printable, and `MOST_NAMES` of them at most."""
    found = [*names]
    some = [shortened(printable(str(name))) for name in found[:MOST_NAMES]]
    more = [f"{len(found) - MOST_NAMES:,} more"] if len(found) > MOST_NAMES else []
    return ", ".join([*some, *more]) or "none"


def counted(sentence: str, n: int) -> str:
    """A sentence about {n} things, with the words for one or for several of them.

    Examples
    --------
    >>> counted("{n} (span was|spans were) left out", 1000)
    '1,000 spans were left out'
    """
    chosen = _FORMS.sub(lambda found: found[1 + (n != 1)], sentence)
    return chosen.format(n=f"{n:,}")


def shortened(text: str, most: int = LONGEST_VALUE) -> str:
    """The first `most` characters of a text, and its length if it has more."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def printable(text: str) -> str:
    """A name from the data with everything escaped that could steer a terminal."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


def harmless(text: str) -> str:
    """A text of several lines with the characters escaped that act on a terminal.

    Newlines and tabs stay, and so do signs that `printable` escapes because nobody sees them.
    """
    return _STEERING.sub(lambda found: repr(found.group())[1:-1], text)


def harmless_json(text: str) -> str:
    """The same JSON, with the characters escaped that act on a terminal or are no UTF-8."""
    return _STEERING.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def bounded(message: str) -> str:
    """A message with at most `MOST_LINES` lines of `LONGEST_LINE` characters, all printable.

    The last guard of messages: the middle of a longer text is left out, so that the place, which
    comes first, and the advice, which comes last, are still read.
    """
    lines = message.split("\n", 4 * MOST_LINES)
    if len(lines) > MOST_LINES:
        end, n_lines = MOST_LINES // 4, message.count("\n") + 1
        last = message.rsplit("\n", end)[1:]
        gap = f"… ({n_lines - MOST_LINES + 1:,} lines) …"
        lines = [*lines[: MOST_LINES - end - 1], gap, *last]
    return "\n".join(map(bounded_line, lines))


def bounded_line(line: str) -> str:
    """A message of one line, with at most `LONGEST_LINE` characters, all printable."""
    text = printable(line) if len(line) <= LONGEST_LINE else ""
    if len(line) <= LONGEST_LINE >= len(text):
        return text
    gap, end = f"… ({len(line):,} characters) …", LONGEST_LINE // 4
    start = printable(line[:LONGEST_LINE])[: LONGEST_LINE - end - len(gap)]
    return f"{start}{gap}{printable(line[-end:])[-end:]}"


def brief(value: float | None, digits: int = 2) -> str:
    """A score for a sentence: .71, -.02, 1.00; a dash if it is undefined.

    Scores near 1 or -1 have more decimals, so that .998 is not rounded to 1.
    """
    if value is None:
        return "-"
    while digits < 4 and abs(value) < 1 <= round(abs(value), digits):
        digits += 1
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("0.", ".", 1) if abs(float(text)) < 1 else text
