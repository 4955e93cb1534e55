import { describe, expect, it } from 'vitest';
import { settleTrusted } from '../../../src/catalog/pattern/pattern-matcher.js';
import { canonicalValues, checkParameter, emptyDefinition, patched } from '../../../src/model/check/check-parameter.js';
import { parameterDef, type ParameterDef } from '../../../src/model/parameter-type/parameter-def.js';
import type { ParameterTypeId } from '../../../src/model/parameter-type/parameter-types.js';
import { PatternChecks } from '../../../src/model/check/pattern-checks.js';
import { definitionOf } from '../../../src/model/build/definition-records.js';
import { Faults, KindError } from '../../../src/shared/errors.js';
import type { Json } from '../../../src/shared/json.js';
import { parameter } from '../../support/models.js';

function faultsOf(def: ParameterDef, index?: number): object[] {
  const faults = new Faults();
  const patterns = new PatternChecks();
  checkParameter(def, faults, patterns, index);
  settleTrusted(patterns);
  try {
    faults.throwIfAny();
    return [];
  } catch (error) {
    if (!(error instanceof KindError)) throw error;
    return error.messages.map(({ code, parameter: id, index: at }) => ({
      fault: `${code} ${id ?? ''}`,
      ...(at !== undefined && { at }),
    }));
  }
}

const def = (type: ParameterTypeId, given: Partial<ParameterDef> = {}): ParameterDef =>
  parameterDef({ id: 'p', type, ...given });

describe('a definition', () => {
  it.each<[ParameterTypeId, Partial<ParameterDef>, string[]]>([
    ['string', {}, []],
    ['string', { id: 'kind_x' }, ['parameter.reserved id']],
    ['string', { id: 'metadata' }, ['parameter.reserved id']],
    ['string', { id: 'constructor' }, []],
    ['string', { minLength: 2, maxLength: 2 }, []],
    ['string', { minLength: 3, maxLength: 2 }, ['parameter.bad_definition min_length']],
    ['string', { values: Array.from({ length: 1001 }, (_, at) => `${at}`) }, ['parameter.bad_definition values']],
    ['string', { values: ['a', 'a', 'a'] }, ['parameter.duplicate values']],
    ['string', { values: ['ab', 'abc'], maxLength: 1 }, ['parameter.too_long values', 'parameter.too_long values']],
    ['string', { pattern: '[', default: 5 }, ['parameter.bad_type default_string', 'parameter.bad_pattern pattern']],
    ['string', { pattern: '😀'.repeat(500) }, []],
    ['string', { pattern: '😀'.repeat(501) }, ['parameter.too_long pattern']],
    ['string', { pattern: '^[a-z]{1,1000}$' }, []],
    ['string', { pattern: '[a-z]{1,1000}[0-9]{1,1000}' }, ['parameter.bad_pattern pattern']],
    ['string', { pattern: '^a$', multiple: true, default: ['a', 'b'] }, ['parameter.pattern_mismatch default_string']],
    // A default is judged by the rules only where the rules are right.
    ['string', { minLength: 3, maxLength: 2, default: 'x' }, ['parameter.bad_definition min_length']],
    ['string', { maxLength: 1, default: 'xy' }, ['parameter.too_long default_string']],
    ['string', { strip: true, maxLength: 1, default: ' x ' }, []],
    [
      'string',
      { multiple: true, default: ['a', 5, null] },
      ['parameter.bad_type default_string', 'parameter.bad_type default_string'],
    ],
    ['string', { multiple: true, unique: true, default: ['a', 'b', 'a'] }, ['parameter.duplicate default_string']],
    ['decimal', { multiple: true, unique: true, default: ['1.0', 1] }, ['parameter.duplicate default_decimal']],
    [
      'datetime',
      { multiple: true, unique: true, default: ['2024-01-01T00:00:00Z', '2024-01-01T01:00:00+01:00'] },
      ['parameter.duplicate default_datetime'],
    ],
    [
      'json',
      {
        multiple: true,
        unique: true,
        default: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      ['parameter.duplicate default_json'],
    ],
    ['json', { default: null }, []],
    ['integer', { minValue: 1, maxValue: 0, default: -5 }, ['parameter.bad_definition min_value']],
    ['integer', { minValue: 1.5 }, ['parameter.bad_value min_value']],
    ['decimal', { minValue: '9.5', maxValue: '10' }, []],
    ['decimal', { minValue: '10', maxValue: 9.5 }, ['parameter.bad_definition min_value']],
    ['decimal', { minValue: '1e5', maxValue: 'x' }, ['parameter.bad_value min_value', 'parameter.bad_value max_value']],
    ['decimal', { scale: 1, minValue: '1.25', default: '1.25' }, ['parameter.bad_value min_value']],
    ['float', { minValue: -1, maxValue: 1, default: 2 }, ['parameter.too_large default_float']],
    [
      'string',
      { primary: true, multiple: true, hidden: true, runTime: true },
      Array<string>(3).fill('parameter.bad_definition is_primary'),
    ],
    ['boolean', { primary: true }, ['parameter.bad_definition is_primary']],
    ['json', { unique: true, indexed: true }, ['parameter.bad_definition unique', 'parameter.bad_definition indexed']],
    ['json', { unique: true, multiple: true }, []],
    [
      'string',
      { unique: true, indexed: true, runTime: true },
      ['parameter.bad_definition unique', 'parameter.bad_definition indexed'],
    ],
    ['unit', { referenceKind: 'x' }, []],
    [
      'unit',
      { referenceKind: 'x', multiple: true, onDelete: 'set_null', nullable: false, runTime: true },
      [
        ...[
          'parameter.bad_definition only_run_time',
          'parameter.bad_definition multiple',
          'parameter.bad_definition on_delete',
        ],
      ],
    ],
  ])('%s with %j', (type, given, faults) => {
    expect(faultsOf(def(type, given))).toEqual(faults.map((fault) => ({ fault })));
  });

  it('in a list has its position in every fault', () => {
    const faults = faultsOf(
      def('unit', { id: 'id', referenceKind: 'x', multiple: true, onDelete: 'set_null', nullable: false }),
      3,
    );
    expect(faults).toEqual(
      ['parameter.reserved id', 'parameter.bad_definition multiple', 'parameter.bad_definition on_delete'].map(
        (fault) => ({ fault, at: 3 }),
      ),
    );
  });
});

describe('the values of a body over a definition', () => {
  const over = (base: ParameterDef, body: Record<string, Json>) => patched(base, new Map(Object.entries(body)));

  it('set what they name, and null unsets', () => {
    const base = def('string', { maxLength: 5, values: ['a'], default: 'a' });
    expect(over(base, {})).toEqual(base);
    expect(over(base, { max_length: null, values: null, default_string: null })).toEqual({
      ...base,
      maxLength: undefined,
      values: undefined,
      default: null,
    });
    expect(
      over(base, {
        label: 'L',
        nullable: false,
        is_primary: true,
        only_run_time: true,
        metadata: { a: 1 },
        read_access: 'admin',
        write_access: '["eq(a,1)","eq(b,2)"]',
      }),
    ).toEqual({
      ...{ ...base, label: 'L', nullable: false, primary: true, runTime: true },
      ...{ readAccess: 'admin', writeAccess: ['eq(a,1)', 'eq(b,2)'] },
    });
  });

  it('do not change fields of another type', () => {
    expect(over(def('integer'), { default_string: 'x', default_integer: 5 })).toEqual(def('integer', { default: 5 }));
  });

  it('are kept as records show them', () => {
    expect(
      Object.fromEntries(canonicalValues(def('decimal', { default: 1.5, minValue: '01.0', maxValue: 2 }))),
    ).toEqual({ default_decimal: '1.5', min_value: '1', max_value: '2' });
    expect(
      Object.fromEntries(canonicalValues(def('time', { multiple: true, default: ['09:30:00.50', '09:30:00'] }))),
    ).toEqual({ default_time: ['09:30:00.5', '09:30:00'] });
    expect(Object.fromEntries(canonicalValues(emptyDefinition('p', 'json')))).toEqual({ default_json: null });
  });
});

describe('a record', () => {
  it('spells its definition', () => {
    expect(definitionOf(parameter('p', 'string'))).toEqual({ ...def('string', { strip: false }) });
    expect(
      definitionOf(
        parameter('p', 'string', { max_length: 5, values: ['a'], strip: true, hidden: true, read_access: 'admin' }),
      ),
    ).toMatchObject({
      ...{ maxLength: 5, values: ['a'], strip: true, hidden: true, readAccess: 'admin' },
    });
  });

  it.each([
    [{ only_run_time: true }, { runTime: true }],
    [{ persistence: 'run_time' }, { runTime: true }],
    [
      { is_primary: true, nullable: true },
      { primary: true, nullable: false, required: true },
    ],
  ] as const)('of %j means %j', (record, meaning) => {
    expect(definitionOf(parameter('p', 'string', record))).toMatchObject(meaning);
  });
});
