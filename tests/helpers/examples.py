"""The examples of the README and of docs/: what they are, and the files that they speak of."""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import spacy

from helpers.pipelines import small_test
from spacy_chance_eval import Corpus, Document
from spacy_chance_eval.formats.conll_out import write_conll
from spacy_chance_eval.formats.jsonl import write_jsonl
from spacy_chance_eval.formats.prodigy_out import write_prodigy
from spacy_chance_eval.sample import path
from spacy_chance_eval.spacy_docs.docbin import write_docbin

ROOT = Path(__file__).parents[2]


def page(name):
    """The text of a page."""
    return (ROOT / name).read_text(encoding="utf8")


def blocks(text, language):
    """The fenced examples of one language."""
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def run_commands(block, folder, **variables):
    """The finished process of command lines, with the programs of this environment.

    It ends with the first line that fails; standard error names the lines.
    """
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euxc", block],
        cwd=folder,
        env={**os.environ, "PATH": programs, **variables},
        capture_output=True,
        text=True,
    )


def write_files(folder):
    """The files that the examples speak of; the pipeline is a quick one."""
    gold = small_test()
    (folder / "scripts").symlink_to(ROOT / "scripts")
    for name in ("training/ner", "corpus"):
        (folder / name).mkdir(parents=True)
    write_docbin(folder / "corpus/test.spacy", gold, lang="en")
    write_docbin(folder / "old.spacy", missed(gold), lang="en")
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "LOC", "pattern": "Oslo"}])
    nlp.add_pipe("chance_eval")
    nlp.to_disk(folder / "training/ner/model-best")
    parser = spacy.blank("en")
    parser.add_pipe("parser").add_label("dep")
    parser.initialize()
    parser.to_disk(folder / "my_parser")
    for name in ("gold", "system", "old", "anna", "ben"):
        write_conll(folder / f"{name}.conll", gold, ["spans"])
    write_conll(folder / "output.conll", gold, ["spans", "spans"])
    columns = (folder / "output.conll").read_text(encoding="utf8")
    for name in ("task", "wnut17_systems"):
        rows = f"#token\tgold\tsystem\n{columns}"
        (folder / f"{name}.tsv").write_text(rows, encoding="utf8")
    systems = blocks(page("docs/comparing.md"), "yaml")[0]
    (folder / "systems.yml").write_text(systems, encoding="utf8")
    write_rows(folder)
    (folder / "places.csv").write_text("LOC,Thing\nCity,LOC\nCountry,LOC\n")
    (folder / "places.ttl").write_text(
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n@prefix : <http://x.org/#> .\n"
        ":LOC rdfs:subClassOf :Thing .\n:City rdfs:subClassOf :LOC .\n"
    )
    write_annotators(folder)
    write_treebanks(folder)
    write_rows_of_page(folder / "rows")


def write_parts(folder):
    """Folders with the parts of a corpus, packed, for the page on large corpora."""
    text = (folder / "alice.jsonl").read_text()
    for name in ("gold", "predicted", "a", "b", "ann", "bob"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir()
        for part in (1, 2):
            with gzip.open(folder / name / f"{part}.jsonl.gz", "wt") as file:
                file.write(text)
    for name, of in (("gold", "gold"), ("predicted", "system")):
        packed = gzip.compress((folder / f"{of}.conll").read_bytes())
        (folder / f"{name}.conll.gz").write_bytes(packed)


def write_answers(folder):
    """What the README has beside: answers of a model on gold's texts, and a third annotator."""
    with (folder / "answers.jsonl").open("w") as file:
        for one in small_test().documents:
            spans = one.layers["spans"]
            mentions = [{"text": " ".join(one.words[a:b]), "label": label} for a, b, label in spans]
            file.write(f"{json.dumps({'mentions': mentions})}\n")
    shutil.copy(folder / "bob.jsonl", folder / "gpt.jsonl")


# what pages need beside these files, or in their place
OWN_FILES = {
    "README.md": write_answers,
    "docs/scale.md": write_parts,
    "docs/papers.md": lambda folder: shutil.copy(path("test.jsonl"), folder / "gold.jsonl"),
}


def missed(gold):
    """The predictions of an older system, which finds nothing."""
    nothing = dict.fromkeys(gold.documents[0].layers, [])
    return Corpus("old", [replace(document, layers=nothing) for document in gold.documents])


def write_rows(folder):
    """A document as rows of JSON, and the same as Prodigy has it."""
    row = (
        '{"tokens": ["In", "Oslo"], "mentions": [1], "spans": '
        '[{"start": 1, "end": 2, "label": "LOC"}]}\n'
    )
    for name in ("gold", "one", "two"):
        (folder / f"{name}.jsonl").write_text(row)
    (folder / "prodigy.jsonl").write_text(
        '{"_input_hash": 1, "text": "In Oslo", "answer": "accept", "tokens": '
        '[{"text": "In", "start": 0, "end": 2, "id": 0, "ws": true}, '
        '{"text": "Oslo", "start": 3, "end": 7, "id": 1, "ws": false}], "spans": '
        '[{"start": 3, "end": 7, "token_start": 1, "token_end": 1, "label": "LOC"}]}\n'
    )


def write_annotators(folder):
    """The files of several annotators: of spans in every form, and of categories."""
    tokens = ("In", "Oslo", "and", "Rome")
    layers = {"alice": [(1, 2, "LOC"), (3, 4, "LOC")], "bob": [(1, 2, "LOC")]}
    text = " ".join(tokens)
    both = Document(tokens, layers, name="1", text=text, spaces=(True, True, True, False))
    team = Corpus("team", [both])
    write_prodigy(folder / "dataset.jsonl", team)
    rows = (folder / "dataset.jsonl").read_text().replace("_annotator_id", "_session_id")
    (folder / "dataset.jsonl").write_text(rows)
    write_docbin(folder / "team.spacy", team, ents="none")
    lines = ["T1\tLOC 3 7\tOslo\n", "T2\tLOC 12 16\tRome\n"]
    for name, spans in layers.items():
        one = Corpus(name, [replace(both, layers={"spans": spans})])
        write_jsonl(folder / f"{name}.jsonl", one)
        for copy in (name, "gold" if name == "alice" else "system"):
            (folder / copy).mkdir()
            (folder / copy / "1.txt").write_text(text)
            (folder / copy / "1.ann").write_text("".join(lines[: len(spans)]))
    task = {"text": both.text, "_input_hash": 1, "_view_id": "choice", "answer": "accept"}
    task["options"] = [{"id": label, "text": label} for label in ("city", "travel")]
    chosen = {"alice": ["travel"], "bob": ["city"]}
    answers = [task | {"_annotator_id": who, "accept": ids} for who, ids in chosen.items()]
    (folder / "choices.jsonl").write_text("".join(json.dumps(row) + "\n" for row in answers))


def write_treebanks(folder):
    """Trees as two people see them, and what a parser makes of them; some in brackets."""
    text = path("treebank.conllu").read_text(encoding="utf8")
    (folder / "treebank").mkdir()
    for name, own in {
        "gold": text,
        "parser": text.replace("\tnmod\t", "\tobl\t"),
        "anna": text,
        "carl": text.replace("\tadvmod\t", "\tobl\t"),
    }.items():
        (folder / f"{name}.conllu").write_text(own, encoding="utf8")
        (folder / f"treebank/news-{name}.conllu").write_text(own, encoding="utf8")
    rows = "(S (NP (D the) (N dog)) (VP (V barks)))\n(S (NP (N dogs)) (VP (V bark)))\n"
    flat = rows.replace("(VP (V barks))", "(V barks)")
    for name, own in {"gold": rows, "parser": flat, "anna": rows, "carl": flat}.items():
        (folder / f"{name}.mrg").write_text(own)
    (folder / "relations.csv").write_text("child,parent\nobl,dependent\nnmod,dependent\n")


def named_examples(text):
    """{file name: content} of the fenced examples of a page under a line with a file name."""
    found = re.findall(r"^`([\w./-]+\.\w+)`\n\n```\w+\n(.*?)```", text, flags=re.DOTALL | re.M)
    return dict(found)


def write_rows_of_page(folder):
    """The examples of the page on formats."""
    for name, content in named_examples(page("docs/formats.md")).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf8")
