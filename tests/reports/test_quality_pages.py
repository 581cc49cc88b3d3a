"""Pages of the quality of predicted spans: the numbers of JSON and text, and links to documents."""

import json
import re
import shutil

import pytest

from helpers import made
from helpers.cases import each_case
from helpers.reading import Reader
from helpers.snapshots import compare_with_snapshot
from helpers.textfiles import call
from spacy_chance_eval.reports import diff_pages, quality_pages
from spacy_chance_eval.reports.report import report_page
from spacy_chance_eval.reports.scores import RELATIONS, quality_verdict, score_report
from spacy_chance_eval.reports.words import number
from spacy_chance_eval.scoring.statistics import headline

METRICS = ("-m", "span_f", "-m", "gate_f", "-m", "gate_f(mode=lenient)", "-m", "u_alpha")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Gold and a prediction of some documents of the sample."""
    folder = tmp_path_factory.mktemp("quality")
    rows = made.sample_rows("train")[:25]
    made.write(folder / "gold.jsonl", rows)
    made.write(folder / "bert.jsonl", made.erring(rows, 1, 0.4))
    return folder


def scored(files, tmp_path, *options, html="pages"):
    """The JSON of a call and its pages, read, by their names."""
    out = tmp_path / "quality.json"
    sides = (files / "gold.jsonl", files / "bert.jsonl")
    done = call("score", *sides, *options, "-o", tmp_path / html, "-o", out)
    assert done.exit_code == 0, done.stderr
    target = tmp_path / html
    paths = [target] if target.is_file() else sorted(target.rglob("*.html"))
    pages = {
        path.relative_to(target).as_posix() if path != target else path.name: Reader(
            path.read_text(encoding="utf8")
        )
        for path in paths
    }
    assert not any(page.open for page in pages.values()), "every tag is closed"
    return json.loads(out.read_text(encoding="utf8")), pages, done.stdout


def rows_of(page, head):
    """The rows of the table whose first head this is, from its heads on."""
    tables = [one[i:] for one in page.tables for i in (0, 1) if one[i][0]["text"] == [head]]
    return [one for one in tables if "gold" in one[0][1]["text"]][0]


def table_of(page, head):
    """The rows of the table whose first head this is: by name, the first text of each cell."""
    table = rows_of(page, head)
    heads = [cell["text"][0] for cell in table[0]]
    rows = {
        line[0]["text"][0]: [next(iter(c["text"]), "").strip() for c in line[1:]]
        for line in table[1:]
    }
    return heads[1:], rows


def expected_rows(scores, part):
    """The numbers of each label or document, as tables show them."""
    rows = {}
    for name in next(iter(scores.values()))[part]:
        found = {metric: score[part][name] for metric, score in scores.items()}
        gate = found["gate_f"]
        keys = ("gold", "pred", *RELATIONS)
        rows[name] = [*(str(gate[key]) for key in keys)]
        rows[name] += [number(headline(one)) for one in found.values()]
    return rows


@each_case("head, part", [("label", "per_label"), ("document", "per_doc")])
def test_the_tables_have_the_numbers_of_the_json(files, tmp_path, head, part):
    result, pages, _ = scored(files, tmp_path, *METRICS)
    (layer,) = result["layers"]
    heads, rows = table_of(pages["index.html"], head)
    main = layer["scores"]["span_f"]
    assert heads == [
        *("gold", "pred", *RELATIONS),
        *("observed", "expected", "corrected", "gate_f", "gate_f(mode=lenient)", "u_alpha"),
    ]
    averages = {name: rows.pop(name) for name in ("macro avg", "micro avg")}
    for name, cells in expected_rows(layer["scores"], part).items():
        parts = [number(main[part][name][key]) for key in ("observed", "expected")]
        assert rows[name] == [*cells[:7], *parts, *cells[7:]]
    values, parts = [number(score["macro_docs"]) for score in layer["scores"].values()], ["", ""]
    if part == "per_label":
        values = [number(headline(score["macro"])) for score in layer["scores"].values()]
        parts = [number(main["macro"][key]) for key in ("observed", "expected")]
    assert averages["macro avg"] == [*[""] * 7, *parts, *values]
    counts = [str(layer[key]) for key in ("n_gold", "n_pred")]
    counts += [str(n) for n in layer["scores"]["gate_f"]["relations"].values()]
    counts += [number(main[key]) for key in ("observed", "expected")]
    values = [number(headline(score)) for score in layer["scores"].values()]
    assert averages["micro avg"] == [*counts, *values]


def test_documents_lead_to_where_they_are_drawn(files, tmp_path, monkeypatch):
    monkeypatch.setattr(diff_pages, "PER_PAGE", 4)
    _, pages, _ = scored(files, tmp_path)
    table = rows_of(pages["index.html"], "document")
    links = {
        row[0]["text"][0]: row[0]["inside"][0]["href"] for row in table[1:] if row[0]["inside"]
    }
    assert len(links) > 8
    for name, link in links.items():
        address, place = link.split("#")
        page = pages[address]
        assert place in {attrs.get("id") for _, attrs in page.tags}
        heads = re.findall(r"train-\d+", page.text)
        assert name in heads
    alike = {row[0]["text"][0] for row in table[1:] if not row[0]["inside"]}
    assert alike - {"macro avg", "micro avg"}, "documents without a difference have no page"


def test_differences_lead_back_to_the_scores(files, tmp_path):
    _, pages, _ = scored(files, tmp_path)
    links = [attrs["href"] for attrs in pages["differences-1/index.html"].all("a")]
    assert "../index.html" in links
    links = [attrs["href"] for attrs in pages["index.html"].all("a")]
    assert "differences-1/index.html" in links


def test_one_page_has_the_tables_alone(files, tmp_path, monkeypatch):
    monkeypatch.setattr(quality_pages, "ROWS", 10)
    _, pages, _ = scored(files, tmp_path, html="quality.html")
    (page,) = pages.values()
    assert len(table_of(page, "document")[1]) == 12
    assert "15 more documents" in page.text
    assert "Scores of bert against gold" in page.text
    assert not [attrs for attrs in page.all("a") if "differences" in attrs["href"]]


def test_without_a_metric_of_gate_its_f_is_added(files, tmp_path):
    result, _, text = scored(files, tmp_path, "-m", "span_f")
    assert [*result["layers"][0]["scores"]] == ["span_f", "gate_f"]
    result, _, _ = scored(files, tmp_path, "-m", f"bdm_f(closeness={bdm(tmp_path)})")
    assert [name[:5] for name in result["layers"][0]["scores"]] == ["bdm_f"]


def bdm(folder):
    path = folder / "bdm.csv"
    path.write_text("ENTITY,\nPER,ENTITY\nORG,ENTITY\nLOC,ENTITY\nPROD,ENTITY\n", encoding="utf8")
    return path


def test_an_older_folder_is_replaced_and_another_one_is_not(files, tmp_path):
    scored(files, tmp_path)
    scored(files, tmp_path)
    (tmp_path / "pages/differences-1/mine.txt").write_text("keep", encoding="utf8")
    sides = (files / "gold.jsonl", files / "bert.jsonl")
    done = call("score", *sides, "-o", tmp_path / "pages")
    assert done.exit_code == 1 and "differences-1/mine.txt" in done.stderr
    assert (tmp_path / "pages/differences-1/mine.txt").exists()


def test_folders_have_pages(tmp_path):
    rows = made.sample_rows("test")[:6]
    for side, some in (("gold", rows), ("bert", made.erring(rows, 1, 0.4))):
        (tmp_path / side).mkdir()
        made.write(tmp_path / side / "a.jsonl", some[:3])
        made.write(tmp_path / side / "b.jsonl", some[3:])
    done = call("score", tmp_path / "gold", tmp_path / "bert", "-o", tmp_path / "pages")
    assert done.exit_code == 0, done.stderr
    page = Reader((tmp_path / "pages/index.html").read_text(encoding="utf8"))
    assert "Scores of bert against gold" in page.text
    assert len(table_of(page, "document")[1]) == 8


@pytest.mark.integration
def test_a_pipeline_has_a_tab_and_documents_for_each_layer(two_layers, corpus, tmp_path):
    out = tmp_path / "quality.json"
    done = call(
        *("score", corpus / "dev.spacy", two_layers, "--chance", "overlapping", "-m", "span_f"),
        *("-o", tmp_path / "pages", "-o", out),
    )
    assert done.exit_code == 0, done.stderr
    layers = json.loads(out.read_text(encoding="utf8"))["layers"]
    page = Reader((tmp_path / "pages/index.html").read_text(encoding="utf8"))
    assert len(layers) > 1 and all(layer["gold_layer"] in page.text for layer in layers)
    for number_, _layer in enumerate(layers, 1):
        assert (tmp_path / f"pages/differences-{number_}/index.html").exists()


def test_files_that_may_be_left_out_have_no_pages_of_documents(files, tmp_path):
    for side in ("gold", "bert"):
        (tmp_path / side).mkdir()
        for name in "ab":
            shutil.copy(files / f"{side}.jsonl", tmp_path / side / f"{name}.jsonl")
    sides = (tmp_path / "gold", tmp_path / "bert", "--read", "skip_bad=yes")
    done = call("score", *sides, "-o", tmp_path / "pages")
    assert done.exit_code == 1 and "all of them are read at once" in done.stderr
    done = call("score", *sides, "-o", tmp_path / "quality.html")
    assert done.exit_code == 0, done.stderr


# --- the verdict


def score(value=0.7912, **fields):
    counts = dict(zip(RELATIONS, (6, 2, 1, 3, 2)))
    found = {"name": "span_f()", "observed": value, "expected": 0.1, "corrected": value}
    found |= {"low": None, "per_label": {}, "per_doc": None, "relations": counts}
    return found | {"is_corrected": True} | fields


def raw(value, **fields):
    """A score that is not corrected for chance."""
    found = score(value, is_corrected=False, **fields)
    return {name: one for name, one in found.items() if name not in ("expected", "corrected")}


def verdict(found, n_layers=1, n_gold=10):
    layer = {"scores": {"span_f": found}, "gold_layer": "ents", "pred_layer": "ents"}
    layer |= {"n_gold": n_gold, "n_pred": 0}
    return quality_verdict({"layers": [layer] * n_layers}, ("gold", "bert"))


def types(**rows):
    return {name: {"observed": value, "gold": n} for name, (value, n) in rows.items()}


VERDICTS = [
    score(),
    score(low=0.7, high=0.8567),
    raw(0.7912),
    score(relations=None),
    score(relations=dict.fromkeys(RELATIONS, 0.5)),
    score(None, observed=1.0, relations=None),
    score(None, relations=None),
    score(0.0, relations=None),
    score(-0.25, low=-0.5, high=0.1, relations=None),
    score(-0.25, relations=None),
    score(0.2, low=-0.1, high=0.5, relations=None),
    raw(-104, name="slicm()", relations=None),
    raw(0.29, name="error_rate()", relations=None),
    *(
        score(relations=None, **fields)
        for fields in (
            {"per_label": types(PER=(0.88, 20), MISC=(0.31, 12))},
            {"per_label": types(A=(0.8, 20), B=(0.4, 12), C=(0.1, 9))},
            {"per_label": types(A=(0.8, 20), B=(0.0, 12), C=(0.0, 90))},
            {"per_label": types(A=(0.994, 20), B=(0.991, 12))},
            {"per_label": types(A=(0.0, 20), B=(-0.3, 12))},
            {"per_label": types(A=(-0.1, 20), B=(-0.3, 12), C=(0.5, 2))},
            {"per_label": types(A=(0.8, 20), B=(0.8, 12), C=(None, 90))},
        )
    ),
]


def test_verdicts_are_as_they_were():
    said = list(map(verdict, VERDICTS))
    nothing = score(None, relations=dict.fromkeys(RELATIONS, 0))
    said += [verdict(nothing, n_gold=0), verdict(score(relations=None), n_layers=3)]
    compare_with_snapshot("quality-verdicts.txt", "\n".join(said))


def test_the_verdict_is_by_a_corrected_metric_if_there_is_one():
    gate = raw(0.8, name="gate_f()", per_label=types(A=(0.8, 20)))
    kappa = score(0.4, name="cohen_kappa()", per_label=types(A=(0.4, 20)), relations=None)
    layer = {"scores": {"gate_f": gate, "kappa": kappa}, "n_gold": 1, "n_pred": 1}
    assert "bert scores .40 beyond chance by kappa." in quality_verdict(
        {"layers": [layer]}, ("gold", "bert")
    )


def test_names_from_data_stay_text(files, tmp_path):
    result, _, _ = scored(files, tmp_path)
    evil = "</style><script>alert(1)</script>\x1b"
    (layer,) = result["layers"]
    for one in layer["scores"].values():
        for part in ("per_label", "per_doc"):
            first = next(iter(one[part]))
            one[part] = {evil if name == first else name: row for name, row in one[part].items()}
    page = Reader(report_page(score_report(result | {"warnings": [evil]})))
    assert len(page.all("script")) == 1 and "\x1b" not in page.text
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
