"""Regions of a text in Label Studio's results: where they lie and what is said of them."""

from typing import NamedTuple

from .errors import Mistake
from .rows import checked_span, shown, unique, value

COUNTS = ("codepoint", "utf16")
# Where a result that belongs to a region keeps its value, by its type.
SAID = {
    "choices": "choices",
    "rating": "rating",
    "number": "number",
    "textarea": "text",
    "datetime": "datetime",
}
PLAIN_TEXT = (
    "only regions of plain text can be read, with start and end in characters: label with Text, "
    "not with HyperText or Paragraphs, and export that project"
)
OTHER_TEXT = (
    "offsets and text must agree: pass --offsets codepoint or utf16 if the version that wrote the "
    "file counts so; versions that drop carriage returns need texts without them"
)


class Region(NamedTuple):
    """A labelled stretch of the text; `text` as the export has it, None if it does not."""

    id: str | None
    start: int
    end: int
    text: str | None
    labels: list


class Marks(NamedTuple):
    """The result of one annotation: regions, {id: features}, and (control, choice) of the text."""

    regions: list
    said: dict
    choices: list


def marks_of(results, title):
    """The `Marks` of a list of results."""
    marks, others = Marks([], {}, []), []
    for result in results:
        if type(result) is not dict:
            raise Mistake(f"{title}: a result is {shown(result)}", "a result is an object")
        kind, found = result.get("type"), value(result, "value", dict, {})
        if kind is not None and type(kind) is not str:
            raise Mistake(f"{title}: 'type' is {shown(kind)}", "the type of a result is a string")
        if kind is not None and kind.endswith("labels"):
            marks.regions.append(region_of(found, kind, identity(result), title))
        else:
            others.append((kind, found, identity(result), result.get("from_name")))
    known_ids = {region.id for region in marks.regions} - {None}
    for kind, found, name, control in others:
        if kind not in SAID:
            continue
        if type(control) is not str:
            raise Mistake(
                f"{title}: 'from_name' is {shown(control)}", "each result names its control"
            )
        if name in known_ids:
            said = simple(found.get(SAID[kind]), kind)
            if said is not None:
                marks.said.setdefault(name, {})[control] = said
        elif kind == "choices":
            marks.choices.extend((control, choice) for choice in choices_of(found, title))
    return marks


def identity(result):
    """The id that results for one region share."""
    found = result.get("id")
    return found if type(found) is str else None


def minimal_marks(data, title):
    """The `Marks` of a task of JSON_MIN, whose controls stand beside the data."""
    marks = Marks([], {}, [])
    for control, found in data.items():
        for entry in found if type(found) is list else [found]:
            if type(entry) is not dict:
                continue
            if "choices" in entry:
                marks.choices.extend((control, choice) for choice in choices_of(entry, title))
            elif any(key.endswith("labels") for key in entry):
                kind = next(key for key in entry if key.endswith("labels"))
                marks.regions.append(region_of(entry, kind, None, title))
    return marks


def region_of(found, kind, name, title):
    """The `Region` of a value; raises if it is none of plain text."""
    if kind != "labels" or "globalOffsets" in found or "startOffset" in found:
        raise Mistake(f"{title}: a region of the type {shown(kind)}", PLAIN_TEXT)
    start, end = found.get("start"), found.get("end")
    if type(start) is not int or type(end) is not int:
        raise Mistake(f"{title}: a region [{shown(start)}, {shown(end)})", PLAIN_TEXT)
    labels = value(found, "labels", list, [])
    if not labels:
        raise Mistake(f"{title}: region [{start}, {end}) has no label", "label or remove it")
    text = found.get("text")
    return Region(name, start, end, text if type(text) is str else None, labels)


def choices_of(found, title):
    """The choices of a value."""
    choices = value(found, "choices", list, [])
    if any(type(choice) is not str or not choice for choice in choices):
        raise Mistake(f"{title}: 'choices' is {shown(choices)}", "choices are non-empty strings")
    return choices


def simple(found, kind):
    """A value that can be a feature; None if it cannot."""
    if kind in ("rating", "number"):
        return found if type(found) in (int, float) else None
    if type(found) is list and all(type(one) is str for one in found):
        return (
            ("|".join(sorted(found)) if kind == "choices" else "\n".join(found)) if found else None
        )
    return found if type(found) is str else None


def counting(tasks):
    """What the offsets of all regions count; None if no one way agrees with all their texts."""
    wide = [task for task in tasks if any(letter > "\uffff" for letter in task.text)]
    for count in COUNTS:
        if all(
            agrees(one.marks.regions, task.text, count)
            for task in wide
            for one in task.answers
            if one.marks
        ):
            return count
    return None


def agrees(regions, text, count):
    """Whether the text has at all regions what they say."""
    starts = starts_of(text, count)
    for region in regions:
        start, end = character(region.start, starts), character(region.end, starts)
        if start is None or end is None or not same(text[start:end], region.text):
            return False
    return True


def starts_of(text, count):
    """For each unit of a text and its end, the character that begins there; None inside one."""
    if count == "codepoint" or text.isascii():
        return range(len(text) + 1)
    starts = []
    for i, letter in enumerate(text):
        starts.append(i)
        if letter > "\uffff":
            starts.append(None)
    return [*starts, len(text)]


def character(offset, starts):
    """The character at an offset, None if none begins there."""
    return starts[offset] if 0 <= offset < len(starts) else None


def same(text, found):
    """Whether two texts are equal but for white space, which the export changes."""
    return found is None or squeezed(text) == squeezed(found)


def squeezed(text):
    """A text without white space, and without the two letters that stand for a line end."""
    return "".join(text.replace("\\n", " ").replace("\\r", " ").split())


def placed(marks, text, count, title):
    """(spans, {span: features}) of the regions, in characters of the text."""
    if count is None:
        count = next((one for one in COUNTS if agrees(marks.regions, text, one)), COUNTS[0])
    starts, spans, features = starts_of(text, count), [], {}
    for region in marks.regions:
        start, end = character(region.start, starts), character(region.end, starts)
        for label in region.labels:
            if start is None or end is None:
                checked_span(region.start, region.end, label, len(starts) - 1, "characters")
                raise Mistake(
                    f"{title}: region [{region.start}, {region.end}) cuts a character in two",
                    OTHER_TEXT,
                )
            spans.append(checked_span(start, end, label, len(text), "characters"))
            features[spans[-1]] = marks.said.get(region.id, {})
        if not same(text[start:end], region.text):
            raise Mistake(
                f"{title}: the text has {shown(text[start:end])} at [{region.start}, "
                f"{region.end}), but the region {shown(region.text)}",
                OTHER_TEXT,
            )
    return unique(spans), features
