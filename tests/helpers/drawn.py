"""What a figure draws, read from its SVG alone: texts with their boxes, markers, lines, groups."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from itertools import combinations

from spacy_chance_eval.reports.figures import SIZE, text_width

SVG = "{http://www.w3.org/2000/svg}"
ANCHORS = {"start": 0, "middle": 0.5, "end": 1}


@dataclass
class Label:
    """A text with the box that it takes by the table of widths."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other):
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 0.05 and down > 0.05


class Drawn:
    """A parsed SVG."""

    def __init__(self, svg):
        self.root = ET.fromstring(svg)
        self.width, self.height = map(float, self.root.get("viewBox").split()[2:])

    def group(self, name):
        """The marks of a group, by its name."""
        return self.groups()[name]

    def groups(self):
        key = self.root.find(f"{SVG}title").get("id").removesuffix("title")
        groups = self.root.findall(f"{SVG}g")
        return {each.get("id").removeprefix(key): each for each in groups}

    def labels(self, within=None):
        root = self.root if within is None else within
        return [label(element) for element in root.iter(f"{SVG}text")]

    def misplaced(self):
        """Texts that lie on another one, or outside the figure."""
        labels = self.labels()
        outside = [
            one
            for one in labels
            if min(one.left, one.top, self.width - one.right, self.height - one.bottom) < -0.02
        ]
        return [*outside, *(pair for pair in combinations(labels, 2) if pair[0].overlaps(pair[1]))]

    def texts(self, within=None):
        return [one.text for one in self.labels(within)]


def label(element):
    """The label of a `<text>`; a turned one takes its height across."""
    size = float(element.get("font-size", SIZE))
    bold = element.get("font-weight") == "bold"
    width = text_width(element.text, size, bold=bold)
    x, y = float(element.get("x")), float(element.get("y"))
    before = ANCHORS[element.get("text-anchor", "start")] * width
    up, down = 0.75 * size, 0.2 * size  # capitals, and what is below the line
    if "rotate" in element.get("transform", ""):
        return Label(element.text, x - up, y - width + before, x + down, y + before)
    return Label(element.text, x - before, y - up, x - before + width, y + down)


def markers(element):
    """(shape, x, y) of each marker: "circle", or the path of another shape."""
    found = []
    for each in element.iter():
        if each.tag == f"{SVG}circle":
            found.append(("circle", float(each.get("cx")), float(each.get("cy"))))
        elif "translate" in each.get("transform", ""):
            found.append((each.get("d"), *numbers(each.get("transform"))))
    return found


def lines(element, colour=None):
    """The points of each line, those of one colour only if it is given."""
    paths = [each for each in element.iter(f"{SVG}path") if each.get("fill") == "none"]
    return [points(each) for each in paths if colour is None or colour in each.get("stroke")]


def points(path):
    values = numbers(path.get("d"))
    return list(zip(values[::2], values[1::2]))


def numbers(text):
    return [float(number) for number in re.findall(r"-?[\d.]+", text)]


def value_at(drawn, axis="x"):
    """From a place to its value, by the numbers beside the ticks of the first axis: an oracle."""
    known = []
    for each in drawn.root.findall(f"{SVG}text"):
        anchor = each.get("text-anchor")
        if anchor == {"x": "middle", "y": "end"}[axis] and is_number(each.text):
            place = float(each.get(axis))
            known.append((place - (0.35 * 7 if axis == "y" else 0), float(each.text)))
    (left, low), (right, high) = known[0], known[-1]
    return lambda place: low + (place - left) / (right - left) * (high - low)


def rounding(value):
    """What two decimals of a place are in values."""
    return abs(value(0.03) - value(0))


def is_number(text):
    return bool(re.fullmatch(r"-?(\d+(\.\d+)?|\.\d+)", text))
