"""Benchmarks: each file measures one thing against a rival or a limit.

`make bench`, or `python -m benchmarks [NAME]...`. A benchmark is a module here whose
name has no leading underscore, with a function `run() -> Outcome`; it may raise
`Skip` when what it measures is not there. Ours and the rival's runs alternate, so
that a busy machine slows both.
"""
