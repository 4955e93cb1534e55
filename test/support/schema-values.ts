/** Values that a schema of a document allows, for tests that send them. */
import fc from 'fast-check';
import type { OpenApiDocument, Schema } from '../../src/doc/openapi/openapi.js';
import { getOrInsert } from '../../src/shared/maps.js';
import { DocumentSchemas } from './document-schemas.js';

type Values = fc.Arbitrary<unknown>;
type Properties = Record<string, Schema>;

/** How deep objects stand inside one another by references. */
const DEPTH = 2;
/** Items of a list where more are allowed. */
const ITEMS = 3;
const CHARACTERS = 40;

export class SchemaValues {
  readonly #schemas: DocumentSchemas;
  /** By the text of the schema. */
  readonly #allowed = new Map<string, Values>();

  constructor(private readonly document: OpenApiDocument) {
    this.#schemas = new DocumentSchemas(document);
  }

  /** Some values, always the same ones of a seed. */
  sample(schema: Schema, count: number, seed = 20241131): unknown[] {
    const values = getOrInsert(this.#allowed, JSON.stringify(schema), () => {
      const allows = this.#schemas.validator(schema);
      return this.#of(schema, 0).filter((value) => allows(value));
    });
    return fc.sample(values, { numRuns: count, seed });
  }

  #of(schema: Schema, depth: number): Values {
    const { $ref, allOf, anyOf, not, type, ...rest } = schema;
    if (typeof $ref === 'string') return this.#of({ ...this.#resolve($ref), ...omit(schema, '$ref') }, depth + 1);
    if (Array.isArray(allOf)) {
      const parts = (allOf as Schema[]).map((part) => this.#resolved(part));
      return this.#of([omit(schema, 'allOf'), ...parts].reduce(merged), depth);
    }
    if (Array.isArray(anyOf)) {
      const all = anyOf as Schema[];
      const flat = all.filter((each) => !('$ref' in each) && !('allOf' in each));
      const parts = depth >= DEPTH && flat.length > 0 ? flat : all;
      return fc.oneof(...parts.map((part) => this.#of(merged(omit(schema, 'anyOf'), part), depth)));
    }
    if (not !== undefined) {
      const refuses = this.#schemas.validator({ not });
      return this.#of(omit(schema, 'not'), depth).filter((value) => refuses(value));
    }
    if ('const' in schema) return fc.constant(schema['const']);
    if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
    if (Array.isArray(type)) {
      return fc.oneof(...(type as string[]).map((each) => this.#of({ ...rest, type: each }, depth)));
    }
    switch (type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#list(schema, depth);
      case 'string':
        return textOf(schema);
      case 'integer':
      case 'number':
        return numberOf(schema);
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      default:
        return JSON_VALUES;
    }
  }

  #object(schema: Schema, depth: number): Values {
    const { properties = {}, required = [], additionalProperties } = schema;
    if (additionalProperties !== false) return DICTIONARY;
    const values = Object.entries(properties as Properties).map(([key, each]) => [key, this.#of(each, depth)] as const);
    return fc.record(Object.fromEntries(values), { requiredKeys: required as string[], noNullPrototype: true });
  }

  #list({ items = {}, minItems = 0, maxItems = ITEMS, uniqueItems }: Schema, depth: number): Values {
    const bounds = {
      minLength: Number(minItems),
      maxLength: Math.max(Number(minItems), Math.min(Number(maxItems), ITEMS)),
    };
    const each = this.#of(items as Schema, depth);
    if (uniqueItems !== true) return fc.array(each, bounds);
    return fc.uniqueArray(each, { ...bounds, selector: (value) => JSON.stringify(value) });
  }

  #resolved(schema: Schema): Schema {
    const { $ref } = schema;
    return typeof $ref === 'string' ? this.#resolved({ ...this.#resolve($ref), ...omit(schema, '$ref') }) : schema;
  }

  #resolve(ref: string): Schema {
    const keys = ref.split('/').slice(1);
    return keys.reduce<unknown>((node, key) => (node as Schema)[key], this.document) as Schema;
  }
}

function omit(schema: Schema, key: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([each]) => each !== key));
}

/** What both of two schemas allow, as far as the document puts such beside each other. */
function merged(a: Schema, b: Schema): Schema {
  const listOf = (schema: Schema, key: string) => (schema[key] ?? []) as unknown[];
  const of = (schema: Schema) => (schema['properties'] ?? {}) as Properties;
  const properties = { ...of(a) };
  for (const [key, schema] of Object.entries(of(b))) properties[key] = { ...properties[key], ...schema };
  const required = [...new Set([...listOf(a, 'required'), ...listOf(b, 'required')])];
  return {
    ...a,
    ...b,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

const JSON_VALUES: Values = fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('\\u0000'));

/** No NUL, which nothing takes. */
function plainText(maxLength: number, minLength = 0): fc.Arbitrary<string> {
  const any = fc.string({ unit: 'binary', minLength, maxLength }).map((text) => text.replaceAll('\0', '.'));
  const printed = fc.string({ unit: 'grapheme-ascii', minLength, maxLength });
  return fc.oneof(any, printed);
}

/** Generators by the schema's words: to make one that matches a pattern takes fast-check longer than to use it. */
const texts = new Map<string, Values>();

const DICTIONARY: Values = fc.dictionary(plainText(10), JSON_VALUES, { maxKeys: 2 });

function textOf({ format, pattern, minLength = 0, maxLength = CHARACTERS }: Schema): Values {
  const key = JSON.stringify([format, pattern, minLength, maxLength]);
  const known = texts.get(key) ?? makeText({ format, pattern, minLength, maxLength });
  texts.set(key, known);
  return known;
}

function makeText({ format, pattern, minLength, maxLength }: Schema): Values {
  const [least, most] = [Number(minLength), Math.max(Number(minLength), Math.min(Number(maxLength), CHARACTERS))];
  if (format === 'uuid') return fc.uuid();
  const day = fc.date({ noInvalidDate: true, min: new Date('0001-01-02'), max: new Date('9999-12-30') });
  if (format === 'date') return day.map((date) => date.toISOString().slice(0, 10));
  if (format === 'date-time') return day.map((date) => date.toISOString());
  if (typeof pattern === 'string') {
    const matching = fc.stringMatching(new RegExp(pattern, 'u'));
    return matching.filter((text) => [...text].length >= least && !text.includes('\0'));
  }
  return plainText(most, least);
}

function numberOf({ type, minimum, maximum }: Schema): Values {
  const bounds = {
    ...(minimum !== undefined && { min: Number(minimum) }),
    ...(maximum !== undefined && { max: Number(maximum) }),
  };
  if (type === 'integer') return fc.integer(small(bounds));
  return fc.double({ noNaN: true, noDefaultInfinity: true, ...bounds });
}

/** What `fc.integer` can count: where a bound is further out, one near. */
function small({ min = -1e6, max = 1e6 }: { min?: number; max?: number }): { min: number; max: number } {
  const [least, most] = [Math.max(min, -2147483648), Math.min(max, 2147483647)];
  return { min: Math.min(least, most), max: Math.max(least, most) };
}
