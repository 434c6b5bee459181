// Charts: what they say when pointed at, and how their marks follow the numbers.
const charts = { tip: document.getElementById("tip") };
const SVG = "http://www.w3.org/2000/svg";

charts.map = (axis) => {
  const to = axis.log ? (x) => Math.log10(Math.max(x, 1e-300)) : (x) => x;
  const low = to(axis.low), span = to(axis.high) - low || 1;
  return (x) => axis.start + (to(x) - low) / span * (axis.stop - axis.start);
};

// Pointing and keys ------------------------------------------------------------
charts.say = (svg, mark) => {
  for (const other of svg.querySelectorAll(".at")) other.classList.remove("at");
  if (!mark) { charts.tip.hidden = true; return; }
  mark.classList.add("at");
  charts.tip.textContent = mark.dataset.tip;
  charts.tip.hidden = false;
  const box = mark.getBoundingClientRect(), tip = charts.tip.getBoundingClientRect();
  const left = box.left + box.width / 2 - tip.width / 2;
  charts.tip.style.left = Math.min(Math.max(left, 4), innerWidth - tip.width - 4) + "px";
  charts.tip.style.top = (box.top > tip.height + 12 ? box.top - tip.height - 8 : box.bottom + 8) + "px";
};

charts.listen = (svg) => {
  const marks = () => [...svg.querySelectorAll("g[data-tip]")];
  svg.addEventListener("pointerover", (event) => charts.say(svg, event.target.closest("g[data-tip]")));
  svg.addEventListener("pointerleave", () => charts.say(svg, null));
  svg.addEventListener("blur", () => charts.say(svg, null));
  svg.addEventListener("keydown", (event) => {
    const all = marks(), now = all.findIndex((mark) => mark.classList.contains("at"));
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    let next = now;
    if (event.key in steps) next = now < 0 ? (steps[event.key] > 0 ? 0 : all.length - 1) : now + steps[event.key];
    else if (event.key === "Home") next = 0;
    else if (event.key === "End") next = all.length - 1;
    else if (event.key === "Escape") next = -1;
    else return;
    event.preventDefault();
    charts.say(svg, next < 0 ? null : all[Math.min(next, all.length - 1)]);
  });
};

// Following the numbers --------------------------------------------------------
charts.value = (c, outs) => typeof c === "number" ? c : "out" in c ? outs[c.out] : c.value;

charts.stale = (points, changed) => points.some((p) => p.some((c) => c.frozen !== undefined && changed(c.frozen)));

charts.fits = (figure, outs) => {
  // The axes as they are, or wider where a mark would leave them.
  const made = {};
  for (const name of ["x", "y"]) {
    const axis = figure[name], k = name === "x" ? 0 : 1;
    made[name] = axis;
    if (axis.band || axis.fixed) continue;
    let low = axis.low, high = axis.high;
    for (const mark of Object.values(figure.marks)) for (const p of mark.at || []) {
      const v = charts.value(p[k], outs);
      if (Number.isFinite(v) && !(axis.log && v <= 0)) { low = Math.min(low, v); high = Math.max(high, v); }
    }
    if (low < axis.low || high > axis.high) made[name] = { ...axis, ...charts.round(low, high, axis) };
  }
  return made;
};

charts.step = (span, wanted) => {
  const raw = span / wanted, power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 2.5, 5, 10].find((f) => raw <= f * power * (1 + 1e-9));
};

charts.round = (low, high, axis) => {
  if (axis.log) {
    const at = (x, up) => {
      const power = 10 ** Math.floor(Math.log10(x)), all = [1, 2, 5, 10].map((f) => f * power);
      return up ? all.find((s) => s >= x * (1 - 1e-9)) : all.reverse().find((s) => s <= x * (1 + 1e-9));
    };
    return { low: at(low, false), high: at(high, true) };
  }
  const step = charts.step(high - low, 5);
  return { low: Math.floor(low / step + 1e-9) * step, high: Math.ceil(high / step - 1e-9) * step };
};

charts.ticks = (axis) => {
  const out = [];
  if (axis.log) {
    for (let p = Math.floor(Math.log10(axis.low)); p <= Math.ceil(Math.log10(axis.high)); p++) {
      const at = 10 ** p;
      if (at >= axis.low * (1 - 1e-9) && at <= axis.high * (1 + 1e-9)) out.push([at, charts.short(at, axis)]);
    }
    return out;
  }
  const step = charts.step(axis.high - axis.low, 5);
  for (let i = Math.ceil(axis.low / step - 1e-9); i <= Math.floor(axis.high / step + 1e-9); i++) {
    out.push([i * step, charts.short(i * step, axis, step)]);
  }
  return out;
};

charts.short = (value, axis, step = 0) => {
  let text;
  if (value && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3)) text = numbers.si(value, "", 3);
  else if (step) text = numbers.fixed(value, Math.max(0, Math.ceil(-Math.log10(step) - 1e-9), step % 1 && (step * 10) % 1 > 1e-9 ? 2 : 0));
  else text = String(Number(value.toPrecision(6)));
  text = numbers.withUnit(text, axis.unit);
  return axis.money ? (text.startsWith(MINUS) ? MINUS + axis.money + text.slice(1) : axis.money + text) : text;
};

charts.redrawAxis = (svg, figure, name, axis) => {
  const old = [...svg.querySelectorAll(`[data-axis="${name}"]`)];
  const key = axis.low + ":" + axis.high;
  if (figure[name].drawn === key || (figure[name].drawn === undefined && axis === figure[name])) return;
  figure[name].drawn = key;
  const line = old.find((e) => e.tagName === "g")?.querySelector("path"), word = old.find((e) => e.tagName === "text");
  if (!line || !word) return;
  const [left, top, right, bottom] = figure.box, at = charts.map(axis);
  const group = document.createElementNS(SVG, "g");
  group.dataset.axis = name;
  const words = [];
  for (const [value, text] of charts.ticks(axis)) {
    const p = at(value).toFixed(2), path = line.cloneNode();
    path.setAttribute("d", name === "x" ? `M${p} ${top}L${p} ${bottom}` : `M${left} ${p}L${right} ${p}`);
    path.setAttribute("stroke", "var(--cdce1e8)");
    group.append(path);
    const label = word.cloneNode();
    label.textContent = text;
    label.setAttribute(name, name === "x" ? p : Number(p) + 2.5);
    words.push(label);
  }
  svg.prepend(group);
  svg.append(...words);
  for (const element of old) element.remove();
};

// What stays as it is is not written: each write costs the reader's machine a layout.
charts.set = (e, name, value) => { if (e.getAttribute(name) !== value) e.setAttribute(name, value); };

charts.update = (holder, figure, outs, changed, text) => {
  const svg = holder.querySelector("svg"), axes = charts.fits(figure, outs);
  const x = charts.map(axes.x), y = charts.map(axes.y), x0 = charts.map(figure.x), y0 = charts.map(figure.y);
  charts.redrawAxis(svg, figure, "x", axes.x);
  charts.redrawAxis(svg, figure, "y", axes.y);
  charts.index(svg, figure);
  for (const [i, mark] of Object.entries(figure.marks)) {
    const elements = figure.elements.get(i) || [];
    if (mark.tip) for (const e of elements) if (e.dataset.tip !== undefined) charts.set(e, "data-tip", text(mark.tip));
    if (mark.text) for (const e of elements) if (e.tagName === "text") {
      const words = text(mark.text);
      if (e.textContent !== words) e.textContent = words;
      e.classList.toggle("off", live.stale(mark.text));
    }
    if (!mark.at) continue;
    const points = mark.at.map(([a, b]) => [x(charts.value(a, outs)), y(charts.value(b, outs))]);
    const stale = charts.stale(mark.at, changed);
    if (stale || !mark.text) for (const e of elements) e.classList.toggle("off", stale);
    if (points.some((p) => p.some((c) => !Number.isFinite(c)))) continue;
    charts.place(mark, points, elements, figure, x0, y0);
  }
};

charts.index = (svg, figure) => {
  if (figure.elements) return;
  figure.elements = new Map();
  for (const e of svg.querySelectorAll("[data-m]")) {
    const all = figure.elements.get(e.dataset.m) || [];
    all.push(e);
    figure.elements.set(e.dataset.m, all);
  }
};

charts.place = (mark, points, elements, figure, x0, y0) => {
  const [left, top, right, bottom] = figure.box;
  const held = ([a, b]) => [Math.min(Math.max(a, left), right), Math.min(Math.max(b, top), bottom)];
  if (mark.kind === "dot" || mark.kind === "label") {
    // Where it was first drawn is where its own numbers first put it.
    mark.home ??= [x0(charts.value(mark.at[0][0], live.base)), y0(charts.value(mark.at[0][1], live.base))];
    const dx = mark.edge ? 0 : points[0][0] - mark.home[0], dy = points[0][1] - mark.home[1];
    const move = Math.hypot(dx, dy) > 0.01 ? `translate(${dx.toFixed(2)} ${dy.toFixed(2)})` : "";
    for (const e of elements) move ? charts.set(e, "transform", move) : e.removeAttribute("transform");
    return;
  }
  if (mark.kind === "box") {
    const [a, b] = points.map(held), rect = elements[0]?.querySelector("rect");
    if (!rect) return;
    charts.set(rect, "x", Math.min(a[0], b[0]).toFixed(2));
    charts.set(rect, "y", Math.min(a[1], b[1]).toFixed(2));
    charts.set(rect, "width", Math.abs(a[0] - b[0]).toFixed(2));
    charts.set(rect, "height", Math.abs(a[1] - b[1]).toFixed(2));
    return;
  }
  const path = elements[0]?.querySelector("path");
  if (!path) return;
  const d = "M" + points.map(held).map((p) => p.map((c) => c.toFixed(2)).join(" ")).join("L");
  charts.set(path, "d", mark.kind === "area" ? d + "Z" : d);
};
