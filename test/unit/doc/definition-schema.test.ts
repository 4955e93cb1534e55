/** The JSON schemas of bodies of definitions. */
import { describe, expect, it } from 'vitest';
import { genericDocument } from '../../../src/doc/openapi/document.js';
import { checkParameter, emptyDefinition, patched } from '../../../src/model/check/check-parameter.js';
import { PatternChecks } from '../../../src/model/check/pattern-checks.js';
import { PARAMETER_TYPE_LIST, type ParameterTypeId } from '../../../src/model/parameter-type/parameter-types.js';
import { parameterType } from '../../../src/model/parameter-type/type-by-id.js';
import { Faults } from '../../../src/shared/errors.js';
import type { Json } from '../../../src/shared/json.js';
import type { OpenApiDocument } from '../../../src/doc/openapi/openapi.js';
import { applicationDescription } from '../../support/application.js';
import { schemaValidator } from '../../support/schema-validator.js';

const particulars = { url: '', title: '', description: '', version: '' };
const bytes = await genericDocument(await applicationDescription(), particulars);
const document = JSON.parse(bytes.toString()) as OpenApiDocument;
const ajv = schemaValidator();
ajv.addSchema(document, 'document');
const takes = (name: string, body: unknown) => ajv.validate({ $ref: `document#/components/schemas/${name}` }, body);

const RECORD_TIMES = { inserted_at: '2024-01-31T09:30:00.000000Z', updated_at: '2024-01-31T09:30:00.000000Z' };

/** Whether the service takes the settings of a new parameter. Only `ParameterBehavior` reads `persistence`. */
function isTaken(type: ParameterTypeId, { persistence, ...given }: Record<string, Json>): boolean {
  const runTime = given['only_run_time'] ?? persistence === 'run_time';
  if (persistence !== undefined && (persistence === 'run_time') !== runTime) return false;
  const faults = new Faults();
  const values = new Map(Object.entries({ ...given, only_run_time: runTime }));
  checkParameter(patched(emptyDefinition('a', type), values), faults, new PatternChecks());
  return !faults.any;
}

describe('the body of a definition', () => {
  it.each<[name: string, body: unknown]>([
    ['kind.create', { id: 'city' }],
    ['kind.create', { label: 'City' }],
    ['kind.create', { id: 'city', parameters: ['name', { id: 'size', kind_id: 'integer', min_value: 0 }] }],
    ['kind.create', { id: 'city', unique: [['a', 'b'], ['c']], indexes: [] }],
    ['kind.create', { id: 'city', access: { read: 'anyone', update: 'eq(a,1)', delete: ['eq(a,1)', 'eq(b,2)'] } }],
    ['kind.create', { id: 'city', kind_id: 'kind', type: 'kind', metadata: {}, ...RECORD_TIMES }],
    ['kind.update', { unique: [], access: null }],
    ['group.create', { id: 'places', kind_list: ['city'] }],
    ['string.create', { id: 'size', values: ['a', 'b'], default_string: 'a', min_length: 1, unique: true }],
    ['string.create', { id: 'tags', multiple: true, default_string: ['a'], values: null }],
    ['integer.create', { id: 'size', values: [1, 2], min_value: 1, max_value: 5, is_primary: true }],
    ['decimal.create', { id: 'price', min_value: '0.5', scale: 2 }],
    ['boolean.create', { id: 'open', min_length: null, strip: false, values: null, ...RECORD_TIMES }],
    ['boolean.create', { id: 'open', min_length: null, strip: false, values: null }],
    ['json.create', { id: 'shape', default_json: [1], unique: true, multiple: true }],
    ['unit.create', { id: 'country', reference_kind: 'country', on_delete: 'cascade' }],
  ])('%s takes %j', (name, body) => {
    expect(takes(name, body), JSON.stringify(ajv.errors)).toBe(true);
  });

  it.each<[name: string, body: unknown]>([
    ['kind.create', {}],
    ['kind.create', { id: 'City' }],
    ['kind.create', { id: 'auth' }],
    ['kind.create', { id: 'kind_of' }],
    ['kind.create', { id: 'city', parameters: [{ id: 'size' }] }],
    ['kind.create', { id: 'city', parameters: [{ id: 'size', kind_id: 'number' }] }],
    ['kind.create', { id: 'city', parameters: [{ id: 'size', kind_id: 'boolean', min_value: 0 }] }],
    ['kind.create', { id: 'city', parameters: ['name', 'name'] }],
    ['kind.create', { id: 'city', unique: [[]] }],
    ['kind.create', { id: 'city', unique: [['a', 'a']] }],
    ['kind.create', { id: 'city', unique: ['a'] }],
    ['kind.create', { id: 'city', access: { read: 'all' } }],
    ['kind.create', { id: 'city', access: { look: 'anyone' } }],
    ['kind.create', { id: 'city', access: { read: [] } }],
    ['kind.create', { id: 'city', kind_id: 'city' }],
    ['group.create', { id: 'unit' }],
    ['group.create', { id: 'places', kind_list: ['a', 'a'] }],
    ['link.create', { id: 'child' }],
    ['string.create', { id: 'metadata' }],
    ['string.create', { id: 'size', values: [] }],
    ['string.create', { id: 'size', values: [1] }],
    ['string.create', { id: 'size', min_length: -1 }],
    ['integer.create', { id: 'size', min_value: [1] }],
    ['integer.create', { id: 'size', max_value: [1] }],
    ['integer.create', { id: 'size', values: ['a'] }],
    ['boolean.create', { id: 'open', is_primary: true }],
    ['boolean.create', { id: 'open', min_length: 1 }],
    ['boolean.create', { id: 'open', strip: true }],
    ['json.create', { id: 'shape', indexed: true }],
    ['binary.create', { id: 'cover', is_primary: true }],
    ['unit.create', { id: 'country' }],
    ['unit.create', { id: 'country', reference_kind: 'country', multiple: true }],
    ['unit.create', { id: 'country', reference_kind: 'country', only_run_time: true }],
    ['unit.create', { id: 'country', reference_kind: 'country', persistence: 'run_time' }],
  ])('%s refuses %j', (name, body) => {
    expect(takes(name, body)).toBe(false);
  });

  it.each(PARAMETER_TYPE_LIST.map(({ id }) => id))(
    'of a %s takes the settings that the service takes together',
    (type) => {
      const example = (parameterType(type).example?.(emptyDefinition('a', type)) ?? 'a') as Json;
      const settings: readonly (readonly [field: string, value: Json])[] = [
        ...['multiple', 'nullable', 'only_run_time', 'is_primary', 'required', 'unique', 'indexed', 'hidden'].flatMap(
          (flag) => [[flag, true] as const, [flag, false] as const],
        ),
        ...[true, false].map((value) => ['write_once', value] as const),
        ...['run_time', 'kind_parameter'].map((value) => ['persistence', value] as const),
        ...['admin', 'eq(kind_id,a)', null].map((value) => ['read_access', value] as const),
        ['write_access', 'eq(kind_id,a)'],
        ...['simple', null].map((value) => ['search', value] as const),
        ...['set_null', 'cascade'].map((value) => ['on_delete', value] as const),
        ...[example, [example], null].map((value) => [`default_${type}`, value] as const),
      ];
      const own = document.components.schemas[`${type}.create`]?.['properties'] as object;
      const possible = settings.filter(([field]) => Object.hasOwn(own, field));
      const required = type === 'unit' ? { reference_kind: 'country' } : {};
      const create = ajv.compile({ $ref: `document#/components/schemas/${type}.create` });
      const update = ajv.compile({ $ref: `document#/components/schemas/${type}.update` });
      const wrong: object[] = [];
      const compare = (given: Record<string, Json>): void => {
        const taken = isTaken(type, given);
        if (create({ id: 'a', ...required, ...given }) !== taken) wrong.push({ create: given, taken });
        // Whether the service takes an edit depends on what is stored.
        if (taken && !update(given)) wrong.push({ update: given, taken });
      };
      for (const [at, [a, first]] of possible.entries()) {
        for (const [b, second] of possible.slice(at)) {
          compare({ [a]: first, [b]: second });
          compare({ [a]: first, [b]: second, multiple: true });
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it('is not described as any JSON if its form is known', () => {
    const properties = document.components.schemas['kind.create']?.['properties'] as Record<string, object>;
    for (const id of ['unique', 'indexes', 'access', 'metadata'])
      expect([id, JSON.stringify(properties[id])]).toEqual([id, expect.not.stringContaining('Any JSON value')]);
  });

  it('has no read-only part, so that validating proxies accept a record that is sent back', () => {
    expect(bytes.toString()).not.toContain('"readOnly"');
  });
});
