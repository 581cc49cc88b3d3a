import pickle

import pytest
import spacy
from confection import ConfigValidationError
from spacy.tokens import DocBin
from spacy.training import Example

from helpers.docmaking import NLP, group_example, make_doc, make_example
from spacy_chance_eval.integrations import make_ner_scorer
from spacy_chance_eval.integrations.component import ChanceEval

TEXTS = ["Ada met Rex in Oslo today .", "Nobody met anybody .", "Oslo saw Rex and Ada ."]
GOLD = [[(0, 1, "PER"), (2, 3, "PER"), (4, 5, "LOC")], [], [(0, 1, "ORG"), (4, 5, "PER")]]
PATTERNS = [
    {"label": "PER", "pattern": "Ada"},
    {"label": "PER", "pattern": "Rex"},
    {"label": "LOC", "pattern": "Oslo"},
]
PRINTED = {f"spans_corrected_{name}" for name in ("p", "r", "f", "per_type")}


def pipeline(place=None, **config):
    """Rules for entities and for the span group ruler, with the component in some place."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns(PATTERNS)
    nlp.add_pipe("span_ruler").add_patterns(PATTERNS[:2])
    if place:
        nlp.add_pipe("chance_eval", config=config, **place)
    return nlp


def examples():
    """Gold entities, and the same as span group sc."""
    golds = [make_doc(t, rows, groups={"sc": rows}) for t, rows in zip(TEXTS, GOLD)]
    return [Example(NLP.make_doc(text), gold) for text, gold in zip(TEXTS, golds)]


@pytest.mark.parametrize(
    "place", [{"first": True}, {"before": "span_ruler"}, {"last": True}], ids=str
)
def test_it_scores_in_any_position(place):
    nlp = pipeline(place)
    scores = nlp.evaluate(examples())
    expected = make_ner_scorer()(
        [Example(nlp(text), example.y) for text, example in zip(TEXTS, examples())]
    )
    assert 0 < scores["ents_f_corrected"] < 1
    assert scores["ents_f_corrected"] == expected["ents_f_corrected"]


def test_its_settings_survive_saving_and_loading(tmp_path):
    config = {
        "layers": ["spans:sc", ["ents", "spans:ruler"]],
        "unit": "sentence",
        "chance": "nested",
        "encoding": "BIO",
        "token_information": "corpus",
        "allow_overlap": False,
        "prefix": "x",
    }
    pipeline({"last": True}, **config).to_disk(tmp_path)
    nlp = spacy.load(tmp_path)
    saved = nlp.config["components"]["chance_eval"]
    assert {name: saved[name] for name in config} == config
    component = nlp.get_pipe("chance_eval")
    assert list(component.layers) == [("spans:sc", "spans:sc"), ("ents", "spans:ruler")]
    assert component.allow_overlap is False


@pytest.mark.integration
def test_several_processes_predict_the_same():
    nlp = pipeline({"first": True})
    docs = list(nlp.pipe(TEXTS, n_process=2))
    assert [[ent.text for ent in doc.ents] for doc in docs] == [
        ["Ada", "Rex", "Oslo"],
        [],
        ["Oslo", "Rex", "Ada"],
    ]


def test_the_first_layer_is_printed_by_evaluate():
    scores = pipeline({"last": True}).evaluate(examples())
    assert PRINTED <= scores.keys()
    assert [scores[f"spans_corrected_{name}"] for name in "prf"] == [
        scores[f"ents_{name}_corrected"] for name in "prf"
    ]


def test_printed_scores_of_labels_are_the_corrected_ones():
    scores = pipeline({"last": True}).evaluate(examples())
    row = scores["ents_corrected_per_type"]["PER"]
    assert scores["spans_corrected_per_type"]["PER"] == {
        name: row[f"{name}_corrected"] for name in "prf"
    }


def test_span_groups_have_their_own_prefix():
    rows = [(0, 3, "A"), (1, 2, "A")]
    scores = ChanceEval(layers=["spans:sc"]).score([group_example(8, rows, rows)])
    assert scores["spans_sc_f_corrected"] == scores["spans_corrected_f"] == 1.0
    assert "ents_f_corrected" not in scores


@pytest.mark.parametrize(
    ("settings", "models"),
    [({}, ["disjoint", "overlapping", "overlapping"]), ({"chance": "nested"}, ["nested"] * 3)],
)
def test_groups_are_randomised_with_overlaps_and_entities_without(settings, models):
    component = ChanceEval(layers=["ents", "spans:sc", ["ents", "spans:ruler"]], **settings)
    assert [one.chance for one in component.layers.values()] == models


def test_a_pair_compares_gold_with_another_layer():
    nlp = pipeline({"last": True}, layers=[["ents", "spans:ruler"]])
    scores = nlp.evaluate(examples())
    rows = scores["ents_vs_spans_ruler_corrected_per_type"]
    assert (rows["PER"]["r"], rows["LOC"]["r"]) == (1.0, 0.0)
    assert PRINTED <= scores.keys()


@pytest.mark.parametrize(("gold", "pred", "score"), [(None, "A", None), ("A", (), 0.0)])
def test_without_gold_scores_are_none_and_without_predictions_zero(gold, pred, score):
    sides = (side and [(0, 1, "A")] for side in (gold, pred))
    scores = ChanceEval().score([make_example(3, *sides)])
    assert scores["spans_corrected_f"] == scores["ents_f_corrected"] == score
    assert gold or set(scores.values()) == {None}


def test_allow_overlap_filters_groups():
    examples = [group_example(8, [(0, 3, "A"), (1, 2, "A")], [(0, 3, "A")])]
    strict = ChanceEval(layers=["spans:sc"], allow_overlap=False).score(examples)
    assert strict["spans_sc_f_corrected"] == 1.0


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([], "chance_eval needs layers"),
        ([["ents"]], "is not a name or a pair"),
        ([["ents", "spans:a", "spans:b"]], "is not a name or a pair"),
        (["spans"], "unknown layer"),
        (["entities"], "unknown layer"),
        ([["ents", "sc"]], "unknown layer"),
    ],
)
def test_layers_that_say_nothing_are_refused_at_creation(layers, message):
    with pytest.raises(ValueError, match=message):
        spacy.blank("xx").add_pipe("chance_eval", config={"layers": layers})


@pytest.mark.parametrize("name", ["unit", "chance", "encoding", "token_information"])
def test_a_bad_setting_is_refused_at_creation(name):
    with pytest.raises(ValueError, match=f"{name}.*'odd' is not "):
        spacy.blank("xx").add_pipe("chance_eval", config={name: "odd"})


def test_an_unknown_setting_is_refused_by_spacy():
    with pytest.raises(ValueError, match="unexpected argument|extra fields"):
        spacy.blank("xx").add_pipe("chance_eval", config={"layer": "ents"})


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Folder of an NER that someone else made and saved, with spaCy's scorer."""
    folder, nlp = tmp_path_factory.mktemp("trained"), spacy.blank("xx")
    nlp.add_pipe("ner")
    nlp.initialize(lambda: [Example(NLP.make_doc(e.text), e.y) for e in examples()])
    nlp.to_disk(folder)
    return folder


SCORER = {"components.ner.scorer.@scorers": "spacy-chance-eval.ner_scorer.v1"}


@pytest.mark.integration
def test_the_scorer_of_a_trained_pipeline_can_be_replaced_when_loading(trained):
    scores = spacy.load(trained, config=SCORER).evaluate(examples())
    assert type(scores["ents_f_corrected"]) is float


@pytest.mark.integration
def test_a_replaced_scorer_takes_its_settings_from_the_override(trained):
    config = {**SCORER, "components.ner.scorer.unit": "word"}
    with pytest.raises(
        ConfigValidationError, match=r"unit\s.*'word' is not .*'sentence', 'document'"
    ):
        spacy.load(trained, config=config)


@pytest.mark.integration
def test_a_replaced_scorer_survives_saving(trained, tmp_path):
    spacy.load(trained, config=SCORER).to_disk(tmp_path)
    assert "ents_f_corrected" in spacy.load(tmp_path).evaluate(examples())


@pytest.mark.integration
def test_the_component_can_be_added_to_a_trained_pipeline(trained, tmp_path):
    nlp = spacy.load(trained)
    nlp.add_pipe("chance_eval", first=True)
    nlp.to_disk(tmp_path)
    assert "spans_corrected_f" in spacy.load(tmp_path).evaluate(examples())


@pytest.mark.integration
def test_a_scorer_set_by_hand_works_but_is_not_saved(trained, tmp_path):
    nlp = spacy.load(trained)
    nlp.get_pipe("ner").scorer = make_ner_scorer()
    assert "ents_f_corrected" in nlp.evaluate(examples())
    nlp.to_disk(tmp_path)
    assert "ents_f_corrected" not in spacy.load(tmp_path).evaluate(examples())


def test_the_sample_is_scored_with_the_gazetteer(gazetteer, corpus):
    nlp = spacy.load(gazetteer)
    nlp.add_pipe("chance_eval", first=True)
    golds = DocBin().from_disk(corpus / "test.spacy").get_docs(nlp.vocab)
    scores = nlp.evaluate(Example(nlp.make_doc(gold.text), gold) for gold in golds)
    assert 0 < scores["ents_f_expected"] < 0.1
    assert 0 < scores["ents_f_corrected"] < scores["ents_f"] < 1


def test_a_pipe_named_otherwise_keeps_the_keys():
    nlp = pipeline()
    nlp.add_pipe("chance_eval", name="beyond_chance")
    assert PRINTED <= nlp.evaluate(examples()).keys()


def test_two_components_report_scores_of_their_own():
    nlp = pipeline({"last": True})
    nlp.add_pipe("chance_eval", name="strict", config={"prefix": "strict", "chance": "none"})
    alone = pipeline({"last": True}).evaluate(examples())
    both = nlp.evaluate(examples())
    assert {key: both[key] for key in alone if key != "speed"} == {
        key: value for key, value in alone.items() if key != "speed"
    }
    assert both["strict_ents_f_corrected"] != both["ents_f_corrected"]
    assert both["spans_strict_corrected_f"] == both["strict_ents_f_corrected"]
    assert both["spans_strict_corrected_ents_per_type"].keys() == {"PER", "LOC", "ORG"}


@pytest.mark.parametrize("layers", [["ents"], ["spans:sc"]])
@pytest.mark.parametrize("place", [{"first": True}, {"last": True}], ids=str)
def test_a_second_component_needs_a_prefix(place, layers):
    """Without one, the corrected scores for `spacy evaluate` at least would be overwritten."""
    nlp = pipeline({"last": True})
    with pytest.raises(ValueError, match="'chance_eval' and 'other' would report") as caught:
        nlp.add_pipe("chance_eval", name="other", config={"layers": layers}, **place)
    assert 'config={"prefix": "other"} in add_pipe' in str(caught.value)
    nlp.add_pipe("chance_eval", name="other", config={"layers": layers, "prefix": "other"})


def test_a_saved_pipeline_of_two_components_gets_a_prefix_as_it_is_loaded(tmp_path):
    nlp = pipeline({"last": True})
    nlp.add_pipe("chance_eval", name="other", config={"prefix": "other"})
    nlp.to_disk(tmp_path)
    text = (tmp_path / "config.cfg").read_text(encoding="utf8")
    (tmp_path / "config.cfg").write_text(text.replace('prefix = "other"', "prefix = null"))
    with pytest.raises(ValueError, match=r'"components.other.prefix": "other"'):
        spacy.load(tmp_path)
    nlp = spacy.load(tmp_path, config={"components.other.prefix": "other"})
    assert "other_ents_f_corrected" in nlp.evaluate(examples())


def test_a_prefix_like_the_layer_of_another_component_is_refused():
    nlp = pipeline({"last": True}, layers=["spans:ents"])
    with pytest.raises(ValueError, match="under the same names \\(spans_ents_p_corrected\\)"):
        nlp.add_pipe("chance_eval", name="other", config={"prefix": "spans"})


@pytest.mark.parametrize("own", ["before", "after"])
def test_a_component_of_another_pipeline_is_refused_beside_one_of_the_same_names(own):
    nlp, other = spacy.blank("xx"), pipeline({"last": True}, unit="sentence")
    if own == "before":
        nlp.add_pipe("chance_eval")
    nlp.add_pipe("chance_eval", name="sourced", source=other)
    with pytest.raises(ValueError, match="'sourced' and 'chance_eval' would report"):
        if own == "after":
            nlp.add_pipe("chance_eval")
        nlp.evaluate(examples())


def test_a_sourced_component_is_refused_in_a_config(tmp_path):
    pipeline({"last": True}).to_disk(tmp_path)
    nlp = spacy.blank("xx")
    nlp.add_pipe("chance_eval")
    config = nlp.config.copy()
    config["nlp"]["pipeline"] = ["chance_eval", "sourced"]
    config["components"]["sourced"] = {"source": str(tmp_path), "component": "chance_eval"}
    nlp = spacy.util.load_model_from_config(config)
    with pytest.raises(ValueError, match='a prefix: config={"prefix": "chance_eval"}'):
        nlp.evaluate(examples())


def test_a_sourced_component_scores_beside_one_with_a_prefix():
    nlp, other = spacy.blank("xx"), pipeline({"last": True})
    nlp.add_pipe("chance_eval", config={"prefix": "chance_eval"})
    nlp.add_pipe("chance_eval", name="sourced", source=other)
    names = {"ents_f_corrected", "chance_eval_ents_f_corrected"}
    assert names <= nlp.evaluate(examples()).keys()


def test_a_disabled_component_reports_nothing_that_could_be_overwritten():
    nlp, other = pipeline({"last": True}), pipeline({"last": True})
    nlp.add_pipe("chance_eval", name="sourced", source=other)
    with nlp.select_pipes(disable="sourced"):
        assert "ents_f_corrected" in nlp.evaluate(examples())


def test_two_sourced_components_are_refused_when_the_pipeline_was_saved(tmp_path):
    """As long as they are in memory, neither knows the pipeline that it is in."""
    nlp, other = spacy.blank("xx"), pipeline({"last": True})
    for name in ("one", "two"):
        nlp.add_pipe("chance_eval", name=name, source=other)
    nlp.to_disk(tmp_path)
    with pytest.raises(ValueError, match="'one' and 'two' would report"):
        spacy.load(tmp_path)


def scored_ents(**settings):
    """Rules for entities, with our scorer."""
    nlp = spacy.blank("xx")
    scorer = {"@scorers": "spacy-chance-eval.ner_scorer.v1", **settings}
    nlp.add_pipe("entity_ruler", config={"scorer": scorer}).add_patterns(PATTERNS)
    return nlp


def test_scores_of_a_scorer_are_not_replaced_by_those_of_other_settings():
    nlp = scored_ents(encoding="BIO")
    with pytest.raises(ValueError, match="'entity_ruler' and 'chance_eval' would") as caught:
        nlp.add_pipe("chance_eval")
    settings = "unit='sentence', chance='disjoint', encoding='BIO'"
    assert f"the scorer of 'entity_ruler' has {settings}" in str(caught.value)
    nlp.add_pipe("chance_eval", config={"encoding": "BIO"})
    other = scored_ents(encoding="BIO")
    other.add_pipe("chance_eval", config={"prefix": "chance_eval"})
    assert "chance_eval_ents_f_corrected" in other.evaluate(examples())


def test_a_scorer_with_the_settings_of_the_component_reports_the_same():
    alone, nlp = scored_ents(), scored_ents()
    nlp.add_pipe("chance_eval", config={"allow_overlap": False})  # entities never overlap
    ours, both = alone.evaluate(examples()), nlp.evaluate(examples())
    assert {key: both[key] for key in ours if key != "speed"} == {
        key: value for key, value in ours.items() if key != "speed"
    }


def test_a_scorer_that_is_added_later_is_seen_when_it_scores():
    nlp = pipeline({"first": True}, encoding="BIO")
    nlp.get_pipe("entity_ruler").scorer = make_ner_scorer()
    with pytest.raises(ValueError, match="'entity_ruler' and 'chance_eval' would report"):
        nlp.evaluate(examples())


@pytest.mark.parametrize(
    ("scorer", "config", "refused"),
    [
        ({}, {"layers": ["spans:genes"]}, False),
        ({}, {"layers": ["spans:genes"], "allow_overlap": False}, True),
        ({"allow_overlap": False}, {"layers": ["spans:genes"]}, True),
        ({"allow_overlap": False}, {"layers": ["spans:genes"], "allow_overlap": False}, False),
        ({"chance": "nested"}, {"layers": ["spans:genes"]}, True),
        ({"chance": "nested"}, {"layers": ["spans:sc"]}, False),
        ({"spans_key": "ents", "chance": "nested"}, {"prefix": "spans"}, True),
    ],
    ids=["same", "filters", "is filtered", "both filter", "chance", "other group", "prefix"],
)
def test_a_scorer_of_span_groups_is_compared_as_well(scorer, config, refused):
    nlp = spacy.blank("xx")
    scorer = {"@scorers": "spacy-chance-eval.spancat_scorer.v1", **scorer}
    nlp.add_pipe("spancat", config={"spans_key": "genes", "scorer": scorer})
    if refused:
        with pytest.raises(ValueError, match="'spancat' and 'chance_eval' would report"):
            nlp.add_pipe("chance_eval", config=config)
    else:
        nlp.add_pipe("chance_eval", config=config)


def test_a_component_keeps_no_pipeline_when_pickled():
    component = pickle.loads(pickle.dumps(pipeline({"last": True}).get_pipe("chance_eval")))
    assert component.nlp() is None and component.score_names


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"prefix": "a b"}, "prefix is 'a b'; expected letters"),
        *(({"layers": layers}, "layer") for layers in ("ents", [3], [["ents", None]])),
    ],
)
def test_settings_that_mean_nothing_are_one_message(settings, message):
    with pytest.raises(ValueError, match=message):
        ChanceEval(**settings)


@pytest.mark.parametrize("layers", [["ents", "spans:ents"], ["spans:corrected"]])
def test_layers_whose_scores_would_have_one_name_are_refused(layers):
    with pytest.raises(ValueError, match="would have the same names"):
        ChanceEval(layers=layers)
