/** Validates the parameters of a call with the code for bodies of units, so that the errors are the same. */
import { targetKindTextFor } from '../../access/reference-access.js';
import { parameterField, keyField, RESERVED_PARAMETERS } from '../../model/field.js';
import type { Field, KindDef, Model } from '../../model/model.js';
import type { ParameterDef } from '../../model/parameter-type/parameter-def.js';
import { parameterType } from '../../model/parameter-type/type-by-id.js';
import { storageOf } from '../../model/storage.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import { parseJson } from '../../http/body/json-text.js';
import { urlQueryParameters } from '../../http/route/parse-list-query.js';
import { getOrInsert } from '../../shared/maps.js';
import type { EventLoopYield } from '../../shared/event-loop-yield.js';
import { Faults } from '../../shared/errors.js';
import { type MaybePromise, runYielding } from '../../shared/work-in-pieces.js';
import type { Json } from '../../shared/json.js';
import { didYouMean } from '../../shared/texts.js';
import type { Caller } from '../../tenancy/caller.js';
import { shownValues, type Body } from '../../unit/draft/draft.js';
import { DefaultBytes } from '../../unit/draft/default-bytes.js';
import { draftCreate } from '../../unit/draft/draft-reader.js';
import type { LocatedDraft } from '../../unit/draft/references.js';
import type { DeclaredValues, FunctionDef } from '../declare/definition.js';
import { NO_TRAITS } from '../../model/built-in-traits.js';

interface ReadParameters {
  readonly values: Readonly<Record<string, Json>>;
  /** The values as a unit of a kind with these parameters, so that its references can be looked up. */
  readonly kind: KindDef;
  readonly placed: LocatedDraft;
}

/** Kinds with the declared values of functions, cached as long as the model and the function exist. */
const shapes = new WeakMap<Model, WeakMap<DeclaredValues, KindDef>>();

interface ParameterReading {
  readonly model: Model;
  readonly caller: Caller;
  readonly faults: Faults;
  readonly yielder: EventLoopYield;
  /** Matches the collected texts against their patterns. */
  readonly settle: (patterns: PatternChecks) => MaybePromise<void>;
}

/** Validates declared values and adds their defaults. @throws KindError 400 with all faults */
export async function readParameters(
  def: DeclaredValues,
  body: Body,
  { model, caller, faults, yielder, settle }: ParameterReading,
): Promise<ReadParameters> {
  const kind = parameterShapeOf(def, model);
  const known = new Map([...body].filter(([key]) => !RESERVED_PARAMETERS.has(key)));
  for (const key of body.keys()) {
    if (!RESERVED_PARAMETERS.has(key)) continue;
    const hint = didYouMean(key, kind.fields.keys());
    faults.add('parameter.unknown', `${key}: '${def.name}' has no such parameter${hint}`, { parameter: key });
  }
  const patterns = new PatternChecks();
  const masks = { writable: kind.fields, readable: kind.fields };
  const options = { kind, ...masks, defaults: new DefaultBytes(), ofTarget: targetKindTextFor(caller, model) };
  const draft = await runYielding(draftCreate(known, { ...options, faults, patterns }), yielder);
  await settle(patterns);
  for (const field of kind.fields.values()) {
    const wanted = field.def.referenceKind;
    if (wanted === undefined || field.reference || (draft.values.get(field.id) ?? null) === null) continue;
    faults.add('parameter.bad_reference', `${field.id}: no kind '${wanted}' in this project`, { parameter: field.id });
  }
  faults.throwIfAny();
  return { values: shownValues(draft, kind), kind, placed: { draft } };
}

/** A kind that has declared values as fields. */
export function parameterShapeOf(def: DeclaredValues, model: Model): KindDef {
  const ofModel = getOrInsert(shapes, model, () => new WeakMap<DeclaredValues, KindDef>());
  return getOrInsert(ofModel, def, () => makeShape(def, model));
}

function makeShape({ name, parameters }: DeclaredValues, model: Model): KindDef {
  const fields = parameters.map((each): [string, Field] => {
    const key = each.referenceKind === undefined ? undefined : model.kinds.get(each.referenceKind)?.keyField.type;
    return [each.id, parameterField(each, key)];
  });
  return {
    id: name,
    label: name,
    active: true,
    storage: storageOf(false, false),
    public: false,
    builtIn: false,
    traits: NO_TRAITS,
    access: null,
    table: '',
    discriminated: false,
    key: 'natural',
    keyField: keyField('natural', undefined),
    primary: undefined,
    fields: new Map(fields),
    parameters: parameters.map(({ id }) => id),
    unique: [],
    indexes: [],
    checks: [],
    changes: 'none',
    historyKeep: undefined,
    accepted: {},
    groups: [],
  };
}

/** Converts a query string to a body: texts of number, boolean and JSON parameters are parsed. */
export function bodyOfQuery(def: FunctionDef, url: string, faults: Faults): Body {
  const body = new Map<string, unknown>();
  const known = new Map(def.parameters.map((each) => [each.id, each]));
  for (const [key, texts] of textsOf(url)) {
    const parameter = known.get(key);
    if (parameter?.multiple) {
      body.set(
        key,
        texts.map((text) => parameterValue(parameter, text, faults)),
      );
    } else if (texts.length > 1) {
      faults.add('query.bad_value', `${key}: given more than once`, { parameter: key });
    } else body.set(key, parameter ? parameterValue(parameter, texts[0] ?? '', faults) : texts[0]);
  }
  return body;
}

function textsOf(url: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [key, text] of urlQueryParameters(url)) getOrInsert(found, key, () => []).push(text);
  return found;
}

const NUMBER_TEXT = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A text that is no number or boolean stays a string, which the validation then rejects. */
function parameterValue({ id, type }: ParameterDef, text: string, faults: Faults): unknown {
  const { inQuery } = parameterType(type);
  switch (inQuery) {
    case undefined:
      return text;
    case 'number':
      return NUMBER_TEXT.test(text) ? parseJson(normal(text)) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'json':
      return jsonOf(id, text, faults);
  }
}

/** Null if a fault was added. */
function jsonOf(id: string, text: string, faults: Faults): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    faults.add('parameter.bad_value', `${id}: is not JSON: ${(error as Error).message}`, { parameter: id });
    return null;
  }
}

/** Removes leading zeros, which JSON does not allow. */
function normal(number: string): string {
  return number.replace(/^(-?)0+(?=\d)/, '$1');
}
