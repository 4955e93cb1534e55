/** Plain text for terminals. Control characters of stored texts are removed. */

/** Replaces control characters and line breaks with spaces. */
export function singleLineText(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
}

/** Columns as wide as their widest cell. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(singleLineText));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}
