/** Validates the values of links, which are parameters of their link type, like those of units. */
import { Injectable } from '@nestjs/common';
import { readableFields, writableFields } from '../access/masks.js';
import { PatternMatcher } from '../catalog/pattern/pattern-matcher.js';
import { PatternChecks } from '../model/check/pattern-checks.js';
import type { LinkTypeDef } from '../model/model.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { Faults } from '../shared/errors.js';
import { runYielding } from '../shared/work-in-pieces.js';
import type { LinkValues } from '../sql/link/link.sql.js';
import { rowParams, rowsText } from '../sql/write/new-rows.sql.js';
import type { PendingWrite } from '../unit/draft/behavior.js';
import { DefaultBytes } from '../unit/draft/default-bytes.js';
import type { Body, Draft } from '../unit/draft/draft.js';
import { NO_TARGET, type DraftOptions } from '../unit/draft/draft-builder.js';
import { completeDraft, draftCreate, draftPartial, draftUpdate } from '../unit/draft/draft-reader.js';
import type { Opened } from '../run/command.js';
import type { Session } from '../catalog/session/session.js';

@Injectable()
export class LinkValueReader {
  constructor(private readonly patterns: PatternMatcher) {}

  /** The values of a new link, with defaults. @throws KindError 400 */
  create(scope: Opened, type: LinkTypeDef, body: Body): Promise<LinkValues> {
    return this.#read(scope, type, body, draftCreate);
  }

  /** The values that an edit names. @throws KindError 400 */
  update(scope: Opened, type: LinkTypeDef, body: Body): Promise<LinkValues> {
    return this.#read(scope, type, body, draftUpdate);
  }

  async #read(scope: Opened, type: LinkTypeDef, body: Body, read: typeof draftCreate): Promise<LinkValues> {
    const { faults, patterns, ...options } = this.#options(scope, type);
    const yielder = new EventLoopYield(scope.project.schema);
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
    const draft = completeDraft(await change(given, write), write);
    faults.throwIfAny();
    if (type.parameters.length === 0) return undefined;
    return this.#values(session, draft, options.readable, body);
  }

  #options({ caller, model }: Opened, { values: kind }: LinkTypeDef): DraftOptions {
    return {
      kind,
      writable: writableFields(kind, caller, model),
      readable: readableFields(kind, caller, model),
      faults: new Faults(),
      patterns: new PatternChecks(),
      defaults: new DefaultBytes(),
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
