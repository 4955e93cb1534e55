/** Validates the bodies of a write and the units nested in them, with the behaviors of their kinds: returns drafts and faults. */
import { Injectable } from '@nestjs/common';
import { authorizeKind, checkHasTable } from '../../access/access.js';
import { accessDenied } from '../../access/level.js';
import { mayDescribe, targetKindTextFor } from '../../access/reference-access.js';
import { PatternMatcher } from '../../catalog/pattern/pattern-matcher.js';
import { numberedFields } from '../../model/field.js';
import type { KindDef, Model } from '../../model/model.js';
import { type ConditionalField, isConditional } from '../../model/predicate/conditional-field.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { Faults, KindError, prefixError, refusal } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { andThen, type MaybePromise, runYielding } from '../../shared/work-in-pieces.js';
import type { Caller } from '../../tenancy/caller.js';
import { Behaviors, type PendingWrite } from './behavior.js';
import type { DefaultBytes } from './default-bytes.js';
import { type Body, bodyOf, type Draft, keyColumn } from './draft.js';
import type { BodyDetails, DraftOptions } from './draft-builder.js';
import { draftCreate, draftPartial, draftUpdate } from './draft-reader.js';
import { nestedBodies, NestedUnits } from './nested-units.js';
import type { LocatedDraft } from './references.js';
import { originalCallerOf, type Session } from '../../catalog/session/session.js';
import { hasFieldRules } from '../../access/field-rules.js';
import { readableFields, writableFields } from '../../access/masks.js';

/** An element of a bulk body that is not an object, and its type. */
export interface NotObject {
  readonly actualType: string;
}

export function isNotObject(body: Body | NotObject): body is NotObject {
  return 'actualType' in body;
}

/** Of the bodies of a create. */
export interface CreateOptions {
  readonly writer: Caller;
  readonly bulk: boolean;
  readonly faults: Faults;
  readonly defaults: DefaultBytes;
  readonly keepIds?: boolean;
}

/** Of the bodies of edits. */
interface EditOptions extends Pick<CreateOptions, 'writer' | 'defaults'> {
  /** Objects are values, and no expressions. */
  readonly literal?: boolean | undefined;
  /** The body is of no single unit: behaviors do not run, and it creates no units inside. */
  readonly plain?: boolean;
}

/** Bodies that are drafted between two looks at the clock. */
const BODIES_PER_PIECE = 8;

export interface Drafted {
  readonly drafts: readonly LocatedDraft[];
  /** Units that are created before these, which refer to them. */
  readonly nested: NestedUnits;
  readonly faults: Faults;
}

export interface EditDraft {
  /** After `prepare` of the behaviors. */
  readonly body: Body;
  readonly draft: Draft;
  readonly nested: NestedUnits;
  /** The parameters in the body whose rules the unit must satisfy before and after the edit. */
  readonly rules: readonly ConditionalField[];
}

export type DraftedEdit = EditDraft & Drafted;

const NO_NESTED = new NestedUnits();

/** A body after `prepare` of the behaviors, and its draft. */
interface DraftedBody {
  readonly body: Body;
  readonly draft: Draft;
}

@Injectable()
export class Drafter {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly patterns: PatternMatcher,
  ) {}

  /** The drafts of a create, in their order. */
  async creates(
    session: Session,
    kind: KindDef,
    bodies: readonly (Body | NotObject)[],
    { writer, bulk, faults, defaults, keepIds = false }: CreateOptions,
  ): Promise<Drafted> {
    await defaults.made.prepare(kind);
    const nested = new NestedUnits();
    const drafts: LocatedDraft[] = [];
    const patterns = new PatternChecks();
    const yielder = new EventLoopYield(session.project.schema);
    const write: PendingWrite = { kind, session, faults, patterns, defaults };
    const options = { ...optionsOf(write, writer), ...(keepIds && keptFields(kind, session.model, writer)) };
    const context = { write, options, writer, nested, yielder, depth: 0, path: [] };
    for (const [at, given] of bodies.entries()) {
      if (at % BODIES_PER_PIECE === BODIES_PER_PIECE - 1 && yielder.due) await yielder.pause();
      if (isNotObject(given)) {
        faults.add('body.not_object', `[${at}]: must be an object, got ${given.actualType}`, { index: at });
        continue;
      }
      const drafting = this.#draft(given, bulk ? { ...context, write: { ...write, index: at } } : context);
      const { draft } = drafting instanceof Promise ? await drafting : drafting;
      const rules = conditionalFieldsOf(given, context.options);
      const located = { draft, ...(rules.length > 0 && { rules }), ...(keepIds && { givenId: true }) };
      drafts.push(bulk ? { ...located, index: at } : located);
    }
    return { drafts, nested, faults };
  }

  edit(session: Session, kind: KindDef, id: string, given: Body, options: EditOptions): MaybePromise<DraftedEdit> {
    const faults = new Faults();
    return andThen(this.edits(session, kind, { ...options, faults })(id, given), (edit) => {
      return { ...edit, drafts: [{ draft: edit.draft, rules: edit.rules }], faults };
    });
  }

  /** Drafts the edits of several units one after the other. Their faults have the position of the body, if it is given. */
  edits(
    session: Session,
    kind: KindDef,
    { writer, defaults, faults, literal = false, plain = false }: EditOptions & { readonly faults: Faults },
  ): (id: string, given: Body, index?: number) => MaybePromise<EditDraft> {
    const yielder = new EventLoopYield(session.project.schema);
    const common: PendingWrite = { kind, session, faults, patterns: new PatternChecks(), defaults };
    const options = optionsOf(common, writer);
    return (id, given, index) => {
      const isPlain = plain || this.#isPlain(session, kind, given);
      const nested = isPlain ? NO_NESTED : new NestedUnits();
      const write = index === undefined ? { ...common, id } : { ...common, id, index };
      const context = { write, options, writer, nested, yielder, depth: 0, path: [], literal };
      const drafting = isPlain ? this.#draftPlain(given, context) : this.#draftInSteps(given, context);
      return andThen(drafting, ({ body, draft }) => {
        return { body, draft, nested, rules: conditionalFieldsOf(given, options) };
      });
    };
  }

  /** Whether no behavior changes the body, and it creates no units inside. */
  #isPlain(session: Session, kind: KindDef, given: Body): boolean {
    return this.behaviors.of(kind, session).length === 0 && nestedBodies(kind, given).length === 0;
  }

  /** Most bodies are drafted without a pause: a promise for each of them would cost more than reading it. */
  #draft(given: Body, context: BodyContext): MaybePromise<DraftedBody> {
    const { kind, session } = context.write;
    return this.#isPlain(session, kind, given) ? this.#draftPlain(given, context) : this.#draftInSteps(given, context);
  }

  #draftPlain(given: Body, context: BodyContext): MaybePromise<DraftedBody> {
    return andThen(this.#read(given, context), (draft) => ({ body: given, draft }));
  }

  /** Validates a body and the texts in it that have to match patterns. */
  #read(
    body: Body,
    { write, options, yielder, literal }: BodyContext,
    { partly = false, nestedKeys }: { partly?: boolean; nestedKeys?: BodyDetails['nestedKeys'] | undefined } = {},
  ): MaybePromise<Draft> {
    const { session, patterns, index, id } = write;
    const read = id !== undefined ? draftUpdate : partly ? draftPartial : draftCreate;
    const reading = runYielding(
      read(body, options, { index, id, nestedKeys, expressions: id !== undefined && !literal }),
      yielder,
    );
    if (!(reading instanceof Promise) && !patterns.any) return reading;
    return andThen(reading, (draft) => andThen(this.patterns.settle(session.project.id, patterns), () => draft));
  }

  /**
   * Where a behavior may add values to a create, the draft has the values of the body only; `BehaviorChanges` completes
   * it.
   */
  async #draftInSteps(given: Body, context: BodyContext): Promise<DraftedBody> {
    const { write } = context;
    const { kind, patterns, id } = write;
    const partly = id === undefined && this.behaviors.changesCreates(kind, write.session);
    const behaviors = this.behaviors.of(kind, write.session);
    let body = given;
    for (const behavior of behaviors)
      body = (await locateRefusal(context, () => behavior.prepare?.(body, write))) ?? body;
    const nestedKeys = await this.#draftNested(body, context.options.writable, context);
    let draft = await this.#read(body, context, { partly, nestedKeys });
    if (partly) return { body, draft };
    for (const behavior of behaviors)
      draft = (await locateRefusal(context, () => behavior.complete?.(draft, write))) ?? draft;
    await this.patterns.settle(write.session.project.id, patterns);
    return { body, draft };
  }

  /** Drafts the units nested in a body. Returns their keys by reference. */
  async #draftNested(
    body: Body,
    writable: DraftOptions['writable'],
    context: BodyContext,
  ): Promise<Map<string, Json | undefined> | undefined> {
    const { write, depth } = context;
    const inner = nestedBodies(write.kind, body).filter(({ field }) => writable.has(field.id));
    if (inner.length === 0) return undefined;
    const nestedKeys = new Map<string, Json | undefined>();
    for (const { field, value } of inner) {
      if (depth === LIMITS.references) {
        const text = `${field.id}: must be an id here: units are created inside one another ${depth} deep at most`;
        write.faults.add('parameter.bad_value', text, { parameter: field.id, ...bulkPosition(write) });
        nestedKeys.set(field.id, undefined);
        continue;
      }
      const kindId = field.reference?.kind ?? '';
      nestedKeys.set(field.id, await this.#draftNestedUnit(field.id, kindId, bodyOf(value), context));
    }
    return nestedKeys;
  }

  /** Drafts a nested unit; the caller needs the right to create it. @throws KindError 401, 403 */
  async #draftNestedUnit(id: string, kindId: string, body: Body, outer: BodyContext): Promise<Json | undefined> {
    const { write, writer, nested, yielder } = outer;
    if (yielder.due) await yielder.pause();
    if (nested.size >= LIMITS.nestedUnits) {
      throw refusal('body.too_many', `At most ${LIMITS.nestedUnits} units inside others in one body`);
    }
    const { model } = write.session;
    const target = model.kinds.get(kindId);
    if (target && !mayDescribe(target, writer, model)) {
      throw accessDenied(
        writer,
        `${[...outer.path, id].join('.')}: you may not create units of the kind that it leads to`,
      );
    }
    const { kind, grant } = authorizeKind(model, kindId, 'create', writer);
    checkHasTable(kind);
    this.behaviors.checkReady(kind, write.session);
    const session = { ...write.session, caller: writer };
    const { patterns, defaults } = write;
    await defaults.made.prepare(kind);
    const faults = write.faults.within(id);
    const inner: PendingWrite = { kind, session, faults, patterns, defaults, ...bulkPosition(write) };
    const [depth, path] = [outer.depth + 1, [...outer.path, id]];
    const context = { write: inner, options: optionsOf(inner, writer), writer, nested, yielder, depth, path };
    const { draft } = await this.#draft(body, context);
    const unit = {
      draft,
      path: path.join('.'),
      rules: conditionalFieldsOf(body, context.options),
      ...bulkPosition(write),
    };
    nested.add(depth, kind, grant.predicate, unit);
    return draft.row[keyColumn(kind)];
  }
}

/** The position of a body in the write. */
interface BodyContext {
  readonly write: PendingWrite;
  /** Of all bodies of the kind in the write. */
  readonly options: DraftOptions;
  readonly writer: Caller;
  readonly nested: NestedUnits;
  readonly yielder: EventLoopYield;
  readonly depth: number;
  /** Objects of an edit are values, and no expressions. */
  readonly literal?: boolean;
  /** The references from the outermost body to this one. */
  readonly path: readonly string[];
}

/** What the drafts of a write of one kind have in common. */
function optionsOf({ kind, session, faults, patterns, defaults }: PendingWrite, writer: Caller): DraftOptions {
  return {
    kind,
    writable: writableFields(kind, writer, session.model),
    readable: readableFields(kind, writer, session.model),
    faults,
    patterns,
    defaults,
    ofTarget: targetKindTextFor(originalCallerOf(session), session.model),
  };
}

/** What brings units back brings their ids and numbers back, too. */
function keptFields(kind: KindDef, model: Model, writer: Caller): Pick<DraftOptions, 'writable' | 'keepIds'> {
  const numbers = numberedFields(kind).map((field) => [field.id, field] as const);
  return { keepIds: true, writable: new Map([...writableFields(kind, writer, model), ...numbers]) };
}

const NO_RULES: readonly ConditionalField[] = [];

/** The parameters with rules that a body names. */
function conditionalFieldsOf(body: Body, { kind, writable }: DraftOptions): readonly ConditionalField[] {
  if (!hasFieldRules(kind)) return NO_RULES;
  const rules: ConditionalField[] = [];
  for (const name of body.keys()) {
    const field = writable.get(name);
    if (field && isConditional(field)) rules.push(field);
  }
  return rules.length > 0 ? rules : NO_RULES;
}

/** Adds the path of a nested unit to refusals of behaviors. */
async function locateRefusal<T>({ write, path }: BodyContext, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const plain = path.length === 0 || !(error instanceof KindError) || error.status === 401 || error.status === 403;
    throw plain ? error : prefixError(error, path.join('.'), bulkPosition(write));
  }
}

function bulkPosition({ index }: PendingWrite): { index?: number } {
  return index === undefined ? {} : { index };
}
