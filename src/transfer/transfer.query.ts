/** The query parameters of exports, which are those of a list that select and order, and of imports; their content type. Pure. */
import { isUtf8 } from '../http/body/read-body.js';
import { parseQuery, type Parsed, type QueryParameters } from '../http/route/parse-list-query.js';
import { EMPTY_QUERY, type ListQuery, type UpsertQuery } from '../filter/queries.js';
import { isUpsertName, readUpsertQuery } from '../http/route/parse-write-query.js';
import type { QueryReader } from '../http/route/query-reader.js';
import { IMPORT_QUERY, EXPORT_QUERY } from '../http/route/query-names.js';
import { refusal } from '../shared/errors.js';
import { shortened } from '../shared/texts.js';
import { FORMATS, IMPORTED_TYPES, type FileFormat } from './file/file-formats.js';

interface ExportQuery extends ListQuery {
  readonly format: FileFormat;
  readonly safe: boolean;
}

const EMPTY_EXPORT: ExportQuery = { ...EMPTY_QUERY, format: 'csv', safe: false };

export function parseExportQuery(parameters: QueryParameters): Parsed<ExportQuery> {
  return parseQuery(
    parameters,
    EXPORT_QUERY,
    (reader) => {
      const format = reader.choice('format', FORMATS, 'csv');
      const safe = reader.flag('safe');
      if (safe && format !== 'csv') reader.bad('safe', 'is for format=csv');
      return {
        ...EMPTY_EXPORT,
        format,
        safe,
        order: reader.order(),
        filter: reader.filter('filter'),
        include: reader.names('include'),
      };
    },
    EMPTY_EXPORT,
  );
}

interface ImportQuery {
  /** Undefined: that of the content type. */
  readonly format: FileFormat | undefined;
  /** Whether records with faults are passed over; otherwise the first of them refuse the whole file. */
  readonly skip: boolean;
  /** Whether the ids in the file are kept. */
  readonly keepIds: boolean;
  /** Set if units that are there are edited or left; undefined for creates alone. */
  readonly upsert: UpsertQuery | undefined;
  /** Whether everything is undone at the end. */
  readonly dryRun: boolean;
}

const EMPTY_IMPORT: ImportQuery = { format: undefined, skip: false, keepIds: false, upsert: undefined, dryRun: false };

/** Whether the parameters ask for an upsert, which other rights allow too. */
export function asksForUpsert(parameters: QueryParameters): boolean {
  return parameters.some(([name]) => isUpsertName(name));
}

export function parseImportQuery(parameters: QueryParameters): Parsed<ImportQuery> {
  return parseQuery(
    parameters,
    IMPORT_QUERY,
    (reader) => {
      const upsert = readUpsert(reader);
      const keepIds = reader.choice('ids', ['new', 'keep'], 'new') === 'keep';
      if (upsert && keepIds) reader.conflict('on_conflict', 'ids');
      return {
        format: reader.has('format') ? reader.choice('format', FORMATS, 'csv') : undefined,
        skip: reader.choice('errors', ['stop', 'skip'], 'stop') === 'skip',
        keepIds,
        upsert,
        dryRun: reader.flag('dry_run'),
      };
    },
    EMPTY_IMPORT,
  );
}

function readUpsert(reader: QueryReader): UpsertQuery | undefined {
  if (reader.has('on_conflict')) return readUpsertQuery(reader);
  if (reader.has('by')) reader.bad('by', 'only with on_conflict');
  return undefined;
}

/** @throws KindError 415 if the content type is not that of the format */
export function importFormat(wanted: FileFormat | undefined, contentType = ''): FileFormat {
  const given = FORMATS.find((format) => IMPORTED_TYPES[format].pattern.test(contentType));
  if (given && isUtf8(contentType) && given === (wanted ?? given)) return given;
  const right = (wanted ? [wanted] : FORMATS).map((format) => IMPORTED_TYPES[format].name).join(' or ');
  throw refusal(
    'body.not_json',
    `The content-type must be ${right} in UTF-8, got ${contentType === '' ? 'none' : shortened(contentType)}`,
  );
}
