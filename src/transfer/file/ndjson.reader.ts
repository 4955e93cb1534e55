/** Reads NDJSON: one JSON object per line; empty lines are passed over. Pure. */
import { parseInPieces } from '../../http/body/json-pieces.js';
import { parseJson } from '../../http/body/json-text.js';
import { KindError } from '../../shared/errors.js';
import { isPlainObject, typeName } from '../../shared/json.js';
import { runSync } from '../../shared/work-in-pieces.js';
import { bodyOf } from '../../unit/draft/draft.js';
import {
  checkRecordLength,
  NO_BODY,
  NO_FAULTS,
  type FileReader,
  type FileRecord,
  type RecordFault,
} from './file-record.js';

/** Characters up to which a line can have no more members and levels than a body may have. */
const SMALL = 64 * 1024;

export class NdjsonReader implements FileReader {
  #rest = '';
  #line = 1;
  #records = 0;

  read(part: string, last: boolean, found: FileRecord[]): void {
    let start = 0;
    let end = part.indexOf('\n');
    if (end >= 0) {
      this.#take(this.#rest + part.slice(0, end), found);
      this.#rest = '';
      for (start = end + 1; (end = part.indexOf('\n', start)) >= 0; start = end + 1) {
        this.#take(part.slice(start, end), found);
      }
    }
    this.#rest += part.slice(start);
    checkRecordLength(this.#rest.length, { line: this.#line, record: this.#records + 1 });
    if (last && this.#rest !== '') this.#take(this.#rest, found);
  }

  #take(text: string, found: FileRecord[]): void {
    const line = this.#line;
    this.#line += 1;
    if (text.trim() === '') return;
    this.#records += 1;
    const record = this.#records;
    checkRecordLength(text.length, { line, record });
    try {
      const value = text.length <= SMALL ? parseJson(text) : runSync(parseInPieces(Buffer.from(text)));
      if (isPlainObject(value)) found.push({ line, record, body: bodyOf(value), faults: NO_FAULTS });
      else found.push({ line, record, body: NO_BODY, faults: [notObject(value)] });
    } catch (error) {
      found.push({ line, record, body: NO_BODY, faults: [faultOf(error as Error)] });
    }
  }
}

function notObject(value: unknown): RecordFault {
  return { code: 'body.not_object', text: `the line must be a JSON object, got ${typeName(value)}` };
}

function faultOf(error: Error): RecordFault {
  if (error instanceof KindError) return { code: error.code, text: error.messages[0].text };
  return { code: 'body.malformed', text: `the line is not valid JSON: ${error.message}` };
}
