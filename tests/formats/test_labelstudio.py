import json

import pytest

from helpers.cases import each_case
from spacy_chance_eval.formats.corpus import Corpus, Document
from spacy_chance_eval.formats.errors import FormatError
from spacy_chance_eval.formats.labelstudio import read_labelstudio

EMOJI = "💩This is an annotation."


@pytest.fixture
def reading(tmp_path):
    def read(*tasks, lines=False, **options):
        rows = [task if isinstance(task, str) else json.dumps(task) for task in tasks]
        text = "\n".join(rows) if lines else "[\n" + ",\n".join(rows) + "\n]"
        (tmp_path / "a.json").write_text(text, encoding="utf-8")
        return read_labelstudio(tmp_path / "a.json", **options)

    return read


def region(start, end, *labels, id="r1", **more):
    place = {"start": start, "end": end, "labels": list(labels or ("PER",))} | more
    return {"id": id, "from_name": "label", "to_name": "text", "type": "labels", "value": place}


def said(id="r1", type="choices", name="sure", **found):
    return {"id": id, "from_name": name, "to_name": "text", "type": type, "value": found}


def choice(*labels, name="topic"):
    return said("c1", "choices", name, choices=list(labels))


def by(who, *results, **more):
    return {"id": 1, "completed_by": who, "was_cancelled": False, "result": list(results)} | more


def task(*annotations, text="Ada slept", id=7, **more):
    return {"id": id, "data": {"text": text}, "annotations": list(annotations)} | more


def only(corpus):
    (document,) = corpus.documents
    return document


def test_each_annotator_is_a_layer(reading):
    corpus = reading(task(by(5, region(0, 3)), by({"id": 6, "email": "b@x.org"})))
    assert corpus == Corpus(
        "x",
        [Document((), {"5": [(0, 3, "PER")], "b@x.org": ()}, "7", text="Ada slept")],
        "char",
    )


def test_an_annotator_without_email_is_a_number(reading):
    assert only(reading(task(by({"id": 6})))).layers == {"6": ()}


def test_annotations_without_annotator_are_the_layer_spans(reading):
    one = {"id": 7, "data": {"text": "ab"}, "completions": [{"result": [region(0, 1)]}]}
    assert only(reading(one)).layers == {"spans": ((0, 1, "PER"),)}


def test_skipped_tasks_are_not_annotated(reading):
    corpus = reading(task(by("ada", was_cancelled=True), by("bob")), task(by("ada")))
    assert corpus.documents[0].layers == {"ada": None, "bob": ()}
    assert corpus.spans("bob").seen.tolist() == [True, False]


def test_a_skipped_task_gives_way_to_an_annotation_by_the_same_annotator(reading):
    skipped = by("ada", was_cancelled=True)
    for rows in ([skipped, by("ada")], [by("ada"), skipped]):
        assert only(reading(task(*rows))).layers == {"ada": ()}


def test_two_annotations_of_one_annotator_are_an_error_with_the_task(failing):
    message = failing(task(by("ada")), task(by("ada"), by("ada", region(0, 3)), id=8))
    assert message.startswith(":3: task 8: a second annotation by 'ada';")


def test_each_label_of_a_region_is_a_span(reading):
    assert only(reading(task(by("ada", region(0, 3, "A", "B"))))).layers["ada"] == (
        (0, 3, "A"), (0, 3, "B"))  # fmt: skip


def test_choices_for_the_text_are_categories(reading):
    corpus = reading(task(by("ada", choice("x", "y")), by("bob")))
    assert only(corpus).categories == {"ada": ("x", "y"), "bob": ()}
    assert only(corpus).layers == {}


def test_choices_of_several_controls_are_told_apart(reading):
    one = by("ada", choice("yes", name="new"), choice("yes", name="long"))
    assert only(reading(task(one))).categories == {"ada": ("long:yes", "new:yes")}


def test_a_skipped_task_has_no_categories(reading):
    corpus = reading(task(by("ada", was_cancelled=True)), task(by("ada", choice("x"))))
    assert corpus.categories("ada").seen.tolist() == [False, True]


def test_spans_and_categories_stand_side_by_side(reading):
    document = only(reading(task(by("ada", region(0, 3), choice("x")))))
    assert (document.layers, document.categories) == (
        {"ada": ((0, 3, "PER"),)}, {"ada": ("x",)})  # fmt: skip


@each_case(
    "result, expected",
    [
        (said(choices=["yes"]), "yes"),
        (said(choices=["b", "a"]), "a|b"),
        (said(type="rating", rating=3), 3),
        (said(type="number", number=0.5), 0.5),
        (said(type="textarea", text=["a", "b"]), "a\nb"),
        (said(type="textarea", text="a"), "a"),
    ],
)
def test_what_is_said_of_a_region_is_a_feature(reading, result, expected):
    document = only(reading(task(by("ada", result, region(0, 3)))))
    assert document.features == {"ada": {(0, 3, "PER"): {"sure": expected}}}
    assert document.categories == {}


def test_relations_and_other_controls_are_passed_over(reading):
    relation = {"from_id": "r1", "to_id": "r2", "type": "relation", "direction": "right"}
    text = said("t1", "textarea", text=["a note"])
    document = only(reading(task(by("ada", relation, text, region(0, 3)))))
    assert document.layers == {"ada": ((0, 3, "PER"),)}


def test_predictions_are_layers_if_asked_for(reading):
    one = task(by("ada"), predictions=[{"model_version": "m1", "result": [region(0, 3)]},
                                       {"result": []}])  # fmt: skip
    assert only(reading(one)).layers == {"ada": ()}
    expected = {"ada": (), "model:m1": ((0, 3, "PER"),), "model": ()}
    assert only(reading(one, predictions=True)).layers == expected


def test_the_only_string_is_the_text(reading):
    assert only(reading({"data": {"tweet": "ab", "n": 1}})).text == "ab"


def test_the_key_of_the_text_can_be_named_and_other_values_are_attributes(reading):
    one = task() | {"data": {"text": "no", "body": "ab", "n": 1, "list": [1]}}
    document = only(reading(one, text="body"))
    assert (document.text, document.attributes) == ("ab", {"text": "no", "n": 1})


def test_a_text_that_cannot_be_found_is_an_error(failing):
    message = failing({"id": 1, "data": {"a": "x", "b": "y"}})
    assert message.startswith(":2: task 1 has no text, but 'a', 'b'; name the key")
    assert failing(task(), text="body").startswith(":2: task 7 has no text 'body', but 'text'")


@pytest.mark.parametrize("start, end", [(12, 22), (13, 23)], ids=["code points", "UTF-16"])
def test_offsets_behind_an_emoji_are_told_by_the_text_of_the_region(reading, start, end):
    one = task(by("ada", region(start, end, text="annotation")), text=EMOJI)
    assert only(reading(one)).layers["ada"] == ((12, 22, "PER"),)


def test_each_annotation_may_count_in_its_way(reading):
    new, old = region(12, 22, text="annotation"), region(13, 23, text="annotation")
    document = only(reading(task(by("ada", new), by("bob", old), text=EMOJI)))
    assert document.layers["ada"] == document.layers["bob"]


def test_a_region_that_fits_both_ways_counts_as_the_others_of_the_file_do(reading):
    both, old = region(3, 4, text="a"), region(13, 23, text="annotation")
    corpus = reading(task(by("ada", both), text="😀aaaa"), task(by("ada", old), text=EMOJI))
    assert corpus.documents[0].layers["ada"] == ((2, 3, "PER"),)


def test_without_texts_of_regions_offsets_count_code_points_unless_told(reading):
    one = task(by("ada", region(2, 4)), text="😀 ab")
    assert only(reading(one)).layers["ada"] == ((2, 4, "PER"),)
    one = task(by("ada", region(3, 5)), text="😀 ab")
    assert only(reading(one, offsets="utf16")).layers["ada"] == ((2, 4, "PER"),)


def test_half_an_emoji_is_an_error(failing):
    message = failing(task(by("ada", region(1, 3)), text="😀 ab"), offsets="utf16")
    assert message.startswith(":2: task 7: region [1, 3) cuts a character in two;")


def test_the_text_of_a_region_may_differ_in_white_space(reading):
    one = task(by("ada", region(0, 5, text=" a\\nb c")), text="a\nb c")
    assert only(reading(one)).layers["ada"] == ((0, 5, "PER"),)


def test_another_text_at_the_offsets_is_an_error(failing):
    message = failing(task(by("ada", region(0, 3, text="Bob"))))
    assert message.startswith(':2: task 7: the text has "Ada" at [0, 3), but the region "Bob";')


@each_case(
    "bad",
    [
        region(0, 3, globalOffsets={"start": 0, "end": 3}),
        region(0, 3, startOffset=0, endOffset=3),
        region("/p[1]/text()[1]", "/p[1]/text()[1]"),
        region(0.5, 1.5),
        region(0, 3) | {"type": "hypertextlabels"},
        region(0, 3) | {"type": "rectanglelabels"},
    ],
)
def test_regions_of_anything_but_plain_text_are_an_error(failing, bad):
    assert "only regions of plain text can be read" in failing(task(by("ada", bad)))


@each_case(
    "bad, found",
    [
        ("{", "invalid JSON"),
        ("1", "a int, not an object"),
        ('{"id": NaN}', "invalid JSON (NaN is not JSON)"),
        ("[" * 100_000, "invalid JSON"),
        (task(id=[1]), "'id' is [1]"),
        (task(id=True), "'id' is true"),
        (task() | {"data": 1}, "'data' is 1"),
        (task() | {"annotations": {}}, "'annotations' is {}"),
        (task(1), "task 7: an annotation is 1"),
        (task(by([1])), "'completed_by' is [1]"),
        (task(by({"email": 1.5})), "'email' is 1.5"),
        (task(by("ada", 1)), "task 7: a result is 1"),
        (task(by("ada") | {"result": 1}), "'result' is 1"),
        (task(by("ada", {"type": "labels", "value": 1})), "'value' is 1"),
        (task(by("ada", region(0, 10))), "span PER [0, 10) among 9 characters"),
        (task(by("ada", region(-1, 1))), "span PER [-1, 1) among 9 characters"),
        (task(by("ada", region(2, 2))), "span PER [2, 2) among 9 characters"),
        (task(by("ada", region(0, 1, 5))), "a span has the label 5"),
        (task(by("ada", region(0, 1, labels=[]))), "task 7: region [0, 1) has no label"),
        (task(by("ada", choice(1))), "task 7: 'choices' is [1]"),
        (task(by("ada", choice("x") | {"from_name": 1})), "task 7: 'from_name' is 1"),
        ({"text": "a"}, "a task of JSON among tasks of JSON_MIN"),
    ],
)
def test_a_bad_task_is_an_error_with_its_line(failing, bad, found):
    message = failing(task(by("ada")), bad)
    assert message.startswith((f":3: {found}", f":4: {found}"))


def test_a_bad_prediction_is_an_error_if_asked_for(reading, failing):
    assert len(reading(task(predictions=[1])).documents) == 1
    assert failing(task(predictions=[1]), predictions=True).startswith(":2: task 7: a prediction")


def minimal(annotator, **more):
    return {"id": 7, "text": "Ada slept", "annotator": annotator, "lead_time": 3} | more


def test_json_min_is_grouped_by_annotators(reading):
    label = [{"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}]
    corpus = reading(minimal(1, label=label, genre="x"), minimal(2, genre="x"))
    assert corpus.documents == (
        Document((), {"1": [(0, 3, "PER")], "2": ()}, "7", text="Ada slept",
                 attributes={"genre": "x"}),
    )  # fmt: skip


def test_choices_of_json_min_are_categories_if_their_control_has_several_somewhere(reading):
    corpus = reading(minimal(1, topic={"choices": ["x", "y"]}), minimal(2, topic="x"))
    assert only(corpus).categories == {"1": ("x", "y"), "2": ("x",)}


def test_two_rows_of_json_min_by_one_annotator_are_an_error(failing):
    label = [{"start": 0, "end": 3, "labels": ["PER"]}]
    message = failing(minimal(1, label=label), minimal(1))
    assert message.startswith(":3: a second, other answer of '1'")


def test_lines_of_tasks_are_read_like_an_array(reading):
    tasks = task(by(5, region(0, 3))), task(by(5), id=8)
    assert reading(*tasks, lines=True) == reading(*tasks)


def test_the_shape_of_the_file_makes_no_difference(reading, tmp_path):
    expected = reading(task(by(5, region(0, 3))))
    path = tmp_path / "a.json"
    raw = path.read_bytes()
    for changed in (b"\xef\xbb\xbf" + raw, raw.replace(b"\n", b"\r\n"), b"\n\n" + raw + b"\n"):
        path.write_bytes(changed)
        assert read_labelstudio(path) == expected
    path.write_text(json.dumps(json.loads(raw), indent=4))
    assert read_labelstudio(path) == expected


def test_a_file_that_is_not_utf8_is_an_error(tmp_path):
    (tmp_path / "a.json").write_bytes('[{"data": {"text": "é"}}]'.encode("utf-16"))
    with pytest.raises(FormatError, match="not UTF-8 text"):
        read_labelstudio(tmp_path / "a.json")


@pytest.mark.parametrize("cut", range(1, 150, 7))
def test_a_truncated_file_is_an_error(tmp_path, cut):
    text = json.dumps([task(by(5, region(0, 3), choice("x")))])
    (tmp_path / "a.json").write_text(text[:-cut])
    with pytest.raises(FormatError):
        read_labelstudio(tmp_path / "a.json")


@pytest.mark.parametrize("options", [{"offsets": "byte"}, {"text": 5}], ids=str)
def test_an_unknown_option_is_an_error(reading, options):
    with pytest.raises(ValueError, match="unknown"):
        reading(task(), **options)


@pytest.mark.parametrize("kind", [{"choices": ["x"]}, [1], 5])
def test_a_type_that_is_no_string_is_an_error(failing, kind):
    task = {"id": 8, "data": {"body": "ab"}, "annotations": [{"result": [{"type": kind}]}]}
    assert "'type' is" in failing(task)
