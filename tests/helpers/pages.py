"""Every kind of page, made by the commands: which files they are, and how to make them."""

import os
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote

from helpers import made, madetrees

FILES = {
    "plain": ("gold.jsonl", "small.jsonl", "large.jsonl", "rules.jsonl"),
    "hostile": ("gold.jsonl", f"{made.IMAGE}.jsonl", "<script>.jsonl", "$x$ {{ 7*7 }}.jsonl"),
}
FOLDERS = {"plain": "plain", "hostile": 'a "b" & <img>#1%2f? c'}
SHARES = (None, 0.4, 0.15, 0.6)


def ranked(inputs, out):
    options = ("-m", "span_f", "-m", "slicm", "--resamples", 100, "--subset", "length")
    made.made("score", *inputs, *options, "-o", out / "board")


def diff(inputs, out):
    made.made("diff", *inputs[:2], "-o", out / "diff.html")


def diffs(inputs, out):
    with patch("spacy_chance_eval.reports.diff_pages.PER_PAGE", 4):  # several pages
        made.made("diff", *inputs[:2], "-o", out / "diffs")


def qualified(inputs, out):
    made.made("score", *inputs[:2], "-o", out / "quality")


def explained(inputs, out):
    made.made("score", *inputs[:2], "-o", out / "corpus.html", "--explain")


def explained_document(inputs, out):
    made.made("score", *inputs[:2], "--explain", "1", "-o", out / "document.html")


PEOPLE = {
    "gold.jsonl": "Ada=gold.jsonl",
    "small.jsonl": "Ben=small.jsonl",
    "large.jsonl": "Cleo=large.jsonl",
    "rules.jsonl": "Dora=rules.jsonl",
}


def agreed(inputs, out):
    modules = ("diff_pages", "agreement_pages")
    with ExitStack() as small:
        for name in modules:
            small.enter_context(patch(f"spacy_chance_eval.reports.{name}.PER_PAGE", 4))
        people = (PEOPLE.get(name, name) for name in inputs)
        made.made("agree", *people, "--resamples", 50, "-o", out / "agreement")


def agreed_on_trees(inputs, out):
    with patch("spacy_chance_eval.reports.diff_pages.PER_PAGE", 4):
        people = (PEOPLE.get(name, name) for name in inputs[:3])
        made.made("agree", *map(bank_of, people), *TREES, "-o", out / "trees")


def scored_trees(inputs, out):
    made.made("score", *map(bank_of, inputs[:2]), "-o", out / "score.html")


def agreed_on_brackets(inputs, out):
    first, second = (bank_of(PEOPLE.get(name, name), "mrg") for name in inputs[:2])
    if made.IMAGE in second:
        first = first.replace("Ada", f"{made.SCRIPT} {{{{ 7*7 }}}}")
    made.made("agree", first, second, *TREES, "-o", out / "brackets")


TREES = ("--resamples", 20)


def bank_of(name, ending="conllu"):
    """The treebank of somebody, with the name of who made it if it has one."""
    return f"{name.removesuffix('.jsonl')}.{ending}"


def compared(inputs, out):
    gold, *systems = inputs
    runs = [out / f"{Path(name).stem}.run" for name in systems[:2]]
    for name, run in zip(systems, runs):
        options = ("-m", "span_f", "-m", "token_f")
        made.made("score", gold, name, *options, "-o", run)
    made.made("compare", *runs, "--resamples", 500, "-o", out / "compare.html")


# page: who makes it, and where it is in the folder of output; the first of several
PAGES = {
    "leaderboard": (ranked, "board/index.html"),
    "errors": (ranked, "board/01-*.html"),
    "diff": (diff, "diff.html"),
    "diff-index": (diffs, "diffs/index.html"),
    "diff-page": (diffs, "diffs/*2.html"),
    "quality": (qualified, "quality/index.html"),
    "explain": (explained_document, "document.html"),
    "explain-corpus": (explained, "corpus.html"),
    "agreement": (agreed, "agreement/index.html"),
    "pair": (agreed, "agreement/pair-001-002.html"),
    "pair-page": (agreed, "agreement/pair-*-0002.html"),
    "tree-index": (agreed_on_trees, "trees/index.html"),
    "tree-pair": (agreed_on_trees, "trees/pair-001-002.html"),
    "tree-page": (agreed_on_trees, "trees/pair-*-0002.html"),
    "tree-score": (scored_trees, "score.html"),
    "bracket-index": (agreed_on_brackets, "brackets/index.html"),
    "bracket-pair": (agreed_on_brackets, "brackets/pair-001-002.html"),
    "compare": (compared, "compare.html"),
}
KINDS = tuple(FILES)
# the first page of each command; it leads to the others
FIRST = tuple({maker: name for name, (maker, _) in reversed(PAGES.items())}.values())[::-1]


class Pages:
    """Pages below a folder that is served, each made when it is first asked for."""

    def __init__(self, root, address, asked):
        self.root, self.host, self.asked, self.done = root, address, asked, {}

    def inputs(self, kind):
        """The files that pages of a kind are made of: gold, and others' annotation."""
        folder = self.root / FOLDERS[kind]
        if not folder.exists():
            folder.mkdir()
            rows = made.hostile_rows() if kind == "hostile" else made.sample_rows("dev", "test")
            for seed, (name, share) in enumerate(zip(FILES[kind], SHARES)):
                made.write(folder / name, made.erring(rows, seed, share) if share else rows)
            write_treebanks(folder, kind)
        return [folder / name for name in FILES[kind]]

    def out(self, name, kind):
        """The folder that a page was written into, with what else its command has written."""
        maker = PAGES[name][0]
        if (maker, kind) not in self.done:
            inputs = self.inputs(kind)
            out = inputs[0].parent / maker.__name__
            out.mkdir()
            before = listing(self.root)
            with working_in(out.parent):
                maker([path.name for path in inputs], Path(out.name))
            written = listing(self.root) - before
            self.done[maker, kind] = out, {path for path in written if out not in path.parents}
        return self.done[maker, kind][0]

    def strays(self, name, kind):
        """What the command has written outside of its folder."""
        self.out(name, kind)
        return self.done[PAGES[name][0], kind][1]

    def path(self, name, kind):
        return min(self.out(name, kind).glob(PAGES[name][1]))

    def address(self, name, kind):
        return self.host + self.asking(self.path(name, kind))

    def asking(self, path):
        """How a browser asks for a file."""
        return "/" + quote(path.relative_to(self.root).as_posix())


def write_treebanks(folder, kind):
    """The sentences of the sample as several people annotate them, in both kinds of trees."""
    rows = madetrees.trees()
    rows = [row for row in rows if 9 < len(row[1]) < 15]
    rows = madetrees.hostile(rows) if kind == "hostile" else rows
    for seed, name in enumerate(FILES[kind]):
        own = madetrees.erring(rows, seed) if seed else rows
        (folder / bank_of(name)).write_text(madetrees.as_conllu(own), "utf-8")
        (folder / bank_of(name, "mrg")).write_text(madetrees.as_brackets(own), "utf-8")


@contextmanager
def working_in(folder):
    """Short paths on the pages, whatever the machine is."""
    here = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


def listing(folder):
    return set(Path(folder).rglob("*"))
