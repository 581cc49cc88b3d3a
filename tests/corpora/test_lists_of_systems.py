"""Lists of systems, YAML or JSON: plain values alone, whatever a stranger writes."""

import pytest

from spacy_chance_eval.corpora.sources import read_systems
from spacy_chance_eval.formats.errors import FormatError


def written(tmp_path, text):
    (tmp_path / "a.yml").write_text(text)
    return str(tmp_path / "a.yml")


@pytest.mark.parametrize(
    "text",
    [
        "systems:\n- path: x.conll\n  year: 2003\n",
        '{\n\t"systems": [\n\t\t{"path": "x.conll", "year": 2003}\n\t]\n}\n',
        '[{"path": "x.conll", "year": 2003}]',
    ],
)
def test_systems_are_read(tmp_path, text):
    (system,) = read_systems(written(tmp_path, text))
    assert (system.path, system.year) == (str(tmp_path / "x.conll"), 2003)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- !!python/object/apply:os.system [id]\n", ":1: no plain YAML: could not"),
        ("- !!bool x\n", "no plain YAML"),
        ("- !mine x\n", "no plain YAML"),
        ("[" * 100_000, "no plain YAML"),
        ("".join("  " * i + "a:\n" for i in range(600)), "no plain YAML"),
        ("a: 1\na: 2\n", ":2: no plain YAML: found duplicate key"),
        ("a: 2001-99-99\n", "no plain YAML"),
        ("a: 0x" + "f" * 10 + "\nb: '\x01'\n", "no plain YAML"),
        ("a: " + "9" * 5000, "no plain YAML"),
        ("a: [\n", "no plain YAML"),
    ],
)
def test_anything_else_is_an_error_of_one_short_line(tmp_path, text, message):
    with pytest.raises(FormatError, match=message) as caught:
        read_systems(written(tmp_path, text))
    assert len(str(caught.value)) < 500 and "\n" not in str(caught.value)
