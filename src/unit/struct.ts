/** Structs describe the parameters of a kind to a caller, for forms and clients, with filter and order of their own. */
import { Injectable } from '@nestjs/common';
import { authorizeKind, isAllowedForSomeUnit } from '../access/access.js';
import { mayDescribe, STRUCT_RIGHTS } from '../access/reference-access.js';
import { Answer, pageAnswer } from '../http/answer/answer.js';
import { parseListQuery, type QueryParameters } from '../http/route/parse-list-query.js';
import { STRUCT_QUERY } from '../http/route/query-names.js';
import { type Field, getBuiltInKind, type GroupDef, isMemberKind, type KindDef, type Model } from '../model/model.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { Faults, type KindError, refusal } from '../shared/errors.js';
import { jsonText } from '../shared/large-json.js';
import { LIMITS } from '../shared/limits.js';
import { runYielding, type WorkInPieces } from '../shared/work-in-pieces.js';
import { answerTooLarge } from '../shared/response-size.js';
import { descriptorsStatement } from '../sql/list/descriptor.sql.js';
import { UnitStores } from './unit-stores.js';
import { type Command, reading } from '../run/command.js';
import type { Session } from '../catalog/session/session.js';
import { collectFaults } from '../shared/collect-faults.js';
import { planQuery } from './query/list.plan.js';
import { ReadCommands } from './read.commands.js';
import { unknownUnit } from './store/unit-ids.js';
import { describedFields, mayReadField, readableFields, writableFields } from '../access/masks.js';
import type { ListQuery } from '../filter/queries.js';
import { BUILT_IN_GROUPS } from '../model/built-in/built-in.js';
import { builtInField, UNIT_FIELDS } from '../model/field.js';
import { madeWords } from '../model/made-default.js';
import { SETTING_LIST } from '../model/parameter-setting/parameter-settings.js';
import type { ParameterDef } from '../model/parameter-type/parameter-def.js';
import { type Names, namesOfKinds } from '../model/predicate/path.js';
import { type Predicate, selective } from '../model/predicate/predicate.js';
import { testedFields } from '../model/predicate/related.js';
import { resolveFilter } from '../model/predicate/resolve-filter.js';
import { KIND_KIND } from '../model/built-in-traits.js';
import type { Json } from '../shared/json.js';
import { type OrderTerm, targetsOfOrder } from '../sql/list/order.sql.js';
import { ANONYMOUS, type Caller } from '../tenancy/caller.js';
import { planFields } from './query/answer.plan.js';
import { orderTerm } from './query/order.plan.js';

/** A page of descriptors as a JSON list, and their total number. */
interface Described {
  readonly count: number;
  readonly items: string;
}

@Injectable()
export class Structs {
  constructor(
    private readonly reader: ReadCommands,
    private readonly stores: UnitStores,
  ) {}

  /** `{count, items}` with a kind's parameters; `{label, parameters}` if `labelled`. */
  ofKind(kindId: string, parameters: QueryParameters, labelled: boolean): Command {
    return reading(({ model, caller }) => {
      const { kind } = authorizeKind(model, kindId, STRUCT_RIGHTS, caller);
      const run = async (session: Session): Promise<Answer> => {
        const described = await this.#describe(session, [kind], parameters);
        return labelled ? labelledAnswer(kind.label, described) : pageAnswer(described);
      };
      return { checked: true, run };
    });
  }

  /** `{label, parameters}` of a unit: its label, or that of its kind if it has none, and the parameters of its kind. */
  ofUnit(kindId: string, unitId: string, parameters: QueryParameters): Command {
    return reading((opened) => {
      const { kind } = authorizeKind(opened.model, kindId, 'read', opened.caller);
      this.stores.of(kind).checkState(kind, opened, 'get');
      const run = async (session: Session): Promise<Answer> => {
        const unit = await this.reader.find(session, kind, unitId);
        if (!unit) throw unknownUnit(kind, unitId);
        const label = typeof unit['label'] === 'string' ? unit['label'] : kind.label;
        return labelledAnswer(label, await this.#describe(session, [kind], parameters));
      };
      return { checked: true, once: !kind.storage.transactional, run };
    });
  }

  /**
   * `{label, parameters}` of a group that the caller may read: the parameters of its kinds; of equal names the first.
   */
  async ofGroup(session: Session, group: GroupDef, parameters: QueryParameters): Promise<Answer> {
    const { model, caller } = session;
    const kinds = group.kinds.flatMap((id) => model.kinds.get(id) ?? []);
    const described = kinds.filter((kind) => mayDescribe(kind, caller, model));
    return labelledAnswer(group.label, await this.#describe(session, described, parameters));
  }

  /**
   * The descriptors that the query selects. Without a limit all are returned, because forms need all. @throws KindError
   * 400
   */
  async #describe(session: Session, kinds: readonly KindDef[], parameters: QueryParameters): Promise<Described> {
    const { caller, project, model } = session;
    const { query, all, plan } = planQuery(parseListQuery(parameters, STRUCT_QUERY), (list) => {
      const faults = new Faults();
      const planned = collectFaults(faults, () => planDescriptors(list, model), undefined);
      const found = collectFaults(faults, () => describe(kinds, { caller, model }, list), []);
      faults.throwIfAny();
      return { query: list, all: found, plan: planned };
    });
    const yielder = new EventLoopYield(project.schema);
    let matching = all;
    if (plan && all.length > 0) {
      const tested = all.map((descriptor, n) => {
        const used = plan.used.map(({ id }): [string, unknown] => [id, descriptor[id as keyof Descriptor]]);
        return { ...Object.fromEntries(used), n };
      });
      const rows = await runYielding(listText(tested, testedTooLarge), yielder);
      const found = await session.executor.run<{ n: number }>(
        descriptorsStatement({ schema: project.schema, rows, ...plan }),
      );
      matching = found.flatMap(({ n }) => all[n] ?? []);
    }
    const end = parameters.some(([name]) => name === 'limit') ? query.offset + query.limit : undefined;
    const items = await runYielding(listText(matching.slice(query.offset, end), pageTooLarge), yielder);
    return { count: matching.length, items };
  }
}

/**
 * The JSON of a list, made in pieces, because allowed values and defaults may be large. @throws KindError from
 * `refused` if it is too long
 */
function* listText(list: readonly object[], refused: () => KindError): WorkInPieces<string> {
  const texts: string[] = [];
  let bytes = 0;
  for (const element of list) {
    const text = yield* jsonText(element);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > LIMITS.structBytes) throw refused();
    texts.push(text);
    yield;
  }
  return `[${texts.join(',')}]`;
}

function pageTooLarge(): KindError {
  return answerTooLarge(undefined, LIMITS.structBytes);
}

function testedTooLarge(): KindError {
  const most = LIMITS.structBytes.toLocaleString('en');
  const text = `What filter and order look at has more than ${most} bytes; describe fewer parameters with include`;
  return refusal('query.too_large', text);
}

function labelledAnswer(label: string, { items }: Described): Answer {
  return new Answer(`{"label":${JSON.stringify(label)},"parameters":${items}}`);
}

/** `id`, `type` and the settings that structs show. */
interface Descriptor {
  readonly id: string;
  readonly type: string;
  /** Of a reference: the target kind; null if the caller may do nothing with its units. */
  readonly reference_kind?: string | null;
  /** It is in no answer. */
  readonly hidden?: true;
  /** Only for the password of members. */
  readonly persistence?: 'run_time';
  readonly [setting: string]: Json;
}

/** The caller, and the model with the definitions to describe. */
export interface Viewer {
  readonly caller: Caller;
  readonly model: Model;
}

/** Filter and order of a query on descriptors; `used` are the fields that they contain. */
interface DescriptorPlan {
  readonly filter: Predicate | undefined;
  readonly order: readonly OrderTerm[];
  readonly used: readonly Field[];
}

/**
 * The descriptors of the parameters of kinds. Of parameters with the same name, the first one is described. @throws
 * KindError 400 if `include` or `exclude` has an unknown name
 */
function describe(
  kinds: readonly KindDef[],
  viewer: Viewer,
  query: Pick<ListQuery, 'include' | 'exclude'>,
): Descriptor[] {
  const fields = new Map<string, Field>();
  for (const kind of kinds) {
    for (const [id, field] of fieldsOfStruct(kind, viewer)) if (!fields.has(id)) fields.set(id, field);
  }
  const [first] = kinds;
  // Names of fields that units have but structs do not describe: they are known, but ignored.
  const shown = kinds.flatMap((kind) => [...readableFields(kind, viewer.caller, viewer.model).values()]);
  const written = shown.filter(({ system, recordOnly }) => system && !recordOnly).map(({ id }) => id);
  const undescribed = new Set<string>([...UNIT_FIELDS, ...written].filter((id) => !fields.has(id)));
  const withoutUndescribed = (names?: readonly string[]) => names?.filter((name) => !undescribed.has(name));
  const selection = { include: withoutUndescribed(query.include), exclude: withoutUndescribed(query.exclude) };
  if (!first) return [];
  const names = { kind: first, visible: fields, ...namesOfKinds(kinds.map((kind) => ({ kind }))) };
  return planFields(selection, names).map((field) => descriptorOf(field, viewer));
}

/**
 * The fields that a struct describes: the parameters of the kind and `metadata`; for kinds of the model, all fields of
 * a body. Fields that only the system writes are not described. For member kinds with sign-up, these are the fields of
 * a sign-up; for those without, the fields of a create.
 */
function fieldsOfStruct(kind: KindDef, viewer: Viewer): Map<string, Field> {
  const known = new Map([...describedFields(kind, viewer.caller, viewer.model), ...givenFields(kind, viewer)]);
  const isOwn = ({ id, system }: Field) => known.has(id) && !system && !isInEveryUnit(id, kind);
  const own = [...kind.fields.values()].filter(isOwn);
  const groups = takesSignUps(kind, viewer) ? BUILT_IN_GROUPS.filter(({ id }) => kind.groups.includes(id)) : [];
  const granted = groups.flatMap(({ struct }) => struct);
  const ids = new Set(granted.map(({ id }) => id));
  return new Map([...granted, ...own.filter(({ id }) => !ids.has(id))].map((field) => [field.id, field]));
}

function takesSignUps(kind: KindDef, { model }: Viewer): boolean {
  return isMemberKind(kind) && isAllowedForSomeUnit(kind, 'signup', ANONYMOUS, model);
}

/** The fields that the caller may write: none if it may write no unit of the kind. A sign-up is anonymous. */
function givenFields(kind: KindDef, viewer: Viewer): Map<string, Field> {
  const { caller, model } = viewer;
  const may = (operation: 'create' | 'update') => isAllowedForSomeUnit(kind, operation, caller, model);
  return new Map([
    ...(takesSignUps(kind, viewer) ? writableFields(kind, ANONYMOUS, model) : []),
    ...(may('create') || may('update') ? writableFields(kind, caller, model) : []),
  ]);
}

function isInEveryUnit(id: string, { key }: KindDef): boolean {
  if (id === 'metadata') return false;
  return UNIT_FIELDS.some((each) => each === id) && !(id === 'id' && key === 'identifier');
}

/** A caller that may write a field but not read it sees its description, without the default. */
export function descriptorOf(field: Field, viewer: Viewer): Descriptor {
  const { id, def } = field;
  const target = def.referenceKind === undefined ? undefined : viewer.model.kinds.get(def.referenceKind);
  return {
    id,
    type: def.type,
    ...Object.fromEntries(SHOWN.map((shown) => [shown.id, def[shown.key] ?? null])),
    ...(!mayReadField(field, viewer.caller) ? { default: null } : helpWithMade(def)),
    ...(target && { reference_kind: mayDescribe(target, viewer.caller, viewer.model) ? target.id : null }),
    ...(def.accept && { accept: def.accept }),
    ...(def.maxBytes !== undefined && { max_bytes: def.maxBytes }),
    ...(def.hidden && { hidden: true }),
    ...(def.runTime && IN_GROUPS.has(field) && { persistence: 'run_time' }),
  };
}

/** A value that is made is told in words. */
function helpWithMade(def: ParameterDef): { readonly helper_text?: string } {
  const words = madeWords(def);
  if (words === undefined) return {};
  return { helper_text: def.helperText === null ? words : `${def.helperText} ${words}` };
}

const SHOWN = SETTING_LIST.flatMap(([id, { key, struct }]) =>
  struct ? [{ id, key: key as keyof ParameterDef, ...struct }] : [],
);

const IN_GROUPS: ReadonlySet<Field> = new Set(BUILT_IN_GROUPS.flatMap(({ struct }) => struct));

/** The properties of a descriptor as fields, so that filter and order can use them. */
const FIELDS: ReadonlyMap<string, Field> = new Map(
  [...['id', 'type', 'reference_kind', 'persistence'].map((id) => ({ id, type: 'string' as const })), ...SHOWN].map(
    ({ id, type }) => [id, builtInField({ id, type })],
  ),
);

/** Plans filter and order for descriptors; undefined if the query has neither. @throws KindError 400 with all faults */
function planDescriptors({ filter, order }: ListQuery, model: Model): DescriptorPlan | undefined {
  const names: Names = { kind: getBuiltInKind(model, KIND_KIND), visible: FIELDS, called: 'a descriptor' };
  const faults = new Faults();
  const terms = order.flatMap((term) => collectFaults(faults, () => [orderTerm(term, names)], []));
  const tests = collectFaults(faults, () => selective(filter && resolveFilter(filter, names)), undefined);
  faults.throwIfAny();
  if (!tests && terms.length === 0) return undefined;
  const used = new Set([
    ...(tests ? testedFields(tests) : []),
    ...terms.flatMap(({ value }) => targetsOfOrder(value).map(({ field }) => field)),
  ]);
  // PostgreSQL reads rows of at least one column.
  if (used.size === 0) used.add(builtInField({ id: 'id', type: 'string' }));
  return { filter: tests, order: terms, used: [...used] };
}
