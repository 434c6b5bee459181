"""Isocost: scenarios of AI clusters as text, their throughput and cost as a graph.

The root package holds the command line only. The language lives in `isocost.dsl`,
the numbers in `isocost.engine`, the documents in `isocost.reports`.
"""

__version__ = "0.1.0"
