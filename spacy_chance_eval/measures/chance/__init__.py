"""The random annotation model: where do the spans of an annotator fall by chance?

A random annotation keeps the number and the lengths of the spans of each label in each unit of text
and places them uniformly in the n tokens of the unit. Under the *disjoint* placement no two share a
token, under the *overlapping* placement each start is uniform by itself; *nested* spans are layers
of disjoint ones. `placement` has the distribution of one span, `expectation` the sums over a
corpus, `draws` random annotations for measures without a formula.

References
----------
Li et al. (2024), "Estimating Agreement by Chance for Sequence Annotation".
"""
