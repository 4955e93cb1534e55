/**
 * Values at the edges of every parameter type, as a client writes them in JSON, and as they come back: the same tables
 * for the pure type, for a stored unit and for a default.
 */
import type { ErrorCode } from '../../src/shared/errors.js';
import type { Json } from '../../src/shared/json.js';
import type { ParameterTypeId } from '../../src/model/parameter-type/parameter-types.js';

/** A value as JSON text, and as records show it; the same where only one is given. */
export type Accepted = readonly [given: string, shown?: Json];
export type Refused = readonly [given: string, code: ErrorCode];

export interface Edges {
  readonly accepted: readonly Accepted[];
  readonly refused: readonly Refused[];
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
/** 1 MiB of zeros, and one byte more. */
export const MEBIBYTE = Buffer.alloc(1024 * 1024).toString('base64');
const MORE = Buffer.alloc(1024 * 1024 + 1).toString('base64');

const TEXTS: Edges = {
  accepted: [
    ['""'],
    ['"  both ends  "'],
    ['"\\u0001\\b\\t\\n\\f\\r\\u007f"'],
    ['"quote \\" and \\\\ and \' and ; -- $1 %s %_ {} ${x}"'],
    ['"😀 emoji, 👩‍👩‍👧 family"'],
    ['"שלום עולם \\u202e rtl"'],
    ['"e\\u0301 is not é"'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\uffff\\ufffe\\ufeff"'],
    ['"null"'],
    ['"\\\\u0000"'],
  ],
  refused: [
    ['12', 'parameter.bad_type'],
    ['true', 'parameter.bad_type'],
    ['["a"]', 'parameter.bad_type'],
    ['{}', 'parameter.bad_type'],
    ['"a\\u0000b"', 'parameter.bad_value'],
    ['"\\ud83d"', 'parameter.bad_value'],
    ['"\\ude00\\ud83d"', 'parameter.bad_value'],
  ],
};

export const EDGES: Readonly<Record<Exclude<ParameterTypeId, 'unit'>, Edges>> = {
  string: TEXTS,
  text: TEXTS,
  integer: {
    accepted: [['0'], ['-0', 0], ['1.0', 1], ['1e3', 1000], ['9007199254740991'], ['-9007199254740991']],
    refused: [
      ['9007199254740992', 'parameter.bad_value'],
      ['-9007199254740992', 'parameter.bad_value'],
      ['1.5', 'parameter.bad_value'],
      ['1e400', 'parameter.bad_value'],
      ['"12"', 'parameter.bad_type'],
      ['true', 'parameter.bad_type'],
      ['[1]', 'parameter.bad_type'],
      ['{}', 'parameter.bad_type'],
    ],
  },
  float: {
    accepted: [
      ['0'],
      ['-0', 0],
      ['-0.0', 0],
      ['1.5'],
      ['0.1'],
      ['1e308'],
      ['-1.7976931348623157e308'],
      ['5e-324'],
      ['1e-400', 0],
      ['0.30000000000000004'],
      ['9007199254740993', 9007199254740992],
    ],
    refused: [
      ['1e400', 'parameter.bad_value'],
      ['-1e400', 'parameter.bad_value'],
      ['"1.5"', 'parameter.bad_type'],
      ['"NaN"', 'parameter.bad_type'],
      ['false', 'parameter.bad_type'],
    ],
  },
  decimal: {
    accepted: [
      ['"0"'],
      ['"-0"', '0'],
      ['"-0.00"', '0'],
      ['"1.50"', '1.5'],
      ['"007"', '7'],
      ['"-0010.0100"', '-10.01'],
      ['"0.000001"'],
      ['"100"'],
      [`"${'9'.repeat(500)}.${'8'.repeat(400)}"`],
      ['1.5', '1.5'],
      ['-0', '0'],
      ['100', '100'],
      ['1e21', '1000000000000000000000'],
      ['1e-7', '0.0000001'],
      ['-1.5e-7', '-0.00000015'],
      ['123456789012345', '123456789012345'],
      ['0.123456789012345', '0.123456789012345'],
      ['1234567890123450000', '1234567890123450000'],
    ],
    refused: [
      ['1234567890123456', 'parameter.bad_value'],
      ['0.1234567890123456', 'parameter.bad_value'],
      ['0.30000000000000004', 'parameter.bad_value'],
      ['1e400', 'parameter.bad_value'],
      ['""', 'parameter.bad_value'],
      ['"1e3"', 'parameter.bad_value'],
      ['"+1"', 'parameter.bad_value'],
      ['"1."', 'parameter.bad_value'],
      ['".5"', 'parameter.bad_value'],
      ['" 1"', 'parameter.bad_value'],
      ['"1\\n"', 'parameter.bad_value'],
      ['"1,5"', 'parameter.bad_value'],
      ['"NaN"', 'parameter.bad_value'],
      ['"Infinity"', 'parameter.bad_value'],
      ['"0x10"', 'parameter.bad_value'],
      ['"١"', 'parameter.bad_value'],
      ['true', 'parameter.bad_type'],
      ['["1"]', 'parameter.bad_type'],
    ],
  },
  boolean: {
    accepted: [['true'], ['false']],
    refused: [
      ['"true"', 'parameter.bad_type'],
      ['1', 'parameter.bad_type'],
      ['0', 'parameter.bad_type'],
      ['[]', 'parameter.bad_type'],
    ],
  },
  date: {
    accepted: [['"2024-02-29"'], ['"2000-02-29"'], ['"0001-01-01"'], ['"9999-12-31"'], ['"1582-10-10"']],
    refused: [
      ['"2023-02-29"', 'parameter.bad_value'],
      ['"1900-02-29"', 'parameter.bad_value'],
      ['"0000-01-01"', 'parameter.bad_value'],
      ['"10000-01-01"', 'parameter.bad_value'],
      ['"2024-13-01"', 'parameter.bad_value'],
      ['"2024-00-10"', 'parameter.bad_value'],
      ['"2024-04-31"', 'parameter.bad_value'],
      ['"2024-1-1"', 'parameter.bad_value'],
      ['"01-01-2024"', 'parameter.bad_value'],
      ['"2024-01-01T00:00:00Z"', 'parameter.bad_value'],
      ['"2024-01-01 "', 'parameter.bad_value'],
      ['"infinity"', 'parameter.bad_value'],
      ['"today"', 'parameter.bad_value'],
      ['20240101', 'parameter.bad_type'],
    ],
  },
  time: {
    accepted: [
      ['"09:30:00"'],
      ['"00:00:00"'],
      ['"23:59:59.999999"'],
      ['"09:30:00.5"'],
      ['"09:30:00.500000"', '09:30:00.5'],
      ['"09:30:00.000"', '09:30:00'],
      ['"10:00:00.100"', '10:00:00.1'],
    ],
    refused: [
      ['"24:00:00"', 'parameter.bad_value'],
      ['"23:59:60"', 'parameter.bad_value'],
      ['"23:60:00"', 'parameter.bad_value'],
      ['"9:30:00"', 'parameter.bad_value'],
      ['"09:30"', 'parameter.bad_value'],
      ['"09:30:00.1234567"', 'parameter.bad_value'],
      ['"09:30:00."', 'parameter.bad_value'],
      ['"09:30:00Z"', 'parameter.bad_value'],
      ['"09:30:00+01:00"', 'parameter.bad_value'],
      ['"allballs"', 'parameter.bad_value'],
      ['93000', 'parameter.bad_type'],
    ],
  },
  datetime: {
    accepted: [
      ['"2024-01-31T09:30:00Z"', '2024-01-31T09:30:00.000000Z'],
      ['"2024-01-31T09:30:00.123456Z"'],
      ['"2024-01-31T09:30:00.1+01:00"', '2024-01-31T08:30:00.100000Z'],
      ['"2024-03-01T00:30:00+01:00"', '2024-02-29T23:30:00.000000Z'],
      ['"2024-12-31T23:59:59.999999-00:01"', '2025-01-01T00:00:59.999999Z'],
      ['"2024-01-31T09:30:00+0530"', '2024-01-31T04:00:00.000000Z'],
      ['"2024-01-31T09:30:00-15:59"', '2024-02-01T01:29:00.000000Z'],
      ['"0001-01-01T00:00:00Z"', '0001-01-01T00:00:00.000000Z'],
      ['"9999-12-31T23:59:59.999999Z"'],
      ['"0001-01-01T00:00:00-01:00"', '0001-01-01T01:00:00.000000Z'],
      ['"9999-12-31T23:59:59+01:00"', '9999-12-31T22:59:59.000000Z'],
      ['"1969-12-31T23:59:59.5Z"', '1969-12-31T23:59:59.500000Z'],
    ],
    refused: [
      ['"0000-12-31T00:00:00Z"', 'parameter.bad_value'],
      ['"0001-01-01T00:00:00+00:01"', 'parameter.bad_value'],
      ['"9999-12-31T23:59:59-00:01"', 'parameter.bad_value'],
      ['"2024-01-31T09:30:00"', 'parameter.bad_value'],
      ['"2024-01-31"', 'parameter.bad_value'],
      ['"2024-01-31T23:59:60Z"', 'parameter.bad_value'],
      ['"2024-01-31T24:00:00Z"', 'parameter.bad_value'],
      ['"2024-02-30T00:00:00Z"', 'parameter.bad_value'],
      ['"2024-01-31T09:30:00.1234567Z"', 'parameter.bad_value'],
      ['"2024-01-31T09:30:00+16:00"', 'parameter.bad_value'],
      ['"2024-01-31T09:30:00+01:60"', 'parameter.bad_value'],
      ['"2024-01-31 09:30:00Z"', 'parameter.bad_value'],
      ['"2024-01-31T09:30:00 Europe/Rome"', 'parameter.bad_value'],
      ['"now"', 'parameter.bad_value'],
      ['"infinity"', 'parameter.bad_value'],
      ['1706693400', 'parameter.bad_type'],
    ],
  },
  binary: {
    accepted: [['""'], ['"AA=="'], ['"AAE="'], ['"AAEC"'], ['"+/+/"'], [`"${MEBIBYTE}"`]],
    refused: [
      ['"A"', 'parameter.bad_value'],
      ['"AA"', 'parameter.bad_value'],
      ['"AA="', 'parameter.bad_value'],
      ['"AAE"', 'parameter.bad_value'],
      ['"AAEC="', 'parameter.bad_value'],
      ['"AB=="', 'parameter.bad_value'],
      ['"AAF="', 'parameter.bad_value'],
      ['"-_-_"', 'parameter.bad_value'],
      ['"AA ="', 'parameter.bad_value'],
      ['"AAEC\\n"', 'parameter.bad_value'],
      ['"\\\\x00"', 'parameter.bad_value'],
      [`"${MORE}"`, 'parameter.too_long'],
      ['[0,1]', 'parameter.bad_type'],
    ],
  },
  json: {
    accepted: [
      ['{}'],
      ['[]'],
      ['0'],
      ['false'],
      ['"text"'],
      ['""'],
      ['1e300'],
      ['[null,true,{"a":[]}]'],
      ['{"":1,"a.b":{"c":null},"constructor":1,"toString":"x"}'],
      ['{"__proto__":{"admin":true}}'],
      ['"\\\\u0000"'],
      [nested(100)],
    ],
    refused: [
      [nested(101), 'parameter.bad_value'],
      [nested(5000), 'parameter.bad_value'],
      ['{"a":[1e400]}', 'parameter.bad_value'],
      ['["\\u0000"]', 'parameter.bad_value'],
      ['{"a\\u0000":1}', 'parameter.bad_value'],
      ['{"a":"\\ud83d"}', 'parameter.bad_value'],
      ['{"\\ude00":1}', 'parameter.bad_value'],
    ],
  },
};

export const TYPES = Object.keys(EDGES) as (keyof typeof EDGES)[];

/** The value that records show. */
export function shownOf([given, shown]: Accepted): Json {
  return shown === undefined ? (JSON.parse(given) as Json) : shown;
}

/** A value's text, short enough for the name of a test. */
export function brief(text: string): string {
  return text.length > 60 ? `${text.slice(0, 40)}… (${text.length})` : text;
}
