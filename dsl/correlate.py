"""Matrices of rank correlation: which of them there can be.

A matrix of correlations must be positive definite: three inputs cannot all go against
each other. Draws get their ranks from normal scores, whose own correlation is
2 sin(pi r / 6) where ranks go together by r (Pearson 1907).
"""

import math
from typing import TypeAlias

Matrix: TypeAlias = "tuple[tuple[float, ...], ...]"

#: The least that a pivot may be: two inputs closer than this are one.
LEAST = 1e-9


def scores(ranks: Matrix) -> Matrix:
    """The correlation of normal scores that gives ranks theirs."""
    return tuple(
        tuple(
            1.0 if i == j else 2 * math.sin(math.pi * r / 6) for j, r in enumerate(row)
        )
        for i, row in enumerate(ranks)
    )


def possible(ranks: Matrix) -> bool:
    """Whether inputs can have these rank correlations."""
    matrix = scores(ranks)
    size = len(matrix)
    lower = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = matrix[i][j] - math.fsum(lower[i][k] * lower[j][k] for k in range(j))
            if i == j:
                if rest < LEAST:
                    return False
                lower[i][i] = math.sqrt(rest)
            else:
                lower[i][j] = rest / lower[j][j]
    return True


def nearest_factor(ranks: Matrix) -> float:
    """The largest factor, in hundredths, by which all of them are possible."""
    low, high = 0, 100
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high) if possible(times(ranks, middle / 100)) else (low, middle)
        )
    return low / 100


def times(ranks: Matrix, factor: float) -> Matrix:
    """The matrix with every correlation multiplied by a factor."""
    return tuple(
        tuple(1.0 if i == j else r * factor for j, r in enumerate(row))
        for i, row in enumerate(ranks)
    )
