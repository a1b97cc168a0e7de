// The review app's keys: one key, one decision; patches and sources in step. Plain ES module.

const $ = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

const patches = all(".pane mark[data-patch][id]");
const sources = all(".source");
let current = -1;

/** Shows one source, and says so in the legend. */
function show(rank) {
  for (const source of sources) source.hidden = source.dataset.rank !== String(rank);
  for (const button of all("[data-show]")) {
    button.setAttribute("aria-pressed", String(button.dataset.show === String(rank)));
  }
}

/** Both panes go to a patch. */
function go(to, focus = false) {
  if (!patches.length) return;
  current = (to + patches.length) % patches.length;
  const mark = patches[current];
  all("mark[aria-current]").forEach((one) => one.removeAttribute("aria-current"));
  show(mark.dataset.source);
  const twin = $(`.source:not([hidden]) mark[data-patch="${mark.dataset.patch}"]`);
  for (const one of [mark, twin]) {
    if (!one) continue;
    one.setAttribute("aria-current", "true");
    one.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }
  if (focus) mark.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  const mark = event.target.closest("mark[data-patch]");
  if (mark) go(patches.findIndex((one) => one.dataset.patch === mark.dataset.patch));
  const button = event.target.closest("[data-show]");
  if (button) go(patches.findIndex((one) => one.dataset.source === button.dataset.show));
  const strip = event.target.closest(".barcode");
  if (strip && patches.length) {
    const box = strip.getBoundingClientRect();
    const text = patches[0].closest(".text");
    const wanted = ((event.clientX - box.x) / box.width) * text.textContent.length;
    let at = 0;
    const starts = patches.map((mark) => {
      const range = document.createRange();
      range.setStart(text, 0);
      range.setEndBefore(mark);
      return range.toString().length;
    });
    starts.forEach((start, number) => { if (start <= wanted) at = number; });
    go(at);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const field = event.target.closest("input, select, textarea");
  if (field) {
    if (event.key === "Escape") field.blur();
    return;
  }
  const key = event.key;
  const pressed = all("[data-key]").find((one) => one.dataset.key === key.toLowerCase());
  if (pressed) {
    event.preventDefault();
    if (!event.repeat) pressed.click(); // a key held down is one decision
    return;
  }
  const queue = $("#queue");
  const acts = {
    j: () => go(current + 1),
    k: () => go(current < 0 ? patches.length - 1 : current - 1),
    Enter: () => { if (event.target.matches("mark[data-patch]")) event.target.click(); },
    "/": () => { event.preventDefault(); $("#q").focus(); },
    ArrowRight: () => { if (queue?.dataset.next && !event.target.closest("svg")) location.href = queue.dataset.next; },
    ArrowLeft: () => { if (queue?.dataset.previous && !event.target.closest("svg")) location.href = queue.dataset.previous; },
    Escape: () => { if (location.pathname === "/help") history.back(); },
  };
  if (/^[1-9]$/.test(key) && sources.length) {
    const first = patches.findIndex((one) => one.dataset.source === key);
    if (first >= 0) go(first); else if (sources.some((one) => one.dataset.rank === key)) show(key);
  } else if (acts[key]) acts[key]();
});

// A form is sent once, however often its button is pressed while the answer is on its way.
document.addEventListener("submit", (event) => {
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
addEventListener("pageshow", () => all("form[data-sent]").forEach((form) => delete form.dataset.sent));

if (sources.length) show(sources[0].dataset.rank);
