"""A diff as one HTML page, or as a folder of pages with an index."""

from ..diff_tables import summary
from ..formats.files import replaced_folder, write_atomically
from ..formats.paths import path_of
from ..report.diff_page import documents_page
from ..report.diff_words import side_names
from .drawing import drawn, renderer_of

MOST = 200  # documents on a page
INDEX = "index.html"
NAMES = r"index\.html|page-[0-9]{4,}\.html"  # files of the folder


def write_diff(diff, path, *, title=None, progress=iter):
    """Write a diff as one self-contained page, or as a folder of pages.

    Parameters
    ----------
    diff : Diff
    path : str or Path
        Ends in .html: one page with the worst 200 documents at most. Else a folder: `index.html`,
        and a page for each 200 documents. It takes the place of a folder of such pages.
    title : str, optional
    progress : callable
        Wraps the pages of a folder; for progress bars.

    Raises
    ------
    FormatError
        If a file cannot be written, or the folder holds files that are not ours. Then nothing is
        changed.
    """
    path = path_of(path)
    title = title or title_of(diff.compared.sources)
    if path.suffix.lower() == ".html":
        n_more = len(diff.order) - MOST
        notes = [
            f"This page holds the first {MOST} of {len(diff.order)} documents. To get them all, "
            "write into a folder: name one that does not end in .html."
        ]
        page = diff_page(diff, diff.order[:MOST], title=title, notes=notes[: n_more > 0])
        write_atomically(path, page)
        return
    with replaced_folder(path, NAMES) as folder:
        for name, page in progress(Pages(diff, title)):
            write_atomically(folder / name, page)


def title_of(sources):
    """What pages are called by default: by the names of the files."""
    names = list(dict.fromkeys(path_of(source).name for source in sources))
    return f"Differences {'between' if len(names) > 1 else 'in'} {' and '.join(names)}"


class Pages:
    """Pairs (file name, HTML) of a folder, made as they are gone through; `len` is their number.

    `back` is an address, relative to the folder, and its words: for the index.
    """

    def __init__(self, diff, title, *, back=None, notes=()):
        self.diff, self.title, self.back, self.notes = diff, title, back, notes

    def __len__(self):
        return 1 + -(-len(self.diff.order) // MOST)

    def __iter__(self):
        diff, order = self.diff, self.diff.order
        renderer = renderer_of(diff.gold.labels)
        pages = listed(diff)
        home = {"title": self.title, "back": self.back, "notes": self.notes}
        yield INDEX, diff_page(diff, (), **home, pages=pages)
        for number, page in enumerate(pages):
            places = order[number * MOST : (number + 1) * MOST]
            near = pages[:number][-1:], pages[number + 1 :][:1]
            around = [side[0]["address"] if side else None for side in near]
            title = f"{self.title}, page {number + 1} of {len(pages)}"
            back = INDEX, "Index"
            yield (
                page["address"],
                diff_page(
                    diff,
                    places,
                    title=title,
                    back=back,
                    around=around,
                    overview=False,
                    renderer=renderer,
                ),
            )


def diff_page(
    diff,
    places,
    *,
    title,
    back=None,
    notes=(),
    overview=True,
    pages=(),
    around=(None, None),
    renderer=None,
):
    """Documents of a diff as one HTML page.

    Parameters
    ----------
    diff : Diff
        `diff.compared.names` are the names of both sides.
    places : sequence of int
        Which documents, in this order: up to 200 of `diff.order`.
    title : str
    back : (str, str), optional
        Address and words of a link to the page above.
    notes : sequence of str
    overview : bool
        Whether to begin with scores, confusion of labels and kinds of errors of the whole corpus.
    pages : sequence of dict
        The pages of the folder, if this is its index.
    around : (str or None, str or None)
        Addresses of the page before and the page behind.
    renderer : SpanRenderer, optional
        As `drawing.renderer_of` makes it; share it among pages.
    """
    renderer = renderer or renderer_of(diff.gold.labels)
    places = [int(place) for place in places]
    here = {diff.names[place]: f"#document-{place + 1}" for place in places}
    return documents_page(
        summary(diff) if overview else None,
        [document_of(diff, place, renderer) for place in places],
        names=side_names(diff.compared.names),
        positions=diff.compared.positions,
        sort=diff.sort,
        title=title,
        back=back,
        notes=list(notes),
        pages=list(pages),
        around=around,
        addresses=here | addresses(diff, pages),
    )


def addresses(diff, pages):
    """Where the documents of a folder are, by name."""
    if not pages:
        return {}
    return {
        diff.names[place]: f"{pages[i // MOST]['address']}#document-{place + 1}"
        for i, place in enumerate(diff.order.tolist())
    }


def listed(diff):
    """The pages of a folder in the words of its index."""
    pages = []
    for number, start in enumerate(range(0, len(diff.order), MOST), 1):
        places = diff.order[start : start + MOST]
        wrong = diff.counts[places, 1:].sum(axis=1)
        pages.append(
            {
                "address": f"page-{number:04}.html",
                "first": start + 1,
                "last": start + len(places),
                "names": [diff.names[places[0]], diff.names[places[-1]]],
                "differences": [int(wrong.min()), int(wrong.max())],
            }
        )
    return pages


def document_of(diff, place, renderer):
    """One document: its counts and pairs, and its text with the spans of both sides."""
    compared, found = diff.compared, diff.document(place)
    sides = ((compared.gold, compared.gold_layer), (compared.pred, compared.pred_layer))
    documents = [(corpus.documents[place], layer) for corpus, layer in sides]
    rows = [
        (one.categories if compared.categories else one.layers).get(layer) or ()
        for one, layer in documents
    ]
    wrong = [
        (side["start"], side["end"])
        for pair in found["pairs"]
        if pair["relation"] != "correct"
        for side in (pair["gold"], pair["pred"])
        if side and side["start"] is not None
    ]
    return found | drawn(renderer, documents[0][0], compared.positions, rows, wrong)
