/**
 * Upserts: creates units, or edits or leaves those that have the same values of unique parameters. Runs at REPEATABLE
 * READ: if another transaction creates one of the units meanwhile, PostgreSQL refuses the insert as a conflict of
 * transactions, and all of it is run again, which finds that unit.
 */
import { Injectable } from '@nestjs/common';
import { grantOf } from '../../../access/access.js';
import { accessDenied, type Grant } from '../../../access/level.js';
import { readableFields } from '../../../access/masks.js';
import { originalCallerOf, type Session } from '../../../catalog/session/session.js';
import { Database } from '../../../database/database.js';
import type { UpsertQuery } from '../../../filter/queries.js';
import type { Parsed } from '../../../http/route/parse-list-query.js';
import type { Field, KindDef, Model } from '../../../model/model.js';
import { everyField } from '../../../model/predicate/predicate.js';
import { type ErrorCode, Faults, refusal } from '../../../shared/errors.js';
import { Behaviors } from '../../draft/behavior.js';
import { countingDefaults } from '../../draft/default-bytes.js';
import { withoutTimes } from '../../draft/draft-reader.js';
import type { Body } from '../../draft/draft.js';
import { isNotObject, type NotObject } from '../../draft/drafter.js';
import { withPositions } from '../../draft/refusal-position.js';
import { planQuery } from '../../query/list.plan.js';
import type {
  FoundUnit,
  FoundUnits,
  KeyRow,
  LookedUp,
  UnitRow,
  UpsertedUnit,
  UpsertWriteOptions,
} from '../../store/unit-store.js';
import { readableUnits, refuseContents } from '../rights.js';
import { Creates } from './create.js';
import { hasNoTransaction, inOwnTransaction } from './own-transaction.js';
import { type Existing, unchangedRow, type Upsert, UpsertEdits, type UpsertItem } from './upsert-edits.js';
import { takenValues } from './violations.js';
import { lookUpUnits } from './write.repository.js';
import { PatternChecks } from '../../../model/check/pattern-checks.js';
import { isUniqueField, shownValue } from '../../../model/field.js';
import { checkUnconditional } from '../../../model/predicate/conditional-field.js';
import type { Json } from '../../../shared/json.js';
import { shortened } from '../../../shared/texts.js';
import type { Caller } from '../../../tenancy/caller.js';
import { NO_TARGET } from '../../draft/draft-builder.js';
import { ValueReader } from '../../draft/value-reader.js';

/** Where units are not answered. */
const EMPTY_ROW: UnitRow = { tag: '', body: '' };

@Injectable()
export class Upserts {
  constructor(
    private readonly behaviors: Behaviors,
    private readonly database: Database,
    private readonly creates: Creates,
    private readonly edits: UpsertEdits,
  ) {}

  async upsert(
    session: Session,
    kind: KindDef,
    given: readonly (Body | NotObject)[],
    query: Parsed<UpsertQuery>,
    options: UpsertWriteOptions = {},
  ): Promise<UpsertedUnit[]> {
    if (hasNoTransaction(session)) {
      return inOwnTransaction(this.database, session, (within) => this.upsert(within, kind, given, query, options));
    }
    const { bulk = false, writer = session.caller, answers = true, looked } = options;
    refuseContents(kind, 'upserted');
    const { by, onConflict } = planQuery(query, (read) => ({
      ...read,
      by: upsertKey(kind, read.by, originalCallerOf(session), session.model),
    }));
    this.behaviors.checkReady(kind, session);
    return countingDefaults(session, (defaults) =>
      this.#upsert({ session, kind, by, onConflict, bulk, writer, answers, defaults }, given, looked),
    );
  }

  /** See `UnitUpserts`. */
  lookUp(
    session: Session,
    kind: KindDef,
    bodies: readonly Body[],
    by: readonly Field[],
    rows: readonly KeyRow[],
  ): Promise<FoundUnits> {
    return lookUp({ session, kind, by, answers: false }, rows, bodies);
  }

  async #upsert(
    upsert: Upsert,
    given: readonly (Body | NotObject)[],
    looked: LookedUp | undefined,
  ): Promise<UpsertedUnit[]> {
    const { kind, by, onConflict, bulk, answers } = upsert;
    const faults = new Faults();
    const rows = looked?.rows ?? keyRows(kind, by, given, { faults, indexed: bulk });
    const { found, hidden } = readable(upsert, looked?.units ?? (await lookUp(upsert, rows, given)), faults);
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
    const create = grantFor(upsert, 'create', missing.length > 0);
    const update = grantFor(upsert, 'update', existing.length > 0 && onConflict === 'update');
    const results = new Map<number, UpsertedUnit>();
    const ignores = onConflict === 'ignore';
    if (ignores) for (const each of existing) results.set(each.index, { ...unchangedRow(each), result: 'ignored' });
    const [changed, ignored] = ignores ? [[], existing] : [existing, []];
    const edits = await this.edits.draft(upsert, { changed, ignored, missing, unknown }, { results, faults });
    const rowOf = (row: UnitRow | undefined) => row ?? (answers ? undefined : EMPTY_ROW);
    if (bulk) await this.edits.checkAccess(upsert, edits, update);
    if (create && missing.length > 0) {
      const created = await this.#create(upsert, missing, create);
      for (const [at, { index }] of missing.entries()) {
        const row = rowOf(created[at]);
        if (row) results.set(index, { ...row, result: 'created' });
      }
    }
    const updated = await this.edits.write(upsert, edits, update);
    for (const { index } of edits) {
      const row = rowOf(updated.get(index));
      if (row) results.set(index, { ...row, result: 'updated' });
    }
    return given.flatMap((_, index) => results.get(index) ?? []);
  }

  async #create(
    { session, kind, by, bulk, writer, answers }: Upsert,
    missing: readonly UpsertItem[],
    grant: Grant,
  ): Promise<readonly UnitRow[]> {
    const bodies = missing.map(({ body }) => body);
    const positions = missing.map(({ index }) => index);
    return withPositions(positions, () =>
      this.creates.create(session, kind, bodies, { bulk, writer, access: grant.predicate, by, answers }),
    );
  }
}

/** The units that exist, by the position of their body. */
async function lookUp(
  { session, kind, by, answers }: Pick<Upsert, 'session' | 'kind' | 'by' | 'answers'>,
  rows: readonly KeyRow[],
  given: readonly (Body | NotObject)[],
): Promise<FoundUnits> {
  const { project, model, caller } = session;
  if (rows.length === 0) return new Map();
  const readable = everyField(readableFields(kind, caller, model));
  const fields = answers ? readable : comparedFields(kind, readable, given);
  const plan = { schema: project.schema, kind, by, readable: readableUnits(session, kind), fields };
  return lookUpUnits(session, plan, rows);
}

/** The units that the caller may create or edit; undefined if none have to be. @throws KindError 401, 403 */
function grantFor({ session, kind }: Upsert, operation: 'create' | 'update', needed: boolean): Grant | undefined {
  if (!needed) return undefined;
  const grant = grantOf(kind, operation, session.caller, session.model);
  if (grant) return grant;
  throw accessDenied(session.caller, `You may not ${operation} units of '${kind.id}'`);
}

/** The units that the caller may read. Others are faults (409). */
function readable(
  { by, bulk }: Upsert,
  units: FoundUnits,
  faults: Faults,
): { readonly found: ReadonlyMap<number, FoundUnit & UnitRow>; readonly hidden: ReadonlySet<number> } {
  const found = new Map<number, FoundUnit & UnitRow>();
  const hidden = new Set<number>();
  for (const [index, { id, tag, body }] of units) {
    if (body !== null) found.set(index, { id, tag, body });
    else {
      const { code, text, ...place } = takenValues(by);
      faults.add(code, text, { ...place, ...(bulk && { index }) });
      hidden.add(index);
    }
  }
  return { found, hidden };
}

/** The fields whose stored values are compared with those of the bodies. */
function comparedFields(
  { unique }: KindDef,
  fields: readonly Field[],
  bodies: readonly (Body | NotObject)[],
): readonly Field[] {
  const compared = new Set<string>(unique.flat());
  for (const body of bodies) if (!isNotObject(body)) for (const name of body.keys()) compared.add(name);
  return fields.filter(({ id }) => compared.has(id));
}

/** For keys whose faults the write reports, which reads them again. */
export const IGNORED_FAULTS = { add: (): void => undefined };

/** @param names undefined for the primary parameter @throws KindError 400 if they are not unique together */
export function upsertKey(
  kind: KindDef,
  names: readonly string[] | undefined,
  caller: Caller,
  model: Model,
): readonly Field[] {
  const place = { parameter: 'by' };
  // A list without names has a fault of its own.
  if (names?.length === 0) return [];
  if (!names) {
    if (kind.primary) return [kind.primary];
    throw refusal('query.bad_value', `by: must name unique parameters: '${kind.id}' has no primary one`, place);
  }
  const readable = readableFields(kind, caller, model);
  const faults = new Faults();
  const fields = names.flatMap((name) => {
    const field = readable.get(name);
    if (!field) {
      const text = `by: no parameter '${shortened(name)}' in '${kind.id}'${faults.hint(name, readable.keys())}`;
      faults.add('parameter.unknown', text, place);
    }
    if (field) checkUnconditional(field);
    if (field?.def.sequence) {
      faults.add('query.bad_value', `by: '${name}' is a number that the service makes`, place);
    }
    return field ?? [];
  });
  faults.throwIfAny();
  const [field, ...others] = fields;
  const one = field !== undefined && others.length === 0 && (field === kind.primary || isUniqueField(kind, field));
  const same = (list: readonly string[]) => list.length === names.length && list.every((id) => names.includes(id));
  if (one || kind.unique.some(same)) return fields;
  const fault = names.length === 1 ? 'is not unique' : 'are not unique together';
  throw refusal('query.bad_value', `by: ${names.join(', ')} of '${kind.id}' ${fault}`, place);
}

/** Whether no value of a body has a fault. */
function isComplete(row: KeyRow | undefined, by: readonly Field[]): boolean {
  return row !== undefined && Object.keys(row).length === by.length;
}

/**
 * The values of each body. The same values twice are a fault.
 * @param indexed whether faults have the position of the body
 */
export function keyRows(
  kind: KindDef,
  by: readonly Field[],
  bodies: readonly (Body | NotObject)[],
  { faults, indexed }: { readonly faults: Pick<Faults, 'add'>; readonly indexed: boolean },
): readonly KeyRow[] {
  const first = new Map<string, number>();
  let place: { readonly index?: number } = {};
  const report = (code: ErrorCode, { id }: Field, text: string) => faults.add(code, text, { parameter: id, ...place });
  const patterns = new PatternChecks();
  const reader = new ValueReader(kind, patterns, report, NO_TARGET);
  return bodies.map((body, index) => {
    if (indexed) place = { index };
    if (isNotObject(body)) {
      faults.add('body.not_object', `[${index}]: must be an object, got ${body.actualType}`, { index });
      return {};
    }
    // Texts are matched against patterns when the whole body is read.
    if (patterns.any) patterns.take();
    const row: Record<string, Json> = {};
    const shown: Json[] = [];
    for (const field of by) {
      const given = body.get(field.id) ?? null;
      if (given === null) {
        report('parameter.required', field, `${field.id}: must be given: units are looked up by it`);
        continue;
      }
      const value = reader.read(field, given);
      if (value === undefined) continue;
      row[field.column ?? field.id] = value;
      shown.push(shownValue(field, value));
    }
    if (shown.length < by.length) return row;
    const key = JSON.stringify(shown);
    const before = first.get(key);
    if (before === undefined) first.set(key, index);
    else {
      const names = by.map(({ id }) => id).join(', ');
      const text = `${names}: object ${before} of the list has the same`;
      faults.add('parameter.duplicate', text, { parameter: by[0]?.id ?? '', ...place });
    }
    return row;
  });
}
