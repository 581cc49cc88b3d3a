"""Which metric? The way that answers lead through the chart, and the advice at its end."""

import shlex

from .advice import ADVICE
from .choices import MODEL, QUESTIONS, START
from .request import METRICS

ALL = QUESTIONS | MODEL
COMMANDS = {"score": "score GOLD PRED", "agree": "agree ALICE BOB"}


def way(answers):
    """Where answers lead: those taken, as pairs of a question's name and an `Answer`, and the next
    question's name; None if nothing is left to ask.

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
    taken, name, left = [], START, list(answers)
    while name and left:
        taken.append((name, answer_of(name, left.pop(0))))
        name = following(taken)
    if left:
        raise ValueError(f"the answer {left[0]!r} is one too many; leave it out")
    return taken, name


def answer_of(name, key):
    """The answer to a question that has a key."""
    question = ALL[name]
    for answer in question.answers:
        if answer.key == key.strip():
            return answer
    known = ", ".join(answer.key for answer in question.answers)
    raise ValueError(f"{question.ask} {key!r} is no answer; expected one of {known}")


def following(taken):
    """The name of the question after the last one; None after all of them."""
    then = taken[-1][1].then
    if then in QUESTIONS:
        return then
    asked = {name for name, _ in taken}
    left = [name for name in MODEL if name not in asked]
    return left[0] if left and has_model(advice_of(taken)) else None


def advice_of(taken):
    """The advice at the end of a way."""
    return next(ADVICE[answer.then] for _, answer in taken if answer.then in ADVICE)


def has_model(advice):
    """Whether the random annotation model corrects the metrics of an advice without being asked."""
    names = [text.partition("(")[0] for text in advice.metrics]
    return all(METRICS[name].parameters.get("chance", "none") != "none" for name in names)


def choose(answers):
    """The advice that answers lead to, as a dict ready for JSON.

    Parameters
    ----------
    answers : sequence of str
        One to each question, in order.

    Returns
    -------
    dict
        "answers" (rows with "question", "answer" and "says"), "metrics", "why", "unless", "page",
        and "command", the command line to run.

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
    advice = advice_of(taken)
    sets = {key: value for _, answer in taken for key, value in answer.sets.items()}
    metrics = [with_parameters(text, sets) for text in advice.metrics]
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
    }


def with_parameters(text, sets):
    """A metric with more parameters, if it has them; its name alone if it needs none."""
    name, _, given = text.rstrip(")").partition("(")
    fits = [f"{key}={value}" for key, value in sets.items() if key in METRICS[name].parameters]
    inside = ",".join(sorted(filter(None, [*given.split(","), *fits])))
    return f"{name}({inside})" if inside else name


def chart():
    """The whole chart as nested dicts: a question with its answers, each with what follows it.

    What follows is a question, an advice, or, where a question stands further up already, only its
    name as "see". The questions about the chance model come at last, as "model".
    """
    return {"root": branch(START, set()), "model": [rows(name, set()) for name in MODEL]}


def branch(name, seen):
    """What follows an answer."""
    if name in ADVICE:
        advice = ADVICE[name]
        return {
            "advice": name,
            "metrics": list(advice.metrics),
            "why": advice.why,
            "unless": advice.unless,
            "page": advice.page,
            "model": has_model(advice),
        }
    if name in seen:
        return {"see": name, "ask": QUESTIONS[name].ask}
    seen.add(name)
    return rows(name, seen)


def rows(name, seen):
    """A question with its answers and what follows each."""
    return {
        "question": name,
        "ask": ALL[name].ask,
        "answers": [
            {"key": answer.key, "says": answer.says, "sets": answer.sets}
            | ({"then": branch(answer.then, seen)} if answer.then else {})
            for answer in ALL[name].answers
        ],
    }
