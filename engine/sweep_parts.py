"""Parts of a sweep as files, joined when all are there: a killed run goes on.

Beside `out.parquet` a folder `out.parquet.parts` holds the parts that are done, each
put in place whole, and the name of the job they belong to. The joined file replaces an
older one at once; then the folder goes.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isocost.engine.sweep_job import Column, SweepError

if TYPE_CHECKING:
    from numpy.typing import NDArray

SCHEMA = 1


class Parts:
    """The folder of a sweep's parts, and the file that it becomes.

    Raises:
        SweepError: The folder holds another sweep, or a library is not there.
    """

    def __init__(self, target: Path, key: str, columns: Sequence[Column]) -> None:
        self.target = target
        self.columns = columns
        self.folder = target.with_name(f"{target.name}.parts")
        self.form = FORMS[target.suffix.lower()]()
        self._claim(key)

    def _claim(self, key: str) -> None:
        self.folder.mkdir(exist_ok=True)
        note = self.folder / "job.json"
        if note.exists():
            if json.loads(note.read_text(encoding="utf-8")).get("key") != key:
                raise SweepError(
                    f"{self.folder} holds parts of another sweep; --restart drops them"
                )
            return
        self._put(note, lambda path: path.write_text(_job(key), encoding="utf-8"))

    def _place(self, number: int) -> Path:
        return self.folder / f"{number:07}{self.target.suffix.lower()}"

    def _put(self, place: Path, write: Callable[[Path], object]) -> None:
        """Write a file aside and put it in its place whole."""
        aside = place.with_name(f"{place.name}.new")
        write(aside)
        os.replace(aside, place)

    def done(self, count: int) -> set[int]:
        """The numbers of the parts that are there already."""
        return {number for number in range(count) if self._place(number).exists()}

    def add(self, number: int, columns: "Sequence[NDArray[Any]]") -> None:
        """Keep one part."""
        self._put(
            self._place(number),
            lambda path: self.form.write(path, self.columns, columns),
        )

    def join(self, count: int) -> None:
        """Make the file of all parts and drop the folder."""
        whole = self.folder / f"whole{self.target.suffix.lower()}"
        places = map(self._place, range(count))
        self.form.join(whole, self.columns, places)
        os.replace(whole, self.target)
        shutil.rmtree(self.folder)


def drop(target: Path) -> None:
    """Forget the parts of an earlier run."""
    shutil.rmtree(target.with_name(f"{target.name}.parts"), ignore_errors=True)


def _job(key: str) -> str:
    return json.dumps({"schema": SCHEMA, "key": key}) + "\n"


class Csv:
    """Comma-separated values; units stand in the header."""

    @staticmethod
    def write(
        path: Path, _: Sequence[Column], values: "Sequence[NDArray[Any]]"
    ) -> None:
        """One part: lines without a header."""
        form = ",".join(["%.12g"] * len(values)) + "\n"
        with path.open("w", encoding="utf-8", newline="") as out:
            rows = zip(*(column.tolist() for column in values), strict=True)
            out.writelines(form % row for row in rows)

    @staticmethod
    def join(path: Path, columns: Sequence[Column], parts: Iterable[Path]) -> None:
        """The header and all parts."""
        names = [f'"{one.name} ({one.unit})"' for one in columns]
        with path.open("wb") as out:
            out.write((",".join(names) + "\n").encode())
            for part in parts:
                with part.open("rb") as lines:
                    shutil.copyfileobj(lines, out, 1 << 20)


class Parquet:
    """Parquet files: a part is a row group; units are in the metadata of the fields."""

    def __init__(self) -> None:
        try:
            self.arrow: Any = import_module("pyarrow")
            self.parquet: Any = import_module("pyarrow.parquet")
        except ModuleNotFoundError:
            raise SweepError(
                "Parquet needs pyarrow: pip install 'isocost[sweep]', or write .csv"
            ) from None

    def _schema(self, columns: Sequence[Column]) -> Any:
        kind = self.arrow.float64()
        fields = [
            self.arrow.field(one.name, kind, metadata={"unit": one.unit})
            for one in columns
        ]
        return self.arrow.schema(fields)

    def write(
        self, path: Path, columns: Sequence[Column], values: "Sequence[NDArray[Any]]"
    ) -> None:
        """One part as a file of its own."""
        schema = self._schema(columns)
        arrays = [self.arrow.array(column) for column in values]
        self.parquet.write_table(self.arrow.table(arrays, schema=schema), path)

    def join(
        self, path: Path, columns: Sequence[Column], parts: Iterable[Path]
    ) -> None:
        """All parts in one file, a row group each."""
        with self.parquet.ParquetWriter(path, self._schema(columns)) as out:
            for part in parts:
                table = self.parquet.read_table(part)
                out.write_table(table, row_group_size=max(table.num_rows, 1))


FORMS: dict[str, type[Csv] | type[Parquet]] = {".csv": Csv, ".parquet": Parquet}
