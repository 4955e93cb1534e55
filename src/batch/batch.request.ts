/** Reads the body of a batch. Reports all faults of all operations. Pure. */
import { Faults, refusal } from '../shared/errors.js';
import { isPlainObject, typeName } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import { shortened } from '../shared/texts.js';
import { isName, parseReference, pathReferences, referenceIn } from './references.js';

const KEYS = ['as', 'method', 'path', 'body', 'if_match'];
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT']);

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;

type OperationMethod = (typeof METHODS)[number];

export interface BatchOperation {
  /** The name by which later operations refer to its answer. */
  readonly as: string | undefined;
  readonly method: OperationMethod;
  /** Path and query below `/api/lib`, with references. */
  readonly path: string;
  readonly hasBody: boolean;
  /** JSON, with references. */
  readonly body: unknown;
  readonly ifMatch: string | undefined;
}

export interface GivenBatch {
  readonly operations: readonly BatchOperation[];
  /** The names to which operations refer. */
  readonly used: ReadonlySet<string>;
}

/** @throws KindError 400 */
export function* readBatch(body: unknown): WorkInPieces<GivenBatch> {
  if (!isPlainObject(body)) {
    const got = body === undefined ? 'none' : typeName(body);
    throw refusal('body.not_object', `The body must be a JSON object, got ${got}`);
  }
  const faults = new Faults();
  for (const key of Object.keys(body)) {
    if (key === 'operations') continue;
    faults.add('batch.bad_operation', `A batch has no '${key.slice(0, 60)}'${faults.hint(key, ['operations'])}`);
  }
  const { operations: given } = body;
  if (!Array.isArray(given)) {
    const got = given === undefined ? 'none' : typeName(given);
    faults.add('batch.bad_operation', `operations: a list of operations is wanted, got ${got}`);
    faults.throwIfAny();
    return { operations: [], used: new Set() };
  }
  if (given.length > LIMITS.batchOperations) {
    throw refusal('body.too_many', `At most ${LIMITS.batchOperations} operations in one batch, got ${given.length}`);
  }
  const reader = new OperationReader(faults);
  const operations: BatchOperation[] = [];
  for (const [at, operation] of (given as unknown[]).entries()) {
    const read = yield* reader.read(operation, at);
    if (read) operations.push(read);
  }
  faults.throwIfAny();
  return { operations, used: reader.used };
}

class OperationReader {
  readonly used = new Set<string>();
  readonly #names = new Set<string>();

  constructor(private readonly faults: Faults) {}

  *read(given: unknown, at: number): WorkInPieces<BatchOperation | undefined> {
    if (!isPlainObject(given)) {
      this.#add(at, `an object is wanted, got ${typeName(given)}`);
      return undefined;
    }
    for (const key of Object.keys(given)) {
      if (KEYS.includes(key)) continue;
      this.#add(at, `an operation has no '${key.slice(0, 60)}'${this.faults.hint(key, KEYS)}`);
    }
    const { as, method, path, body, if_match: ifMatch } = given;
    if (typeof method !== 'string' || !isMethod(method)) this.#add(at, `method: wants ${METHODS.join(', ')}`);
    else if (body !== undefined && !METHODS_WITH_BODY.has(method)) this.#add(at, `body: a ${method} has none`);
    if (typeof path !== 'string' || !path.startsWith('/')) {
      this.#add(at, `path: wants the text after /api/lib, which begins with '/', such as '/person/unit'`);
    } else this.#checkPath(path, at);
    if (ifMatch !== undefined && typeof ifMatch !== 'string') this.#add(at, 'if_match: wants the text of an ETag');
    yield* this.#checkBody(body, at);
    if (as !== undefined) this.#name(as, at);
    return {
      as: as as string | undefined,
      method: method as OperationMethod,
      path: path as string,
      hasBody: body !== undefined,
      body,
      ifMatch: ifMatch as string | undefined,
    };
  }

  #checkPath(path: string, at: number): void {
    if (path.length > LIMITS.batchPath) {
      return this.#add(at, `path: at most ${LIMITS.batchPath} characters, got ${path.length}`);
    }

    if (/[\s#\u0000-\u001f\u007f]/.test(path)) this.#add(at, `path: white space and '#' must be percent-encoded`);
    for (const text of pathReferences(path)) this.#refer(text, at);
    const rest = path.replaceAll(/\{[^{}]*\}/g, '');
    if (/[{}]/.test(rest)) this.#add(at, `path: a brace that begins no reference must be percent-encoded`);
  }

  /** Iterative, because a body can be nested deeply. */
  *#checkBody(body: unknown, at: number): WorkInPieces<void> {
    const rest: unknown[] = [body];
    for (let seen = 1; rest.length > 0; seen += 1) {
      const value = rest.pop();
      if (seen % 1024 === 0) yield;
      if (typeof value !== 'object' || value === null) continue;
      const reference = referenceIn(value);
      if (reference === undefined) for (const member of Object.values(value)) rest.push(member);
      else if (typeof reference !== 'string') this.#refuse(at, '{"$from": …}: wants text such as "author.id"');
      else if (Object.keys(value).length > 1) this.#refuse(at, '{"$from": …} has no other keys');
      else this.#refer(reference, at);
    }
  }

  #refer(text: string, operation: number): void {
    const reference = parseReference(text);
    const shown = shortened(text);
    if (!reference) return this.#refuse(operation, `'${shown}' is no reference; it looks like 'author.id'`);
    this.used.add(reference.name);
    if (this.#names.has(reference.name)) return;
    const hint = this.faults.hint(reference.name, this.#names);
    this.#refuse(operation, `'${shown}': no earlier operation has the name '${reference.name}'${hint}`);
  }

  #name(as: unknown, operation: number): void {
    if (typeof as !== 'string' || !isName(as)) {
      return this.#add(operation, 'as: wants a name of letters, digits and _, which begins with no digit');
    }
    if (this.#names.has(as)) this.#refuse(operation, `as: '${as}' is the name of an earlier operation`);
    this.#names.add(as);
  }

  #add(operation: number, text: string): void {
    this.faults.add('batch.bad_operation', `operations[${operation}]: ${text}`, { operation });
  }

  #refuse(operation: number, text: string): void {
    this.faults.add('batch.bad_reference', `operations[${operation}]: ${text}`, { operation });
  }
}

function isMethod(text: string): text is OperationMethod {
  return METHODS.some((method) => method === text);
}
