"""Which metric? The table of questions and answers that `choose` leads through.

The questions about spans follow the formal properties by which the paper of SL-ICM compares
metrics; those about coefficients, chance models and units go on from there.
"""

from dataclasses import dataclass, field

START = "task"


@dataclass(frozen=True)
class Answer:
    """One answer to a question: its word, what it means (may be empty), and where it leads.

    `then` is the name of the next question or of an advice; empty for the questions of `MODEL`.
    `sets` are parameters for the metrics of the advice, where they have them; `command` is the
    command that they are for, `options` are more of its options.
    """

    key: str
    says: str
    then: str = ""
    sets: dict = field(default_factory=dict)
    command: str | None = None
    options: str = ""


@dataclass(frozen=True)
class Question:
    """What is asked, and its answers."""

    ask: str
    answers: tuple


QUESTIONS = {
    "task": Question(
        "What is compared?",
        (
            Answer("gold", "predictions with a gold standard", "counts", command="score"),
            Answer(
                "annotators", "two or more annotators, none of them gold", "marks", command="agree"
            ),
        ),
    ),
    "counts": Question(
        "When is a span right?",
        (
            Answer("exact", "only with both borders and the label right", "span_f"),
            Answer("partial", "a part of it is worth something", "informative"),
            Answer(
                "relations",
                "GATE's way: count correct, partial, missing and spurious spans",
                "gate",
            ),
        ),
    ),
    "informative": Question(
        "Should unusual words weigh more than common ones?",
        (
            Answer("yes", "a span of unusual words is worth more", "information_corpus"),
            Answer("no", "it does not matter which words they are", "grouping"),
        ),
    ),
    "grouping": Question(
        "Should it cost something to cut one span in two, or to glue two of one label together?",
        (
            Answer("yes", "spans are things, and their number matters", "size_grouped"),
            Answer("no", "only the tokens inside matter", "size_loose"),
        ),
    ),
    "size_grouped": Question(
        "Should one wrong token cost less in a long span than in a short one?",
        (
            Answer("yes", "a long span is nearly right without it", "information"),
            Answer("no", "", "account"),
        ),
    ),
    "size_loose": Question(
        "Should one wrong token cost less in a long span than in a short one?",
        (
            Answer("yes", "each span is worth the same, and shares count", "int_f"),
            Answer("no", "each token is worth the same", "token_io"),
        ),
    ),
    "account": Question(
        "What shall be counted?",
        (
            Answer("tokens", "tokens, those at borders apart from those inside", "token_bioe"),
            Answer("neighbours", "for each token, the tokens it is together with", "bcubed_f"),
            Answer("pairs", "pairs of tokens of one span: long spans dominate", "link_f"),
        ),
    ),
    "gate": Question(
        "What else has to agree, or is counted?",
        (
            Answer("nothing", "borders and labels", "gate_average"),
            Answer("features", "attributes of the spans too", "gate_features"),
            Answer("ontology", "labels are near to or far from each other in an ontology", "bdm"),
            Answer("alarms", "false alarms per 1,000 tokens", "false_positives"),
        ),
    ),
    "marks": Question(
        "What did the annotators do?",
        (
            Answer("spans", "marked spans of any length, anywhere", "reading"),
            Answer("tokens", "gave each token a label, or none", "rare", {"items": "token"}),
            Answer(
                "documents",
                "gave each document a label",
                "rare",
                {"items": "category"},
                options="--categories",
            ),
            Answer("trees", "gave each sentence a tree: dependencies or phrases", "syntax_alpha"),
            Answer(
                "labels",
                "labelled spans; look only at those that both marked",
                "rare",
                {"items": "span"},
            ),
        ),
    ),
    "reading": Question(
        "How shall the agreement be read?",
        (
            Answer("f", "as the F of a system against gold", "counts"),
            Answer("alpha", "as a coefficient of reliability, for text with gaps", "reliable"),
        ),
    ),
    "reliable": Question(
        "What shall be reliable?",
        (
            Answer("all", "place and label together", "u_alpha"),
            Answer("places", "the places alone, whatever the label", "bar_u_alpha"),
            Answer("labels", "the labels, where both marked something", "cu_alpha"),
            Answer("borders", "how far borders are apart", "alpha_u"),
            Answer("alignment", "units aligned one by one, overlapping ones too", "gamma"),
        ),
    ),
    "rare": Question(
        "Is one value much more frequent than all the others?",
        (
            Answer("no", "", "team"),
            Answer("dull", "and it is of no interest, as tokens outside spans", "specific"),
            Answer("matters", "and agreeing on it counts too", "ac1"),
            Answer("grades", "values are grades, some nearer to each other than others", "ac2"),
        ),
    ),
    "team": Question(
        "How many annotators, and who saw what?",
        (
            Answer("two", "two, and both saw everything", "habits_two"),
            Answer("many", "three or more, and all saw everything", "habits_many"),
            Answer("gaps", "some did not see everything", "alpha"),
        ),
    ),
    "habits_two": Question(
        "Whom shall the number speak of?",
        (
            Answer("these", "these two people, each with habits of their own", "cohen"),
            Answer("any", "any two people who follow the guidelines", "scott"),
        ),
    ),
    "habits_many": Question(
        "Whom shall the number speak of?",
        (
            Answer("these", "these people, each with habits of their own", "davies"),
            Answer("any", "any people who follow the guidelines", "fleiss"),
        ),
    ),
}

# asked at last, of metrics that the random annotation model corrects
MODEL = {
    "overlap": Question(
        "Can spans of one label share a token, in one and the same annotation?",
        (
            Answer("no", "as in named entities"),
            Answer("nested", "but only as one inside the other", sets={"chance": "nested"}),
            Answer("crossing", "they may cross", sets={"chance": "overlapping"}),
        ),
    ),
    "unit": Question(
        "What did the annotators look at as a whole?",
        (
            Answer("doc", "documents"),
            Answer("sent", "single sentences, of documents cut into them", sets={"unit": "sent"}),
        ),
    ),
}
