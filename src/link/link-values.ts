/** Validates the values of links, which are parameters of their link type, like those of units. */
import { Injectable } from '@nestjs/common';
import { readableFields, writableFields } from '../access/masks.js';
import { PatternMatcher } from '../catalog/pattern/pattern-matcher.js';
import type { Session } from '../catalog/session/session.js';
import { storedLinkFields } from '../model/build/link-types.js';
import { PatternChecks } from '../model/check/pattern-checks.js';
import type { Field, LinkTypeDef } from '../model/model.js';
import type { Opened } from '../run/command.js';
import { Faults } from '../shared/errors.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { runYielding } from '../shared/work-in-pieces.js';
import type { NewLinks } from '../sql/link/link-set-write.sql.js';
import type { LinkValues } from '../sql/link/link.sql.js';
import { rowParams, rowsText } from '../sql/write/input-rows.sql.js';
import type { PendingWrite } from '../unit/draft/behavior.js';
import { DefaultBytes } from '../unit/draft/default-bytes.js';
import { MadeDefaults } from '../unit/draft/made-defaults.js';
import { type DraftOptions, NO_TARGET } from '../unit/draft/draft-builder.js';
import { completeDraft, draftCreate, draftPartial, draftUpdate } from '../unit/draft/draft-reader.js';
import type { Body, Draft } from '../unit/draft/draft.js';
import type { GivenLink } from './many/link-set.plan.js';

/** Links that are validated between two looks at the clock. */
const LINKS_PER_PIECE = 8;

/** A link of the request after its units were found. */
export interface FoundLink extends Omit<GivenLink, 'id'> {
  /** The id of the other unit as in records. */
  readonly id: string;
  /** Whether the link exists. */
  readonly linked: boolean;
  readonly draft: Draft;
}

/** A request for many links. */
interface ManyLinks {
  readonly faults: Faults;
  /** Whether stored values are replaced. */
  readonly replace: boolean;
  readonly defaults: DefaultBytes;
}

@Injectable()
export class LinkValueReader {
  constructor(private readonly patterns: PatternMatcher) {}

  /** The values of a new link, with defaults. @throws KindError 400 */
  create(scope: Session, type: LinkTypeDef, body: Body): Promise<LinkValues> {
    return this.#read(scope, type, body, draftCreate);
  }

  /** The values that an edit names. @throws KindError 400 */
  update(scope: Session, type: LinkTypeDef, body: Body): Promise<LinkValues> {
    return this.#read(scope, type, body, draftUpdate);
  }

  async #read(scope: Session, type: LinkTypeDef, body: Body, read: typeof draftCreate): Promise<LinkValues> {
    const { faults, patterns, ...options } = this.#options(scope, type);
    const yielder = new EventLoopYield(scope.project.schema);
    await options.defaults.made.prepare(type.values);
    const draft = await runYielding(read(body, { ...options, faults, patterns }), yielder);
    await this.patterns.settle(scope.project.id, patterns);
    faults.throwIfAny();
    return this.#values(scope, draft, options.readable, body);
  }

  /**
   * The same as `create`, with changes of hooks: `change` returns the values that they have made of those of the body, and
   * adds faults. @throws KindError 400
   */
  async createWith(
    session: Session,
    type: LinkTypeDef,
    body: Body,
    change: (draft: Draft, write: PendingWrite) => Promise<Draft>,
  ): Promise<LinkValues | undefined> {
    const { faults, patterns, ...options } = this.#options(session, type);
    const yielder = new EventLoopYield(session.project.schema);
    const given = await runYielding(draftPartial(body, { ...options, faults, patterns }), yielder);
    await this.patterns.settle(session.project.id, patterns);
    faults.throwIfAny();
    const write = { kind: type.values, session, faults, patterns, defaults: options.defaults };
    await options.defaults.made.prepare(type.values);
    const draft = completeDraft(await change(given, write), write);
    await this.patterns.settle(session.project.id, patterns);
    faults.throwIfAny();
    if (type.parameters.length === 0) return undefined;
    return this.#values(session, draft, options.readable, body);
  }

  /** The values that the request gives, by the position of the link. Adds faults. */
  async ofMany(
    session: Session,
    type: LinkTypeDef,
    links: readonly GivenLink[],
    faults: Faults,
  ): Promise<Map<number, Draft>> {
    const options = { ...this.#options(session, type), faults };
    const { patterns } = options;
    const yielder = new EventLoopYield(session.project.schema);
    const drafts = new Map<number, Draft>();
    for (const [at, { index, values }] of links.entries()) {
      if (at % LINKS_PER_PIECE === LINKS_PER_PIECE - 1 && yielder.due) await yielder.pause();
      drafts.set(index, await runYielding(draftPartial(values, options, { index }), yielder));
      if (patterns.any) await this.patterns.settle(session.project.id, patterns);
    }
    return drafts;
  }

  /** The rows to write: new links get defaults. Adds faults of values that they lack. @throws KindError with all faults */
  async rowsOfMany(
    session: Session,
    { values: kind, ...type }: LinkTypeDef,
    links: readonly FoundLink[],
    { faults, replace, defaults }: ManyLinks,
  ): Promise<Pick<NewLinks, 'inserted' | 'given' | 'rows'>> {
    const readable = readableFields(kind, session.caller, session.model);
    const yielder = new EventLoopYield(session.project.schema);
    const given = new Set<Field>();
    const rows: object[] = [];
    const patterns = new PatternChecks();
    let anyNew = false;
    await defaults.made.prepare(kind);
    for (const [at, { index, kindId, id, values, linked, draft }] of links.entries()) {
      if (at % LINKS_PER_PIECE === LINKS_PER_PIECE - 1 && yielder.due) await yielder.pause();
      const unit = { _kind: kindId, _id: id, _new: !linked };
      if (!linked) {
        anyNew = true;
        // A value with a fault is not in the draft.
        const others = faults.except([...values.keys()]);
        rows.push({ ...unit, ...completeDraft(draft, { kind, faults: others, defaults, patterns, index }).row });
        continue;
      }
      // A comparison would reveal a value that the caller may not read.
      const compared = replace ? draft.written : draft.written.filter((field) => readable.has(field.id));
      for (const field of compared) given.add(field);
      const columns = compared.map((field) => field.column ?? field.id);
      rows.push({ ...unit, _given: columns, _differs: compared.length < draft.written.length, ...draft.row });
    }
    if (patterns.any) await this.patterns.settle(session.project.id, patterns);
    faults.throwIfAny();
    const text = await runYielding(rowsText(rows), yielder);
    return { inserted: anyNew ? storedLinkFields({ values: kind, ...type }) : [], given: [...given], rows: text };
  }

  #options(session: Session, { values: kind }: LinkTypeDef): DraftOptions {
    const { caller, model } = session;
    return {
      kind,
      writable: writableFields(kind, caller, model),
      readable: readableFields(kind, caller, model),
      faults: new Faults(),
      patterns: new PatternChecks(),
      defaults: new DefaultBytes(undefined, new MadeDefaults(session)),
      ofTarget: NO_TARGET,
    };
  }

  async #values(
    { project }: Opened,
    { written, row }: Draft,
    readable: DraftOptions['readable'],
    body: Body,
  ): Promise<LinkValues> {
    const rows = rowParams(written, row) ?? (await runYielding(rowsText([row]), new EventLoopYield(project.schema)));
    const given = written.filter(({ id }) => body.has(id));
    const compared = given.filter(({ id }) => readable.has(id));
    return { written, rows, compared, incomparable: compared.length < given.length };
  }
}
