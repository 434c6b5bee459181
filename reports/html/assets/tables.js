// Tables: a click or a key on a heading sorts by its column.
const tables = {};
const POWERS = { p: -12, n: -9, µ: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18, bn: 9, tn: 12 };

tables.value = (cell) => {
  const text = cell.firstChild ? (cell.querySelector("a.number, strong, [data-f]") || cell).textContent : "";
  const clean = text.replace(/[\u202f\u2009\u00a0,$€£¥]/g, "").replace(MINUS, "-").trim();
  const found = clean.match(/^(-?[0-9.]+)(?:×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?\s*(bn|tn|[pnµmkMGTPE])?(?![a-z])/);
  if (!found) return null;
  const power = found[2] ? Number([...found[2]].map((c) => Object.keys(SUPERSCRIPTS).find((k) => SUPERSCRIPTS[k] === c)).join("")) : 0;
  return Number(found[1]) * 10 ** (power + (found[3] ? POWERS[found[3]] : 0));
};

tables.sort = (table, column, down) => {
  const body = table.tBodies[0], rows = [...body.rows];
  const kept = rows.map((row) => ({ row, cell: row.cells[column] }));
  const keyed = kept.map(({ row, cell }) => ({ row, number: cell ? tables.value(cell) : null, text: cell ? cell.textContent.trim() : "" }));
  const numeric = keyed.filter((k) => k.number !== null).length * 2 >= keyed.length;
  keyed.sort((a, b) => {
    if (numeric) {
      if (a.number === null || b.number === null) return (a.number === null) - (b.number === null);
      return (a.number - b.number) * (down ? -1 : 1);
    }
    return a.text.localeCompare(b.text, "en") * (down ? -1 : 1);
  });
  body.append(...keyed.map((k) => k.row));
};

tables.listen = (table) => {
  // Rows in groups, or a total at the end, have an order of their own.
  if (!table.tHead || !table.tBodies[0] || table.tBodies[0].rows.length < 3) return;
  if (table.querySelector("tr.group, tr.total, tbody th")) return;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    if (!head.textContent.trim()) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      tables.sort(table, column, down);
    });
  });
};
