"""`spacy-chance-eval score` on files of every text format, and with every option."""

import gzip
import json

import pytest

from helpers.cases import each_case
from helpers.textfiles import (
    FOUND,
    GOLD,
    PRED,
    SPANS,
    WORDS,
    call,
    conll,
    failed,
    jsonl,
    prodigy,
    score,
    scored,
)
from spacy_chance_eval import read, report, sample
from spacy_chance_eval.cli import options
from spacy_chance_eval.reports.words import interval_of
from spacy_chance_eval.scoring.statistics import headline

NESTED = [(0, 3, "A"), (1, 2, "A")]
CROSSING = [(0, 2, "A"), (1, 3, "A")]


@pytest.fixture
def files(tmp_path):
    """Gold and prediction as CoNLL."""
    return conll(tmp_path / "gold.conll", GOLD), conll(tmp_path / "pred.conll", PRED)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.integration
@each_case(
    "words, layers",
    [
        ("gold.conll pred.conll", "gold gold"),
        ("both.conll", "gold pred"),  # the two last columns
        ("both.out --format conll", "gold pred"),
        ("gold.jsonl pred.jsonl", "spans spans"),
        ("layers.jsonl layers.jsonl#system", "spans system"),
        ("gold.jsonl pred.conll", "spans gold"),
        ("gold.spacy.jsonl pred.jsonl", "spans spans"),  # the last ending decides
        ("gold.conll tasks.jsonl", "gold spans"),
        ("gold-tasks.jsonl tasks.jsonl", "spans spans"),
        ("gold.conll packed.conll.gz", "gold gold"),
        ("gold.conll packed.gz#format=conll", "gold gold"),
    ],
)
def test_the_same_spans_have_the_same_scores_in_all_forms(files, folder, words, layers):
    for name in ("both.conll", "both.out"):
        conll(folder / name, ["X"] * 7, GOLD, PRED)
    for name in ("gold.jsonl", "gold.spacy.jsonl"):
        jsonl(folder / name, SPANS)
    jsonl(folder / "pred.jsonl", FOUND)
    jsonl(folder / "layers.jsonl", SPANS, layers={"system": [list(row) for row in FOUND]})
    prodigy(folder / "gold-tasks.jsonl", SPANS)
    prodigy(folder / "tasks.jsonl", FOUND)
    for name in ("packed.conll.gz", "packed.gz"):
        (folder / name).write_bytes(gzip.compress(files[1].read_bytes()))
    layer, score = scored(*words.split()), scored(*files)["scores"]["span_f"]
    assert [layer["gold_layer"], layer["pred_layer"]] == layers.split()
    assert (layer["n_docs"], layer["n_gold"], layer["n_pred"]) == (1, 3, 3)
    assert score["observed"] == pytest.approx(2 / 3)
    assert headline(layer["scores"]["span_f"]) == headline(score)


@each_case(
    "words, messages",
    [
        ("gold.conll", ["gold.conll: one column of tags alone; name a file or column to compare"]),
        ("a.jsonl", ["a.jsonl has one layer only; name a file or column to compare with"]),
        ("a.jsonl a.jsonl --layer ents", ["has no layer 'ents'; available: spans"]),
        (
            "gold.conll words.conll",
            ["gold.conll:3: token 3 of document 1 is 'Rex', but 'Max' in ", "words.conll:3"],
        ),
        ("bad.conll pred.conll", ["bad.conll:2: column 1: 'PER' is not a tag"]),
        ("a.xyz pred.conll", ["neither its content nor the ending '.xyz' tells the format"]),
        ("no.conll pred.conll", ["no.conll: no such file"]),
        ("no.xyz pred.conll", ["no.xyz: no such file"]),
        ("no pred.conll", ["no: no such file"]),
        ("nothing.jsonl nothing.jsonl", ["no document is annotated"]),
        ("tokens.jsonl tokens.jsonl", ["no row has a list of spans or tags"]),
        ("crossing.jsonl crossing.jsonl --chance disjoint", ["A [0, 2)", "A [1, 3)", "overlap"]),
        ("crossing.jsonl crossing.jsonl -m span_f(chance=disjoint) -m token_f", ["A [0, 2)"]),
        ("crossing.jsonl crossing.jsonl --chance nested", ["A [0, 2)", "A [1, 3)"]),
    ],
)
def test_what_cannot_be_scored_is_one_message(files, folder, words, messages):
    conll(folder / "bad.conll", ["B-PER", "PER", *GOLD[2:]])
    conll(folder / "words.conll", PRED, words=[*WORDS[:2], "Max", *WORDS[3:]])
    (folder / "a.xyz").write_text("Ada met Bob.\n")
    written_rows(folder / "a.jsonl", ROW)
    written_rows(folder / "nothing.jsonl", '{"tokens": ["a"], "spans": null}')
    written_rows(folder / "tokens.jsonl", '{"tokens": ["a"]}')
    jsonl(folder / "crossing.jsonl", CROSSING)
    said = failed("score", *words.split())
    assert [text for text in messages if text not in said] == []


def test_the_table_is_that_of_a_report(files):
    found = report(read(files[0]).spans(), read(files[1]).spans(), digits=3)
    table = str(found).partition("\n\n")[0].strip("\n")
    printed = score(*files)
    assert table in printed and found.signature in printed and "micro avg" in table
    assert "slicm" not in printed and "token_f" not in printed
    assert {"slicm", "token_f"} <= scored(*files)["scores"].keys()


def test_scores_fit_a_screen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(sample.path("systems/late.jsonl").parent)
    for systems in (["late.jsonl"], ["late.jsonl", "early.jsonl"] + ["late.jsonl"] * 3):
        named = [f"{i}={name}" if len(systems) > 1 else name for i, name in enumerate(systems)]
        lines = score("../test.jsonl", *named).splitlines()
        assert sum(1 + (len(line) - 1) // 80 for line in lines) <= 30
        assert lines[-1].startswith("next: ")


def test_all_metrics_are_printed_if_they_are_asked_for(files):
    for text in ("observed", "slicm", "token_f", "by label", "PER", "signatures"):
        assert text in score(*files, "--all")
    assert "span_f by label" in score(*files, "-m", "span_f")


def test_a_table_of_all_labels_and_documents_is_written_as_csv(files, tmp_path):
    done = call(
        "score", *files, "-m", "gate_f", "-m", "span_f", "--per-doc", "-o", tmp_path / "a.csv"
    )
    lines = (tmp_path / "a.csv").read_text().splitlines()
    header = "layer,metric,scope,label,document,observed,expected,corrected,gold,pred,"
    assert lines[0] == f"{header}correct,partial,wrong label,missing,spurious"
    layer = lines[1].split(",")[0]
    assert lines[1].startswith(f"{layer},gate_f,all,,,0.66")
    scopes = [tuple(line.split(",")[1:3]) for line in lines[1:]]
    assert {*scopes} == {(m, s) for m in ("gate_f", "span_f") for s in ("all", "label", "document")}
    assert "Written:" in done.stderr and "gate_f, span_f by document" in done.stdout


def test_columns_can_be_named_by_number(tmp_path):
    path = conll(tmp_path / "both.conll", GOLD, PRED, GOLD)
    layer = scored(f"{path}#1", f"{path}#3")
    assert headline(layer["scores"]["span_f"]) == 1.0
    assert headline(scored(f"{path}#2", f"{path}#3")["scores"]["span_f"]) < 1


@pytest.mark.parametrize(
    ("repair", "said", "n_gold"),
    [("conlleval", "conlleval", 3), ("drop", "gold=drop,pred=conlleval", 2)],
)
def test_improper_gold_tags_can_be_dropped(tmp_path, files, repair, said, n_gold):
    bad = conll(tmp_path / "bad.conll", ["O", "I-PER", *GOLD[2:]])
    layer = scored(bad, files[1], "--read", f"repair={repair}")
    assert layer["n_gold"] == n_gold
    assert f"|repair={said}|" in layer["scores"]["span_f"]["signature"]


def test_improper_predicted_tags_are_read_as_conlleval_does(tmp_path, files):
    bad = conll(tmp_path / "bad.conll", ["I-PER", *GOLD[1:]])
    layer = scored(files[0], bad)
    assert headline(layer["scores"]["span_f"]) == 1.0
    assert "conlleval" in layer["scores"]["span_f"]["signature"]


@each_case(
    ("options", "message"),
    [
        (
            ("--metric", "span_g"),
            "unknown metric 'span_g' (did you mean 'span_f'?); expected one of",
        ),
        (("--metric", "span_f(beta=0)"), "beta is '0'; expected a number above 0"),
        (("--metric", "span_f(beta=1e308)"), "beta is '1e308'; expected 1e+100 or less"),
        (("--metric", "span_f(size=1)"), "span_f has no parameter 'size'"),
        (("--chance", "random"), "chance is 'random'; expected one of none, disjoint"),
        (("--unit", "word"), "unit is 'word'; expected one of sentence, document"),
        (("--unit", "doc"), "unit is 'doc'; expected one of"),
        (("--unit", "sent"), "unit is 'sent' (did you mean 'sentence'?)"),
        (("-m", "token_f(encoding=X)"), "encoding is 'X'; expected one of IO, BIO"),
        (("-m", "slicm(token_information=lexeme_prob)"), "token_information is 'lexeme_prob'"),
        (("--format", "xml"), "unknown format 'xml'"),
        (("--read", "repair=fix"), "unknown value of repair 'fix'"),
        (("--read", "scheme=XY"), "unknown value of scheme 'XY'"),
        (("--documents", "line"), "unknown value of documents 'line'"),
        (("--column", "9"), "9"),
        (("--read", "offsets=char"), "has no key 'offsets'"),
    ],
)
def test_a_bad_option_is_one_message(files, options, message):
    assert message in failed("score", *files, *options)


def test_metrics_are_scored_under_the_names_asked_for(files):
    found = scored(*files, "-m", "token_f(encoding=BIO)", "-m", "int_f")["scores"]
    assert list(found) == ["token_f(encoding=BIO)", "int_f"]
    assert found["token_f(encoding=BIO)"]["name"].startswith("token_f(beta=1.0,chance=disjoint,enc")


def test_an_option_holds_for_all_metrics_that_have_it(files):
    found = scored(*files, "--chance", "nested", "-m", "token_f", "-m", "span_f")["scores"]
    assert all("chance=nested" in found[name]["name"] for name in found)


def test_a_parameter_of_a_metric_goes_before_the_option(files):
    (row,) = scored(*files, "--chance", "nested", "-m", "span_f(chance=none)")["scores"].values()
    assert "chance=none," in row["name"]


@pytest.mark.parametrize("n_process", [1, 2])
@pytest.mark.parametrize(
    ("features", "sentences"),
    [
        ("number+kind", []),
        ("all", []),
        ("none", []),
        ("numbr", ["No span has a feature 'numbr' (did you mean 'number'?), so that it decides "
                   "nothing: spans have kind, number."]),
    ],
    ids=["known", "all", "none", "unknown"],
)  # fmt: skip
def test_features_that_no_span_has_are_told(tmp_path, n_process, features, sentences):
    """Some are of gold or of the prediction alone, or of one document."""
    span = {"start": 0, "end": 1, "label": "A"}
    gold, pred = (
        written_rows(
            tmp_path / name,
            json.dumps({"tokens": ["a"], "spans": [span | {"features": {key: 1}}]}),
            json.dumps({"tokens": ["b"], "spans": [span]}),
        )
        for name, key in (("gold.jsonl", "number"), ("pred.jsonl", "kind"))
    )
    options = ("-m", f"gate_f(features={features})", "--n-process", n_process, "-o", "-")
    assert json.loads(score(gold, pred, *options))["warnings"] == sentences


def overlapping(tmp_path, rows):
    """Gold and prediction with overlapping spans of one label."""
    return jsonl(tmp_path / "a.jsonl", rows), jsonl(tmp_path / "b.jsonl", rows[:1])


def test_spans_that_overlap_have_overlapping_chance_by_default(tmp_path):
    files = overlapping(tmp_path, CROSSING)
    found, same = (scored(*files, *more) for more in ([], ["--chance", "overlapping"]))
    assert found == same and "chance=overlapping" in str(found["scores"]["span_f"]["signature"])
    (said,) = json.loads(score(*files, "-o", "-"))["warnings"]
    assert said == "Some spans overlap or have gaps, so chance=overlapping was used."


@pytest.mark.parametrize(
    ("model", "rows"), [("overlapping", CROSSING), ("overlapping", NESTED), ("nested", NESTED)]
)
def test_overlapping_spans_are_scored_with_a_chance_model_for_them(tmp_path, model, rows):
    row = scored(*overlapping(tmp_path, rows), "--chance", model)["scores"]["span_f"]
    assert 0 < row["expected"] < row["observed"] == pytest.approx(2 / 3)


def test_without_a_chance_model_overlaps_do_not_matter(tmp_path):
    row = scored(*overlapping(tmp_path, CROSSING), "--chance", "none")["scores"]["span_f"]
    assert not {"expected", "corrected"} & {*row}
    assert row["observed"] == pytest.approx(2 / 3)


def test_random_annotations_are_a_parameter_of_metrics(files):
    metric = "slicm_norm(chance=disjoint,draws=20)"
    (score,) = scored(*files, "-m", metric)["scores"].values()
    assert "draws=20,0" in score["signature"]
    assert "draws is 20 and 30; name one number" in failed(
        "score", *files, "-m", metric, "-m", "slicm(draws=30)"
    )


def test_every_document_can_be_scored():
    path = sample.path("dev.jsonl")
    options = (path, path, "--per-doc", "-m", "span_f")
    assert "span_f by document, worst first" in score(*options)
    rows = scored(*options)["scores"]["span_f"]["per_doc"]
    assert list(rows) == [f"dev-0{i}" for i in range(1, 7)]


def test_a_document_is_a_unit_unless_sentences_are(tmp_path):
    path = sample.path("dev.jsonl")
    doc, sent = (
        scored(path, path, "--unit", unit)["scores"]["span_f"]["expected"]
        for unit in ("document", "sentence")
    )
    assert sent > doc


def written_rows(path, *rows):
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


ROW = '{"tokens": ["a", "b", "c"], "spans": [[0, 1, "A"]]}'


def test_a_prediction_without_the_key_spans_has_none(tmp_path):
    gold = written_rows(tmp_path / "gold.jsonl", ROW, ROW)
    pred = written_rows(tmp_path / "pred.jsonl", ROW, '{"tokens": ["a", "b", "c"]}')
    layer = scored(gold, pred)
    assert layer["n_docs"] == 2
    assert layer["scores"]["span_recall"]["observed"] == 0.5


def test_documents_of_one_name_each_have_their_row(tmp_path):
    rows = [ROW.replace("{", '{"id": "x", ', 1)] * 2
    path = written_rows(tmp_path / "a.jsonl", *rows)
    assert list(scored(path, path, "--per-doc")["scores"]["span_f"]["per_doc"]) == ["x", "x (2)"]


def test_predictions_that_are_all_empty_are_scored(tmp_path):
    gold = written_rows(tmp_path / "gold.jsonl", ROW)
    pred = written_rows(tmp_path / "pred.jsonl", '{"tokens": ["a", "b", "c"], "spans": []}')
    assert scored(gold, pred)["scores"]["span_f"]["observed"] == 0.0


@pytest.mark.parametrize("command", ["score", "diff", "agree"])
def test_predictions_without_a_known_key_are_an_error_with_what_was_meant(tmp_path, command):
    gold = written_rows(tmp_path / "gold.jsonl", ROW)
    pred = written_rows(tmp_path / "pred.jsonl", '{"tokens": ["a", "b", "c"], "spanz": []}')
    message = failed(*command.split(), gold, pred)
    assert "(its keys: 'tokens', 'spanz' (did you mean 'spans'?)); a row has" in message


@pytest.mark.parametrize(("key", "value"), [("layers", {}), ("labels", "A"), ("label", "A")])
def test_a_key_that_is_there_is_not_suggested(tmp_path, key, value):
    gold = written_rows(tmp_path / "gold.jsonl", ROW)
    row = json.dumps({"tokens": ["a", "b", "c"], key: value})
    message = failed("score", gold, written_rows(tmp_path / "pred.jsonl", row))
    assert f"(its keys: 'tokens', '{key}');" in message


@pytest.mark.parametrize("command", ["score", "diff"])
@pytest.mark.parametrize("gold", ["gold.jsonl", "pred.jsonl"])
def test_decisions_are_said_to_be_for_agree(tmp_path, command, gold):
    written_rows(tmp_path / "gold.jsonl", ROW)
    decision = '{"tokens": ["a", "b", "c"], "categories": {"spans": ["accept"]}}'
    pred = written_rows(tmp_path / "pred.jsonl", decision)
    message = failed(command, tmp_path / gold, pred)
    assert "any layer of spans; agree --categories (in Prodigy chance.iaa.doc) compares" in message


def test_in_several_blocks_a_prediction_without_a_known_key_is_an_error(tmp_path):
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    for folder, key in ((gold, "spans"), (pred, "spanz")):
        folder.mkdir()
        for name in "ab":
            written_rows(folder / f"{name}.jsonl", f'{{"tokens": ["a"], "{key}": []}}')
    assert "did you mean 'spans'?" in failed("score", gold, pred)


def test_in_one_file_a_document_without_a_prediction_has_none(tmp_path):
    both = '{"tokens": ["a"], "layers": {"gold": [[0, 1, "A"]], "sys": [[0, 1, "A"]]}}'
    gold = '{"tokens": ["a"], "layers": {"gold": [[0, 1, "A"]]}}'
    layer = scored(written_rows(tmp_path / "a.jsonl", both, gold))
    assert (layer["n_docs"], layer["scores"]["span_recall"]["observed"]) == (2, 0.5)


def test_intervals_are_made_by_default():
    both = [sample.path("dev.jsonl")] * 2
    ways = {"1000": (), "20": ("--resamples", "20"), "0": ("--resamples", "0")}
    rows = {n: scored(*both, *way, "-m", "span_f")["scores"]["span_f"] for n, way in ways.items()}
    assert [*map(interval_of, rows.values())] == [(1.0, 1.0), (1.0, 1.0), None]
    assert rows["1000"]["resampling"] == "bootstrap,1000,0,percentile,0.95,documents"
    assert rows["20"]["resampling"] == "bootstrap,20,0,percentile,0.95,documents"
    assert len({row["signature"] for row in rows.values()}) == 1
    assert "95 % interval [1.000, 1.000], 1000 resamples of documents" in score(*both)
    assert "interval" not in score(*both, "--resamples", "0")


@pytest.mark.parametrize("more", [(), ("x=p.jsonl",)])
def test_of_many_documents_intervals_are_made_on_request(folder, monkeypatch, more):
    monkeypatch.setattr(options, "MOST_DOCS", 2)
    for name in ("g", "p"):
        written_rows(folder / f"{name}.jsonl", *[ROW] * 3)
    files = ["g.jsonl", "p.jsonl", *more]
    note = "There are no intervals: 3 documents are many. Ask for them by --resamples"
    for words in (["score", *files], ["agree", *files[:2]]):
        assert note in " ".join(call(*words).stdout.split())
        done = call(*words, "--resamples", "20")
        assert note not in " ".join(done.stdout.split()) and "interval" in done.stdout


def test_intervals_of_sentences_resample_their_articles(tmp_path):
    text = "-DOCSTART- O\n\nAda B-PER\n\nOslo B-LOC\n\n-DOCSTART- O\n\nRoe B-PER\n"
    (tmp_path / "x.conll").write_text(text)
    found = scored(
        tmp_path / "x.conll",
        tmp_path / "x.conll",
        "--documents",
        "sentence",
        "--resamples",
        "20",
        "-m",
        "token_f",
    )
    assert "0.95,article" in found["scores"]["token_f"]["resampling"]


# --- categories


@pytest.fixture
def choices(tmp_path):
    """Gold and predicted categories as Prodigy's choices."""
    task = {"answer": "accept", "options": [{"id": one} for one in "XYZ"]}
    files = []
    for name, labels in (("gold", "XYYXZ"), ("pred", "XXYXZ")):
        files.append(tmp_path / f"{name}.jsonl")
        tasks = [
            task | {"text": f"{i}", "_input_hash": i, "_task_hash": i, "accept": [label]}
            for i, label in enumerate(labels)
        ]
        files[-1].write_text("".join(f"{json.dumps(one)}\n" for one in tasks), "utf8")
    return files


def test_categories_are_scored_by_accuracy_macro_f_and_kappa(choices):
    layer = scored(*choices, "--categories")
    scores = layer["scores"]
    assert layer["confusion"] == {"X": {"X": 2}, "Y": {"X": 1, "Y": 1}, "Z": {"Z": 1}}
    assert scores["percent_agreement"]["observed"] == pytest.approx(4 / 5)
    macro = scores["positive_agreement"]["macro"]
    assert macro == {"observed": pytest.approx((4 / 5 + 2 / 3 + 1) / 3)}
    # 9 of 25: 2/5 * 3/5 + 2/5 * 1/5 + 1/5 * 1/5
    assert scores["cohen_kappa"]["corrected"] == pytest.approx((4 / 5 - 9 / 25) / (16 / 25))


def test_an_option_names_the_layer_of_categories_in_each_file(tmp_path):
    for name, topics in (("gold", "XYXY"), ("pred", "XXXY")):
        rows = [
            {"id": i, "categories": {"topic": [x], "tone": ["P"]}} for i, x in enumerate(topics)
        ]
        text = "".join(f"{json.dumps(one | {'text': 'a'})}\n" for one in rows)
        (tmp_path / f"{name}.jsonl").write_text(text, "utf8")
    files = [tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"]
    found = scored(*files, "--categories", "--layer", "topic")
    assert found["scores"]["percent_agreement"]["observed"] == 3 / 4
    done = call(
        "agree", *files, "--categories", "-l", "topic", "-m", "percent_agreement", "-o", "-"
    )
    assert json.loads(done.stdout)["metrics"][0]["team"]["observed"] == 3 / 4
    assert "available: tone, topic" in failed("score", *files, "--categories")


def test_categories_are_told_as_such(choices):
    text = call("score", *choices, "--categories", "--all").stdout
    assert "5 documents, 5 gold labels, 5 predicted" in text and "gold \\ predicted" in text
    assert "of categories ask for one of" in failed(
        "score", *choices, "--categories", "-m", "span_f"
    )
    assert "name it" in failed("score", choices[0], "--categories")
