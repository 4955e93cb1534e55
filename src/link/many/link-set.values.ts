/** Validates the values of many links: what the request gives first, and what new links need once it is known which are new. */
import { Injectable } from '@nestjs/common';
import { readableFields, writableFields } from '../../access/masks.js';
import { PatternMatcher } from '../../catalog/pattern/pattern-matcher.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import { storedLinkFields } from '../../model/build/link-types.js';
import type { Field, LinkTypeDef } from '../../model/model.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import type { Faults } from '../../shared/errors.js';
import { runYielding } from '../../shared/work-in-pieces.js';
import type { NewLinks } from '../../sql/link/link-set-write.sql.js';
import { rowsText } from '../../sql/write/new-rows.sql.js';
import { DefaultBytes } from '../../unit/draft/default-bytes.js';
import type { Draft } from '../../unit/draft/draft.js';
import { NO_TARGET } from '../../unit/draft/draft-builder.js';
import { completeDraft, draftPartial } from '../../unit/draft/draft-reader.js';
import type { Session } from '../../catalog/session/session.js';
import type { GivenLink } from './link-set.request.js';

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

@Injectable()
export class LinkSetValues {
  constructor(private readonly patterns: PatternMatcher) {}

  /** The values that the request gives, by the position of the link. Adds faults. */
  async given(
    { project, caller, model }: Pick<Session, 'project' | 'caller' | 'model'>,
    { values: kind }: LinkTypeDef,
    links: readonly GivenLink[],
    faults: Faults,
  ): Promise<Map<number, Draft>> {
    const patterns = new PatternChecks();
    const yielder = new EventLoopYield(project.schema);
    const options = {
      kind,
      writable: writableFields(kind, caller, model),
      readable: readableFields(kind, caller, model),
      faults,
      patterns,
      defaults: new DefaultBytes(),
      ofTarget: NO_TARGET,
    };
    const drafts = new Map<number, Draft>();
    for (const [at, { index, values }] of links.entries()) {
      if (at % LINKS_PER_PIECE === LINKS_PER_PIECE - 1 && yielder.due) await yielder.pause();
      drafts.set(index, await runYielding(draftPartial(values, options, { index }), yielder));
      if (patterns.any) await this.patterns.settle(project.id, patterns);
    }
    return drafts;
  }

  /** The rows to write: new links get defaults. Adds faults of values that they lack. @throws KindError with all faults */
  async rows(
    session: Session,
    { values: kind, ...type }: LinkTypeDef,
    links: readonly FoundLink[],
    faults: Faults,
    replace: boolean,
    defaults: DefaultBytes,
  ): Promise<Pick<NewLinks, 'inserted' | 'given' | 'rows'>> {
    const readable = readableFields(kind, session.caller, session.model);
    const yielder = new EventLoopYield(session.project.schema);
    const given = new Set<Field>();
    const rows: object[] = [];
    let anyNew = false;
    for (const [at, { index, kindId, id, values, linked, draft }] of links.entries()) {
      if (at % LINKS_PER_PIECE === LINKS_PER_PIECE - 1 && yielder.due) await yielder.pause();
      const unit = { _kind: kindId, _id: id, _new: !linked };
      if (!linked) {
        anyNew = true;
        // A value with a fault is not in the draft.
        const others = faults.except([...values.keys()]);
        rows.push({ ...unit, ...completeDraft(draft, { kind, faults: others, defaults, index }).row });
        continue;
      }
      // A comparison would reveal a value that the caller may not read.
      const compared = replace ? draft.written : draft.written.filter((field) => readable.has(field.id));
      for (const field of compared) given.add(field);
      const columns = compared.map((field) => field.column ?? field.id);
      rows.push({ ...unit, _given: columns, _differs: compared.length < draft.written.length, ...draft.row });
    }
    faults.throwIfAny();
    const text = await runYielding(rowsText(rows), yielder);
    return { inserted: anyNew ? storedLinkFields({ values: kind, ...type }) : [], given: [...given], rows: text };
  }
}
