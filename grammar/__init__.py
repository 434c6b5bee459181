"""The grammar's text and what is generated from it for editors. No code of its own."""

from importlib.resources import files


def text() -> str:
    """The Lark grammar of the scenario language."""
    return (files(__name__) / "isocost.lark").read_text(encoding="utf-8")
