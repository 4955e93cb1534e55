/** Validates what a file exports: returns the module, or reports all its faults. Pure. */
import { isReason, REASON_HINT } from '../../access/accepted.js';
import { checkAccess } from '../../access/check-access.js';
import type { EndpointDeclaration, FunctionDeclaration, ModuleDeclaration, Remote } from '../../kit/module.js';
import { SYSTEM_KINDS } from '../../model/built-in/built-in.js';
import { LEVELS } from '../../model/access-levels.js';
import {
  ENDPOINT_NAME,
  ENDPOINT_NAME_HINT,
  FUNCTION_NAME,
  FUNCTION_NAME_HINT,
  isIdentifier,
  IDENTIFIER_HINT,
} from '../../shared/identifiers.js';
import { LIMITS } from '../../shared/limits.js';
import { isPlainObject, typeName, type Json, jsonFault } from '../../shared/json.js';
import { didYouMean } from '../../shared/texts.js';
import type {
  DeclaredAnswer,
  EndpointDef,
  FunctionDef,
  ReadyModule,
  FunctionScope,
  Hook,
  HookName,
  ModuleFault,
  SourceLocation,
} from './definition.js';
import { sourceLocationOf, type ModuleFile } from './source-location.js';
import { Ticks } from './ticks.js';
import { faultTexts } from '../../shared/collect-faults.js';
import type { Faults } from '../../shared/errors.js';
import { settleTrusted } from '../../catalog/pattern/pattern-matcher.js';
import { checkParameter } from '../../model/check/check-parameter.js';
import { parameterDef, type ParameterDef } from '../../model/parameter-type/parameter-def.js';
import { PatternChecks } from '../../model/check/pattern-checks.js';
import { isReference } from '../../model/parameter-type/parameter-type.js';
import type { ParameterSetting } from '../../model/parameter-setting/parameter-setting.js';
import { SETTING_LIST } from '../../model/parameter-setting/parameter-settings.js';
import { isParameterTypeId, PARAMETER_TYPES, parameterType } from '../../model/parameter-type/type-by-id.js';
import { RESERVED_PARAMETERS } from '../../model/field.js';

/** The faults of the access of a function, which is checked like the access of a kind. Pure. */
export function accessTexts(access: unknown, check: (access: Json, faults: Faults) => void): string[] {
  const texts = faultTexts((faults) => check({ function: access as Json }, faults));
  return texts.map((text) => text.replace(/^access\.function: /, ''));
}

const MODULE_KEYS = ['functions', 'unitFunctions', 'endpoints', 'hooks', 'fills', 'remote'] as const;
const UNIT_FUNCTION_KEYS = [
  'description',
  'parameters',
  'methods',
  'access',
  'timeout',
  'agents',
  'returns',
  'run',
] as const;
const FUNCTION_KEYS = [...UNIT_FUNCTION_KEYS, 'schedule'] as const;
const ENDPOINT_KEYS = ['description', 'methods', 'accepted', 'run'] as const;
const HOOKS = Object.keys({
  before_create: true,
  after_create: true,
  before_update: true,
  after_update: true,
  before_update_many: true,
  after_update_many: true,
  before_delete: true,
  after_delete: true,
  before_link: true,
  after_link: true,
  before_unlink: true,
  after_unlink: true,
  after_commit: true,
} satisfies Record<HookName, true>) as readonly HookName[];
/** Hooks that receive no stored unit. */
const WITHOUT_UNIT: readonly HookName[] = [
  'before_create',
  'before_link',
  'after_link',
  'before_unlink',
  'after_unlink',
  'after_commit',
];
export const REMOTE_MEMBERS = ['list', 'aggregate', 'get', 'create', 'update', 'delete'] as const;
const METHODS = ['GET', 'POST'] as const;
const ENDPOINT_METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const;
/** Milliseconds; also the maximum of FUNCTION_TIMEOUT. */
const LONGEST_TIMEOUT = 3_600_000;

/** Reports a fault, with the place of the declaration. */
type ReportModuleFault = (fault: ModuleFault) => void;

type Bad = (text: string, place?: SourceLocation) => void;

/** Validates the default export of the file of a kind. Undefined if faults were reported. */
export function checkDeclaration(
  exported: unknown,
  source: ModuleFile,
  report: ReportModuleFault,
): ReadyModule | undefined {
  const { kind, file, root, path } = source;
  if (!isModule(exported)) {
    report({
      file,
      text: `its default export must be made by kind('${kind}').module({ … }), got ${describeValue(exported)}`,
    });
    return undefined;
  }
  let valid = true;
  const { stack, options } = exported;
  const own = sourceLocationOf(stack, source);
  const bad: Bad = (text, place = own) => {
    valid = false;
    report({ ...place, text });
  };
  if (exported.kind !== kind) bad(`is the file of '${kind}', and declares a module of '${exported.kind}'`);
  if (SYSTEM_KINDS.has(kind)) bad(`'${kind}' is the system's own: only users' kinds have functions`);
  if (!isPlainObject(options)) {
    bad(`module(): wants an object, got ${typeName(options)}`);
    return undefined;
  }
  unknownKeys(options, MODULE_KEYS, 'module()', bad);
  const declared = { ...source, kind: exported.kind };
  const functions = {
    kind: checkFunctions(options['functions'], 'kind', declared, bad),
    unit: checkFunctions(options['unitFunctions'], 'unit', declared, bad),
  };
  const endpoints = checkEndpoints(options['endpoints'], declared, bad);
  const hooks = new Map(checkMembers(options['hooks'], HOOKS, 'hooks', bad) as [HookName, Hook][]);
  for (const name of ['before_update', 'after_update'] as const) {
    if (hooks.has(name) && hooks.has(`${name}_many`))
      bad(`hooks: ${name}_many stands in place of ${name}: declare one of them`);
  }
  if (hooks.has('before_update_many') || hooks.has('after_update_many')) {
    const single = (['before_update', 'after_update'] as const).find((name) => hooks.has(name));
    if (single) bad(`hooks: ${single} is called for each unit: declare ${single}_many beside other _many hooks`);
  }
  const fills = checkFills(options['fills'], hooks, bad);
  const remote = checkRemoteSource(options['remote'], hooks, bad);
  return valid ? { kind, file, root, path, functions, endpoints, hooks, fills, remote, place: own } : undefined;
}

/** Whether the kind has such parameters is checked against each project (`check-fit.ts`). */
function checkFills(given: unknown, hooks: ReadonlyMap<HookName, Hook>, bad: Bad): ReadonlySet<string> {
  if (given === undefined) return new Set();
  const ids: readonly unknown[] = Array.isArray(given) ? given : [];
  const known = new Set(ids.filter((id) => typeof id === 'string').filter(isIdentifier));
  if (known.size === 0 || known.size !== ids.length) bad('fills: must be a list of ids of parameters, each once');
  if (!hooks.has('before_create')) bad('fills: names what hooks.before_create sets, which is not there');
  return known;
}

function checkFunctions(
  given: unknown,
  scope: FunctionScope,
  source: ModuleFile,
  bad: Bad,
): ReadonlyMap<string, FunctionDef> {
  const { kind } = source;
  const functions = new Map<string, FunctionDef>();
  const [at, maker] = scope === 'kind' ? ['functions', 'function'] : ['unitFunctions', 'unitFunction'];
  if (given === undefined) return functions;
  if (!isPlainObject(given)) {
    bad(`${at}: must be an object of functions, got ${typeName(given)}`);
    return functions;
  }
  for (const [name, declared] of Object.entries(given)) {
    const path = `${at}.${name}`;
    if (!FUNCTION_NAME.test(name)) bad(`${path}: a name is ${FUNCTION_NAME_HINT}`);
    else if (!isFunction(declared) || declared.scope !== scope || declared.kind !== kind) {
      bad(`${path}: must be made by kind('${kind}').${maker}({ … }), got ${describeValue(declared)}`);
    } else {
      const def = checkFunction(name, path, declared, sourceLocationOf(declared.stack, source), bad);
      if (def) functions.set(name, def);
    }
  }
  return functions;
}

function checkFunction(
  name: string,
  at: string,
  declared: FunctionDeclaration,
  place: SourceLocation,
  bad: Bad,
): FunctionDef | undefined {
  const { scope } = declared;
  const options: unknown = declared.options;
  const fault: Bad = (text) => bad(`${at}${text}`, place);
  if (!isPlainObject(options)) {
    fault(`: wants an object, got ${typeName(options)}`);
    return undefined;
  }
  unknownKeys(options, scope === 'kind' ? FUNCTION_KEYS : UNIT_FUNCTION_KEYS, at, (text) => bad(text, place));
  const { agents = false, description, run, timeout } = options;
  if (typeof agents !== 'boolean') fault(`.agents: must be true or false, got ${typeName(agents)}`);
  if (typeof description !== 'string' || description.trim() === '') fault('.description: must be a sentence');
  if (typeof run !== 'function') fault(`.run: must be a function, got ${typeName(run)}`);
  const fits = typeof timeout === 'number' && Number.isInteger(timeout) && timeout > 0 && timeout <= LONGEST_TIMEOUT;
  if (timeout !== undefined && !fits) fault(`.timeout: wants milliseconds from 1 to ${LONGEST_TIMEOUT}`);
  const parameters = checkDeclaredParameters(options['parameters'], (text) => fault(`.parameters${text}`));
  const scheduled = options['schedule'] !== undefined;
  if (scheduled) {
    for (const { id } of parameters.filter(mustBeGiven)) {
      fault(`.parameters.${id}: is required, but a schedule gives no values`);
    }
    const longest = LIMITS.scheduledSeconds * 1000;
    if (fits && timeout > longest) fault(`.timeout: of a schedule, wants at most ${longest} milliseconds`);
  }
  return {
    name,
    scope,
    place,
    description: String(description),
    parameters,
    returns: checkReturns(name, options['returns'], (text) => fault(`.returns${text}`)),
    methods: checkMethods(options['methods'], METHODS, METHODS, fault),
    access: checkFunctionAccess(options['access'], scope, fault) ?? (scheduled ? 'nobody' : undefined),
    timeout: fits ? timeout : undefined,
    agents: agents === true,
    ticks: scheduled && scope === 'kind' ? checkSchedule(options['schedule'], fault) : undefined,
    run: (context) => Reflect.apply(run as FunctionDef['run'], options, [context]),
  };
}

function mustBeGiven({ required, nullable, default: fallback, made }: ParameterDef): boolean {
  return fallback === null && !made && (required || !nullable);
}

function checkSchedule(given: unknown, fault: Bad): Ticks | undefined {
  const { cron, timezone = 'UTC', ...others } = isPlainObject(given) ? given : { cron: given };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return void fault(`.schedule: no '${unknown.slice(0, 60)}'; there are cron, timezone`);
  if (typeof cron !== 'string' || typeof timezone !== 'string') {
    return void fault('.schedule: must be a text of five fields, or an object of cron and timezone');
  }
  try {
    return Ticks.of({ cron, timezone });
  } catch (error) {
    return void fault(`.schedule: ${(error as Error).message}`);
  }
}

function checkReturns(name: string, given: unknown, fault: (text: string) => void): DeclaredAnswer | undefined {
  if (given === undefined) return undefined;
  if (isPlainObject(given)) return { name, parameters: checkDeclaredParameters(given, fault) };
  if (typeof given === 'string' && isIdentifier(given)) return { kind: given };
  return void fault(
    `: must be an object of parameters, or the id of a kind, got ${JSON.stringify(given) ?? typeName(given)}`,
  );
}

/** @param usual the methods if none are given */
function checkMethods<M extends string>(
  given: unknown,
  known: readonly M[],
  usual: readonly M[],
  fault: Bad,
): readonly M[] {
  if (given === undefined) return usual;
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  const found = known.filter((method) => list.includes(method));
  if (found.length === 0 || found.length !== list.length) fault(`.methods: wants a list of ${known.join(', ')}`);
  return found;
}

function checkEndpoints(given: unknown, source: ModuleFile, bad: Bad): ReadonlyMap<string, EndpointDef> {
  const endpoints = new Map<string, EndpointDef>();
  if (given === undefined) return endpoints;
  if (!isPlainObject(given)) {
    bad(`endpoints: must be an object of endpoints, got ${typeName(given)}`);
    return endpoints;
  }
  const { kind } = source;
  const count = Object.keys(given).length;
  if (count > LIMITS.endpointsOfModule) {
    bad(`endpoints: a module has at most ${LIMITS.endpointsOfModule}, got ${count}`);
  }
  for (const [name, declared] of Object.entries(given)) {
    const at = `endpoints.${name.slice(0, 80)}`;
    if (!ENDPOINT_NAME.test(name)) bad(`${at}: a name is ${ENDPOINT_NAME_HINT}`);
    else if (!isEndpoint(declared) || declared.kind !== kind) {
      bad(`${at}: must be made by kind('${kind}').endpoint({ … }), got ${describeValue(declared)}`);
    } else {
      const def = checkEndpoint(name, at, declared, sourceLocationOf(declared.stack, source), bad);
      if (def) endpoints.set(name, def);
    }
  }
  return endpoints;
}

function checkEndpoint(
  name: string,
  at: string,
  declared: EndpointDeclaration,
  place: SourceLocation,
  bad: Bad,
): EndpointDef | undefined {
  const options: unknown = declared.options;
  const fault: Bad = (text) => bad(`${at}${text}`, place);
  if (!isPlainObject(options)) return void fault(`: wants an object, got ${typeName(options)}`);
  unknownKeys(options, ENDPOINT_KEYS, at, (text) => bad(text, place));
  const { description = '', accepted, run } = options;
  if (typeof description !== 'string') fault('.description: must be a sentence');
  if (accepted !== undefined && !isReason(accepted)) fault(`.accepted: ${REASON_HINT}`);
  if (typeof run !== 'function') fault(`.run: must be a function, got ${typeName(run)}`);
  return {
    name,
    place,
    description: String(description),
    methods: checkMethods(options['methods'], ENDPOINT_METHODS, ['POST'], fault),
    accepted: isReason(accepted) ? accepted : undefined,
    run: (context) => Reflect.apply(run as EndpointDef['run'], options, [context]),
  };
}

function checkFunctionAccess(given: unknown, scope: FunctionScope, fault: Bad): FunctionDef['access'] {
  if (given === undefined) return undefined;
  const level = LEVELS.find((known): boolean => known === given);
  if (level) return level;
  if (scope === 'kind') {
    fault(`.access: must be one of ${LEVELS.join(', ')}; rules are for functions of a unit`);
    return undefined;
  }
  const texts = accessTexts(given, (access, faults) => checkAccess({}, access, faults));
  for (const text of texts) fault(`.access: ${text}`);
  return [given].flat() as string[];
}

function checkRemoteSource(given: unknown, hooks: ReadonlyMap<HookName, Hook>, bad: Bad): Remote | undefined {
  if (given === undefined) return undefined;
  const members = new Map(checkMembers(given, REMOTE_MEMBERS, 'remote', bad));
  if (!members.has('list')) bad('remote.list: must be a function, got undefined');
  const needGet = [
    ...REMOTE_MEMBERS.filter((name) => (name === 'update' || name === 'delete') && members.has(name)),
    ...[...hooks.keys()].filter((name) => !WITHOUT_UNIT.includes(name)),
  ];
  if (needGet.length > 0 && !members.has('get')) {
    bad(`remote.get: must be a function for ${needGet.join(', ')}, got undefined`);
  }
  // The object itself, so that its methods are called with the right `this`.
  return given as Remote;
}

/** The functions of an object that may have only the known names. */
function checkMembers(given: unknown, known: readonly string[], at: string, bad: Bad): [string, unknown][] {
  if (given === undefined) return [];
  if (!isPlainObject(given)) {
    bad(`${at}: must be an object, got ${typeName(given)}`);
    return [];
  }
  unknownKeys(given, known, at, bad);
  const set = Object.entries(given).filter(([name, member]) => known.includes(name) && member !== undefined);
  for (const [name, member] of set) {
    if (typeof member !== 'function') bad(`${at}.${name}: must be a function, got ${typeName(member)}`);
  }
  return set;
}

function unknownKeys(given: object, known: readonly string[], at: string, bad: Bad): void {
  for (const key of Object.keys(given).filter((each) => !known.includes(each))) {
    bad(`${at}: no '${key.slice(0, 60)}'${didYouMean(key, known)}; there are ${known.join(', ')}`);
  }
}

function isModule(value: unknown): value is ModuleDeclaration {
  return isPlainObject(value) && value['declares'] === 'module' && typeof value['stack'] === 'string';
}

function isFunction(value: unknown): value is FunctionDeclaration {
  return isPlainObject(value) && value['declares'] === 'function' && typeof value['stack'] === 'string';
}

function isEndpoint(value: unknown): value is EndpointDeclaration {
  return isPlainObject(value) && value['declares'] === 'endpoint' && typeof value['stack'] === 'string';
}

function describeValue(value: unknown): string {
  if (isEndpoint(value)) return `an endpoint of '${value.kind}'`;
  if (!isFunction(value)) return isModule(value) ? 'a module' : value === undefined ? 'nothing' : typeName(value);
  return `a function of ${value.scope === 'unit' ? 'a unit of ' : ''}'${value.kind}'`;
}

function checkDeclaredParameters(given: unknown, fault: (text: string) => void): readonly ParameterDef[] {
  if (given === undefined) return [];
  if (!isPlainObject(given)) {
    fault(`: must be an object of parameters, got ${typeName(given)}`);
    return [];
  }
  return Object.entries(given).flatMap(([id, declared]) => {
    const def = checkDeclared(id, declared, (text) => fault(`.${id}${text}`));
    return def ? [def] : [];
  });
}

function checkDeclared(id: string, declared: unknown, fault: (text: string) => void): ParameterDef | undefined {
  if (!isIdentifier(id)) return void fault(`: a name is ${IDENTIFIER_HINT}`);
  if (RESERVED_PARAMETERS.has(id)) return void fault(`: '${id}' is a field that every unit has; choose another name`);
  if (!isPlainObject(declared)) return void fault(`: must be an object with a type, got ${typeName(declared)}`);
  const { type: typeId } = declared;
  if (typeof typeId !== 'string' || !isParameterTypeId(typeId)) {
    const known = [...PARAMETER_TYPES.keys()];
    return void fault(`.type: must be one of ${known.join(', ')}${didYouMean(String(typeId), known)}`);
  }
  const type = parameterType(typeId);
  const fields: Partial<Record<keyof ParameterDef, unknown>> = {};
  const settings = new Map<string, ParameterSetting>(
    SETTING_LIST.filter(([key, { declared: wants, isOwn }]) => wants && (!isOwn || type.fields.includes(key))),
  );
  const allowed = ['type', ...settings.keys()];
  for (const [key, value] of Object.entries(declared)) {
    if (key === 'type' || value === undefined) continue;
    const { key: target, declared: wants } = settings.get(key) ?? {};
    if (!target) fault(`: the type ${type.id} has no '${key.slice(0, 60)}'${didYouMean(key, allowed)}`);
    else if (wants !== 'any' && typeof value !== wants) fault(`.${key}: must be a ${wants}, got ${typeName(value)}`);
    else fields[target as keyof ParameterDef] = value;
  }
  if (isReference(type) && typeof fields.referenceKind !== 'string') fault('.reference_kind: must name a kind');
  const fallback = (fields.default ?? null) as Json;
  const unfit = jsonFault(fallback);
  if (unfit !== undefined) return void fault(`.default: ${unfit}`);
  const nullable = fields.nullable ?? !(fields.required === true || fallback !== null);
  const def = parameterDef({
    ...(fields as Partial<ParameterDef>),
    id,
    type: typeId,
    default: fallback,
    nullable: nullable as boolean,
  });
  checkDefinition(def, fault);
  return def;
}

/** Validates the definition like that of a parameter of a kind. */
function checkDefinition(def: ParameterDef, fault: (text: string) => void): void {
  // Values of calls are not stored, so `unique` only means that a list has no element twice.
  const texts = faultTexts((faults) => {
    const patterns = new PatternChecks();
    checkParameter({ ...def, unique: def.unique && def.multiple }, faults, patterns);
    settleTrusted(patterns);
  });
  for (const text of texts) fault(`.${text.replace(`default_${def.type}`, 'default')}`);
}
