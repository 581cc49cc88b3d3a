"""Which metric? What `choose` recommends at the end of each way, with reasons."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..formats.errors import did_you_mean
from ..measures.messages import quoted
from .catalog import CATALOG, METRICS


@dataclass(frozen=True)
class _Advice:
    """Metrics to use, why, when not to, and the page that explains them."""

    metrics: tuple[str, ...]
    why: str
    unless: str
    page: str
    options: str = ""


ADVICE = {
    "span_f": _Advice(
        ("span_f",),
        "It counts spans that are right in every respect, and is what most papers report.",
        "A near miss is worth nothing, and counts twice: as missed and as wrong.",
        "spans.md",
    ),
    "information_corpus": _Advice(
        ("slicm_norm(token_information=corpus)",),
        "It weighs words by how unusual they are in gold, and rare labels more than frequent ones.",
        "A span without its cheap first word must never score higher: then add rank=information.",
        "slicm.md",
    ),
    "information": _Advice(
        ("slicm_norm",),
        "It alone has all properties of the table: borders, splits, lengths and noise count.",
        "Rare labels must not weigh more than frequent ones: here they do. It can fall below 0.",
        "slicm.md",
    ),
    "int_f": _Advice(
        ("int_f",),
        "It gives each span the share of it that was found, so that all spans weigh the same.",
        "Splits and glued spans go unseen.",
        "spans.md",
    ),
    "token_io": _Advice(
        ("token_f",),
        "It counts tokens, and is easy to explain.",
        "Long spans dominate; splits and glued spans go unseen; chance is often high.",
        "spans.md",
    ),
    "token_bioe": _Advice(
        ("token_f(encoding=BIOE)",),
        "It counts tokens and sees where spans begin and end.",
        "Two slightly wrong borders cost more than one border that is far off.",
        "spans.md",
    ),
    "bcubed_f": _Advice(
        ("bcubed_f",),
        "It checks of each token whether it is grouped with the right ones.",
        "A token missed in a long span costs more than one missed in a short span.",
        "spans.md",
    ),
    "link_f": _Advice(
        ("link_f",),
        "It sees every split and every glued span.",
        "A span's weight grows with the square of its length.",
        "spans.md",
    ),
    "gate_average": _Advice(
        ("gate_f(mode=strict)", "gate_f(mode=lenient)", "gate_f(mode=average)"),
        "Users of GATE know it: strict and lenient F, and their mean.",
        "A span that overlaps by one token is as right as one that lacks one token.",
        "gate.md",
    ),
    "gate_features": _Advice(
        ("gate_f(features=all,mode=average)",),
        "It asks that the attributes of gold are in the prediction too.",
        "Some attributes matter more to you than others: then name those that count.",
        "gate.md",
    ),
    "bdm": _Advice(
        ("bdm_f(mode=average)",),
        "It gives a near label more than a far one.",
        "There is no ontology, or nearness in it is not nearness in use.",
        "gate.md",
        options="--bdm ONTOLOGY",
    ),
    "false_positives": _Advice(
        ("false_positives",),
        "It shows how often readers meet a false alarm, also in text without any gold span.",
        "Misses matter, too: report a recall beside it.",
        "gate.md",
    ),
    "u_alpha": _Advice(
        ("u_alpha",),
        "It compares every stretch of the continuum, gaps included, of all annotators at once.",
        "Text outside spans is most of the text and of no interest: look at cu_alpha too.",
        "unitizing.md",
    ),
    "bar_u_alpha": _Advice(
        ("bar_u_alpha",),
        "It merges all labels into one before it compares.",
        "Labels may differ by accident: then u_alpha tells of both.",
        "unitizing.md",
    ),
    "cu_alpha": _Advice(
        ("cu_alpha", "cu_coverage"),
        "It looks only where both have units; by label it is (k)u-alpha.",
        "The coverage is low: then it rests on few units.",
        "unitizing.md",
    ),
    "alpha_u": _Advice(
        ("alpha_u",),
        "It squares the distance of borders: small shifts cost little, large ones much.",
        "One long unit stands for many short ones: it is lenient there (see the page).",
        "unitizing.md",
    ),
    "syntax_alpha": _Advice(
        ("syntax_alpha",),
        "It compares whole trees, of any number of annotators, with those of other sentences.",
        "Heads matter, not shapes: two trees may differ in heads alone; look at las too.",
        "syntax.md",
    ),
    "attachment": _Advice(
        ("las", "uas"),
        "It counts words with the right head and relation, as is usual in comparisons of parsers.",
        "You want the numbers of the CoNLL 2018 shared task: then las(subtypes=strip).",
        "syntax.md",
    ),
    "parseval": _Advice(
        ("bracket_precision", "bracket_recall", "bracket_f", "complete_match"),
        "It counts constituents like the program evalb, as is usual in comparisons of parsers.",
        "One word attached wrongly can break several brackets; syntax_alpha compares whole trees.",
        "syntax.md",
    ),
    "replace": _Advice(
        ("span_f(chance=none)",),
        "It compares spans text by text: is a person or the model closer to the other people?",
        "Labels are of whole documents: then --categories, and no metric.",
        "replace.md",
        options="--candidate MODEL",
    ),
    "specific": _Advice(
        ("positive_agreement",),
        "It ignores items that nobody marked, and is F of the label for two annotators.",
        "You need a correction for chance.",
        "nominal.md",
    ),
    "ac1": _Advice(
        ("gwet_ac1", "krippendorff_alpha"),
        "It stays high where one value prevails, while kappa and alpha fall; report both.",
        "You report only one of them: then take alpha, the stricter one.",
        "nominal.md",
    ),
    "ac2": _Advice(
        ("gwet_ac2(weights=linear)",),
        "It forgives near grades; labels must be numbers, or pass a table in Python.",
        "Labels are names without an order.",
        "nominal.md",
    ),
    "cohen": _Advice(
        ("cohen_kappa",),
        "Chance has each annotator's own distribution of labels.",
        "You publish guidelines for others: different habits raise it.",
        "nominal.md",
    ),
    "scott": _Advice(
        ("scott_pi",),
        "Chance has one distribution for both, so that different habits count as disagreement.",
        "Not all items have both annotators.",
        "nominal.md",
    ),
    "davies": _Advice(
        ("davies_fleiss",),
        "Cohen's kappa for more than two: each has a distribution of their own.",
        "Annotators come and go.",
        "nominal.md",
    ),
    "fleiss": _Advice(
        ("fleiss_kappa",),
        "Scott's pi for more than two: one distribution for all.",
        "Items have different numbers of annotators: then take fleiss_cuzick.",
        "nominal.md",
    ),
    "alpha": _Advice(
        ("krippendorff_alpha",),
        "It takes any number of annotators, and items that some of them did not see.",
        "One value prevails: then it is low despite high agreement.",
        "nominal.md",
    ),
}


FIRST_QUESTION = "task"


@dataclass(frozen=True)
class _Answer:
    """One answer to a question: its word, its meaning (may be empty), and where it leads.

    `then` is the name of the next question or of an advice; empty for the questions of `MODEL`.
    `sets` are parameters for the metrics of the advice, where they have them; `command` is the
    command that they are for, `options` are more of its options.
    """

    key: str
    says: str
    then: str = ""
    sets: Mapping[str, str] = field(default_factory=dict)
    command: str | None = None
    options: str = ""


@dataclass(frozen=True)
class Question:
    """A question and its answers; the properties of Amigó et al. (2025) that decide it, if any."""

    ask: str
    answers: tuple[_Answer, ...]
    properties: tuple[str, ...] = ()


QUESTIONS = {
    "task": Question(
        "What do you compare?",
        (
            _Answer("gold", "predictions with a gold standard", "counts", command="score"),
            _Answer("parser", "a parser's trees with gold trees", "parsed", command="score"),
            _Answer(
                "annotators", "two or more annotators, none of them gold", "marks", command="agree"
            ),
            _Answer(
                "candidate",
                "a model with two or more annotators: may it replace one of them?",
                "replace",
                command="agree",
            ),
        ),
    ),
    "parsed": Question(
        "What kind of trees?",
        (
            _Answer("dependencies", "a head and a relation for each word", "attachment"),
            _Answer("phrases", "constituents, as in the Penn Treebank", "parseval"),
        ),
    ),
    "counts": Question(
        "When is a span right?",
        (
            _Answer("exact", "only with both borders and the label right", "span_f"),
            _Answer("partial", "a part of it is worth something", "informative"),
            _Answer(
                "relations",
                "GATE's way: count correct, partial, missing and spurious spans",
                "gate",
            ),
        ),
        ("overlap", "noise"),
    ),
    "informative": Question(
        "Should unusual words weigh more than common ones?",
        (
            _Answer("yes", "a span of unusual words is worth more", "information_corpus"),
            _Answer("no", "it does not matter which words they are", "grouping"),
        ),
        ("informativeness",),
    ),
    "grouping": Question(
        "Should it cost something to cut one span in two, or to glue two of one label together?",
        (
            _Answer("yes", "spans are units, and their number matters", "size_grouped"),
            _Answer("no", "only the tokens inside matter", "size_loose"),
        ),
        ("homogeneity", "completeness"),
    ),
    "size_grouped": Question(
        "Should one wrong token cost less in a long span than in a short one?",
        (
            _Answer("yes", "a long span is nearly right without it", "information"),
            _Answer("no", "", "account"),
        ),
        ("length vs captured", "length vs noisy"),
    ),
    "size_loose": Question(
        "Should one wrong token cost less in a long span than in a short one?",
        (
            _Answer("yes", "each span is worth the same, and shares count", "int_f"),
            _Answer("no", "each token is worth the same", "token_io"),
        ),
        ("length vs captured", "length vs noisy"),
    ),
    "account": Question(
        "What should be counted?",
        (
            _Answer("tokens", "tokens, those at borders apart from those inside", "token_bioe"),
            _Answer("neighbours", "for each token, the tokens it is together with", "bcubed_f"),
            _Answer("pairs", "pairs of tokens of one span: long spans dominate", "link_f"),
        ),
    ),
    "gate": Question(
        "What else must agree, or be counted?",
        (
            _Answer("nothing", "borders and labels", "gate_average"),
            _Answer("features", "attributes of the spans too", "gate_features"),
            _Answer("ontology", "an ontology says which labels are close to each other", "bdm"),
            _Answer("alarms", "false alarms per 1,000 tokens", "false_positives"),
        ),
    ),
    "marks": Question(
        "What did the annotators do?",
        (
            _Answer("spans", "marked spans of any length, anywhere", "reading"),
            _Answer("tokens", "gave each token a label, or none", "rare", {"items": "token"}),
            _Answer(
                "documents",
                "gave each document a label",
                "rare",
                {"items": "category"},
                options="--categories",
            ),
            _Answer("trees", "gave each sentence a tree: dependencies or phrases", "syntax_alpha"),
            _Answer(
                "labels",
                "labelled spans; look only at those that both marked",
                "rare",
                {"items": "span"},
            ),
        ),
    ),
    "reading": Question(
        "How should the agreement be read?",
        (
            _Answer("f", "as the F of a system against gold", "counts"),
            _Answer("alpha", "as a coefficient of reliability, for text with gaps", "reliable"),
        ),
    ),
    "reliable": Question(
        "What should be reliable?",
        (
            _Answer("all", "place and label together", "u_alpha"),
            _Answer("places", "the places alone, without the labels", "bar_u_alpha"),
            _Answer("labels", "the labels, where both marked something", "cu_alpha"),
            _Answer("borders", "how far borders are apart", "alpha_u"),
        ),
    ),
    "rare": Question(
        "Is one value much more frequent than all the others?",
        (
            _Answer("no", "", "team"),
            _Answer("dull", "and it is of no interest, like tokens outside spans", "specific"),
            _Answer("matters", "and agreeing on it counts too", "ac1"),
            _Answer("grades", "values are grades, some nearer to each other than others", "ac2"),
        ),
    ),
    "team": Question(
        "How many annotators, and who saw what?",
        (
            _Answer("two", "two, and both saw everything", "habits_two"),
            _Answer("many", "three or more, and all saw everything", "habits_many"),
            _Answer("gaps", "some did not see everything", "alpha"),
        ),
    ),
    "habits_two": Question(
        "Whom should the number describe?",
        (
            _Answer("these", "these two people, each with habits of their own", "cohen"),
            _Answer("any", "any two people who follow the guidelines", "scott"),
        ),
    ),
    "habits_many": Question(
        "Whom should the number describe?",
        (
            _Answer("these", "these people, each with habits of their own", "davies"),
            _Answer("any", "any people who follow the guidelines", "fleiss"),
        ),
    ),
}

# asked at last, of metrics that the random annotation model corrects
MODEL = {
    "overlap": Question(
        "Can spans of one label share a token, in one and the same annotation?",
        (
            _Answer("no", "as in named entities"),
            _Answer("nested", "but only as one inside the other", sets={"chance": "nested"}),
            _Answer("crossing", "they may cross", sets={"chance": "overlapping"}),
        ),
    ),
    "unit": Question(
        "What did the annotators look at as a whole?",
        (
            _Answer("doc", "documents"),
            _Answer("sent", "single sentences, of documents cut into them", sets={"unit": "sent"}),
        ),
    ),
}


ALL = QUESTIONS | MODEL
COMMANDS = {"score": "score GOLD PRED", "agree": "agree ALICE BOB"}
PLANS = {"score": "plan --gold GOLD PRED", "agree": "plan ALICE BOB"}

Taken: TypeAlias = list[tuple[str, _Answer]]  # the names of questions, and the answers given


def way(answers: Iterable[str]) -> tuple[Taken, str | None]:
    """Where answers lead: pairs of a question's name and the `_Answer` to it, and the name of the
    next question; None if nothing is left to ask.

    Examples
    --------
    >>> taken, name = way(["gold", "partial"])
    >>> [answer.key for _, answer in taken], name
    (['gold', 'partial'], 'informative')

    Raises
    ------
    ValueError
        For an answer that its question does not have, and for more answers than questions.
    """
    taken: Taken = []
    name: str | None = FIRST_QUESTION
    left = list(answers)
    while name and left:
        taken.append((name, _answer(name, left.pop(0))))
        name = _following(taken)
    if left:
        raise ValueError(f"the answer {quoted(left[0])} is one too many; leave it out")
    return taken, name


def _answer(name: str, key: str) -> _Answer:
    """The answer to a question that has a key."""
    question = ALL[name]
    for answer in question.answers:
        if answer.key == key.strip():
            return answer
    keys = [answer.key for answer in question.answers]
    hint = did_you_mean(key, keys)
    raise ValueError(
        f"{question.ask} {quoted(key)} is no answer{hint}; expected one of {', '.join(keys)}"
    )


def _following(taken: Taken) -> str | None:
    """The name of the question after the last one; None after all of them."""
    then = taken[-1][1].then
    if then in QUESTIONS:
        return then
    asked = {name for name, _ in taken}
    left = [name for name in MODEL if name not in asked]
    return left[0] if left and _has_model(_advice(taken)) else None


def _advice(taken: Taken) -> _Advice:
    """The advice at the end of a way."""
    return next(ADVICE[answer.then] for _, answer in taken if answer.then in ADVICE)


def _has_model(advice: _Advice) -> bool:
    """Whether the random annotation model corrects the metrics of an advice without being asked."""
    if any("chance=none" in text for text in advice.metrics):
        return False
    names = [text.partition("(")[0] for text in advice.metrics]
    return all(METRICS[name].parameters.get("chance", "none") != "none" for name in names)


def choose(answers: Sequence[str]) -> dict[str, Any]:
    """The advice that answers lead to, as a dict ready for JSON.

    Parameters
    ----------
    answers : sequence of str
        One to each question, in order.

    Returns
    -------
    dict
        "answers" (rows with "question", "answer" and "says"), "metrics", "why", "unless", "page",
        "command", the command line to run, and "plan", the one that says how many documents more
        it takes (None, where nothing can be planned).

    Examples
    --------
    >>> choose(["gold", "exact", "nested", "doc"])["command"]
    "spacy-chance-eval score GOLD PRED -m 'span_f(chance=nested)'"

    Raises
    ------
    ValueError
        Also if a question is left without an answer.
    """
    taken, left = way(answers)
    if left:
        known = ", ".join(answer.key for answer in ALL[left].answers)
        raise ValueError(
            f"an answer is missing: {ALL[left].ask} Expected one of {known}; give all answers in "
            f"order, as in --answers {','.join([*answers, ALL[left].answers[0].key])},..."
        )
    advice = _advice(taken)
    sets = {key: value for _, answer in taken for key, value in answer.sets.items()}
    metrics = [_with_parameters(text, sets) for text in advice.metrics]
    options = [f"-m {shlex.quote(text)}" for text in metrics]
    options += [*(answer.options for _, answer in taken if answer.options), advice.options]
    command = next(answer.command for _, answer in taken if answer.command)
    words = ["spacy-chance-eval", COMMANDS[command], *filter(None, options)]
    return {
        "answers": [
            {"question": ALL[name].ask, "answer": answer.key, "says": answer.says}
            for name, answer in taken
        ],
        "metrics": metrics,
        "why": advice.why,
        "unless": advice.unless,
        "page": f"docs/{advice.page}",
        "command": " ".join(words),
        "plan": _plan_command(command, metrics, options),
    }


def _plan_command(command: str, metrics: Sequence[str], options: Sequence[str]) -> str | None:
    """The command line that says how many documents more it takes; None for what it cannot plan.

    These are trees, closeness of labels, and candidates, of which `agree` says it itself.
    """
    trees = any(text.partition("(")[0] not in CATALOG for text in metrics)
    if trees or any(text.startswith(("--bdm", "--candidate")) for text in options):
        return None
    words = ["spacy-chance-eval", PLANS[command], *filter(None, options)]
    return " ".join(words)


def _with_parameters(text: str, sets: Mapping[str, str]) -> str:
    """A metric with more parameters, if it has them; its name alone if it needs none."""
    name, _, given = text.rstrip(")").partition("(")
    fits = [f"{key}={value}" for key, value in sets.items() if key in METRICS[name].parameters]
    inside = ",".join(sorted(filter(None, [*given.split(","), *fits])))
    return f"{name}({inside})" if inside else name


def chart() -> dict[str, Any]:
    """The whole chart as nested dicts: a question with its answers, each with what follows it.

    What follows is a question, an advice, or, where a question stands further up already, only its
    name as "see". The questions about the chance model come at last, as "model".
    """
    return {"root": _branch(FIRST_QUESTION, set()), "model": [_rows(name, set()) for name in MODEL]}


def _branch(name: str, seen: set[str]) -> dict[str, Any]:
    """The question or advice that follows an answer."""
    if name in ADVICE:
        advice = ADVICE[name]
        return {
            "advice": name,
            "metrics": list(advice.metrics),
            "why": advice.why,
            "unless": advice.unless,
            "page": advice.page,
            "model": _has_model(advice),
        }
    if name in seen:
        return {"see": name, "ask": QUESTIONS[name].ask}
    seen.add(name)
    return _rows(name, seen)


def _rows(name: str, seen: set[str]) -> dict[str, Any]:
    """A question with its answers and what follows each."""
    return {
        "question": name,
        "ask": ALL[name].ask,
        "properties": list(ALL[name].properties),
        "answers": [
            {"key": answer.key, "says": answer.says, "sets": answer.sets}
            | ({"then": _branch(answer.then, seen)} if answer.then else {})
            for answer in ALL[name].answers
        ],
    }
