"""A metric of `evaluate`: seqeval's scores of tags, and beside them scores beyond chance."""

import datasets
import evaluate

from spacy_chance_eval.integrations.huggingface import seqeval_scores

DESCRIPTION = """
Precision, recall and F1 of entities from tags, equal to those of the metric seqeval; beside them
the F1 that random annotation reaches, and F1 beyond chance, (F1 - expected) / (1 - expected).
"""

INPUTS = seqeval_scores.__doc__

CITATION = """
@inproceedings{li-etal-2024-estimating,
    title = "Estimating Agreement by Chance for Sequence Annotation",
    author = "Li, Diya and Ros{\\'e}, Carolyn and Yuan, Ao and Zhou, Chunxiao",
    booktitle = "Proceedings of the 62nd Annual Meeting of the Association for Computational
        Linguistics (Volume 1: Long Papers)",
    year = "2024",
    pages = "5085--5097",
    url = "https://aclanthology.org/2024.acl-long.278/",
}
"""

SETTINGS = ("scheme", "mode", "zero_division")


@evaluate.utils.file_utils.add_start_docstrings(DESCRIPTION, INPUTS)
class ChanceCorrectedNER(evaluate.Metric):
    """Scores of entities as observed, as expected by chance and beyond chance."""

    def _info(self):
        """The inputs, for `evaluate`."""
        tags = datasets.Sequence(datasets.Value("string", id="tag"), id="sequence")
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation=CITATION,
            inputs_description=INPUTS,
            features=datasets.Features({"predictions": tags, "references": tags}),
        )

    def _compute(self, predictions, references, sample_weight=None, **settings):
        """The scores."""
        if sample_weight is not None:  # seqeval takes it, and ignores it
            raise ValueError("sample_weight changes no score of entities; leave it out")
        unknown = sorted({*settings} - {*SETTINGS})
        if unknown:
            raise ValueError(f"unknown setting {unknown[0]!r}; expected {', '.join(SETTINGS)}")
        return seqeval_scores(predictions, references, **settings)
