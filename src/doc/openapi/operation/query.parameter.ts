/** What descriptions of query parameters share. Pure. */
import type { OpenApiParameter, Schema } from '../openapi.js';

/** Excludes commas, which separate ids, and white space alone. */
export const LISTED_ID: Schema = { type: 'string', minLength: 1, pattern: '^[^,]*[^,\\s][^,]*$' };
export const LISTED_IDS: Schema = { type: 'array', items: LISTED_ID, minItems: 1 };

export const queryParameterOf = (
  name: string,
  description: string,
  schema: Schema,
  extra: Partial<OpenApiParameter> = {},
): OpenApiParameter => ({
  name,
  in: 'query',
  description,
  schema,
  ...extra,
});
