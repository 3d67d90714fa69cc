// Sorts tables by a click on a heading. The numbers of a row stand in its data-sort, a column each, written from the exact
// values; a column in which no row has one is sorted by its words. Without this script the tables are as they were written.
"use strict";

/** Makes buttons of a table's headings. */
function sortable(table) {
  for (const heading of table.tHead.rows[0].cells) {
    if (heading.textContent === "") continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" };
      arrange(table, heading, next[heading.getAttribute("aria-sort") ?? "none"]);
    });
  }
}

/** Orders the rows by a column; "none" is the order in which they were written. A second body stays where it is. */
function arrange(table, heading, direction) {
  const body = table.tBodies[0];
  body.asWritten ??= [...body.rows];
  table.querySelectorAll("th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
  if (direction !== "none") heading.setAttribute("aria-sort", direction);
  body.append(...(direction === "none" ? body.asWritten : sorted([...body.rows], heading.cellIndex, direction)));
}

/** Equal rows keep the order they are in, so that a table can be sorted by one column within another. */
function sorted(rows, column, direction) {
  const sign = direction === "ascending" ? 1 : -1;
  const names = new Intl.Collator("en", { numeric: true });
  const number = (row) => row.dataset.sort?.split(",")[column] ?? "";
  const word = (row) => row.cells[column]?.textContent.trim() ?? "";
  const [key, compare] = rows.some(number) ? [number, (a, b) => a - b] : [word, names.compare];
  // Words among numbers, and empty entries, come last in both directions.
  const order = ([a], [b]) => (a && b ? sign * compare(a, b) : Boolean(b) - Boolean(a));
  return rows.map((row) => [key(row), row]).sort(order).map(([, row]) => row);
}

document.querySelectorAll("table[data-sortable]").forEach(sortable);
