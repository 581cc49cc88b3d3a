"""Agreement on items: kappa, pi, Davies and Fleiss, Fleiss' kappa (and Cuzick), alpha, AC1, AC2.

Of the statistics that `items` counts. All share one form,

    (A_o - A_e) / (1 - A_e)   or, in disagreements,   1 - D_o / D_e

and differ in how the agreement that chance brings is estimated: the functions of coefficients give
the two, A_o and A_e, or D_o and D_e where they say so. A coefficient is 1 where all annotators
always agree, 0 at chance, below 0 under it, and nan where it is undefined: without items, and where
all items got one and the same value, so that chance alone would agree always.

Arrays have the shape of the labels of their statistics, (..., 1) or (..., n_labels).
"""

import numpy as np

from .arrays import FloatArray
from .items import Coincidences, Confusion, Weighted
from .stats import ratio

# --- two or more annotators who rated the same items


def observed_agreement(confusion: Confusion) -> FloatArray:
    """Share of the pairs of ratings that agree: percent agreement, from 0 to 1.

        A_o = sum_i agreeing pairs of item i / (I J (J - 1) / 2)

    for I items and J annotators; with two annotators the share of items on which they agree. nan
    without items.

    Examples
    --------
    >>> from spacy_chance_eval.measures.items import Confusion
    >>> confusion = Confusion(np.array([5]), np.array([10]), np.array([[[3, 7], [4, 6]]]))
    >>> observed_agreement(confusion).tolist()
    [0.5]
    """
    n_annotators = confusion.marginals.shape[-2]
    return ratio(confusion.agreeing, confusion.items * (n_annotators * (n_annotators - 1) / 2))


def davies_fleiss(confusion: Confusion) -> tuple[FloatArray, FloatArray]:
    """Agreement beyond chance, each annotator with their own distribution of values.

        A_e = mean over pairs of annotators j, l of sum_k p_jk p_lk

    p_jk is the share of value k with annotator j. Of two annotators it is Cohen's kappa, with

        A_e = sum_k p_k q_k

    of J annotators the coefficient (so it is not the mean of Cohen's kappas)

        1 - (I J^2 - sum_i sum_k Y_ik^2)
            / (I (J (J - 1) sum_k p_k (1 - p_k) + sum_k sum_j (p_jk - p_k)^2))

    with Y_ik annotators who gave value k to item i of I, and p_k the mean of p_jk. Only items that
    all annotators rated count. nan without items, and where all have one value.

    References
    ----------
    Cohen (1960), A coefficient of agreement for nominal scales. Davies and Fleiss (1982), Measuring
    agreement for multinomial data; the same coefficient in Conger (1980), Integration and
    generalization of kappas for multiple raters. Called multi-kappa by Artstein and Poesio (2008),
    Inter-coder agreement for computational linguistics.

    Examples
    --------
    >>> from spacy_chance_eval.measures.items import Confusion
    >>> marginals = np.array([[[3, 7], [4, 6], [3, 7]]])
    >>> observed, expected = davies_fleiss(Confusion(np.array([20]), np.array([10]), marginals))
    >>> ((observed - expected) / (1 - expected)).round(4).tolist()
    [0.2537]
    """
    marginals = np.asarray(confusion.marginals, float)
    n_annotators = marginals.shape[-2]
    all_pairs = (marginals.sum(axis=-2) ** 2).sum(axis=-1)  # sum over pairs j, l, also j = l
    alone = (marginals**2).sum(axis=(-2, -1))
    squares = np.asarray(confusion.items, float) ** 2
    expected = ratio(all_pairs - alone, squares * (n_annotators * (n_annotators - 1)))
    return observed_agreement(confusion), expected


def fleiss_kappa(confusion: Confusion) -> tuple[FloatArray, FloatArray]:
    """Agreement beyond chance, with one distribution of values for all annotators.

        A_e = sum_k p_k^2,   p_k = share of value k among all ratings

    Of two annotators it is Scott's pi, with A_e = sum_k ((p_k + q_k) / 2)^2, and the K of Siegel
    and Castellan. The coefficient is in [-1 / (J - 1), 1]; nan without items, and where all have
    one value. Only items that all annotators rated count.

    References
    ----------
    Scott (1955), Reliability of content analysis; Siegel and Castellan (1988), Nonparametric
    Statistics for the Behavioral Sciences. Fleiss (1971), Measuring nominal scale agreement among
    many raters. Called multi-pi by Artstein and Poesio (2008).
    """
    pooled = np.asarray(confusion.marginals, float).sum(axis=-2)
    ratings = np.asarray(confusion.items, float) * confusion.marginals.shape[-2]
    return observed_agreement(confusion), ratio((pooled**2).sum(axis=-1), ratings**2)


def pabak(confusion: Confusion) -> tuple[FloatArray, FloatArray]:
    """Agreement beyond chance without the effects of prevalence and bias (PABAK).

        A_e = 1 / K:   the coefficient of two values is 2 A_o - 1

    K is the number of values that occur. Beside Cohen's kappa it shows what unequal values and
    different habits do to that. The coefficient is in [-1 / (K - 1), 1]; nan without items, and
    where one value alone occurs. Of K values it is S of Bennett, Alpert and Goldstein (1954).

    References
    ----------
    Byrt, Bishop and Carlin (1993), Bias, prevalence and kappa.
    """
    n_values = (np.asarray(confusion.marginals).sum(axis=-2) > 0).sum(axis=-1)
    return observed_agreement(confusion), ratio(np.ones(n_values.shape), n_values)


def bias_index(confusion: Confusion) -> FloatArray:
    """How much two annotators differ in how often they use the values: from 0 (not) to 1.

        BI = sum_k |p_k - q_k| / 2,   of two values |b - c| / T

    p_k and q_k are the shares of value k; b and c of T items have one value with the first
    annotator alone, and with the second. Kappa rises with it. nan without items.

    References
    ----------
    Byrt, Bishop and Carlin (1993), Bias, prevalence and kappa, for two values.

    Examples
    --------
    >>> from spacy_chance_eval.measures.items import Confusion
    >>> confusion = Confusion(np.array([5]), np.array([10]), np.array([[[3, 7], [4, 6]]]))
    >>> bias_index(confusion).tolist()
    [0.1]
    """
    first, second = np.moveaxis(np.asarray(confusion.marginals, float), -2, 0)
    return ratio(np.abs(first - second).sum(axis=-1), 2 * np.asarray(confusion.items))


def prevalence_index(confusion: Confusion) -> FloatArray:
    """How unequally often two values occur: from 0 (equally) to 1 (one of them alone).

        PI = |a - d| / T

    Of T items a have one value with both annotators, d the other one; of more than two values, the
    most frequent one against all others. Kappa falls with it. nan without items.

    References
    ----------
    Byrt, Bishop and Carlin (1993), Bias, prevalence and kappa.

    Examples
    --------
    >>> from spacy_chance_eval.measures.items import Confusion
    >>> confusion = Confusion(np.array([5]), np.array([10]), np.array([[[3, 7], [4, 6]]]))
    >>> prevalence_index(confusion).tolist()
    [0.3]
    """
    most = np.asarray(confusion.marginals).sum(axis=-2).max(axis=-1, initial=0)  # 2 a + b + c
    return ratio(np.abs(most - confusion.items), confusion.items)


# --- any number of annotators, ratings may be missing


def percent_agreement(coincidences: Coincidences) -> FloatArray:
    """Mean over the items with two ratings or more of the share of their pairs that agree.

    From 0 to 1; nan without such items.

    Examples
    --------
    >>> from spacy_chance_eval.measures.items import Coincidences
    >>> two_of_three = Coincidences(*np.array([[2], [1.5]]), *[None] * 4)
    >>> percent_agreement(two_of_three).tolist()
    [0.75]
    """
    return ratio(coincidences.agreeing, coincidences.pairable)


def krippendorff_alpha(coincidences: Coincidences) -> tuple[FloatArray, FloatArray]:
    """Krippendorff's alpha for nominal data; ratings may be missing. Disagreements, D_o and D_e.

        alpha = 1 - D_o / D_e
        D_o = 1/n sum_i sum_k r_ik (r_i - r_ik) / (r_i - 1)
        D_e = sum_k n_k (n - n_k) / (n (n - 1))

    r_ik of the r_i ratings of item i have value k. Items with fewer than two ratings do not count,
    nor do their ratings in n_k, the number of ratings with value k, of n in all. At most 1; nan
    without items that have two ratings, and where all have one value.

    References
    ----------
    Krippendorff (2004), Content Analysis: An Introduction to Its Methodology, 2nd edition,
    chapter 11; Hayes and Krippendorff (2007), Answering the call for a standard reliability
    measure for coding data.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> from spacy_chance_eval.measures.items import coincidences
    >>> documents = [[(0, 2, "X")]], [[(1, 2, "X")]], [None]
    >>> team = [Spans.from_tuples(document, [3], ["X"]) for document in documents]
    >>> observed, expected = krippendorff_alpha(coincidences(team).total().whole)
    >>> (1 - observed / expected).round(4).tolist()
    [0.4444]
    """
    values = np.asarray(coincidences.values, float)
    ratings = values.sum(axis=-1)
    apart = (values * (ratings[..., None] - values)).sum(axis=-1)
    return ratio(coincidences.disagreeing, ratings), ratio(apart, ratings * (ratings - 1))


def fleiss_cuzick(coincidences: Coincidences) -> tuple[FloatArray, FloatArray]:
    """Fleiss' kappa where items have unequal numbers of ratings.

        1 - sum_i sum_k r_ik (r_i - r_ik) / r_i / ((n - I) sum_k p_k (1 - p_k))

    r_ik of the r_i ratings of item i have value k; n ratings of I items in all, p_k the share of
    value k among them. It is the coefficient of Fleiss and Cuzick for two values; of more, the mean
    of those of each value against the others, weighted by p_k (1 - p_k), as of Fleiss, Levin and
    Paik. Where all items have as many ratings it is `fleiss_kappa`. Items with fewer than two
    ratings do not count. At most 1; nan without items, and where all have one value.

    References
    ----------
    Fleiss and Cuzick (1979), The reliability of dichotomous judgments: unequal numbers of judges
    per subject, Applied Psychological Measurement 3; Fleiss, Levin and Paik (2003), Statistical
    Methods for Rates and Proportions, 3rd edition, section 18.3.
    """
    values = np.asarray(coincidences.values, float)
    ratings = values.sum(axis=-1)
    # sum of r_ik (r_i - r_ik) / r_i, from those over r_i - 1 and over r_i (r_i - 1)
    apart = coincidences.disagreeing - (coincidences.pairable - coincidences.agreeing)
    observed = 1 - ratio(apart, ratings - coincidences.pairable)
    return observed, ratio((values**2).sum(axis=-1), ratings**2)


def gwet_ac1(coincidences: Coincidences) -> tuple[FloatArray, FloatArray]:
    """Gwet's AC1: agreement beyond chance of nominal values; ratings may be missing.

        (A_o - A_e) / (1 - A_e)
        A_e = 1 / (q - 1) sum_k pi_k (1 - pi_k)

    `gwet_ac2` in which only equal values agree, with its pi_k and q. At most 1; nan without items
    that have two ratings, and where one value alone occurs.

    References
    ----------
    Gwet (2008), Computing inter-rater reliability and its variance in the presence of high
    agreement.
    """
    return _gwet(coincidences, np.eye(coincidences.values.shape[-1]))


def gwet_ac2(weighted: Weighted) -> tuple[FloatArray, FloatArray]:
    """Gwet's AC2: agreement beyond chance of values that may be close; ratings may be missing.

        (A_o - A_e) / (1 - A_e)
        A_o = mean over items with r_i >= 2 of sum_k r_ik (sum_l w_kl r_il - 1) / (r_i (r_i - 1))
        A_e = sum_kl w_kl / (q (q - 1)) sum_k pi_k (1 - pi_k)

    w_kl is the closeness of two values, pi_k the mean over items with a rating of r_ik / r_i, and q
    the number of values that occur, which are also those that w_kl is summed over. (Others let q be
    the number of values that annotators could have chosen.) Panels leave out documents that one
    annotator alone saw. With weights "identity" it is AC1. At most 1; nan without items that have
    two ratings, and where one value alone occurs.

    References
    ----------
    Gwet (2014), Handbook of Inter-Rater Reliability, 4th edition.

    Examples
    --------
    >>> from spacy_chance_eval.measures.spans import Spans
    >>> from spacy_chance_eval.measures.items import weighted_coincidences
    >>> documents = ["1", "2", "3", "3"], ["1", "3", "3", "2"]
    >>> team = [
    ...     Spans.from_tuples([[(0, 1, label)] for label in one], [1] * 4, ["1", "2", "3"])
    ...     for one in documents
    ... ]
    >>> total = weighted_coincidences(team, weights="linear").total().whole
    >>> observed, expected = gwet_ac2(total)
    >>> ((observed - expected) / (1 - expected)).round(4).tolist()
    [0.4783]
    """
    return _gwet(weighted.sums, weighted.closeness)


def _gwet(coincidences: Coincidences, closeness: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Observed and expected agreement of Gwet's coefficients."""
    items = coincidences.pairable + coincidences.single.sum(axis=-1)
    share = ratio(coincidences.shares + coincidences.single, items[..., None])
    occurs = ((coincidences.values + coincidences.single) > 0).astype(float)
    n_values, near = occurs.sum(axis=-1), ((occurs @ closeness) * occurs).sum(axis=-1)
    chance = (share * (1 - share)).sum(axis=-1)
    return percent_agreement(coincidences), chance * ratio(near, n_values * (n_values - 1))
