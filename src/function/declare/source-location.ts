/** Finds in traces which file of the folder of functions they are about: a module, or a helper of it. Pure. */
import { sep } from 'node:path';
import type { SourceLocation } from './definition.js';
import type { ModuleFile } from './module-file.js';

/** A line of a trace up to its path, or of a message that begins with one: files of packages are none of the author's. */
const BEFORE = /^\s*(?:at (?:.* )?\(?)?(?:file:\/\/)?$/;
const PACKAGES = `node_modules${sep}`;

/** The first place of a trace that is in the folder; the module itself where there is none. */
export function sourceLocationOf(
  trace: string,
  { root, path, file }: Pick<ModuleFile, 'root' | 'path' | 'file'>,
): SourceLocation {
  for (const line of trace.split('\n')) {
    const at = line.indexOf(root + sep);
    if (at < 0 || !BEFORE.test(line.slice(0, at))) continue;
    const [, found = '', number] = /^(.+?):(?:(\d+):\d+|\s)/.exec(line.slice(at + root.length + 1)) ?? [];
    if (found === '' || found.includes(PACKAGES)) continue;
    const place = root + sep + found === path ? { file } : { file: found, module: file };
    return number === undefined ? place : { ...place, line: Number(number) };
  }
  return { file };
}

/** `city.ts:12`, as the log has it; undefined where no line is known. */
export function lineOf({ file, line }: SourceLocation): string | undefined {
  return line === undefined ? undefined : `${file}:${line}`;
}
