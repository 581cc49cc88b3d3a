"""Pairing spans one to one: the pairs of greatest total weight, whatever the order of the input."""

import numpy as np


def best_pairs(i, j, weight):
    """Indices of the rows (i, j, weight) that form a one-to-one pairing of greatest total weight.

    With equal weights this is a maximum matching. Rows that compete with no other row are taken as
    they are; the others are solved component by component. Weights must not be negative.
    """
    i, j, weight = np.asarray(i), np.asarray(j), np.asarray(weight, float)
    if not len(i):
        return np.zeros(0, np.int64)
    alone = (np.bincount(i)[i] == 1) & (np.bincount(j)[j] == 1)
    chosen, solved = [np.flatnonzero(alone)], {}
    for rows in components(i, j, np.flatnonzero(~alone)):
        left, right = ranks(i[rows]), ranks(j[rows])
        share = weight[rows]
        key = left.tobytes(), right.tobytes(), share.tobytes()  # many components are alike
        if key not in solved:
            table = np.zeros((left.max() + 1, right.max() + 1))
            row_of = np.full(table.shape, -1)
            table[left, right], row_of[left, right] = share, np.arange(len(rows))
            column = assignment(table)
            taken = row_of[column >= 0, column[column >= 0]]
            solved[key] = taken[taken >= 0]
        chosen.append(rows[solved[key]])
    return np.sort(np.concatenate(chosen))


def ranks(numbers):
    """The rank of each number among the distinct ones."""
    place = {number: rank for rank, number in enumerate(sorted(set(numbers.tolist())))}
    return np.array([place[number] for number in numbers.tolist()])


def components(i, j, rows):
    """Row indices of each connected component of the bipartite graph of the given rows."""
    by_left, by_right = {}, {}
    ends = dict(zip(rows.tolist(), zip(i[rows].tolist(), j[rows].tolist())))
    for row, (left, right) in ends.items():
        by_left.setdefault(left, []).append(row)
        by_right.setdefault(right, []).append(row)
    waiting = dict.fromkeys(ends)
    while waiting:
        queue = [waiting.popitem()[0]]
        component = []
        while queue:
            row = queue.pop()
            component.append(row)
            left, right = ends[row]
            for near in by_left.pop(left, []) + by_right.pop(right, []):
                if near in waiting:
                    del waiting[near]
                    queue.append(near)
        yield np.array(sorted(component))


def assignment(weights):
    """Column of each row in a maximum-weight assignment of a matrix; past the last column: none.

    The Hungarian method with shortest augmenting paths, on a table widened by one idle column of
    weight 0 per row. Source: Jonker and Volgenant (1987).
    """
    n_rows, n_columns = weights.shape
    cost = np.hstack([-weights, np.zeros((n_rows, n_rows))])
    width = cost.shape[1]
    price_row, price = np.zeros(n_rows), np.zeros(width + 1)
    owner = np.full(width + 1, -1)  # the last column is where a new row starts
    for row in range(n_rows):
        owner[width], column = row, width
        shortest, before = np.full(width, np.inf), np.full(width, -1)
        done = np.zeros(width + 1, bool)
        while owner[column] >= 0:
            done[column] = True
            here = owner[column]
            reach = cost[here] - price_row[here] - price[:width]
            better = ~done[:width] & (reach < shortest)
            shortest[better], before[better] = reach[better], column
            open_columns = np.where(done[:width], np.inf, shortest)
            column = int(np.argmin(open_columns))
            step = open_columns[column]
            price_row[owner[done]] += step
            price[done] -= step
            shortest[~done[:width]] -= step
        while column != width:
            owner[column] = owner[before[column]]
            column = before[column]
    owned = np.flatnonzero(owner[:width] >= 0)
    columns = np.empty(n_rows, np.int64)
    columns[owner[owned]] = owned
    return np.where(columns < n_columns, columns, -1)
