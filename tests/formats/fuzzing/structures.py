# ruff: noqa: E501
"""Hostile changes of files by their structure: values, cells, elements, lines and bytes."""

import gzip
import json
import re

DEEP = 10_000  # levels, more than any parser in Python can follow
HUGE = "9" * 5_000  # digits, more than `int` converts
LONG = "x" * 200_000  # more than a field of `csv` may have


class Raw(str):
    """Text that stands in JSON or YAML as it is."""


NAMES = ("Ada", "spans", "PER", "B-PER", "I-X", "O", "_", "-", "*", "a" * 300, "a\0b", "\x1b[31m",
         "a/b", "../a", "/dev", "loop", "\u2028", "\U0001f600", "\ufeff", "\u0660", "\u00b2",
         "e\u0301", "1", "-1", "0.5", "1e5", "nan", "1-2", "a,b", "a=b", "{}", "{0}", "%s", "[", "#1")  # fmt: skip
ODD = (None, True, False, 0, 1, -1, 2, 5, 2**31, 2**63, -(2**63) - 1, 2**64, 10**400, 0.0, -0.0, 0.5, 1.0,
       -1.5, 1e308, "", " ", *NAMES, [], {}, [[]], [{}], [None], [""], [0], ["x"], [1, 2], [0, 1, "X"], {"": {}},
       [[0, 1, "X"]], [[0, 1]], {"a": None}, {"a": []}, {"text": "Ada", "label": "X"},
       {"start": 0, "end": 1, "label": "X"}, ["x", "x"], [True, False], [[[[0]]]], [0, [1], "a", None])  # fmt: skip
RAWS = ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", HUGE, f"-{HUGE}", f"1.{HUGE}", "01", "+1",
        '"\\ud800"', '"\\ud83d\\ude00"', '"\\udc00x"', '"\\u0000"', '"\t"', "'x'", "undefined",
        "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, f'"{LONG}"')  # fmt: skip
YAML_RAWS = ("2020-01-01", "2020-13-45", "!!python/object:os.system x", "!!binary aGk=", "!!set {a}", "!!float x",
             "!!int x", "!!timestamp x", "&a [*a]", "*a", "{? [1]: 2}", "{[1]: 2}", "{{a: 1}: 2}", "0x_", "1:2:3",
             "190:20:30", "0b", "0o9", ".inf", ".nan", "~", "{1: 2}", "{null: 1}", "<<: x", "!x y", "|\n x", "? ", "- ")  # fmt: skip
CELLS = (*NAMES, "", " ", HUGE, f"-{HUGE}", "9" * 400, "NaN", "inf", "1e999", "1.5", "-0", "\u00b2", "99999999999",
         "\t", ",", ";", "|", '"', '""', '"x', "[1]", "{", "[" * DEEP, "(" * DEEP, ")", "B-", "-X", "I-", "S-X", "L-X",
         "x" * 5_000, "1-2", "2.1", "0:root", "1:VID;2", "*[1]", "PER[1]|LOC[2]", "[x]", "|", "1;2", "T1", "\x0b",
         "\x1c", "\r", "null", "true", "\\", "\\n", "#", "# newdoc", "-DOCSTART-", "=", "http://x#y")  # fmt: skip
XML_TEXTS = ("", "-1", "0", "1", "999999999999", HUGE, "1.5", "x", "true", "NaN", "&lt;", "&amp;", "&x;", "&#0;",
             "&#xD800;", "&#128512;", "]]>", "<![CDATA[x]]>", "<!-- x -->", "<?x y?>", "<a/>", "<a>", "</a>", "1 2 3",
             "9 9", "x" * 5_000, "<a>" * DEEP, "<a>" * 100 + "</a>" * 100, "\x01", "\u2028", "_InitialView")  # fmt: skip
DOCTYPES = (b'<!DOCTYPE x [<!ENTITY a "b">]>', b'<!DOCTYPE x SYSTEM "file:///etc/passwd">',
            b'<?xml version="1.0" encoding="utf-16"?>', b'<?xml version="1.1" encoding="x"?>')  # fmt: skip


def dumped(value, plain=True):
    """A value as JSON, with its `Raw` texts as they are; objects may be lists of pairs (`Pairs`)."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, Pairs):
        cells = (f"{json.dumps(key)}: {dumped(one, plain)}" for key, one in value)
        return "{" + ", ".join(cells) + "}"
    if isinstance(value, dict):
        return dumped(Pairs(value.items()), plain)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(dumped(one, plain) for one in value) + "]"
    return json.dumps(value, ensure_ascii=plain)


class Pairs(list):
    """An object in which a key may occur twice."""


def changed_value(value, rng, raws=RAWS, chance=0.05):
    """A JSON value, some parts of which are others, missing, or there twice."""
    if rng.random() < chance:
        return Raw(rng.choice(raws)) if rng.random() < 0.2 else rng.choice(ODD)
    if isinstance(value, dict):
        pairs = Pairs()
        for key, one in value.items():
            if rng.random() < chance / 3:
                continue
            name = rng.choice([*NAMES, *value]) if rng.random() < chance / 3 else key
            pairs.append((name, changed_value(one, rng, raws, chance)))
            if rng.random() < chance / 3:
                pairs.append((key, rng.choice(ODD)))
        if rng.random() < chance / 3:
            pairs.append((rng.choice(NAMES), rng.choice(ODD)))
        return pairs
    if isinstance(value, list):
        rows = []
        for one in value:
            if rng.random() < chance / 3:
                continue
            rows.append(changed_value(one, rng, raws, chance))
            if rng.random() < chance / 3:
                rows.append(rng.choice([one, rng.choice(ODD)]))
        if rng.random() < chance / 3:
            rng.shuffle(rows)
        return rows
    return value


def changed_json(data, rng, raws=RAWS):
    """JSON, or JSON lines, with other values in it."""
    text = data.decode()
    chance = rng.choice([0.01, 0.03, 0.1])
    try:
        values, separator = [json.loads(text)], ""
    except ValueError:
        values, separator = [json.loads(line) for line in text.splitlines() if line.strip()], "\n"
    plain = rng.random() < 0.5
    rows = [dumped(changed_value(value, rng, raws, chance), plain) for value in values]
    if separator and rng.random() < 0.1:
        rows.append(rng.choice([*rows, rng.choice(RAWS)]))
    return (separator.join(rows) + separator).encode("utf-8", "surrogatepass")


def changed_yaml(data, rng):
    """YAML in the form of JSON, with other values in it."""
    return changed_json(data, rng, (*RAWS, *YAML_RAWS))


def changed_cells(data, rng):
    """Lines of cells, some of which are others, missing, or there twice."""
    lines = data.decode().split("\n")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        how = rng.random()
        if how < 0.1:
            del lines[at]
        elif how < 0.2:
            lines.insert(at, rng.choice([*lines, *CELLS]))
        else:
            parts = re.split(r"([\t ,;|:=\[\]()]+)", lines[at])
            place = rng.randrange(len(parts))
            if how < 0.3:
                del parts[place]
            elif how < 0.4:
                parts.insert(place, rng.choice(parts))
            else:
                parts[place] = rng.choice([*CELLS, *parts])
            lines[at] = "".join(parts)
        lines = lines or [""]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


XML_PARTS = (
    re.compile(rb'="([^"<>]{0,200})"'),
    re.compile(rb">([^<>]{0,200})<"),
    re.compile(rb"(<[^<>]*>)"),
    re.compile(rb"</?([\w:.-]+)"),
    re.compile(rb'([\w:.-]+=")'),
    re.compile(rb"(<(\w[\w:.-]*)[^<>]*>.*?</\2>)", re.DOTALL),
)


def changed_xml(data, rng):
    """XML with other values, names, or elements."""
    for _ in range(rng.randint(1, 3)):
        places = [found.span(1) for found in rng.choice(XML_PARTS).finditer(data)]
        start, end = rng.choice(places or [(0, 0)])
        other = data[slice(*rng.choice(places or [(0, 0)]))]
        new = rng.choice([b"", data[start:end] * 2, other, *([rng.choice(XML_TEXTS).encode()] * 5)])
        data = data[:start] + new + data[end:]
    return rng.choice(DOCTYPES) + data if rng.random() < 0.02 else data


def changed_bytes(data, rng):
    """A file with another encoding, other newlines, or damage."""
    text = data.decode("utf-8", "replace")
    how = rng.randrange(14)
    at = rng.randrange(len(data) + 1)
    if how == 0:
        return text.encode(rng.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"]))
    if how == 1:
        return text.replace(
            "\n", rng.choice(["\r", "\r\n", "\n\n", "\n\r", "\u2028", "\x0b"])
        ).encode()
    if how == 2:
        return data[:at]
    if how == 3:
        packed = bytearray(gzip.compress(data))
        for _ in range(rng.randint(0, 3)):
            packed[rng.randrange(len(packed))] = rng.randrange(256)
        return bytes(packed[: rng.choice([None, -1, -8, 5, 15])])
    if how == 4:
        return (
            data[:at]
            + rng.choice([b"\0", b"\xff", b"\xed\xa0\x80", b"\xc3", b"\x1f\x8b", b"\x1b"])
            + data[at:]
        )
    if how == 5:
        return data * 2
    if how == 6:
        return rng.choice(
            [
                b"",
                b"\n",
                b" ",
                b"\0",
                b"\xef\xbb\xbf",
                b"PK\x03\x04",
                b"PAR1PAR1",
                b"\x1f\x8b",
                b"{",
                b"[",
            ]
        )
    if how == 7:
        return data[:at] + LONG.encode() + data[at:]
    if how == 8:
        return b"\xef\xbb\xbf" * 2 + data
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(changed) + 1)
        changed[at : at + rng.randint(0, 3)] = rng.choice(
            [b"", rng.randbytes(2), changed[-20:-10], b"[", b'"', b"-"]
        )
    return bytes(changed)
