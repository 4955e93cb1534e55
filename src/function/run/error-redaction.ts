/** What is told, and logged, of an error that came out of authored code. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { OutdatedError } from '../../database/transaction/contention.js';
import { RestartError } from '../../database/transaction/restart-error.js';
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
import { isAdministrator } from '../../tenancy/caller.js';
import { originalCallerOf, type Session } from '../../unit/session/session.js';
import { originOf, markFinal, type RequestedOperation, type Origin } from '../sandbox/refusal-origin.js';
import { UserCodeError } from '../sandbox/user-code.js';
import type { FunctionModule } from '../declare/definition.js';
import { lineOf, sourceLocationOf } from '../declare/source-location.js';
import { visiblePathOf } from './visible-path.js';

/** Whose code did not catch it, and in which session. */
export interface FailedCall {
  readonly module: FunctionModule;
  /** Of the function or hook. */
  readonly name: string;
  readonly session: Session;
}

/** Words a fault. @param at ` at city.ts:12`, or nothing where no line of the author's is known */
type MakeError = (cause: unknown, at: string) => Error;

/** Milliseconds between two lines of the log about refusals that are alike: any client may bring them about. */
const EVERY = 10_000;

/** Of names in a line of the log, which may be a client's: how many, and of how many characters. */
const NAMES = { most: 10, longest: 80 } as const;

@Injectable()
export class ErrorRedaction {
  readonly #refusals = new EventThrottle(EVERY);

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /**
   * Refusals are told as the endpoint would, with the kind that they are of; whoever begins the transaction again learns
   * why. All else is a fault, which is worded by whoever knows whose it is, with the error as its cause.
   */
  redact(error: unknown, catcher: FailedCall, fault: MakeError): unknown {
    if (error instanceof FunctionError) return error;
    if (error instanceof KindError) return this.#refused(error, catcher);
    if (error instanceof RestartError || error instanceof OutdatedError) return error;
    // What authored code throws is `Thrown`, whatever code it has.
    if (isContention(error) || isStaleModel(error)) return error;
    const cause = error instanceof UserCodeError ? error.cause : error;
    return commonRefusal(error) ?? fault(cause, lineText(cause, catcher.module));
  }

  #refused(refused: KindError, catcher: FailedCall): KindError {
    const asked = originOf(refused);
    if (!asked || asked.isFinal) return refused;
    if (refused.status >= 500) return markFinal(asked.system ? withoutDetails(refused) : refused, asked);
    this.#note(refused, asked, catcher);
    const messages = refused.messages.map((message) => redactMessage(message, asked, catcher));
    const [first, ...rest] = messages;
    return markFinal(first ? refused.withMessages([first, ...rest], { cause: refused }) : refused, asked);
  }

  /** The client is told little of it, and the author has to know. Its words may quote values of clients. */
  #note({ code, messages }: KindError, { names, system, from }: Origin, { module, name, session }: FailedCall): void {
    // What is done as the caller is refused for reasons of the client's.
    const level = system ? 'info' : 'debug';
    if (!this.logger.isLevelEnabled(level)) return;
    const place = lineOf(sourceLocationOf(from.stack ?? '', module));
    const who = { project: session.project.id, file: module.file, name, ...(place !== undefined && { place }) };
    // No part of it is a client's: the project, the author's files and names, and a code.
    const count = this.#refusals.pass(JSON.stringify([who, system, code]));
    if (count === undefined) return;
    const parameters = messages
      .flatMap(({ parameter }) => parameter?.slice(0, NAMES.longest) ?? [])
      .slice(0, NAMES.most);
    const of = { as: system ? 'system' : 'caller', of: names, code, ...(parameters.length > 0 && { parameters }) };
    this.logger[level]({ ...who, ...of, count }, 'a refusal was not caught');
  }
}

/** What keeps the system waiting keeps everybody: that is told, and not what it was asked for. The log has its words. */
function withoutDetails(refused: KindError): KindError {
  if (refused.status === 504) return refused;
  const { code, retryAfter } = refused;
  const cause = refused.cause instanceof KindError ? refused.cause : refused;
  const text = ERRORS[code].meaning.replace(/\.$/, '');
  const meant = retryAfter === undefined ? refusal(code, text) : retryLater(code, text, retryAfter, cause);
  return refused.mayBeStored ? asMayBeStored(meant) : meant;
}

/**
 * A refusal as the author's client may hear it: with the kind, where that is another one than the client asked, and of what
 * was done as the system only what the client may know.
 */
function redactMessage(message: Message, { names, system }: RequestedOperation, catcher: FailedCall): Message {
  const name = names.find((each) => message.text.includes(`'${each}'`)) ?? names[0] ?? '';
  if (system && !isAdministrator(originalCallerOf(catcher.session))) return redactSystemMessage(message, name, catcher);
  return name === catcher.module.kind ? message : withKindName(message, name);
}

/** Its own words where all that it is about is open to the client, and else what its code means. */
function redactSystemMessage(
  { code, text, parameter, index }: Message,
  name: string,
  { session }: FailedCall,
): Message {
  const { model } = session;
  const kind = model.kinds.get(name);
  const told =
    kind && parameter !== undefined && visiblePathOf(parameter, kind, { caller: originalCallerOf(session), model });
  const at = told ? told.visible : undefined;
  const place = { ...(at !== undefined && { parameter: at }), ...(index !== undefined && { index }) };
  if (told && told.open && isAboutOneValue(code)) return withKindName({ code, text, ...place }, name);
  const meaning = ERRORS[code].meaning.replace(/\.$/, '');
  return withKindName({ code, text: at === undefined ? meaning : `${at}: ${meaning}`, ...place }, name);
}

/** Of a whole unit, a query or an unknown name the words may name other parameters than the one that they stand at. */
function isAboutOneValue(code: ErrorCode): boolean {
  return code.startsWith('parameter.') && code !== 'parameter.unknown';
}

/** Says of which kind it is, where its words do not. */
function withKindName(message: Message, name: string): Message {
  const { text, parameter } = message;
  if (text.includes(`'${name}'`)) return message;
  const isOfParameter = parameter !== undefined && text.startsWith(parameter);
  return { ...message, text: isOfParameter ? `${name}.${text}` : `${name}: ${text}` };
}

/** The first line of the author's that is in the trace of an error, or of what caused it. */
function lineText(error: unknown, module: FunctionModule): string {
  const traces: string[] = [];
  for (let cause = error; cause instanceof Error && traces.length < 5; cause = cause.cause)
    traces.push(cause.stack ?? '');
  const at = lineOf(sourceLocationOf(traces.join('\n'), module));
  return at === undefined ? '' : ` at ${at}`;
}
