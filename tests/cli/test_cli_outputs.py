"""No command writes over what it reads, or beside it as a part of it."""

import json

import pytest

from helpers.cases import each_case
from helpers.textfiles import FOUND, GOLD, PRED, SPANS, call, conll, failed, jsonl

TREES = """# sent_id = 1
1\tAda\t_\tPROPN\t_\t_\t2\tnsubj\t_\t_
2\tslept\t_\tVERB\t_\t_\t0\troot\t_\t_

"""
TABLE = "document,start,end,label,size\nd1,0,2,PER,9\nd1,5,6,LOC,9\n"


@pytest.fixture
def shards(tmp_path, monkeypatch):
    """The folders g and p with three files each; and files, trees and tables beside them."""
    monkeypatch.chdir(tmp_path)
    for name, spans in (("g", SPANS), ("p", FOUND)):
        (tmp_path / name).mkdir()
        for number in (1, 2, 3):
            jsonl(tmp_path / name / f"s{number}.jsonl", spans)
        (tmp_path / f"trees-{name}").mkdir()
        for number in (1, 2):
            (tmp_path / f"trees-{name}" / f"t{number}.conllu").write_text(TREES)
        (tmp_path / f"{name}.csv").write_text(TABLE)
        jsonl(tmp_path / f"{name}.jsonl", spans)
    conll(tmp_path / "g.conll", GOLD)
    conll(tmp_path / "p.conll", PRED)
    task = {"answer": "accept", "options": [{"id": one} for one in "XY"]}
    rows = [
        task | {"text": f"{i}", "_input_hash": i, "_task_hash": i, "accept": [label]}
        for i, label in enumerate("XYX")
    ]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "systems.json").write_text('{"systems": [{"path": "p.csv"}]}')
    (tmp_path / "bdm.csv").write_text("parent,child\nThing,PER\nThing,LOC\n")
    return tmp_path


KINDS = {
    "score g.jsonl p.jsonl": "json csv md tex html run pages",
    "score c.jsonl c.jsonl --categories": "json csv md tex html",
    "score trees-g trees-p": "json csv md tex html pages",
    "score g.jsonl p.jsonl x=p.jsonl": "json csv md tex html svg pages",
    "agree g.jsonl p.jsonl": "json csv md tex html svg pages",
    "agree trees-g trees-p": "json csv md tex html svg pages",
    "agree g.jsonl p.jsonl --candidate m=p.jsonl": "json csv md tex",
    "compare g.run p.run": "json csv md tex html svg",
    "diff g.jsonl p.jsonl": "json csv md tex html svg jsonl pages",
    "diff g.jsonl p.jsonl --merge pred": "json csv md tex html svg jsonl spacy conll pages",
    "score g.jsonl p.jsonl --explain": "json md tex html",
}
BEGINNINGS = {
    "json": "{",
    "csv": "",
    "tex": "% Made by",
    "html": "<!DOCTYPE",
    "svg": "<",
}


@pytest.fixture
def runs(shards):
    """The same, and two runs."""
    for name in ("g", "p"):
        assert call("score", "g.jsonl", f"{name}.jsonl", "-o", f"{name}.run").exit_code == 0
    return shards


@pytest.mark.integration
@each_case("words", KINDS)
def test_a_command_writes_what_the_endings_say(runs, words):
    kinds = KINDS[words].split()
    stem = f"out-{[*KINDS].index(words)}"
    names = {kind: stem if kind == "pages" else f"{stem}.{kind}" for kind in kinds}
    done = call(*words.split(), *(one for name in names.values() for one in ("-o", name)))
    assert done.exit_code == 0, done.stderr
    for kind, name in names.items():
        path = runs / name / "index.html" if kind == "pages" else runs / name
        assert f"Written: {path.relative_to(runs)}" in done.stderr and done.stdout
        assert kind in ("spacy", "run") or path.read_text("utf-8").startswith(
            BEGINNINGS.get(kind, "")
        )


@pytest.mark.integration
@each_case("words", KINDS)
def test_json_is_printed_alone(runs, words):
    merged = ("-o", "x.jsonl") if "--merge" in words else ()
    done = call(*words.split(), *merged, "-o", "-")
    assert done.exit_code == 0 and json.loads(done.stdout) and done.stderr


@each_case("words", KINDS)
def test_other_endings_are_refused_before_the_work(runs, words):
    before = contents(runs)
    for ending in {"csv", "md", "tex", "html", "svg", "xls"} - {*KINDS[words].split()}:
        message = failed(*words.split(), "-o", f"out.{ending}")
        assert f"-o out.{ending}: this command writes .json" in message
    assert contents(runs) == before


def contents(folder):
    """All files with their bytes."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@each_case(
    ("words", "said"),
    [
        ("score g p -m bdm_f(closeness=bdm.csv) -o bdm.csv", "bdm.csv is read, too"),
        ("score g x=p -m bdm_f(closeness=bdm.csv) -o bdm.csv", "bdm.csv is read, too"),
        ("agree g p -o x.html -o x.html", "x.html is written twice"),
        ("score g.csv x=p.csv -o g.csv", "g.csv is read, too"),
        ("score g.csv#spans A=p.csv#spans -o p.csv", "p.csv is read, too"),
        ("score g.csv systems.json -o p.csv", "p.csv is read, too"),
        ("score g.csv systems.json -o systems.json", "systems.json is read, too"),
        ("diff g p -o g/s1.jsonl", "g/s1.jsonl is read, too"),
        ("diff g.jsonl p.jsonl -o p.jsonl", "p.jsonl is read, too"),
        ("diff g.jsonl p.jsonl -o g.jsonl", "g.jsonl is read, too"),
        ("diff g.jsonl p.jsonl -o g.jsonl", "g.jsonl is read, too"),
        ("diff g.jsonl p.jsonl --merge pred -o g.jsonl", "g.jsonl is read, too"),
        ("diff g p -o x.html -o x.html", "x.html is written twice"),
        ("convert g g/s2.jsonl", "g/s2.jsonl is read, too"),
    ],
)
def test_what_is_read_stays_as_it_is(shards, words, said):
    before = contents(shards)
    assert said in failed(*words.split())
    assert contents(shards) == before


@each_case(
    "words",
    [
        *(f"{words} -o no/such/x.json" for words in KINDS),
        "score g.jsonl p.jsonl -o x.json -o no/such/x.run",
        "diff g.jsonl p.jsonl -o no/such/",
        "diff g.jsonl p.jsonl --merge pred -o no/such/x.spacy",
        "plan g.jsonl -o no/such/x.json",
        "convert g.jsonl no/such/x.spacy",
        "convert bdm.csv no/such/x.bdm",
        "demo -o no/such",
    ],
)
def test_no_folder_is_made_unasked(shards, words):
    before = {*shards.rglob("*")}
    done = call(*words.split())
    message = " ".join(done.stderr.replace("│", " ").split())
    assert (done.exit_code, done.stdout) == (2, "")
    assert "its folder does not exist; make that first" in message
    assert {*shards.rglob("*")} == before


def test_a_folder_of_pages_is_made(shards):
    assert call("diff", "g.jsonl", "p.jsonl", "-o", "new/").exit_code == 0
    assert (shards / "new" / "index.html").is_file()


@pytest.mark.integration
@pytest.mark.parametrize(
    "words",
    [
        "score g p -o scores.json",
        "agree g p --resamples 0 -o agreement.json -o g/agreement.html",
        "score g.csv x=p.csv --resamples 0 -o board.csv -o board",
        "score g x=p --resamples 0 -o g/board.md -o g/board.html",
        "score g p -o g/main.run",
        "diff g p -o diff.json -o g/pages",
        "score g p -o g/why.html --explain",
        "convert g all.jsonl",
    ],
)
def test_files_beside_it_are_written_again_and_again(shards, words):
    before = contents(shards)
    for _ in range(2):
        done = call(*words.split())
        assert done.exit_code == 0, done.stderr
    after = contents(shards)
    assert after.keys() > before.keys()
    assert {path: after[path] for path in before} == before


def test_predictions_of_a_pipeline_may_be_scored_into_its_folder(tmp_path, monkeypatch):
    """As `spacy train` leaves what belongs to a model in its folder."""
    spacy = pytest.importorskip("spacy")
    from helpers.docmaking import write_docs

    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "PER", "pattern": "Ada"}])
    nlp.to_disk(tmp_path / "model")
    doc = nlp("Ada slept .")
    write_docs(tmp_path / "gold.spacy", [doc])
    output = tmp_path / "model" / "metrics.json"
    done = call("score", tmp_path / "gold.spacy", tmp_path / "model", "-o", output)
    assert done.exit_code == 0, done.stderr
    assert output.exists()
