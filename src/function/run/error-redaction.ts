/** Decides what clients see, and what is logged, of errors that user code did not catch. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { OutdatedError, RestartError } from '../../database/transaction/contention.js';
import { commonRefusal, isContention, isStaleModel } from '../../database/statement/sqlstate.js';
import { LOGGER } from '../../http/log/logger.js';
import { FunctionError } from '../../kit/function-error.js';
import {
  retryLater,
  ERRORS,
  KindError,
  asMayBeStored,
  refusal,
  type ErrorCode,
  type Message,
} from '../../shared/errors.js';
import { EventThrottle } from '../../shared/event-throttle.js';
import { knowsWholeProject, type Caller } from '../../tenancy/caller.js';
import { originalCallerOf, type Session } from '../../catalog/session/session.js';
import { originOf, markFinal, type RequestedOperation, type RefusalOrigin } from '../sandbox/refusal-origin.js';
import { readableError, UserCodeError } from '../sandbox/user-code.js';
import type { RunFailure } from '../../sql/server/run.sql.js';
import { withoutServerPaths, type ReadyModule, type SourceLocation } from '../declare/definition.js';
import { lineOf, sourceLocationOf } from '../declare/source-location.js';
import { grantOf } from '../../access/access.js';
import { mayReadField } from '../../access/masks.js';
import { resolvedChecks } from '../../model/check/kind-checks.js';
import type { Field, KindDef, Model } from '../../model/model.js';

/** The call that failed. */
interface FailedCall {
  readonly module: ReadyModule;
  /** The name of the function or hook. */
  readonly name: string;
  readonly session: Session;
}

/** Makes the error for a failure of user code. @param at ` at city.ts:12`, or empty if no line is known */
type MakeError = (cause: unknown, at: string) => Error;

/** Milliseconds between log lines about equal refusals, because any client can cause them. */
const EVERY = 10_000;

/** Limits for names in a log line, which clients may have chosen. */
const NAMES = { most: 10, longest: 80 } as const;

@Injectable()
export class ErrorRedaction {
  readonly #refusals = new EventThrottle(EVERY);

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /**
   * Refusals are reported as by the endpoint, with their kind. Errors that restart the transaction are returned as they
   * are. All others are failures of user code: `fault` makes the error, with the original one as its cause.
   */
  redact(error: unknown, call: FailedCall, fault: MakeError): unknown {
    if (error instanceof FunctionError) return error;
    if (error instanceof KindError) return this.#refused(error, call);
    if (error instanceof RestartError || error instanceof OutdatedError) return error;
    // Errors of user code are wrapped in `UserCodeError`, so that their `code` is not read here.
    if (isContention(error) || isStaleModel(error)) return error;
    const cause = error instanceof UserCodeError ? error.cause : error;
    return commonRefusal(error) ?? fault(cause, lineText(cause, call.module));
  }

  #refused(refused: KindError, call: FailedCall): KindError {
    const origin = originOf(refused);
    if (!origin || origin.isFinal) return refused;
    if (refused.status >= 500) return markFinal(origin.system ? withoutDetails(refused) : refused, origin);
    this.#note(refused, origin, call);
    const messages = refused.messages.map((message) => redactMessage(message, origin, call));
    const [first, ...rest] = messages;
    return markFinal(first ? refused.withMessages([first, ...rest], { cause: refused }) : refused, origin);
  }

  /** Logs a refusal for the author of the function. Its text is left out, because it may quote values of clients. */
  #note(
    { code, messages }: KindError,
    { names, system, from }: RefusalOrigin,
    { module, name, session }: FailedCall,
  ): void {
    // Operations as the caller are refused because of the request, so they are logged only for debugging.
    const level = system ? 'info' : 'debug';
    if (!this.logger.isLevelEnabled(level)) return;
    const place = lineOf(sourceLocationOf(from.stack ?? '', module));
    const logged = { project: session.project.id, file: module.file, name, ...(place !== undefined && { place }) };
    // The key has no values of clients, only the project, files and names of the author, and an error code.
    const count = this.#refusals.pass(JSON.stringify([logged, system, code]));
    if (count === undefined) return;
    const parameters = messages
      .flatMap(({ parameter }) => parameter?.slice(0, NAMES.longest) ?? [])
      .slice(0, NAMES.most);
    const of = { as: system ? 'system' : 'caller', of: names, code, ...(parameters.length > 0 && { parameters }) };
    this.logger[level]({ ...logged, ...of, count }, 'a refusal was not caught');
  }
}

/** A refusal of an operation as the system: clients see its general meaning only. The log has the text. */
function withoutDetails(refused: KindError): KindError {
  if (refused.status === 504) return refused;
  const { code, retryAfter } = refused;
  const cause = refused.cause instanceof KindError ? refused.cause : refused;
  const text = ERRORS[code].meaning.replace(/\.$/, '');
  const meant = retryAfter === undefined ? refusal(code, text) : retryLater(code, text, retryAfter, cause);
  return refused.mayBeStored ? asMayBeStored(meant) : meant;
}

/**
 * The message as the client may see it: with the kind, if it is not the kind of the function; of an operation as the
 * system, only what the client may know.
 */
function redactMessage(message: Message, { names, system }: RequestedOperation, call: FailedCall): Message {
  const name = names.find((each) => message.text.includes(`'${each}'`)) ?? names[0] ?? '';
  if (system && !knowsWholeProject(originalCallerOf(call.session))) return redactSystemMessage(message, name, call);
  return name === call.module.kind ? message : withKindName(message, name);
}

/** The text if the client may read everything that it names; otherwise the general meaning of its code. */
function redactSystemMessage(
  { code, text, parameter, check, index }: Message,
  name: string,
  { session }: FailedCall,
): Message {
  const { model } = session;
  const kind = model.kinds.get(name);
  const viewer = { caller: originalCallerOf(session), model };
  if (kind && parameter === undefined && check !== undefined && isVisibleCheck(check, kind, viewer)) {
    return withKindName({ code, text, check, ...(index !== undefined && { index }) }, name);
  }
  const visiblePath = kind && parameter !== undefined && visiblePathOf(parameter, kind, viewer);
  const at = visiblePath ? visiblePath.visible : undefined;
  const place = { ...(at !== undefined && { parameter: at }), ...(index !== undefined && { index }) };
  if (visiblePath && visiblePath.open && isAboutOneValue(code)) return withKindName({ code, text, ...place }, name);
  const meaning = ERRORS[code].meaning.replace(/\.$/, '');
  return withKindName({ code, text: at === undefined ? meaning : `${at}: ${meaning}`, ...place }, name);
}

/** Texts about a whole unit, a query or an unknown name may mention other parameters than the one in `parameter`. */
function isAboutOneValue(code: ErrorCode): boolean {
  return code.startsWith('parameter.') && code !== 'parameter.unknown';
}

/** Adds the kind if the text does not name it. */
function withKindName(message: Message, name: string): Message {
  const { text, parameter } = message;
  if (text.includes(`'${name}'`)) return message;
  const isOfParameter = parameter !== undefined && text.startsWith(parameter);
  return { ...message, text: isOfParameter ? `${name}.${text}` : `${name}: ${text}` };
}

/** The first line of user code in the traces of an error and its causes. */
function lineText(error: unknown, module: ReadyModule): string {
  const at = lineOf(placeOf(error, module));
  return at === undefined ? '' : ` at ${at}`;
}

function placeOf(error: unknown, module: ReadyModule): SourceLocation {
  const traces: string[] = [];
  for (let cause = error; cause instanceof Error && traces.length < 5; cause = cause.cause) {
    const origin = cause instanceof KindError ? originOf(cause) : undefined;
    traces.push(origin?.from.stack ?? cause.stack ?? '');
  }
  return sourceLocationOf(traces.join('\n'), module);
}

/** The most characters of the text of a failure. */
const FAILURE_TEXT = 1000;

/** What administrators are told of an error that `redact` has returned: all that it says, and where it was thrown. */
export function failureOf(error: unknown, module: ReadyModule | undefined): RunFailure {
  const { cause } = error as { readonly cause?: unknown };
  const original = cause instanceof KindError || !isRefusal(error) ? (cause ?? error) : error;
  const text =
    original instanceof KindError
      ? original.messages[0].text
      : original instanceof FunctionError
        ? original.text
        : readableError(original).message;
  const { file = null, line = null } = module ? placeOf(error, module) : {};
  const code = isRefusal(original) ? original.code : 'server.error';
  return { code, text: withoutServerPaths(text).slice(0, FAILURE_TEXT), file, line };
}

function isRefusal(error: unknown): error is KindError | FunctionError {
  return error instanceof KindError || error instanceof FunctionError;
}

interface PathViewer {
  readonly caller: Caller;
  readonly model: Model;
}

interface VisiblePath {
  /** The part of the path that the caller may see; undefined for none. */
  readonly visible: string | undefined;
  /** Whether the caller may see every field and kind of the path. */
  readonly open: boolean;
}

/**
 * @param path from a refusal of a write: field ids separated by `.`, all but the last one references. After a `json`
 * field, the rest are keys inside its value
 */
function visiblePathOf(path: string, kind: KindDef, viewer: PathViewer): VisiblePath {
  const ids = path.split('.');
  const named: string[] = [];
  let current = kind;
  let open = isOpen(current, viewer);
  for (const id of ids) {
    const field = current.fields.get(id);
    if (!field || !mayName(field, viewer)) return { visible: joined(named), open: false };
    named.push(id);
    if (!field.reference) {
      if (field.type.hasKeys) return { visible: path, open };
      return { visible: joined(named), open: open && named.length === ids.length };
    }
    const next = viewer.model.kinds.get(field.reference.kind);
    // The first kind is named by the function and may be seen; the kinds after it must be readable for the caller.
    if (!next || !grantOf(next, 'read', viewer.caller, viewer.model)) return { visible: joined(named), open: false };
    current = next;
    open &&= isOpen(current, viewer);
  }
  return { visible: path, open };
}

function joined(named: readonly string[]): string | undefined {
  return named.length === 0 ? undefined : named.join('.');
}

/** Whether the caller may read all that a check names, of every unit. */
function isVisibleCheck(id: string, kind: KindDef, viewer: PathViewer): boolean {
  const check = resolvedChecks(kind).find((each) => each.id === id);
  return check !== undefined && isOpen(kind, viewer) && check.fields.every((field) => mayName(field, viewer));
}

/** Functions see hidden parameters, their callers don't. */
function mayName(field: Field, { caller }: PathViewer): boolean {
  return !field.def.hidden && mayReadField(field, caller);
}

/** Whether all units of a kind may be read. */
function isOpen(kind: KindDef, { caller, model }: PathViewer): boolean {
  const grant = grantOf(kind, 'read', caller, model);
  return grant !== undefined && grant.predicate === undefined;
}
