"""Make the tables of docs/evidence.md: what chance gets on public corpora, and what it changes.

    python scripts/evidence.py DATA [--from URL] [--only counts|checkpoints]

Corpora and their commits stand in evidence.yml; git brings them into the folder DATA. --from says
where repositories are, with {repo}, {owner} and {name}: a server, or folders with git directories.
For `checkpoints` taggers are trained, a minute each; trainings that DATA has are not repeated.
"""

from __future__ import annotations

import argparse
import ast
import csv
import os
import re
import shutil
import subprocess
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import srsly

from spacy_chance_eval import Resampling, Spans, evaluate, read_compared, read_treebank, stored_run
from spacy_chance_eval.measures.resampling import holm

ROOT = Path(__file__).parents[1]

RESAMPLES = 4000  # with these p can be .05 after Holm's correction for 100 pairs
FEWEST = 30  # spans of a label: a score of fewer says hardly anything
RANGE = 0.05  # of token F by chance: corpora whose labels differ by less are not in their table
METRICS = ("span", "token")
TABLES = ("counts", "checkpoints")
T_95 = 2.776  # of Student's t with four degrees of freedom, for five seeds
Pairs = dict[tuple[str, str], tuple[Spans, Spans]]
Count = dict[str, Any]  # of a pair: its `labels`, `both` (saw a document), tables by metric
Scores = tuple[np.ndarray, np.ndarray, np.ndarray]  # observed, expected, corrected
Corpora = Sequence[tuple[Mapping[str, Any], dict[tuple[str, str], Count]]]
Group = tuple[str, str, dict[str, Scores]]  # a kind of things, the metric, their scores
Checkpoints = list[dict[str, Any]]


# --- reading


def checkout(corpus: Mapping[str, Any], data: Path, origin: str) -> Path:
    """The folder with the files of a corpus; git brings those that are not there."""
    owner, name = corpus["repo"].split("/")
    source, folder = origin.format(repo=corpus["repo"], owner=owner, name=name), data / name
    missing = [path for path in corpus["paths"] if not (folder / path).exists()]
    if not missing:
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    if "://" in source:
        store = data / f"{name}.git"
        if not store.exists():
            clone = ["git", "clone", "-q", "--bare", "--filter=blob:none", source, str(store)]
            subprocess.run(clone, check=True)
        source = str(store)
    place = subprocess.check_output(["git", "-C", source, "rev-parse", "--absolute-git-dir"])
    git = ["git", f"--git-dir={place.decode().strip()}", f"--work-tree={folder.resolve()}"]
    index = os.environ | {"GIT_INDEX_FILE": str(folder.resolve() / ".index")}
    subprocess.run([*git, "checkout", corpus["commit"], "--", *missing], env=index, check=True)
    return folder


def read_pair(corpus: Mapping[str, Any], *paths: Path) -> tuple[Spans, Spans]:
    """Two files or folders, aligned."""
    for pattern, text in corpus.get("replace", {}).items():
        for path in {*paths}:
            changed = re.sub(pattern, text, path.read_text(encoding="utf8"))
            path.write_text(changed, encoding="utf8")
    first, second = read_compared(*paths, **corpus.get("keys", {})).aligned()
    return first, second


def pairs_of(corpus: Mapping[str, Any], folder: Path) -> Pairs:
    """The pairs to compare: gold and each system, each two annotators, or gold and itself."""
    made = corpus | (MAKERS[corpus["make"]](folder) if "make" in corpus else {})
    if "annotators" not in made:
        systems = made.get("systems") or {"gold": made["gold"]}
        names = [("gold", system) for system in systems]
        paths = {"gold": made["gold"], **systems}
    else:
        paths = made["annotators"]
        names = list(combinations(paths, 2))
    if isinstance(next(iter(paths.values())), Spans):
        return {(a, b): (paths[a], paths[b]) for a, b in names}
    return {(a, b): read_pair(corpus, folder / paths[a], folder / paths[b]) for a, b in names}


def stretches(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Start and end of each stretch of neighbouring numbers."""
    members = {*numbers}
    starts = sorted(number for number in members if number - 1 not in members)
    ends = sorted(number + 1 for number in members if number + 1 not in members)
    return list(zip(starts, ends, strict=True))


def characters(folder: Path) -> dict[str, Any]:
    """Toxic Spans lists the numbers of all toxic characters."""
    with open(folder / "SemEval2021/data/tsd_test.csv", encoding="utf8", newline="") as file:
        rows = [
            {
                "text": row["text"],
                "spans": [[*ends, "TOXIC"] for ends in stretches(ast.literal_eval(row["spans"]))],
            }
            for row in csv.DictReader(file)
        ]
    srsly.write_jsonl(folder / "comments.jsonl", rows)
    return {"gold": "comments.jsonl"}


def attributions(folder: Path) -> dict[str, Any]:
    """PolNeAR has the annotator in names of files: a folder each, of what all six annotated."""
    files: dict[str, dict[str, Path]] = defaultdict(dict)
    for file in sorted(folder.glob("data/*/attributions/*.ann")):
        article, _, annotator = file.stem.rpartition("_")
        files[article][annotator] = file
    every = max(files.values(), key=len)
    for article, by_annotator in files.items():
        for annotator, file in by_annotator.items() if by_annotator.keys() == every.keys() else ():
            target = folder / annotator / f"{article}.ann"
            target.parent.mkdir(exist_ok=True)
            shutil.copy(file, target)
            shutil.copy(file.parents[1] / "text" / f"{article}.txt", target.with_suffix(".txt"))
    return {"annotators": {annotator: annotator for annotator in sorted(every)}}


def crowd(folder: Path) -> dict[str, Any]:
    """The Broad Twitter Corpus has which words a worker clicked, of one label in each job."""
    sizes, work = [], defaultdict(dict)
    for file in sorted(folder.glob("a.crowd-raw/a.*.json")):
        for unit in srsly.read_jsonl(file):
            for judgment in unit["results"]["judgments"]:
                clicked = [v for k, v in judgment["data"].items() if k.startswith("click_to_mark")]
                words = [int(word) for one in clicked for word in one]
                spans = [(*ends, file.stem[2:].upper()) for ends in stretches(words)]
                work[judgment["worker_id"]][len(sizes)] = spans
            sizes.append(len(judgment["unit_data"]["tokens"]))
    return {
        "annotators": {
            f"worker {worker}": Spans.from_tuples([*map(seen.get, range(len(sizes)))], sizes=sizes)
            for worker, seen in sorted(work.items(), key=lambda one: -len(one[1]))
        }
    }


MAKERS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "characters": characters,
    "attributions": attributions,
    "crowd": crowd,
}


# --- scores, resampled


def counted(pairs: Pairs, chance: str) -> dict[tuple[str, str], Count]:
    """Mass, matches and expected matches of each document and label, for each pair."""
    counts = {}
    for names, (first, second) in pairs.items():
        both = first.seen & second.seen
        if not both.any():
            continue
        metrics = {name: f"{name}_f(chance={chance})" for name in METRICS}
        run = stored_run(first, second, metrics, annotations="none")
        counts[names] = {"labels": run.counts.labels, "both": both}
        for name in METRICS:
            statistics = run.metric(name).statistics
            hits, expected = statistics.observed, statistics.expected
            mass = hits.gold + hits.pred
            if names[0] == names[1]:  # gold and itself: without spans that fit no tokens
                mass = 2 * hits.correct
            table = np.stack([mass, hits.correct, expected.correct])
            counts[names][name] = table * both[:, np.newaxis]
    return counts


@cache
def weights(corpus: str, n_docs: int) -> np.ndarray:
    """How often each resample has each document; the first has each once."""
    rng = np.random.default_rng(zlib.crc32(corpus.encode()))
    drawn = rng.multinomial(n_docs, np.full(n_docs, 1 / n_docs), RESAMPLES)
    return np.vstack([np.ones(n_docs), drawn])


def rows(counts: Iterable[Count], metric: str, label: str | None = None) -> np.ndarray:
    """Mass, matches and expected matches of each document; of all labels, or of one."""
    return sum(
        count[metric][:, :, [label in (None, name) for name in count["labels"]]].sum(2)
        for count in counts
    )


def divided(sums: np.ndarray) -> Scores:
    """Observed, expected and corrected scores."""
    mass, correct, by_chance = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        observed, expected = 2 * correct / mass, 2 * by_chance / mass
        return observed, expected, (observed - expected) / (1 - expected)


def resampled(corpus: str, *which: Any) -> Scores:
    """`divided` of all documents and of resamples."""
    table = rows(*which)
    return divided(table @ weights(corpus, table.shape[1]).T)


def p_value(differences: np.ndarray) -> float:
    """Of no difference: how rarely resamples have the other sign, doubled."""
    others = differences[1:]
    rare = min((~(others > 0)).sum(), (~(others < 0)).sum())
    return min(1.0, 2 * (1 + rare) / (1 + len(others)))


def orders(items: Mapping[str, Scores]) -> list[dict[str, Any]]:
    """For each pair of items: observed and corrected scores, and p-values of both differences."""
    found = []
    for one, two in combinations(items, 2):
        row: dict[str, Any] = {"names": (one, two)}
        for key, place in (("observed", 0), ("corrected", -1)):
            first, second = items[one][place], items[two][place]
            row |= {key: (first[0], second[0]), f"p_{key}": p_value(first - second)}
        row["reversed"] = (row["observed"][0] - row["observed"][1]) * (
            row["corrected"][0] - row["corrected"][1]
        ) < 0
        found.append(row)
    for key in ("p_observed", "p_corrected"):
        for row, p in zip(found, holm([row[key] for row in found]).tolist(), strict=True):
            row[key] = p
    return found


# --- checkpoints


def docs_of(spans: Spans, nlp: Any, most: int, start: float = 0, stop: float = 1) -> list[Any]:
    """Docs with entities, at most `most`: evenly spaced, from one share of all to another."""
    from spacy.tokens import Doc, Span

    marked = defaultdict(list)
    for doc, *span, label in zip(spans.doc, spans.start, spans.end, spans.label, strict=True):
        marked[doc].append((*map(int, span), spans.labels[label]))
    docs = []
    first, last = int(start * spans.n_docs), int(stop * spans.n_docs)
    for i in np.linspace(first, last - 1, min(most, last - first)).astype(int):
        words = spans.words[spans.offsets[i] : spans.offsets[i] + spans.sizes[i]]
        docs.append(Doc(nlp.vocab, words=list(words)))
        docs[-1].set_ents([Span(docs[-1], *span) for span in marked[i]])
    return docs


def training(parts: Mapping[str, Spans], seed: int, plan: Mapping[str, Any]) -> Checkpoints:
    """Scores on dev of all checkpoints of a small tagger, and on test of those that are chosen."""
    import spacy
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.util import fix_random_seed

    fix_random_seed(seed)
    nlp = spacy.blank("xx")
    shares = {} if "dev" in parts else {"train": (0, 0.9), "dev": (0.9, 1)}
    docs = {
        part: docs_of(parts.get(part, parts["train"]), nlp, most, *shares.get(part, ()))
        for part, most in plan["documents"].items()
    }
    blank = {
        part: [Doc(nlp.vocab, [token.text for token in doc]) for doc in some]
        for part, some in docs.items()
    }

    def scored(part: str) -> dict[str, list[float]]:
        pred = [*nlp.pipe(doc.copy() for doc in blank[part])]
        found = evaluate(docs[part], pred, ["span_f", "token_f"])
        return {
            name[:-2]: [one.observed or 0.0, one.corrected or 0.0] for name, one in found.items()
        }

    examples = [Example(*pair) for pair in zip(blank["train"], docs["train"], strict=True)]
    nlp.add_pipe("ner", config={"model": plan["model"]})
    optimizer = nlp.initialize(lambda: examples)
    rng, steps, models = np.random.default_rng(seed), [], []
    for step in range(1, plan["steps"] + 1):
        batch = [examples[i] for i in rng.choice(len(examples), plan["batch"], replace=False)]
        nlp.update(batch, sgd=optimizer, drop=0.1)
        if step % plan["every"] == 0:
            steps.append({"dev": scored("dev")})
            models.append(nlp.to_bytes(exclude=["vocab"]))
    for i in {chosen(steps, metric, key) for metric in METRICS for key in (0, 1)}:
        nlp.from_bytes(models[i], exclude=["vocab"])
        steps[i]["test"] = scored("test")
    return steps


def chosen(steps: Checkpoints, metric: str, key: int) -> int:
    """The first checkpoint with the best observed (0) or corrected (1) score on dev."""
    scores = [round(step["dev"][metric][key], 9) for step in steps]  # 0 and 1e-17 are a tie
    return scores.index(max(scores))


def trained(corpus: Mapping[str, Any], folder: Path, plan: Mapping[str, Any]) -> list[Checkpoints]:
    """The checkpoints of each seed; trainings are kept beside the files of the corpus."""
    parts: dict[str, Spans] = {}
    seeds = []
    for seed in range(plan["seeds"]):
        kept = folder / f"checkpoints-{corpus['name']}-{seed}.json"
        if not kept.exists():
            for part, path in corpus["checkpoints"].items() if not parts else ():
                parts[part] = read_pair(corpus, folder / path, folder / path)[0]
            srsly.write_json(kept, training(parts, seed, plan))
        seeds.append(srsly.read_json(kept))
    return seeds


# --- tables


def markdown(columns: str, body: Iterable[Sequence[Any]]) -> str:
    """A table, of which columns of numbers are aligned to the right."""
    names, lines = columns.split("|"), [[*map(shown, line)] for line in body]
    right = [all(re.fullmatch(r"[-\d.,]+", line[i]) for line in lines) for i in range(len(names))]
    rule = ["---:" if one else "---" for one in right]
    return "\n".join(f"| {' | '.join(line)} |" for line in [names, rule, *lines])


def shown(value: Any) -> str:
    """A score as .123, a count as 1,234, text as it is."""
    if isinstance(value, float):
        text = f"{value:.3f}".replace("-0.000", "0.000")
        return re.sub(r"^(-?)0\.", r"\1.", text)
    return f"{value:,}" if isinstance(value, int) else str(value)


def labels_of(counts: Sequence[Count]) -> list[str]:
    """Labels with enough spans, of all pairs together."""
    names = sorted({name for count in counts for name in count["labels"]})
    return [name for name in names if rows(counts, "span", name)[0].sum() >= 2 * FEWEST]


def corpora_table(corpora: Corpora) -> str:
    """What chance gets on each corpus; spans are those of a mean annotation."""
    body = []
    for corpus, pairs in corpora:
        counts, names = [*pairs.values()], [*pairs]
        what = "systems" if names[0][0] == "gold" else "pairs of annotators"
        what = "gold" if names == [("gold", "gold")] else f"{what}: {len(names)}"
        n_pairs = sum(count["both"].astype(int) for count in counts)
        spans = rows(counts, "span")[0] / 2 / np.maximum(n_pairs, 1)
        span, token = (rows(counts, metric).sum(1) for metric in METRICS)
        sizes = int((n_pairs > 0).sum()), round(spans.sum()), f"{token[0] / span[0]:.1f}"
        expected = [float(divided(sums)[1]) for sums in (span, token)]
        source = f"https://github.com/{corpus['repo']}/tree/{corpus['commit'][:10]}"
        body.append([f"[{corpus['name']}]({source})", corpus["kind"], what, *sizes, *expected])
    columns = "corpus|what|compared|documents|spans|tokens each|expected span F|expected token F"
    return markdown(columns, body)


def labels_table(corpora: Corpora) -> str:
    """The labels of each corpus of which chance finds the least and the most."""
    body = []
    for corpus, pairs in corpora:
        counts = [*pairs.values()]
        table = [
            [label, *(float(divided(rows(counts, one, label).sum(1))[1]) for one in METRICS)]
            for label in labels_of(counts)
        ]
        table.sort(key=lambda row: row[2])
        if table and table[-1][2] - table[0][2] >= RANGE:
            body.append([corpus["name"], *table[0], *table[-1]])
    return markdown("corpus|least by chance|span F|token F|most by chance|span F|token F", body)


def compared(corpora: Corpora) -> Iterator[Group]:
    """The things that are put in order: systems, annotators and labels of a corpus, and corpora."""
    corpora = [one for one in corpora if [*one[1]] != [("gold", "gold")]]
    for metric in METRICS:
        by, whole = f"{metric} F", {}
        for corpus, pairs in corpora:
            name, counts = corpus["name"], [*pairs.values()]
            whole[name] = resampled(name, counts, metric)
            found = {one: resampled(name, counts, metric, one) for one in labels_of(counts)}
            yield "labels", by, found
            kind = "systems" if "gold" in next(iter(pairs)) else "annotators"
            others = sorted({one for names in pairs for one in names} - {"gold"})
            of = {one: [pairs[names] for names in pairs if one in names] for one in others}
            of = {one: some for one, some in of.items() if labels_of(some)}
            if len(of) > 2:
                yield kind, by, {one: resampled(name, some, metric) for one, some in of.items()}
        yield "corpora", by, whole


def orders_tables(groups: Iterable[Group]) -> tuple[str, str]:
    """How many orders the correction reverses; the reversed ones that had been significant."""
    totals: dict[tuple[str, str], np.ndarray] = defaultdict(lambda: np.zeros(7, int))
    cases = []
    for kind, by, items in groups:
        for row in orders(items):
            before, after = sure = [row[key] < 0.05 for key in ("p_observed", "p_corrected")]
            turned = row["reversed"]
            reversals = [turned, turned and before, turned and after, turned and all(sure)]
            totals[kind, by] += np.array([True, *sure, *reversals])
            if turned and before:
                (a, b), (c, d) = (map(shown, row[key]) for key in ("observed", "corrected"))
                ps = row["p_observed"], row["p_corrected"]
                cases.append(
                    [by, " and ".join(row["names"]), f"{a}, {b}", ps[0], f"{c}, {d}", ps[1]]
                )
    body = [[f"{kind}, {by}", *map(int, numbers)] for (kind, by), numbers in sorted(totals.items())]
    columns = "order of|pairs|significant before|after|reversed|significant before|after|both"
    return markdown(columns, body), markdown("by|pair|observed|p|corrected|p", cases)


def treebanks(corpus: Mapping[str, Any], folder: Path) -> dict[str, Scores]:
    """LAS and alpha of each treebank, with normal replicates of the width of their intervals."""
    items = {}
    for number, (name, paths) in enumerate(corpus["annotators"].items()):
        first, second = (read_treebank(folder / path, cycles="reachable").trees() for path in paths)
        found = evaluate(first, second, ["las", "syntax_alpha"], intervals=Resampling(1000))
        rng, draws = np.random.default_rng(number), []
        for score in found.values():
            noise = rng.normal(0, (score.high - score.low) / 3.92, RESAMPLES)
            draws.append(score.headline + np.concatenate([[0.0], noise]))
        items[name] = (draws[0], draws[0], draws[1])
    return items


def checkpoints_table(trainings: Mapping[str, Sequence[Checkpoints]]) -> str:
    """Scores on test of what corrected F chose, against those of what observed F chose."""
    body = []
    for name, seeds in trainings.items():
        row = [name]
        for metric in METRICS:
            by_observed, by_corrected = (
                np.array([steps[chosen(steps, metric, key)]["test"][metric] for steps in seeds]).T
                for key in (0, 1)
            )
            for gains in (by_corrected - by_observed)[::-1]:  # of corrected F, of observed F
                signs = [str((np.sign(gains.round(9)) == sign).sum()) for sign in (1, 0, -1)]
                mean, half = gains.mean(), T_95 * gains.std(ddof=1) / len(gains) ** 0.5
                ends = [shown(float(one)) for one in (mean, mean - half, mean + half)]
                row.append("{}: {} [{}, {}]".format("/".join(signs), *ends))
        body.append(row)
    names = [f"{kind} {metric} F" for metric in METRICS for kind in ("corrected", "observed")]
    return markdown("|".join(["corpus", *names]), body)


def main() -> None:
    """Make tables, and put them into the page."""
    command = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    command.add_argument("data", type=Path)
    command.add_argument("--from", dest="origin", default="https://github.com/{repo}")
    command.add_argument("--only", nargs="+", choices=TABLES, default=TABLES)
    command.add_argument("--page", type=Path, default=ROOT / "docs/evidence.md")
    command.add_argument("--corpora", type=Path, default=Path(__file__).with_suffix(".yml"))
    asked = command.parse_args()
    listed = srsly.read_yaml(asked.corpora)
    folders = {one["name"]: checkout(one, asked.data, asked.origin) for one in listed["corpora"]}
    tables = {}
    if "counts" in asked.only:
        corpora = [
            (one, counted(pairs_of(one, folders[one["name"]]), one.get("chance", "disjoint")))
            for one in listed["corpora"]
        ]
        tables |= {"corpora": corpora_table(corpora), "labels": labels_table(corpora)}
        trees = treebanks(listed["trees"], checkout(listed["trees"], asked.data, asked.origin))
        groups = [*compared(corpora), ("treebanks", "LAS, alpha", trees)]
        tables["orders"], tables["reversals"] = orders_tables(groups)
    if "checkpoints" in asked.only:
        some = [one for one in listed["corpora"] if "checkpoints" in one]
        trainings = {
            one["name"]: trained(one, folders[one["name"]], listed["training"]) for one in some
        }
        tables["checkpoints"] = checkpoints_table(trainings)
    page = asked.page.read_text(encoding="utf8")
    for table in tables.values():  # each takes the place of the one with the same columns
        before, found, rest = page.partition(table.partition("\n")[0])
        if not found:
            raise SystemExit(f"{asked.page} has no table with these columns: {table[:80]}")
        _, gap, rest = rest.partition("\n\n")
        page = f"{before}{table}{gap}{rest}"
    asked.page.write_text(page, encoding="utf8")


if __name__ == "__main__":
    main()
