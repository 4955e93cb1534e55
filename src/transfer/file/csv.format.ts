/** CSV as of RFC 4180, with the names of its columns in the first line. Pure. */

const CSV_LINE_END = '\r\n';

/** The first line of a file. */
export function csvHead(columns: readonly string[]): string {
  return `${columns.map(csvText).join(',')}${CSV_LINE_END}`;
}

function csvText(text: string): string {
  return text === '' || /["\r\n,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
