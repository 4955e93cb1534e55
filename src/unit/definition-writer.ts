/** What writes of kinds, groups, parameters and link types share: the ids that clients choose, and edits of other definitions. */
import { Injectable } from '@nestjs/common';
import { getBuiltInKind, type KindDef } from '../model/model.js';
import { type Body, bodyOf } from './draft/draft.js';
import { asSystem, type Session } from '../catalog/session/session.js';
import { UnitStores } from './unit-stores.js';
import type { ErrorCode, Faults } from '../shared/errors.js';
import { identifierFromLabel, isIdentifier, isSystemIdentifier } from '../shared/identifiers.js';

@Injectable()
export class DefinitionWriter {
  constructor(private readonly stores: UnitStores) {}

  /** Edits a definition with the rights of the system. `kindId` is that of its record, such as `kind`. */
  async update(session: Session, kindId: string, id: string, values: Record<string, unknown>): Promise<void> {
    const kind = getBuiltInKind(session.model, kindId);
    await this.stores.of(kind).updates.update(asSystem(session), kind, id, () => bodyOf(values));
  }
}

/** The values of a kind without a parameter, which is also in none of its unique constraints and indexes. */
export function withoutParameter({ parameters, unique, indexes }: KindDef, id: string): Record<string, unknown> {
  const without = (lists: KindDef['unique']) => lists.filter((ids) => !ids.includes(id));
  return { parameters: parameters.filter((each) => each !== id), unique: without(unique), indexes: without(indexes) };
}

/** Uses the id as label where the body has none. Faults of the id are not reported for the label too. */
export function withLabel(body: Body): Body {
  if (body.has('label')) return body;
  const id = body.get('id');
  return new Map([...body, ['label', isIdentifier(id) ? id : '']]);
}

/** The id of the unit that the body would create; undefined where it has none. */
export function idOfBody(body: Body): string | undefined {
  const [id, label] = [body.get('id'), body.get('label')];
  if (id !== undefined) return typeof id === 'string' ? id : undefined;
  return typeof label === 'string' ? identifierFromLabel(label) : undefined;
}

/** The ids that a new definition may not have. */
interface UnavailableIds {
  /** What the id is of, for a message: `a kind`. */
  readonly definition: string;
  readonly isReserved: (id: string) => boolean;
  readonly existing: ReadonlyMap<string, unknown>;
  readonly codes: { readonly reserved: ErrorCode; readonly exists: ErrorCode };
}

/** Adds a fault if a new definition may not have its id. */
export function checkNewId(
  id: string,
  { definition, isReserved, existing, codes }: UnavailableIds,
  faults: Pick<Faults, 'add'>,
): void {
  const add = (code: ErrorCode, text: string) => faults.add(code, `id: ${text}`, { parameter: 'id' });
  if (isReserved(id)) add(codes.reserved, `'${id}' belongs to the system; choose another id`);
  else if (isSystemIdentifier(id)) add(codes.reserved, `ids that begin with 'kind_' belong to the system`);
  else if (existing.has(id)) add(codes.exists, `${definition} '${id}' exists already`);
}
