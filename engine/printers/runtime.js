// Kernels that printed formulas call; each is that of the same name in the engine.
function _erlang_b(servers, load) {
  if (load <= 0) return servers > 0 ? 0 : 1;
  let inverse = 1;
  for (let k = 1; k <= Math.round(servers); k++) {
    inverse = 1 + inverse * k / load;
    if (inverse === Infinity) return 0;
  }
  return 1 / inverse;
}
function _erlang_c(servers, load) {
  if (load >= servers) return 1;
  const blocked = _erlang_b(servers, load);
  return blocked / (1 - load / servers * (1 - blocked));
}
function _log_choose(n, k) {
  let sum = 0;
  for (let i = 1; i <= Math.min(k, n - k); i++) sum += Math.log((n - i + 1) / i);
  return sum;
}
function _tail(k, n, chance) {
  let term = Math.exp(_log_choose(n, k) + k * Math.log(chance) + (n - k) * Math.log1p(-chance));
  const first = term, odds = chance / (1 - chance);
  let sum = term;
  for (let i = k; i < n; i++) {
    term *= (n - i) / (i + 1) * odds;
    sum += term;
    if (term < first * 1e-18) break;
  }
  return sum;
}
function _at_least(needed, units, up) {
  const k = Math.round(needed), n = Math.round(units);
  if (k <= 0) return 1;
  if (k > n) return 0;
  if (up <= 0 || up >= 1) return up >= 1 ? 1 : 0;
  if (k > n * up) return Math.min(1, _tail(k, n, up));
  return Math.max(0, 1 - _tail(n - k + 1, n, 1 - up));
}
function _largest_divisor(whole, most, times, over) {
  if (![whole, most, times, over].every(Number.isFinite)) return NaN;
  const gcd = (a, b) => (b ? gcd(b, a % b) : a);
  const number = Math.round(whole), parts = Math.max(Math.round(over), 1);
  const step = parts / gcd(parts, Math.max(Math.round(times), 1));
  if (number < 1 || number > 1e10 || Math.abs(whole - number) > 1e-9 * number) return 0;
  let best = 0;
  const take = (d) => {
    if (d > best && d <= most * (1 + 1e-9) && d % step === 0) best = d;
  };
  for (let d = 1; d * d <= number; d++) {
    if (number % d === 0) { take(d); take(number / d); }
  }
  return best;
}
function _annuity(rate, periods) {
  if (Math.abs(rate) < 1e-8) return periods * (1 - rate * (periods + 1) / 2);
  return -Math.expm1(-periods * Math.log1p(rate)) / rate;
}
function _irr_level(capex, income, periods, salvage) {
  if (capex <= 0 || income * periods + salvage <= 0 || periods <= 0) return NaN;
  let low = Math.log1p(-0.999), high = Math.log1p(Math.max(income / capex, 0) + 1);
  high = Math.max(high, Math.log1p(salvage / capex) / periods + 1);
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2, rate = Math.expm1(middle);
    const kept = Math.exp(-periods * Math.log1p(rate));
    if (income * _annuity(rate, periods) + salvage * kept - capex > 0) low = middle;
    else high = middle;
  }
  return Math.expm1((low + high) / 2);
}
function _npv(rate, ...flows) {
  let worth = 0;
  for (let i = flows.length - 1; i >= 0; i--) worth = worth / (1 + rate) + flows[i];
  return worth;
}
function _payback(...flows) {
  let running = 0;
  for (let i = 0; i < flows.length; i++) {
    if (running < 0 && 0 <= running + flows[i]) return i - 1 - running / flows[i];
    running += flows[i];
  }
  return running >= 0 ? 0 : Infinity;
}
function _scaled(growth, flows) {
  const shift = growth >= 0 ? 0 : flows.length - 1;
  let sum = 0;
  for (let t = 0; t < flows.length; t++) sum += flows[t] * Math.exp(-growth * (t - shift));
  return sum;
}
function _root(low, high, at_low, flows) {
  for (let i = 0; i < 80; i++) {
    const middle = (low + high) / 2;
    if (_scaled(middle, flows) * at_low > 0) low = middle; else high = middle;
  }
  return (low + high) / 2;
}
function _irr(...flows) {
  const reach = Math.log(1000), steps = 480;
  let changes = 0, last = 0;
  for (const flow of flows) if (flow) {
    if (last && Math.sign(flow) !== last) changes++;
    last = Math.sign(flow);
  }
  if (!changes || flows.some((flow) => !Number.isFinite(flow))) return NaN;
  const first = Math.sign(flows.find((flow) => flow));
  if (changes === 1) {
    const growth = _root(-reach, reach, -first, flows);
    return Math.abs(growth) > reach - 1e-6 ? NaN : Math.expm1(growth);
  }
  let best = NaN;
  let before = _scaled(-reach, flows);
  for (let i = 1, a = -reach; i <= steps; i++) {
    const b = reach * (2 * i / steps - 1), value = _scaled(b, flows);
    let rate = NaN;
    if (value === 0) rate = Math.expm1(b);
    else if (before * value < 0) rate = Math.expm1(_root(a, b, before, flows));
    if (!(Math.abs(best) <= Math.abs(rate)) && !Number.isNaN(rate)) best = rate;
    a = b;
    before = value;
  }
  return best;
}
function _even_price(rate, tax, ...columns) {
  const n = columns.length / 3, worth = [], profits = [];
  const hours = columns.slice(0, n), rest = columns.slice(n, 2 * n), deducted = columns.slice(2 * n);
  let sold = 0, price = 0;
  for (let t = 0; t < n; t++) {
    worth.push(Math.pow(1 + rate, -t));
    sold += worth[t] * hours[t];
    price -= worth[t] * rest[t];
  }
  if (!(sold > 0)) return NaN;
  price /= sold;
  for (let i = 0; tax && i < 200; i++) {
    let carried = 0, value = 0, slope = 0, later = 0;
    for (let t = 0; t < n; t++) {
      profits[t] = price * hours[t] - deducted[t] + carried;
      carried = Math.min(0, profits[t]);
      value += worth[t] * (price * hours[t] + rest[t] - tax * Math.max(0, profits[t]));
    }
    for (let t = n - 1; t >= 0; t--) {
      if (profits[t] > 0) later = -tax * worth[t];
      slope += hours[t] * (worth[t] + later);
    }
    const step = value / slope;
    price -= step;
    if (!(Math.abs(step) > 1e-15 * Math.abs(price))) break;
  }
  return price;
}
