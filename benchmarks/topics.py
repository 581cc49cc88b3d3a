"""The topics that `run.py` measures, each with rows of ours and of its peers."""


def topics():
    """{key: Topic}, in the order of the table."""
    import agreement_rows
    import file_rows
    import span_rows
    import tree_rows

    return {
        **span_rows.TOPICS,
        **agreement_rows.TOPICS,
        **tree_rows.TOPICS,
        **file_rows.TOPICS,
    }
