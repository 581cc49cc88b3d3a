"""`spacy-chance-eval perturb`: tables, files, errors."""

import csv
import json
import subprocess
import sys

import pytest

from helpers.cases import each_case
from helpers.textfiles import call, failed
from spacy_chance_eval.cli.options import TreeOptions
from spacy_chance_eval.cli.panel_reading import PanelReading
from spacy_chance_eval.cli.parameters import spellings
from spacy_chance_eval.metrics.catalog import CATALOG
from spacy_chance_eval.tasks.perturb import perturb_treebank

ROWS = [
    "1 Bees _ N N _ 2 nsubj:x _ _\n2 sleep _ V V _ 0 root _ _\n3 here _ A A _ 2 advmod _ _\n",
    "1 They _ N N _ 2 nsubj _ _\n2 hum _ V V _ 0 root _ _\n",
    "1 All _ D D _ 2 det _ _\n2 day _ N N _ 3 obl _ _\n3 works _ V V _ 0 root _ _\n",
]


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "gold.conllx"
    path.write_text("\n".join(text.replace(" ", "\t") for text in ROWS) + "\n")
    return path


def perturb(*arguments):
    """What a call that goes well prints."""
    done = call("perturb", *arguments)
    assert done.exit_code == 0, done.stderr
    return done.stdout


@pytest.mark.integration
def test_tables_are_printed(treebank):
    printed = perturb(treebank, "--runs", 2)
    assert "gold.conllx: 3 sentences, 8 tokens, 6 relations, 2 runs, seed 0" in printed
    assert "syntax_alpha plain" in printed and "Attachments alone" in printed


@pytest.mark.parametrize(
    "line", ["1\tAll\t_\tD", "1\tAll\t_\tD\tD\t_\t1\tdet"], ids=["columns", "cycle"]
)
def test_blemished_sentences_are_left_out_and_that_is_said(treebank, tmp_path, line):
    text = treebank.read_text()
    treebank.write_text(f"{text}{line}\n\n")
    assert ":12:" in failed("perturb", treebank)
    files = ("-o", tmp_path, "--to", "json")
    printed = perturb(treebank, "--runs", 1, "--on-error", "skip:.5", *files)
    assert "3 sentences" in printed and "Warning: 1 sentence was left out" in printed
    (skipped,) = json.loads((tmp_path / "perturbation.json").read_text(encoding="utf8"))["skipped"]
    assert [one["line"] for one in skipped["first"]] == [12]


@pytest.mark.integration
def test_all_files_are_written_to_a_new_folder(treebank, tmp_path):
    printed = perturb(treebank, "--runs", 2, "-o", tmp_path / "new" / "noise")
    names = sorted(path.name for path in (tmp_path / "new" / "noise").iterdir())
    assert names == [f"perturbation.{end}" for end in ("csv", "html", "json", "md", "svg")]
    assert printed.count("Wrote") == 5


@pytest.mark.integration
def test_the_files_hold_the_result(treebank, tmp_path):
    perturb(treebank, "--runs", 2, "--seed", 4, "-o", tmp_path, "--to", "json,csv")
    result = json.loads((tmp_path / "perturbation.json").read_text(encoding="utf8"))
    assert result == perturb_treebank(treebank, runs=2, seed=4)
    with open(tmp_path / "perturbation.csv", encoding="utf8") as file:
        values = [float(row["value"]) if row["value"] else None for row in csv.DictReader(file)]
    assert values == [value for row in result["rows"] for value in row["values"]]
    assert not (tmp_path / "perturbation.md").exists()


def test_the_metrics_can_be_chosen(treebank):
    printed = perturb(treebank, "--runs", 1, "-m", "las(ignore=det)", "-m", "pq_alpha")
    assert "las det" in printed and "pq_alpha" in printed and "uas" not in printed


def test_subtypes_can_be_left_out(treebank):
    assert "5 relations" in perturb(treebank, "--runs", 1, "-m", "las", "--strip-subtypes")


def test_some_sentences_can_be_drawn(treebank):
    printed = perturb(treebank, "--runs", 1, "-m", "las", "--sentences", 2)
    assert "2 sentences of 3, drawn at random" in printed


def test_the_format_of_the_treebank_can_be_named(treebank):
    other = treebank.rename(treebank.with_name("gold.conll"))
    assert "3 sentences" in perturb(other, "--runs", 1, "-m", "las", "--format", "conllx")


@each_case(
    ("arguments", "message"),
    [
        (("--to", "md"), "say where with --output FOLDER"),
        (("--to", "md,gif", "-o", "x"), "unknown format 'gif'; expected one of md, csv, json"),
        (("-m", "span_f"), "span_f compares spans"),
        (("--backend", "fortran"), "fortran"),
        (("--match", "x"), "unknown value of match 'x'"),
        (("--align", "x"), "unknown value of align 'x'"),
        (("--text", "x"), "unknown value of text 'x'"),
        (("--by", "x"), "unknown value of by 'x'"),
        (("--format", "conll"), "conll"),
    ],
)
def test_wrong_options_are_told(treebank, arguments, message):
    assert message in failed("perturb", treebank, *arguments)


def test_a_missing_file_is_told(tmp_path):
    assert "nowhere.conllx" in failed("perturb", tmp_path / "nowhere.conllx")


def test_a_place_that_cannot_be_written_is_told_before_the_work(treebank, tmp_path):
    (tmp_path / "file").write_text("x")
    message = failed("perturb", treebank, "-o", tmp_path / "file" / "noise")
    assert "cannot be written" in message


def test_a_folder_of_several_annotators_is_told(treebank):
    for name in ("news-anna", "news-carl"):
        (treebank.parent / f"{name}.conllx").write_text(treebank.read_text())
    treebank.unlink()
    message = failed("perturb", treebank.parent)
    assert "several annotators of the same sentences (anna, carl)" in message
    assert "3 sentences" in perturb(treebank.with_name("news-anna.conllx"), "--runs", 1)


def test_a_folder_of_parts_is_a_treebank(treebank):
    for part, text in zip(("train", "dev", "test"), ROWS):
        (treebank.parent / f"en-ud-{part}.conllx").write_text(text.replace(" ", "\t") + "\n")
    treebank.unlink()
    assert "3 sentences" in perturb(treebank.parent, "--runs", 1)


def test_constituency_trees_are_told(tmp_path):
    path = tmp_path / "a.mrg"
    path.write_text("(S (NP P) (VP V))\n")
    assert "constituency trees" in failed("perturb", path)


def test_the_sample_is_read():
    pytest.importorskip("conllu", reason="CoNLL-U needs the extra: pip install '.[conllu]'")
    from spacy_chance_eval import sample

    printed = perturb(sample.path("treebank.conllu"), "--runs", 1, "-m", "las")
    assert "84 sentences, 898 tokens, 38 relations" in printed


@pytest.mark.integration
def test_spacy_has_the_command_too(treebank):
    arguments = [str(treebank), "--runs", "1", "-m", "las"]  # a table that fits any terminal
    command = [sys.executable, "-m", "spacy", "chance", "perturb", *arguments]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert run.stdout == perturb(*arguments)


def test_docs_of_spacy_are_read(treebank, tmp_path):
    import spacy
    from spacy.tokens import Doc, DocBin

    vocab = spacy.blank("en").vocab
    facts = {"heads": [1, 1, 1], "deps": ["nsubj", "root", "advmod"]}
    DocBin(docs=[Doc(vocab, words=["Bees", "hum", "here"], **facts)] * 3).to_disk(
        tmp_path / "a.spacy"
    )
    printed = perturb(tmp_path / "a.spacy", "--runs", 1, "-m", "las")
    assert "a.spacy: 3 sentences, 9 tokens, 3 relations" in printed


def test_an_interruption_leaves_nothing_behind(treebank, tmp_path, monkeypatch):
    def interrupted(steps, **_):
        yield from steps[:2]
        raise KeyboardInterrupt

    monkeypatch.setattr("spacy_chance_eval.cli.perturb.progress_bar", interrupted)
    done = call("perturb", treebank, "-o", tmp_path / "noise", "--to", "md")
    assert done.exit_code != 0 and not (tmp_path / "noise").exists()


def test_quotes_that_weasel_leaves_on_windows_are_taken_off(treebank):
    assert "gold.conllx: 3 sentences" in perturb(f'"{treebank}"', "--runs", 1)


def test_annotators_of_a_folder_can_be_chosen(treebank):
    for name, n in (("anna", 3), ("carl", 2)):
        text = "\n\n".join(treebank.read_text().strip().split("\n\n")[:n])
        (treebank.parent / f"news-{name}.conllx").write_text(f"{text}\n\n")
    treebank.unlink()
    for name, n in (("anna", 3), ("carl", 2)):
        for options in ((), ("--by", "name")):
            printed = perturb(
                treebank.parent, "--annotator", name, "--runs", 1, "-m", "las", *options
            )
            assert f"{n} sentences" in printed
    message = failed("perturb", treebank.parent, "--annotator", "cral")
    assert "there is no annotator 'cral' (did you mean 'carl'?); available: anna, carl" in message


def test_cycles_can_be_read(treebank):
    line = "1\tAll\t_\tD\tD\t_\t1\tdet\n2\tday\t_\tN\tN\t_\t0\troot"
    treebank.write_text(f"{treebank.read_text()}{line}\n\n")
    printed = perturb(treebank, "--cycles", "reachable", "--runs", 1, "-m", "las")
    assert "4 sentences, 10 tokens" in printed


# --- spans

SPANS = "Ada B-PER\nmet O\nRex B-PER\nDoe I-PER\n\nin O\nOslo B-LOC\n. O\n"


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.conll"
    path.write_text(SPANS)
    return path


def test_curves_of_spans_are_printed(gold):
    printed = perturb(gold, "--runs", 2, "-m", "span_f", "-m", "slicm_norm")
    assert "gold.conll: 2 documents, 7 tokens, 3 spans, 2 labels, 2 runs, seed 0" in printed
    titles = [line.split(":")[0] for line in printed.splitlines() if ": " in line][1:]
    assert titles == ["Drop", "Merge", "Split", "Shift", "Truncate", "Extend", "Relabel", "Add"]
    assert printed.count("p     changed   span_f   slicm_norm") == 8


def test_kinds_of_errors_can_be_chosen(gold):
    printed = perturb(gold, "--runs", 1, "--errors", "split,drop", "-m", "span_f")
    assert printed.index("Split") < printed.index("Drop") and "Merge" not in printed


def test_all_metrics_are_those_that_the_spans_allow(gold, tmp_path):
    perturb(gold, *("--errors", "drop", "--runs", 1, "-m", "all"), "-o", tmp_path, "--to", "json")
    result = json.loads((tmp_path / "perturbation.json").read_text(encoding="utf8"))
    left_out = {note.partition(" ")[0] for note in result["notes"]}
    assert {*result["metrics"]} | left_out == {*CATALOG}
    assert "u_alpha" in result["metrics"]


def test_other_metrics_can_be_named_beside_all(gold):
    printed = perturb(gold, "--errors", "drop:.5", "-m", "all", "-m", "span_f(beta=2)")
    assert "span_f(beta=2)" in printed and "token_f  " in printed


def test_perturb_reads_what_agree_reads():
    from spacy_chance_eval.cli.agree import agree_command
    from spacy_chance_eval.cli.perturb import perturb_command

    options = [*PanelReading.fields().items(), *TreeOptions.fields().items()]
    reading = {
        spelling
        for name, (_, declared) in options
        for spelling in declared.names or [f"--{name.replace('_', '-')}"]
    }
    assert reading <= spellings(agree_command) & spellings(perturb_command)
    assert {"--by", "--text", "--cycles", "--scheme", "--tokenizer", "--align"} <= reading


def test_spans_with_errors_are_written(gold, tmp_path):
    noisy = tmp_path / "new" / "noisy.jsonl"
    printed = perturb(gold, "--errors", "relabel:1,split:1", "-o", noisy, "-m", "token_f")
    assert "relabel 1, split 1: 4 spans; 100.0% of the spans are not there any more" in printed
    rows = [json.loads(line) for line in noisy.read_text(encoding="utf8").splitlines()]
    layers = [one for row in rows for one in row["layers"]["gold"]]
    spans = [(one["start"], one["end"], one["label"]) for one in layers]
    assert spans == [(0, 1, "LOC"), (2, 3, "LOC"), (3, 4, "LOC"), (1, 2, "PER")]


def test_scores_of_what_is_written_are_those_that_are_printed(gold, tmp_path):
    noisy = tmp_path / "noisy.conll"
    printed = perturb(
        gold, "--errors", "shift:.5,drop:.2", "--seed", 3, "-o", noisy, "-m", "span_f"
    )
    done = call("score", gold, noisy, "-m", "span_f", "-o", "-")
    (layer,) = json.loads(done.stdout)["layers"]
    assert f"span_f   {layer['scores']['span_f']['value']:.4f}" in " ".join(printed.split("\n"))


def test_a_format_of_convert_can_be_named(gold, tmp_path):
    perturb(gold, "--errors", "drop:.5", "-o", tmp_path / "noisy.txt", "--to", "prodigy")
    assert "token_start" in (tmp_path / "noisy.txt").read_text()


def test_what_a_format_has_no_place_for_is_said(tmp_path):
    spans = [{"start": at, "end": at + 5, "label": "P"} for at in (0, 3)]
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "Ada met Rex", "spans": spans}))
    errors = ("--errors", "drop:0", "--offsets", "char")
    printed = perturb(tmp_path / "a.jsonl", *errors, "-o", tmp_path / "b.jsonl")
    assert "Warning: offsets count characters: read it with --offsets char" in printed
    message = failed("perturb", tmp_path / "a.jsonl", *errors, "-o", tmp_path / "b.conll")
    assert "conll needs tokens; --tokenizer LANG makes some of texts" in message


def test_other_layers_are_not_written(tmp_path):
    row = {"tokens": ["a", "b"], "layers": {"x": [[0, 1, "P"]], "y": [[1, 2, "P"]]}}
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    perturb(tmp_path / "a.jsonl", "--layer", "y", "--errors", "drop:0", "-o", tmp_path / "b.jsonl")
    assert [*json.loads((tmp_path / "b.jsonl").read_text())["layers"]] == ["y"]


def test_annotators_of_spans_can_be_chosen(tmp_path):
    rows = [
        {"text": "Ada", "_annotator_id": name, "spans": [{"start": 0, "end": 3, "label": label}]}
        for name, label in (("anna", "P"), ("carl", "Q"))
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    by_field = ("--annotator-field", "_annotator_id", "--offsets", "char")
    for name, label in (("anna", "P"), ("carl", "Q")):
        arguments = ("--annotator", name, "--errors", "drop:0", "-o", tmp_path / "b.jsonl")
        perturb(tmp_path / "a.jsonl", *by_field, *arguments)
        (layer,) = json.loads((tmp_path / "b.jsonl").read_text())["layers"].items()
        assert (layer[0], layer[1][0]["label"]) == (name, label)
    assert "several annotators (anna, carl)" in failed("perturb", tmp_path / "a.jsonl", *by_field)


@each_case(
    ("arguments", "message"),
    [
        (("--errors", "swap"), "unknown kind of errors 'swap'"),
        (("--errors", "drop:.1,split"), "--errors has split; expected a probability of each kind"),
        (("--errors", "drop:x"), "--errors has drop:x; expected a probability of each kind"),
        (("--errors", "drop:.1,drop:.3"), "--errors has drop more than once"),
        (("--errors", "add,add"), "--errors has add more than once"),
        (("--errors", "drop:.1", "--docs", "1"), "--docs is for curves, but --errors has prob"),
        (("--errors", "drop:.1", "--runs", "3"), "--runs is for curves, but --errors has prob"),
        (("--errors", "drop:2"), "drop is 2.0; expected a probability"),
        (("--errors", "drop:.1", "--to", "jsonl"), "say where with --output FILE"),
        (("--errors", "drop:.1", "-o", "x.conll", "--to", "md"), "unknown format to write 'md'"),
        (("--cycles", "error"), "--cycles is for trees, but these are spans"),
        (("--docs", "-1"), "docs"),
        (("-m", "span_f", "-m", "las"), "ask for them in two calls"),
    ],
)
def test_wrong_options_for_spans_are_told(gold, arguments, message):
    done = call("perturb", gold, *arguments)
    assert done.exit_code and message in done.stderr


COLUMNS = "Ada\tB-PER\tO\nmet\tO\tO\nRex\tB-PER\tB-PER\n"


@each_case(
    ("header", "column", "n_spans"),
    [
        ("#token\tgold\tsystem\n", "", 2),
        ("#token\tgold\tsystem\n", "#gold", 2),
        ("#token\tgold\tsystem\n", "#system", 1),
        ("#token\tsystem\tgold\n", "", 1),
        ("", "#1", 2),
        ("", "#-1", 1),
        ("", "#2", 1),
    ],
)
def test_the_column_that_is_called_gold_or_named_is_read(tmp_path, header, column, n_spans):
    path = tmp_path / "a.conll"
    path.write_text(header + COLUMNS)
    printed = perturb(f"{path}{column}", "--errors", "drop:0", "-m", "span_f")
    assert f"3 tokens, {n_spans} span" in printed


def test_several_columns_of_tags_are_an_error(tmp_path):
    path = tmp_path / "a.conll"
    path.write_text(COLUMNS)
    message = failed("perturb", path)
    assert "have tags (counted from 0), and nothing tells which of them is meant" in message
    assert message.endswith(f"{path}#1; or all, if they are levels of nested spans: {path}#1,2")
    assert "2 spans" in perturb(f"{path}#1,2", "--errors", "drop:0", "-m", "token_f(chance=none)")


def test_options_of_spans_are_an_error_for_trees(treebank):
    for option in (("--errors", "drop"), ("--scheme", "IOB2"), ("--chance", "none")):
        assert f"{option[0]} is for spans, but these are trees" in failed(
            "perturb", treebank, *option
        )


def test_annotation_without_spans_is_an_error(tmp_path):
    (tmp_path / "a.conll").write_text("Ada O\n")
    assert "no spans; random errors are made" in failed("perturb", tmp_path / "a.conll")


def test_docs_of_spacy_are_spans_or_trees_by_their_content(tmp_path):
    import spacy
    from spacy.tokens import Doc, DocBin

    vocab = spacy.blank("en").vocab
    both = {"heads": [1, 1], "deps": ["nsubj", "root"], "ents": ["B-PER", "O"]}
    for name, facts in (("both", both), ("spans", {"ents": ["B-PER", "O"]})):
        docs = [Doc(vocab, words=["Ada", "hums"], **facts)]
        DocBin(docs=docs).to_disk(tmp_path / f"{name}.spacy")
    for arguments, unit in (
        (("both.spacy",), "1 sentence, 2 tokens, 2 relations"),
        (("both.spacy", "-m", "span_f"), "1 document, 2 tokens, 1 span"),
        (("both.spacy", "--layer", "ents"), "1 document, 2 tokens, 1 span"),
        (("both.spacy", "--errors", "drop"), "1 document, 2 tokens, 1 span"),
        (("spans.spacy",), "1 document, 2 tokens, 1 span"),
    ):
        file, *more = arguments
        assert unit in perturb(tmp_path / file, "--runs", 1, *more)


@pytest.mark.integration
def test_files_of_spans_hold_the_result(gold, tmp_path):
    perturb(gold, "--runs", 2, "-m", "span_f", "-o", tmp_path / "new")
    files = {path.suffix[1:]: path for path in (tmp_path / "new").iterdir()}
    assert files.keys() == {"csv", "html", "json", "md", "svg"}
    result = json.loads(files["json"].read_text(encoding="utf8"))
    with files["csv"].open(encoding="utf8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8 * 10 * 2 and {row["corpus"] for row in rows} == {str(gold)}
    assert [float(row["value"]) for row in rows] == [
        value for row in result["rows"] for value in row["values"]
    ]
    assert "Truncate" in files["svg"].read_text(encoding="utf8")
    assert files["html"].read_text(encoding="utf8").count("<svg") == 8
