"""A review for readers: terminal, Markdown comment, HTML, PDF, JSON.

`brief` turns an engine's review into rows of words; every rendering shows those rows
and nothing else, so that no two of them disagree.
"""

from isocost.reports.review.rows import Brief, Subject, brief

__all__ = ["Brief", "Subject", "brief"]
