/** The head of the files of a client, by which they are known as written by the command. Pure. */
import { createHash } from 'node:crypto';

const WRITTEN = /^\/\/ Written by kind for [^\n]*; changes are lost\.\n/;

export function writtenFile(caller: string, text: string): string {
  const rest = `/* eslint-disable */\n${text}`;
  const hash = createHash('sha256').update(rest).digest('hex');
  return `// Written by kind for ${caller}; changes are lost.\n// sha256 ${hash}\n${rest}`;
}

/** Whether a file may be replaced. */
export function isWritten(text: string): boolean {
  return WRITTEN.test(text);
}
