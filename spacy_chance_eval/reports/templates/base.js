(function () {
"use strict";

// Panels of one group become tabs; without script they stand below each other.
function makeTabs(group, number) {
  const panels = Array.from(group.children).filter((child) => child.classList.contains("panel"));
  if (panels.length < 2) return;
  const list = document.createElement("div");
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", group.dataset.tabs);
  const tabs = panels.map((panel, i) => {
    const tab = document.createElement("button");
    tab.type = "button";
    tab.id = "tab-" + number + "-" + i;
    tab.textContent = panel.dataset.tab;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    list.append(tab);
    return tab;
  });
  function select(chosen) {
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === chosen));
      tab.tabIndex = i === chosen ? 0 : -1;
      panels[i].hidden = i !== chosen;
    });
  }
  const last = tabs.length - 1;
  const moves = {
    ArrowRight: (i) => (i === last ? 0 : i + 1),
    ArrowLeft: (i) => (i === 0 ? last : i - 1),
    Home: () => 0,
    End: () => last,
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => select(i));
    tab.addEventListener("keydown", (event) => {
      const move = moves[event.key];
      if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      select(move(i));
      tabs[move(i)].focus();
    });
  });
  group.insertBefore(list, panels[0]);
  select(0);
}

// Panels of one group are chosen from a list; lists of the same name choose together.
function makeChoice(group) {
  const panels = Array.from(group.children).filter((child) => child.classList.contains("panel"));
  if (panels.length < 2) return;
  const [label, list] = [document.createElement("label"), document.createElement("select")];
  label.className = "choice";
  label.append(group.dataset.choose + " ", list);
  list.append(...panels.map((panel) => new Option(panel.dataset.tab)));
  list.show = (name) => {
    const chosen = Math.max(0, panels.findIndex((panel) => panel.dataset.tab === name));
    list.selectedIndex = chosen;
    panels.forEach((panel, i) => { panel.hidden = i !== chosen; });
  };
  list.addEventListener("change", () => {
    document.querySelectorAll("[data-choose]").forEach((other) => {
      const twin = other.querySelector(":scope > .choice > select");
      if (twin && other.dataset.choose === group.dataset.choose) twin.show(list.value);
    });
  });
  group.insertBefore(label, panels[0]);
  list.show(list.value);
}

// Undefined values, which are empty, stand last in both directions; equal ones keep their order.
function compare(numeric, sign) {
  return (one, other) => {
    const [a, b] = [one.value, other.value];
    if (a === "" || b === "") return (a === "") - (b === "");
    return sign * (numeric ? Number(a) - Number(b) : a.localeCompare(b));
  };
}

function sortBy(table, header, headers) {
  const numeric = header.dataset.sort !== "text";
  const first = header.dataset.sort === "score" ? "descending" : "ascending";
  const second = first === "ascending" ? "descending" : "ascending";
  const order = header.getAttribute("aria-sort") === first ? second : first;
  headers.forEach((other) => other.removeAttribute("aria-sort"));
  header.setAttribute("aria-sort", order);
  const body = table.tBodies[0];
  const column = headers.indexOf(header);
  const rows = Array.from(body.rows, (row) => {
    const cell = row.cells[column];
    return { row: row, value: cell.hasAttribute("data-value") ? cell.dataset.value : cell.textContent.trim() };
  });
  rows.sort(compare(numeric, order === "ascending" ? 1 : -1));
  body.append(...rows.map((each) => each.row));
}

function makeSortable(table) {
  const headers = Array.from(table.tHead.rows[table.tHead.rows.length - 1].cells);
  headers.filter((header) => header.dataset.sort).forEach((header) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.addEventListener("click", () => sortBy(table, header, headers));
    header.append(button);
  });
}

// Items (documents) are shown that have a row with all that is chosen, and then only such rows.
function makeFilter(controls) {
  const list = document.getElementById(controls.dataset.filter);
  const items = Array.from(list.querySelectorAll("[data-item]"));
  const chosen = Array.from(controls.querySelectorAll("[data-row-key]"));
  const text = controls.querySelector("[data-item-text]");
  const order = controls.querySelector("[data-item-order]");
  const status = controls.querySelector("[data-shown]");
  function apply() {
    const wanted = chosen.filter((control) => control.value !== "");
    const part = text ? text.value.trim().toLowerCase() : "";
    let count = 0;
    items.forEach((item) => {
      let found = wanted.length === 0;
      item.querySelectorAll("[data-row]").forEach((row) => {
        row.hidden = !wanted.every((control) =>
          row.dataset[control.dataset.rowKey].split(" ").includes(control.value));
        found = found || !row.hidden;
      });
      const name = part && item.querySelector("[data-name]").textContent.toLowerCase();
      item.hidden = !found || !(part === "" || name.includes(part));
      count += item.hidden ? 0 : 1;
    });
    status.textContent = status.dataset.shown + " " + count + " of " + items.length;
  }
  function arrange() {
    const option = order.selectedOptions[0];
    const sorted = items.map((item) => ({ row: item, value: item.dataset[option.value] }));
    sorted.sort(compare(true, "down" in option.dataset ? -1 : 1));
    list.append(...sorted.map((each) => each.row));
  }
  // a link to what is hidden shows everything again
  function reveal() {
    const target = document.getElementById(window.location.hash.slice(1));
    if (!target || !target.hidden || !items.includes(target)) return;
    chosen.concat(text || []).forEach((control) => { control.value = ""; });
    apply();
    target.scrollIntoView();
  }
  chosen.forEach((control) => control.addEventListener("change", apply));
  if (text) text.addEventListener("input", apply);
  if (order) order.addEventListener("change", arrange);
  window.addEventListener("hashchange", reveal);
  controls.hidden = false;
  apply();  // a browser may remember what was chosen before
  if (order && order.selectedIndex > 0) arrange();
}

// Paper cannot be unfolded.
let opened = [];
window.addEventListener("beforeprint", () => {
  opened = Array.from(document.querySelectorAll("details:not([open])"));
  opened.forEach((details) => { details.open = true; });
});
window.addEventListener("afterprint", () => {
  opened.forEach((details) => { details.open = false; });
});

// --- differences of trees, gone through one by one

// Rows of the items that are shown are stepped through; what they say is marked in the drawings.
function makeSteps(bar) {
  const list = document.getElementById(bar.dataset.steps);
  const status = bar.querySelector("[role=status]");
  let current = null;
  const rows = () => Array.from(list.querySelectorAll("[data-item]:not([hidden]) [data-step]"))
    .filter((one) => one.matches("[data-row]:not([hidden])"));
  function tell() {
    const shown = rows();
    const place = shown.indexOf(current);
    const text = place < 0 ? "" : ": " + current.cells[0].innerText.replace(/\s+/g, " ").trim();
    status.textContent = place < 0 ? shown.length + (shown.length === 1 ? " difference" : " differences")
      : (place + 1) + " of " + shown.length + text;
  }
  function bring(marks, frame) {
    const boxes = marks.map((mark) => mark.getBoundingClientRect());
    const [low, high] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
    window.scrollBy(0, (low + high - bar.offsetHeight - window.innerHeight) / 2);
    // of an arc that is wider than its frame, the word is shown
    const words = marks.filter((mark) => mark.matches(".word")).map((mark) => mark.getBoundingClientRect());
    const across = (some) => [Math.min(...some.map((box) => box.left)), Math.max(...some.map((box) => box.right))];
    let [left, right] = across(boxes);
    if (right - left > frame.clientWidth && words.length) [left, right] = across(words);
    const place = frame.getBoundingClientRect();
    frame.scrollLeft += (left + right) / 2 - (place.left + frame.clientWidth / 2);
  }
  function step(by) {
    const shown = rows();
    if (!shown.length) return tell();
    const before = shown.indexOf(current);
    const next = before < 0 ? (by > 0 ? 0 : shown.length - 1) : (before + by + shown.length) % shown.length;
    list.querySelectorAll(".current").forEach((one) => one.classList.remove("current"));
    current = shown[next];
    const item = current.closest("[data-item]");
    const alike = Array.from(item.querySelectorAll("[data-step]"))
      .filter((one) => one.dataset.step === current.dataset.step);
    alike.forEach((one) => one.classList.add("current"));
    const frame = item.querySelector(".tree");
    item.scrollIntoView();  // what is far away has no size yet
    if (frame) bring(alike.filter((one) => frame.contains(one)), frame);
    else current.scrollIntoView({ block: "center" });
    if (frame && document.activeElement.matches(".tree")) frame.focus({ preventScroll: true });
    tell();
  }
  const keys = { n: 1, p: -1 };
  const press = (event) => {
    const drawn = event.target.closest(".tree, [data-steps]");
    if (!drawn || !(event.key in keys) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    step(keys[event.key]);
  };
  list.addEventListener("keydown", press);
  bar.addEventListener("keydown", press);
  bar.querySelectorAll("button").forEach((button) =>
    button.addEventListener("click", () => step(Number(button.dataset.by))));
  const filters = document.querySelector("[data-filter=" + list.id + "]");
  ["change", "input"].forEach((kind) => filters.addEventListener(kind, tell));
  bar.hidden = false;
  tell();
}

document.querySelectorAll("[data-tabs]").forEach(makeTabs);
document.querySelectorAll("[data-choose]").forEach(makeChoice);
document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll("[data-filter]").forEach(makeFilter);
document.querySelectorAll("[data-steps]").forEach(makeSteps);
})();
