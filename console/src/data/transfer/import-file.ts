/** The file of an import: its first records, and the file with other names of columns. Only the beginning is read. */
import { isPlainObject } from '../../../../src/shared/json.js';
import type { Field } from '../../api/types.js';
import type { FileFormat } from '../../api/transfer.js';
import { fieldsNamed, readTable, type Cell } from './table.js';

export interface ImportFile {
  readonly format: FileFormat;
  readonly content: Blob;
  /** The columns of a CSV file, or the names in the first records of NDJSON. */
  readonly names: readonly string[];
  /** The first records; undefined for what a record does not have. */
  readonly rows: readonly (readonly (Cell | undefined)[])[];
  /** Bytes of the row that names the columns of a CSV file. */
  readonly headBytes: number;
}

/** Bytes that are read for the preview, and records that are shown. */
const BEGINNING = 256 * 1024;
const SHOWN = 10;
/** A JSON file has to be read as a whole. */
const MOST_JSON = 64 * 1024 * 1024;
/** Records of a JSON file that are written at once, so that the page does not stand still. */
const PIECE = 2000;

/** What is wrong with a file, in words. */
export class FileFault extends Error {
  constructor(readonly reason: 'json' | 'not_list' | 'too_large' | 'separator' | 'empty') {
    super(reason);
  }
}

/** @throws FileFault */
export async function readFile(file: File): Promise<ImportFile> {
  if (/\.json$/i.test(file.name)) return ndjsonFile(await linesOf(file));
  const beginning = await file.slice(0, BEGINNING).text();
  if (/\.(ndjson|jsonl)$/i.test(file.name) || /^\s*\{/.test(beginning)) return ndjsonFile(file);
  const text = beginning.replace(/^\uFEFF/, '');
  const head = readTable(text, ',', 1);
  const names = (head.rows[0] ?? []).map((name) => name ?? '');
  if (names.length === 0) throw new FileFault('empty');
  const [only = '', ...others] = names;
  if (others.length === 0 && /[;\t]/.test(only)) throw new FileFault('separator');
  const { rows } = readTable(text, ',', SHOWN + 1);
  const skipped = beginning.length - text.length;
  const headBytes = new Blob([beginning.slice(0, skipped + head.end)]).size;
  return { format: 'csv', content: file, names, rows: rows.slice(1), headBytes };
}

async function ndjsonFile(content: Blob): Promise<ImportFile> {
  const lines = (await content.slice(0, BEGINNING).text()).split('\n').filter((line) => line.trim() !== '');
  const records = lines.slice(0, SHOWN).flatMap((line) => {
    try {
      const record: unknown = JSON.parse(line);
      // The service says what else is wrong with a line.
      return isPlainObject(record) ? [new Map(Object.entries(record))] : [];
    } catch {
      // Cut off by the end of what was read; the service says where a line is wrong.
      return [];
    }
  });
  const names = [...new Set(records.flatMap((record) => [...record.keys()]))];
  if (names.length === 0) throw new FileFault('empty');
  const rows = records.map((record) => names.map((name) => cellOf(record.get(name))));
  return { format: 'ndjson', content, names, rows, headBytes: 0 };
}

function cellOf(value: unknown): Cell | undefined {
  if (value === undefined || value === null) return value;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A list in JSON as lines, which the service takes. @throws FileFault */
async function linesOf(file: File): Promise<Blob> {
  if (file.size > MOST_JSON) throw new FileFault('too_large');
  let list: unknown;
  try {
    list = JSON.parse(await file.text());
  } catch {
    throw new FileFault('json');
  }
  if (!Array.isArray(list)) throw new FileFault('not_list');
  const parts: Blob[] = [];
  for (let at = 0; at < list.length; at += PIECE) {
    parts.push(new Blob(list.slice(at, at + PIECE).flatMap((record) => [JSON.stringify(record), '\n'])));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return new Blob(parts);
}

/** The fields that the columns name. */
export function initialMapping({ names }: ImportFile, fields: readonly Field[]): readonly string[] {
  const found = fieldsNamed(names, fields);
  return names.map((name, at) => found[at]?.id ?? name);
}

/** The file with these names of columns; the rest of it is sent as it is. */
export function withNames(file: ImportFile, names: readonly string[]): Blob {
  if (file.format !== 'csv' || names.every((name, at) => name === file.names[at])) return file.content;
  const head = `${names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',')}\n`;
  return new Blob([head, file.content.slice(file.headBytes)]);
}
