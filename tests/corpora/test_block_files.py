"""Files of all formats and boundaries counted in many blocks: scores are those of one block."""

import csv
import json
import shutil

import pytest

from helpers.blocks import (
    check,
    folder,
    in_blocks,
    made,
    score,
    two_files,
    two_folders,
    written,
)
from spacy_chance_eval import Corpus, Document
from spacy_chance_eval.formats import FormatError
from spacy_chance_eval.formats.conll_out import write_conll

TEXT = "Ada met Rex."
BORDERS = [(0, 3), (4, 7), (8, 11), (11, 12)]


def borders(text):
    """Four tokens, of every text of the tests."""
    return [(start, end) for start, end in BORDERS if end <= len(text)]


# --- boundaries of files


@pytest.mark.parametrize("n_gold, n_pred", [(3, 5), (4, 1)])
def test_files_may_have_other_boundaries(n_gold, n_pred, tmp_path):
    check(*two_folders(tmp_path, made(17), n_gold, n_pred))


# --- layers and names


def test_names_that_occur_again_in_other_blocks_are_numbered(tmp_path):
    rows = [tuple(side | {"id": "same"} for side in both) for both in made(9, more=False)]
    layer = check(*two_folders(tmp_path, rows, 2, 3))
    assert list(layer["scores"]["span_f"]["per_doc"])[:2] == ["same", "same (2)"]


def test_layers_that_only_later_documents_have_are_found(tmp_path):
    rows = [{**gold, "layers": {"zoe": pred["spans"]}} for gold, pred in made(13, more=False)]
    for row in rows[:7]:
        del row["layers"]
    path = written(tmp_path / "all.jsonl", rows)
    check(path)
    check(f"{path}#zoe", f"{path}#spans")


def test_a_layer_is_chosen_among_those_of_all_documents(tmp_path):
    rows = [
        {key: one for key, one in gold.items() if key != "spans"}
        | {"layers": {"bob": gold["spans"], "amy": pred["spans"]}}
        for gold, pred in made(13, more=False)
    ]
    for row in rows[:7]:
        del row["layers"]["amy"]
    gold, pred = written(tmp_path / "a.jsonl", rows), tmp_path / "b.jsonl"
    shutil.copy(gold, pred)
    with pytest.raises(ValueError, match="none was named: amy, bob"):
        in_blocks(gold, pred)


def test_a_layer_that_no_document_has_is_an_error(tmp_path):
    files = two_files(tmp_path, made(9))
    for read_so in (in_blocks, score):
        with pytest.raises(ValueError, match="gold.jsonl has no layer 'zoe'; available: spans"):
            read_so(*files, layer="zoe")


def test_documents_that_nobody_annotated_on_both_sides_are_an_error(tmp_path):
    rows = [(gold | {"spans": None}, pred) for gold, pred in made(9, more=False)]
    with pytest.raises(ValueError, match="no document is annotated in both gold and prediction"):
        in_blocks(*two_files(tmp_path, rows))


# --- other order


@pytest.mark.parametrize("named", [True, False])
def test_files_called_alike_with_other_documents_are_one_block(named, one_block, tmp_path):
    gold, pred = zip(*made(12, named=named))
    one = folder(tmp_path / "gold", gold, 2)
    two = folder(tmp_path / "pred", pred, 2)
    for path, some in zip(sorted(two.iterdir()), (pred[:5], pred[5:])):
        written(path, some)
    assert score(one, two)["layers"][0]["n_docs"] > 0 and one_block


def test_tables_called_alike_with_other_documents_are_one_block(one_block, tmp_path):
    gold, pred = tables(tmp_path, 2)
    (pred / "part-0.csv").write_text((pred / "part-0.csv").read_text() + "x,0,1,LOC,9\n")
    with pytest.raises(FormatError, match="there is no document 'x'"):
        score(gold, pred)
    assert one_block


# --- formats


def conll_of(path, rows):
    """A CoNLL file of some documents; these have no names if they are articles."""
    documents = [
        Document(row["tokens"], {"gold": row["spans"]}, name=row.get("id"), sents=row["sents"])
        for row in rows
    ]
    plain_spans = [
        Document(
            one.words,
            {"gold": spans and [(s["start"], s["end"], s["label"]) for s in spans]},
            name=one.name,
            sents=one.sents,
        )
        for one, spans in zip(documents, (row["spans"] for row in rows))
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_conll(path, Corpus("", plain_spans))
    return path


def sentences(n_docs=13):
    """Rows without spans across sentences."""
    for gold, pred in made(n_docs, more=False):
        yield tuple(side | {"sents": [0] if side["tokens"] else []} for side in (gold, pred))


def test_columns_are_two_sides(tmp_path):
    path = tmp_path / "two.conll"
    tags = ["O O", "B-A B-A", "I-A O", "B-B I-B", "- O", "O B-B"]
    path.write_text("\n".join(f"w {tag}" + "\n" * (i % 4 == 0) for i, tag in enumerate(tags * 7)))
    check(path)
    signature = check(path, column=1, repair="drop")["scores"]["span_f"]["signature"]
    assert "repair=gold=drop,pred=conlleval" in signature or "repair=" in signature


def test_formats_may_be_mixed(tmp_path):
    rows = [row for row in sentences() if row[0]["tokens"]]
    for side, name in enumerate(("gold", "pred")):
        some = [row[side] for row in rows]
        conll_of(tmp_path / name / "a.conll", some[:5])
        written(tmp_path / name / "b.jsonl", some[5:])
    files = [tmp_path / "gold" / "*", tmp_path / "pred" / "*"]
    check(*files)
    gold, _ = two_files(tmp_path, rows)
    check(gold, files[1])


def tables(path, n_files):
    """Folders of tables of spans."""
    for name, side in zip(("gold", "pred"), zip(*made(17, more=False))):
        (path / name).mkdir()
        for i in range(n_files):
            with open(path / name / f"part-{i}.csv", "w", newline="") as file:
                table = csv.writer(file)
                table.writerow(["document", "start", "end", "label", "size"])
                for row in side[i::n_files]:
                    spans = row["spans"] or [{"start": "", "end": "", "label": ""}]
                    for span in spans:
                        table.writerow([row["id"], *span.values(), len(row["tokens"])])
    return path / "gold", path / "pred"


# --- characters


def characters(path, wrong=False):
    """Files of texts, some spans of which do not fit tokens."""
    spans = [[0, 3, "PER"], [8, 11, "PER"]]
    more = [[0, 3, "PER"], [8, 10, "PER"], [4, 7, "LOC"]]
    gold = [{"id": f"d{i}", "text": TEXT, "spans": spans[: i % 3]} for i in range(9)]
    pred = [row | {"spans": more[i % 3 :]} for i, row in enumerate(gold)]
    if wrong:
        gold[7]["spans"] = more
    return two_files(path, zip(gold, pred))


CHARACTERS = {"offsets": "char"}


def test_spans_that_fit_no_tokens_may_be_errors_or_not(tmp_path):
    wanted = CHARACTERS | {"tokenizer": borders}
    files = characters(tmp_path, wrong=True)
    for read_so in (in_blocks, score):
        with pytest.raises(FormatError, match="gold.jsonl:8: document 'd7': "):
            read_so(*files, **wanted)
    check(*files, **(wanted | {"misaligned": "unplaced"}))
    with pytest.raises(FormatError, match="pred.jsonl:1: document 'd0': "):
        gold, pred = characters(tmp_path)
        in_blocks(gold, f"{pred}#misaligned=error", **wanted)


def test_formats_without_a_word_on_spans_that_fit_no_tokens_are_read_all_the_same(tmp_path):
    rows = [{"text": TEXT, "label": [[0, 3, "PER"], [8, 10, "PER"]][: i % 3]} for i in range(9)]
    files = [written(tmp_path / f"{name}.jsonl", rows) for name in ("gold", "pred")]
    reading = {"format": "doccano", "misaligned": "unplaced", "tokenizer": borders}
    check(*files, **reading)


# --- messages


@pytest.mark.parametrize("kept", [0, 10**9])
def test_places_are_those_in_the_file(kept, tmp_path):
    files = characters(tmp_path, wrong=True)
    for path in files:
        rows = [json.loads(line) for line in open(path)]
        written(path, [{k: v for k, v in row.items() if k != "id"} for row in rows])
    with pytest.raises(FormatError, match="gold.jsonl:8: document 8: "):
        in_blocks(*files, **(CHARACTERS | {"tokenizer": borders}))


@pytest.mark.parametrize("named", [True, False])
def test_words_that_differ_are_named_with_their_document(named, tmp_path):
    rows = list(made(13, more=False, named=named))
    place = next(i for i in range(9, 13) if rows[i][1]["tokens"])
    rows[place][1]["tokens"] = ["other", *rows[place][1]["tokens"][1:]]
    files = two_files(tmp_path, rows)
    name = f"'d{place}'" if named else f"{place + 1}"
    for read_so in (in_blocks, score):
        with pytest.raises(
            FormatError, match=f"gold.jsonl:{place + 1}: token 1 of document {name}"
        ):
            read_so(*files)
