/** Prints the result of a command, as JSON or as text. */
import type { CommonOptions, Terminal } from './command-context.js';

/** Prints `value` as JSON with the option --json, otherwise `text`. */
export function print(terminal: Terminal, { json }: CommonOptions, value: unknown, text: string): void {
  terminal.out(json ? `${JSON.stringify(value, null, 2)}\n` : text);
}

export function onOrOffText(on: boolean): 'on' | 'off' {
  return on ? 'on' : 'off';
}

/** One line per property. */
export function propertyTable(value: object): string {
  return textTable(Object.entries(value).map(([name, each]) => [title(name), propertyText(each)]));
}

function title(name: string): string {
  return name.replaceAll('_', ' ');
}

const WORDS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [true, 'on'],
  [false, 'off'],
  [null, 'not known'],
]);

function propertyText(value: unknown): string {
  return WORDS.get(value) ?? String(value);
}

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
