/** The kinds of a project as TypeScript: what fills `Kinds` of the kit, so that units of the live model are typed. Pure. */
import { isTimeField } from '../../model/field.js';
import { parameterType } from '../../model/parameter-type/registry.js';
import { UNIT_FIELDS, type Field, type KindDef, type Model } from '../../model/model.js';
import type { Deployment } from '../../function/load/deployment.js';

/**
 * The text of a declaration file. Built-in kinds are left out, whose units functions seldom need.
 * @param deployment the modules, whose hooks may make what a create need not give then
 */
export function renderKindTypes(model: Model, project: string, deployment: Deployment): string {
  const kinds = [...model.kinds.values()].filter(({ builtIn }) => !builtIn);
  return [
    '/* eslint-disable */',
    `// The kinds of the project '${project}', version ${model.version} of its model, by \`kind types ${project}\`. Made anew, not edited.`,
    "import type { Json } from 'kind';",
    '',
    "declare module 'kind' {",
    '  interface Kinds {',
    ...kinds.flatMap((kind) => [
      ...comment(kind.label, '    '),
      `    ${kind.id}: {`,
      '      unit: {',
      ...unitLines(kind, model),
      '      };',
      '      values: {',
      ...valueLines(kind, deployment.mayMake(project, kind.id)),
      '      };',
      '      references: {',
      ...referenceLines(kind),
      '      };',
      '    };',
    ]),
    '  }',
    '}',
    '',
  ].join('\n');
}

/** What a unit has, and by which keys it is answered what `include` asks for behind its references. */
function unitLines(kind: KindDef, model: Model): string[] {
  const stored = storedOrConstantFields(kind);
  const behind = stored.flatMap(({ id, reference }) => {
    const other = reference && model.kinds.get(reference.kind);
    return (other ? storedOrConstantFields(other) : []).map((field) =>
      property(`'${id}.${field.id}'?`, typeText(field), true),
    );
  });
  return [...stored.map((field) => property(field.id, readType(kind, field), isNullable(kind, field))), ...behind];
}

/** What is in a record: all that is stored, or the same in every unit. */
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

/** What a body may have. */
function valueLines(kind: KindDef, mayMake: boolean): string[] {
  const taken = [...kind.fields.values()].filter(({ id, system, recordOnly }) => {
    return !system && recordOnly !== true && (!isUnitField(id) || id === 'metadata');
  });
  return taken.map((field) => {
    const needed = !mayMake && (field.def.primary || (field.def.required && field.def.default === null));
    return property(`${field.id}${needed ? '' : '?'}`, givenType(field), isNullable(kind, field));
  });
}

/** Any object has what `Object.prototype` has, and a literal that leaves such an optional parameter out must fit. */
function givenType(field: Field): string {
  return field.id in Object.prototype ? `${typeText(field)} | Function` : typeText(field);
}

/** Kinds of which units can be created inside the values. */
function referenceLines({ fields }: KindDef): string[] {
  return [...fields.values()].flatMap(({ id, reference }) =>
    reference ? [property(id, `'${reference.kind}'`, false)] : [],
  );
}

function isUnitField(id: string): boolean {
  return (UNIT_FIELDS as readonly string[]).includes(id);
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

/** Labels are users' texts: one that would end the comment does not. */
function comment(label: string, indent: string): string[] {
  return [`${indent}/** ${label.replace(/\s+/g, ' ').replaceAll('*/', '* /')} */`];
}
