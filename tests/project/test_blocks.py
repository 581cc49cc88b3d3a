"""Every block of the documentation runs, and prints what stands below it."""

import shutil

import pytest

from helpers.cases import later
from helpers.examples import OWN_FILES, ROOT, page, write_files
from helpers.page_blocks import Session, blocks_of, reason, shows

NAMES = ["README.md", "PROJECT.md", "CONTRIBUTING.md"]
NAMES += sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md"))
BLOCKS = {name: found for name in NAMES if (found := blocks_of(name, page(name)))}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder with the files that the examples speak of."""
    folder = tmp_path_factory.mktemp("docs")
    write_files(folder)
    return folder


def is_quick(name):
    """Whether a page has no command lines."""
    return not {"bash", "console"} & {block.language for block in BLOCKS[name]}


@pytest.mark.parametrize(
    "name", [name if is_quick(name) else next(iter(later(name))) for name in BLOCKS]
)
def test_blocks_run_and_print_what_the_page_shows(name, files, tmp_path, monkeypatch):
    """In their order, in one folder: later ones may need what earlier ones wrote."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    OWN_FILES.get(name, lambda folder: None)(tmp_path)
    session = Session()
    for block in BLOCKS[name]:
        if reason(block) is None:
            session.run(block)
    assert session.wrong == [], "\n\n".join(session.wrong)


@pytest.mark.parametrize(
    ("shown", "same"),
    [
        ("a\nb\nc\n", True),
        ("a\n...\nc\n", True),
        ("...\nb\n...\n", True),
        ("a\n...\n", True),
        ("a\nc\n", False),
        ("b\n...\n", False),
        ("a\n...\nd\n", False),
        ("c\n...\na\n", False),
    ],
)
def test_dots_stand_for_lines_left_out(shown, same):
    assert shows(shown, "a\nb\nc\n") is same


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("```python\nprint(1)\n```\n\n```text\n1\n```\n", 0),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", 1),
        ("```pycon\n>>> 1\n2\n```\n", 1),
        ("```bash\necho 1\n```\n\n```text\n2\n```\n", 1),
        ("```bash\nfalse\n```\n", 1),
        ("```console\n$ spacy-chance-eval --version\nspacy-chance-eval 0\n```\n", 1),
        ("```console\n$ spacy-chance-eval score none.conll\n```\n", 1),
        ("```console\n$ spacy-chance-eval score none.conll\n✘ none\n...\n```\n", 1),
        ("```bash\nprodigy chance.iaa dataset:news -l PER\n```\n", 0),
        ("```bash\nprodigy chance.iaa dataset:news --none\n```\n", 1),
        ("```json\n{\n```\n", 1),
        ("```text\nOf what?\n```\n", 1),
        ("`a.txt`\n\n```text\n1\n```\n\n```bash\ncat a.txt\n```\n\n```text\n1\n```\n", 0),
    ],
    ids=[
        *("python", "python-differs", "pycon-differs", "bash-differs", "bash-fails"),
        *("console-differs", "console-fails", "other-message", "prodigy", "prodigy-option"),
        *("json", "text-alone", "file"),
    ],
)
def test_what_is_wrong_in_a_block_is_found(text, wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = Session()
    for block in blocks_of("page", text):
        session.run(block)
    assert len(session.wrong) == wrong, session.wrong
