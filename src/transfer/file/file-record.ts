/** What the readers of files return. Pure. */
import type { Body } from '../../unit/draft/draft.js';
import { KindError, refusal, type ErrorCode } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';

/** A fault of one record that its reader finds; the rest of the file can be read. */
export interface RecordFault {
  readonly code: ErrorCode;
  readonly text: string;
  readonly parameter?: string;
}

export interface FileRecord {
  /** The line of the file in which it begins, from 1. */
  readonly line: number;
  /** The number of the record, from 1. */
  readonly record: number;
  readonly body: Body;
  /** Empty if the body is complete. */
  readonly faults: readonly RecordFault[];
}

/** Reads a file whose text arrives in parts. */
export interface FileReader {
  /**
   * Adds the records that are complete with this part to `found`. @param last whether the file ends with it
   * @throws KindError 400 if the file can't be read on; `found` has the records before
   */
  read(text: string, last: boolean, found: FileRecord[]): void;
}

/** Where a record begins, as `FileRecord` says it. */
export type RecordPosition = Pick<FileRecord, 'line' | 'record'>;

export const NO_FAULTS: readonly RecordFault[] = [];
export const NO_BODY: Body = new Map();

export function malformedRecord({ line, record }: RecordPosition, text: string): KindError {
  return refusal('import.malformed', `line ${line}: ${text}`, { line, record });
}

/** @param characters of a record that is not complete yet */
export function checkRecordLength(characters: number, position: RecordPosition): void {
  if (characters <= LIMITS.importedRecord) return;
  throw malformedRecord(position, `a record has at most ${LIMITS.importedRecord.toLocaleString('en')} characters`);
}
