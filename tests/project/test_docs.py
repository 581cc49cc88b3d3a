"""The documentation: its examples run, its numbers are right, its links lead somewhere."""

import doctest
import importlib
import inspect
import re
import runpy
from configparser import RawConfigParser
from urllib.parse import urlsplit

import pytest
import spacy
import srsly
from spacy.tokens import DocBin
from spacy.training import Example
from spacy.util import registry

from helpers.cases import each_case
from helpers.examples import ROOT, blocks, page, run_commands, write_files
from helpers.properties import table

PAGES = sorted(path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md"))
TEXTS = {name: page(f"docs/{name}") for name in PAGES}
# pages of formulas, and how many families of metrics they explain
FAMILIES = {"reading.md": 1, "spans.md": 3, "annotators.md": 2, "syntax.md": 1}
LINKED = [
    *("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "PROJECT.md", "SECURITY.md"),
    *(f"docs/{name}" for name in PAGES),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that the examples speak of."""
    folder = tmp_path_factory.mktemp("docs")
    write_files(folder)
    return folder


def session(text):
    """The interactive examples of a page, as one doctest."""
    lines = "\n".join(blocks(text, "pycon"))
    return doctest.DocTestParser().get_doctest(lines, {}, "page", None, 0)


@each_case("name", FAMILIES)
def test_results_in_the_text_are_results_of_the_examples(name):
    """Numbers after the last sign of equality of a line, and those of the text with 4 decimals."""
    text = re.sub(r"```.*?```", "", TEXTS[name], flags=re.DOTALL)
    given = re.findall(r"= +(-?)0?(\.\d{4})$", text, flags=re.MULTILINE)
    given += re.findall(r"(-?)\b0(\.\d{4})\b", text)
    results = "".join(example.want for example in session(TEXTS[name]).examples)
    known = {sign + decimals for sign, decimals in re.findall(r"(-?)\d(\.\d{4})\b", results)}
    assert {sign + decimals for sign, decimals in given} <= known | STEPS.get(name, set())


# results of steps that the examples do not print
STEPS = {"spans.md": {".5000", ".8333", ".0833", ".5833", ".3333"}, "annotators.md": {".9844"}}


@each_case("name", ["start.md", "python.md"])  # comparing.md: test_page_numbers.py
def test_numbers_beside_examples_are_those_that_they_print(name):
    """Those of the text with three decimals or four are in an output that the page shows."""
    shown = "".join(re.findall(r"```.*?```", TEXTS[name], flags=re.DOTALL))
    text = re.sub(r"```.*?```", "", TEXTS[name], flags=re.DOTALL)
    given = set(re.findall(r"(?<![\d.])0?(\.\d{3,4})\b", text))
    assert given <= set(re.findall(r"(\.\d{3,4})\b", shown))


def test_the_table_of_properties_is_computed_on_the_examples_of_the_paper():
    assert table() in TEXTS["spans.md"]


def resolved(name):
    """What a dotted name of a page stands for."""
    module, found = name, None
    while found is None:
        try:
            found = importlib.import_module(module)
        except ModuleNotFoundError:
            module = module.rpartition(".")[0]
    for part in name.removeprefix(module).split(".")[1:]:
        found = getattr(found, part)
    return found


@each_case("name", LINKED)
def test_names_of_the_package_exist(name):
    for found in re.findall(r"\bspacy_chance_eval(?:\.\w+)+", page(name)):
        assert resolved(found) is not None


def anchors(text):
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_case("name", LINKED)
def test_links_and_images_lead_to_files_and_headings(name):
    text = re.sub(r"```.*?```", "", page(name), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    for link in links:
        if urlsplit(link).scheme:  # elsewhere: it is not followed
            assert re.fullmatch(r"https?://[\w-]+(\.[\w-]+)+(:\d+)?(/\S*)?", link), link
            continue
        target, _, anchor = link.partition("#")
        path = (ROOT / name).parent / target if target else ROOT / name
        assert path.exists(), link
        if anchor:
            assert anchor in anchors(path.read_text(encoding="utf8")), link


def test_every_page_is_in_the_contents():
    assert [name for name in PAGES if f"]({name})" not in TEXTS["README.md"]] == ["README.md"]


def test_the_picture_of_random_placements_is_current():
    make = runpy.run_path(str(ROOT / "scripts/website/placement.py"))["placement_picture"]
    picture = page("docs/images/placement.svg")
    assert picture == make(), "run python scripts/website/placement.py"


@pytest.mark.parametrize("example", blocks(TEXTS["spacy.md"], "ini"))
def test_config_examples_are_understood(folder, monkeypatch, example):
    """Names are registered and take these arguments."""
    monkeypatch.chdir(folder)
    for section in sections(example).values():
        if any(key.startswith("@") for key in section):
            assert callable(registry.resolve({"made": section})["made"])


WEIGHTS = "training.score_weights"


def sections(example):
    """The sections of a config, as they stand in an example."""
    config = RawConfigParser()
    config.read_string(example)
    return {
        name: {key: srsly.json_loads(value) for key, value in config[name].items()}
        for name in config.sections()
    }


def reported(config):
    """The scores that the components of an example report, and their weights by default."""
    nlp, scores = spacy.blank("en"), {}
    for factory in sorted(
        {name.split(".")[1] for name in config if name.startswith("components.")}
    ):
        settings = dict(config.get(f"components.{factory}", {}))
        if scorer := config.get(f"components.{factory}.scorer"):
            settings["scorer"] = scorer
        pipe = nlp.add_pipe(settings.pop("factory", factory), name=factory, config=settings)
        if hasattr(pipe, "add_label"):
            pipe.add_label("dep" if factory == "parser" else "PER")
        scores |= nlp.get_factory_meta(factory).default_score_weights
    nlp.initialize()
    gold = spacy.tokens.Doc(nlp.vocab, ["Ada", "slept"], heads=[1, 1], deps=["nsubj", "ROOT"])
    gold.set_ents([gold.char_span(0, 3, label="PER")])
    for settings in config.values():
        gold.spans[settings.get("spans_key", "sc")] = list(gold.ents)
    return nlp.evaluate([Example(nlp.make_doc("Ada slept"), gold)]), scores


WEIGHED = {
    f"{name}:{found}": example
    for name, whole in {"start": page("README.md"), **TEXTS}.items()
    for found, text in enumerate(blocks(whole, "ini"))
    if WEIGHTS in (example := sections(text))
}


@each_case("name", WEIGHED)
def test_every_weight_of_an_example_is_of_a_score(name):
    scores, by_default = reported(WEIGHED[name])
    for key, weight in WEIGHED[name][WEIGHTS].items():
        assert key in (by_default if weight is None else scores), key


@pytest.mark.integration
def test_the_table_of_scores_has_every_score_of_ours(folder):
    nlp = spacy.load(folder / "training/ner/model-best")
    docs = DocBin().from_disk(folder / "corpus/test.spacy").get_docs(nlp.vocab)
    scores = nlp.evaluate(Example(nlp.make_doc(doc.text), doc) for doc in docs)
    rows = re.findall(r"^\|(.*?)\|", TEXTS["spacy.md"], re.MULTILINE)
    names = re.findall(r"`(ents_\w+)`", "".join(rows))
    given = {name for name in scores if name.startswith("ents_")}
    assert sorted(names) == sorted(given - {"ents_p", "ents_r", "ents_f", "ents_per_type"})


@pytest.mark.parametrize("scorer", ["ner_scorer", "spancat_scorer"])
def test_the_table_of_parameters_has_all_of_them(scorer):
    part = TEXTS["spacy.md"].partition("## In training")[0]
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|", part, re.MULTILINE)
    make = registry.scorers.get(f"spacy-chance-eval.{scorer}.v1")
    own = [name for name, _, what in rows if scorer == "spancat_scorer" or "only)" not in what]
    assert sorted(own) == sorted(inspect.signature(make).parameters)


def workflow_steps():
    """The command lines of the workflow of the page on continuous integration."""
    text, _ = blocks(TEXTS["tools.md"], "yaml")  # the other one uses the action
    jobs = srsly.yaml_loads(text)["jobs"].values()
    return [step["run"] for job in jobs for step in job["steps"] if "run" in step]


@pytest.mark.integration
def test_the_workflow_fails_only_where_it_should(folder):
    part = TEXTS["tools.md"].partition("## Continuous integration")[2]
    first = "\n".join(blocks(part, "bash")[0].splitlines()[:2])
    assert run_commands(first, folder).returncode == 0
    summary = folder / "summary.md"
    for step in workflow_steps():
        if step.startswith("spacy-chance-eval"):
            done = run_commands(step, folder, GITHUB_STEP_SUMMARY=str(summary))
            assert done.returncode == 0, done.stderr
    assert summary.read_text(encoding="utf8").strip()
