/** The formats of files: their media types, and how the lines of an export become a file. Pure. */

export const FORMATS = ['csv', 'ndjson'] as const;
export type FileFormat = (typeof FORMATS)[number];

/** What the content type of an import begins with. */
export const IMPORTED_TYPES: Readonly<Record<FileFormat, { readonly name: string; readonly pattern: RegExp }>> = {
  csv: { name: 'text/csv', pattern: /^text\/csv\s*(?:;|$)/i },
  ndjson: { name: 'application/x-ndjson', pattern: /^application\/(?:x-)?(?:ndjson|jsonl)\s*(?:;|$)/i },
};

/** How the lines of a format become the file. */
export interface LineFormat {
  readonly mediaType: string;
  readonly extension: string;
  /** The first line, with its end. */
  readonly head: string;
  /** A line with its end. @param text a row as PostgreSQL copies it */
  readonly lineOf: (text: string) => string;
}

/** @param columns the names in the first line of CSV */
export function lineFormat(format: FileFormat, columns: () => readonly string[]): LineFormat {
  switch (format) {
    case 'csv':
      return {
        mediaType: 'text/csv; charset=utf-8; header=present',
        extension: 'csv',
        head: `${columns().map(csvText).join(',')}${CSV_LINE_END}`,
        lineOf: (text) => `${withoutDoubled(text).slice(1, -1)}${CSV_LINE_END}`,
      };
    case 'ndjson':
      return {
        mediaType: 'application/x-ndjson; charset=utf-8',
        extension: 'ndjson',
        head: '',
        lineOf: (text) => `${text}\n`,
      };
  }
}

const CSV_LINE_END = '\r\n';

function csvText(text: string): string {
  return text === '' || /["\r\n,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** PostgreSQL doubles backslashes in the text of a row. */
function withoutDoubled(text: string): string {
  return text.includes('\\') ? text.replaceAll('\\\\', '\\') : text;
}
