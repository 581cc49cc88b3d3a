"""No command writes over what it reads, or beside it as a part of it."""

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
    (tmp_path / "systems.json").write_text('{"systems": [{"path": "p.csv"}]}')
    (tmp_path / "bdm.csv").write_text("parent,child\nThing,PER\nThing,LOC\n")
    return tmp_path


@each_case(
    "command, ending",
    [
        (("agree", "g.jsonl", "p.jsonl"), "csv"),
        (("agree", "trees-g", "trees-p"), "md"),
        (("score", "g.jsonl", "p.jsonl"), "html"),
        (("explain", "g.jsonl", "p.jsonl"), "tex"),
        (("save", "a.run", "g.jsonl", "p.jsonl"), "csv"),
    ],
)
def test_json_is_not_written_into_files_of_another_format(shards, command, ending):
    message = failed(*command, "-o", f"out.{ending}")
    assert f"--output out.{ending}: this command writes JSON" in message
    assert f"not .{ending}; name a .json file" in message
    assert not (shards / f"out.{ending}").exists() and not (shards / "a.run").exists()


def contents(folder):
    """All files with their bytes."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@each_case(
    ("words", "said"),
    [
        ("score g p -o g/s3.jsonl", "g/s3.jsonl is read, too"),
        ("score g p -o p/s3.jsonl", "p/s3.jsonl is read, too"),
        ("score g/*.jsonl p/*.jsonl -o g/s3.jsonl", "g/s3.jsonl is read, too"),
        ("score g p -m bdm_f(closeness=bdm.csv) -o bdm.csv", "bdm.csv is read, too"),
        ("agree g p -m bdm_f(beta=1,closeness=bdm.csv) -o bdm.csv", "bdm.csv is read, too"),
        ("rank g p -m bdm_f(closeness=bdm.csv) -o bdm", "bdm.csv is read, too"),
        ("score g p -o g/new.json", "g/new.json would be read as a part of g next time"),
        ("score g p --format jsonl -o p/new.txt", "p/new.txt would be read as a part of p"),
        ("score trees-g trees-p -o trees-p/t1.conllu", "trees-p/t1.conllu is read, too"),
        ("score trees-g trees-p --html trees-p/t1.conllu", "trees-p/t1.conllu is read, too"),
        ("agree g.jsonl p.jsonl -o g.jsonl", "g.jsonl is read, too"),
        ("agree alice=g.jsonl#spans bob=p.jsonl -o g.jsonl", "g.jsonl is read, too"),
        ("agree g p --html p/s1.jsonl", "p/s1.jsonl is read, too"),
        ("agree g p -o g/new.json", "g/new.json would be read as a part of g next time"),
        ("agree g/*.jsonl p/*.jsonl -o p/s2.jsonl", "p/s2.jsonl is read, too"),
        ("agree trees-g trees-p -o trees-g/t2.conllu", "trees-g/t2.conllu is read, too"),
        ("agree g p --html x.html -o x.html", "x.html is written for another option"),
        ("rank g.csv p.csv -o g", "g.csv is read, too"),
        ("rank g.csv p.csv -o p --to md,csv", "p.csv is read, too"),
        ("rank g.csv#spans A=p.csv#spans -o p", "p.csv is read, too"),
        ("rank g.csv systems.json -o p", "p.csv is read, too"),
        ("rank g.csv systems.json -o systems", "systems.json is read, too"),
        ("rank g p -o g/board", "g/board.csv would be read as a part of g next time"),
        ("diff g p -o g/s1.jsonl", "g/s1.jsonl is read, too"),
        ("diff g p --take pred --into g/new.spacy", "g/new.spacy would be read as a part of g"),
        ("diff g p --adjudicate p/tasks.jsonl", "p/tasks.jsonl would be read as a part of p"),
        ("diff g.jsonl p.jsonl -o p.jsonl", "p.jsonl is read, too"),
        ("diff g.jsonl p.jsonl --html g.jsonl", "g.jsonl is read, too"),
        ("diff g.jsonl p.jsonl --adjudicate g.jsonl", "g.jsonl is read, too"),
        ("diff g.jsonl p.jsonl --take pred --into g.jsonl", "g.jsonl is read, too"),
        ("diff g p --html x.html -o x.html", "x.html is written for another option, too"),
        ("diff g p --adjudicate x --take pred --into x", "x is written for another option, too"),
        ("explain g p -o g/s1.jsonl", "g/s1.jsonl is read, too"),
        ("explain g.jsonl p.jsonl --html p.jsonl", "p.jsonl is read, too"),
        ("save g/s1.jsonl g p", "g/s1.jsonl is read, too"),
        ("save x.run g p -o p/new.json", "p/new.json would be read as a part of p next time"),
        ("convert g g/s2.jsonl", "g/s2.jsonl is read, too"),
        ("convert g g/all.spacy", "g/all.spacy would be read as a part of g next time"),
        ("convert g/*.jsonl g/all.jsonl", "g/all.jsonl would be read as a part of g/*.jsonl"),
    ],
)
def test_what_is_read_stays_as_it_is(shards, words, said):
    before = contents(shards)
    assert said in failed(*words.split())
    assert contents(shards) == before


@each_case(
    ("words", "said"),
    [
        ("score g p --html -", "name a file"),
        ("agree g p --html -", "name a file"),
        ("rank g.csv p.csv -o -", "--to json prints the JSON"),
        ("diff g p --html -", "name a file"),
        ("diff g p --adjudicate -", "name a file"),
        ("explain g p --html -", "name a file"),
        ("save - g p", "name a file"),
        ("convert g -", "name a file"),
        ("demo -o -", "name a file"),
        ("rank g.csv p.csv --figure -", ".svg"),
    ],
)
def test_no_file_or_folder_is_called_like_standard_output(shards, words, said):
    before = contents(shards)
    assert said in failed(*words.split())
    assert contents(shards) == before and not (shards / "-").exists()


@pytest.mark.integration
@pytest.mark.parametrize(
    "words",
    [
        "score g p -o scores.json",
        "score trees-g trees-p -o trees-g/scores.json",
        "agree g p --resamples 0 -o agreement.json --html g/agreement.html",
        "rank g.csv p.csv --resamples 0 -o board",
        "rank g p --resamples 0 -o g/board --to md,html",
        "save g/main.run g p",
        "diff g p -o diff.json --html g/pages",
        "explain g p --html g/why.html",
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
