/** A schema of objects. Pure. */
import type { Schema } from '../openapi.js';

/** An object with these properties, all of them and no others. */
export function objectSchema(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
