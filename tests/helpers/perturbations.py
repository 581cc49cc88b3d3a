"""A made-up result of the experiment with random errors, for its reports."""

METRICS = {
    "syntax_alpha(delta=plain)": "syntax_alpha(closeness=none,delta=plain,sample=0,seed=0)",
    "syntax_alpha(delta=diff)": "syntax_alpha(closeness=none,delta=diff,sample=0,seed=0)",
    "las": "las(ignore=none)",
}
PROBABILITIES = [0.1, 0.5, 1.0]
NOISES = ("both", "labels", "attachments")


def made(metrics=METRICS, *, treebank="gold.conllu", lowest=-2.5, undefined=()):
    """Two runs; values fall evenly from 0.9 to `lowest` for the second metric, to 0 for others."""
    rows = []
    for noise in NOISES:
        for place, p in enumerate(PROBABILITIES):
            for number, metric in enumerate(metrics):
                end = lowest if number == 1 else 0.0
                value = 0.9 + (end - 0.9) * place / (len(PROBABILITIES) - 1)
                values = [value - 0.05, value + 0.05]
                row = {"noise": noise, "probability": p, "metric": metric, "values": values}
                row |= {"mean": value, "lowest": values[0], "highest": values[1]}
                if (noise, metric) in undefined:
                    row |= {"values": [None] * 2, "mean": None, "lowest": None, "highest": None}
                rows.append(row)
    return {
        "treebank": treebank,
        "n_all": 120,
        "n_sentences": 100,
        "n_tokens": 1,
        "n_labels": 38,
        "runs": 2,
        "seed": 3,
        "probabilities": PROBABILITIES,
        "metrics": list(metrics),
        "requests": list(metrics.values()),
        "rows": rows,
        "version": "0.0",
    }
