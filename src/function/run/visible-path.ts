/** The part of a refusal's path over references that the caller may see. Pure. */
import { grantOf } from '../../access/access.js';
import { mayReadField } from '../../access/masks.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import type { Caller } from '../../tenancy/caller.js';

interface PathViewer {
  readonly caller: Caller;
  readonly model: Model;
}

interface VisiblePath {
  /** The part of the path that the caller may see; undefined for none. */
  readonly visible: string | undefined;
  /** Whether the caller may see every field and kind of the path. */
  readonly open: boolean;
}

/**
 * @param path from a refusal of a write: field ids separated by `.`, all but the last one references. After a `json`
 * field, the rest are keys inside its value
 */
export function visiblePathOf(path: string, kind: KindDef, viewer: PathViewer): VisiblePath {
  const ids = path.split('.');
  const named: string[] = [];
  let current = kind;
  let open = isOpen(current, viewer);
  for (const id of ids) {
    const field = current.fields.get(id);
    if (!field || !mayName(field, viewer)) return { visible: joined(named), open: false };
    named.push(id);
    if (!field.reference) {
      if (field.type.hasKeys) return { visible: path, open };
      return { visible: joined(named), open: open && named.length === ids.length };
    }
    const next = viewer.model.kinds.get(field.reference.kind);
    // The first kind is named by the function and may be seen; the kinds after it must be readable for the caller.
    if (!next || !grantOf(next, 'read', viewer.caller, viewer.model)) return { visible: joined(named), open: false };
    current = next;
    open &&= isOpen(current, viewer);
  }
  return { visible: path, open };
}

function joined(named: readonly string[]): string | undefined {
  return named.length === 0 ? undefined : named.join('.');
}

/** Functions see hidden parameters, their callers don't. */
function mayName(field: Field, { caller }: PathViewer): boolean {
  return !field.def.hidden && mayReadField(field, caller);
}

/** Whether all units of a kind may be read. */
function isOpen(kind: KindDef, { caller, model }: PathViewer): boolean {
  const grant = grantOf(kind, 'read', caller, model);
  return grant !== undefined && grant.predicate === undefined;
}
