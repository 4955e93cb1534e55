/**
 * Checks a model for contradictions. The catalog checks the model of a change before the commit; and whether all
 * definitions of a project were read: some are missing while its schema is restored from a dump, table by table, which the
 * version does not show, because it is restored before the definitions.
 */
import type { Faults } from '../../shared/errors.js';
import { typeName, type Json } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import { FILE_KIND } from '../built-in-traits.js';
import { BUILT_IN_GROUPS, BUILT_IN_KINDS, BUILT_IN_LINK_TYPES, extendedKind } from '../built-in/built-in.js';
import {
  type KindDef,
  type Model,
  isMemberKind,
  kindsUsing,
  recordOfParameter,
  referencesTo,
  sharedParameter,
  type LinkTypeDef,
} from '../model.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';
import { parameterType } from '../parameter-type/type-by-id.js';
import { checkMadeDefaults } from './made-defaults.js';
import { RESERVED_LINK_PARAMETERS } from '../build/link-types.js';
import { isRules } from '../parameter-setting/access.setting.js';
import { type FileSettings, hasFileSettings } from '../parameter-setting/file.setting.js';
import { parsedTransitions } from '../parameter-setting/transitions.setting.js';

/** Ids of the definitions that a change wrote, of parameters those of their records: only these are checked. */
export interface Touched {
  readonly kinds: ReadonlySet<string>;
  readonly parameters: ReadonlySet<string>;
  readonly linkTypes: ReadonlySet<string>;
  /** Parameters that were defined in the body of a kind or link type, with their positions in its list `parameters`. */
  readonly inline?: ReadonlyMap<string, number>;
  /** Kinds that were added to a group or removed from it. */
  readonly regrouped: ReadonlySet<string>;
}

/** The ids that an error text may suggest: those of definitions that the caller may read. */
export interface SuggestableIds {
  readonly kinds: () => readonly string[];
  readonly parameters: () => readonly string[];
}

/** Adds all faults of touched definitions, and of kinds that use touched parameters, each with its field. */
export function* checkModel(
  model: Model,
  touched: Touched,
  suggestable: SuggestableIds,
  faults: Faults,
): WorkInPieces<void> {
  for (const id of touched.parameters) {
    const def = model.parameters.get(id);
    if (def) checkReference(def, model, suggestable, faults, touched.inline?.get(id));
    yield;
  }
  for (const kind of model.kinds.values()) {
    const uses = kind.parameters.some((id) => touched.parameters.has(recordOfParameter(kind, id)));
    const written = touched.kinds.has(kind.id) || touched.regrouped.has(kind.id);
    if (!kind.builtIn && (written || uses)) checkKind(kind, model, touched, suggestable, faults);
    yield;
  }
  checkMadeDefaults(model, touched, faults);
  for (const type of model.linkTypes.values()) {
    const uses = type.parameters.some((id) => touched.parameters.has(id));
    if (touched.linkTypes.has(type.id) || uses) checkLinkType(type, model, suggestable, faults);
    yield;
  }
}

/** How many definitions of each sort a project may have, without built-in ones. */
const ALLOWED = [
  { sort: 'kinds', limit: 'kindsPerProject', of: ({ kinds }: Model) => countOwn(kinds) },
  { sort: 'parameters', limit: 'parametersPerProject', of: ({ parameters }: Model) => parameters.size },
  { sort: 'groups', limit: 'groupsPerProject', of: ({ groups }: Model) => countOwn(groups) },
  { sort: 'link types', limit: 'linkTypesPerProject', of: ({ linkTypes }: Model) => countOwn(linkTypes) },
  { sort: 'parameters of link types', limit: 'linkParametersPerProject', of: countLinkParameters },
] as const;

function countLinkParameters({ linkTypes }: Model): number {
  return [...linkTypes.values()].reduce((sum, { parameters }) => sum + parameters.length, 0);
}

function countOwn(definitions: ReadonlyMap<string, { readonly builtIn: boolean }>): number {
  return [...definitions.values()].filter(({ builtIn }) => !builtIn).length;
}

/** Adds a fault for every sort of definition whose number exceeds the limit and grows with the change. */
export function checkCounts(before: Model, after: Model, faults: Faults): void {
  for (const { sort, limit, of } of ALLOWED) {
    const [count, allowed] = [of(after), LIMITS[limit]];
    if (count <= allowed || count <= of(before)) continue;
    faults.add('project.full', `A project has at most ${allowed} ${sort}, and this one would have ${count}`);
  }
}

/** @param inline the position in the list `parameters`, if the parameter was defined in the body of a kind */
export function checkReference(
  def: FileSettings,
  model: Model,
  suggestable: SuggestableIds,
  faults: Faults,
  inline?: number,
): void {
  if (def.referenceKind === undefined) return;
  const target = model.kinds.get(def.referenceKind);
  const place = { parameter: inline === undefined ? 'reference_kind' : 'parameters' };
  const name = inline === undefined ? 'reference_kind' : `parameters[${inline}].reference_kind`;
  const isUsable = (kind: KindDef): boolean => !kind.builtIn || isMemberKind(kind);
  if (!target) {
    const usable = suggestable.kinds().filter((id) => {
      const kind = model.kinds.get(id);
      return kind !== undefined && isUsable(kind);
    });
    const hint = faults.hint(def.referenceKind, usable);
    faults.add('parameter.bad_reference', `${name}: no kind '${def.referenceKind}'${hint}`, place);
  } else if (!isUsable(target)) {
    faults.add(
      'parameter.bad_reference',
      `${name}: '${target.id}' is built in; only users' kinds and member kinds can be referenced`,
      place,
    );
  } else if (!target.storage.foreignKeys) {
    faults.add(
      'parameter.bad_reference',
      `${name}: '${target.id}' is remote, so no foreign key can hold a reference to it`,
      place,
    );
  } else if (target.id === FILE_KIND && hasFileSettings(def) && !target.traits.contents) {
    faults.add(
      'parameter.bad_definition',
      `${name}: '${target.id}' is a kind of this project without contents, so that a reference to it has no accept, max_bytes or owned`,
      place,
    );
  }
}

function checkKind(kind: KindDef, model: Model, touched: Touched, suggestable: SuggestableIds, faults: Faults): void {
  checkRemoteReferences(kind, model, faults);
  checkParameterList(kind, model, touched, suggestable, faults);
  checkMemberKey(kind, touched, faults);
  checkLists(kind, definitionsOf(kind), faults);
  checkMadeValues(kind, faults);
  checkSearch(kind, touched, faults);
  checkTransitions(kind, model, touched, faults);
}

/** Conditions are over the units of one kind, and neither those nor states are there for remote units. */
function checkTransitions(kind: KindDef, model: Model, touched: Touched, faults: Faults): void {
  for (const id of kind.parameters) {
    const { transitions } = kind.fields.get(id)?.def ?? {};
    if (!transitions) continue;
    const parameter = touched.kinds.has(kind.id) ? 'parameters' : 'transitions';
    const bad = (text: string) =>
      faults.add('parameter.bad_definition', `${parameter}: '${id}' has transitions, ${text}`, { parameter });
    if (!kind.storage.hasTable) bad(`and the units of '${kind.id}' come from a remote source`);
    const isConditional = parsedTransitions(transitions).list.some(({ when }) => isRules(when));
    const [other] = isConditional ? kindsUsing(model, recordOfParameter(kind, id)).filter((each) => each !== kind) : [];
    if (other) bad(`whose conditions are over units of one kind; '${kind.id}' and '${other.id}' have it`);
  }
}

/** The texts of a unit are searched as one, so that they are taken apart in one way. */
function checkSearch(kind: KindDef, touched: Touched, faults: Faults): void {
  const searched = kind.parameters.flatMap((id) => {
    const { search } = kind.fields.get(id)?.def ?? {};
    return search === undefined ? [] : [{ id, search }];
  });
  const [first, ...others] = searched;
  const other = others.find(({ search }) => search !== first?.search);
  if (!first || !other) return;
  const parameter = touched.kinds.has(kind.id) ? 'parameters' : 'search';
  const text = `one configuration per kind, and '${kind.id}' has '${first.search}' of '${first.id}' and '${other.search}' of '${other.id}'`;
  faults.add('parameter.bad_definition', `${parameter}: ${text}`, { parameter });
}

/** The definitions of a kind's parameters, by their names in it. */
export function definitionsOf({ parameters, fields }: KindDef): Map<string, ParameterDef> {
  return new Map(
    parameters.flatMap((id): [string, ParameterDef][] => {
      const field = fields.get(id);
      return field ? [[id, field.def]] : [];
    }),
  );
}

/** The lists of a kind that name parameters. */
type KindLists = Pick<KindDef, 'parameters' | 'unique' | 'indexes'>;

/** The properties of a definition that decide which lists may name it. */
export type Listed = Pick<ParameterDef, 'type' | 'primary' | 'multiple' | 'runTime'>;

/** Adds a fault if a value of `unique` or `indexes` is no list of lists of ids. */
export function checkListShape(key: string, value: Json | undefined, faults: Faults): void {
  if (value === undefined) return;
  const bad = (text: string) => faults.add('parameter.bad_type', `${key}${text}`, { parameter: key });
  if (!Array.isArray(value)) return void bad(`: must be a list of lists of parameter ids, got ${typeName(value)}`);
  (value as Json[]).forEach((list, at) => {
    const valid = Array.isArray(list) && list.length > 0 && list.every((id: Json) => typeof id === 'string');
    if (!valid) bad(`[${at}]: must be a list of parameter ids`);
  });
}

/** Reports each id that is there twice. Returns the ids, each once. */
function reportTwice(ids: readonly string[], bad: (text: string) => void): ReadonlySet<string> {
  const [seen, twice] = [new Set<string>(), new Set<string>()];
  for (const id of ids) (seen.has(id) ? twice : seen).add(id);
  for (const id of twice) bad(`'${id}' is there twice`);
  return seen;
}

/** Adds the faults of a kind's lists. `reportUnknownParameter` reports unknown ids in `parameters`. */
export function checkLists(kind: KindLists, known: ReadonlyMap<string, Listed>, faults: Faults): void {
  const bad = (text: string) => faults.add('kind.bad_definition', `parameters: ${text}`, { parameter: 'parameters' });
  const { parameters } = kind;
  const primaries = [...reportTwice(parameters, bad)].filter((id) => known.get(id)?.primary);
  if (primaries.length > 1) bad(`at most one primary parameter, got ${primaries.join(' and ')}`);
  if (parameters.length > LIMITS.parametersPerKind) bad(`at most ${LIMITS.parametersPerKind}`);
  checkColumnLists(kind, 'unique', known, faults);
  checkColumnLists(kind, 'indexes', known, faults);
}

/** A remote kind has no table, so no foreign key can reference it. */
function checkRemoteReferences(kind: KindDef, model: Model, faults: Faults): void {
  if (kind.storage.foreignKeys) return;
  for (const { kind: other, field } of referencesTo(model, kind.id)) {
    if (!other.storage.foreignKeys) continue;
    faults.add('kind.referenced', `remote: '${kind.id}' is referred to by '${other.id}' by '${field.id}'`, {
      parameter: 'remote',
    });
  }
}

/** The source of a remote kind makes the values of new units. */
function checkMadeValues(kind: KindDef, faults: Faults): void {
  if (kind.storage.hasTable) return;
  for (const id of kind.parameters) {
    const { made, sequence } = kind.fields.get(id)?.def ?? {};
    const what = sequence ? 'a sequence' : made && 'a default that is made';
    if (!what) continue;
    const text = `parameters: '${id}' has ${what}, and units of '${kind.id}' are made by its source`;
    faults.add('kind.bad_definition', text, { parameter: 'parameters' });
  }
}

/** Adds the fault of a list `parameters` that names an unknown parameter. */
export function reportUnknownParameter(id: string, known: Iterable<string>, faults: Faults): void {
  const text = `parameters: no parameter '${id}' in this project${faults.hint(id, known)}`;
  faults.add('kind.bad_definition', text, { parameter: 'parameters' });
}

function checkParameterList(
  kind: KindDef,
  model: Model,
  touched: Touched,
  suggestable: SuggestableIds,
  faults: Faults,
): void {
  for (const id of kind.parameters) {
    const def = kind.fields.get(id)?.def;
    if (!def) reportUnknownParameter(id, suggestable.parameters(), faults);
    else if (!touched.parameters.has(recordOfParameter(kind, id))) checkReference(def, model, suggestable, faults);
  }
}

/** A member kind cannot have a primary parameter, because member ids are generated. */
function checkMemberKey(kind: KindDef, touched: Touched, faults: Faults): void {
  if (!kind.primary || !isMemberKind(kind)) return;
  const text = `'${kind.id}' would be a member kind with the natural key '${kind.primary.id}', and members have none`;
  faults.add('unit.conflict', text, { parameter: keyGiver(kind, touched) });
}

/**
 * Adds a fault for each new parameter of a kind whose id is not available in one of the kind's groups: it is the id of
 * a granted field, or a name in the bodies or responses of sign-up and sign-in, and of `/auth/me`. The same for what an
 * extensible kind has in every project.
 */
export function reportTakenNames(
  ids: readonly unknown[],
  groups: readonly string[],
  faults: Faults,
  kind?: KindDef,
): void {
  const report = (text: string) =>
    faults.add('kind.bad_definition', `parameters: ${text}`, { parameter: 'parameters' });
  const extended = kind && extendedKind(kind);
  const own = [...(extended?.fields ?? []).map(({ id }) => id), ...(extended?.reserved ?? [])];
  for (const id of own.filter((name) => ids.includes(name))) {
    report(`'${id}' is a name that every unit of '${extended?.id}' has; a parameter needs another id`);
  }
  for (const group of BUILT_IN_GROUPS.filter(({ id }) => groups.includes(id))) {
    for (const { id } of group.grants.filter((granted) => ids.includes(granted.id))) {
      report(`'${id}' comes with the group '${group.id}'; take it from the list`);
    }
    for (const id of group.reserved.filter((name) => ids.includes(name))) {
      report(`'${id}' is a name that sign-up and sign-in use; in the group '${group.id}' a parameter needs another id`);
    }
  }
}

/** The field of the request that would give a member kind a natural key. */
function keyGiver({ id }: KindDef, { kinds, regrouped }: Touched): string {
  if (regrouped.has(id)) return 'kind_list';
  return kinds.has(id) ? 'parameters' : 'is_primary';
}

function checkColumnLists(
  kind: KindLists,
  key: 'unique' | 'indexes',
  known: ReadonlyMap<string, Listed>,
  faults: Faults,
): void {
  const bad = (text: string) => faults.add('kind.bad_definition', `${key}: ${text}`, { parameter: key });
  if (kind[key].length > LIMITS.columnLists) return bad(`at most ${LIMITS.columnLists} lists, got ${kind[key].length}`);
  for (const ids of kind[key]) {
    if (ids.length > LIMITS.listedColumns) {
      bad(`at most ${LIMITS.listedColumns} parameters in one list, got ${ids.length}`);
      continue;
    }
    if (new Set(ids).size !== ids.length) bad(`a parameter is twice in [${ids.join(', ')}]`);
    for (const id of ids) {
      const def = known.get(id);
      if (!def || !kind.parameters.includes(id)) {
        bad(`'${id}' is no parameter of the kind${faults.hint(id, kind.parameters)}`);
      } else if (def.runTime) bad(`'${id}' is not stored`);
      else if (def.multiple || !parameterType(def.type).sortable) bad(`'${id}' cannot be in an index of several`);
    }
  }
  const texts = kind[key].map((ids) => ids.join(','));
  if (new Set(texts).size !== texts.length) bad('the same list is there twice');
}

/** Adds a fault for each parameter that does not exist, is listed twice, or is not possible in links. */
export function checkLinkType(
  { id: type, parameters }: Pick<LinkTypeDef, 'id' | 'parameters'>,
  model: Pick<Model, 'parameters'>,
  suggestable: { readonly parameters: () => readonly string[] },
  faults: Faults,
): void {
  const bad = (text: string) => faults.add('link.bad_definition', `parameters: ${text}`, { parameter: 'parameters' });
  if (parameters.length > LIMITS.parametersPerLinkType) bad(`at most ${LIMITS.parametersPerLinkType}`);
  for (const id of reportTwice(parameters, bad)) {
    const def = sharedParameter(model.parameters, id);
    if (!def) bad(`no parameter '${id}' in this project${faults.hint(id, suggestable.parameters())}`);
    else if (RESERVED_LINK_PARAMETERS.has(id)) bad(`'${id}' is a field of every link; a parameter needs another id`);
    else {
      const reason = notInLinks(def);
      if (reason !== undefined) bad(`'${id}' cannot be a parameter of the link type '${type}': ${reason}`);
    }
  }
}

/** Why links cannot have a parameter; undefined if they can. */
function notInLinks({ readAccess, writeAccess, ...def }: ParameterDef): string | undefined {
  const { type, primary, sequence, unique, multiple, runTime, writeOnce, transitions } = def;
  if (type === 'unit') return 'a link has no references besides its two units';
  if (primary) return 'it is primary';
  if (sequence) return 'it is a sequence';
  if (unique && !multiple) return 'it is unique';
  if (transitions) return 'it has transitions, and values of links can always be changed';
  if (writeOnce) return `it is 'write_once', and values of links can always be changed`;
  if (isRules(readAccess) || isRules(writeAccess)) return 'its access is a rule over units, and links take levels';
  return runTime ? 'it exists only at run time' : undefined;
}

/** Whether the built-in kinds, groups and link types exist that every project has. */
export function hasBuiltIn({ kinds, groups, linkTypes }: Model): boolean {
  return (
    BUILT_IN_KINDS.every(({ id }) => kinds.has(id)) &&
    BUILT_IN_GROUPS.every(({ id }) => groups.has(id)) &&
    BUILT_IN_LINK_TYPES.every(({ id }) => linkTypes.has(id))
  );
}

/** Whether all parameters that kinds and link types name, and all kinds that groups name, exist. */
export function* isWhole({ kinds, parameters, groups, linkTypes }: Model): WorkInPieces<boolean> {
  for (const kind of kinds.values()) {
    if (!kind.builtIn && !kind.parameters.every((id) => kind.fields.has(id))) return false;
    yield;
  }
  for (const type of linkTypes.values()) {
    if (!type.parameters.every((id) => sharedParameter(parameters, id))) return false;
    yield;
  }
  for (const group of groups.values()) {
    if (!group.kinds.every((id) => kinds.has(id))) return false;
    yield;
  }
  return true;
}
