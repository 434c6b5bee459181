"""Printers of the expression tree: Python, JavaScript, Excel, LaTeX and plain text."""


class NotPrintableError(Exception):
    """A tree has an operator that the language printed to has no function for."""
