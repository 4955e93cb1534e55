/** Modules as the service runs them: what their authors declared, checked. */
import type { Context } from '../../kit/context.js';
import type { Hooks, Method } from '../../kit/module.js';
import type { Remote } from '../../kit/remote.js';
import type { ParameterDef } from '../../model/parameter-type/parameter-def.js';
import type { Level } from '../../model/parameter-type/parameter-settings.js';

/** Of a kind, or of one of its units. */
export type FunctionScope = 'kind' | 'unit';

export interface FunctionDef {
  readonly name: string;
  readonly scope: FunctionScope;
  /** Where it is declared. */
  readonly place: SourceLocation;
  readonly description: string;
  readonly parameters: readonly ParameterDef[];
  readonly methods: readonly Method[];
  /** A level or rules; undefined for the kind's `function`. */
  readonly access: Level | readonly string[] | undefined;
  /** Milliseconds; undefined for the setting. */
  readonly timeout: number | undefined;
  /** What the author wrote. */
  readonly run: (context: Context & { readonly parameters: object; readonly unit?: object }) => unknown;
}

export type HookName = keyof Hooks<string>;
export type Hook = (context: Context) => unknown;

export interface FunctionModule {
  readonly kind: string;
  /** As it is told: relative to the folder of functions. */
  readonly file: string;
  /** Where the folder of functions really is. */
  readonly root: string;
  /** Where it really is. */
  readonly path: string;
  readonly functions: Readonly<Record<FunctionScope, ReadonlyMap<string, FunctionDef>>>;
  readonly hooks: ReadonlyMap<HookName, Hook>;
  readonly remote: Remote | undefined;
}

/** Where something is. */
export interface SourceLocation {
  /** Relative to the folder of functions. */
  readonly file: string;
  readonly line?: number;
  /** The module that has it, where the file is a helper of that. */
  readonly module?: string;
}

/** What is wrong with a file, and where. */
export interface ModuleFault extends SourceLocation {
  readonly text: string;
}

/** A file of the folder: a module, or why it is none. */
export type LoadedModule =
  | { readonly state: 'ready'; readonly kind: string; readonly project: string | null; readonly module: FunctionModule }
  | { readonly state: 'broken'; readonly kind: string; readonly project: string | null; readonly faults: Faulty };

export type Faulty = readonly [ModuleFault, ...ModuleFault[]];

/** `city.ts:12: text`, or `_words.ts:3: text (of city.ts)`. */
export function faultText({ file, line, text, module }: ModuleFault): string {
  const whose = module === undefined ? '' : ` (of ${module})`;
  return `${file}${line === undefined ? '' : `:${line}`}: ${text}${whose}`;
}
