/** Ajv, as all tests use it. */
import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/**
 * The code of a validator is not optimized: that took three quarters of the time of its compilation, and most of them run
 * a few times.
 */
export function schemaValidator(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, logger: false, code: { optimize: false }, inlineRefs: false, ...options });
  formats.default(ajv);
  return ajv;
}
