/**
 * Makes defaults when units are created (`MadeDefault`). What they take of the calling member is read before, once for each
 * write: `prepare` comes before the first draft of a kind.
 */
import { originalCallerOf, type Session } from '../../catalog/session/session.js';
import type { Field, KindDef } from '../../model/model.js';
import { getOrInsert } from '../../shared/maps.js';
import type { Json } from '../../shared/json.js';
import { getStatement } from '../../sql/list/select.sql.js';

/** PostgreSQL reads it as the time at the beginning of the transaction, as `inserted_at` is; as a date, as the day. */
const TIME_OF_TRANSACTION = 'now';

const namesOfKinds = new WeakMap<KindDef, readonly string[]>();

/** The parameters of members that the defaults of a kind take. */
function namesOf(kind: KindDef): readonly string[] {
  return getOrInsert(namesOfKinds, kind, () => [
    ...new Set([...kind.fields.values()].flatMap(({ def: { made } }) => (made?.from === 'member' ? [made.name] : []))),
  ]);
}

export class MadeDefaults {
  /** Values of the member as records show them. */
  readonly #values = new Map<string, Json>();

  /** @param session of the write; without one there is no member */
  constructor(private readonly session?: Session) {}

  /** Reads what defaults of a kind take of the calling member. */
  async prepare(kind: KindDef): Promise<void> {
    const missing = namesOf(kind).filter((name) => !this.#values.has(name));
    if (missing.length === 0 || !this.session) return;
    const { session } = this;
    const caller = originalCallerOf(session);
    const memberKind = caller.type === 'member' ? session.model.kinds.get(caller.kindId) : undefined;
    const fields = missing.flatMap((name) => memberKind?.fields.get(name) ?? []);
    for (const name of missing) this.#values.set(name, null);
    if (caller.type !== 'member' || !memberKind || fields.length === 0) return;
    const plan = { schema: session.project.schema, kind: memberKind, fields, access: undefined };
    // The INSERT finds out whether the model has changed since.
    const [member] = await session.executor.run<{ body: string | null }>(getStatement(plan, caller.id));
    const values = JSON.parse(member?.body ?? '{}') as Readonly<Record<string, Json>>;
    for (const { id } of fields) this.#values.set(id, values[id] ?? null);
  }

  /** The default of a field for a new unit; null where there is none for this caller. */
  of({ def: { made }, reference }: Field): Json {
    switch (made?.from) {
      case 'now':
        return TIME_OF_TRANSACTION;
      case 'caller':
        return this.#callerOf(reference?.kind);
      case 'member':
        return this.#values.get(made.name) ?? null;
      case undefined:
        return null;
    }
  }

  /** The id of the caller, if it is a unit of the kind, or where none is named a member of any. */
  #callerOf(kindId: string | undefined): Json {
    const caller = this.session && originalCallerOf(this.session);
    if (caller?.type !== 'member') return null;
    return kindId === undefined || caller.kindId === kindId ? caller.id : null;
  }
}
