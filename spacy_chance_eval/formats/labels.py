"""Labels of a corpus: other names, or some of them alone."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ..measures.messages import quoted
from .corpus import Corpus, Document


def relabelled(corpus: Corpus, names: str | Mapping[str, str]) -> Corpus:
    """The corpus with other names of labels, PER:Person,LOC:Place; equal spans are then one."""
    if isinstance(names, str):
        pairs = [part.partition(":") for part in names.split(",")]
        if not all(one and sign and other for one, sign, other in pairs):
            raise ValueError(f"rename is {quoted(names)}; expected LABEL:NAME,LABEL:NAME ...")
        names = {one: other for one, _, other in pairs}

    def renamed(value: Any) -> Any:
        """A label, or a span with its label."""
        return tuple(map(renamed, value)) if type(value) is tuple else names.get(value, value)

    documents = tuple(_changed(one, renamed) for one in corpus.documents)
    return replace(corpus, documents=documents)


def only_labels(corpus: Corpus, labels: str | Iterable[str]) -> Corpus:
    """The corpus without spans and categories of labels but some, PER,LOC; nor decisions on them.

    Documents of other decisions are left out: their categories say what was decided.
    """
    from .prodigy import decided_label  # which few need

    wanted = {*labels.split(",")} if isinstance(labels, str) else {*labels}

    def kept(value: Any) -> Any:
        """A label, or a span with its label, if it is wanted; else None."""
        label = value if type(value) is str else value[1] if len(value) == 2 else value[2]
        return value if label in wanted else None

    documents = []
    for document in corpus.documents:
        decided = decided_label(document)
        if decided is None:
            documents.append(_changed(document, kept))
        elif decided in wanted:
            documents.append(document)
    return replace(corpus, documents=tuple(documents))


def _changed(document: Document, change: Callable[[Any], Any]) -> Document:
    """The document with changed labels and spans, but for those that become None."""

    def changed(values: Any) -> list[Any]:
        return [new for new in map(change, values) if new is not None]

    fields: dict[str, Any] = {}
    for kind in ("layers", "categories", "unplaced"):
        as_rows: Any = list if kind == "unplaced" else set
        by_layer = getattr(document, kind).items()
        fields[kind] = {layer: own and as_rows(changed(own)) for layer, own in by_layer}
    for kind in ("features", "copies"):
        fields[kind] = {
            layer: {new: said for span, said in spans.items() if (new := change(span)) is not None}
            for layer, spans in getattr(document, kind).items()
        }
    return replace(document, **fields)
