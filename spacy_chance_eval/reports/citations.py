"""Sources as BibTeX and as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from unicodedata import normalize

from ..metrics.references import Reference, references

ACCENTS = {"\u0301": "'", "\u0308": '"'}  # accents in the notation of TeX
LETTERS = {"æ": r"{\ae}", "ø": r"{\o}", "&": r"\&"}


def bibtex(sources: Mapping[str, Reference]) -> str:
    """Entries of BibTeX in pure ASCII, which all versions of BibTeX read."""
    return "\n\n".join(_entry(key, source) for key, source in sources.items()) + "\n"


def reference_text(sources: Mapping[str, Reference]) -> str:
    """Sources as text, one line each: authors, year, title, publication."""
    return "\n".join(map(_line, sources.values())) + "\n"


def citations(signatures: Iterable[str]) -> str:
    """BibTeX entries of the package and of the sources of scores, given their signatures.

    Signatures of metrics unknown to this version are skipped.
    """
    return bibtex(references(filter(_is_known, dict.fromkeys(signatures))))


def _is_known(signature: str) -> bool:
    """Whether this version knows the metric of a signature."""
    try:
        references([signature])
    except ValueError:
        return False
    return True


def _entry(key: str, source: Reference) -> str:
    """A BibTeX entry, with the capitals of the title protected."""
    fields = {"author": source.author, "title": f"{{{source.title}}}", "year": str(source.year)}
    fields |= source.fields
    lines = (f"  {name} = {{{_in_ascii(name, text)}}}," for name, text in fields.items())
    return "\n".join([f"@{source.kind}{{{key},", *lines, "}"])


def _in_ascii(name: str, text: str) -> str:
    """The value of a field in ASCII; addresses are unchanged."""
    return text if name in ("doi", "url") else "".join(_signs(text))


def _signs(text: str) -> Iterator[str]:
    """The characters of a text in the notation of TeX."""
    for sign in text:
        letter, accent = (*normalize("NFD", sign), "")[:2]
        yield f"{{\\{ACCENTS[accent]}{letter}}}" if accent else LETTERS.get(sign, sign)


def _line(source: Reference) -> str:
    """A source as a line of text."""
    more = source.fields
    edition = f" ({more['edition']} edition)" if "edition" in more else ""
    number = f"({more['number']})" if "number" in more else ""
    where = [more.get(name, "") for name in ("journal", "booktitle", "publisher", "note")]
    where += [more.get("volume", "") + number, more.get("pages", "").replace("--", "-")]
    address = more.get("url") or (f"https://doi.org/{more['doi']}" if "doi" in more else "")
    parts = [f"{_names(source.author)} ({source.year})", source.title.replace("--", "-") + edition]
    return ". ".join(filter(None, [*parts, ", ".join(filter(None, where)), address]))


def _names(author: str) -> str:
    """Names of authors, given names first."""
    if author.startswith("{"):
        return author.strip("{}")
    names = [" ".join(reversed(name.split(", "))) for name in author.split(" and ")]
    if names[-1] == "others":
        return f"{', '.join(names[:-1])} et al."
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
