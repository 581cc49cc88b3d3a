"""JSON of commands says its version and schema, and is as the schemas in docs/ say."""

import json

import pytest

from helpers.examples import ROOT
from helpers.textfiles import FOUND, SPANS, WORDS, call, jsonl
from spacy_chance_eval import __version__, sample
from spacy_chance_eval.cli.outputs import MODES

TREES = "gold.conllu parser.conllu"
CALLS = [
    "score gold.jsonl pred.jsonl",
    "score gold.jsonl pred.jsonl --per-doc --resamples 9",
    "score gold.jsonl none.jsonl -m slicm -m cohen_kappa --chance none",
    "score gold.jsonl mentions.jsonl",
    "score gold.jsonl mentions.jsonl pred.jsonl --resamples 0",
    "agree mentions.jsonl gold.jsonl --resamples 0",
    "diff gold.jsonl mentions.jsonl",
    f"score {TREES} --per-doc --resamples 9",
    "score gold.jsonl pred.jsonl -o new.run",
    "score gold.jsonl pred.jsonl none.jsonl other.jsonl --subset length --resamples 9",
    "score gold.jsonl pred.jsonl none.jsonl --resamples 0",
    "score gold.jsonl x=pred.jsonl --resamples 0 --chance none -m span_f -m slicm",
    "agree gold.jsonl pred.jsonl none.jsonl --resamples 9",
    "agree gold.jsonl pred.jsonl --resamples 0 -m krippendorff_alpha -m slicm",
    f"agree {TREES} --resamples 9",
    "agree gold.jsonl pred.jsonl none.jsonl --candidate again=gold.jsonl --resamples 9",
    "agree gold.jsonl pred.jsonl --candidate none.jsonl",
    "agree gold.jsonl pred.jsonl --candidate none.jsonl --resamples 0",
    "diff gold.jsonl pred.jsonl",
    "diff gold.jsonl none.jsonl --relation missing",
    "compare old.run text.run --resamples 9 --below 1",
    "compare old.run none.run --resamples 0",
    "plan --gold test.jsonl late.jsonl -m span_f",
    "plan --gold test.jsonl late.jsonl early.jsonl test.jsonl -m int_f",
    "plan late.jsonl early.jsonl",
]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The JSON that each of `CALLS` writes."""
    folder = tmp_path_factory.mktemp("schemas")
    for name, spans in {"gold": SPANS, "pred": FOUND, "none": []}.items():
        jsonl(folder / f"{name}.jsonl", spans)
    jsonl(folder / "other.jsonl", SPANS, words=["other", *"words than gold has got".split()])
    mentions = [("no such", "PER"), (WORDS[5], "LOC"), (WORDS[0].upper(), "PER")]
    entries = [{"text": text, "label": label} for text, label in mentions]
    row = {"text": " ".join(WORDS), "mentions": entries}
    (folder / "mentions.jsonl").write_text(json.dumps(row) + "\n", encoding="utf8")
    trees = sample.path("treebank.conllu").read_text(encoding="utf8")
    (folder / "gold.conllu").write_text(trees, encoding="utf8")
    (folder / "third.conllu").write_text(trees.replace("\tobj\t", "\tobl\t"), encoding="utf8")
    (folder / "parser.conllu").write_text(trees.replace("\tnmod\t", "\tobl\t"), encoding="utf8")
    for name in ("test.jsonl", "systems/late.jsonl", "systems/early.jsonl"):
        text = sample.path(name).read_text(encoding="utf8")
        (folder / name.split("/")[-1]).write_text(text, encoding="utf8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for run, pred, kept in (
            ("old", "pred", "#text=no"),
            ("text", "gold", ""),
            ("none", "none", ""),
        ):
            words = "score", "gold.jsonl", f"{pred}.jsonl", "-o", f"{run}.run{kept}"
            assert call(*words).exit_code == 0
        return {line: written(line) for line in CALLS}


def written(line):
    """The JSON of a call, from standard output."""
    done = call(*line.split(), "-o", "-")
    assert done.exit_code == (3 if " other.jsonl" in line else 0), (
        line,
        done.stderr,
    )  # not on a board
    return json.loads(done.stdout)


def schema_of(result):
    """The schema that a result names."""
    return json.loads((ROOT / f"docs/schemas/{result['schema']}.json").read_text(encoding="utf8"))


def closed(schema):
    """A schema that allows no keys but those that it describes."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    own = {key: closed(value) for key, value in schema.items()}
    is_object = "object" in own.get("type", ()) and "properties" in own
    return own | ({"additionalProperties": False} if is_object else {})


@pytest.mark.parametrize("line", CALLS)
def test_results_are_as_their_schema_says(results, line):
    jsonschema = pytest.importorskip("jsonschema")
    result = results[line]
    checks = jsonschema.Draft202012Validator(closed(schema_of(result)))
    assert [(list(one.path), one.message) for one in checks.iter_errors(result)] == []


def test_results_begin_with_the_version_and_the_schema(results):
    for line, result in results.items():
        command = "leaderboard" if "boards" in result else line.split()[0]
        command = "replace" if "--candidate" in line else command
        assert list(result)[:2] == ["version", "schema"]
        assert (result["version"], result["schema"]) == (__version__, f"{command}.v1")


def test_every_schema_is_one_of_a_command():
    names = {path.name for path in (ROOT / "docs/schemas").iterdir()}
    assert names == {f"{mode.schema}.v1.json" for mode in MODES.values() if mode.schema}


def test_other_results_say_their_version(tmp_path):
    path = jsonl(tmp_path / "a.jsonl", SPANS)
    done = call("score", path, path, "-o", "-", "--explain", 1)
    assert json.loads(done.stdout)["version"] == __version__
