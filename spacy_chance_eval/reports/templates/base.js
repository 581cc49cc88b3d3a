(function () {
"use strict";

// The address holds what is shown, behind a place on the page: #metric-2&panel-2-3&items.label=PER
// has the open panels by id and the controls that are not as at first.
const views = [];  // of each group of panels or controls: parts() of the address, restore(view, whole)
const openers = new Map();  // by element that may be hidden: a function that shows it
const MOST = 90;  // changes of the address in 30 seconds: browsers refuse more
let written = [];  // when it was changed

function viewOf(hash) {
  const view = { place: "", names: new Set(), values: new Map() };
  hash.slice(1).split("&").forEach((part, i) => {
    let name = part;
    try { name = decodeURIComponent(part); } catch (error) { /* a link made by hand */ }
    const cut = part.indexOf("=");
    if (cut < 0) {
      if (i === 0) view.place = name;
      view.names.add(name);
    } else {
      view.values.set(name.slice(0, name.indexOf("=")), name.slice(name.indexOf("=") + 1));
    }
  });
  return view;
}

function writeAddress(change) {
  const place = change.place ? [encodeURIComponent(change.place)] : [];
  const parts = new Set(place.concat(...views.map((view) => view.parts())));
  const filters = Array.from(parts).filter((part) => part.includes("=")).join("&");
  document.querySelectorAll("nav a[rel=prev], nav a[rel=next]").forEach((link) => { link.hash = filters; });
  const page = window.location.href.split("#")[0];
  const next = parts.size ? page + "#" + Array.from(parts).join("&") : page;
  if (next === window.location.href && history.state) return;
  written = written.filter((time) => Date.now() - time < 30000);
  if (written.length >= MOST) return;
  written.push(Date.now());
  const how = change.anew && next !== window.location.href ? "pushState" : "replaceState";
  try { history[how]({ shown: true }, "", next); } catch (error) { /* inside another page */ }
}

// Show what the address says: all of it, or as far as a link says something.
function restoreView() {
  const link = history.state === null;  // else an entry of the history that was made here
  const view = viewOf(window.location.hash);
  views.forEach((each) => each.restore(view, !link));
  const target = view.place && document.getElementById(view.place);
  if (target) {
    for (let one = target; one; one = one.parentElement) {
      if (one.localName === "details") one.open = true;
      if (openers.has(one)) openers.get(one)();
    }
    if (link) target.scrollIntoView();
  }
  writeAddress({ place: target ? view.place : "" });
}

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
  let selected = 0;
  function select(chosen) {
    selected = chosen;
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", String(i === chosen));
      tab.tabIndex = i === chosen ? 0 : -1;
      panels[i].hidden = i !== chosen;
    });
  }
  function choose(i) {
    select(i);
    writeAddress({ place: i > 0 ? panels[i].id : "", anew: true });
  }
  const last = tabs.length - 1;
  const moves = {
    ArrowRight: (i) => (i === last ? 0 : i + 1),
    ArrowLeft: (i) => (i === 0 ? last : i - 1),
    Home: () => 0,
    End: () => last,
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => choose(i));
    tab.addEventListener("keydown", (event) => {
      const move = moves[event.key];
      if (!move || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      choose(move(i));
      tabs[move(i)].focus();
    });
    openers.set(panels[i], () => select(i));
  });
  views.push(viewOfPanels(panels, () => selected, select));
  group.insertBefore(list, panels[0]);
  select(0);
}

// The panel of a group that is open, in the address; the first one is not named there.
function viewOfPanels(panels, selected, select) {
  return {
    parts: () => (selected() > 0 ? [encodeURIComponent(panels[selected()].id)] : []),
    restore: (view, whole) => {
      const found = panels.findIndex((panel) => view.names.has(panel.id));
      if (found >= 0 || whole) select(Math.max(found, 0));
    },
  };
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
  const twins = () => Array.from(document.querySelectorAll("[data-choose]"))
    .filter((other) => other.dataset.choose === group.dataset.choose)
    .map((other) => other.querySelector(":scope > .choice > select")).filter(Boolean);
  const select = (i) => twins().forEach((twin) => twin.show(panels[i].dataset.tab));
  list.addEventListener("change", () => {
    select(list.selectedIndex);
    writeAddress({ place: list.selectedIndex > 0 ? panels[list.selectedIndex].id : "", anew: true });
  });
  panels.forEach((panel, i) => openers.set(panel, () => select(i)));
  if (twins().length === 0) views.push(viewOfPanels(panels, () => list.selectedIndex, select));
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
        row.hidden = !wanted.every((control) => {
          const its = row.dataset[control.dataset.rowKey].split(" ");
          return control.value.split(" ").some((one) => its.includes(one));
        });
        found = found || !row.hidden;
      });
      const name = part && item.querySelector("[data-name]").textContent.toLowerCase();
      item.hidden = !found || !(part === "" || name.includes(part));
      count += item.hidden ? 0 : 1;
    });
    status.textContent = status.dataset.shown + " " + count + " of " + items.length;
    controls.dispatchEvent(new Event("shown"));
  }
  let arranged = false;
  function arrange() {
    arranged = true;
    const option = order.selectedOptions[0];
    const sorted = items.map((item) => ({ row: item, value: item.dataset[option.value] }));
    sorted.sort(compare(true, "down" in option.dataset ? -1 : 1));
    list.append(...sorted.map((each) => each.row));
  }
  const named = [];  // controls with their names in the address
  chosen.forEach((control) => named.push([control, control.dataset.rowKey]));
  if (text) named.push([text, "name"]);
  if (order) named.push([order, "order"]);
  const key = (name) => list.id + "." + name;
  // options whose values are numbers on this page are named in the address as they are on others
  const numbered = (control) => control !== order && control.options;
  const inAddress = (control) => (numbered(control) ? control.selectedOptions[0].textContent : control.value);
  const optionOf = (control, name) =>
    (Array.from(control.options).find((option, i) => i > 0 && option.textContent === name) || { value: "" }).value;
  const isFirst = (control) => (control === order ? order.selectedIndex < 1 : control.value === "");
  views.push({
    parts: () => named.filter(([control]) => !isFirst(control)).map(([control, name]) =>
      encodeURIComponent(key(name)) + "=" + encodeURIComponent(inAddress(control))),
    restore: (view, whole) => {
      named.forEach(([control, name]) => {
        if (!view.values.has(key(name)) && !whole) return;
        const value = view.values.get(key(name)) ?? "";
        control.value = numbered(control) ? optionOf(control, value) : value;
        if (control.selectedIndex === -1) control.selectedIndex = 0;
      });
      apply();
      if (order && (arranged || order.selectedIndex > 0)) arrange();
      controls.dispatchEvent(new Event("change"));  // for what depends on the filters
    },
  });
  chosen.forEach((control) => control.addEventListener("change", () => {
    apply();
    writeAddress({ anew: true });
  }));
  if (text) text.addEventListener("input", () => {
    apply();
    writeAddress({});
  });
  if (order) order.addEventListener("change", () => {
    arrange();
    writeAddress({ anew: true });
  });
  // a link to what is hidden shows everything again
  items.forEach((item) => openers.set(item, () => {
    if (!item.hidden) return;
    chosen.concat(text || []).forEach((control) => { control.value = ""; });
    apply();
  }));
  controls.hidden = false;
  apply();  // a browser may remember what was chosen before
}

// --- differences: relations switched on and off, pairs of spans

function makeLegend(legend) {
  const controls = document.querySelector("[data-filter=" + legend.dataset.legend + "]");
  const items = Array.from(document.getElementById(legend.dataset.legend).querySelectorAll("[data-item]"));
  const [relations, label] = ["relation", "label"].map((key) => controls.querySelector("[data-row-key=" + key + "]"));
  const buttons = Array.from(legend.querySelectorAll("li"), (entry) => {
    const button = document.createElement("button");
    button.type = "button";
    button.value = entry.dataset.relation;
    button.append(...entry.childNodes);
    entry.append(button);
    return button;
  });
  const isOn = (button) => button.getAttribute("aria-pressed") === "true";
  buttons.forEach((button) => button.addEventListener("click", () => {
    const on = buttons.filter((other) => isOn(other) !== (other === button));
    relations.value = on.length === buttons.length ? "" : on.map((other) => other.value).join(" ") || "none";
    relations.dispatchEvent(new Event("change"));
  }));
  function showPassages() {
    const some = relations.value !== "" || label.value !== "";
    const isShown = (link) => !document.getElementById(link.hash.slice(1)).hidden;
    items.forEach((item) => item.querySelectorAll(".sides").forEach((passage) => {
      passage.hidden = some && !Array.from(passage.querySelectorAll(".drawn a")).some(isShown);
      passage.querySelectorAll(".drawn").forEach((drawing) => showSpans(drawing, isShown));
    }));
  }
  controls.addEventListener("shown", () => {
    const on = relations.value.split(" ");
    buttons.forEach((button) =>
      button.setAttribute("aria-pressed", String(relations.value === "" || on.includes(button.value))));
    showPassages();
  });
}

const heightOf = (line) => line.style.getPropertyValue("--y");

// The spans of a drawing whose rows are shown: a label at the first word, a line at every word.
function showSpans(drawing, isShown) {
  const isOff = new Map();  // by height, at which a span has its lines
  drawing.querySelectorAll("span").forEach((word) => {
    word.querySelectorAll("b").forEach((label) => {
      const link = label.querySelector("a");
      isOff.set(heightOf(label), link !== null && !isShown(link));
    });
    const lines = Array.from(word.querySelectorAll("i"));
    word.querySelectorAll("b, i").forEach((part) => part.classList.toggle("off", isOff.get(heightOf(part)) === true));
    word.classList.toggle("off", lines.length > 0 && lines.every((line) => line.classList.contains("off")));
  });
}

document.querySelectorAll("[data-legend]").forEach(makeLegend);
document.querySelectorAll("[data-tabs]").forEach(makeTabs);
document.querySelectorAll("[data-choose]").forEach(makeChoice);
document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll("[data-filter]").forEach(makeFilter);
window.addEventListener("hashchange", restoreView);
restoreView();
})();
