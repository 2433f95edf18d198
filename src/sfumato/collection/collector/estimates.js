// The estimates page: asks for the estimates every few seconds, with the token that stands after the # of the address.
"use strict";

const EVERY = 3000; // milliseconds
const WIDE = 300;

const percent = (share) => `${(100 * share).toFixed(1)}%`;
const number = (value) => Number(value.toPrecision(6)).toLocaleString("en", { maximumSignificantDigits: 6 });

function made(name, properties = {}, children = []) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function drawn(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** The interval as a bar from 0% to 100%, or between the bounds of a number, and the estimate as a mark on it. */
function bar({ share, low, high }, [least, most], told) {
  const at = (value) => 6 + (WIDE - 12) * Math.min(Math.max((value - least) / (most - least), 0), 1);
  const picture = drawn("svg", { viewBox: `0 0 ${WIDE} 20`, preserveAspectRatio: "none", class: "bar", role: "img" });
  picture.setAttribute("aria-label", `${told(share)}, from ${told(low)} to ${told(high)}`);
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    const x = at(least + part * (most - least));
    picture.append(drawn("line", { x1: x, x2: x, y1: 0, y2: 20, class: "tick" }));
  }
  picture.append(drawn("rect", { x: at(low), width: Math.max(at(high) - at(low), 1), y: 6, height: 8, class: "range" }));
  picture.append(drawn("rect", { x: at(share) - 1.5, width: 3, y: 2, height: 16, class: "mark" }));
  return picture;
}

function row(each, ends, told) {
  return made("tr", {}, [
    made("th", { scope: "row", textContent: String(each.value) }),
    made("td", { className: "number", textContent: told(each.share) }),
    made("td", { className: "number", textContent: `${told(each.low)} to ${told(each.high)}` }),
    made("td", { className: "picture" }, [bar(each, ends, told)]),
  ]);
}

function card(question) {
  const count = made("p", { className: "note", textContent: `${question.reports.toLocaleString("en")} reports` });
  const title = made("h2", { textContent: question.text });
  if (question.rows.length === 0) return made("section", { className: "card" }, [title, count]);
  const [ends, told] = question.bounds ? [question.bounds, number] : [[0, 1], percent];
  const heads = [question.of, question.bounds ? "estimate" : "share", "95% interval"].map((text) => made("th", { scope: "col", textContent: text }));
  const scale = made("span", { className: "scale" }, [0, 0.5, 1].map((part) => made("span", { textContent: told(ends[0] + part * (ends[1] - ends[0])).replace(".0%", "%") })));
  const head = made("thead", {}, [made("tr", {}, [...heads, made("td", { className: "picture" }, [scale])])]);
  const table = made("table", {}, [head, made("tbody", {}, question.rows.map((each) => row(each, ends, told)))]);
  return made("section", { className: "card" }, [title, count, table]);
}

function show(found) {
  const n = found.submissions;
  document.getElementById("said").textContent =
    n === 0 ? "No answers yet." : `${n.toLocaleString("en")} ${n === 1 ? "respondent" : "respondents"} so far.`;
  document.getElementById("questions").replaceChildren(...found.questions.map(card));
}

let shown = "";

async function refresh() {
  const said = document.getElementById("said");
  try {
    const headers = { Authorization: `Bearer ${location.hash.slice(1)}` };
    const response = await fetch("estimates.json", { headers, credentials: "omit", cache: "no-store" });
    const text = await response.text();
    if (!response.ok) {
      said.textContent = `${JSON.parse(text).error}; open the address that the collector printed when it started.`;
      document.getElementById("questions").replaceChildren();
      shown = "";
    } else if (text !== shown) {
      shown = text;
      show(JSON.parse(text));
    }
  } catch {
    said.textContent = "The collector does not answer; trying again.";
    shown = "";
  }
  setTimeout(refresh, EVERY);
}

document.addEventListener("DOMContentLoaded", refresh);
