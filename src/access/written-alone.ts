/**
 * Kinds whose units are ways in for a member: they are written one by one, each by a request of its own at its address, so
 * that nothing else decides for the member what lets somebody in. Pure.
 */
import type { KindDef } from '../model/model.js';
import { refusal } from '../shared/errors.js';
import { type Caller } from '../tenancy/caller.js';
import { accessDenied } from './level.js';

/** For lists, upserts, writes by filter, imports and batches. @throws KindError 400 */
export function refuseTogether({ id, traits }: KindDef): void {
  if (!traits.alone) return;
  const text = `Units of '${id}' are written one by one, each by a request of its own at its address`;
  throw refusal('kind.one_by_one', text);
}

/** Functions write none for their caller; as the system they delete them. @throws KindError 403 */
export function refuseToFunction({ id, traits }: KindDef, write: 'create' | 'update' | 'delete', caller: Caller): void {
  if (!traits.alone || (write === 'delete' && caller.type === 'system')) return;
  throw accessDenied(caller, `Functions do not ${write} units of '${id}': its members do, by requests of their own`);
}
