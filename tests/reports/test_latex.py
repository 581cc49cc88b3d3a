"""LaTeX tables: well formed whatever names contain, and the numbers of the other formats."""

import re
import shutil
import subprocess
from string import ascii_letters, printable

import pytest

from helpers import agreements, comparisons
from helpers.agreements import OF_CORRECTION
from helpers.boards import METRICS, NAMES, RESAMPLING, board, result
from helpers.cases import each_case
from helpers.snapshots import compare_with_snapshot
from spacy_chance_eval.reports.agreement import agreement_report
from spacy_chance_eval.reports.compare import compare_report
from spacy_chance_eval.reports.latex import (
    LONG,
    cell,
    escape,
    named,
    report_tex,
    signature_tex,
)
from spacy_chance_eval.reports.leaderboard import board_report
from spacy_chance_eval.reports.scores import score_report
from spacy_chance_eval.reports.words import interval_of, interval_text, number

LATIN = {*map(chr, range(0xA1, 0x17F))} - {*"ĦħĸĿŀŉŦŧ"}  # of the encoding T1
SPECIAL = "\\{}$&#%_^~<>|\"`'[]*-="
PLAIN = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
    r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"\symbol{34}": '"',
    r"\textasciigrave{}": "`", **{f"\\{sign}": sign for sign in "{}$&#%_"},
}  # fmt: skip
ROW = {"observed": 0.5, "expected": 0.1, "corrected": 0.4444, "gold": 3, "pred": 4}
SCORE = {
    **ROW, "is_corrected": True, "name": "span_f(beta=1.0)", "macro": ROW, "macro_docs": None,
    "per_doc": None,
    "per_label": {"PER": ROW, SPECIAL: dict.fromkeys(ROW)}, "standard_error": None,
    "signature": "span_f(beta=1.0)|docs=2|v=0",
    "resampling": "bootstrap,100,7,percentile,0.9,articles",
    "p_value": None, "low": 0.1234, "high": 0.7, "relations": None,
}  # fmt: skip
LAYER = {
    "gold_layer": "gold_1", "pred_layer": "ents", "n_docs": 2, "n_gold": 3, "n_pred": 4,
    "n_skipped": 0, "n_unplaced": 0, "scores": {"span_f": SCORE},
}  # fmt: skip


def scores(**fields):
    return {"layers": [{**LAYER, **fields}]}


def team():
    """An agreement of three annotators with hostile names, a pair of whom shares nothing."""
    names = ("ann", SPECIAL, "cy_d")
    gap = agreements.score(None, reason=f"nothing in common & {SPECIAL}", n_docs=0)
    some = agreements.score(-0.25, 0.5, 0.6, limits=[-0.5, 0.1])
    metric = agreements.metric(names=names, pair=lambda *both: gap if "ann" in both else some)
    other = agreements.metric("las", names, symmetric=False)
    return agreements.result(metric, other, names=names, resamples=100, sources=["a_b.jsonl"])


def check(tex):
    """Whether braces and environments are closed, and rows as long as the table is wide."""
    text = re.sub(r"(?<!\\)%.*", "", tex)
    depth = 0
    for sign in re.findall(r"\\.|[{}]", text):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
    assert depth == 0
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    labels = re.findall(r"\\label\{(tab:[a-z0-9-]+)\}", text)
    assert labels and len({*labels}) == len(labels)
    for width, body in tabulars(tex):
        assert {cells(row) for row in body} == {width}


def tabulars(tex):
    """The number of columns of each table, and its rows."""
    found = re.findall(
        r"\\begin\{(?:tabular|longtable)\}\{([lr]+)\}\n(.*?)\\end\{(?:tabular|longtable)\}",
        tex,
        re.DOTALL,
    )
    return [
        (len(columns), [row for row in body.split("\n") if row.endswith(r" \\")])
        for columns, body in found
    ]


def cells(row):
    """The number of columns that a row fills."""
    wide = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", row))
    return len(re.findall(r"(?<!\\)&", row)) + 1 + wide


def plain(tex):
    """The text that escaped LaTeX shows."""
    text = re.sub("|".join(map(re.escape, PLAIN)), lambda found: PLAIN[found.group()], tex)
    return re.sub(r"(?<=[-',])\{\}", "", text)


def leaderboard_tex(found):
    return report_tex(board_report(found))


def score_tex(found):
    return report_tex(score_report(found))


def compare_tex(found):
    return report_tex(compare_report(found))


# --- text from the data


@each_case(
    "text", [SPECIAL, *SPECIAL, "a--b", "''", ",,", "\n\x00\x1b", "中文 ، عربي", "".join(LATIN)]
)
def test_a_text_is_shown_as_it_is(text):
    shown = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
    assert plain(escape(text)) == shown
    assert not re.search(r"(?<!\\)[#$%&_^~]", escape(text))
    assert "\n" not in escape(text)


def test_signs_do_not_join_to_others():
    assert escape("a--b") == "a-{}-b"
    assert escape("''") == "'{}'"


@each_case(
    ("text", "tex"),
    [
        ("-", "--"),
        ("- (0)", "-- (0)"),
        ("-.5", "$-$.5"),
        ("+0.5", "+0.5"),
        ("2 (1-3)", "2 (1--3)"),
        ("<.0001", "$<$.0001"),
        ("<=.0010", r"$\leq$.0010"),
        ("[-.1, .2]", r"{\scriptsize [$-$.1, .2]}"),
        ("", ""),
    ],
)
def test_numbers_become_cells(text, tex):
    assert cell(text) == tex


def test_a_signature_may_break_between_its_parts():
    assert signature_tex("a_b(c=1,d=2)|v=0") == (
        r"\texttt{a\_b(\allowbreak{}c=1,\allowbreak{}d=2)\textbar{}\allowbreak{}v=0}"
    )


# --- every kind of result


def of_groups(*groups, **fields):
    """A board of systems with given letters, the first of which is the best."""
    one = board("span_f", NAMES[: len(groups)])
    ranked = sorted(one["rows"], key=lambda row: row["rank"])
    group_of = {row["system"]: group for row, group in zip(ranked, groups)}
    for row in ranked:
        row["group"], row["observed_group"] = group_of[row["system"]], "a"
    for pair in one["pairs"]:
        letters = [group_of[pair[key]] for key in ("first", "second")]
        same = {*letters[0]} & {*letters[1]}
        pair["observed"] |= {"p_holm": 0.5}
        pair["corrected"] |= {"p_holm": 0.5 if same else 0.01, "decided": "?" not in letters[0]}
        pair["corrected"] |= {} if all(letters) else {"p_holm": None}
    found = result(NAMES[: len(groups)], ["span_f"], (), (), **fields)
    return leaderboard_tex({**found, "boards": [one]}), ranked[0]


def compared(p_value, distinct):
    """A comparison whose first metric is better, with such a test."""
    found = comparisons.result()
    metric = found["metrics"][0]
    total = metric["total"] = {**metric["total"], "verdict": "better", "distinct": distinct}
    for key in ("observed", "corrected"):
        total[key] = {**total[key], "p_value": p_value}
    return {**found, "metrics": [{**metric, "labels": []}]}


def compared_undefined():
    found = comparisons.result()
    metric = found["metrics"][0]
    metric["total"]["new"] = dict.fromkeys(metric["total"]["new"])
    metric["labels"][0]["old"] |= {"expected": 1.0, "corrected": None}
    return {**found, "metrics": [metric]}


def defined(pairs=True, **mean):
    """An agreement whose mean and team are defined, with pairs or of the team alone."""
    found = team()
    for metric in found["metrics"]:
        for key in ("mean", "team"):
            metric[key] |= {"observed": 0.5, "expected": 0.25}
    found["metrics"][1]["mean"] |= mean
    return found if pairs else {**found, "pairs": False}


def board_of(metric):
    """A board of one metric by its request."""
    found = result(labels=(), subsets=())
    return {**found, "boards": [{**found["boards"][0], "request": metric}]}


UNTESTED = {**RESAMPLING, "resamples": 0}
DISAGREEMENT = {"observed_disagreement": 0.25, "expected_disagreement": 0.75}
PLAIN_SCORE = {**SCORE, "is_corrected": False}
PLAIN_SCORE = {name: one for name, one in PLAIN_SCORE.items() if name not in OF_CORRECTION}
BITS = {**PLAIN_SCORE, "name": "slicm(matching=mutual)", "per_label": {}}
GONE = {**SCORE, "corrected": None, "expected": None}
RAW = {**PLAIN_SCORE, "name": "slicm()", "observed": 0.5}
TABLES = {
    "board": lambda: leaderboard_tex(result()),
    "uncorrected": lambda: leaderboard_tex(result(metrics=["slicm"])),
    "one": lambda: leaderboard_tex(result(NAMES[:1], labels=(), subsets=())),
    "special": lambda: leaderboard_tex(result([*SPECIAL], title=SPECIAL)),
    "of-span-f": lambda: leaderboard_tex(result(metrics=["span_f"], labels=["PER"], subsets=())),
    "undecided": lambda: of_groups("a?", "b")[0],
    "decided": lambda: of_groups("a", "b")[0],
    "board-untested": lambda: leaderboard_tex(result(labels=(), subsets=(), resampling=UNTESTED)),
    "lower-is-better": lambda: leaderboard_tex(board_of("error_rate()")),
    "higher-is-better": lambda: leaderboard_tex(board_of("span_f(beta=1.0)")),
    "score": lambda: score_tex(scores()),
    "two-layers": lambda: score_tex({"layers": [LAYER, {**LAYER, "gold_layer": "other"}]}),
    "bits": lambda: score_tex(scores(scores={"slicm": BITS})),
    "all-others-undefined": lambda: score_tex(scores(scores={"span_f": GONE, "slicm": RAW})),
    "agreement": lambda: report_tex(agreement_report(team())),
    "agreement-of-pairs": lambda: report_tex(agreement_report(defined())),
    "agreement-of-the-team": lambda: report_tex(agreement_report(defined(pairs=False))),
    "disagreement": lambda: report_tex(agreement_report(defined(**DISAGREEMENT))),
    "compare": lambda: compare_tex(comparisons.result()),
    "untested": lambda: compare_tex(comparisons.result(resamples=0)),
    "better": lambda: compare_tex(compared(0.01, True)),
    "may-be-chance": lambda: compare_tex(compared(0.3, False)),
    "not-tested": lambda: compare_tex(compared(None, None)),
    "undefined": lambda: compare_tex(compared_undefined()),
}


@each_case("name", TABLES)
def test_tables_are_as_they_were_and_well_formed(name):
    text = TABLES[name]()
    compare_with_snapshot(f"latex-{name}.tex", text)
    check(text)
    assert all(line.startswith("%") for line in text.split("\n\\begin")[0].split("\n"))
    assert r"\toprule" in text and r"\midrule" in text and r"\bottomrule" in text


def test_a_board_has_the_numbers_of_the_result():
    found = result(labels=(), subsets=())
    text = leaderboard_tex(found)
    for one in found["boards"]:
        for row in one["rows"]:
            start = f"{named(row['system'])} & {cell(number(row['observed']))}"
            line = next(line for line in text.split("\n") if line.startswith(start))
            low, high = interval_of(row, "observed")
            assert cell(interval_text((low, high))) in line
            if "corrected" in row:
                assert number(row["corrected"]) in line
                assert f"{row['rank_high']}) {row['group']}" in line


@each_case(
    ("groups", "is_bold"),
    [
        (("a", "b", "b"), True),
        (("a", "ab", "b"), False),
        (("a", "b", "a"), False),
        (("a?", "b", "b"), False),
        (("", "", ""), False),
        (("a",), False),
    ],
)
def test_the_best_is_bold_if_it_is_distinguished_from_all_others(groups, is_bold):
    text, best = of_groups(*groups)
    score = rf"\textbf{{{number(best['corrected'])}}}"
    assert (score in text) == is_bold
    assert text.count(r"\textbf") == is_bold


def test_a_long_board_runs_over_pages():
    names = [f"system {number}" for number in range(LONG + 1)]
    text = leaderboard_tex(result(names, ["span_f"], (), ()))
    check(text)
    assert r"\begin{longtable}" in text and r"\endhead" in text
    assert r"\usepackage{booktabs,longtable}" in text
    assert "longtable" not in leaderboard_tex(result(names[1:], ["span_f"], (), ()))


@each_case(("name", "fonts"), [("Łódź", False), ("系统", True), ("plain", False)])
def test_comments_say_which_program_has_the_characters(name, fonts):
    text = leaderboard_tex(result([name], ["span_f"], (), (), title="x", notes=[], left_out=[]))
    assert ("fontspec" in text) == fonts


# --- wide tables

LONG_LABELS = [f"LABEL_WITH_A_LONG_NAME_{n}" for n in range(9)]


def crowd():
    """An agreement of many annotators by many metrics."""
    names = [f"annotator_number_{n}" for n in range(1, 26)]
    metrics = (agreements.metric(f"metric_{n}", names) for n in range(9))
    return agreements.result(*metrics, names=names, resamples=100)


def test_the_matrix_of_many_annotators_has_every_pair_once():
    text = report_tex(agreement_report(crowd()))
    check(text)
    first = text.partition("labels")[0]
    rows = re.findall(r"^annotator.*", first, re.MULTILINE)
    assert sum(row.count("(") for row in rows) == 25 * 24 / 2


def test_long_names_and_headings_break():
    assert named("a name of words", 8) == r"\shortstack[l]{a name\\of words}"
    assert named("[x] [y] zz", 3) == r"\shortstack[l]{{}[x]\\{}[y]\\zz}"
    assert named("short_name") == r"short\_name"


# --- typeset


def compiled(tex, folder, program, preamble):
    """What a program of TeX says to a document with some tables."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    (folder / "tables.tex").write_text(tex, encoding="utf8")
    page = rf"\documentclass{{article}}{preamble}\usepackage{{booktabs,graphicx,longtable}}"
    page += r"\begin{document}\listoftables\input{tables}\end{document}"
    (folder / "page.tex").write_text(page, encoding="utf8")
    words = [program, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace")
    faults = re.findall(r"^!.*|^Overfull .hbox.* alignment.*", done.stdout, re.MULTILINE)
    return done.returncode, "\n".join(faults)


@pytest.mark.integration
def test_pdflatex_typesets_every_kind_of_table(tmp_path):
    names = [*SPECIAL, *sorted(LATIN), printable, ascii_letters, "[a]", "*b", "--", "''"]
    texts = [
        leaderboard_tex(result(names, METRICS, [SPECIAL], ())),
        leaderboard_tex(result([f"_{n}%" for n in range(LONG + 1)], ["span_f"], (), ())),
        score_tex(scores()),
        report_tex(agreement_report(team())),
        compare_tex(comparisons.result()),
    ]
    preamble = r"\usepackage[T1]{fontenc}"
    code, faults = compiled("\n".join(texts), tmp_path, "pdflatex", preamble)
    assert code == 0 and "!" not in faults


@pytest.mark.integration
def test_tables_are_no_wider_than_the_text_of_an_article(tmp_path):
    texts = [
        leaderboard_tex(result(metrics=METRICS)),
        leaderboard_tex(result([f"sys{n}" for n in range(LONG + 1)], ["span_f"], (), ())),
        leaderboard_tex(result([printable, ascii_letters], ["span_f"], LONG_LABELS, ())),
        score_tex(scores()),
        report_tex(agreement_report(crowd())),
        compare_tex(comparisons.result()),
    ]
    text = "\n".join(texts)
    preamble = r"\usepackage[T1]{fontenc}"
    assert compiled(text, tmp_path, "pdflatex", preamble) == (0, "")


@pytest.mark.integration
def test_xelatex_typesets_names_in_other_scripts(tmp_path):
    text = leaderboard_tex(result(["系统", "Łódź", "نظام"], ["span_f"], (), ()))
    assert compiled(text, tmp_path, "xelatex", r"\usepackage{fontspec}") == (0, "")
