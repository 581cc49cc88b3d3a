"""Commands and options of former versions, and what to do instead."""

from __future__ import annotations

from typing import NoReturn

from .running import complain

# A row counts where no command or option has its name.
GONE_COMMANDS = {
    "bdm": "write a file of closeness with convert places.csv places.bdm",
    "choose": "see docs/choose.md",
    "cite": "use metrics NAME --bibtex",
    "curves": "spaCy prints scores while it trains, and writes them with spacy.ConsoleLogger.v3",
    "explain": "use score GOLD SYSTEM --explain [DOC]",
    "fetch": "download with curl; workflows of the repository use its scripts/assets.py",
    "notes": "the board that score writes has the numbers, in JSON and CSV too",
    "pipeline": "use score GOLD PIPELINE",
    "perturb": "scripts/papers/skjaerholt.py --perturb FILE puts random errors into a treebank",
    "rank": "use score GOLD SYSTEM SYSTEM ...; --all prints what files have (-o board.html)",
    "save": "use score GOLD SYSTEM -o x.run",
    "simulate": "scripts/papers/chance.py and slicm.py make the papers' tables",
    "verify": "check with sha256sum -c; workflows of the repository use its scripts/assets.py",
}
_NO_GUESS = (
    "plan needs documents: runs, systems with --gold GOLD, or annotators; without any, Card "
)
_NO_GUESS += "et al. (2020) plan from a guess"
# A name may begin with that of the only command that lost it: "plan --per-doc".
_METRIC = "name it with a metric: -m "
_PYTHON = "the documented default holds; in Python, "
_AT_PATH = "name it behind the path of the prediction: PRED"
_AT_TARGET = "name it behind the file to write: FILE"
_KEYS = (
    *("token_column", "scheme", "repair", "misaligned", "offsets", "duplicates", "trim"),
    *("tokenizer", "type", "text", "texts", "cycles", "match", "batch_size"),
)
GONE_OPTIONS: dict[str, str] = {
    **{
        f"--{name.replace('_', '-')}": f"use --read {name}=VALUE, or PATH#{name}=VALUE of one file"
        for name in _KEYS
    },
    "--typesystem": "put it beside the file, as TypeSystem.xml",
    "--sizes": "give a column size, or --read texts=FILE",
    "--label-feature": "use --read feature=NAME, or PATH#feature=NAME of one file",
    "agree --annotator-field": "use --annotators KEY",
    "--annotator-field": "use --read annotator=KEY",
    "--by": "use --annotators file, layer, or the key of rows that names them",
    "--strip-subtypes": "use --read strip_subtypes=yes",
    "--skip-bad": "use --read skip_bad=yes",
    "--columns": "use --column 1,2",
    "agree --label": "use --read feature=NAME",
    "--pred-format": f"{_AT_PATH}#format=NAME",
    "--pred-column": f"{_AT_PATH}#COLUMN",
    "--pred-layer": f"{_AT_PATH}#LAYER; of pipelines --layer GOLD=PREDICTED",
    "--pred-repair": f"{_AT_PATH}#repair=begin",
    "--backend": "numba is used where it is installed",
    "--draws": f'{_METRIC}"slicm_norm(chance=disjoint,draws=100)"',
    "agree --chance": f'{_METRIC}"span_f(chance=nested)"',
    "plan --chance": f'{_METRIC}"span_f(chance=nested)"',
    "agree --unit": f'{_METRIC}"span_f(unit=document)"',
    "plan --unit": f'{_METRIC}"span_f(unit=document)"',
    "plan --items": f'{_METRIC}"krippendorff_alpha(items=span)"',
    "plan --resamples": f"{_PYTHON}plan has it",
    "--verbose-below": "use --below",
    "convert --to": f"{_AT_TARGET}#format=NAME",
    "convert --lang": f"{_AT_TARGET}#lang=en",
    "convert --ents": f"{_AT_TARGET}#ents=LAYER",
    "metrics --markdown": "the documentation has that page: docs/metrics.md",
    "--encoding": f'{_METRIC}"token_f(encoding=BIO)"',
    "--ignore-labels": f'{_METRIC}"span_f(labels=ignore)"; diff -m "gate_f(labels=ignore)"',
    "--token-information": f'{_METRIC}"slicm(token_information=corpus)"',
    "--mode": f'{_METRIC}"gate_f(mode=lenient)"',
    "--features": f'{_METRIC}"gate_f(features=all)"',
    "--beta": f'{_METRIC}"gate_f(beta=2)"',
    "--no-intervals": "use --resamples 0",
    "--interval": f"{_PYTHON}Resampling(interval=...) sets it",
    "--blocks": f"{_PYTHON}Resampling(blocks=...) sets it",
    "--test": f"{_PYTHON}Comparison(test=...) and replace_test(test=...) set it",
    "--alpha": "--level .95 sets intervals and, as 1 - level, the tests",
    "--fail-metric": "the first metric counts: -m span_f",
    "--on-mismatch": "a system that cannot be used is left out and named",
    "--on-unreadable": "a system that cannot be used is left out and named",
    "--sort": "boards are sorted by rank, documents by errors; pages sort by each column",
    "--bins": "numbers are divided into quartiles, or by thresholds: --subset length:10,20",
    "--title": "a board is called after gold, a run after its file",
    "--candidate-annotator": "use --candidate NAME",
    "--worst": "JSON has all documents (-o agreement.json)",
    "agree --per-doc": "JSON has all documents (-o agreement.json)",
    "--html-docs": "pages have the 200 documents that differ most, JSON has all of them",
    "--no-pairs": "pairs are compared, too; leave it out",
    "--pairs": "pairs are compared, of plan those next to each other; leave it out",
    "--pair": "rename labels where the file is read: PRED#rename=PER:Person",
    "--document": "pages find a document by its name; JSON has all of them (-o diff.json)",
    **dict.fromkeys(
        (
            "--epsilon",
            "--min-instances",
            "--instances",
            "--corrected",
            "--reliable",
        ),
        f"{_PYTHON}replace_test has it",
    ),
    "--power-samples": "the test of candidates does not forecast documents any more; leave it out",
    **{f"plan {name}": f"{_PYTHON}plan has it" for name in ("--score", "--force", "--level")},
    "--discontinuous": "spans with gaps are kept; if a measure refuses them, rewrite them in the "
    "file from the first to the last token, or as a span for each piece",
    "--candidates": "chance places spans among all tokens; leave it out",
    "--bad-rows": "write the answer [] where a refusal means that nothing was found; --on-error "
    "skip leaves such documents out",
    "--mention-match": "mentions are searched exactly, then whatever the case, quotes, dashes and "
    "blanks; correct the answers before, if other spellings count",
    "--mention-overlap": "mentions do not overlap; for nested names, have the model put tags into "
    "the text",
    "--exclude": "cut such passages out of the files, with the spans in them",
    **{
        f"plan {name}": _NO_GUESS
        for name in ("--support", "--f", "--difference", "--agreement", "--per-doc", "--expected")
    },
    "--gold-format": "name it behind the path of gold: GOLD#format=NAME",
    "--table10": "scripts/papers/chance.py --table10 BOARD.json prints it from the JSON of score",
    "--html": "name a folder for pages, or one page: -o pages/ or -o page.html",
    "--markdown": "name a file: -o summary.md",
    "--figure": "name a file: -o figure.svg or .pdf; ranks of a board: -o ranks.svg#figure=ranks",
    "--to": "the ending of -o decides: -o board.csv -o board.tex; -o - prints the JSON",
    "--errors": "a folder gets pages of each system's worst documents: -o pages/",
    "--adjudicate": "name a file for tasks to review: -o tasks.jsonl",
    "--take": "use --merge gold, pred or both, with -o new.jsonl",
    "--into": "use -o new.jsonl, with --merge gold, pred or both",
    "diff --ents": "name it behind the file: -o new.spacy#ents=spans:sc",
    "--p-values": "use --explain, which has them",
    "--annotations": "runs keep spans and words; -o x.run#text=no leaves out the words",
    "--doc": "use --explain DOC",
    "--tokens": "JSON has all tokens: --explain DOC -o why.json",
    "score --rank": f'{_METRIC}"slicm(rank=information)"',
    "--matching": f'{_METRIC}"slicm(matching=optimal)"',
    "--bdm": 'name the file in the metric: -m "bdm_f(closeness=places.bdm)"',
}


def refuse_gone_command(name: str) -> None:
    """End the program with exit code 2 and advice if there was a command of this name."""
    if name in GONE_COMMANDS:
        _refuse(f"the command {name}", GONE_COMMANDS[name])


def refuse_gone_option(name: str, command: str) -> None:
    """End the program with exit code 2 and advice if the command had this option."""
    advice = GONE_OPTIONS.get(f"{command} {name}", GONE_OPTIONS.get(name))
    if advice is not None:
        _refuse(name, advice)


def _refuse(what: str, advice: str) -> NoReturn:
    complain(f"{what} no longer exists: {advice}")
    raise SystemExit(2)
