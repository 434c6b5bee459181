"""What an editor asks of a text and a place in it, as pure functions.

Places are code points, as everywhere; `positions` turns them into an editor's lines
and columns. Nothing here knows the protocol: `isocost lsp` carries it.
"""
