// Inputs that move, and everything on the page that follows them.
const live = { data: JSON.parse(document.getElementById("data").textContent), set: new Map(), ms: 0 };

live.start = () => {
  const { data } = live;
  live.v = new Float64Array(data.size);
  for (const [node, x] of data.base) live.v[node] = Number(x);
  run(live.v);
  live.base = live.evaluate();
  live.outs = live.base;
  live.spots = [...document.querySelectorAll("[data-f]")].map((element) => ({ element, text: element.textContent, form: Number(element.dataset.f), signed: "p" in element.dataset }));
  live.texts = [...document.querySelectorAll("[data-v]")].map((element) => ({ element, variant: data.variants[Number(element.dataset.v)] }));
  live.settle();
  live.figures = Object.entries(data.figures).map(([number, figure]) => ({ figure, holder: document.querySelector(`[data-figure="${number}"]`) }));
};

// Exhibits that follow nothing, in sections that do: they say so while inputs are off.
live.settle = () => {
  const still = new Set(["cover", "hardware", "topology", "method", "assumptions", "bibliography", "glossary"]);
  for (const part of document.querySelectorAll("[data-section]")) {
    if (still.has(part.dataset.section) || !part.querySelector("[data-f]")) continue;
    for (const box of part.querySelectorAll("figure, .exhibit")) {
      const drawn = box.querySelector("[data-figure]")?.dataset.figure;
      if (box.querySelector(".stale, [data-f]") || (drawn && drawn in live.data.figures)) continue;
      const note = document.createElement("p");
      Object.assign(note, { className: "stale", hidden: true, textContent: "Made for the scenario’s own inputs." });
      box.append(note);
    }
  }
};

// Numbers ----------------------------------------------------------------------
live.evaluate = () => {
  const w = live.data.moves.map(([wanted, node, to]) => {
    live.u ??= new Float64Array(live.v.length);
    live.u.set(live.v);
    live.u[node] = to;
    whatIf[wanted](live.u);
    return live.u[wanted];
  });
  return outputs(live.v, w);
};

live.changed = (out) => {
  const a = live.outs[out], b = live.base[out];
  return a !== b && !(Number.isNaN(a) && Number.isNaN(b)) && Math.abs(a - b) > 1e-12 * Math.abs(b);
};

live.number = (form, signed) => {
  const [name, out, options] = live.data.forms[form];
  const text = numbers[name](live.outs[out], ...options);
  return signed ? numbers.signed(text) : text;
};

live.text = (found) => found.map((piece) => {
  if (typeof piece === "string") return piece;
  const [form, text, signed] = piece, [, out, , frozen] = live.data.forms[form];
  return frozen || !live.changed(out) ? text : live.number(form, signed);
}).join("");

// Whether some number of a text is one that stayed as it was while what it is of moved.
live.stale = (found) => found.some((piece) => {
  if (typeof piece === "string") return false;
  const [, out, , frozen] = live.data.forms[piece[0]];
  return frozen && live.changed(out);
});

// The page ---------------------------------------------------------------------
live.show = () => {
  for (const spot of live.texts) live.variant(spot);
  for (const spot of live.spots) live.spot(spot);
  for (const { holder, figure } of live.figures) if (holder) charts.update(holder, figure, live.outs, live.changed, live.text);
  for (const part of document.querySelectorAll("[data-section]")) {
    const note = part.querySelector(".order"), name = part.dataset.section;
    if (!note) continue;
    const turned = (live.data.conditions[name] || []).some(([out, outcome]) => (live.outs[out] > 0) !== outcome);
    note.hidden = !turned && !(live.data.stale[name] || []).some(live.changed);
  }
  const moved = live.set.size > 0;
  for (const note of document.querySelectorAll(".stale, .changed")) note.hidden = !moved;
  panel.show();
};

live.spot = ({ element, text, form, signed }) => {
  const [, out, , frozen] = live.data.forms[form], changed = live.changed(out);
  element.classList.toggle("off", frozen && changed);
  element.classList.toggle("now", !frozen && changed);
  const words = changed && !frozen ? live.number(form, signed) : text;
  if (element.textContent !== words) element.textContent = words;
};

live.variant = (spot) => {
  const { element, variant } = spot;
  const key = variant.cases.length ? String(live.holding(variant.cases)) : live.seats(variant);
  if (spot.key === key || (spot.key === undefined && key === variant.places.join())) return;
  live.reword(spot, key);
};

// The first case that holds.
live.holding = (cases) => cases.findIndex((out) => out === null || live.outs[out] > 0);

// Who takes the places of a ranking, by today's order.
live.seats = (variant) => {
  const order = variant.outs.map((out, i) => [live.outs[out], i]).filter(([x]) => !Number.isNaN(x));
  order.sort((a, b) => (variant.most ? b[0] - a[0] : a[0] - b[0]) || a[1] - b[1]);
  return variant.places.map((place) => order[place < 0 ? order.length + place : place]?.[1]).join();
};

live.reword = (spot, key) => {
  const { element, variant } = spot;
  spot.key = key;
  const found = variant.texts.find(([taken]) => taken.join() === key);
  live.spots = live.spots.filter((one) => !element.contains(one.element));
  if (!found) return;
  element.replaceChildren();
  for (const piece of found[1]) {
    if (typeof piece === "string") { element.append(piece); continue; }
    const [form, text, signed] = piece, span = document.createElement("span");
    span.textContent = text;
    element.append(span);
    live.spots.push({ element: span, text, form, signed });
  }
};

// Changes ----------------------------------------------------------------------
live.apply = (values) => {
  const started = performance.now();
  for (const slider of live.data.sliders) {
    const value = values.get(slider.node);
    if (value === undefined || value === slider.value) {
      live.set.delete(slider.node);
      live.v[slider.node] = slider.value * slider.scale;
      const own = live.data.base.find(([node]) => node === slider.node);
      if (own) live.v[slider.node] = Number(own[1]);
    } else {
      live.set.set(slider.node, value);
      live.v[slider.node] = value * slider.scale;
    }
  }
  run(live.v);
  live.outs = live.evaluate();
  live.show();
  live.ms = performance.now() - started;
};

live.change = (slider, value) => {
  const values = new Map(live.set);
  if (value === null || !Number.isFinite(value)) values.delete(slider.node); else values.set(slider.node, value);
  live.apply(values);
  live.remember();
};

// The link: the changed inputs after `#set?`, by path, in their own units.
live.remember = () => {
  const parts = live.data.sliders.filter((s) => live.set.has(s.node)).map((s) => encodeURIComponent(live.name(s)) + "=" + live.set.get(s.node));
  const url = parts.length ? "#set?" + parts.join("&") : location.pathname.split("/").pop() || "#";
  try { history.replaceState(null, "", url); } catch { location.hash = parts.length ? url : ""; }
};

// Two inputs may share a path in two scenarios; the scenarios' names tell them apart.
live.name = (slider) => {
  const alike = live.data.sliders.filter((s) => s.path === slider.path);
  return alike.length > 1 ? slider.path + "@" + alike.indexOf(slider) : slider.path;
};

live.recall = () => {
  if (!location.hash.startsWith("#set?")) return;
  const values = new Map();
  for (const part of location.hash.slice(5).split("&")) {
    const [name, value] = part.split("=");
    let plain;
    try { plain = decodeURIComponent(name); } catch { continue; }
    const slider = live.data.sliders.find((s) => live.name(s) === plain), x = Number(value);
    if (slider && value !== "" && Number.isFinite(x) && panel.allowed(slider, x)) values.set(slider.node, x);
  }
  live.apply(values);
};

// A scenario file that states the same changes as overrides.
live.scenario = () => {
  const { document: source, sliders } = live.data, changed = sliders.filter((s) => live.set.has(s.node));
  const lines = [`edition ${source.edition}`, "", `import "${source.file}"`, ""];
  for (const [name, title] of Object.entries(source.scenarios)) {
    const own = changed.filter((s) => s.scenarios.includes(name));
    if (!own.length) continue;
    lines.push(`scenario ${name.replace(/[^A-Za-z0-9_]/g, "_")}_changed extends ${name} {`);
    lines.push(`  title = "${title.replace(/[\\"]/g, "")}, changed"`);
    for (const s of own) {
      const value = String(live.set.get(s.node)).replace("e+", "e");
      const text = s.unit.startsWith("%") ? value + s.unit : s.unit ? `${value} ${s.unit}` : value;
      lines.push(`  ${s.path} = ${text} @assumed "set in the live report; ${s.text.replace(/[\\"]/g, "")} before"`);
    }
    lines.push("}", "");
  }
  return lines.join("\n");
};
