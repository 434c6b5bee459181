"""The words of every diagnostic: titles, help and pages."""

from isocost.dsl.mending import dimension_notes, spelled

__all__ = ["dimension_notes", "spelled"]
