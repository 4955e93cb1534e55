/**
 * Reads the text of a model file: says that it begins, and then answers its value, the lines of its keys by their paths,
 * and faults. JSON is read as the YAML 1.2 that it is.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';

/** Levels of lists and objects. */
const DEPTH = 64;
const { text, mostFaults } = workerData;

class Reader {
  faults = [];
  lines = {};
  #counter = new LineCounter();

  read() {
    const options = { version: '1.2', schema: 'core', stringKeys: true, uniqueKeys: false, merge: false };
    const documents = parseAllDocuments(text, { ...options, prettyErrors: false, lineCounter: this.#counter });
    const [document, second] = documents;
    if (!document) return this.#fault(0, '', 'is empty');
    if (second) this.#fault(second.range[0], '', 'has several documents; one is read');
    // One error in a line brings about others.
    const first = new Map(document.errors.toReversed().map((error) => [this.#line(error.pos[0]), error]));
    for (const { pos, code, message } of [...first.values()].reverse()) this.#fault(pos[0], '', wordsOf(code, message));
    if (this.faults.length > 0) return undefined;
    this.#walk(document.contents, '', 1);
    return this.faults.length > 0 ? undefined : document.toJS();
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
      this.lines[inside] = this.#line(at);
      this.#walk(value, inside, depth + 1);
    }
  }

  #checkNumber({ value, source, range }, path) {
    if (!Number.isFinite(value)) this.#fault(range[0], path, `'${source}' is no number of JSON`);
    else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
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

function wordsOf(code, message) {
  if (code === 'TAB_AS_INDENT') return 'is indented with a tab; indent with spaces';
  if (code === 'NON_STRING_KEY') return 'has a key that is no text';
  return message.charAt(0).toLowerCase() + message.slice(1);
}

const reader = new Reader();
parentPort.postMessage('begun');
try {
  const value = reader.read();
  parentPort.postMessage({ value, lines: reader.lines, faults: reader.faults });
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  parentPort.postMessage({ lines: {}, faults: [{ line: 1, path: '', text: 'is nested too deeply' }] });
}
