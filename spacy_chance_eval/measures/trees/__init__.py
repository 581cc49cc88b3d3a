"""Trees of syntax: their distances, and measures made of them."""

TREE_KINDS = ("dependency", "constituency")
CYCLES = ("error", "reachable")
BACKENDS = ("auto", "numpy", "numba")  # of tree edit distances
MATCH = ("auto", "id", "place")  # of sentences in several treebanks
TEXTS = ("error", "warn")  # what sentences are whose texts differ
UNLABELLED = "(no label)"  # as what outermost brackets without a label count
