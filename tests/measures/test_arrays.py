"""Distinct values of arrays."""

import numpy as np
import pytest

from spacy_chance_eval.measures.arrays import distinct

RNG = np.random.default_rng(16)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, np.intp])
@pytest.mark.parametrize("shape", [0, 1, 50, (20, 3)], ids=str)
def test_distinct_values_are_those_of_numpy(dtype, shape):
    values = RNG.integers(0, 30, shape).astype(dtype)
    expected = np.unique(values)
    found = distinct(values)
    assert found.tolist() == expected.tolist() and found.dtype == expected.dtype


def test_distinct_records_are_those_of_numpy():
    values = RNG.integers(0, 3, (20, 2)).view("i8,i8").ravel()
    assert distinct(values).tolist() == np.unique(values).tolist()


def test_distinct_values_of_several_arrays_are_their_union():
    one, two = RNG.integers(-9, 9, (2, 12))
    assert distinct(one, two).tolist() == np.union1d(one, two).tolist()
