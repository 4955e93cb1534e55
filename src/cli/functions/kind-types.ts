/** Renders the kinds of a project as TypeScript declarations, which type the units in functions. Pure. */
import { isRules } from '../../model/parameter-setting/access.setting.js';
import { parameterType } from '../../model/parameter-type/type-by-id.js';
import { expressionWordsOf } from '../../model/expression.js';
import { storedLinkFields } from '../../model/build/link-types.js';
import type { Field, KindDef, LinkTypeDef, Model } from '../../model/model.js';
import type { Deployment } from '../../function/load/deployment.js';
import { isTimeField, UNIT_FIELDS } from '../../model/field.js';

/** Declarations of kinds and of link types, by id. */
export interface KindTypes {
  readonly kinds: ReadonlyMap<string, string>;
  readonly linkTypes: ReadonlyMap<string, string>;
}

/**
 * The declarations of a project. Built-in kinds are left out, because functions seldom use them. @param deployment the
 * function modules: what their hooks fill is optional
 */
export function kindTypesOf(model: Model, project: string, deployment: Deployment): KindTypes {
  const kinds = [...model.kinds.values()].filter(({ builtIn }) => !builtIn);
  return {
    kinds: textsById(kinds, (kind) => kindLines(kind, model, deployment.fills(project, kind.id))),
    linkTypes: textsById([...model.linkTypes.values()], linkTypeLines),
  };
}

/** The declarations that are the same in all projects. */
export function sharedKindTypes([first, ...others]: readonly KindTypes[]): KindTypes {
  const shared = (of: keyof KindTypes) =>
    new Map([...(first?.[of] ?? [])].filter(([id, text]) => others.every((each) => each[of].get(id) === text)));
  return { kinds: shared('kinds'), linkTypes: shared('linkTypes') };
}

/** The text of a declaration file. @param whose the project, or several */
export function renderKindTypes({ kinds, linkTypes }: KindTypes, ...whose: readonly string[]): string {
  const named = whose.map((id) => `'${id}'`).join(', ');
  const what = whose.length === 1 ? `The kinds of the project ${named}` : `What is the same in the projects ${named}`;
  return [
    '/* eslint-disable */',
    `// ${what}, by \`kind types\`. Made anew, not edited.`,
    "import type { Json } from 'kind';",
    '',
    "declare module 'kind' {",
    '  interface Kinds {',
    ...kinds.values(),
    '  }',
    '  interface LinkTypes {',
    ...linkTypes.values(),
    '  }',
    '}',
    '',
  ].join('\n');
}

function textsById<D extends { readonly id: string }>(
  definitions: readonly D[],
  linesOf: (definition: D) => string[],
): ReadonlyMap<string, string> {
  return new Map(definitions.map((definition) => [definition.id, linesOf(definition).join('\n')]));
}

function kindLines(kind: KindDef, model: Model, fills: ReadonlySet<string>): string[] {
  return [
    ...comment(kind.label, '    '),
    `    ${kind.id}: {`,
    '      unit: {',
    ...unitLines(kind, model),
    '      };',
    '      values: {',
    ...valueLines(kind, fills),
    '      };',
    '      expressions: {',
    ...expressionLines(kind),
    '      };',
    '      references: {',
    ...referenceLines(kind),
    '      };',
    '    };',
  ];
}

/** The values of the links of a type, as they are read and as they are given. */
function linkTypeLines(type: LinkTypeDef): string[] {
  const fields = storedLinkFields(type);
  const values = fields.map((field) => {
    const needed = needsValue(field);
    return property(`${field.id}${needed ? '' : '?'}`, givenType(field), field.def.nullable);
  });
  return [
    `    ${type.id}: {`,
    '      link: {',
    ...fields.map((field) => property(field.id, typeText(field), field.def.nullable)),
    '      };',
    // No values can be given where a type has no parameters.
    ...(values.length > 0
      ? ['      values: {', ...values, '      };']
      : ['      values: Readonly<Record<string, never>>;']),
    '    };',
  ];
}

function needsValue({ def }: Field): boolean {
  return def.required && def.default === null && !def.made;
}

/** The fields of a unit, and the keys under which `include` returns fields of referenced units. */
function unitLines(kind: KindDef, model: Model): string[] {
  const stored = storedOrConstantFields(kind);
  const behind = stored.flatMap(({ id, reference }) => {
    const other = reference && model.kinds.get(reference.kind);
    return (other ? storedOrConstantFields(other) : []).map((field) =>
      property(`'${id}.${field.id}'?`, typeText(field), true),
    );
  });
  return [
    ...stored.map((field) => property(recordKey(field), readType(kind, field), isNullable(kind, field))),
    ...behind,
  ];
}

/** The fields of a record: stored ones and constants. */
function storedOrConstantFields({ fields }: KindDef): Field[] {
  return [...fields.values()].filter(({ column, constant }) => column !== undefined || constant !== undefined);
}

function readType(kind: KindDef, field: Field): string {
  return field.id === 'kind_id' ? `'${kind.id}'` : typeText(field);
}

/** The source of a remote kind may not know when a unit was created. */
function isNullable({ storage }: KindDef, { id, def }: Field): boolean {
  if (isUnitField(id)) return !storage.timestamps && isTimeField(id);
  return def.nullable && !def.primary;
}

/** The words of expressions that an edit may have in place of a value. */
function expressionLines(kind: KindDef): string[] {
  return takenFields(kind).flatMap((field) => {
    const words = expressionWordsOf(field, kind);
    return words.length > 0 ? [property(field.id, words.map((word) => `'${word}'`).join(' | '), false)] : [];
  });
}

function takenFields({ fields }: KindDef): Field[] {
  return [...fields.values()].filter(({ id, def, system, recordOnly }) => {
    return !system && !def.sequence && recordOnly !== true && (!isUnitField(id) || id === 'metadata');
  });
}

/** The values that a body may have. */
function valueLines(kind: KindDef, fills: ReadonlySet<string>): string[] {
  return takenFields(kind).map((field) => {
    const needed = !fills.has(field.id) && (field.def.primary || needsValue(field));
    return property(`${field.id}${needed ? '' : '?'}`, givenType(field), isNullable(kind, field));
  });
}

/**
 * Every object literal has the members of `Object.prototype`, so an optional parameter with such a name must accept
 * them.
 */
function givenType(field: Field): string {
  return field.id in Object.prototype ? `${typeText(field)} | Function` : typeText(field);
}

/** Kinds whose units can be created inside the values. */
function referenceLines({ fields }: KindDef): string[] {
  return [...fields.values()].flatMap(({ id, reference }) =>
    reference ? [property(id, `'${reference.kind}'`, false)] : [],
  );
}

function isUnitField(id: string): boolean {
  return (UNIT_FIELDS as readonly string[]).includes(id);
}

/** A field that a rule may hide is not in every record. */
function recordKey({ id, def }: Field): string {
  return isRules(def.readAccess) ? `${id}?` : id;
}

function property(name: string, type: string, nullable: boolean): string {
  return `        readonly ${name}: ${type}${nullable ? ' | null' : ''};`;
}

function typeText({ id, def }: Field): string {
  if (id === 'metadata') return 'Readonly<Record<string, Json>>';
  const one = def.values
    ? def.values.map((value) => JSON.stringify(value)).join(' | ')
    : parameterType(def.type).typescript;
  if (!def.multiple) return one;
  return one.includes(' | ') ? `readonly (${one})[]` : `readonly ${one}[]`;
}

/** Escapes labels, which are texts of users, so that they cannot end the comment. */
function comment(label: string, indent: string): string[] {
  return [`${indent}/** ${label.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */`];
}
