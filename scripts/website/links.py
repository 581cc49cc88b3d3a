"""Hook of mkdocs.yml: pages for files outside of docs/, and links to them.

The pages of docs/ are written for code hosts too, where `../PROJECT.md` and `notebooks/first.ipynb`
are links that work. On the site such files get pages under `project/`, and a notebook becomes a
page, when it is built. Nothing is written into the checkout.
"""

import json
import posixpath
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[2]
FENCED = re.compile(r"(^ *```.*?^ *```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)\s#]+)")
LANGUAGES = {".cfg": "ini", ".yml": "yaml", ".md": "markdown"}

sources = {}  # {address of a generated page: the path in the checkout from which it was made}


def on_files(files, config):
    """Add a page, or a copy, of each file outside of docs/ that the navigation or a page names."""
    sources.clear()
    paths = re.findall(r"\bproject/([\w./-]+)", str(config.nav))
    for file in files.documentation_pages():
        paths += linked_paths(f"docs/{file.src_uri}")
    for path in paths:  # which grows: pages that are added name others
        uri = address(path)
        if uri in files.src_uris:
            continue
        if is_page(uri):
            sources[uri] = path
            files.append(File.generated(config, uri, content=text_of(path)))
            paths += linked_paths(path)
        else:
            files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown, page, config, files):
    """The text of a page, with links changed to addresses of the site."""
    uri = page.file.src_uri
    source = sources.get(uri, f"docs/{uri}")

    def turned(link):
        target = address(resolved(source, link[1]))
        return posixpath.relpath(target, posixpath.dirname(uri) or ".")

    parts = FENCED.split(markdown)  # text, code, text ...
    parts[::2] = [LINK.sub(turned, part) for part in parts[::2]]
    return "".join(parts)


def linked_paths(source):
    """The paths in the checkout to which a file links."""
    if not source.endswith((".md", ".ipynb")) or not (ROOT / source).exists():
        return []  # a page that was made from code
    text = FENCED.sub("", text_of(source))
    return [resolved(source, link) for link in LINK.findall(text)]


def resolved(source, link):
    """The path in the checkout to which a link leads; for a folder, its README.md."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    return f"{path}/README.md" if (ROOT / path / "README.md").exists() else path


def address(path):
    """The address of a path of the checkout on the site."""
    if path == "docs/schemas":
        return "reference/schemas/README.md"  # made by reference.py
    if (ROOT / path).is_dir():
        path = f"{path}.md"
    path = re.sub(r"\.ipynb$", ".md", path)
    return path.removeprefix("docs/") if path.startswith("docs/") else f"project/{path}"


def is_page(uri):
    """Whether an address belongs to a page, not to a copy of a file."""
    return uri.endswith(".md")


def text_of(path):
    """A file as Markdown: notebooks with their outputs, folders with all of their files."""
    whole = ROOT / path
    if whole.is_dir():
        parts = [f"# {path}/"]
        for file in sorted(whole.iterdir()):
            if file.suffix in LANGUAGES:
                code = file.read_text(encoding="utf-8")
                parts.append(f"## {file.name}\n\n````{LANGUAGES[file.suffix]}\n{code}````")
        return "\n\n".join(parts) + "\n"
    text = whole.read_text(encoding="utf-8")
    return notebook(json.loads(text)) if path.endswith(".ipynb") else text


def notebook(stored):
    """The cells of a notebook, with the outputs of code as text."""
    parts = []
    for cell in stored["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            shown = output.get("text") or output["data"]["text/plain"]
            parts.append(f"```text\n{''.join(shown).rstrip()}\n```")
    return "\n\n".join(parts) + "\n"
