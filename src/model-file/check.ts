/** Checks a model file by itself: its keys, and the values of its fields as the API accepts them. Pure. */
import { checkAccess, checkFieldRuleSyntax, checkLinkAccess } from '../access/check-access.js';
import { checkAccepted } from '../access/accepted.js';
import { ACCESS_DEFAULTS } from '../model/access-levels.js';
import { definitionOf } from '../model/build/definition-records.js';
import { NO_TRAITS } from '../model/built-in-traits.js';
import { acceptedValue } from '../model/accepted-value.js';
import { checkListShape } from '../model/check/check-model.js';
import { checkParameter } from '../model/check/check-parameter.js';
import { checkCheckShape } from '../model/check/kind-checks.js';
import { PatternChecks } from '../model/check/pattern-checks.js';
import type { Field } from '../model/model.js';
import { settingName } from '../model/parameter-setting/parameter-settings.js';
import type { ParameterTypeId } from '../model/parameter-type/parameter-types.js';
import { isParameterTypeId, PARAMETER_TYPES } from '../model/parameter-type/type-by-id.js';
import { faultTexts } from '../shared/collect-faults.js';
import type { Faults } from '../shared/errors.js';
import { IDENTIFIER_HINT, isIdentifier } from '../shared/identifiers.js';
import { isPlainObject, jsonEqual, typeName, type Json } from '../shared/json.js';
import { LIMITS } from '../shared/limits.js';
import { didYouMean, shortened } from '../shared/texts.js';
import type { WorkInPieces } from '../shared/work-in-pieces.js';
import { MODEL_SETTINGS, readAdministered, SettingFault } from '../tenancy/project-settings.js';
import { isDroppable } from './definitions.js';
import { isSecret, isVariable, SECRET_PREFIX } from './secrets.js';
import type { FileObject } from './sections.js';
import type { ReadText } from './read/read-text.js';
import {
  fieldsOf,
  fieldsOfAnyType,
  FORMAT,
  FORMAT_VERSION,
  SECTION_KINDS,
  SECTIONS,
  type SectionId,
} from './sections.js';

const TOP = ['format', 'version', 'partial', 'drop', 'settings', 'parameters', ...SECTIONS, 'units'] as const;
/** What an entry may have beside the fields of its kind. */
const MORE: Readonly<Record<SectionId, readonly string[]>> = {
  kinds: ['was'],
  groups: ['was'],
  links: ['was'],
  webhooks: [],
  identity_providers: [],
};
const NO_SECRET = 'is no secret, so that no variable stands in its place';
const MORE_OF_PARAMETERS = ['type', 'was', 'fill'] as const;

/** The line of the innermost key of a path that is there. It is asked for where something is wrong. */
export type LineOf = (path: string) => number | undefined;

/** Adds a fault for everything that is wrong in a file, each with its line and path. @param faults `model.bad_file` */
export function* checkModelFile({ value, faults: read }: ReadText, lineOf: LineOf, faults: Faults): WorkInPieces<void> {
  const check = new FileCheck(lineOf, faults);
  for (const { line, path, text } of read) check.addIn(line, path, text);
  if (value !== undefined) yield* check.file(value);
}

class FileCheck {
  /** The definitions of shared parameters, with where they stand. */
  readonly #shared = new Map<string, { readonly path: string; readonly entry: Json }>();
  #isPartial = false;

  constructor(
    private readonly lineOf: LineOf,
    private readonly faults: Faults,
  ) {}

  addIn(line: number | undefined, path: string, text: string): void {
    const place = path === '' ? '' : `${path} `;
    const named = path === '' ? {} : { parameter: path };
    this.faults.add('model.bad_file', `${inLine(line, (n) => `line ${n}: `)}${place}${text}`, {
      ...(line !== undefined && { line }),
      ...named,
    });
  }

  *file(value: Json): WorkInPieces<void> {
    const file = this.#object(value, '');
    if (!file) return;
    if (file['format'] !== FORMAT) this.#add('format', `must be '${FORMAT}'`);
    this.#checkVersion(file['version']);
    this.#isPartial = this.#flag(file, 'partial');
    this.#checkKeys(file, '', TOP, 'a model file');
    this.#checkDrop(file['drop']);
    for (const [name, given] of this.#entries(file, 'settings')) this.#checkSetting(name, given);
    for (const [id, entry] of this.#entries(file, 'parameters')) {
      this.#checkId(id, `parameters.${id}`);
      if (entry !== null || !this.#isPartial) this.#parameter(id, entry, `parameters.${id}`);
      if (isPlainObject(entry) && entry['own'] === true)
        this.#add(`parameters.${id}.own`, 'is for parameters that stand in their kind');
      yield;
    }
    for (const section of SECTIONS) {
      for (const [id, entry] of this.#entries(file, section)) {
        this.#checkId(id, `${section}.${id}`);
        this.#entry(section, id, entry, `${section}.${id}`);
        yield;
      }
    }
    for (const [id, seeds] of this.#entries(file, 'units')) this.#checkUnits(seeds, `units.${id}`);
    if (!this.#isPartial) this.#checkNames(file);
  }

  #add(path: string, text: string): void {
    this.addIn(this.lineOf(path), path, text);
  }

  #object(value: Json | undefined, path: string): FileObject | undefined {
    if (isPlainObject(value)) return value;
    this.#add(path, `must be an object, got ${typeName(value)}`);
    return undefined;
  }

  /** Those of a section; none if it is left out, or empty. */
  #entries(file: FileObject, section: string): [string, Json][] {
    const given = file[section] ?? null;
    return given === null ? [] : Object.entries(this.#object(given, section) ?? {});
  }

  #checkKeys(given: FileObject, path: string, known: readonly string[], what: string): void {
    for (const key of Object.keys(given)) {
      if (known.includes(key)) continue;
      const place = path === '' ? key : `${path}.${key}`;
      this.#add(place, `is no field of ${what}${didYouMean(key, known)}`);
    }
  }

  #checkVersion(version: Json | undefined): void {
    if (version === FORMAT_VERSION) return;
    const isNewer = typeof version === 'number' && version > FORMAT_VERSION;
    this.#add('version', isNewer ? `${version} is of a newer release; this one reads 1` : `must be ${FORMAT_VERSION}`);
  }

  #flag(file: FileObject, name: string): boolean {
    const given = file[name] ?? false;
    if (typeof given !== 'boolean') this.#add(name, `must be true or false, got ${typeName(given)}`);
    return given === true;
  }

  #checkDrop(drop: Json | undefined): void {
    if (drop === undefined || drop === null) return;
    if (!this.#isPartial) this.#add('drop', 'is for files with partial: true; a whole file leaves out what is dropped');
    const isList = Array.isArray(drop) && (drop as Json[]).every((each) => typeof each === 'string');
    if (!isList) return this.#add('drop', 'must be a list of names, such as article.summary or links.cites');
    for (const [at, name] of (drop as string[]).entries()) {
      if (!isDroppable(name))
        this.#add(`drop[${at}]`, `'${shortened(name)}' names nothing to drop, such as article.summary or links.cites`);
    }
  }

  #checkSetting(name: string, given: Json): void {
    const path = `settings.${name}`;
    if (!MODEL_SETTINGS.some((each) => each === name)) {
      this.#add(path, `is no setting of a model file${didYouMean(name, MODEL_SETTINGS)}`);
    } else if (name === 'access_default') {
      if (!ACCESS_DEFAULTS.some((each) => each === given)) this.#add(path, `must be ${ACCESS_DEFAULTS.join(' or ')}`);
    } else if (typeof given !== 'string' && typeof given !== 'boolean') {
      this.#add(path, `must be a text, got ${typeName(given)}`);
    } else {
      const read = readAdministered(name, given);
      if (read instanceof SettingFault) this.#add(path, read.text);
    }
  }

  #checkId(id: string, path: string): void {
    if (!isIdentifier(id)) this.#add(path, `is no id: it must be ${IDENTIFIER_HINT}`);
  }

  #entry(section: SectionId, id: string, given: Json, path: string): void {
    // A group may be a list of its kinds alone.
    const short = section === 'groups' && Array.isArray(given);
    const entry = this.#object(short ? { kind_list: given } : (given ?? {}), path);
    if (!entry) return;
    const kindId = SECTION_KINDS[section];
    const fields = fieldsOf(kindId);
    this.#checkKeys(entry, path, [...fields.keys(), ...MORE[section]], `an entry of ${section}`);
    this.#checkWas(entry, id, path);
    for (const [name, field] of fields) {
      if (name === 'parameters') this.#listed(entry, path, section);
      else if (name in entry) this.#value(field, entry[name] ?? null, short ? path : `${path}.${name}`);
    }
    this.#checkMeaning(path, (faults) => {
      for (const key of ['unique', 'indexes']) if (entry[key] !== null) checkListShape(key, entry[key], faults);
      checkCheckShape(entry['checks'], faults);
      checkAccepted(entry['accepted'], faults);
      const access = withoutNulls(entry['access'] ?? null);
      if (access === null) return;
      if (section === 'kinds') checkAccess(NO_TRAITS, access, faults);
      if (section === 'links') checkLinkAccess(access, faults);
    });
  }

  /** The parameters of a kind or link type: a name alone is that of a shared one. */
  #listed(entry: FileObject, path: string, section: SectionId): void {
    const listed = entry['parameters'] ?? null;
    if (listed === null) return;
    for (const [id, given] of Object.entries(this.#object(listed, `${path}.parameters`) ?? {})) {
      const place = `${path}.parameters.${id}`;
      this.#checkId(id, place);
      if (given === null) continue;
      this.#parameter(id, given, place);
      if (section === 'links' && isPlainObject(given) && given['own'] === true)
        this.#add(`${place}.own`, 'is for parameters of kinds; those of link types are shared');
    }
  }

  #parameter(id: string, given: Json, path: string): void {
    const entry = this.#object(given, path);
    if (!entry) return;
    const type = entry['type'];
    if (type === undefined && this.#isPartial) return this.#untyped(id, entry, path);
    if (typeof type !== 'string' || !isParameterTypeId(type)) {
      const hint = typeof type === 'string' ? didYouMean(type, PARAMETER_TYPES.keys()) : '';
      this.#add(`${path}.type`, `must be a parameter type${hint}: ${[...PARAMETER_TYPES.keys()].join(', ')}`);
      return;
    }
    this.#checkShared(id, entry, path);
    const fields = fieldsOf(type);
    this.#checkKeys(entry, path, [...MORE_OF_PARAMETERS, ...fields.keys()], `a parameter of type ${type}`);
    this.#checkWas(entry, id, path);
    const values = [...fields].filter(([name]) => entry[name] !== undefined && entry[name] !== null);
    for (const [name, field] of values) this.#value(field, entry[name] ?? null, `${path}.${name}`);
    this.#checkMeaning(path, (faults) => {
      const stored = values.map(([name, { column }]): [string, Json] => [column ?? name, entry[name] ?? null]);
      const record = { ...Object.fromEntries(stored), id, kind_id: type, label: id };
      const def = definitionOf(record);
      // Patterns are compiled where they are stored, and what a partial file gives meets there what it lacks.
      if (!this.#isPartial) checkParameter(def, faults, new PatternChecks());
      checkFieldRuleSyntax(def, faults);
    });
    if (!this.#isPartial) this.#checkFill(entry, id, type, path);
  }

  /** One whose type stays. The project knows it, and so what values it may have. */
  #untyped(id: string, entry: FileObject, path: string): void {
    this.#checkShared(id, entry, path);
    this.#checkKeys(entry, path, [...MORE_OF_PARAMETERS, ...fieldsOfAnyType()], 'a parameter');
    this.#checkWas(entry, id, path);
  }

  /** It is a value as the default is one. */
  #checkFill(entry: FileObject, id: string, type: ParameterTypeId, path: string): void {
    const [fill = null, name] = [entry['fill'], settingName('default', type)];
    const column = fieldsOf(type).get('default')?.column;
    if (fill === null || column === undefined) return;
    const stored = [...fieldsOf(type)].map(([key, field]): [string, Json] => [field.column ?? key, entry[key] ?? null]);
    const def = definitionOf({ ...Object.fromEntries(stored), id, kind_id: type, label: id, [column]: fill });
    const texts = faultTexts((faults) => checkParameter(def, faults, new PatternChecks()));
    for (const text of texts) if (text.startsWith(`${name}: `)) this.#add(`${path}.fill`, text.slice(name.length + 2));
  }

  /** A shared parameter that stands in several places is the same in all. */
  #checkShared(id: string, entry: FileObject, path: string): void {
    if (entry['own'] === true) return;
    const first = this.#shared.get(id);
    if (!first) this.#shared.set(id, { path, entry });
    else if (!jsonEqual(first.entry, entry)) {
      const way = 'name it by its id alone in all but one, or give it own: true';
      this.#add(
        path,
        `is another definition than ${first.path}${inLine(this.lineOf(first.path), (n) => ` in line ${n}`)}; ${way}`,
      );
    }
  }

  #checkWas(entry: FileObject, id: string, path: string): void {
    const was = entry['was'] ?? null;
    if (was === id) this.#add(`${path}.was`, 'is its id as it is');
    if (was !== null && !isIdentifier(was)) this.#add(`${path}.was`, `is no id: it must be ${IDENTIFIER_HINT}`);
  }

  #value(field: Field, value: Json, path: string): void {
    if (value === null) return;
    if (isSecret(field) && isVariable(value)) return this.#checkVariable(value, path);
    if (field.id === 'headers') return this.#checkHeaders(value, path);
    // The path is named already.
    const bad = (text: string) => this.#add(path, isVariable(value) ? NO_SECRET : text.replace(/^[^:]*: /, ''));
    acceptedValue(field, value, bad);
  }

  #checkVariable({ env }: { readonly env: unknown }, path: string): void {
    if (typeof env === 'string' && env.startsWith(SECRET_PREFIX)) return;
    this.#add(`${path}.env`, `must be the name of a variable that begins with ${SECRET_PREFIX}`);
  }

  #checkHeaders(value: Json, path: string): void {
    for (const [name, each] of Object.entries(this.#object(value, path) ?? {})) {
      if (isVariable(each)) this.#checkVariable(each, `${path}.${name}`);
      else if (each !== null && typeof each !== 'string')
        this.#add(`${path}.${name}`, `must be a text, got ${typeName(each)}`);
    }
  }

  /** @param check whose faults begin with the name of the field */
  #checkMeaning(path: string, check: (faults: Faults) => void): void {
    for (const text of faultTexts(check)) {
      const [, field = '', rest = text] = /^([a-z_]+)((?:\.|\[|: )[^]*)$/.exec(text) ?? [];
      const place = field === '' ? path : `${path}.${field.startsWith('default_') ? 'default' : field}`;
      this.#add(place, rest.replace(/^: /, ''));
    }
  }

  #checkUnits(given: Json, path: string): void {
    const seeds = this.#object(given, path);
    if (!seeds) return;
    this.#checkKeys(seeds, path, ['by', 'items'], 'the units of a kind');
    const { by, items } = seeds;
    const isNames = Array.isArray(by) && by.length > 0 && (by as Json[]).every((each) => typeof each === 'string');
    if (!isNames) this.#add(`${path}.by`, 'must be a list of the parameters by which a unit is found');
    if (!Array.isArray(items) || !(items as Json[]).every(isPlainObject))
      this.#add(`${path}.items`, 'must be a list of units');
    else if (items.length > LIMITS.bulk)
      this.#add(`${path}.items`, `has ${items.length} units; at most ${LIMITS.bulk}`);
  }

  /** Shared parameters that are named alone stand somewhere in a whole file. */
  #checkNames(file: FileObject): void {
    for (const section of ['kinds', 'links'] as const) {
      for (const [id, entry] of Object.entries((file[section] ?? {}) as FileObject)) {
        const listed = isPlainObject(entry) && isPlainObject(entry['parameters']) ? entry['parameters'] : {};
        for (const [name, given] of Object.entries(listed)) {
          if (given !== null || this.#shared.has(name)) continue;
          const hint = didYouMean(shortened(name), this.#shared.keys());
          this.#add(`${section}.${id}.parameters.${name}`, `is no parameter of the file${hint}`);
        }
      }
    }
  }
}

function inLine(line: number | undefined, text: (line: number) => string): string {
  return line === undefined ? '' : text(line);
}

/** The default of an operation may be named. */
function withoutNulls(access: Json): Json {
  if (!isPlainObject(access)) return access;
  return Object.fromEntries(Object.entries(access as FileObject).filter(([, setting]) => setting !== null));
}
