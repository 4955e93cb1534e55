/**
 * Validators of the schemas of API documents. Most schemas are the same in the documents of all projects, and to compile one
 * takes longer than to judge thousands of values: documents share the validators of schemas that say the same.
 */
import { createHash } from 'node:crypto';
import type { ValidateFunction } from 'ajv';
import type { OpenApiDocument } from '../../src/doc/openapi/openapi.js';
import { getOrInsert } from '../../src/shared/maps.js';
import { schemaValidator } from './schema-validator.js';

const ajv = schemaValidator({ ownProperties: true, allErrors: false });
/** The ids of the components that Ajv has. */
const added = new Set<string>();
/** By the text of a schema, whose references are ids. */
const compiled = new Map<string, ValidateFunction>();

const REFERENCE = /"\$ref":"#\/components\/schemas\/([^"]+)"/g;

const namesIn = (text: string): string[] => [...text.matchAll(REFERENCE)].map(([, name = '']) => name);

export class DocumentSchemas {
  readonly #texts = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  constructor(private readonly document: OpenApiDocument) {}

  validator(schema: unknown): ValidateFunction {
    const text = JSON.stringify(schema);
    for (const name of this.#reached(namesIn(text))) this.#add(name);
    const named = this.#withIds(text);
    return getOrInsert(compiled, named, () => ajv.compile(JSON.parse(named) as object));
  }

  #text(name: string): string {
    return getOrInsert(this.#texts, name, () => JSON.stringify(this.document.components.schemas[name]));
  }

  /** These components, and those to which they refer. */
  #reached(names: readonly string[]): Set<string> {
    const found = new Set(names);
    // A set goes on with what is added to it meanwhile.
    for (const name of found) for (const next of namesIn(this.#text(name))) found.add(next);
    return found;
  }

  /** A component has the same id in all documents in which it says the same, with all to which it refers. */
  #id(name: string): string {
    return getOrInsert(this.#ids, name, () => {
      const said = [...this.#reached([name])].sort().map((each) => [each, this.#text(each)]);
      return createHash('sha256')
        .update(JSON.stringify([name, said]))
        .digest('hex');
    });
  }

  #add(name: string): void {
    const id = this.#id(name);
    if (added.has(id)) return;
    added.add(id);
    ajv.addSchema(JSON.parse(this.#withIds(this.#text(name))) as object, id);
  }

  #withIds(text: string): string {
    return text.replace(REFERENCE, (_, name: string) => `"$ref":"${this.#id(name)}"`);
  }
}
