/** Compares what a function returned with what it declares. */
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { PatternMatcher } from '../../catalog/pattern/pattern-matcher.js';
import { type Config, CONFIG } from '../../config/config.js';
import { readJson } from '../../http/body/json-pieces.js';
import { LOGGER } from '../../http/log/logger.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import type { Field, KindDef } from '../../model/model.js';
import { Faults, KindError } from '../../shared/errors.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { EventThrottle } from '../../shared/event-throttle.js';
import { isPlainObject, typeName } from '../../shared/json.js';
import { SYSTEM } from '../../tenancy/caller.js';
import { bodyOf } from '../../unit/draft/draft.js';
import { ValueReader } from '../../unit/draft/value-reader.js';
import type { Session } from '../../catalog/session/session.js';
import type { DeclaredValues, FunctionDef, ReadyModule } from '../declare/definition.js';
import { lineOf } from '../declare/source-location.js';
import { readParameters } from './call-parameters.js';

/** Milliseconds between log lines about the same function. */
const EVERY = 10_000;

/** The function that returned the answer. */
interface AnsweredCall {
  readonly session: Session;
  readonly module: ReadyModule;
  readonly def: FunctionDef;
}

@Injectable()
export class AnswerChecks {
  readonly #logged = new EventThrottle(EVERY);

  constructor(
    private readonly patterns: PatternMatcher,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Logs an answer that does not fit its declaration in production, where clients get it nevertheless.
   * @param content the answer as JSON
   * @throws TypeError for such an answer outside production
   */
  async check({ session, module, def }: AnsweredCall, content: string): Promise<void> {
    if (!def.returns) return;
    const answer = await readJson(content, session.project.schema);
    const faults =
      'kind' in def.returns
        ? await this.#unitFaults(session, def.returns.kind, answer)
        : await this.#valueFaults(session, def.returns, answer);
    if (faults.length === 0) return;
    const text = `the answer does not fit its declaration (returns): ${faults.join('; ')}`;
    if (!this.config.production) throw new TypeError(text);
    const place = lineOf(def.place);
    const logged = { project: session.project.id, file: module.file, name: def.name, ...(place && { place }) };
    const count = this.#logged.pass(JSON.stringify(logged));
    if (count !== undefined) this.logger.warn({ ...logged, count }, text);
  }

  async #valueFaults({ model, project }: Session, returns: DeclaredValues, answer: unknown): Promise<string[]> {
    if (!isPlainObject(answer)) return [`must be an object, got ${typeName(answer)}`];
    try {
      await readParameters(returns, bodyOf(answer), {
        model,
        // The log and the author see these texts, so that they may name every kind.
        caller: SYSTEM,
        faults: new Faults(),
        yielder: new EventLoopYield(project.schema),
        settle: (patterns) => this.patterns.settle(project.id, patterns),
      });
      return [];
    } catch (error) {
      if (error instanceof KindError && error.status === 400) return error.messages.map(({ text }) => text);
      throw error;
    }
  }

  /** Fields may be missing, and terms of `include` may be there, as in other answers. */
  async #unitFaults({ model, project }: Session, kindId: string, answer: unknown): Promise<string[]> {
    const kind = model.kinds.get(kindId);
    if (!kind) return [`no kind '${kindId}' in this project`];
    if (!isPlainObject(answer)) return [`must be a unit of '${kindId}', got ${typeName(answer)}`];
    const found: string[] = [];
    const patterns = new PatternChecks();
    const reader = new ValueReader(
      kind,
      patterns,
      (_, __, text) => found.push(text),
      (target) => ` of '${target}'`,
    );
    for (const field of kind.fields.values()) {
      if (isGiven(field, kind, answer)) readField(field, answer[field.id], reader, found);
    }
    await this.patterns.settle(project.id, patterns);
    return found;
  }
}

/** Whether the answer has a stored value of the field. With `nest` the value of a reference is an object. */
function isGiven(field: Field, { keyField }: KindDef, answer: Readonly<Record<string, unknown>>): boolean {
  if (!Object.hasOwn(answer, field.id) || field.column === undefined || field === keyField) return false;
  return !(field.reference && isPlainObject(answer[field.id]));
}

function readField(field: Field, value: unknown, reader: ValueReader, found: string[]): void {
  if (value !== null) reader.read(field, value);
  else if (!field.def.nullable) found.push(`${field.id}: must not be null`);
}
