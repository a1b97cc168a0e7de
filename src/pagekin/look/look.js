// What pages of pagekin do beyond showing: tables sort, URLs copy, figures explain and download.
// Plain ES module; everything works on what is in the page, and nothing is fetched.

/** Shows a short text near a place; an empty text hides it. */
function tip(text, x = 0, y = 0) {
  let box = document.getElementById("tip");
  if (!box) {
    box = document.createElement("div");
    box.id = "tip";
    box.setAttribute("role", "status");
    document.body.append(box);
  }
  box.hidden = !text;
  if (!text) return;
  box.textContent = text;
  const { width, height } = box.getBoundingClientRect();
  const left = Math.min(Math.max(8, x - width / 2), innerWidth - width - 8);
  const top = y - height - 12 > 0 ? y - height - 12 : y + 18;
  // Set on the object, which a policy on style attributes allows.
  box.style.left = `${left}px`;
  box.style.top = `${top}px`;
}

/** The value by which a cell is sorted and saved. */
function value(cell) {
  return cell.dataset.v ?? cell.textContent.trim();
}

function sortBy(table, column, numeric) {
  const head = table.tHead.rows[0].cells;
  const down = head[column].getAttribute("aria-sort") !== "descending";
  for (const cell of head) cell.removeAttribute("aria-sort");
  head[column].setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows].map((row, at) => [row, value(row.cells[column]), at]);
  const sign = down ? -1 : 1;
  rows.sort(([, a, i], [, b, j]) => {
    // What is not known stays last.
    if ((a === "") !== (b === "")) return a === "" ? 1 : -1;
    return sign * (numeric ? a - b : a.localeCompare(b)) || i - j;
  });
  table.tBodies[0].append(...rows.map(([row]) => row));
}

export function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((cell, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...cell.childNodes);
    cell.append(button);
    button.addEventListener("click", () => sortBy(table, column, cell.classList.contains("n")));
  });
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function csvOf(table) {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  // A spreadsheet would run text that begins like a formula.
  const guarded = (text) => (/^[=+@-]/.test(text) && isNaN(text) ? `'${text}` : text);
  const line = (cells) => cells.map((text) => quoted(guarded(text))).join(",");
  const head = [...table.tHead.rows[0].cells].map((cell) => cell.dataset.key ?? cell.textContent.trim());
  const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map(value));
  return [head, ...rows].map(line).join("\n") + "\n";
}

const DRAWN = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linejoin", "font-family", "font-size", "display", "paint-order"];

/** A drawing that needs no stylesheet: what the page gives its parts is written into them. */
export function svgOf(drawing) {
  const copied = drawing.cloneNode(true);
  const parts = [drawing, ...drawing.querySelectorAll("*")];
  const copies = [copied, ...copied.querySelectorAll("*")];
  parts.forEach((part, at) => {
    const style = getComputedStyle(part);
    for (const name of DRAWN) copies[at].setAttribute(name, style.getPropertyValue(name));
    copies[at].removeAttribute("class");
  });
  const { width, height } = drawing.viewBox.baseVal;
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, number] of Object.entries({ width, height })) {
    copied.setAttribute(name, number);
    paper.setAttribute(name, number);
  }
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copied.prepend(paper);
  copied.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  return new XMLSerializer().serializeToString(copied);
}

export async function pngOf(drawing) {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svgOf(drawing)], { type: "image/svg+xml" }));
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 1280;
  canvas.height = Math.round((1280 * image.height) / image.width);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function tool(text, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.addEventListener("click", act);
  return button;
}

function tools(...buttons) {
  const line = document.createElement("p");
  line.className = "tools";
  line.append(...buttons);
  return line;
}

const csvFile = (table) => new Blob([csvOf(table)], { type: "text/csv" });

function equipFigure(figure) {
  const drawing = figure.querySelector("svg.chart");
  const table = figure.querySelector("details.data table");
  if (!drawing || !table) return;
  const name = figure.id || "figure";
  const svg = () => new Blob([svgOf(drawing)], { type: "image/svg+xml" });
  figure.querySelector(".tools").append(
    tool("CSV", () => save(`${name}.csv`, csvFile(table))),
    tool("SVG", () => save(`${name}.svg`, svg())),
    tool("PNG", async () => save(`${name}.png`, await pngOf(drawing))),
  );
  explain(drawing);
}

/** Cuts the URLs of a table in the middle, as short as their cells. */
function fitUrls(table) {
  if (table.classList.contains("whole")) return;
  for (const url of table.querySelectorAll("td.url .copy")) {
    url.dataset.short ??= url.textContent;
    url.textContent = url.dataset.short;
    const full = url.dataset.copy.replace(/^https?:\/\//, "");
    for (let room = url.textContent.length; url.scrollWidth > url.clientWidth && room > 12; ) {
      room = Math.min(room - 1, Math.floor((room * url.clientWidth) / url.scrollWidth));
      const tail = Math.floor(((room - 1) * 9) / 20);
      url.textContent = `${full.slice(0, room - 1 - tail)}…${full.slice(-tail)}`;
    }
  }
}

function equipTable(table) {
  if (table.classList.contains("sortable")) makeSortable(table);
  fitUrls(table);
  const buttons = [tool("CSV of these rows", () => save(`${table.id || "table"}.csv`, csvFile(table)))];
  const urls = [...table.querySelectorAll(".copy")];
  if (urls.some((url) => url.textContent.includes("…"))) {
    let whole = false;
    const toggle = tool("Whole URLs", () => {
      whole = !whole;
      table.classList.toggle("whole", whole);
      for (const url of urls) {
        url.dataset.short ??= url.textContent;
        url.textContent = whole ? url.dataset.copy : url.dataset.short;
      }
      fitUrls(table);
      toggle.textContent = whole ? "Short URLs" : "Whole URLs";
      toggle.setAttribute("aria-pressed", String(whole));
    });
    buttons.push(toggle);
  }
  const box = table.closest(".scroll") ?? table;
  // The line below the table, if there is one, takes them.
  if (box.nextElementSibling?.matches(".rest")) box.nextElementSibling.append(...buttons);
  else box.after(tools(...buttons));
}

/** Titles of marks show at once, and the arrow keys go from mark to mark. */
function explain(drawing) {
  const marks = [...drawing.querySelectorAll("title")].map((title) => {
    title.parentNode.dataset.tip = title.textContent;
    const mark = title.parentNode;
    title.remove(); // the browser would show it a second time
    return mark;
  });
  if (!marks.length) return;
  let at = -1;
  const show = (mark, x, y) => {
    drawing.querySelector(".on")?.classList.remove("on");
    mark?.classList.add("on");
    if (!mark) return tip("");
    const box = mark.getBoundingClientRect();
    tip(mark.dataset.tip, x ?? box.x + box.width / 2, y ?? box.y);
  };
  drawing.tabIndex = 0;
  drawing.addEventListener("pointermove", (event) => {
    const mark = event.target.closest("[data-tip]");
    show(mark, event.clientX, event.clientY);
  });
  drawing.addEventListener("pointerleave", () => show(null));
  drawing.addEventListener("blur", () => show(null));
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") show(null);
    if (!step) return;
    event.preventDefault();
    at = (at + step + marks.length) % marks.length;
    show(marks[at]);
  });
}

/** Gives life to all that is in a part of the page. */
export function start(root = document) {
  root.querySelectorAll("table.sortable, table.listed").forEach(equipTable);
  root.querySelectorAll("figure").forEach(equipFigure);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await copy(button.dataset.copy);
  const box = button.getBoundingClientRect();
  tip("Copied", box.x + Math.min(box.width, 120) / 2, box.y);
  setTimeout(() => tip(""), 1200);
});

addEventListener("resize", () => document.querySelectorAll("table.sortable, table.listed").forEach(fitUrls));

start();
