import { LIMITS } from '../../shared/limits.js';
import { scalarText, typeName } from '../../shared/json.js';
import { OPERATORS, type ParameterType } from './parameter-type.js';

/** What the stored form begins with, and base64 never does. */
const HEX = '\\x';

/** Bytes, as base64 (RFC 4648, section 4, with padding). */
export const binaryType: ParameterType = {
  id: 'binary',
  label: 'Binary',
  wants: 'base64',
  column: 'bytea',
  json: 'base64',
  fields: ['default', 'max_length'],
  operators: OPERATORS.equality,
  keyable: false,
  indexable: false,
  accept(value, rules, report) {
    if (typeof value !== 'string') {
      report('parameter.bad_type', `must be base64 in a string, got ${typeName(value)}`);
      return undefined;
    }
    const bytes = decode(value);
    const limit = rules.maxLength ?? LIMITS.binaryBytes;
    if (!bytes) report('parameter.bad_value', 'must be base64 (RFC 4648, section 4, with padding)');
    else if (bytes.length > limit) report('parameter.too_long', `at most ${limit} bytes, got ${bytes.length}`);
    else return hex(bytes);
    return undefined;
  },
  read(text) {
    const bytes = decode(text);
    return bytes && hex(bytes);
  },
  canonical(value) {
    const text = scalarText(value);
    return text.startsWith(HEX) ? Buffer.from(text.slice(HEX.length), 'hex').toString('base64') : text;
  },
  constraints: (rules) => [{ type: 'max_bytes', limit: rules.maxLength ?? LIMITS.binaryBytes }],
};

/** The bytes of base64 in the one way to write it. An expression that looks at every character would need a stack as long. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** PostgreSQL's hex form of bytea. */
function hex(bytes: Buffer): string {
  return HEX + bytes.toString('hex');
}
