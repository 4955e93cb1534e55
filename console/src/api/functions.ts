/** The functions of the project, and calls of them. All functions throw `ApiError`. */
import { addressOf } from '../../../packages/client/connection.js';
import { BASE } from './client.js';
import { ApiError } from './errors.js';
import { session } from './session.js';
import type { Envelope, Field, Message, Page } from './types.js';

export type Method = 'GET' | 'POST';

export interface DeclaredFunction {
  readonly kind_id: string;
  readonly name: string;
  readonly of_unit: boolean;
  readonly methods: readonly Method[];
  readonly description: string;
  readonly parameters: readonly Field[];
  readonly returns: { readonly kind_id: string | null; readonly parameters: readonly Field[] | null } | null;
  /** Milliseconds; null for that of the service. */
  readonly timeout: number | null;
  /** Whether requests without a token may call it. */
  readonly open: boolean;
  /** For administrators: a level, or rules. */
  readonly access: string | readonly string[] | null;
  /** For administrators: when it runs by itself. */
  readonly schedule: { readonly cron: string; readonly timezone: string } | null;
  readonly next_at: string | null;
}

/** A run of a scheduled function. */
export interface FunctionRun {
  readonly id: string;
  readonly function: string;
  readonly tick: string;
  readonly outcome: 'running' | 'done' | 'failed' | 'skipped' | 'lost' | 'timeout';
  readonly text: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

/** The latest runs of a kind. */
export async function listRuns(kind: string): Promise<readonly FunctionRun[]> {
  const query = { kind_id: kind, limit: '200' };
  return (await session.call<Page<FunctionRun>>({ path: ['function', 'run'], query })).content.items;
}

export async function runNow({ kind_id, name }: DeclaredFunction): Promise<void> {
  await session.call({ method: 'POST', path: ['function', 'run'], body: { kind_id, function: name } });
}

/** A change after which the hook `after_commit` has failed for good. */
export interface CommitFailure {
  readonly id: string;
  readonly kind_id: string;
  readonly unit_id: string;
  readonly operation: 'create' | 'update' | 'delete' | 'link' | 'unlink';
  readonly attempts: number;
  readonly failed_at: string;
  readonly code: string | null;
  readonly text: string | null;
  readonly file: string | null;
  readonly line: number | null;
}

/** The latest failures that are shown. */
const MOST_FAILURES = 100;

export async function listFailures(): Promise<Page<CommitFailure>> {
  const query = { limit: String(MOST_FAILURES) };
  return (await session.call<Page<CommitFailure>>({ path: ['function', 'failure'], query })).content;
}

export async function retryFailure(id: string): Promise<void> {
  await session.call({ method: 'POST', path: ['function', 'failure', id, 'retry'] });
}

export async function discardFailure(id: string): Promise<void> {
  await session.call({ method: 'DELETE', path: ['function', 'failure', id] });
}

export interface FunctionModule {
  /** Null if its file is named after no kind. */
  readonly kind_id: string | null;
  readonly file: string;
  /** What other services call. */
  readonly endpoints: readonly { readonly name: string; readonly methods: readonly string[] }[];
  readonly hooks: readonly string[];
  readonly remote: boolean;
  readonly faults: readonly { readonly file: string; readonly line: number | null; readonly text: string }[];
}

export interface FunctionList extends Page<DeclaredFunction> {
  /** Null except for administrators, on the first page. */
  readonly modules: readonly FunctionModule[] | null;
}

export async function listFunctions(offset: number): Promise<FunctionList> {
  return (await session.call<FunctionList>({ path: ['function'], query: { offset: String(offset) } })).content;
}

/** The address of an endpoint, which needs neither header nor token. */
export function endpointAddress(kind: string, name: string): string {
  return new URL(addressOf({ path: ['project', session.project, 'hook', kind, name] }).slice(1), BASE).href;
}

/** More than a person writes for one kind. */
const MOST_OF_KIND = 1000;

export async function functionsOfKind(kind: string): Promise<readonly DeclaredFunction[]> {
  const query = { kind_id: kind, limit: String(MOST_OF_KIND) };
  return (await session.call<FunctionList>({ path: ['function'], query })).content.items;
}

export interface FunctionCall {
  readonly method: Method;
  /** Of a function of a unit. */
  readonly unit: string | undefined;
  readonly values: Readonly<Record<string, unknown>>;
}

/** What a call was answered with. */
export interface FunctionAnswer {
  readonly status: number;
  /** Milliseconds until the answer was there. */
  readonly duration: number;
  /** The header `Server-Timing`. */
  readonly timing: string | null;
  readonly content: unknown;
  readonly messages: readonly Message[];
}

/** Also answers refusals. @throws ApiError without an answer */
export async function callFunction(
  { kind_id: kind, name }: DeclaredFunction,
  { method, unit, values }: FunctionCall,
): Promise<FunctionAnswer> {
  const start = performance.now();
  const duration = () => Math.round(performance.now() - start);
  try {
    const path = [kind, ...(unit === undefined ? [] : ['unit', unit]), 'function', name];
    const sent = method === 'GET' ? { query: queryOf(values) } : { body: values };
    const response = await session.open({ method, path, ...sent });
    const { content, messages } = (await response.json()) as Envelope<unknown>;
    const timing = response.headers.get('server-timing');
    return { status: response.status, duration: duration(), timing, content, messages };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, messages, headers } = error;
    // There is no answer.
    if (status === 0) throw error;
    const timing = headers?.get('server-timing') ?? null;
    return { status, duration: duration(), timing, content: null, messages };
  }
}

/** Values as a query has them: a parameter of several values several times. */
function queryOf(values: Readonly<Record<string, unknown>>): Record<string, readonly string[]> {
  const texts = (value: unknown) => (Array.isArray(value) ? value : [value]).map(queryText);
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given.map(([id, value]) => [id, texts(value)]));
}

function queryText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
