// The whole program of the form. It turns an answer into a report, here, before anything leaves this browser.
//
// - Random numbers come from the browser's cryptographic generator (crypto.getRandomValues), or by SHA-256 from 32
//   bytes that came from there, and from nowhere else.
// - Probabilities are whole numbers over 2**53 that the survey ships; a number of 53 random bits is compared with them.
//   The draws and their order are those of the Python randomizers of the same kind, to the last bit.
// - Those 32 bytes, one such secret for each question, are kept in this browser (localStorage), so that whoever answers
//   again reports the same again. What is drawn for an answer follows from the secret and the place of the answer, or of
//   a set of items from its bits: what is kept is the same whatever was answered, and does not say it.
// - The draws choose by masks of 0 and 1 rather than by branches on the answer. Not everything can: what is hashed, how
//   long a list of chosen values is, and reading the form itself depend on the answer, and an engine does as it likes.
//   Whoever measures this browser from within may learn something from that.
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

// -- randomizers of sets of items: an answer is a list of bits, 1 for each item that is in the set --------------------
const sizesOf = (shipped) => shipped.sizes ?? Object.keys(shipped.sums).map(Number);

const sizeOf = (bits) => bits.reduce((size, bit) => size + bit, 0);

/** Which of m places are kept: as many as `count`, those that come first in a random order; none is at place m. */
function drawPlaces(m, count, draws) {
  const order = upTo(m);
  for (let i = 0; i < m; i += 1) {
    const other = i + draws.integer(m - i);
    [order[i], order[other]] = [order[other], order[i]];
  }
  const kept = new Uint8Array(m + 1);
  order.forEach((place, i) => { kept[place] = Number(i < count); });
  return kept;
}

/** Some items of the set are kept, and others come in by chance; where they are pasted, also those not kept. */
function drawItems(drawCount, pastes) {
  return (shipped, bits, draws) => {
    const sizes = sizesOf(shipped);
    const m = shipped.padded ? sizes[0] : sizeOf(bits); // where it is not hidden, the size is told below
    const kept = drawPlaces(m, drawCount(shipped, m, draws), draws);
    let place = 0;
    const shown = bits.map((bit) => {
      const stays = bit & kept[place];
      place += bit;
      return stays | (draws.isBelow(shipped.rho) & (pastes | (1 - bit)));
    });
    return sizes.length > 1 ? [m, ...shown] : shown;
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
  "select-a-size": { keep: drawItems(({ sums }, m, draws) => placeOf(sums[m], draws.word()), 0) },
  "cut-and-paste": { keep: drawItems(({ cutoff }, m, draws) => Math.min(draws.integer(cutoff + 1), m), 1) },
};

/** A report for an answer, drawn afresh. */
function drawReport(shipped, code, draws) {
  const { respondent, keep, report } = RANDOMIZERS[shipped.kind];
  const mine = respondent ? respondent(shipped, draws) : 0;
  const kept = keep(shipped, code, draws, mine);
  return report ? report(shipped, kept, draws, mine) : kept;
}

// -- what this browser keeps ------------------------------------------------------------------------------------------
/** The fractional bits of roots of the first primes, of which SHA-256 is made; worked out as whole numbers. */
function rootBits(n, root) {
  const primes = [];
  for (let i = 2n; primes.length < n; i += 1n) if (primes.every((prime) => i % prime)) primes.push(i);
  return primes.map((prime) => {
    const wanted = prime << (32n * root);
    let found = 0n;
    for (let bit = 1n << 36n; bit; bit >>= 1n) if ((found + bit) ** root <= wanted) found += bit;
    return Number(found & 0xffffffffn);
  });
}

const SHA_START = rootBits(8, 2n);
const SHA_ROUNDS = rootBits(64, 3n);
const turn = (word, n) => (word >>> n) | (word << (32 - n));

/** SHA-256 of bytes, as eight whole numbers of 32 bits. */
function sha256(bytes) {
  const blocks = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  [...bytes, 0x80].forEach((byte, i) => blocks.setUint8(i, byte));
  blocks.setUint32(blocks.byteLength - 4, bytes.length * 8);
  const state = Uint32Array.from(SHA_START);
  for (let at = 0; at < blocks.byteLength; at += 64) {
    const w = Uint32Array.from({ length: 64 }, (_, i) => (i < 16 ? blocks.getUint32(at + 4 * i) : 0));
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      if (i > 15) {
        const [x, y] = [w[i - 15], w[i - 2]];
        w[i] = w[i - 16] + w[i - 7] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
      }
      const one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + SHA_ROUNDS[i] + w[i];
      const two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
  }
  return state;
}

/** Draws that follow from a secret and a purpose: SHA-256 of both and a counter, four words at a time. */
function drawsFrom(secret, purpose) {
  let [left, n] = [[], 0];
  return new Draws(() => {
    if (!left.length) {
      const hash = sha256(new TextEncoder().encode(`${secret} ${purpose} ${n}`));
      left = [0, 2, 4, 6].map((i) => (hash[i] >>> 11) * 2 ** 32 + hash[i + 1]);
      n += 1;
    }
    return left.shift();
  });
}

/** A report for an answer, from draws that follow from what this browser keeps for the question of the survey. */
function rememberedReport(survey, question, code, draws, storage) {
  const { shipped } = question;
  const { respondent, keep, report } = RANDOMIZERS[shipped.kind];
  const name = `sfumato survey ${survey.id} question ${question.id}`;
  const secret = storage.getItem(name) ?? drawHex(32);
  storage.setItem(name, secret);
  const mine = respondent ? respondent(shipped, drawsFrom(secret, "whatever the answer")) : 0;
  const kept = keep(shipped, code, drawsFrom(secret, code), mine);
  return report ? report(shipped, kept, draws, mine) : kept;
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
/** Random bytes as text: 16 are the number of a submission, by which one that arrives twice is counted once. */
function drawHex(n) {
  const bytes = crypto.getRandomValues(new Uint8Array(n));
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

/** The place of the answer to a question, or -1; of a set of items, its bits in the order of the list. */
function answerTo(question) {
  const isTicked = (i) => document.getElementById(`${question.name}:${i}`).checked;
  if (question.items) return upTo(question.items).map((i) => Number(isTicked(i)));
  if (question.grid) return placeOnGrid(question.grid, document.getElementById(`${question.name}:number`).valueAsNumber);
  const list = document.getElementById(`${question.name}:list`);
  if (list) return list.selectedIndex - 1;
  return upTo(question.answers).findIndex(isTicked);
}

/** Why an answer cannot be sent, in a sentence; nothing where it can be. */
function problemWith(question, code) {
  if (code === -1) return "Please choose an answer to every question.";
  if (!question.items) return "";
  const [size, sizes] = [sizeOf(code), sizesOf(question.shipped)];
  if (question.shipped.padded ? size <= sizes[0] : sizes.includes(size)) return "";
  const [asked, allowed] = ["legend", ".note"].map((part) => document.getElementById(`asked:${question.name}`).querySelector(part).textContent);
  return `You ticked ${size} at “${asked}”. ${allowed}`;
}

class Form {
  constructor(survey) {
    this.survey = survey;
    this.draws = new Draws();
    this.storage = openStorage();
    this.submission = drawHex(16);
    this.said = document.getElementById("said");
    const mine = survey.ask === "one" ? rememberedPlace(survey, this.draws, this.storage) : null;
    this.asked = survey.questions.filter((_, i) => mine === null || i === mine);
    for (const question of this.asked) document.getElementById(`asked:${question.name}`).hidden = false;
    if (this.storage.passing) document.getElementById("forgets").hidden = false;
    document.getElementById("send").disabled = false;
  }

  /** The body of the request: made once, as it may have arrived although nobody said so; the answers stay as they are. */
  body(codes) {
    if (this.prepared === undefined) {
      const entries = this.asked.map((question, i) => [question.name, this.report(question, codes[i])]);
      this.prepared = JSON.stringify({ submission: this.submission, reports: Object.fromEntries(entries) });
      for (const question of this.asked) document.getElementById(`asked:${question.name}`).disabled = true;
    }
    return this.prepared;
  }

  /** The report of an answer; where the browser has no room to keep it, for as long as the page is open. */
  report(question, code) {
    try {
      return rememberedReport(this.survey, question, code, this.draws, this.storage);
    } catch {
      this.storage = passingStorage();
      document.getElementById("forgets").hidden = false;
      return rememberedReport(this.survey, question, code, this.draws, this.storage);
    }
  }

  async submit() {
    const codes = this.asked.map(answerTo);
    const problems = this.asked.map((question, i) => problemWith(question, codes[i]));
    const open = problems.findIndex((problem) => problem);
    if (open >= 0) {
      this.say(problems[open]);
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
      this.say(`Not sent: ${error.message}. Press the button again: the same is sent, and counted once.`);
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
  let form = null;
  document.getElementById("form").addEventListener("submit", (event) => {
    event.preventDefault();
    form?.submit();
  });
  form = new Form(JSON.parse(survey.textContent));
}

if (typeof document !== "undefined") document.addEventListener("DOMContentLoaded", start);
