/**
 * Reads the text of a model file: says that it begins, and then answers its value and faults. Asked for the lines of paths
 * it answers these, in their order. JSON with a fault is read as the YAML 1.2 that it is.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';

/** Levels of lists and objects. */
const DEPTH = 64;
const { text, type, mostFaults } = workerData;

class Reader {
  faults = [];
  #counter = new LineCounter();
  #contents;

  read() {
    const document = this.#parse();
    this.#contents = document?.contents;
    if (document) this.#walk(document.contents, '', 1);
    return document && this.faults.length === 0 ? document.toJS() : undefined;
  }

  /** The line of the innermost key of a path that is there. */
  lineOf(path) {
    if (this.#contents === undefined) this.#contents = this.#parse()?.contents ?? null;
    let [node, rest, line] = [this.#contents, path, 1];
    for (;;) {
      const isNext = ({ key }) => rest.startsWith(key.value) && ['', '.', '['].includes(rest.charAt(key.value.length));
      const item = /^\[(\d+)\]\.?/.exec(rest);
      if (isSeq(node) && item) {
        node = node.items[item[1]];
        rest = rest.slice(item[0].length);
        continue;
      }
      const next = isMap(node) ? node.items.find(isNext) : undefined;
      if (!next) return line;
      line = this.#line(next.key.range[0]);
      rest = rest.slice(next.key.value.length).replace(/^\./, '');
      node = next.value;
    }
  }

  #parse() {
    const options = { version: '1.2', schema: 'core', stringKeys: true, uniqueKeys: false, merge: false };
    const documents = parseAllDocuments(text, { ...options, prettyErrors: false, lineCounter: this.#counter });
    const [document, second] = documents;
    if (!document) return this.#fault(0, '', 'is empty');
    if (second) this.#fault(second.range[0], '', 'has several documents; one is read');
    // One error in a line brings about others.
    const first = new Map(document.errors.toReversed().map((error) => [this.#line(error.pos[0]), error]));
    for (const { pos, code, message } of [...first.values()].reverse()) this.#fault(pos[0], '', wordsOf(code, message));
    return this.faults.length > 0 ? undefined : document;
  }

  #walk(node, path, depth) {
    if (node === null || node === undefined) return;
    const at = node.range?.[0] ?? 0;
    if (isAlias(node))
      return this.#fault(at, path, `'*${node.source}' names another place; write out what stands there`);
    if (node.anchor) this.#fault(at, path, `'&${node.anchor}' marks a place to be named elsewhere; write it out there`);
    if (node.tag) this.#fault(at, path, `has the tag '${node.tag}', which a model file cannot have`);
    if (depth > DEPTH) return this.#fault(at, path, `is nested deeper than ${DEPTH} levels`);
    if (isMap(node)) this.#walkMap(node, path, depth);
    else if (isSeq(node)) node.items.forEach((item, n) => this.#walk(item, `${path}[${n}]`, depth + 1));
    else if (isScalar(node) && typeof node.value === 'number') this.#checkNumber(node, path);
  }

  #walkMap({ items }, path, depth) {
    const seen = new Map();
    for (const { key, value } of items) {
      const name = key.value;
      const at = key.range[0];
      const inside = path === '' ? name : `${path}.${name}`;
      if (name === '<<') this.#fault(at, path, "'<<' merges another place; write out what stands there");
      const first = seen.get(name);
      if (first !== undefined) this.#fault(at, inside, `is there twice, first in line ${first}`);
      else seen.set(name, this.#line(at));
      this.#walk(value, inside, depth + 1);
    }
  }

  #checkNumber({ value, source, range }, path) {
    if (!Number.isFinite(value)) this.#fault(range[0], path, `'${source}' is no number of JSON`);
    else if (!isExact(value)) {
      this.#fault(range[0], path, `'${source}' is too large to be read exactly; write it in quotes`);
    }
  }

  #line(at) {
    return this.#counter.linePos(at).line;
  }

  #fault(at, path, words) {
    if (this.faults.length < mostFaults) this.faults.push({ line: this.#line(at) || 1, path, text: words });
    return undefined;
  }
}

function isExact(number) {
  return !Number.isInteger(number) || Number.isSafeInteger(number);
}

function wordsOf(code, message) {
  if (code === 'TAB_AS_INDENT') return 'is indented with a tab; indent with spaces';
  if (code === 'NON_STRING_KEY') return 'has a key that is no text';
  return message.charAt(0).toLowerCase() + message.slice(1);
}

/** The value of a JSON text; undefined where a fault is to be told, which the other reader finds. */
function readJson() {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Of a repeated key the last alone is in the value.
  const outside = text.replace(/\\./g, '').split('"');
  const colons = outside.reduce((sum, part, at) => (at % 2 === 0 ? sum + part.split(':').length - 1 : sum), 0);
  return keysIn(value, 1) === colons ? value : undefined;
}

/** How many there are; NaN where something in it is no value of a model file. */
function keysIn(value, depth) {
  if (typeof value === 'number') return Number.isFinite(value) && isExact(value) ? 0 : NaN;
  if (typeof value !== 'object' || value === null) return 0;
  if (depth > DEPTH || Object.hasOwn(value, '<<')) return NaN;
  let keys = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const each of Object.values(value)) keys += keysIn(each, depth + 1);
  return keys;
}

const reader = new Reader();
parentPort.postMessage('begun');
try {
  const value = (type === 'json' ? readJson() : undefined) ?? reader.read();
  parentPort.on('message', (paths) => parentPort.postMessage(paths.map((path) => reader.lineOf(path))));
  parentPort.postMessage({ value, faults: reader.faults });
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  parentPort.postMessage({ faults: [{ line: 1, path: '', text: 'is nested too deeply' }] });
}
