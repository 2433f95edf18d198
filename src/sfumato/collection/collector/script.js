// The whole program of the form. It turns an answer into a report, here, before anything leaves this browser.
//
// - Random numbers come from the browser's cryptographic generator (crypto.getRandomValues) and from nowhere else.
// - Probabilities are whole numbers over 2**53 that the survey ships; a number of 53 random bits is compared with them.
//   The draws and their order are those of the Python randomizers of the same kind, to the last bit.
// - What was drawn is kept in this browser (localStorage), so that whoever answers again reports the same again.
//   It is drawn for every possible answer at once where these are not too many: what is kept then does not say which
//   answer was given.
// - No branch and no place in memory below is chosen by the answer: masks of 0 and 1 are. What an engine makes of it is
//   its own affair.
// - The only request is the one in `send`. It carries a random number for the submission, and the reports.
"use strict";

const WHOLE = 2 ** 53;

// -- random numbers ---------------------------------------------------------------------------------------------------
/** A whole number below 2**53, all alike. */
function secureWord() {
  const halves = crypto.getRandomValues(new Uint32Array(2));
  return (halves[0] >>> 11) * 2 ** 32 + halves[1];
}

/** The three draws that randomizers are made of. */
class Draws {
  constructor(word = secureWord) {
    this.word = word;
  }

  /** 1 with a probability of threshold / 2**53, else 0. */
  isBelow(threshold) {
    return Number(this.word() < threshold);
  }

  /** A whole number below high, all exactly alike: words past the last whole multiple are drawn anew. */
  integer(high) {
    const limit = WHOLE - (WHOLE % high);
    let word = this.word();
    while (word >= limit) word = this.word();
    return word % high;
  }
}

/** How many sums of weights are not above a word: the place that the word falls into. */
const placeOf = (sums, word) => sums.reduce((place, sum) => place + Number(sum <= word), 0);

/** One of two whole numbers by a flag of 0 or 1, without a branch. */
const choose = (flag, yes, no) => flag * yes + (1 - flag) * no;

const is = (one, other) => Number(one === other);

const upTo = (n) => Array.from({ length: n }, (_, i) => i);

// -- randomizers ------------------------------------------------------------------------------------------------------
function drawKary(code, stays, k, draws) {
  const kept = draws.isBelow(stays);
  const other = draws.integer(k - 1);
  return choose(kept, code, other + Number(other >= code));
}

function drawUnrelated(shipped, code, draws) {
  const asked = draws.isBelow(shipped.asked);
  const harmless = 1 - draws.isBelow(shipped.unrelated);
  return [choose(asked, code, harmless)];
}

function drawMatrix(shipped, code, draws) {
  const word = draws.word();
  return [shipped.sums.reduce((place, sums, row) => place + is(row, code) * placeOf(sums, word), 0)];
}

function drawUnary(shipped, code, draws) {
  return shipped.values.map((_, i) => draws.isBelow(choose(is(i, code), shipped.mine, shipped.other)));
}

/** Which columns of signs: all bits but one are free, the lowest bit of the row sets the parity. */
function drawHadamard(shipped, code, draws) {
  const row = code + 1;
  const minus = 1 - draws.isBelow(shipped.plus);
  const free = draws.integer(shipped.columns / 2);
  const lowest = row & -row;
  const spread = (free & (lowest - 1)) | ((free & ~(lowest - 1)) << 1);
  let parity = 0;
  for (let shared = spread & row, i = 0; i < 31; i += 1) parity ^= (shared >>> i) & 1;
  return [spread | ((parity ^ minus) * lowest)];
}

/** Every product stays below 2**53: the prime has 31 bits, and an answer 20. */
function drawHashing(shipped, code, draws) {
  const { prime, cells, stays } = shipped;
  const [a, b, c] = [draws.integer(prime), draws.integer(prime), draws.integer(prime)];
  const cell = (((((a * code + b) % prime) * code + c) % prime) % cells);
  return [a, b, c, drawKary(cell, stays, cells, draws)];
}

/** Floyd's way to draw a set among the k - 1 other values. */
function drawSubset(shipped, code, draws) {
  const k = shipped.values.length;
  const first = k - 1 - shipped.size;
  const inside = draws.isBelow(shipped.inside);
  const chosen = new Uint8Array(k);
  for (let last = first; last < k - 1; last += 1) {
    const drawn = draws.integer(last + 1);
    chosen[choose(chosen[drawn], last, drawn)] |= choose(is(last, first), 1 - inside, 1);
  }
  return upTo(k).filter((i) => choose(is(i, code), inside, chosen[i - Number(i > code)]));
}

/** The permanent response to each bit: 1, 0, or the bit as it is. */
function keepBits(shipped, bits, draws) {
  const sums = [shipped.half, 2 * shipped.half, WHOLE];
  return bits.map((bit) => {
    const place = placeOf(sums, draws.word());
    return choose(is(place, 2), bit, is(place, 0));
  });
}

const reportBits = (shipped, kept, draws) => kept.map((bit) => draws.isBelow(choose(bit, shipped.one, shipped.zero)));

function keepBloom(shipped, code, draws, cohort) {
  const bits = new Array(shipped.bits).fill(0);
  shipped.sets[cohort].forEach((set, value) => set.forEach((bit) => { bits[bit] |= is(value, code); }));
  return keepBits(shipped, bits, draws);
}

// -- randomizers of numbers, on a grid of whole numbers ---------------------------------------------------------------
const drawDuchi = (shipped, code, draws) => draws.isBelow(shipped.first + shipped.rise * code);

function drawPiecewise(shipped, code, draws) {
  const inside = draws.isBelow(shipped.inside);
  const near = draws.integer(shipped.cells) + shipped.moves * code;
  return choose(inside, near, draws.integer(shipped.cells + shipped.moves * shipped.steps));
}

function drawHybrid(shipped, code, draws) {
  const coin = draws.isBelow(shipped.coin);
  const piecewise = drawPiecewise(shipped.piecewise, code, draws);
  return choose(coin, piecewise + 2, drawDuchi(shipped.duchi, code, draws));
}

/** A number whose law falls by the same factor at every step: digit by digit, then whole periods. */
function drawGeometric({ digits, again, most }, draws) {
  let drawn = digits.reduce((sum, threshold, i) => sum + draws.isBelow(threshold) * 2 ** i, 0);
  let goesOn = 1;
  for (let i = 0; i < most; i += 1) {
    goesOn &= draws.isBelow(again);
    drawn += goesOn * 2 ** digits.length;
  }
  return drawn;
}

function drawLaplace(shipped, draws) {
  const size = drawGeometric(shipped, draws);
  return choose(draws.isBelow(shipped.up), size, -size - 1);
}

function drawStaircase(shipped, draws) {
  const { steps, n_high: high } = shipped;
  const stretch = drawGeometric(shipped, draws) * steps;
  const isHigh = draws.isBelow(shipped.part);
  let place = draws.integer(high);
  if (high < steps) place = choose(isHigh, place, high + draws.integer(steps - high));
  const size = stretch + place;
  return choose(draws.isBelow(WHOLE / 2), size, -size - 1);
}

const drawUniform = ({ reach }, draws) => draws.integer(2 * reach + 1) - reach;

const drawNormal = ({ sums, reach }, draws) => placeOf(sums, draws.word()) - reach;

/** The answer with noise added, cut off at the least and the largest report. */
function added(drawNoise, beyond = 0) {
  return (shipped, code, draws) => {
    const sum = code + drawNoise(shipped, draws);
    return [Math.min(Math.max(sum, -shipped.reach), shipped.steps + shipped.reach - beyond)];
  };
}

/**
 * By kind: `keep` draws what is kept for an answer, which is the report where there is no `report`; `report` draws a
 * report from it afresh; `respondent` draws first what is kept whatever the answer.
 */
const RANDOMIZERS = {
  kary: { keep: (shipped, code, draws) => [drawKary(code, shipped.stays, shipped.values.length, draws)] },
  warner: { keep: (shipped, code, draws) => [choose(draws.isBelow(shipped.stays), code, 1 - code)] },
  unrelated: { keep: drawUnrelated },
  matrix: { keep: drawMatrix },
  unary: { keep: drawUnary },
  hadamard: { keep: drawHadamard },
  hashing: { keep: drawHashing },
  subset: { keep: drawSubset },
  rappor: {
    keep: (shipped, code, draws) => keepBits(shipped, shipped.values.map((_, i) => is(i, code)), draws),
    report: reportBits,
  },
  bloom: {
    respondent: (shipped, draws) => draws.integer(shipped.sets.length),
    keep: keepBloom,
    report: (shipped, kept, draws, cohort) => [cohort, ...reportBits(shipped, kept, draws)],
  },
  duchi: { keep: (shipped, code, draws) => [drawDuchi(shipped, code, draws)] },
  piecewise: { keep: (shipped, code, draws) => [drawPiecewise(shipped, code, draws)] },
  hybrid: { keep: (shipped, code, draws) => [drawHybrid(shipped, code, draws)] },
  laplace: { keep: added(drawLaplace) },
  staircase: { keep: added(drawStaircase, 1) },
  uniform: { keep: added(drawUniform) },
  normal: { keep: added(drawNormal) },
};

/** A report for an answer, drawn afresh. */
function drawReport(shipped, code, draws) {
  const { respondent, keep, report } = RANDOMIZERS[shipped.kind];
  const mine = respondent ? respondent(shipped, draws) : 0;
  const kept = keep(shipped, code, draws, mine);
  return report ? report(shipped, kept, draws, mine) : kept;
}

// -- what this browser keeps ------------------------------------------------------------------------------------------
const MOST_KEPT = 60000; // numbers for one question; past it only what was drawn for the answer that was given

/** A report for an answer, from what was drawn for it before; drawn and kept where it never was. */
function rememberedReport(question, code, draws, storage) {
  const { shipped } = question;
  const { respondent, keep, report } = RANDOMIZERS[shipped.kind];
  const name = `sfumato question ${question.id}`;
  const kept = JSON.parse(storage.getItem(name) ?? '{"drawn": {}}');
  kept.mine ??= respondent ? respondent(shipped, draws) : 0;
  const answers = question.answers * question.width <= MOST_KEPT ? upTo(question.answers) : [code];
  for (const each of answers) kept.drawn[each] ??= keep(shipped, each, draws, kept.mine);
  storage.setItem(name, JSON.stringify(kept));
  return report ? report(shipped, kept.drawn[code], draws, kept.mine) : kept.drawn[code];
}

/** Which question this browser is asked where each respondent is asked one: drawn once. */
function rememberedPlace(survey, draws, storage) {
  const name = `sfumato survey ${survey.id}`;
  const place = Number(storage.getItem(name) ?? draws.integer(survey.questions.length));
  storage.setItem(name, String(place));
  return place;
}

/** Storage for as long as the page is open, where the browser keeps nothing. */
function passingStorage() {
  const held = new Map();
  return { getItem: (name) => held.get(name) ?? null, setItem: (name, text) => held.set(name, text), passing: true };
}

function openStorage() {
  try {
    localStorage.setItem("sfumato", "kept");
    return localStorage;
  } catch {
    return passingStorage();
  }
}

// -- the form ---------------------------------------------------------------------------------------------------------
/** A random number of 128 bits, by which a submission that arrives twice is counted once. */
function drawSubmission() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The one request of this script. */
async function send(body) {
  const options = {
    method: "POST", body, headers: { "Content-Type": "application/json" },
    credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer", redirect: "error",
  };
  let response;
  try {
    response = await fetch("answers", options);
  } catch {
    throw new Error("the survey does not answer");
  }
  if (response.ok) return;
  const said = await response.json().catch(() => ({})); // whatever stands between may answer in words of its own
  throw new Error(said?.error ?? `the survey answers with error ${response.status}`);
}

/** The place of a number on the grid of a question: clipped to its bounds, the nearest; -1 where it is none. */
function placeOnGrid({ low, high, steps }, number) {
  if (Number.isNaN(number)) return -1;
  return Math.floor(((Math.min(Math.max(number, low), high) - low) / (high - low)) * steps + 0.5);
}

/** The place of the answer to a question, or -1. */
function answerTo(question) {
  if (question.grid) return placeOnGrid(question.grid, document.getElementById(`${question.name}:number`).valueAsNumber);
  const list = document.querySelector(`select[name="${question.name}"]`);
  if (list) return list.selectedIndex - 1;
  return upTo(question.answers).findIndex((i) => document.getElementById(`${question.name}:${i}`).checked);
}

class Form {
  constructor(survey) {
    this.survey = survey;
    this.draws = new Draws();
    this.storage = openStorage();
    this.submission = drawSubmission();
    this.said = document.getElementById("said");
    const mine = survey.ask === "one" ? rememberedPlace(survey, this.draws, this.storage) : null;
    this.asked = survey.questions.filter((_, i) => mine === null || i === mine);
    for (const question of this.asked) document.getElementById(`asked:${question.name}`).hidden = false;
    if (this.storage.passing) document.getElementById("forgets").hidden = false;
    document.getElementById("send").disabled = false;
  }

  /** The body of the request; the same again while the answers are, so that a second attempt tells nothing new. */
  body(codes) {
    const given = codes.join();
    if (this.given !== given) {
      const entries = this.asked.map((question, i) => [question.name, this.report(question, codes[i])]);
      this.prepared = JSON.stringify({ submission: this.submission, reports: Object.fromEntries(entries) });
      this.given = given;
    }
    return this.prepared;
  }

  /** The report of an answer; where the browser has no room to keep it, for as long as the page is open. */
  report(question, code) {
    try {
      return rememberedReport(question, code, this.draws, this.storage);
    } catch {
      this.storage = passingStorage();
      document.getElementById("forgets").hidden = false;
      return rememberedReport(question, code, this.draws, this.storage);
    }
  }

  async submit() {
    const codes = this.asked.map(answerTo);
    const open = codes.indexOf(-1);
    if (open >= 0) {
      this.say("Please choose an answer to every question.");
      document.getElementById(`asked:${this.asked[open].name}`).querySelector("input, select").focus();
      return;
    }
    document.getElementById("send").disabled = true;
    this.say("Sending …");
    try {
      const body = this.body(codes);
      await send(body);
      this.thank(body);
    } catch (error) {
      this.say(`Not sent: ${error.message}. Nothing is lost: press the button again.`);
      document.getElementById("send").disabled = false;
    }
  }

  say(text) {
    this.said.textContent = text;
  }

  thank(body) {
    document.getElementById("form").remove();
    this.say("");
    document.getElementById("left").textContent = body;
    const thanks = document.getElementById("thanks");
    thanks.hidden = false;
    thanks.focus();
  }
}

function start() {
  const survey = document.getElementById("survey");
  if (survey === null) return;
  const form = new Form(JSON.parse(survey.textContent));
  document.getElementById("form").addEventListener("submit", (event) => {
    event.preventDefault();
    form.submit();
  });
}

if (typeof document !== "undefined") document.addEventListener("DOMContentLoaded", start);
