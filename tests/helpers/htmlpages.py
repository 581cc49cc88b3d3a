"""Pages as tests read them: strictly, or their tags and texts alone."""

from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input"}


class Page(HTMLParser):
    """Tags, attributes and texts of a page; complains of tags that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.texts = [], [], []
        self.ids, self.text_of = [], {}  # of the elements that are open; texts inside them
        self.feed(text.replace("<wbr>", ""))
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        assert len(dict(attributes)) == len(attributes)
        if tag not in VOID:
            self.open.append(tag)
            self.ids.append(dict(attributes).get("id"))

    def handle_startendtag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.ids.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data.strip())
            for name in filter(None, self.ids):
                self.text_of[name] = self.text_of.get(name, "") + data.strip()

    def all(self, tag):
        """Attributes of every element with this tag."""
        return [attributes for name, attributes in self.tags if name == tag]


class Tags(HTMLParser):
    """The tags and the text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(text.replace("<wbr>", ""))

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text.append(data)
