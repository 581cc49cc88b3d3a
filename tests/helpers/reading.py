"""Pages read back: their tags, their tables as rows of cells, their text."""

from html.parser import HTMLParser

VOID = ("br", "hr", "img", "input", "link", "meta")


class Reader(HTMLParser):
    """The tags of a page or fragment, its tables as rows of cells, and its text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.tables, self.said, self.open = [], [], [], []
        self.feed(html.replace("<wbr>", ""))
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.open += [] if tag in VOID else [tag]
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("th", "td"):
            self.tables[-1][-1].append({"text": [], "inside": [], **dict(attrs)})
        elif {"th", "td"} & set(self.open):
            self.tables[-1][-1][-1]["inside"].append(dict(attrs))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, "tags are closed in order"

    def handle_data(self, data):
        if not {"style", "script"} & set(self.open):
            self.said.append(data)
        if {"th", "td"} & set(self.open):
            self.tables[-1][-1][-1]["text"].append(data)

    @property
    def text(self):
        return "".join(self.said)

    def all(self, tag):
        """The attributes of all tags of a name."""
        return [attrs for name, attrs in self.tags if name == tag]


def texts(table):
    """The words of each cell of a table."""
    return [[cell["text"] for cell in row] for row in table]
