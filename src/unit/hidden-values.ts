/**
 * Hidden parameters in the units and links that functions get: they are there, but not enumerable, so that they do not
 * get into a response by accident.
 */
import type { Field, KindDef, Model } from '../model/model.js';
import { isPlainObject } from '../shared/json.js';

export type UnitObject = Readonly<Record<string, unknown>>;

/** What `load_links` adds to a unit. */
type LoadedLinks = Readonly<Record<string, (UnitObject & { readonly kind_id: string })[] | Record<string, number>>>;

/**
 * Hides hidden parameters from spreads and `JSON.stringify`, also those behind references and of loaded links. Changes
 * the unit and returns it.
 */
export function concealHidden<U extends UnitObject>(model: Model, kindId: string, unit: U): U {
  const kind = model.kinds.get(kindId);
  if (!kind) throw new Error(`what is hidden of a unit of '${kindId}' is not known`);
  for (const key of Object.keys(unit)) {
    if (isHidden(model, kind, key)) Object.defineProperty(unit, key, { enumerable: false });
    const { reference } = kind.fields.get(key) ?? {};
    const value = unit[key];
    // With `nest`, the value of a reference is an object.
    if (reference && isPlainObject(value)) concealHidden(model, reference.kind, value);
  }
  const { links = {} } = unit as { readonly links?: LoadedLinks };
  // With `load_links: 'count'` there are numbers instead of units.
  const units = Object.values(links).flatMap((linked) => (Array.isArray(linked) ? linked : []));
  for (const linked of units) concealHiddenOfLinked(model, linked.kind_id, linked);
  return unit;
}

/** The same of a unit that was reached over a link, with the values of the link. */
export function concealHiddenOfLinked<U extends UnitObject>(model: Model, kindId: string, unit: U): U {
  const { link } = unit;
  if (isPlainObject(link)) concealHiddenOfLink(model, link);
  return concealHidden(model, kindId, unit);
}

/** Hides hidden values of the record of a link. Changes the record and returns it. */
export function concealHiddenOfLink<L extends object>(model: Model, link: L & { readonly link_id?: unknown }): L {
  const values = model.linkTypes.get(String(link.link_id))?.values;
  for (const key of Object.keys(link)) {
    if (values?.fields.get(key)?.def.hidden) Object.defineProperty(link, key, { enumerable: false });
  }
  return link;
}

/** Whether a path contains a hidden parameter. */
function isHidden(model: Model, start: KindDef, path: string): boolean {
  let kind: KindDef | undefined = start;
  for (const name of path.split('.')) {
    const field: Field | undefined = kind?.fields.get(name);
    if (field?.def.hidden) return true;
    kind = field?.reference && model.kinds.get(field.reference.kind);
  }
  return false;
}
