/** Validates the values of links, which are parameters of their link type, like those of units. */
import { Injectable } from '@nestjs/common';
import { readableFields, writableFields } from '../access/masks.js';
import { PatternMatcher } from '../catalog/pattern/pattern-matcher.js';
import { PatternChecks } from '../model/check/pattern-checks.js';
import type { LinkTypeDef } from '../model/model.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { Faults, refusal } from '../shared/errors.js';
import { isPlainObject, typeName } from '../shared/json.js';
import { runYielding } from '../shared/work-in-pieces.js';
import type { LinkValues } from '../sql/link.sql.js';
import { rowParams, rowsText } from '../sql/new-rows.sql.js';
import { DefaultBytes } from '../unit/draft/default-bytes.js';
import { bodyOf, type Body, type Draft } from '../unit/draft/draft.js';
import { NO_TARGET, type DraftOptions } from '../unit/draft/draft-builder.js';
import { draftCreate, draftUpdate } from '../unit/draft/draft-reader.js';
import type { LinkScope } from './link.repository.js';

@Injectable()
export class LinkValueReader {
  constructor(private readonly patterns: PatternMatcher) {}

  /** The values of a new link, with defaults. @throws KindError 400 */
  create(scope: LinkScope, type: LinkTypeDef, body: Body): Promise<LinkValues> {
    return this.#read(scope, type, body, draftCreate);
  }

  /** The values that an edit names. @throws KindError 400 */
  update(scope: LinkScope, type: LinkTypeDef, body: Body): Promise<LinkValues> {
    return this.#read(scope, type, body, draftUpdate);
  }

  async #read(
    { project, caller }: LinkScope,
    { values: kind }: LinkTypeDef,
    body: Body,
    read: typeof draftCreate,
  ): Promise<LinkValues> {
    const faults = new Faults();
    const patterns = new PatternChecks();
    const readable = readableFields(kind, caller);
    const options: DraftOptions = {
      kind,
      writable: writableFields(kind, caller),
      readable,
      faults,
      patterns,
      defaults: new DefaultBytes(),
      ofTarget: NO_TARGET,
    };
    const yielder = new EventLoopYield(project.schema);
    const draft = await runYielding(read(body, options), yielder);
    await this.patterns.settle(project.id, patterns);
    faults.throwIfAny();
    const { written, row }: Draft = draft;
    const rows = rowParams(written, row) ?? (await runYielding(rowsText([row]), yielder));
    const given = written.filter(({ id }) => body.has(id));
    const compared = given.filter(({ id }) => readable.has(id));
    return { written, rows, compared, incomparable: compared.length < given.length };
  }
}

/** The values in a body; none without one. @throws KindError 400 if it is not an object */
export function linkBody(value: unknown): Body {
  if (value === undefined) return new Map();
  if (isPlainObject(value)) return bodyOf(value);
  throw refusal('body.not_object', `The body must be a JSON object, got ${typeName(value)}`);
}
