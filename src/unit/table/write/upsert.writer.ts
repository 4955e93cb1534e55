/**
 * Upserts: creates units, or edits or leaves those that have the same values of unique parameters. Runs at REPEATABLE
 * READ: if another transaction creates one of the units meanwhile, PostgreSQL refuses the insert as a conflict of
 * transactions, and all of it is run again, which finds that unit.
 */
import { Injectable } from '@nestjs/common';
import { accessDenied, grantOf } from '../../../access/access.js';
import { readableFields } from '../../../access/masks.js';
import type { Grant } from '../../../access/grant.js';
import type { UpsertQuery } from '../../../filter/upsert-query.js';
import type { Parsed } from '../../../http/route/parse-list-query.js';
import type { KindDef } from '../../../model/model.js';
import { everyField } from '../../../model/predicate/predicate.js';
import { Faults } from '../../../shared/errors.js';
import { Behaviors } from '../../draft/behavior.js';
import { takenValues } from '../../draft/conflict-messages.js';
import { countingDefaults } from '../../draft/default-bytes.js';
import type { Body } from '../../draft/draft.js';
import { withoutTimes } from '../../draft/draft-reader.js';
import { isNotObject, type NotObject } from '../../draft/drafter.js';
import { withPositions } from '../../draft/refusal-position.js';
import { isComplete, keyRows, upsertKey, type KeyRow } from '../../draft/upsert-keys.js';
import { planQuery } from '../../query/list.plan.js';
import { originalCallerOf, type Session } from '../../session/session.js';
import type { UpsertedUnit, UnitRow, WriteOptions } from '../../store/unit-store.js';
import { UnitRights } from '../rights.js';
import { hasNoTransaction, TableInserter } from './table.inserter.js';
import { SelectionRepository, type FoundUnit } from './selection.repository.js';
import { unchangedRow, UpsertEdits, type Existing, type UpsertItem, type Upsert } from './upsert.edits.js';

type UpsertOptions = Pick<WriteOptions, 'bulk' | 'writer'>;

@Injectable()
export class UpsertWriter {
  constructor(
    private readonly repository: SelectionRepository,
    private readonly behaviors: Behaviors,
    private readonly rights: UnitRights,
    private readonly inserter: TableInserter,
    private readonly edits: UpsertEdits,
  ) {}

  async upsert(
    session: Session,
    kind: KindDef,
    given: readonly (Body | NotObject)[],
    query: Parsed<UpsertQuery>,
    options: UpsertOptions = {},
  ): Promise<UpsertedUnit[]> {
    if (hasNoTransaction(session)) {
      return this.inserter.inTransaction(session, (within) => this.upsert(within, kind, given, query, options));
    }
    const { bulk = false, writer = session.caller } = options;
    const { by, onConflict } = planQuery(query, (read) => ({
      ...read,
      by: upsertKey(kind, read.by, originalCallerOf(session), session.model),
    }));
    for (const behavior of this.behaviors.of(kind, session)) behavior.ready?.();
    return countingDefaults(session, (defaults) =>
      this.#upsert({ session, kind, by, onConflict, bulk, writer, defaults }, given),
    );
  }

  async #upsert(upsert: Upsert, given: readonly (Body | NotObject)[]): Promise<UpsertedUnit[]> {
    const { kind, by, onConflict, bulk } = upsert;
    const faults = new Faults();
    const rows = keyRows(kind, by, given, { faults, indexed: bulk });
    const { found, hidden } = await this.#lookUp(upsert, rows, faults);
    const existing: Existing[] = [];
    const missing: UpsertItem[] = [];
    const unknown: UpsertItem[] = [];
    for (const [index, each] of given.entries()) {
      if (isNotObject(each)) continue;
      const [body, unit] = [withoutTimes(each, kind), found.get(index)];
      if (unit) existing.push({ index, body, unit });
      else if (hidden.has(index) || !isComplete(rows[index], by)) unknown.push({ index, body });
      else missing.push({ index, body });
    }
    const create = this.#grant(upsert, 'create', missing.length > 0);
    const update = this.#grant(upsert, 'update', existing.length > 0 && onConflict === 'update');
    const results = new Map<number, UpsertedUnit>();
    const changed: Existing[] = [];
    for (const each of existing) {
      if (onConflict === 'ignore') results.set(each.index, { ...unchangedRow(each), result: 'ignored' });
      else changed.push(each);
    }
    const edits = await this.edits.draft(upsert, { changed, missing, unknown }, { results, faults });
    if (create && missing.length > 0) {
      const created = await this.#create(upsert, missing, create);
      for (const [at, { index }] of missing.entries()) {
        const row = created[at];
        if (row) results.set(index, { ...row, result: 'created' });
      }
    }
    for (const [index, row] of await this.edits.write(upsert, edits, update)) {
      results.set(index, { ...row, result: 'updated' });
    }
    return given.flatMap((_, index) => results.get(index) ?? []);
  }

  /** The units that exist, by the position of their body. Those that the caller may not read are faults (409). */
  async #lookUp(
    { session, kind, by, bulk }: Upsert,
    rows: readonly KeyRow[],
    faults: Faults,
  ): Promise<{ readonly found: ReadonlyMap<number, FoundUnit & UnitRow>; readonly hidden: ReadonlySet<number> }> {
    const { project, executor, model, caller } = session;
    const fields = everyField(readableFields(kind, caller, model));
    const plan = { schema: project.schema, kind, by, readable: this.rights.readable(session, kind), fields };
    const units =
      rows.length > 0 ? await this.repository.lookUp(executor, plan, rows, model) : new Map<number, FoundUnit>();
    const found = new Map<number, FoundUnit & UnitRow>();
    const hidden = new Set<number>();
    for (const [index, { id, tag, body }] of units) {
      if (body !== null) found.set(index, { id, tag, body });
      else {
        const { code, text, ...place } = takenValues(by.map(({ id }) => id));
        faults.add(code, text, { ...place, ...(bulk && { index }) });
        hidden.add(index);
      }
    }
    return { found, hidden };
  }

  /** The units that the caller may create or edit; undefined if none have to be. @throws KindError 401, 403 */
  #grant({ session, kind }: Upsert, operation: 'create' | 'update', needed: boolean): Grant | undefined {
    if (!needed) return undefined;
    const grant = grantOf(kind, operation, session.caller, session.model);
    if (grant) return grant;
    throw accessDenied(session.caller, `You may not ${operation} units of '${kind.id}'`);
  }

  async #create(
    { session, kind, by, bulk, writer }: Upsert,
    missing: readonly UpsertItem[],
    grant: Grant,
  ): Promise<readonly UnitRow[]> {
    const bodies = missing.map(({ body }) => body);
    const positions = missing.map(({ index }) => index);
    return withPositions(positions, () =>
      this.inserter.insert(session, kind, bodies, { bulk, writer, access: grant.predicate, by }),
    );
  }
}
