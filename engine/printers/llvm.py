"""Tapes as machine code: the compiled back end, an option for very many points.

A tape's operations become straight-line code over eight points at a time, so that what
lies between columns and results never leaves the core. What LLVM has no operation for
(kernels) cuts the tape: the code before it stores what the kernel and the code after
it need. Needs llvmlite; nothing else does.
"""

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from isocost.engine.tape import Op, Tape, Value, functions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: Points that one pass of the code computes: two registers of AVX-512, four of AVX2.
LANES = 8
#: Points that a call computes: stored values stay in cache.
PIECE = 512
#: Operations in one function: LLVM takes more than linear time for long ones.
LONGEST = 600
_INFIX = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_COMPARE = {
    "<": "olt",
    "<=": "ole",
    ">": "ogt",
    ">=": "oge",
    "==": "oeq",
    "!=": "une",
}
_CALLS = {
    "sqrt": "llvm.sqrt",
    "log": "llvm.log",
    "exp": "llvm.exp",
    "abs": "llvm.fabs",
    "rint_up": "llvm.ceil",
    "rint_down": "llvm.floor",
    "^": "llvm.pow",
    "min": "llvm.minimum",
    "max": "llvm.maximum",
}
_LOGIC = {"and": "and", "or": "or"}
#: What LLVM can print.
PRINTED = frozenset(
    {*_INFIX, *_COMPARE, *_CALLS, *_LOGIC, "not", "neg", "if", "number"}
)
_VECTOR = f"<{LANES} x double>"
_BITS = f"<{LANES} x i1>"


class NoCompilerError(Exception):
    """llvmlite is not installed."""


@attrs.frozen
class _Part:
    """Operations of a tape from one to another: printed ones, or a single kernel."""

    start: int
    stop: int
    printed: bool


def parts(tape: Tape) -> list[_Part]:
    """The tape cut at kernels, and where a function would get too long."""
    out: list[_Part] = []
    for i, (op, _, _) in enumerate(tape.ops):
        printed = op in PRINTED
        last = out[-1] if out else None
        fits = last is not None and last.printed and last.stop - last.start < LONGEST
        if printed and fits and last is not None:
            out[-1] = attrs.evolve(last, stop=i + 1)
        else:
            out.append(_Part(i, i + 1, printed))
    return out


def _stored(tape: Tape, cut: Sequence[_Part]) -> list[int]:
    """The values that are used by another part than the one that makes them."""
    first = len(tape.inputs)
    part_of = {first + i: n for n, p in enumerate(cut) for i in range(p.start, p.stop)}
    out = {v for v in tape.wanted if not isinstance(v, float)}
    for n, part in enumerate(cut):
        for _, _, args in tape.ops[part.start : part.stop]:
            given = {a for a in args if not isinstance(a, float)}
            out |= {a for a in given if part_of.get(a, -1) != n}
        if not part.printed:
            out.add(first + part.start)
    return sorted(out | set(range(first)))


class _Printer:
    """One part as a function of the places of stored columns and a count of passes."""

    def __init__(self, tape: Tape, places: Mapping[int, int]) -> None:
        self.tape = tape
        self.places = places
        self.first = len(tape.inputs)
        self.truths = 0

    def function(self, name: str, part: _Part) -> str:
        """The function, in LLVM's assembly."""
        ops = list(self.tape.ops[part.start : part.stop])
        made = range(self.first + part.start, self.first + part.stop)
        used = {a for _, _, args in ops for a in args if not isinstance(a, float)}
        loaded = sorted(used - set(made))
        stored = [value for value in made if value in self.places]
        head, tail, row = [], [], self.places
        for value in [*loaded, *stored]:
            head += [
                f"  %q{value} = getelementptr ptr, ptr %places, i64 {row[value]}",
                f"  %p{value} = load ptr, ptr %q{value}, !invariant.load !0",
            ]
        body = [
            f"  %a{value} = getelementptr {_VECTOR}, ptr %p{value}, i64 %i"
            for value in [*loaded, *stored]
        ]
        for value in loaded:
            number = f"  %v{value} = load {_VECTOR}, ptr %a{value}, align 8"
            if self.tape.truth(value):
                number = number.replace(f"%v{value}", f"%n{value}")
                zero = f"fcmp une {_VECTOR} %n{value}, zeroinitializer"
                number += f"\n  %v{value} = {zero}"
            body.append(number)
        for value, op in zip(made, ops, strict=True):
            body += self._operation(value, op)
        for value in stored:
            name_ = f"%v{value}"
            if self.tape.truth(value):
                tail.append(f"  %s{value} = uitofp {_BITS} {name_} to {_VECTOR}")
                name_ = f"%s{value}"
            tail.append(f"  store {_VECTOR} {name_}, ptr %a{value}, align 8")
        return "\n".join(
            [
                f"define void @{name}(ptr noalias %places, i64 %passes) {{",
                "start:",
                *head,
                "  br label %loop",
                "loop:",
                "  %i = phi i64 [ 0, %start ], [ %next, %loop ]",
                *body,
                *tail,
                "  %next = add nuw i64 %i, 1",
                "  %more = icmp ult i64 %next, %passes",
                "  br i1 %more, label %loop, label %end",
                "end:",
                "  ret void",
                "}",
            ]
        )

    def _at(self, value: Value) -> str:
        if not isinstance(value, float):
            return f"%v{value}"
        import struct

        bits = struct.unpack("<Q", struct.pack("<d", value))[0]
        return "<" + ", ".join([f"double 0x{bits:016X}"] * LANES) + ">"

    def _bits(self, value: Value) -> tuple[list[str], str]:
        """A value as truth: as it is, or whether it is other than nil."""
        if not isinstance(value, float) and self.tape.truth(value):
            return [], f"%v{value}"
        self.truths += 1
        test = f"fcmp une {_VECTOR} {self._at(value)}, zeroinitializer"
        return [f"  %t{self.truths} = {test}"], f"%t{self.truths}"

    def _operation(self, value: int, op: Op) -> list[str]:
        name, _, args = op
        out = f"  %v{value} ="
        at = list(map(self._at, args))
        if name in _INFIX:
            return [f"{out} {_INFIX[name]} {_VECTOR} {at[0]}, {at[1]}"]
        if name in _COMPARE:
            return [f"{out} fcmp {_COMPARE[name]} {_VECTOR} {at[0]}, {at[1]}"]
        if name in _CALLS:
            given = ", ".join(f"{_VECTOR} {one}" for one in at)
            return [f"{out} call {_VECTOR} @{_CALLS[name]}.v{LANES}f64({given})"]
        match name:
            case "neg":
                return [f"{out} fneg {_VECTOR} {at[0]}"]
            case "number":
                return [f"{out} uitofp {_BITS} {at[0]} to {_VECTOR}"]
            case "not":
                lines, bits = self._bits(args[0])
                ones = "<" + ", ".join(["i1 true"] * LANES) + ">"
                return [*lines, f"{out} xor {_BITS} {bits}, {ones}"]
            case "if":
                lines, bits = self._bits(args[0])
                both = f"{_VECTOR} {at[1]}, {_VECTOR} {at[2]}"
                return [*lines, f"{out} select {_BITS} {bits}, {both}"]
            case _:
                one, a = self._bits(args[0])
                two, b = self._bits(args[1])
                return [*one, *two, f"{out} {_LOGIC[name]} {_BITS} {a}, {b}"]


def source(tape: Tape) -> str:
    """All printed parts of a tape as one module."""
    cut = parts(tape)
    places = {value: i for i, value in enumerate(_stored(tape, cut))}
    printer = _Printer(tape, places)
    functions_ = [
        printer.function(f"part{n}", part) for n, part in enumerate(cut) if part.printed
    ]
    calls = sorted({_CALLS[op] for op, _, _ in tape.ops if op in _CALLS})
    declared = [
        f"declare {_VECTOR} @{call}.v{LANES}f64({', '.join([_VECTOR] * _arity(call))})"
        for call in calls
    ]
    return "\n".join([*declared, *functions_, "!0 = !{}"])


def _arity(call: str) -> int:
    return 2 if call in {"llvm.pow", "llvm.minimum", "llvm.maximum"} else 1


class Compiled:
    """A tape as machine code.

    Raises:
        NoCompilerError: llvmlite is not installed.
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.parts = parts(tape)
        self.stored = _stored(tape, self.parts)
        self._engine, calls = _machine_code(source(tape), self.parts)
        self.calls = dict(calls)

    def bound(
        self, columns: "Mapping[int, Column]", out: "Sequence[Column]"
    ) -> Callable[[slice], None]:
        """What runs it from some columns into others, a piece at a time."""
        import numpy as np

        inputs = [np.ascontiguousarray(columns[node]) for node in self.tape.inputs]
        results: dict[int, Column] = {}
        copies: list[tuple[Column, Value]] = []
        for value, column in zip(self.tape.wanted, out, strict=True):
            made_here = not isinstance(value, float) and value >= len(inputs)
            if made_here and value not in results and column.flags.c_contiguous:
                results[int(value)] = column
            else:
                copies.append((column, value))
        given = {**dict(enumerate(inputs)), **results}
        scratch = [_Buffers(self, given, size) for size in (PIECE, LANES)]

        def run(piece: slice) -> None:
            even = piece.start + (piece.stop - piece.start) // LANES * LANES
            for start in range(piece.start, even, PIECE):
                scratch[0].run(start, min(start + PIECE, even), held=False)
            if even < piece.stop:
                scratch[1].run(even, piece.stop, held=True)
            for column, value in copies:
                fixed = isinstance(value, float)
                column[piece] = value if fixed else given[int(value)][piece]

        return run


class _Buffers:
    """Where each stored value of a tape is while a piece of the points is computed."""

    def __init__(
        self, made: Compiled, given: "Mapping[int, Column]", size: int
    ) -> None:
        import numpy as np

        self.made = made
        self.given = given
        rows = made.stored
        self.scratch = {v: np.zeros(size) for v in rows if v not in given}
        #: For points that are fewer than one pass takes.
        self.held = {v: np.ones(LANES) for v in rows if v in given}
        whole, few = {**self.scratch, **given}, {**self.scratch, **self.held}
        self.base = np.array([whole[v].ctypes.data for v in rows], np.uint64)
        self.step = np.array([8 * (v in given) for v in rows], np.uint64)
        self.apart = np.array([few[v].ctypes.data for v in rows], np.uint64)

    def run(self, start: int, stop: int, *, held: bool) -> None:
        """Compute the points from one to another; `held` if they are no whole pass."""
        import numpy as np

        made, inputs = self.made, len(self.made.tape.inputs)
        if held:
            for value, column in self.held.items():
                if value < inputs:
                    column[: stop - start] = self.given[value][start:stop]
        places = self.apart if held else self.base + self.step * np.uint64(start)
        address = places.ctypes.data
        passes = -(-(stop - start) // LANES)
        for n, part in enumerate(made.parts):
            if part.printed:
                made.calls[n](address, passes)
            else:
                self._kernel(part, slice(start, stop), held=held)
        if held:
            for value, column in self.held.items():
                if value >= inputs:
                    self.given[value][start:stop] = column[: stop - start]

    def _kernel(self, part: _Part, piece: slice, *, held: bool) -> None:
        import numpy as np

        tape, size = self.made.tape, piece.stop - piece.start

        def at(value: int) -> Any:
            if value in self.scratch:
                return self.scratch[value][:size]
            return self.held[value][:size] if held else self.given[value][piece]

        op, index, args = tape.ops[part.start]
        given = [np.array(a) if isinstance(a, float) else at(a) for a in args]
        with np.errstate(all="ignore"):
            functions()(op, index)(*given, at(len(tape.inputs) + part.start))


def _machine_code(
    text: str, cut: Iterable[_Part]
) -> tuple[Any, list[tuple[int, Callable[..., None]]]]:
    """The module compiled for this machine, and its functions by their part."""
    try:
        import llvmlite.binding as llvm
    except ModuleNotFoundError:
        message = "machine code needs llvmlite: pip install 'isocost[compiled]'"
        raise NoCompilerError(message) from None
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    target = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=2,
        jit=True,
    )
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    shape = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
    return engine, [
        (n, shape(engine.get_function_address(f"part{n}")))
        for n, part in enumerate(cut)
        if part.printed
    ]
