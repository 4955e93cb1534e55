/** Shares long schemas of values: each is written once, and kinds that use the same parameter refer to it. Pure. */
import { BUILT_IN_PREFIX, bareName } from '../names.js';
import { MEMBER_FIELDS } from '../../../model/built-in/member-fields.js';
import type { Field, KindDef } from '../../../model/model.js';
import { schemaRef, type Schema } from '../openapi.js';
import { RESERVED_PARAMETERS } from '../../../model/fields-of-every-unit.js';

/** The length in characters of JSON from which a schema is shared. */
const MIN_SHARED_LENGTH = 160;

/** Suffixes for schemas of values in answers, in bodies, and in bodies of edits where these differ. No schema of a kind, and no built-in one, ends so. */
type ValueForm = 'value' | 'input' | 'edit';

export class SharedValues {
  readonly #known = new Map<string, { readonly name: string; readonly text: string; readonly schema: Schema }>();

  find(name: string): Schema | undefined {
    return this.#known.get(bareName(name))?.schema;
  }

  /** Returns a reference to the schema if it is long. A different schema with the same name is not shared. */
  share(kind: KindDef, field: Field, form: ValueForm, schema: Schema): Schema {
    const text = JSON.stringify(schema);
    if (text.length < MIN_SHARED_LENGTH) return schema;
    const name = `${isBuiltIn(kind, field) ? BUILT_IN_PREFIX : ''}${field.id}.${form}`;
    const known = this.#known.get(bareName(name));
    if (!known) this.#known.set(bareName(name), { name, text, schema });
    else if (known.name !== name || known.text !== text) return schema;
    return schemaRef(name);
  }
}

/** Whether a field is built in: users may define parameters with the same id in other projects or kinds. */
function isBuiltIn(kind: KindDef, field: Field): boolean {
  return kind.builtIn || RESERVED_PARAMETERS.has(field.id) || MEMBER_FIELDS.includes(field);
}
