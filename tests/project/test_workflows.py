"""The workflows of the project run from data to leaderboard, and stop with a clear message."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import srsly

from helpers.servers import serving

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
COLUMNS = ROOT.parent / "shared" / "data" / "wnut17_systems.tsv"
FORMATS = ("md", "csv", "json", "html")
QUICK = {"max_steps": 5, "resamples": 100}
STEPS = {"ner": 40, "spancat": 80, "spancat_ents": 80}  # of trainings on the sample
METRICS = {"ner": "ents", "spancat": "spans_sc", "gazetteer": "ents", "spancat-ents": "spans_spans"}


def project(folder):
    """A folder with what a user of the project has: project.yml, configs, the sample."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "project.yml", folder)
    for name in ("configs", "scripts"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copytree(ROOT / "spacy_chance_eval" / "sample", folder / "sample")
    for name, steps in STEPS.items():
        shorten(folder / "configs" / f"{name}.cfg", steps)
    return folder


def shorten(path, steps):
    """Write a config anew, for a training of fewer steps and spans of a few tokens."""
    settings = {"max_steps": steps, "eval_frequency": steps // 4, "sizes": "[1,2,3]"}
    text = path.read_text(encoding="utf8")
    for key, value in settings.items():
        text = re.sub(rf"^{key} = .*$", f"{key} = {value}", text, flags=re.MULTILINE)
    path.write_text(text, encoding="utf8")


def run(folder, workflow, *, program=("weasel", "run"), **variables):
    """Exit code, and all that a workflow prints."""
    overrides = [part for name, value in variables.items() for part in (f"--vars.{name}", value)]
    # `spacy project` calls "python": that of the tests has to be the first one
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", *program, workflow, ".", *map(str, overrides)],
        cwd=folder,
        env={**os.environ, "PATH": path, "no_proxy": "127.0.0.1", "PYTHONUTF8": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf8",
    )
    return done.returncode, done.stdout


def made(folder):
    """Names of all files that a run left in the folders of the project, temporary ones too."""
    folders = ("assets", "corpus", "training", "metrics", "leaderboards")
    found = (path for name in folders for path in (folder / name).rglob("*") if path.is_file())
    return sorted(str(path.relative_to(folder)) for path in found)


def board(folder, name):
    """A leaderboard, after a look at all of its files."""
    for ending in FORMATS:
        assert (folder / "leaderboards" / f"{name}.{ending}").stat().st_size > 0
    return srsly.read_json(folder / "leaderboards" / f"{name}.json")


def subsets(result):
    return {found["subset"]["by"] for found in result["boards"] if found["subset"]}


def check_sample(folder):
    """The metrics and the leaderboard of the sample."""
    for name, prefix in METRICS.items():
        scores = srsly.read_json(folder / "metrics" / f"{name}.json")
        assert 0 < scores[f"{prefix}_f_corrected"] < scores[f"{prefix}_f"] < 1
        assert scores["spans_corrected_f"] == scores[f"{prefix}_f_corrected"]
    layers = srsly.read_json(folder / "metrics" / "ner-chance.json")["layers"]
    assert "span_f(" in layers[0]["scores"]["span_f"]["signature"]
    result = board(folder, "sample")
    assert len(result["systems"]) == 4 and not result["left_out"]
    assert subsets(result) == {"chance", "length", "density"}
    assert {found["label"] for found in result["boards"]} == {None, *result["labels"]}
    assert all(found["n_docs"] > 2 for found in result["boards"])
    rows = result["boards"][0]["rows"]
    assert len({row["observed"] for row in rows}) == 4
    assert all(row["corrected"] < row["observed"] for row in rows)


def check_look(folder):
    """The pages, the runs and their comparison."""
    metrics = folder / "metrics"
    assert (metrics / "diff-ner" / "index.html").is_file()
    assert "ner/model-best" in (metrics / "compare-words.md").read_text(encoding="utf8")
    assert "</html>" in (metrics / "compare-words.html").read_text(encoding="utf8")
    result = srsly.read_json(metrics / "compare-words.json")
    assert result["names"] == ["words/model-best", "ner/model-best"]
    assert result["n_docs"] == board(folder, "sample")["n_docs"]


def test_the_sample_goes_from_data_to_leaderboard_and_then_skips_every_step(tmp_path):
    code, said = run(project(tmp_path), "sample", sample="sample", resamples=200)
    assert code == 0, said
    assert said.rstrip().splitlines()[-1].endswith("then run: python -m weasel run look")
    check_sample(tmp_path)
    code, said = run(tmp_path, "sample", sample="sample", resamples=200)
    assert code == 0, said
    assert "Running command" not in said
    assert said.count("Skipping") == 13
    code, said = run(tmp_path, "look", resamples=200)
    assert code == 0, said
    check_look(tmp_path)


@pytest.mark.slow
def test_spacy_project_runs_the_sample_too(tmp_path):
    program = ("spacy", "project", "run")
    code, said = run(project(tmp_path), "sample", program=program, sample="sample")
    assert code == 0, said
    check_sample(tmp_path)


def test_syntax_goes_from_the_sample_treebank_to_figures_and_then_skips_its_step(tmp_path):
    folder = project(tmp_path)
    settings = {"treebank": "sample/treebank.conllu", "runs": 2}
    code, said = run(folder, "syntax", **settings)
    assert code == 0, said
    ends = ("csv", "json", "md", "svg")
    names = [f"metrics/perturbation/perturbation.{end}" for end in ends]
    assert made(folder) == names
    tables = srsly.read_json(folder / names[ends.index("json")])["tables"]
    assert [one["name"] for one in tables] == ["Figure 3", "Figure 4", "Figure 5"]
    how = "84 of 84 sentences, 898 tokens, 2 runs, seed 0"
    assert all(one["title"].endswith(how) for one in tables)
    code, said = run(folder, "syntax", **settings)
    assert (code, said.count("Skipping"), "Running command" in said) == (0, 1, False), said


def test_syntax_takes_a_treebank_of_the_user(tmp_path):
    folder = project(tmp_path)
    trees = "1\tBees\t_\tN\tN\t_\t2\tnsubj\t_\t_\n2\thum\t_\tV\tV\t_\t0\troot\t_\t_\n\n"
    (folder / "my own.conllx").write_text(trees * 12)
    code, said = run(folder, "syntax", treebank="my own.conllx", sentences=5, runs=1)
    assert code == 0, said
    result = srsly.read_json(folder / "metrics" / "perturbation" / "perturbation.json")
    assert result["treebank"] == "my own.conllx"
    assert "5 of 12 sentences, 10 tokens, 1 run, seed 0" in result["tables"][0]["title"]


def test_syntax_says_what_is_wrong_with_a_treebank(tmp_path):
    folder = project(tmp_path)
    (folder / "mine.conllx").write_text("1\tBees\n")
    code, said = run(folder, "syntax", treebank="mine.conllx")
    assert code != 0
    assert "mine.conllx:1" in said and "Traceback" not in said
    assert made(folder) == []


ARTICLES = [
    ["EU rejects German call", "Peter Blackburn", "BRUSSELS 1996-08-22", "Franz Fischler said so"],
    ["Rare Hendrix song sells", "LONDON 1996-08-22", "Nikki Frey paid for it in London"],
    ["China says Taipei spoils talks", "BEIJING 1996-08-22", "Lee visited Ukraine", "Xinhua said"],
]
ENTITIES = {
    **dict.fromkeys(["EU", "Xinhua"], "ORG"),
    **dict.fromkeys(["German"], "MISC"),
    **dict.fromkeys(["BRUSSELS", "LONDON", "London", "China", "Taipei", "BEIJING"], "LOC"),
    **dict.fromkeys(["Ukraine"], "LOC"),
    **dict.fromkeys(["Peter", "Blackburn", "Franz", "Fischler", "Hendrix", "Nikki", "Frey"], "PER"),
    **dict.fromkeys(["Lee"], "PER"),
}


def tags_of(words, unknown=()):
    """IOB2 tags of the words that are known."""
    kinds = [None if word in unknown else ENTITIES.get(word) for word in words]
    return [
        "O" if kind is None else f"{'I' if i and kinds[i - 1] == kind else 'B'}-{kind}"
        for i, kind in enumerate(kinds)
    ]


def file_of(line, docstart="-DOCSTART- -X- -X- O\n\n"):
    """The text of a file; `line` makes the line of a token of its word, gold tag, two guesses."""
    text = ""
    for article in ARTICLES:
        text += docstart
        for sentence in article:
            words = sentence.split()
            columns = [words, tags_of(words), tags_of(words, ["EU"]), tags_of(words, ["Lee", "EU"])]
            text += "".join(line(*row) + "\n" for row in zip(*columns)) + "\n"
    return text


FILES = {
    "train.txt": file_of(lambda word, gold, *_: f"{word} NN B-NP {gold}"),
    "valid.txt": file_of(lambda word, gold, *_: f"{word} NN B-NP {gold}"),
    "test.txt": file_of(lambda word, gold, *_: f"{word} NN B-NP {gold}"),
    "outputs/three.conll": file_of(lambda word, gold, first, _: f"{word} {gold} {first}", ""),
    "outputs/two.conll": file_of(lambda word, _, first, second: f"{word} {second}", ""),
    "outputs/extra.conll": file_of(lambda word, gold, first, _: f"{word} NN {first} .9 x", ""),
    "outputs/other.conll": file_of(lambda word, *_: f"{word}x O", ""),
}
SUMS = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in FILES.items()}
OUTPUTS = [
    {"name": "three", "path": "../assets/conll03/outputs/three.conll", "year": 2003},
    {"name": "two", "path": "../assets/conll03/outputs/two.conll"},
    {"name": "extra", "path": "../assets/conll03/outputs/extra.conll", "column": 2},
    {"name": "other", "path": "../assets/conll03/outputs/other.conll"},
]
LICENCE = "Only for those who may."


def write_listing(path, names, url):
    """A listing of assets, with the checksums of these files; outputs are optional."""
    rows = [
        {"name": name, "sha256": SUMS[name], "url": f"{url}{name}", "optional": "/" in name}
        for name in names
    ]
    srsly.write_yaml(path, {"source": "Written for a test.", "license": LICENCE, "assets": rows})


def write_outputs(folder):
    """The list of systems of the project, with made-up outputs in place of the fourteen."""
    path = folder / "configs" / "conll03.systems.yml"
    models = [one for one in srsly.read_yaml(path)["systems"] if "/training/" in one["path"]]
    more = [{"sha256": SUMS[one["path"].split("conll03/")[1]], "optional": True} for one in OUTPUTS]
    files = [one | other for one, other in zip(OUTPUTS, more)]
    srsly.write_yaml(folder / "configs" / "mine.systems.yml", {"systems": [*models, *files]})


@pytest.fixture
def conll03(tmp_path):
    """The project, a folder to serve, its URL, and a function that runs a workflow."""
    folder = project(tmp_path / "project")
    served = tmp_path / "served"
    for name, text in FILES.items():
        (served / name).parent.mkdir(parents=True, exist_ok=True)
        (served / name).write_text(text)
    write_outputs(folder)
    settings = {
        "conll03_assets": "mine.yml",
        "conll03_train_assets": "train.yml",
        "conll03_systems": "configs/mine.systems.yml",
    }

    def run_conll03(workflow="conll03", **more):
        return run(folder, workflow, **settings, **QUICK, **more)

    with serving(served) as (url, _):
        write_listing(
            folder / "mine.yml", [name for name in FILES if name[:2] in ("te", "ou")], url
        )
        write_listing(folder / "train.yml", ["train.txt", "valid.txt"], url)
        yield folder, served, url, run_conll03


def systems_of(result):
    return {system["name"] for system in result["systems"]}


def reasons_of(result):
    return {system["name"]: system["reason"] for system in result["left_out"]}


def test_conll03_goes_from_download_to_leaderboard_and_then_skips_every_step(conll03):
    folder, _, _, workflow = conll03
    code, said = workflow()
    assert code == 0, said
    assert said.index(LICENCE) < said.index("outputs/three.conll: fetched"), said
    result = board(folder, "conll03")
    assert systems_of(result) == {"three", "two", "extra"}
    reason = reasons_of(result)["other"]
    assert "'EU'" in reason and "'EUx'" in reason
    assert (result["n_docs"], result["clusters"], result["n_clusters"]) == (11, "article", 3)
    assert subsets(result) == {"chance", "length", "density"}
    assert {found["label"] for found in result["boards"]} == {None, "LOC", "MISC", "ORG", "PER"}
    rows = {row["system"]: row for row in result["boards"][0]["rows"]}
    assert rows["three"]["observed"] == rows["extra"]["observed"]
    gold = rows["three"]["gold"]
    recall = {name: rows[name]["pred"] / gold for name in ("three", "two")}
    f1 = {name: rows[name]["observed"] for name in recall}
    assert f1 == pytest.approx({name: 2 * r / (1 + r) for name, r in recall.items()})
    assert any("spaCy NER on word forms" in note for note in result["notes"])
    table = (folder / "leaderboards" / "conll03-table10.md").read_text(encoding="utf8")
    assert "token_f in the layout of the paper; 11 documents; " in table
    code, said = workflow()
    counts = said.count("Skipping"), said.count("Running command")
    assert (code, counts, "5 of 5 files were there already" in said) == (0, (2, 1), True), said


def test_models_join_the_board_of_conll03_when_they_are_there(conll03):
    folder, _, _, workflow = conll03
    code, said = workflow()
    assert code == 0, said
    code, said = workflow("conll03-train")
    assert code == 0, said
    models = {"spaCy NER", "spaCy NER on word forms"}
    assert systems_of(board(folder, "conll03")) == {"three", "two", "extra", *models}
    code, said = workflow()
    assert (code, said.count("score assets/conll03")) == (0, 0), said


def test_conll03_leaves_out_a_wrong_output_and_gets_it_when_it_is_run_again(conll03):
    folder, served, _, workflow = conll03
    path = served / "outputs" / "two.conll"
    path.unlink()
    own = folder / "assets" / "conll03" / "outputs" / "two.conll"  # put there by hand
    own.parent.mkdir(parents=True)
    own.write_text("Ada\n")
    code, said = workflow()
    assert code == 0, said
    assert "404" in said and "outputs/two.conll" in said
    result = board(folder, "conll03")
    assert systems_of(result) == {"three", "extra"}
    found = hashlib.sha256(b"Ada\n").hexdigest()
    reason = f"expected sha256 {SUMS['outputs/two.conll']}, found {found}; get the file"
    assert "outputs/two.conll" in reasons_of(result)["two"] and reason in reasons_of(result)["two"]
    path.write_text(FILES["outputs/two.conll"])
    code, said = workflow()
    assert code == 0, said
    assert systems_of(board(folder, "conll03")) == {"three", "two", "extra"}


needs_wnut17 = pytest.mark.skipif(
    not COLUMNS.is_file(), reason="the copy of WNUT-17 lies outside of the package"
)


@needs_wnut17
def test_the_submissions_to_wnut17_are_ranked_from_the_columns_of_one_file(tmp_path):
    folder = project(tmp_path)
    code, said = run(folder, "wnut17-columns", wnut17_columns=COLUMNS, resamples=100)
    assert code == 0, said
    result = board(folder, "wnut17-columns")
    assert (result["n_docs"], result["n_gold"], len(result["systems"])) == (1287, 1079, 7)
    first = result["boards"][0]["rows"][0]
    # uh_ritual won the shared task with an F1 of 41.86 (Derczynski et al. 2017)
    assert (first["system"], round(first["observed"], 4)) == ("uh_ritual", 0.4186)


def submissions(folder):
    """The files of WNUT-17, from the columns of the copy, as far as it has them; true checksums."""
    head, *lines = COLUMNS.read_text(encoding="utf8").rstrip("\n").split("\n")
    rows = [line.split("\t") for line in lines]
    names = head.lstrip("#").split("\t")
    (folder / "submissions").mkdir(parents=True)
    for place, name in enumerate(names[1:], 1):
        blank = " " if name == "arcada" else "\t"
        text = "\n".join(row[0] + blank + row[place] if row[0] else "" for row in rows)
        if name == "gold":
            (folder / "emerging.test.annotated").write_bytes(text.encode() + b"\n\n")
        elif name == "mic-cis":
            text = text.replace("\n'\tO\ns\tO\n", "\n'\tO\nis\tO\n")
            (folder / "submissions" / "mic-cis.txt").write_text(text, encoding="utf8")
        else:
            ending = ".txt" if name in ("sjtu_adapt", "spinningbytes") else ""
            path = folder / "submissions" / f"{name}{ending}"
            path.write_bytes(text.replace("\n", "\r\n").encode())


@needs_wnut17
def test_wnut17_goes_from_download_to_leaderboard(tmp_path):
    folder = project(tmp_path / "project")
    submissions(tmp_path / "served")
    few = "".join(f"Ada\tB-person\nmet\tO\n{word}\tB-location\n\n" for word in ("Oslo", "Rome"))
    sums = {}
    for name in ("wnut17train.conll", "emerging.dev.conll"):
        (tmp_path / "served" / name).write_text(few)
        sums[name] = hashlib.sha256(few.encode()).hexdigest()
    changed = tmp_path / "served" / "submissions" / "mic-cis.txt"
    sums["submissions/mic-cis.txt"] = hashlib.sha256(changed.read_bytes()).hexdigest()
    listing = srsly.read_yaml(folder / "configs" / "wnut17.assets.yml")
    for row in listing["assets"]:
        if row["name"] in sums:
            row["sha256"] = sums[row["name"]]
    srsly.write_yaml(folder / "mine.yml", listing)
    with serving(tmp_path / "served") as (url, _):
        settings = {"wnut17_url": url, "wnut17_assets": "mine.yml", **QUICK}
        code, said = run(folder, "wnut17", **settings)
    assert code == 0, said
    result = board(folder, "wnut17")
    assert len(result["systems"]) == 8
    (left,) = result["left_out"]
    assert left["name"] == "MIC-CIS" and "'is'" in left["reason"]
    scores = {row["system"]: row["observed"] for row in result["boards"][0]["rows"]}
    assert round(scores["UH-RiTUAL"], 4) == 0.4186
