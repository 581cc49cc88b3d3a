import random

from spacy_chance_eval import formats
from spacy_chance_eval.formats.errors import FormatError

PLUS = """# global.columns = ID FORM MISC NER
# sent_id = s1
# text = Ada gave it up
1\tAda\t_\tB-PER
2\tgave\t_\tO
3\tit\t_\tO
4-5\tupin\t_\t_
4\tup\t_\tO
# a comment inside
5\tin\tSpaceAfter=No\tB-LOC
5.1\tempty\t_\t_

# sent_id = s2
1\tOslo\t_\tO
"""


def test_damaged_files_raise_nothing_but_format_errors(tmp_path):
    rng = random.Random(17)
    for _ in range(300):
        data = bytearray(PLUS.encode())
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.randint(0, 3)] = rng.choice(
                [b"\t", b"\n", b"_", b"-", b".1", b"#", b"\xff", b"9", b"B-X"]
            )
        (tmp_path / "a.conllup").write_bytes(data)
        try:
            corpus = formats.read(tmp_path / "a.conllup", format="conllup", repair="begin")
        except FormatError:
            continue
        for layer in corpus.layer_names:
            corpus.spans(layer)
