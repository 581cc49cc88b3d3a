import random

from spacy_chance_eval import formats
from spacy_chance_eval.formats.errors import FormatError

NER = "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|value"
ADA = ("1-1\t0-3\tAda", "1-2\t4-9\tByron", "1-3\t10-15\tslept")


def webanno(headers, cells, tokens=ADA, text="Ada Byron slept"):
    lines = ["#FORMAT=WebAnno TSV 3.3", *headers, "", "", f"#Text={text}"]
    return "\n".join([*lines, *(f"{one}\t{cell}\t" for one, cell in zip(tokens, cells)), ""])


NOTES = "#T_SP=webanno.custom.notes|value|value-2|why"
FIRST = ("1-1\t0-3\tAda", "1-2\t4-7\tmet", "1-3\t8-10\t\U0001f680")
NAMES = (r"A\|B[1]|\*[2]", r"\*[2]|x\->y\[1\][3]", r"\*[2]")
WHOLE = webanno([NER, NOTES], [f"{one}\t_\t_\t_" for one in NAMES], FIRST, "Ada met \U0001f680")
WHOLE += r"""
#Text=-> *
2-1	11-13	->	_	\_[4]	1[4]	a\nb[4]
2-2	14-15	*	_	\_[4]|\\[5]|\\[6]	1[4]|*[5]|*[6]	a\nb[4]|*[5]|c\;d[6]
"""


def test_damaged_files_raise_nothing_but_format_errors(tmp_path):
    sound = WHOLE.encode()
    rng = random.Random(17)
    for _ in range(300):
        data = bytearray(sound)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 3)] = rng.choice(
                [b"\t", b"\n", b"|", b"[9]", b"_", b"*", b"-", b".1", b"\\", b"#", b"\xff", b"999"]
            )
        (tmp_path / "a.tsv").write_bytes(data)
        try:
            corpus = formats.read_file(
                tmp_path / "a.tsv", formats.keys.Reading(format="webanno", role="pred")
            )
        except FormatError:
            continue
        for layer in corpus.layer_names:
            corpus.spans(layer)
