/** The query parameters of an export: those of a list that select and order, and the form of the file. Pure. */
import { EMPTY_QUERY, type ListQuery } from '../filter/list-query.js';
import { parseQuery, type Parsed, type QueryParameters } from '../http/route/parse-list-query.js';
import { EXPORT_QUERY } from '../http/route/query-names.js';

export const FORMATS = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof FORMATS)[number];

export interface ExportQuery extends ListQuery {
  readonly format: FileFormat;
  readonly safe: boolean;
}

const EMPTY: ExportQuery = { ...EMPTY_QUERY, format: 'csv', safe: false };

export function parseExportQuery(parameters: QueryParameters): Parsed<ExportQuery> {
  return parseQuery(
    parameters,
    EXPORT_QUERY,
    (reader) => {
      const format = reader.choice('format', FORMATS, 'csv');
      const safe = reader.flag('safe');
      if (safe && format !== 'csv') reader.bad('safe', 'is for format=csv');
      return {
        ...EMPTY,
        format,
        safe,
        order: reader.order(),
        filter: reader.filter('filter'),
        include: reader.names('include'),
      };
    },
    EMPTY,
  );
}
