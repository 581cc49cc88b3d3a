"""Which metric? What `choose` recommends at the end of each way, with reasons."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Advice:
    """Metrics to use, why, when not to, and the page that explains them."""

    metrics: tuple
    why: str
    unless: str
    page: str
    options: str = ""


ADVICE = {
    "span_f": Advice(
        ("span_f",),
        "It counts spans that are right in every respect, and is what most papers report.",
        "A near miss is worth nothing, and counts twice: as missed and as wrong.",
        "spans.md",
    ),
    "information_corpus": Advice(
        ("slicm_norm(token_information=corpus)",),
        "It weighs words by how unusual they are in gold, and rare labels more than frequent ones.",
        "A span without its cheap first word shall never score higher: then add rank=information.",
        "slicm.md",
    ),
    "information": Advice(
        ("slicm_norm",),
        "It alone has all properties of the table: borders, splits, lengths and noise count.",
        "Rare labels shall not weigh more than frequent ones: they always do. It can fall below 0.",
        "slicm.md",
    ),
    "int_f": Advice(
        ("int_f",),
        "It gives each span the share of it that was found, whatever its length.",
        "Splits and glued spans go unseen.",
        "spans.md",
    ),
    "token_io": Advice(
        ("token_f",),
        "It counts tokens, and is easy to explain.",
        "Long spans dominate; splits and glued spans go unseen; chance is often high.",
        "spans.md",
    ),
    "token_bioe": Advice(
        ("token_f(encoding=BIOE)",),
        "It counts tokens and sees where spans begin and end.",
        "Two slightly wrong borders cost more than one border that is far off.",
        "spans.md",
    ),
    "bcubed_f": Advice(
        ("bcubed_f",),
        "It asks each token whether it is together with the right ones.",
        "A token missed in a long span costs more than one missed in a short span.",
        "spans.md",
    ),
    "link_f": Advice(
        ("link_f",),
        "It sees every split and every glued span.",
        "A span's weight grows with the square of its length.",
        "spans.md",
    ),
    "gate_average": Advice(
        ("gate_f(mode=strict)", "gate_f(mode=lenient)", "gate_f(mode=average)"),
        "It is what users of GATE know: strict and lenient F, and their mean.",
        "A span that overlaps by one token is as right as one that lacks one token.",
        "gate.md",
    ),
    "gate_features": Advice(
        ("gate_f(features=all,mode=average)",),
        "It asks that the attributes of gold are in the prediction too.",
        "The attributes are of different weight to you: then name those that count.",
        "gate.md",
    ),
    "bdm": Advice(
        ("bdm_f(mode=average)",),
        "It gives a near label more than a far one.",
        "There is no ontology, or nearness in it is not nearness in use.",
        "gate.md",
        options="--bdm ONTOLOGY",
    ),
    "false_positives": Advice(
        ("false_positives",),
        "It tells how often a reader is disturbed, also in text without any gold span.",
        "What is missed matters too: give it beside a recall.",
        "gate.md",
    ),
    "u_alpha": Advice(
        ("u_alpha",),
        "It compares every stretch of the continuum, gaps included, of all annotators at once.",
        "Text outside spans is most of the text and of no interest: look at cu_alpha too.",
        "unitizing.md",
    ),
    "bar_u_alpha": Advice(
        ("bar_u_alpha",),
        "It merges all labels into one before it compares.",
        "Labels may differ by accident: then u_alpha tells of both.",
        "unitizing.md",
    ),
    "cu_alpha": Advice(
        ("cu_alpha", "cu_coverage"),
        "It looks only where both have units; by label it is (k)u-alpha.",
        "The coverage is low: then it rests on little.",
        "unitizing.md",
    ),
    "alpha_u": Advice(
        ("alpha_u",),
        "It squares the distance of borders: small shifts cost little, large ones much.",
        "One long unit stands for many short ones: it is lenient there (see the page).",
        "unitizing.md",
    ),
    "gamma": Advice(
        ("gamma",),
        "It aligns units over several annotators, by place and label together.",
        "There are many documents: it needs about a second for each.",
        "unitizing.md",
    ),
    "syntax_alpha": Advice(
        ("syntax_alpha",),
        "It compares whole trees, of any number of annotators, with those of other sentences.",
        "Heads matter, not shapes: two trees may differ in heads alone; look at las too.",
        "syntax.md",
    ),
    "specific": Advice(
        ("positive_agreement",),
        "It leaves out what nobody marked, and is F of the label for two annotators.",
        "You need a correction for chance.",
        "nominal.md",
    ),
    "ac1": Advice(
        ("gwet_ac1", "krippendorff_alpha"),
        "It stays high where one value prevails, while kappa and alpha fall; report both.",
        "Only one of them is to be reported: then alpha, which is harder to please.",
        "nominal.md",
    ),
    "ac2": Advice(
        ("gwet_ac2(weights=linear)",),
        "It forgives near grades; labels have to be numbers, or give a table in Python.",
        "Labels are names without an order.",
        "nominal.md",
    ),
    "cohen": Advice(
        ("cohen_kappa",),
        "Chance has each annotator's own distribution of labels.",
        "You publish guidelines for others: different habits raise it.",
        "nominal.md",
    ),
    "scott": Advice(
        ("scott_pi",),
        "Chance has one distribution for both, so that different habits count as disagreement.",
        "Not all items have both annotators.",
        "nominal.md",
    ),
    "davies": Advice(
        ("davies_fleiss",),
        "Cohen's kappa for more than two: each has an own distribution.",
        "Annotators come and go.",
        "nominal.md",
    ),
    "fleiss": Advice(
        ("fleiss_kappa",),
        "Scott's pi for more than two: one distribution for all.",
        "Items have different numbers of annotators.",
        "nominal.md",
    ),
    "alpha": Advice(
        ("krippendorff_alpha",),
        "It takes any number of annotators, and items that some of them did not see.",
        "One value prevails: then it is low in spite of much agreement.",
        "nominal.md",
    ),
}
