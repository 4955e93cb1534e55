/** The file of a module, and the place in the functions folder that a stack trace points to: in it or one of its helpers. Pure. */
import { sep } from 'node:path';
import type { SourceLocation } from './definition.js';

/** A file of the functions folder that declares a module. */
export interface ModuleFile {
  readonly kind: string;
  /** Null for all projects. */
  readonly project: string | null;
  /** The real path of the functions folder. */
  readonly root: string;
  /** The real path of the file. */
  readonly path: string;
  /** The path relative to the functions folder, as messages show it. */
  readonly file: string;
}

/** The text before the path in a line of a trace, or in a message that begins with a path. */
const BEFORE = /^\s*(?:at (?:.* )?\(?)?(?:file:\/\/)?$/;
/** Files of packages are skipped, because they are not the author's. */
const PACKAGES = `node_modules${sep}`;

/** The first place of a trace that is in the folder; the module without a line if there is none. */
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

/** For example `city.ts:12`, as in the log; undefined if the line is unknown. */
export function lineOf({ file, line }: SourceLocation): string | undefined {
  return line === undefined ? undefined : `${file}:${line}`;
}
