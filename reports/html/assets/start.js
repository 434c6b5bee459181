// The panel of inputs, and what begins when the page does.
const panel = { rows: new Map() };
const byId = (id) => document.getElementById(id);

panel.make = () => {
  const { sliders } = live.data;
  for (const slider of sliders) if (slider.shown) panel.add(slider);
  const select = byId("add");
  select.append(new Option("Choose …", ""));
  for (const slider of sliders) if (!slider.shown) select.append(new Option(panel.title(slider), slider.node));
  if (select.options.length === 1) select.closest("p").hidden = true;
  select.addEventListener("change", () => {
    const slider = sliders.find((s) => String(s.node) === select.value);
    if (slider) panel.add(slider).querySelector("input").focus();
    select.value = "";
  });
  byId("reset").addEventListener("click", () => { live.apply(new Map()); live.remember(); });
  byId("link").addEventListener("click", () => panel.copy(location.href));
  byId("export").addEventListener("click", () => panel.save("changed.scn", live.scenario()));
  const open = (shown) => {
    document.body.classList.toggle("trying", shown);
    byId("open-inputs").setAttribute("aria-expanded", shown);
    if (shown) byId("close-inputs").focus(); else byId("open-inputs").focus();
  };
  byId("open-inputs").addEventListener("click", () => open(!document.body.classList.contains("trying")));
  byId("close-inputs").addEventListener("click", () => open(false));
  byId("inputs").addEventListener("keydown", (event) => { if (event.key === "Escape") open(false); });
};

panel.title = (slider) => {
  const alike = live.data.sliders.filter((s) => s.label === slider.label);
  if (alike.length < 2) return slider.label;
  const titles = slider.scenarios.map((name) => live.data.document.scenarios[name]);
  return slider.label + " (" + titles.slice(0, 2).join(", ") + (titles.length > 2 ? ", …" : "") + ")";
};

panel.allowed = (slider, x) => (slider.least === null || x >= slider.least) && (slider.most === null || x <= slider.most);

panel.add = (slider) => {
  if (panel.rows.has(slider.node)) return panel.rows.get(slider.node).row;
  const row = document.createElement("fieldset"), id = "in" + slider.node;
  const legend = document.createElement("legend"), range = document.createElement("input"), field = document.createElement("input"), unit = document.createElement("span"), back = document.createElement("button");
  legend.textContent = panel.title(slider);
  legend.title = slider.doc;
  Object.assign(range, { type: "range", min: 0, max: 1000, step: 1, id });
  range.setAttribute("aria-label", panel.title(slider));
  Object.assign(field, { type: "number", step: "any" });
  field.setAttribute("aria-label", panel.title(slider) + (slider.unit ? ", " + slider.unit : ""));
  if (slider.least !== null) field.min = slider.least;
  if (slider.most !== null) field.max = slider.most;
  unit.className = "unit";
  unit.textContent = slider.unit;
  Object.assign(back, { type: "button", className: "back", textContent: "↺", title: "Back to " + slider.text, disabled: true });
  back.setAttribute("aria-label", "Back to " + slider.text);
  const track = document.createElement("span");
  track.className = "track";
  track.append(range);
  row.append(legend, track, field, unit, back);
  byId("sliders").append(row);
  const home = 1000 * (slider.value - slider.low) / (slider.high - slider.low || 1);
  track.style.setProperty("--home", home / 1000);
  let dragged = false;
  range.addEventListener("pointerdown", () => { dragged = true; });
  range.addEventListener("keydown", () => { dragged = false; });
  range.addEventListener("input", () => {
    // Dragged near its own place it snaps back, so that it can be found again.
    const at = Number(range.value), near = Math.abs(at - home) < (dragged ? 8 : 0.5);
    live.change(slider, near ? null : slider.low + (slider.high - slider.low) * at / 1000);
  });
  field.addEventListener("change", () => {
    const x = field.value === "" ? null : Number(field.value);
    live.change(slider, x !== null && !panel.allowed(slider, x) ? null : x);
  });
  back.addEventListener("click", () => live.change(slider, null));
  panel.rows.set(slider.node, { row, range, field, back, slider });
  panel.place(panel.rows.get(slider.node));
  return row;
};

panel.place = ({ row, range, field, back, slider }) => {
  const value = live.set.get(slider.node) ?? slider.value, moved = live.set.has(slider.node);
  const at = String(Math.round(1000 * (value - slider.low) / (slider.high - slider.low || 1)));
  if (range.value !== at) range.value = at;
  const text = String(Number(value.toPrecision(5)));
  if (document.activeElement !== field || Number(field.value) !== value) field.value = text;
  range.setAttribute("aria-valuetext", text + " " + slider.unit);
  back.disabled = !moved;
  row.classList.toggle("moved", moved);
};

panel.show = () => {
  for (const [node, value] of live.set) if (!panel.rows.has(node)) panel.add(live.data.sliders.find((s) => s.node === node), value);
  for (const one of panel.rows.values()) panel.place(one);
  const count = live.set.size;
  byId("state").textContent = count === 0 ? "At the scenario’s own inputs." : `${count} input${count > 1 ? "s" : ""} changed; intervals and settled choices stay the scenario’s.`;
  for (const id of ["reset", "link", "export"]) byId(id).disabled = count === 0;
  byId("open-inputs").textContent = count ? `Try inputs (${count})` : "Try inputs";
  const body = byId("summary").tBodies[0];
  if (!body.rows.length) {
    for (const row of live.data.summary) {
      const made = body.insertRow(), head = document.createElement("th");
      head.scope = "row";
      head.textContent = row.title;
      made.append(head);
      made.insertCell().className = "right";
      made.insertCell().className = "right";
    }
  }
  live.data.summary.forEach((row, i) => {
    const change = live.outs[row.out] / live.base[row.out] - 1, cells = body.rows[i].cells;
    cells[1].textContent = live.text(row.text);
    cells[2].textContent = Math.abs(change) < 1e-9 ? "" : numbers.signed(numbers.percent(change, 2));
  });
};

panel.copy = (text) => {
  const done = () => { byId("state").textContent = "The link is copied."; };
  const by_hand = () => {
    const area = document.createElement("textarea");
    area.value = text;
    byId("inputs").append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    done();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, by_hand); else by_hand();
};

panel.save = (name, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

// By day and by night: the reader's system decides until the button does.
const mode = byId("mode"), root = document.documentElement, night = matchMedia("(prefers-color-scheme: dark)");
const dark = () => root.dataset.mode ? root.dataset.mode === "dark" : night.matches;
const showMode = () => { mode.textContent = dark() ? "Light" : "Dark"; mode.setAttribute("aria-pressed", dark()); };
mode.addEventListener("click", () => { root.dataset.mode = dark() ? "light" : "dark"; showMode(); });
night.addEventListener("change", showMode);
showMode();

const narrow = matchMedia("(max-width: 899px)"), contents = document.querySelector(".contents details");
if (contents && narrow.matches) contents.open = false;
// What is wider than the window scrolls, by keyboard too.
const reachable = () => document.querySelectorAll(".exhibit, .eq-line, pre").forEach((box) => {
  if (box.tabIndex === 0 || box.scrollWidth <= box.clientWidth + 1) return;
  box.tabIndex = 0;
  box.setAttribute("role", box.matches(".exhibit") ? "region" : "group");
  const name = box.querySelector("caption, .eq-no") || box.closest(".equation, .listing")?.querySelector(".eq-title");
  box.setAttribute("aria-label", name ? name.textContent : "Scrolls sideways");
});
reachable();
addEventListener("resize", reachable, { passive: true });
document.querySelectorAll(".exhibit table").forEach(tables.listen);
document.querySelectorAll("svg.chart").forEach(charts.listen);
addEventListener("scroll", () => { charts.tip.hidden = true; }, { passive: true });
if (live.data.sliders) {
  live.start();
  if (byId("inputs")) { panel.make(); panel.show(); live.recall(); addEventListener("hashchange", live.recall); }
}
