"""What readers say whose packages are not installed."""

import sys

import pytest

from spacy_chance_eval.formats.cas import read_cas
from spacy_chance_eval.formats.gate import read_gate

MISSING = pytest.mark.parametrize(
    ("package", "extra", "read", "name"),
    [
        ("cassis", "cas", read_cas, "a.json"),
        ("gatenlp", "gate", read_gate, "a.bdocjs"),
    ],
    ids=["cas", "gate"],
)


@MISSING
def test_a_missing_package_is_named_with_its_installation(
    tmp_path, monkeypatch, package, extra, read, name
):
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / name).write_text('{"text": "a", "%TYPES": {}}')
    message = rf"pip install 'spacy-chance-eval\[{extra}\]'"
    with pytest.raises(ValueError, match=message):
        read(tmp_path / name)


@MISSING
def test_what_is_not_installed_is_not_imported_with_the_package(package, extra, read, name):
    assert package not in vars(sys.modules[read.__module__])
