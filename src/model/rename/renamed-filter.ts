/** Filters and rules in which definitions have their new ids. Pure. */
import type { BeforeRef, Filter, MemberRef, Path, RelatedUnits, Scalar, Test, Value } from '../../filter/filter.ast.js';
import { parseFilter } from '../../filter/filter.parser.js';
import { printFilter } from '../../filter/filter.printer.js';
import { LINK_PREFIX } from '../../filter/filter.walk.js';
import { refusal } from '../../shared/errors.js';
import { isLinkable, isMemberKind, type Field, type KindDef, type Model } from '../model.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';
import { newFieldId, newId, type Renames } from './renames.js';

/** What the names of a filter stand for. */
interface Scope {
  /** The kinds whose units it may be about: several where related units are of any kind. */
  readonly kinds: readonly KindDef[];
  /** Where a path leads to after a first segment that is no parameter: `link`, `parent`, `child`. */
  readonly prefixes?: Readonly<Record<string, readonly KindDef[]>>;
}

/** Fields whose values are ids of kinds, or of link types. */
const KIND_IDS: ReadonlySet<string> = new Set(['kind_id', 'parent_kind_id', 'child_kind_id']);
const LINK_IDS: ReadonlySet<string> = new Set(['link_id']);

export class RenamedFilters {
  readonly #members: readonly KindDef[];
  readonly #linkable: readonly KindDef[];
  readonly #parameters: ReadonlySet<ParameterDef>;

  constructor(
    private readonly model: Model,
    private readonly renames: Renames,
  ) {
    const kinds = [...model.kinds.values()];
    this.#members = kinds.filter(isMemberKind);
    this.#linkable = kinds.filter(isLinkable);
    this.#parameters = new Set(model.parameters.values());
  }

  /**
   * A filter or rule over the units of kinds, with new names; the same text if it has none of the old ones.
   * @throws KindError 400 where a name means parameters of several kinds, of which only some are renamed
   */
  ofKinds(text: string, kinds: readonly KindDef[]): string {
    return this.#renamed(text, { kinds });
  }

  /** A rule over links. */
  ofLinks(text: string): string {
    const kinds = this.#linkable;
    return this.#renamed(text, { kinds: [], prefixes: { parent: kinds, child: kinds } });
  }

  /** The new name of a parameter of members. */
  memberName(name: string): string {
    return this.#segments([name], { kinds: this.#members }, 1).join('.');
  }

  #renamed(text: string, scope: Scope): string {
    const filter = parseFilter(text, { members: true });
    const renamed = printFilter(this.#filter(filter, scope));
    return renamed === printFilter(filter) ? text : renamed;
  }

  #filter(filter: Filter, scope: Scope): Filter {
    switch (filter.op) {
      case 'and':
      case 'or':
        return { ...filter, filters: filter.filters.map((each) => this.#filter(each, scope)) };
      case 'not':
        return { ...filter, filter: this.#filter(filter.filter, scope) };
      case 'exists':
        return { ...filter, related: this.#related(filter.related) };
      case 'all':
        return filter;
      default:
        return this.#test(filter, scope);
    }
  }

  #test(test: Test, scope: Scope): Test {
    const path = this.#operand(test.path, scope);
    if ('other' in test) return { ...test, path, other: this.#operand(test.other, scope) };
    if (test.op === 'isnull' || test.op === 'similar') return { ...test, path };
    const ids = this.#idsIn(test.path, scope);
    const { value } = test;
    if (value.type === 'list') {
      const list = { ...value, items: value.items.map((item) => this.#value(item, ids, scope)) };
      return { ...test, path, value: list };
    }
    return { ...test, path, value: this.#value(value, ids, scope) } as Test;
  }

  #value(value: Value, ids: ReadonlyMap<string, string> | undefined, scope: Scope): Value {
    switch (value.type) {
      case 'member':
        return this.#member(value);
      case 'before':
        return { ...value, path: this.#operand(value.path, scope) } satisfies BeforeRef;
      default:
        return ids?.has(value.text) ? ({ ...value, text: newId(ids, value.text) } satisfies Scalar) : value;
    }
  }

  #member(value: MemberRef): MemberRef {
    return { ...value, name: this.memberName(value.name) };
  }

  #operand(path: Path, scope: Scope): Path {
    const { counted, computed, member, segments, at } = path;
    if (counted) return { ...path, counted: this.#related(counted) };
    if (computed) {
      const operands = computed.operands.map((each) => ('segments' in each ? this.#operand(each, scope) : each));
      return { ...path, computed: { ...computed, operands: operands as unknown as typeof computed.operands } };
    }
    const renamed = this.#segments(segments, member ? { kinds: this.#members } : scope, at);
    return { ...path, segments: renamed };
  }

  #related({ relation, filter, summed }: RelatedUnits): RelatedUnits {
    const inside = this.#insideOf(relation);
    return {
      relation: this.#relation(relation),
      filter: filter && this.#filter(filter, inside),
      ...(summed && { summed: this.#operand(summed, inside) }),
    };
  }

  #relation(relation: RelatedUnits['relation']): RelatedUnits['relation'] {
    const { kinds, linkTypes } = this.renames;
    if (relation.type === 'link') {
      return {
        ...relation,
        link: newId(linkTypes, relation.link),
        kinds: relation.kinds?.map((id) => newId(kinds, id)),
      };
    }
    const { kind, parameter, at } = relation;
    const of = kind === undefined ? undefined : this.model.kinds.get(kind);
    const [named] = parameter === undefined || !of ? [parameter] : this.#segments([parameter], { kinds: [of] }, at);
    return { ...relation, kind: kind === undefined ? kind : newId(kinds, kind), parameter: named } as typeof relation;
  }

  /** What the names in the filter of related units stand for. */
  #insideOf(relation: RelatedUnits['relation']): Scope {
    const { kinds, linkTypes } = this.model;
    const known = (ids: readonly string[]) => ids.flatMap((id) => kinds.get(id) ?? []);
    if (relation.type !== 'link') {
      return { kinds: relation.kind === undefined ? [...kinds.values()] : known([relation.kind]) };
    }
    const values = linkTypes.get(relation.link)?.values;
    const prefixes = { [LINK_PREFIX]: values ? [values] : [] };
    return { kinds: relation.kinds ? known(relation.kinds) : this.#linkable, prefixes };
  }

  /** The ids that the values of a field are, if a test compares them. */
  #idsIn({ segments, member, counted, computed }: Path, scope: Scope): ReadonlyMap<string, string> | undefined {
    if (counted ?? computed) return undefined;
    const last = segments.at(-1) ?? '';
    if (!KIND_IDS.has(last) && !LINK_IDS.has(last)) return undefined;
    const reached = this.#fieldsAt(segments, member ? { kinds: this.#members } : scope);
    if (reached.length === 0 || reached.some(({ def }) => this.#parameters.has(def))) return undefined;
    return KIND_IDS.has(last) ? this.renames.kinds : this.renames.linkTypes;
  }

  /** The fields that a path may end in. */
  #fieldsAt(segments: readonly string[], scope: Scope): readonly Field[] {
    const { path, kinds } = rootOf(segments, scope);
    let current = kinds;
    let fields: readonly Field[] = [];
    for (const name of path) {
      fields = current.flatMap((kind) => kind.fields.get(name) ?? []);
      current = this.#targets(fields);
    }
    return fields;
  }

  #segments(segments: readonly string[], scope: Scope, at: number): string[] {
    const { prefix, path, kinds } = rootOf(segments, scope);
    const renamed = [...prefix];
    let current = kinds;
    for (const [passed, name] of path.entries()) {
      const fields = current.flatMap((kind) => kind.fields.get(name) ?? []);
      // The keys of a JSON value, or a name that the model has not.
      if (fields.length === 0) return [...renamed, ...path.slice(passed)];
      const names = new Set(fields.map((field) => newFieldId(this.model, this.renames, field)));
      const [only = name, ...others] = names;
      if (others.length > 0) throw ambiguous(name, current, at);
      renamed.push(only);
      current = this.#targets(fields);
    }
    return renamed;
  }

  #targets(fields: readonly Field[]): readonly KindDef[] {
    return [...new Set(fields.flatMap(({ reference }) => this.model.kinds.get(reference?.kind ?? '') ?? []))];
  }
}

/** Where a path begins: at the unit, or behind a prefix. */
function rootOf(segments: readonly string[], { kinds, prefixes = {} }: Scope) {
  const [first = '', ...rest] = segments;
  const behind = rest.length > 0 && Object.hasOwn(prefixes, first) ? prefixes[first] : undefined;
  return behind ? { prefix: [first], path: rest, kinds: behind } : { prefix: [], path: segments, kinds };
}

function ambiguous(name: string, kinds: readonly KindDef[], at: number) {
  const of = kinds.filter(({ fields }) => fields.has(name)).map(({ id }) => `'${id}'`);
  const text = `'${name}' at character ${at} stands for parameters of ${of.slice(0, 5).join(', ')}, of which only some would be renamed: name the kind in the rule first`;
  return refusal('parameter.bad_definition', text, { parameter: 'rename_to' });
}
