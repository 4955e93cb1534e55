/** Prints a model file as YAML 1.2: the same text for the same model. */
import { Document, isMap, isPair, isScalar, parseDocument, visit, YAMLMap, type Node } from 'yaml';
import type { Json } from '../shared/json.js';
import { runSync, type WorkInPieces } from '../shared/work-in-pieces.js';
import type { FileObject } from './sections.js';

const OPTIONS = { version: '1.2', schema: 'core' } as const;
/** Columns of a line, where a list of values is broken. */
const WIDTH = 120;

export function printModelFile(file: FileObject): string {
  return runSync(printInPieces(file));
}

/** The same entry by entry, since a large one takes a while. */
export function* printInPieces(file: FileObject): WorkInPieces<string> {
  const texts: string[] = [];
  for (const [section, value] of Object.entries(file)) {
    if (!isObject(value) || Object.keys(value).length === 0) {
      texts.push(printedAlone({ [section]: value }));
      continue;
    }
    texts.push(`${section}:\n`);
    for (const [id, entry] of Object.entries(value)) {
      texts.push(printedAlone({ [section]: { [id]: entry } }).slice(section.length + 2));
      yield;
    }
  }
  return texts.join('');
}

function printedAlone(file: FileObject): string {
  return printed(new Document(file, { ...OPTIONS, aliasDuplicateObjects: false }));
}

/**
 * The same onto a text that is there: comments, blank lines and the order of what stays are kept, and what is equal is
 * written as it was. @throws Error if the text is no YAML
 */
export function printOnto(file: FileObject, text: string): string {
  const document = parseDocument(text, OPTIONS);
  if (document.errors.length > 0 || !isMap(document.contents)) return printModelFile(file);
  merge(document, document.contents, file);
  return printed(document);
}

function merge(document: Document, map: YAMLMap, value: FileObject): void {
  for (const name of map.items.map(({ key }) => keyText(key))) if (!Object.hasOwn(value, name)) map.delete(name);
  for (const [name, now] of Object.entries(value)) {
    const before = map.get(name, true) as Node | undefined;
    if (isMap(before) && isObject(now)) merge(document, before, now);
    else if (before === undefined) insert(document, map, name, now, Object.keys(value));
    else if (JSON.stringify(before.toJS(document)) !== JSON.stringify(now)) {
      const made = document.createNode(now) as Node;
      if (typeof before.commentBefore === 'string') made.commentBefore = before.commentBefore;
      if (typeof before.comment === 'string') made.comment = before.comment;
      map.set(name, made);
    }
  }
}

/** After the entry before which it is in the order of `names`. */
function insert(document: Document, map: YAMLMap, name: string, value: Json, names: readonly string[]): void {
  const earlier = new Set(names.slice(0, names.indexOf(name)));
  const after = map.items.findLastIndex(({ key }) => earlier.has(keyText(key)));
  map.items.splice(after + 1, 0, document.createPair(name, value));
}

function keyText(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

function isObject(value: Json): value is FileObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Lists of plain values stand in one line; a shared parameter is named by its name alone. */
function printed(document: Document): string {
  visit(document, {
    Seq: (_, list) => {
      if (list.items.every((item) => isScalar(item) && typeof item.comment !== 'string')) list.flow = true;
    },
    Map: (_, map) => {
      if (map.items.length === 0) map.flow = true;
    },
    Pair: (_, pair, path) => {
      const parent = path.at(-2);
      const isListed = isPair(parent) && isScalar(parent.key) && parent.key.value === 'parameters';
      if (isListed && isScalar(pair.value) && pair.value.value === null) pair.value.source = '';
    },
  });
  return document.toString({ lineWidth: WIDTH, flowCollectionPadding: false });
}
