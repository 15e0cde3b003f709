"use strict";
// Shared by all pages: data, announcements, sortable tables, filters of rows.

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const readData = () => JSON.parse(document.getElementById("data").textContent);
const announce = text => { document.getElementById("status").textContent = text; };

function make(tag, text = "", properties = {}) {
  const element = Object.assign(document.createElement(tag), properties);
  if (text !== "") element.textContent = text;
  return element;
}

// A header with a button sorts its table: numbers by data-value (unknown ones last), everything else as text.
function sortBy(header) {
  const table = header.closest("table");
  const column = [...header.parentNode.children].indexOf(header);
  const descending = header.getAttribute("aria-sort") === "ascending"
    || (!header.hasAttribute("aria-sort") && header.dataset.first === "descending");
  all("th", header.parentNode).forEach(other => other.removeAttribute("aria-sort"));
  header.setAttribute("aria-sort", descending ? "descending" : "ascending");
  const body = table.tBodies[0];
  const rows = [...body.rows].map(row => ({ row, key: keyOf(row.cells[column]) }));
  rows.sort((one, other) => compareKeys(one.key, other.key, descending ? -1 : 1));
  body.append(...rows.map(({ row }) => row));
  announce("Sorted by " + header.textContent.trim() + (descending ? ", highest first" : ", lowest first"));
}

function keyOf(cell) {
  if (!("value" in cell.dataset)) return cell.textContent.trim();
  return cell.dataset.value === "" ? null : Number(cell.dataset.value);
}

function compareKeys(one, other, sign) {
  if (one === null || other === null) return (one === null) - (other === null);
  if (typeof one === "number" && typeof other === "number") return sign * (one - other);
  return sign * String(one).localeCompare(String(other), undefined, { numeric: true });
}

all("th > button").forEach(button => button.addEventListener("click", () => sortBy(button.parentNode)));

// An input with data-filters hides what has no such text: rows or items that the selector finds.
all("input[data-filters]").forEach(input => input.addEventListener("input", () => {
  const wanted = input.value.trim().toLowerCase();
  const items = all(input.dataset.filters);
  items.forEach(item => { item.hidden = !(item.dataset.name || item.textContent).toLowerCase().includes(wanted); });
  announce(items.filter(item => !item.hidden).length + " of " + items.length + " shown");
}));
