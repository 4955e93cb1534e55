/**
 * Reads CSV as of RFC 4180. Nothing between two commas is null, and `""` is the empty text; lines end with CRLF or LF;
 * empty lines are passed over where there are several columns. Pure.
 *
 * Why no library: docs/adr/0012.
 */
import { refusal, Faults } from '../../shared/errors.js';
import { bodyOf } from '../../unit/draft/draft.js';
import {
  checkRecordLength,
  malformedRecord,
  NO_BODY,
  NO_FAULTS,
  type FileReader,
  type FileRecord,
  type RecordFault,
  type RecordPosition,
} from './file-record.js';
import { readableFields, writableFields } from '../../access/masks.js';
import { parseJson } from '../../http/body/json-text.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import { shortened } from '../../shared/texts.js';
import type { Caller } from '../../tenancy/caller.js';

/** The text of a value; null for nothing. */
export type Cell = string | null;

interface CsvColumn {
  readonly id: string;
  /** The value of a text, as a JSON body would have it. */
  readonly read: (text: string, report: (fault: RecordFault) => void) => unknown;
}

/** The columns that a header row names. @throws KindError 400 */
type ReadHeader = (names: readonly Cell[], line: number) => readonly CsvColumn[];

const [QUOTE, COMMA, CR, LF] = ['"', ',', '\r', '\n'].map((each) => each.charCodeAt(0));

export class CsvReader implements FileReader {
  #rest = '';
  /** Characters that the rest must have before it is read again, because a quote is open. */
  #wanted = 0;
  #line = 1;
  #records = 0;
  #columns: readonly CsvColumn[] | undefined;

  constructor(private readonly readHeader: ReadHeader) {}

  read(part: string, last: boolean, found: FileRecord[]): void {
    const text = this.#rest + part;
    this.#rest = text;
    if (!last && text.length < this.#wanted) {
      checkRecordLength(text.length, this.#position);
      return;
    }
    this.#wanted = 0;
    const end = this.#readAll(text, last, found);
    this.#rest = text.slice(end);
    checkRecordLength(this.#rest.length, this.#position);
    if (last && !this.#columns) {
      throw refusal('import.malformed', 'line 1: the file is empty: its first line names the columns', { line: 1 });
    }
  }

  /** Where the record begins that is read. */
  get #position(): RecordPosition {
    return { line: this.#line, record: this.#records + 1 };
  }

  /** Returns where the first record begins that is not complete. */
  #readAll(text: string, last: boolean, found: FileRecord[]): number {
    let at = 0;
    let quote = -1;
    while (at < text.length) {
      if (quote < at) quote = positionOf(text, '"', at);
      const end = positionOf(text, '\n', at);
      if (quote < end) {
        const quoted = this.#quotedRecord(text, at, last);
        if (!quoted) return at;
        this.#take(quoted.cells, found);
        this.#line += linesIn(text, at, quoted.end);
        at = quoted.end;
        continue;
      }
      if (end === text.length && !last) return at;
      const stop = end > at && text.charCodeAt(end - 1) === CR ? end - 1 : end;
      this.#take(stop === at ? EMPTY_LINE : plainCells(text.slice(at, stop)), found);
      this.#line += 1;
      at = end + 1;
    }
    return text.length;
  }

  /** A record with quotes, and where the next one begins; undefined if it is not complete. */
  #quotedRecord(text: string, start: number, last: boolean): { cells: Cell[]; end: number } | undefined {
    const cells: Cell[] = [];
    for (let at = start; ;) {
      const cell = text.charCodeAt(at) === QUOTE ? this.#quotedCell(text, at, last) : this.#plainCell(text, at);
      if (!cell || (cell.end >= text.length && !last)) {
        this.#wanted = Math.ceil((text.length - start) * 1.5);
        return undefined;
      }
      cells.push(cell.value);
      const next = text.charCodeAt(cell.end);
      if (cell.end >= text.length) return { cells, end: text.length };
      if (next === LF) return { cells, end: cell.end + 1 };
      if (next === CR) {
        if (cell.end + 1 >= text.length && !last) return undefined;
        if (cell.end + 1 >= text.length) return { cells, end: text.length };
        if (text.charCodeAt(cell.end + 1) === LF) return { cells, end: cell.end + 2 };
      }
      if (next !== COMMA)
        throw malformedRecord(this.#position, 'after a closing quote comes a comma or the end of the line');
      at = cell.end + 1;
    }
  }

  #quotedCell(text: string, start: number, last: boolean): { value: string; end: number } | undefined {
    let value = '';
    for (let from = start + 1; ;) {
      const quote = text.indexOf('"', from);
      if (quote < 0) {
        if (!last) return undefined;
        throw malformedRecord(this.#position, 'a quote is opened and never closed');
      }
      if (text.charCodeAt(quote + 1) !== QUOTE) return { value: value + text.slice(from, quote), end: quote + 1 };
      value += text.slice(from, quote + 1);
      from = quote + 2;
    }
  }

  #plainCell(text: string, start: number): { value: Cell; end: number } {
    let end = start;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code === COMMA || code === LF || (code === CR && text.charCodeAt(end + 1) === LF)) break;
      if (code === QUOTE) throw malformedRecord(this.#position, 'a value with a quote in it has to be in quotes');
    }
    return { value: end === start ? null : text.slice(start, end), end };
  }

  #take(cells: readonly Cell[], found: FileRecord[]): void {
    const line = this.#line;
    if (!this.#columns) {
      this.#columns = this.readHeader(cells, line);
      return;
    }
    const columns = this.#columns;
    if (cells.length === 1 && cells[0] === null && columns.length > 1) return;
    this.#records += 1;
    const record = this.#records;
    if (cells.length !== columns.length) {
      const text = `the record has ${cells.length} values, and the header row ${columns.length}`;
      found.push({ line, record, body: NO_BODY, faults: [{ code: 'import.malformed', text }] });
      return;
    }
    let faults: RecordFault[] | undefined;
    const report = (fault: RecordFault): void => void (faults ??= []).push(fault);
    const values: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at++) {
      const [column, cell] = [columns[at], cells[at]];
      if (column) values[column.id] = cell === null || cell === undefined ? null : column.read(cell, report);
    }
    found.push({ line, record, body: bodyOf(values), faults: faults ?? NO_FAULTS });
  }
}

const EMPTY_LINE: readonly Cell[] = [null];

/** The values of a line without quotes. */
function plainCells(line: string): Cell[] {
  const cells: Cell[] = line.split(',');
  for (let at = 0; at < cells.length; at++) if (cells[at] === '') cells[at] = null;
  return cells;
}

/** The end of the text if it is not there. */
function positionOf(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from);
  return at < 0 ? text.length : at;
}

/** The lines that end in a part of a text; the last line of a file may have no end. */
function linesIn(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', start); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

export function csvHeaderOf(
  kind: KindDef,
  viewer: { readonly caller: Caller; readonly model: Model },
  keepIds: boolean,
): ReadHeader {
  const known = knownFields(kind, viewer, keepIds);
  return (names, line) => {
    const faults = new Faults();
    const columns = names.map((name, at) => columnOf(name, at, names, { kind, known, faults, line }));
    faults.throwIfAny();
    return columns;
  };
}

/** The fields that bodies may name. What only the system writes is among them: a create says what is wrong with it. */
function knownFields(
  kind: KindDef,
  { caller, model }: { readonly caller: Caller; readonly model: Model },
  keepIds: boolean,
): ReadonlyMap<string, Field> {
  const fields = new Map([...readableFields(kind, caller, model), ...writableFields(kind, caller, model)]);
  if (kind.key === 'uuid' && !keepIds) fields.delete('id');
  return fields;
}

interface Header {
  readonly kind: KindDef;
  readonly known: ReadonlyMap<string, Field>;
  readonly faults: Faults;
  readonly line: number;
}

function columnOf(name: Cell, at: number, names: readonly Cell[], { kind, known, faults, line }: Header): CsvColumn {
  const id = name ?? '';
  const field = known.get(id);
  const shown = shortened(id);
  if (id === '') {
    faults.add('import.bad_header', `column ${at + 1} has no name in the header row`, { line });
  } else if (names.indexOf(name) < at) {
    faults.add('import.bad_header', `${shown}: two columns have this name`, { parameter: shown, line });
  } else if (!field) {
    const hint = id === 'id' ? '; with ids=keep it has the ids of new units' : faults.hint(id, known.keys());
    const text = `${shown}: '${kind.id}' has no such parameter${hint}`;
    faults.add('parameter.unknown', text, { parameter: shown, line });
  }
  return { id, read: field ? readerOf(field) : (text) => text };
}

/** A text that is no value of the type stays a text, so that the create says what it should be. */
function readerOf(field: Field): CsvColumn['read'] {
  const { def, type } = field;
  if (def.multiple) return (text, report) => (/^\s*\[/.test(text) ? jsonOf(field, text, report) : text);
  switch (type.inQuery) {
    case 'number':
    case 'boolean':
      return (text) => type.read(text) ?? text;
    case 'json':
      return (text, report) => jsonOf(field, text, report);
    default:
      return (text) => text;
  }
}

function jsonOf({ id }: Field, text: string, report: (fault: RecordFault) => void): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    const reason = (error as Error).message;
    report({ code: 'parameter.bad_value', text: `${id}: is not valid JSON: ${reason}`, parameter: id });
    return null;
  }
}
