/** Secrets of a model file: `{env: MODEL_…}` stands in their place for the value of a variable. Pure. */
import type { Field } from '../model/model.js';
import { isPlainObject, type Json } from '../shared/json.js';
import { fieldsOf, SECTION_KINDS, SECTIONS, type FileObject } from './sections.js';

/** The names of variables that a file may name begin with it. */
export const SECRET_PREFIX = 'MODEL_';

/** Whether variables may stand for the value of a field, or for the values of its keys. */
export function isSecret({ id, sealed }: Field): boolean {
  return sealed !== undefined || id === 'headers';
}

export function isVariable(value: unknown): value is { readonly env: unknown } {
  return isPlainObject(value) && Object.keys(value).length === 1 && 'env' in value;
}

/**
 * A file that was checked, with secrets in the place of variables.
 * @param secretOf the value of a variable, and the path where it is named
 */
export function withSecrets(file: FileObject, secretOf: (variable: string, path: string) => string): FileObject {
  const result: Record<string, Json> = { ...file };
  for (const section of SECTIONS) {
    const secrets = [...fieldsOf(SECTION_KINDS[section])].flatMap(([name, field]) => (isSecret(field) ? [name] : []));
    if (secrets.length === 0 || !isPlainObject(file[section])) continue;
    const valueOf = (value: Json, path: string): Json => {
      if (isVariable(value)) return secretOf(String(value.env), path);
      return isPlainObject(value) ? mapValues(value, (each, key) => valueOf(each, `${path}.${key}`)) : value;
    };
    result[section] = mapValues(file[section], (entry, id) => {
      if (!isPlainObject(entry)) return entry;
      return mapValues(entry, (value, name) => {
        return secrets.includes(name) ? valueOf(value, `${section}.${id}.${name}`) : value;
      });
    });
  }
  return result;
}

function mapValues(object: FileObject, of: (value: Json, key: string) => Json): FileObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, of(value, key)]));
}
