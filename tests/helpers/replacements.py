"""Results of the alternative annotator test, made up."""

EPSILONS = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}


def annotator(name, difference, p_value, limit, rejected):
    """One annotator; without a difference one who could not be tested."""
    tested = difference is not None
    return {
        "annotator": name,
        "n_instances": 60 if tested else 4,
        "advantage_probability": 0.6 - difference / 2 if tested else None,
        "mean_difference": difference,
        "p_value": p_value,
        "limit": limit,
        "rejected": rejected,
        "test": "t" if tested else None,
        "reason": None if tested else "4 instances, fewer than 30",
    }


def candidate(name="gpt", rejected=(True, True, False), *, names="Ada Ben Cleo"):
    """One candidate; rejected is None for annotators who could not be tested."""
    rows = [
        annotator(who, None, None, None, None)
        if one is None
        else annotator(who, -0.1 if one else 0.15, 0.001 if one else 0.3, 0.0182, one)
        for who, one in zip(names.split(), rejected)
    ]
    n_tested = sum(one is not None for one in rejected)
    n_rejected = sum(map(bool, rejected))
    rate = n_rejected / n_tested if n_tested else None
    passed = None if rate is None else rate >= 0.5
    return {
        "candidate": name,
        "winning_rate": rate,
        "advantage_probability": None if rate is None else 0.61,
        "low": None if rate is None else 0.52,
        "high": None if rate is None else 0.7,
        "passed": passed,
        "n_rejected": n_rejected,
        "n_tested": n_tested,
        "n_instances": 60,
        "annotators": rows,
        "by_epsilon": [
            {"epsilon": one, "winning_rate": rate, "passed": passed} for one in (0.1, 0.15, 0.2)
        ],
        "reason": None if rate is not None else "no annotator has 30 instances",
    }


def result(*candidates, alpha=0.81, **more):
    """The result of a test."""
    resampling = {"resamples": 1000, "seed": 0, "interval": "percentile", "level": 0.95}
    return {
        "title": "humans.jsonl",
        "sources": ["humans.jsonl"],
        "candidate_sources": ["gpt.jsonl"],
        "metric": "span_f(beta=1.0,chance=none,unit=sentence)",
        "is_corrected": False,
        "signature": "replace_test(epsilon=0.2,metric=span_f(beta=1.0,chance=none,unit=sentence))|"
        "positions=token|docs=60|annotators=3|panel=6d6f6949|"
        "ci=bootstrap,1000,0,percentile,0.95,documents|v=0.1.0",
        "positions": "token",
        "unit": "documents",
        "clusters": "documents",
        "epsilon": 0.2,
        "epsilons": EPSILONS,
        "test": "auto",
        "q": 0.05,
        "min_instances": 30,
        "n_instances": 60,
        "annotators": ["Ada", "Ben", "Cleo"],
        "candidates": list(candidates) or [candidate()],
        "agreement": {
            "metric": "u_alpha",
            "corrected": alpha,
            "low": alpha - 0.04,
            "high": alpha + 0.04,
            "n_docs": 60,
            "threshold": 0.667,
            "reliable": alpha >= 0.667,
            "reason": None,
        },
        "resampling": {**resampling, "unit": "documents", "blocks": 0},
        "version": "0.1.0",
        "warnings": [],
        "notes": [],
        **more,
    }
