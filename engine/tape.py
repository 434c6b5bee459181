"""A program as a tape: array operations in a line, written into buffers used again.

Formula by formula a program computes what no formula can know to be needless: a branch
that a fixed number rules out, a factor of one, the same sum in two scenarios. The tape
takes all formulas apart, settles what is fixed, keeps equal operations once, orders
them so that a value is used soon after it is made, and gives each the buffer that has
just come free, so that a piece of the points stays in cache. It takes longer to make
than a short run takes, so that only long runs use it (`program.LONG`).

Its numbers are those of the formulas but for the last bit or two.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from isocost.dsl.expr import Expr
from isocost.engine.formula import SNAP, Formula, real
from isocost.engine.operators import INDEXED
from isocost.engine.printers.python import array_names
from isocost.engine.ufuncs import ufuncs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Column = NDArray[np.float64]

#: An operation's result by its number, or a number that is fixed.
Value: TypeAlias = "int | float"
#: An operator (with the index that some carry) and what it is applied to.
Op: TypeAlias = "tuple[str, Any, tuple[Value, ...]]"

#: Points per piece: the buffers in use at once fit a core's second-level cache.
PIECE = 8192
#: Operators whose results are true or false.
TRUTH = frozenset({"<", "<=", ">", ">=", "==", "!=", "and", "or", "not"})
SQUARE = 2.0
_LOGIC = frozenset({"and", "or", "not"})
_EITHER_WAY = frozenset({"+", "*", "min", "max", "and", "or", "==", "!="})


@attrs.frozen(eq=False)
class Tape:
    """Operations in order: results of earlier ones, and columns, by their number.

    The columns come first: number `i` is that of node `inputs[i]`; operation `i` has
    the number `len(inputs) + i`.
    """

    inputs: tuple[int, ...]
    ops: tuple[Op, ...]
    wanted: tuple[Value, ...]

    def truth(self, value: Value) -> bool:
        """Whether a value is a column of truth values."""
        place = -1 if isinstance(value, float) else value - len(self.inputs)
        return place >= 0 and self.ops[place][0] in TRUTH

    def last_uses(self) -> list[list[int]]:
        """For each operation the numbers that nothing asks for after it."""
        last: dict[int, int] = {}
        for i, (_, _, args) in enumerate(self.ops):
            for arg in args:
                if not isinstance(arg, float):
                    last[arg] = i
        kept = set(self.wanted)
        over: list[list[int]] = [[] for _ in self.ops]
        for number, i in last.items():
            if number not in kept:
                over[i].append(number)
        return over

    def bound(
        self, columns: "Mapping[int, Column]", out: "Sequence[Column]"
    ) -> Callable[[slice], None]:
        """What runs it from some columns into others, in buffers of its own."""
        machine = Machine(self)

        def run(piece: slice) -> None:
            for column, values in zip(out, machine.run(columns, piece), strict=True):
                column[piece] = values

        return run


class Machine:
    """The buffers of one thread, and the operations tied to them."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self._tied: dict[int, tuple[list[Any], list[Any]]] = {}

    def run(self, columns: "Mapping[int, Column]", piece: slice) -> list[Any]:
        """The wanted values at a piece of the points; the next run overwrites them."""
        import numpy as np

        size = piece.stop - piece.start
        if size not in self._tied:
            self._tied[size] = self._tie(size)
        places, steps = self._tied[size]
        for node, place in zip(self.tape.inputs, places, strict=False):
            np.copyto(place, columns[node][piece])
        with np.errstate(all="ignore"):
            for function, args in steps:
                function(*args)
        return [
            value if isinstance(value, float) else places[value]
            for value in self.tape.wanted
        ]

    def _tie(self, size: int) -> tuple[list[Any], list[Any]]:
        """A buffer for each value in use, and every operation with its buffers."""
        import numpy as np

        tape, find = self.tape, functions()
        free: dict[type, list[Any]] = {float: [], bool: []}
        places: list[Any] = [np.empty(size) for _ in tape.inputs]
        steps = []
        for (op, index, args), over in zip(tape.ops, tape.last_uses(), strict=True):
            given = [np.array(a) if isinstance(a, float) else places[a] for a in args]
            sort = bool if op in TRUTH else float
            if op != "if":  # it reads its arguments after it began to write
                _release(over, places, free)
            place = free[sort].pop() if free[sort] else np.empty(size, sort)
            places.append(place)
            if op == "if":
                _release(over, places, free)
            steps.append((find(op, index), (*given, place)))
        return places, steps


def _release(
    over: Sequence[int], places: list[Any], free: dict[type, list[Any]]
) -> None:
    for number in over:
        place = places[number]
        free[bool if place.dtype == bool else float].append(place)


def functions() -> Callable[[str, Any], Callable[..., Any]]:
    """The function of each operator: its arguments, then where it writes."""
    import numpy as np

    names = array_names()
    plain: dict[str, Callable[..., Any]] = {
        **{op: one for op, one in ufuncs().items() if isinstance(one, np.ufunc)},
        "min": lambda a, b, out: np.minimum(a, b, out=out),
        "max": lambda a, b, out: np.maximum(a, b, out=out),
        "rint_up": np.ceil,
        "rint_down": np.floor,
        "number": lambda truth, out: np.copyto(out, truth),
        "if": _choose,
    }

    def find(op: str, index: Any) -> Callable[..., Any]:
        if op in plain:
            return plain[op]
        function = names[f"_{op}"]
        given = (index,) if op in INDEXED else ()

        def over(*args: Any) -> None:
            np.copyto(args[-1], function(*given, *args[:-1]))

        return over

    return find


def _choose(condition: Any, then: Any, otherwise: Any, out: Any) -> None:
    import numpy as np

    np.copyto(out, otherwise)
    np.copyto(out, then, where=condition if condition.dtype == bool else condition != 0)


# From formulas to a tape.


def tape(
    varying: Sequence[int],
    fixed: Mapping[int, float],
    steps: Sequence[tuple[int, Formula, tuple[int, ...]]],
    wanted: Sequence[int],
) -> Tape:
    """Take the formulas of a program apart.

    Args:
        varying: The nodes that get a column.
        fixed: Numbers of nodes that do not vary.
        steps: Nodes, formulas and their arguments in order.
        wanted: The nodes asked for.
    """
    writer = _Writer(len(varying))
    values: dict[int, Value] = {n: float(value) for n, value in fixed.items()}
    values.update({node: i for i, node in enumerate(varying)})
    for node, formula, args in steps:
        given = [values[arg] for arg in args]
        names = dict(zip(formula.params, given, strict=True))
        values[node] = writer.number(writer.write(formula.body, names))
    return _ordered(tuple(varying), writer.ops, [values[node] for node in wanted])


class _Writer:
    """Operations so far, each once."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.ops: list[Op] = []
        self._known: dict[Op, int] = {}
        self._functions = functions()

    def write(self, expr: Expr, names: Mapping[str, Value]) -> Value:
        """The value of a tree."""
        match expr.op:
            case "symbol":
                return names[expr.value]
            case "number":
                return real(expr.value)
            case "literal":
                return real(expr.value.base)
        args = [self.write(arg, names) for arg in expr.args]
        match expr.op:
            case "sum":
                return self._joined("+", args)
            case "min" | "max":
                return self._joined(expr.op, args)
            case "ceil" | "floor":
                snapped = self.emit("*", SNAP, self.emit("abs", *args))
                way = "-" if expr.op == "ceil" else "+"
                step = "rint_up" if expr.op == "ceil" else "rint_down"
                return self.emit(step, self.emit(way, *args, snapped))
            case op:
                return self.emit(op, *args, index=expr.value if op in INDEXED else None)

    def _joined(self, op: str, args: list[Value]) -> Value:
        out = args[0]
        for arg in args[1:]:
            out = self.emit(op, out, arg)
        return out

    def number(self, value: Value) -> Value:
        """A truth value as 0 or 1; a number as it is."""
        return self.emit("number", value) if self._truth(value) else value

    def _truth(self, value: Value) -> bool:
        if isinstance(value, float) or value < self.columns:
            return False
        return self.ops[value - self.columns][0] in TRUTH

    def emit(self, op: str, *args: Value, index: Any = None) -> Value:
        """The value of an operation: a number, an earlier one, or one more."""
        if op == "if":
            args = (args[0], *map(self.number, args[1:]))
        elif op not in _LOGIC and op != "number":
            args = tuple(map(self.number, args))
        simple = _simple(op, args)
        if simple is not None:
            return simple
        if op == "^" and args[1] == SQUARE and isinstance(args[1], float):
            return self.emit("*", args[0], args[0])
        if all(isinstance(arg, float) for arg in args):
            return self._settled(op, index, args)
        if op in _EITHER_WAY and _rank(args[0]) > _rank(args[1]):
            args = args[::-1]
        made = (op, index, args)
        if made not in self._known:
            self._known[made] = self.columns + len(self.ops)
            self.ops.append(made)
        return self._known[made]

    def _settled(self, op: str, index: Any, args: tuple[Value, ...]) -> float:
        import numpy as np

        out = np.empty(1)
        with np.errstate(all="ignore"):
            self._functions(op, index)(*(np.array([arg]) for arg in args), out)
        return float(out[0])


def _rank(value: Value) -> tuple[bool, float]:
    return isinstance(value, float), value


def _simple(op: str, args: "tuple[Value, ...]") -> "Value | None":
    """What an operation with a fixed number comes to without being done."""
    match op, args:
        case ("*", (float(1.0), x)) | ("*" | "/" | "^", (x, float(1.0))):
            return x
        case ("+", (float(0.0), x)) | ("+" | "-", (x, float(0.0))):
            return x
        case "if", (float(condition), then, otherwise):
            return then if condition else otherwise
        case ("if", (_, x, y)) | ("min" | "max", (x, y)) if x is y or _same(x, y):
            return x
    return None


def _same(x: Value, y: Value) -> bool:
    return isinstance(x, float) == isinstance(y, float) and x == y


def _ordered(inputs: tuple[int, ...], ops: list[Op], wanted: list[Value]) -> Tape:
    """The operations that are needed, each as late as it may be, numbered anew."""
    first = len(inputs)
    number: dict[int, int] = {i: i for i in range(first)}
    out: list[Op] = []

    def renamed(value: Value) -> Value:
        return value if isinstance(value, float) else number[value]

    for goal in wanted:
        waiting = [] if isinstance(goal, float) else [goal]
        while waiting:
            value = waiting[-1]
            if value in number:
                waiting.pop()
                continue
            op, index, args = ops[value - first]
            left = [a for a in args if not isinstance(a, float) and a not in number]
            if left:
                waiting += reversed(left)
                continue
            number[value] = first + len(out)
            out.append((op, index, tuple(map(renamed, args))))
            waiting.pop()
    return Tape(inputs, tuple(out), tuple(map(renamed, wanted)))
