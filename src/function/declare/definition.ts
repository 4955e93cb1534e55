/** Modules after validation, as the service runs them. */
import type { Context } from '../../kit/context.js';
import type { EndpointMethod, HookContext, Hooks, InboundRequest, Method, Remote } from '../../kit/module.js';
import type { ParameterDef } from '../../model/parameter-type/parameter-def.js';
import type { Level } from '../../model/access-levels.js';
import type { Ticks } from './ticks.js';

/** Whether a function is called on a kind, or on one of its units. */
export type FunctionScope = 'kind' | 'unit';

/** Values by name, which are validated together. `name` is what error texts call them. */
export interface DeclaredValues {
  readonly name: string;
  readonly parameters: readonly ParameterDef[];
}

/** What a function returns: an object of values, or a unit of a kind. */
export type DeclaredAnswer = DeclaredValues | { readonly kind: string };

export interface FunctionDef extends DeclaredValues {
  readonly scope: FunctionScope;
  /** The place of the declaration. */
  readonly place: SourceLocation;
  readonly description: string;
  /** Undefined if the function declares none. */
  readonly returns: DeclaredAnswer | undefined;
  readonly methods: readonly Method[];
  /** A level or rules; undefined for the kind's access for `function`. */
  readonly access: Level | readonly string[] | undefined;
  /** Milliseconds; undefined for FUNCTION_TIMEOUT. */
  readonly timeout: number | undefined;
  /** Whether agents may call it. */
  readonly agents: boolean;
  /** Undefined if it runs only when it is called. */
  readonly ticks: Ticks | undefined;
  /** Calls the author's code. */
  readonly run: (
    context: Context & { readonly parameters: object; readonly unit?: object; readonly tick?: string },
  ) => unknown;
}

export interface EndpointDef {
  readonly name: string;
  /** The place of the declaration. */
  readonly place: SourceLocation;
  /** Empty if there is none. */
  readonly description: string;
  readonly methods: readonly EndpointMethod[];
  /** Why strangers may call it; undefined if that was not said. */
  readonly accepted: string | undefined;
  /** Calls the author's code. */
  readonly run: (context: Context & { readonly request: InboundRequest }) => unknown;
}

export type HookName = keyof Hooks<string>;
export type Hook = (context: HookContext) => unknown;

export interface ReadyModule {
  readonly kind: string;
  /** The place of the declaration. */
  readonly place: SourceLocation;
  /** The path relative to the functions folder, as messages show it. */
  readonly file: string;
  /** The real path of the functions folder. */
  readonly root: string;
  /** The real path of the file. */
  readonly path: string;
  readonly functions: Readonly<Record<FunctionScope, ReadonlyMap<string, FunctionDef>>>;
  readonly endpoints: ReadonlyMap<string, EndpointDef>;
  readonly hooks: ReadonlyMap<HookName, Hook>;
  /** The required parameters that `before_create` sets. */
  readonly fills: ReadonlySet<string>;
  readonly remote: Remote | undefined;
}

/** A place in a source file. */
export interface SourceLocation {
  /** The path relative to the functions folder. */
  readonly file: string;
  readonly line?: number;
  /** The module that uses the file, if the file is a helper. */
  readonly module?: string;
}

/** A fault of a file, and its place. */
export interface ModuleFault extends SourceLocation {
  readonly text: string;
}

/** The result of loading a file: a module, or its faults. */
export type LoadedModule =
  | { readonly state: 'ready'; readonly kind: string; readonly project: string | null; readonly module: ReadyModule }
  | { readonly state: 'broken'; readonly kind: string; readonly project: string | null; readonly faults: Faulty };

export type Faulty = readonly [ModuleFault, ...ModuleFault[]];

/** For example `city.ts:12: text`, or `_words.ts:3: text (of city.ts)`. */
export function faultText({ file, line, text, module }: ModuleFault): string {
  const whose = module === undefined ? '' : ` (of ${module})`;
  return `${file}${line === undefined ? '' : `:${line}`}: ${text}${whose}`;
}

const WORD = '[^\\s\'"`()[\\]:;,/\\\\]+';
/** The name of a folder, which may have spaces; a word that ends like the name of a file ends it. */
const FOLDER = `(?:${WORD}(?<!\\.\\w{1,5}) ){0,3}${WORD}[/\\\\]`;
/** Of a path from the root of the server's disk, the folders; only where it begins a word. */
const FOLDERS = new RegExp(`(?<![\\w.:/\\\\-])(?:file://)?(?:/|[A-Za-z]:\\\\)(?:${FOLDER})+`, 'g');
/** The name and the password in an address. */
const CREDENTIALS = /:\/\/[^\s/@]+@/g;

/** Leaves out the folders of absolute paths, and passwords in addresses. */
export function withoutServerPaths(text: string): string {
  return text.replace(CREDENTIALS, '://…@').replace(FOLDERS, '…/');
}
