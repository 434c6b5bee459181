"""Part of Isocost."""
