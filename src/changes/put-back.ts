/** Which values of a unit as it was are put back: what differs, without what its caller may not read there or write now. */
import { describedFields, writableFields } from '../access/masks.js';
import type { Session } from '../catalog/session/session.js';
import { CONTENT_FACTS, CONTENT_FIELD } from '../model/built-in/file-fields.js';
import type { Field, KindDef } from '../model/model.js';
import { isMissingRight, refusal, type ErrorCode } from '../shared/errors.js';
import { jsonEqual, type Json } from '../shared/json.js';
import type { Past } from './history.reader.js';

/** What is not put back, and why. */
interface LeftOut {
  readonly parameter: string;
  readonly code: ErrorCode;
}

/** The fields whose values are compared. */
export function comparedFields(kind: KindDef, { caller, model }: Pick<Session, 'caller' | 'model'>): readonly Field[] {
  return [...describedFields(kind, caller, model).values()].filter(({ column }) => column !== undefined);
}

/** What is put back, and what is not. */
export interface PutBack {
  /** The body of the edit or, of a unit that was deleted, of the create. */
  readonly body: Readonly<Record<string, Json>>;
  readonly leftOut: readonly LeftOut[];
}

/** Without what the caller may write in no unit; `withoutRefused` leaves out what a rule refuses in this one. */
export function putBack(
  session: Pick<Session, 'caller' | 'model'>,
  kind: KindDef,
  { past, present }: Pick<Past, 'past' | 'present'>,
  parameters: readonly string[] | undefined,
): PutBack {
  const writable = writableFields(kind, session.caller, session.model);
  const known = comparedFields(kind, session);
  const offered = known.filter((field) => isOfUnit(kind, field, present === undefined));
  // A unit that comes back has its key again, whatever is asked for.
  const keys = present === undefined ? [kind.primary?.id ?? 'id'] : [];
  const asked = parameters ? new Set([...keys, ...parameters]) : offered.map(({ id }) => id);
  const leftOut: LeftOut[] = [];
  const differing: Field[] = [];
  for (const id of asked) {
    const field = offered.find((each) => each.id === id);
    // Whether a definition shows a value is said by another one, which may be put back too.
    const isShown =
      !field?.shownWhere && Object.hasOwn(past, id) && (present === undefined || Object.hasOwn(present, id));
    if (!field)
      leftOut.push({
        parameter: id,
        code: known.some((each) => each.id === id) ? 'access.denied' : 'parameter.unknown',
      });
    else if (!isShown) leftOut.push({ parameter: id, code: 'access.denied' });
    else if (present === undefined ? past[id] !== null : !jsonEqual(past[id], present[id])) differing.push(field);
  }
  const body: Record<string, Json> = {};
  for (const { id, def } of differing) {
    if (writable.has(id) || (present === undefined && def.sequence) || id === 'id') body[id] = past[id] ?? null;
    else leftOut.push({ parameter: id, code: 'access.denied' });
  }
  return { body, leftOut };
}

/**
 * A file gets no earlier content again, as that is removed when another takes its place or the file is deleted.
 * @throws KindError 409
 */
export function checkContent(
  { traits }: KindDef,
  { past, present }: Pick<Past, 'past' | 'present'>,
  parameters: readonly string[] | undefined,
): void {
  if (!traits.contents) return;
  if (!present) throw refusal('file.content_gone', 'The content of this file was deleted with it');
  const isAsked = !parameters || [CONTENT_FIELD, ...CONTENT_FACTS].some((id) => parameters.includes(id));
  if (!isAsked || CONTENT_FACTS.every((id) => jsonEqual(past[id] ?? null, present[id] ?? null))) return;
  const text = 'The file has another content now, and the earlier one does not come back: name other parameters';
  throw refusal('file.content_gone', text);
}

/** What a body may have: of a unit that comes back also its id, and numbers of sequences. */
function isOfUnit({ key }: KindDef, { id, system, def }: Field, isNew: boolean): boolean {
  if (id === 'id') return isNew && key !== 'natural';
  return !system && (isNew || !def.sequence);
}

/** Without the parameter that the edit or create was refused for; undefined if it was refused as a whole. */
export function withoutRefused({ body, leftOut }: PutBack, error: unknown): PutBack | undefined {
  const refused = isMissingRight(error) ? error.messages[0].parameter : undefined;
  if (refused === undefined || !Object.hasOwn(body, refused)) return undefined;
  const kept = Object.entries(body).filter(([id]) => id !== refused);
  return { body: Object.fromEntries(kept), leftOut: [...leftOut, { parameter: refused, code: 'access.denied' }] };
}
