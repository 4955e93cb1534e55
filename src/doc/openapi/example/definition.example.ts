/** Example definitions, with ids that are not used yet. Pure. */
import type { KindDef, Model } from '../../../model/model.js';
import { isReference } from '../../../model/parameter-type/parameter-type.js';
import { isParameterTypeId, parameterType } from '../../../model/parameter-type/type-by-id.js';
import type { ParameterTypeId } from '../../../model/parameter-type/parameter-types.js';
import { ADMIN_KIND, GROUP_KIND, KIND_KIND, LINK_KIND } from '../../../model/built-in-traits.js';
import type { Schema } from '../openapi.js';

/** An example body for creating or editing a definition; undefined for kinds whose units are no definitions. */
export function definitionExample(
  kind: KindDef,
  model: Model,
  create: boolean,
  isNamed: (kindId: string) => boolean,
): Schema | undefined {
  if (!kind.builtIn || kind.key !== 'identifier') return undefined;
  if (!create) return { label: 'A better name' };
  if (kind.id === KIND_KIND) return kindExample(model);
  if (kind.id === GROUP_KIND) {
    return { id: freeId('favourites', model.groups), label: 'Favourites', description: 'What we like', kind_list: [] };
  }
  if (kind.id === LINK_KIND) return { id: freeId('knows', model.linkTypes), label: 'Knows' };
  return isParameterTypeId(kind.id) ? parameterExample(kind.id, model, isNamed) : undefined;
}

/** A complete kind with inline parameters, a unique constraint and access. */
function kindExample({ kinds, parameters }: Model): Schema {
  const [title, year, genre] = ['title', 'year', 'genre'].map((id) => freeId(id, parameters));
  return {
    id: freeId('book', kinds),
    label: 'Book',
    parameters: [
      { id: title, kind_id: 'string', label: 'Title', required: true, max_length: 200 },
      { id: year, kind_id: 'integer', label: 'Year', min_value: 1450 },
      { id: genre, kind_id: 'string', label: 'Genre', values: ['novel', 'poetry'], default_string: 'novel' },
    ],
    unique: [[title, year]],
    indexes: [[genre, year]],
    access: { read: 'anyone', update: 'admin', delete: 'admin' },
    metadata: {},
  };
}

function parameterExample(
  type: ParameterTypeId,
  { kinds, parameters }: Model,
  isNamed: (kindId: string) => boolean,
): Schema {
  const target = [...kinds.values()].find(({ id, builtIn, storage }) => !builtIn && storage.hasTable && isNamed(id));
  return {
    id: freeId(`example_${type}`, parameters),
    label: 'Example',
    helper_text: 'What it is for',
    ...(isReference(parameterType(type)) && { reference_kind: target?.id ?? ADMIN_KIND }),
  };
}

function freeId(id: string, taken: { has: (id: string) => boolean }): string {
  let free = id;
  for (let at = 2; taken.has(free); at += 1) free = `${id}_${at}`;
  return free;
}
