/** The schemas of values that are long: each stands once in a document, and kinds that share a parameter refer to it. Pure. */
import { BUILT_IN_PREFIX, bareName } from './names.js';
import { MEMBER_FIELDS } from '../../model/built-in/member-fields.js';
import { RESERVED_PARAMETERS, type Field, type KindDef } from '../../model/model.js';
import { schemaRef, type Schema } from './openapi.js';

/** Characters of JSON from which a schema is long. */
const MIN_SHARED_LENGTH = 160;

/** How values stand in answers, and in bodies. No name of a schema of a kind, nor a built-in one, ends so. */
export type ValueForm = 'value' | 'input';

export class SharedValues {
  readonly #known = new Map<string, { readonly name: string; readonly text: string; readonly schema: Schema }>();

  find(name: string): Schema | undefined {
    return this.#known.get(bareName(name))?.schema;
  }

  /** A reference to the schema where it is long. Another one of a name that is alike stays where it is. */
  place(kind: KindDef, field: Field, form: ValueForm, schema: Schema): Schema {
    const text = JSON.stringify(schema);
    if (text.length < MIN_SHARED_LENGTH) return schema;
    const name = `${isBuiltIn(kind, field) ? BUILT_IN_PREFIX : ''}${field.id}.${form}`;
    const known = this.#known.get(bareName(name));
    if (!known) this.#known.set(bareName(name), { name, text, schema });
    else if (known.name !== name || known.text !== text) return schema;
    return schemaRef(name);
  }
}

/** Whether a field is not a parameter of users: ids of those may be the same. */
function isBuiltIn(kind: KindDef, field: Field): boolean {
  return kind.builtIn || RESERVED_PARAMETERS.has(field.id) || MEMBER_FIELDS.includes(field);
}
