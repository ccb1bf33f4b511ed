"use strict";

// Times and numbers for people. All times are microseconds.

const SECOND = 1e6;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

function significant(value) {
  return String(Number(value.toPrecision(3)));
}

// "17 µs", "830 ms", "1.25 s", "2 m 5 s", "3 h 20 m"
function formatSpan(us) {
  const size = Math.abs(us);
  if (size === 0) return "0 s";
  if (size < 1000) return `${Math.round(us)} µs`;
  if (size < SECOND) return `${significant(us / 1000)} ms`;
  if (size < MINUTE) return `${significant(us / SECOND)} s`;
  if (size < HOUR) return `${Math.floor(us / MINUTE)} m ${Math.floor(us % MINUTE / SECOND)} s`;
  return `${Math.floor(us / HOUR)} h ${Math.floor(us % HOUR / MINUTE)} m`;
}

// A moment since the log's start, to the microsecond: "+12.345678 s"
function formatMoment(us) {
  return `${us < 0 ? "−" : "+"}${(Math.abs(us) / SECOND).toFixed(6)} s`;
}

// A moment as an axis tells it, as finely as its ticks lie apart: "1:05", "1:05.2", "12.345 s"
function formatTick(us, step) {
  const digits = step >= SECOND ? 0 : Math.min(6, Math.ceil(-Math.log10(step / SECOND)));
  const sign = us < 0 ? "−" : "";
  const size = Math.abs(us);
  if (size < MINUTE) return `${sign}${(size / SECOND).toFixed(digits)} s`;
  const hours = Math.floor(size / HOUR);
  const minutes = Math.floor(size % HOUR / MINUTE);
  const seconds = (size % MINUTE / SECOND).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return hours ? `${sign}${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${sign}${minutes}:${seconds}`;
}

const TICK_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400];

// The least round distance between ticks that is no less than the one given.
function tickStep(least) {
  if (least <= SECOND) {
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
    return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
  }
  const seconds = TICK_SECONDS.find((candidate) => candidate * SECOND >= least);
  return seconds ? seconds * SECOND : Math.ceil(least / (86400 * SECOND)) * 86400 * SECOND;
}

function formatCount(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}

// An element of the page. Text stays text, whatever is in it.
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}
