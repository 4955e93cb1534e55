import { decodeBase64 } from '../../shared/base64.js';
import { LIMITS } from '../../shared/limits.js';
import { scalarText, typeName } from '../../shared/json.js';
import type { ValueRules } from '../parameter-setting/parameter-settings.js';
import { type ParameterType, OPERATORS } from './parameter-type.js';

/** The prefix of the stored form; base64 never begins with it. */
const HEX = '\\x';

const BASE64 = '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?';

/** Bytes, as base64 (RFC 4648, section 4, with padding). */
export const binaryType: ParameterType<'binary', 'string'> = {
  id: 'binary',
  label: 'Binary',
  expects: 'base64',
  column: 'bytea',
  json: 'base64',
  fields: ['default', 'max_length'],
  operators: OPERATORS.equality,
  keyable: false,
  sortable: false,
  accept(value, rules, report) {
    if (typeof value !== 'string') {
      report('parameter.bad_type', `must be base64 in a string, got ${typeName(value)}`);
      return undefined;
    }
    const bytes = decodeBase64(value);
    const limit = maxBytes(rules);
    if (!bytes) report('parameter.bad_value', 'must be base64 (RFC 4648, section 4, with padding)');
    else if (bytes.length > limit) report('parameter.too_long', `at most ${limit} bytes, got ${bytes.length}`);
    else return toHex(bytes);
    return undefined;
  },
  read(text) {
    const bytes = decodeBase64(text);
    return bytes && toHex(bytes);
  },
  canonical(value) {
    const text = scalarText(value);
    return text.startsWith(HEX) ? Buffer.from(text.slice(HEX.length), 'hex').toString('base64') : text;
  },
  constraints: (rules) => [{ type: 'max_bytes', limit: maxBytes(rules) }],
  typescript: 'string',
  schema: { type: 'string', contentEncoding: 'base64' },
  bodySchema: { type: 'string', contentEncoding: 'base64', pattern: `^${BASE64}$` },
  bodyRuleSchema: (rules) => ({ maxLength: Math.ceil(maxBytes(rules) / 3) * 4 }),
  note: 'Bytes, in base64.',
  ruleNotes: (rules) => [`At most ${maxBytes(rules)} bytes.`],
  example: ({ maxLength = 2 }) => (maxLength < 2 ? '' : 'aGk='),
  omittedFromExamples: true,
};

function maxBytes({ maxLength }: ValueRules): number {
  return maxLength ?? LIMITS.binaryBytes;
}

/** PostgreSQL's hex form of bytea. */
function toHex(bytes: Buffer): string {
  return HEX + bytes.toString('hex');
}
