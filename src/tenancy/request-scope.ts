/** The project and the caller of a request, stored by the tenancy interceptor. */
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Executor, Transaction } from '../database/database.js';
import { RequestSlot } from '../http/request/request-slot.js';
import { requestOf, type HttpRequest } from '../http/request/request.js';
import type { Field, KindDef, Model } from '../model/model.js';
import type { Json } from '../shared/json.js';
import type { RequestIds } from '../http/request/request-id.js';
import type { Caller } from './caller.js';
import type { Consistency } from './consistency.js';
import type { Project } from './project.js';

export interface RequestScope {
  readonly project: Project;
  readonly caller: Caller;
  /** The part of the project's work that it belongs to: its kind, or its group. */
  readonly part?: string;
  /** How current data has to be; undefined if the request does not say. */
  readonly consistency?: Consistency | undefined;
  /** The id of the request, for the audit log. */
  readonly requestId?: RequestIds;
  /** The transaction that the request is part of, with its model. Undefined: the request decides what it needs. */
  readonly enclosing?: EnclosingTransaction;
  /** Gets what a change of definitions does. */
  readonly reportChange?: (effects: Readonly<Record<string, Json>>) => void;
  /** Runs around a change of definitions, which has a transaction of its own. */
  readonly aroundChange?: AroundChange;
}

/**
 * A write that not every transaction may have: of definitions, of units of a remote kind, or one whose answer is secret,
 * so that it may not be kept.
 */
export type SpecialWrite = 'definition' | 'remote' | 'secret';

/** Gets what deletions of units do, with all that they take along, and says of it what the caller may read. */
export interface DeletionReport {
  deleted(kind: KindDef, units: number, by: Caller): void;
  /** References that are set to null. */
  cleared(kind: KindDef, field: Field, units: number): void;
  /** For what happens to the units that refer by a field; undefined if nothing is said of them. */
  through(kind: KindDef, field: Field): DeletionReport | undefined;
}

/** The transaction of a batch, of a dry run, or of a request with an idempotency key. */
export interface EnclosingTransaction {
  readonly model: Model;
  readonly executor: Executor;
  /** The custom functions at its beginning, which it uses to its end. */
  readonly deployment?: object;
  /** The transaction is rolled back at its end. */
  readonly dry?: true;
  /** Set where the answer says what deletions do. */
  readonly deletions?: DeletionReport;
  /** The transaction has not begun: handlers only check rights, up to their first statement. */
  readonly rightsOnly?: true;
  /** Called before such a write, after the rights are checked. @throws KindError 400 if it is not allowed here */
  readonly admit: (write: SpecialWrite, kindId: string) => void;
}

/** @param change makes the change in the transaction; returns the answer, or undefined for one without content */
export type AroundChange = <T>(tx: Transaction, change: () => Promise<T>) => Promise<T>;

const scopes = new RequestSlot<RequestScope>();

export function setScope(request: HttpRequest, scope: RequestScope): void {
  scopes.set(request, scope);
}

/** The scope of a request; undefined if its route does not need a project and it names none. */
export function findScope(request: object): RequestScope | undefined {
  return scopes.get(request);
}

/** The scope of a request that passed the interceptor. */
export function scopeOf(request: object): RequestScope {
  const scope = scopes.get(request);
  if (!scope) throw new Error('the request has no scope: its controller lacks the tenancy interceptor');
  return scope;
}

/** Injects the `RequestScope` into a handler. */
export const Scope = createParamDecorator((_: unknown, context: ExecutionContext) => scopeOf(requestOf(context)));
