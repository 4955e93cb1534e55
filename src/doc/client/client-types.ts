/** Renders `types.ts` of a client (docs/client.md): the kinds of a project as one caller sees them. Pure. */
import { describedFields, namedFields, writableFields } from '../../access/masks.js';
import { GROUP_KIND, KIND_KIND, LINK_KIND } from '../../model/built-in-traits.js';
import { expressionWordsOf, type ExpressionWord } from '../../model/expression.js';
import { URL_FIELD } from '../../model/built-in/file-fields.js';
import { storedLinkFields } from '../../model/build/link-types.js';
import { isRequired } from '../../model/field.js';
import { isLinkable, type Field, type KindDef } from '../../model/model.js';
import { isParameterTypeId, parameterType } from '../../model/parameter-type/type-by-id.js';
import { conditionOf } from '../../model/predicate/conditional-field.js';
import { EventLoopYield } from '../../shared/event-loop-yield.js';
import { getOrInsert } from '../../shared/maps.js';
import { takesKey, type DocumentedRoute } from '../openapi/application.js';
import type { DocumentedFunction } from '../openapi/documented-functions.js';
import { shownRoutes } from '../openapi/document.js';
import { bodyFields, isRequiredInBody, readsAll } from '../openapi/schema/unit.schema.js';

import { hasRecord, mayCreate, readableLinkTypes, type DocumentInput } from '../openapi/view.js';
import { writtenFile } from './written-file.js';

type Routes = ReadonlySet<DocumentedRoute>;

/** The calls of the client that each route serves, as `packages/client/runtime.ts` names them. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  list: ['list', 'each'],
  aggregate: ['aggregate'],
  get: ['get'],
  create: ['create'],
  update: ['update'],
  updateAll: ['updateAll'],
  delete: ['remove'],
  deleteAll: ['removeAll'],
  linked: ['links'],
  link: ['link'],
  update_link: ['update_link'],
  unlink: ['unlink'],
  link_many: ['link_many'],
  unitHistory: ['history'],
  signup: ['signup'],
};

/** @param caller whose client it is, in words */
export async function clientTypes(input: DocumentInput, caller: string): Promise<string> {
  const yielder = new EventLoopYield();
  const kinds: string[] = [];
  const rights = new Map<string, string>();
  const referrers = allReferrers(input);
  const all = [...(await shownRoutes(input))].filter(([kind]) => !isDefinition(kind));
  const shown = all.sort(([a], [b]) => (a.id < b.id ? -1 : 1));
  for (const [kind, routes] of shown) {
    const can = union(callsOf(kind, routes));
    if (!rights.has(can)) rights.set(can, `Can${rights.size}`);
    kinds.push(kindText(kind, rights.get(can) ?? can, referrers.get(kind.id) ?? [], input));
    if (yielder.due) await yielder.pause();
  }
  // Many kinds have the same.
  const rightLines = [...rights].map(([can, name]) => `type ${name} = ${can};`);
  const interfaceText = [
    ...rightLines,
    '',
    'interface Links {',
    ...linkLines(input),
    '}',
    '',
    'export interface Kinds {',
    ...kinds,
    '}',
  ].join('\n');
  const text = [
    ...importLines(interfaceText),
    interfaceText,
    '',
    '/** What a request has to know of them. */',
    'export const FACTS = {',
    `  keyless: ${JSON.stringify(shown.filter(([kind, routes]) => isKeyless(kind, routes)).map(([{ id }]) => id))},`,
    `  gets: ${JSON.stringify(Object.fromEntries(shown.flatMap(([kind]) => getFunctions(kind, input))))},`,
    '};',
    '',
  ];
  return writtenFile(caller, text.join('\n'));
}

/** Of those that are used, because compilers may refuse others. */
function importLines(text: string): readonly string[] {
  const names = new Set(text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/\b[A-Z]\w*/g));
  const used = ['Change', 'Inc', 'Json', 'JsonObject', 'Merge', 'SetTo'].filter((name) => names.has(name));
  return used.length > 0 ? [`import type { ${used.join(', ')} } from './runtime.js';`, ''] : [];
}

/** The link types with what each gives its links; of any name for who may not read which there are. */
function linkLines(input: DocumentInput): readonly string[] {
  const types = readableLinkTypes(input);
  if (!types) return ['  [link_id: string]: object;'];
  return types.map((type) => {
    const writable = writableFields(type.values, input.caller, input.model);
    const fields = storedLinkFields(type).filter(({ id }) => writable.has(id));
    return `  ${type.id}: ${object(fields.map((field) => valueMember(field, field.def.required !== true)))};`;
  });
}

/** Kinds of definitions, which a client for units leaves out. */
function isDefinition({ id }: KindDef): boolean {
  return id === KIND_KIND || id === GROUP_KIND || id === LINK_KIND || isParameterTypeId(id);
}

function kindText(kind: KindDef, can: string, from: readonly string[], input: DocumentInput): string {
  const functions = input.functions(kind).filter(({ scope }) => scope !== 'endpoint');
  const members = {
    unit: object(unitMembers(kind, input)),
    refs: object(referenceMembers(kind, input)),
    from: union(from),
    create: object(createMembers(kind, input)),
    edit: object(editMembers(kind, input)),
    all: String(hasRecord(input, kind.id) && readsAll(kind, input)),
    can,
    functions: object(functions.map((declared) => functionMember(declared, input))),
    links: isLinkable(kind) ? 'Links' : '{}',
  };
  return `  ${kind.id}: {\n${Object.entries(members)
    .map(([name, type]) => `    ${name}: ${type};\n`)
    .join('')}  };`;
}

function callsOf(kind: KindDef, routes: Routes): readonly string[] {
  const calls = [...routes].flatMap(({ id, upserts }) => [
    ...(CALLS[id] ?? []),
    ...(id === 'list' && kind.changes !== 'none' ? ['live'] : []),
    ...(upserts === true && kind.storage.bulk && !kind.traits.contents ? ['upsert'] : []),
  ]);
  return [...new Set(calls)].map((call) => JSON.stringify(call));
}

/** Without the right to read, a caller is still answered the id of what it creates. */
function unitMembers(kind: KindDef, { caller, model, ...input }: DocumentInput): string[] {
  const readable = hasRecord({ caller, model, ...input }, kind.id)
    ? [...describedFields(kind, caller, model).values()]
    : [...kind.fields.values()].filter(({ id }) => id === 'id' || id === 'kind_id');
  const members = readable.map((field) => {
    const type = field.id === 'kind_id' ? JSON.stringify(kind.id) : readType(field);
    return `${field.id}${conditionOf(field) ? '?' : ''}: ${type}`;
  });
  const { secret } = kind.traits;
  return [
    ...members,
    // Answered where `include` names it, and once, by a create.
    ...(namedFields(kind, caller, model).get(URL_FIELD.id) === URL_FIELD ? [`${URL_FIELD.id}?: string`] : []),
    ...(secret === undefined ? [] : [`${secret}?: string | null`]),
  ];
}

function readType({ constant, def, shownWhere, ...field }: Field): string {
  if (constant !== undefined) return JSON.stringify(constant);
  const isNullable = (def.nullable && !def.primary) || shownWhere !== undefined;
  return orNull(valueType({ def, ...field }), isNullable);
}

/** Those that lead to a kind of which the caller may read units. */
function referenceMembers(kind: KindDef, input: DocumentInput): string[] {
  return referencesOf(kind, input).flatMap(({ id, reference }) =>
    reference && hasRecord(input, reference.kind) ? [`${id}: ${JSON.stringify(reference.kind)}`] : [],
  );
}

function referencesOf(kind: KindDef, { caller, model }: DocumentInput): Field[] {
  return [...describedFields(kind, caller, model).values()].filter(({ reference, def }) => reference && !def.multiple);
}

/** The references that lead to each kind, of kinds of which the caller may read units. */
function allReferrers(input: DocumentInput): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const kind of input.model.kinds.values()) {
    if (!hasRecord(input, kind.id)) continue;
    for (const { id, reference } of referencesOf(kind, input)) {
      if (reference) getOrInsert(found, reference.kind, () => []).push(JSON.stringify(`${kind.id}.${id}`));
    }
  }
  return found;
}

function createMembers(kind: KindDef, input: DocumentInput): string[] {
  const fills = input.fills(kind);
  return bodyFields(kind, input).map((field) => {
    const isNeeded = isRequiredInBody(kind, field) && !fills.has(field.id);
    const target = field.reference?.kind;
    const isNested = target !== undefined && kind.storage.nested && mayCreate(input, target);
    const one = isNested ? `string | Kinds[${JSON.stringify(target)}]["create"]` : oneType(field);
    // Every object has the members of `Object.prototype`.
    const type = field.id in Object.prototype ? `${listOf(field, one)} | object` : listOf(field, one);
    return `${field.id}${isNeeded ? '' : '?'}: ${orNull(type, field.def.nullable)}`;
  });
}

function editMembers(kind: KindDef, input: DocumentInput): string[] {
  const readable = describedFields(kind, input.caller, input.model);
  return bodyFields(kind, input).flatMap((field) => {
    const words = readable.has(field.id) ? expressionWordsOf(field, kind) : [];
    const types = new Set(words.map((word) => expressionType(word, field)));
    return types.size > 0 ? [`${field.id}: ${union([...types])}`] : [];
  });
}

function expressionType(word: ExpressionWord, field: Field): string {
  switch (word) {
    case '$inc':
      return 'Inc';
    case '$remove':
    case '$add':
      return `Change<${oneType(field)}>`;
    case '$merge':
      return 'Merge';
    case '$set':
      return 'SetTo';
  }
}

function valueMember(field: Field, isOptional: boolean): string {
  return `${field.id}${isOptional ? '?' : ''}: ${orNull(valueType(field), field.def.nullable)}`;
}

function functionMember({ name, scope, parameters, returns }: DocumentedFunction, input: DocumentInput): string {
  const given = parameters.map((field) => valueMember(field, !isRequired(field)));
  const members = {
    unit: String(scope === 'unit'),
    parameters: object(given),
    returns: returnedType(returns, input),
  };
  return `${name}: ${object(Object.entries(members).map(([key, type]) => `${key}: ${type}`))}`;
}

function returnedType(returns: DocumentedFunction['returns'], input: DocumentInput): string {
  if (!returns) return 'unknown';
  if ('values' in returns) return object(returns.values.map((field) => `${field.id}: ${readType(field)}`));
  return hasRecord(input, returns.kind) ? `Kinds[${JSON.stringify(returns.kind)}]["unit"]` : 'unknown';
}

function isKeyless(kind: KindDef, routes: Routes): boolean {
  return [...routes].some((route) => route.id === 'create' && !takesKey(route, kind));
}

/** With their parameters that are JSON; `[]` follows those of several values. */
function getFunctions(kind: KindDef, { functions }: DocumentInput): [string, readonly string[]][] {
  return functions(kind).flatMap(({ name, scope, methods, parameters }) => {
    if (scope === 'endpoint' || methods.includes('POST')) return [];
    const json = parameters.filter(({ type }) => type.inQuery === 'json');
    return [[`${kind.id}.${name}`, json.map(({ id, def }) => (def.multiple ? `${id}[]` : id))]];
  });
}

function valueType(field: Pick<Field, 'id' | 'def'>): string {
  return listOf(field, oneType(field));
}

function oneType({ id, def }: Pick<Field, 'id' | 'def'>): string {
  if (id === 'metadata') return 'JsonObject';
  return def.values ? union(def.values.map((value) => JSON.stringify(value))) : parameterType(def.type).typescript;
}

function listOf({ def }: Pick<Field, 'def'>, one: string): string {
  return def.multiple ? `readonly ${one.includes(' ') ? `(${one})` : one}[]` : one;
}

function orNull(type: string, isNullable: boolean): string {
  return isNullable ? `${type} | null` : type;
}

function union(types: readonly string[]): string {
  return types.length > 0 ? types.join(' | ') : 'never';
}

function object(members: readonly string[]): string {
  return members.length > 0 ? `{ ${members.join('; ')} }` : '{}';
}
