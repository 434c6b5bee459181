"use strict";
// How figures are written: the same words as reports/numbers.py, by the same names.
const MINUS = "\u2212", THIN = "\u202f";
const PREFIXES = { "-12": "p", "-9": "n", "-6": "µ", "-3": "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E", 21: "Z", 24: "Y" };
const MONEY = { 0: "", 3: "k", 6: "M", 9: "bn", 12: "tn" };
const SUPERSCRIPTS = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

const numbers = {
  exponent: (value, digits) => Number(Math.abs(value).toExponential(digits - 1).split("e")[1]),
  group: (digits) => digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, THIN),
  withUnit: (text, unit) => !unit ? text : text + ("%×°".includes(unit[0]) ? "" : THIN) + unit,
  fixed(value, decimals) {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "—" : (value > 0 ? "∞" : MINUS + "∞");
    const text = Math.abs(value).toFixed(Math.max(decimals, 0));
    const [whole, rest] = text.split(".");
    const body = numbers.group(whole) + (rest ? "." + rest : "");
    return (value < 0 && /[1-9]/.test(text) ? MINUS : "") + body;
  },
  count(value) {
    // A count that is no longer whole says so.
    const whole = Math.round(value);
    if (Math.abs(value - whole) > 1e-6 * Math.abs(value)) return numbers.plain(value, 4);
    return numbers.fixed(whole, 0);
  },
  plain(value, digits = 3) {
    if (value === 0 || !Number.isFinite(value)) return numbers.fixed(value, 0);
    const exponent = numbers.exponent(value, digits);
    const [mantissa] = value.toExponential(digits - 1).split("e");
    if (exponent <= -5 || exponent >= 7) {
      const power = String(exponent).replace(/./g, (c) => SUPERSCRIPTS[c]);
      return numbers.fixed(Number(mantissa), digits - 1) + "×10" + power;
    }
    const rounded = Number(value.toExponential(digits - 1));
    return numbers.fixed(rounded, Math.max(digits - 1 - exponent, 0));
  },
  steps(value, digits, table) {
    if (value === 0 || !Number.isFinite(value)) return [value, ""];
    const known = Object.keys(table).map(Number);
    let power = 3 * Math.floor(numbers.exponent(value, digits) / 3);
    power = Math.min(Math.max(power, Math.min(...known)), Math.max(...known));
    return [power >= 0 ? value / 10 ** power : value * 10 ** -power, table[power]];
  },
  si(value, unit = "", digits = 3) {
    const [scaled, prefix] = numbers.steps(value, digits, PREFIXES);
    return numbers.withUnit(numbers.plain(scaled, digits), prefix + unit);
  },
  money(value, currency = "$", digits = 3) {
    const [scaled, suffix] = numbers.steps(value, digits, MONEY);
    const sign = scaled < 0 ? MINUS : "";
    const body = numbers.plain(Math.abs(scaled), digits) + suffix;
    return "$€£¥".includes(currency) ? sign + currency + body : sign + body + THIN + currency;
  },
  percent: (share, digits = 3) => numbers.withUnit(numbers.plain(100 * share, digits), "%"),
  ratio: (value, digits = 3) => numbers.withUnit(numbers.plain(value, digits), "×"),
  signed: (text) => text.startsWith(MINUS) || text.startsWith("+") || !/[1-9∞]/.test(text) ? text : "+" + text,
};
