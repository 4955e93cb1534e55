/** Prints the result of a command, as JSON or as text. */
import type { CommonOptions, Terminal } from './command-context.js';
import { textTable } from './text.js';

/** Prints `value` as JSON with the option --json, otherwise `text`. */
export function print(terminal: Terminal, { json }: CommonOptions, value: unknown, text: string): void {
  terminal.out(json ? `${JSON.stringify(value, null, 2)}\n` : text);
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
