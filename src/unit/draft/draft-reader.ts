/** Validates bodies with the parameters of the kind, in pieces, and reports all faults except those of patterns. Pure. */
import { numberedFields, TIME_FIELDS } from '../../model/field.js';
import { Faults } from '../../shared/errors.js';
import type { Json } from '../../shared/json.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import type { Field, KindDef } from '../../model/model.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import type { DefaultBytes } from './default-bytes.js';
import { withValuesOf, type Body, type Draft } from './draft.js';
import { DraftBuilder, NO_TARGET, type BodyDetails, type DraftOptions } from './draft-builder.js';

/**
 * Reads the body of a create: applies defaults, reports missing required parameters, and makes the id. A record that
 * was read is accepted too, without a generated id: its `inserted_at` and `updated_at` are ignored.
 */
export function draftCreate(body: Body, options: DraftOptions, details?: BodyDetails): WorkInPieces<Draft> {
  return readCreate(body, options, details, true);
}

/** The same for a body to which a hook may add values: absent parameters are left out; `completeDraft` adds them. */
export function draftPartial(body: Body, options: DraftOptions, details?: BodyDetails): WorkInPieces<Draft> {
  return readCreate(body, options, details, false);
}

function* readCreate(
  body: Body,
  options: DraftOptions,
  details: BodyDetails | undefined,
  whole: boolean,
): WorkInPieces<Draft> {
  const given = withoutTimes(body, options.kind);
  const drafting = new DraftBuilder(withoutNumbers(given, options), options, details);
  drafting.checkKeys();
  drafting.addId();
  for (const field of drafting.fields()) {
    if (drafting.isNested(field)) drafting.acceptNestedKey(field);
    else if (drafting.has(field)) {
      const rest = drafting.accept(field, body.get(field.id));
      if (rest) yield* rest;
    } else if (whole) drafting.absent(field);
  }
  return drafting.finish();
}

type Completion = Pick<DraftOptions, 'kind' | 'faults' | 'defaults' | 'patterns'> & Pick<BodyDetails, 'index'>;

/** Completes a draft of `draftPartial`: applies defaults, and reports missing required parameters. */
export function completeDraft(given: Draft, { kind, faults, defaults, patterns, index }: Completion): Draft {
  const nothing = { writable: NO_FIELDS, readable: NO_FIELDS, ofTarget: NO_TARGET };
  const drafting = new DraftBuilder(new Map(), { kind, faults, defaults, patterns, ...nothing }, { index });
  for (const field of drafting.fields()) if (!given.values.has(field.id)) drafting.absent(field);
  return withValuesOf(given, drafting.finish());
}

/** The same for access rules, which are tested before hooks add values: missing values are null, and not reported. */
export function draftForRules(given: Draft, kind: KindDef, defaults: DefaultBytes): Draft {
  const known = completeDraft(given, { kind, faults: new Faults(), defaults, patterns: new PatternChecks() });
  const missing = [...kind.fields.values()].filter((field) => {
    return field.column !== undefined && !field.system && !(field.column in known.row);
  });
  const nulls = Object.fromEntries(missing.map(({ column = '' }): [string, Json] => [column, null]));
  return { row: { ...known.row, ...nulls }, written: [...known.written, ...missing], values: known.values };
}

const NO_FIELDS: ReadonlyMap<string, Field> = new Map();

/** Reads the body of an edit, or without an id the changes to a draft: only the parameters in the body are written. */
export function* draftUpdate(body: Body, options: DraftOptions, details?: BodyDetails): WorkInPieces<Draft> {
  const drafting = new DraftBuilder(body, options, details);
  drafting.checkKeys();
  for (const field of drafting.fields()) {
    if (drafting.isNested(field)) drafting.acceptNestedKey(field);
    else if (drafting.has(field) && !drafting.keepsKey(field)) {
      const rest = drafting.accept(field, body.get(field.id));
      if (rest) yield* rest;
    }
  }
  return drafting.finish();
}

/**
 * A body without the numbers of sequences, which the system makes; they are kept where ids are. What the caller does not
 * read is a name like any other.
 */
export function withoutNumbers(
  body: Body,
  { kind, readable, keepIds = false }: Pick<DraftOptions, 'kind' | 'readable' | 'keepIds'>,
): Body {
  const isPassedOver = ({ id }: Field) => readable.has(id) && body.has(id) && (!keepIds || body.get(id) === null);
  const dropped = numberedFields(kind).filter(isPassedOver);
  return dropped.length > 0 ? new Map([...body].filter(([id]) => dropped.every((field) => field.id !== id))) : body;
}

/** A body without the times of a record that was read. */
export function withoutTimes(body: Body, { fields }: KindDef): Body {
  const times = TIME_FIELDS.filter(({ id }) => {
    const value = body.get(id) ?? null;
    return value !== null && fields.get(id)?.type.accept(value, {}, () => undefined) !== undefined;
  });
  return times.length > 0 ? new Map([...body].filter(([id]) => times.every((time) => time.id !== id))) : body;
}
