"""A resolved document as JSON: what each block states, for programs of other languages.

`json_schema` describes the form; it is generated from the kinds, so that a reader who
validates against it knows every attribute.
"""

from typing import Any

from isocost.dsl.catalog import stated
from isocost.dsl.document import Block, Document, Fact
from isocost.dsl.intervals import number_of
from isocost.dsl.schema import KINDS
from isocost.dsl.units import Unit

SCHEMA = 1


def exported(document: Document) -> dict[str, Any]:
    """The statements of a document by block and path, bases folded in."""
    blocks = (*document.blocks.values(), *document.sources.values())
    return {
        "schema": SCHEMA,
        "blocks": [_block(block, document) for block in blocks],
        "lets": {name: _fact(let, document) for name, let in document.lets.items()},
        "conditions": [
            {"kind": c.kind, "text": c.why, "share": c.share, "file": c.file}
            for c in document.conditions
        ],
    }


def _block(block: Block, document: Document) -> dict[str, Any]:
    return {
        "kind": block.kind.name,
        "name": block.label,
        "title": block.title,
        "doc": block.doc,
        "extends": block.base,
        "file": block.file,
        "facts": {path: _fact(fact, document) for path, fact in block.facts.items()},
    }


def _fact(fact: Fact, document: Document) -> dict[str, Any]:
    number = number_of(fact.expr)
    out: dict[str, Any] = {
        "text": stated(document, fact),
        "formula": fact.formula,
        "sources": [{"key": c.key, "where": c.locator} for c in fact.cites],
        "doc": fact.doc,
        "stated_by": fact.owner,
    }
    if number is not None:
        out["si"] = number
    if fact.expr.op == "literal" and isinstance(fact.expr.value.unit, Unit):
        out["unit"] = fact.expr.value.unit.text
    return out


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what `exported` gives."""
    text: dict[str, Any] = {"type": "string"}
    fact = {
        "type": "object",
        "required": ["text", "formula", "sources", "doc", "stated_by"],
        "additionalProperties": False,
        "properties": {
            "text": {"type": "string", "description": "The value as it is written."},
            "formula": {"type": "boolean"},
            "sources": {
                "type": "array",
                "items": {"type": "object", "properties": {"key": text, "where": text}},
            },
            "doc": text,
            "stated_by": text,
            "si": {"type": "number", "description": "The number in base units."},
            "unit": text,
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "An exported Isocost document",
        "type": "object",
        "required": ["schema", "blocks", "lets", "conditions"],
        "properties": {
            "schema": {"const": SCHEMA},
            "blocks": {"type": "array", "items": {"oneOf": _kinds()}},
            "lets": {
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/fact"},
            },
            "conditions": {"type": "array", "items": {"type": "object"}},
        },
        "$defs": {"fact": fact},
    }


def _kinds() -> list[dict[str, Any]]:
    """One schema a kind: its attributes, scenarios' overrides and `let`s left open."""
    out = []
    for name, kind in sorted(KINDS.items()):
        plain = {
            path: {"$ref": "#/$defs/fact", "description": attribute.doc}
            for path, attribute in sorted(kind.attributes.items())
            if "[]" not in path
        }
        facts = {"type": "object", "properties": plain}
        out.append(
            {
                "type": "object",
                "required": ["kind", "name", "facts"],
                "description": kind.doc,
                "properties": {
                    "kind": {"const": name},
                    "name": {"type": "string"},
                    "facts": {
                        **facts,
                        "additionalProperties": {"$ref": "#/$defs/fact"},
                    },
                },
            }
        )
    return out
