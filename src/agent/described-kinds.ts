/** What a key may read or write, as agents are told. Pure. */
import { isAllowedForSomeUnit } from '../access/access.js';
import { readableFields, writableFields } from '../access/masks.js';
import type { Operation } from '../model/built-in-traits.js';
import type { KindDef, Model } from '../model/model.js';
import type { Caller } from '../tenancy/caller.js';

/** Of which agents are told. */
const TOLD = ['read', 'create', 'update', 'delete'] as const satisfies readonly Operation[];

/** What the key may do with units of a kind, perhaps only with some of them. */
export function rightsOf(kind: KindDef, model: Model, caller: Caller): readonly Operation[] {
  return TOLD.filter((operation) => isAllowedForSomeUnit(kind, operation, caller, model));
}

interface KindsAsked {
  /** A part of an id or label. */
  readonly search: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** A page of the kinds, those of the project first. */
export function describedKinds(model: Model, caller: Caller, { search = '', limit, offset }: KindsAsked): object {
  const wanted = search.toLowerCase();
  const found = [...model.kinds.values()].flatMap((kind) => {
    const { id, label, builtIn, active } = kind;
    const rights = active ? rightsOf(kind, model, caller) : [];
    const fits = id.includes(wanted) || label.toLowerCase().includes(wanted);
    return rights.length > 0 && fits ? [{ id, label, rights, ...(builtIn && { built_in: true }) }] : [];
  });
  const ordered = found.toSorted((a, b) => Number(a.built_in ?? false) - Number(b.built_in ?? false));
  const next = offset + limit;
  return {
    count: found.length,
    kinds: ordered.slice(offset, next),
    ...(next < found.length && { next: String(next) }),
  };
}

/** Descriptors of fields with what the key may do with each. */
export function withFieldRights(
  described: readonly { readonly id: string }[],
  kind: KindDef,
  model: Model,
  caller: Caller,
): readonly object[] {
  const readable = readableFields(kind, caller, model);
  const writable = rightsOf(kind, model, caller).some((right) => right === 'create' || right === 'update')
    ? writableFields(kind, caller, model)
    : new Map<string, unknown>();
  return described.map(({ id, ...others }) => {
    const rights = [...(readable.has(id) ? ['read'] : []), ...(writable.has(id) ? ['write'] : [])];
    return { id, rights, ...others };
  });
}
