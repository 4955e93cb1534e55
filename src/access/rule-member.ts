/** The calling member in access rules: `@member.` as a value, and in place of a parameter of the unit. Pure. */
import type { MemberRef, Path } from '../filter/filter.ast.js';
import { printPath } from '../filter/filter.printer.js';
import { isMemberKind, type Field, type KindDef, type Model } from '../model/model.js';
import { mixedText } from '../model/predicate/mixed-names.js';
import { resolvePath, unknownName, type Names } from '../model/predicate/path.js';
import { UNBOUND_MEMBER, type MemberValue, type Predicate, type Target } from '../model/predicate/predicate.js';
import type { Members } from '../model/predicate/resolve-filter.js';
import { didYouMean, shortened } from '../shared/texts.js';
import { getOrInsert } from '../shared/maps.js';
import { KindError, refusal } from '../shared/errors.js';
import { namesInRules } from './rule-names.js';

/** The member's kind does not have the parameter. */
export class AbsentMemberValue extends Error {}

/** The member of a caller; undefined without one. */
export function callingMember(kind: KindDef | undefined, model: Model): RuleMember {
  return new RuleMember(kind ? [kind] : [], model, () => {
    throw new AbsentMemberValue();
  });
}

/** A member of any kind, to check a rule: at least one member kind must have each parameter. */
export function anyMember(model: Model): RuleMember {
  const kinds = [...model.kinds.values()].filter(isMemberKind);
  return new RuleMember(kinds, model, ({ name, at }) => {
    const hint = didYouMean(
      name,
      kinds.flatMap(({ fields }) => [...fields.keys()]),
    );
    throw unknownName(name, `no member kind has '${shortened(name)}'${hint}`, at);
  });
}

/** Resolves what a rule names of a member, and notes it: if one of the values is absent, the whole rule is false. */
export class RuleMember implements Members {
  readonly #values = new Map<Field, MemberValue>();
  readonly #targets = new Map<KindDef, Map<string, Target>>();

  /** @param refuse throws if none of the kinds has a parameter */
  constructor(
    private readonly kinds: readonly KindDef[],
    private readonly model: Model,
    private readonly refuse: (named: { readonly name: string; readonly at: number }) => never,
  ) {}

  value(reference: MemberRef, target: Target): MemberValue {
    const values = this.#having(reference).map((kind) => memberValueFor(reference, target, kind));
    const value = values.find((each) => each !== undefined);
    if (!value) {
      const text = `'${target.field.id}' and @member.${reference.name} are of different types, at character ${reference.at}`;
      throw refusal('filter.bad_value', text);
    }
    if (value.field !== value.kind.keyField && value.field.constant === undefined) this.#values.set(value.field, value);
    return value;
  }

  test(path: Path, resolve: (names: Names) => Predicate): Predicate {
    const [name = ''] = path.segments;
    let fault: KindError | undefined;
    for (const kind of this.#having({ name, at: path.at })) {
      try {
        const names = namesInRules(kind, this.model);
        const test = memberTest(kind, resolve(names));
        const own = { segments: path.segments, at: path.at };
        getOrInsert(this.#targets, kind, () => new Map<string, Target>()).set(
          printPath(path.segments),
          resolvePath(own, names),
        );
        return test;
      } catch (error) {
        if (!(error instanceof KindError)) throw error;
        fault ??= error;
      }
    }
    throw fault ?? new AbsentMemberValue();
  }

  /** Conditions that are false if the member lacks a value. */
  presence(): Predicate[] {
    const values = [...this.#values.values()].map((value): Predicate => ({ op: 'present', value }));
    const tests = [...this.#targets].map(([kind, targets]) => {
      return memberTest(kind, { op: 'and', parts: [...targets.values()].flatMap(hasValue) });
    });
    return [...values, ...tests];
  }

  #having(named: { readonly name: string; readonly at: number }): readonly KindDef[] {
    const having = this.kinds.filter(({ fields }) => fields.has(named.name));
    const mixed = mixedText(
      named.name,
      having.map((kind) => ({ kind, visible: kind.fields })),
    );
    if (mixed !== undefined) throw refusal('query.mixed', `@member.: ${mixed}, at character ${named.at}`);
    return having.length > 0 ? having : this.refuse(named);
  }
}

/** Whether the calling member, of the kind, satisfies a predicate. */
function memberTest(kind: KindDef, filter: Predicate): Predicate {
  const via = { type: 'member', memberId: UNBOUND_MEMBER } as const;
  return { op: 'exists', related: { via, of: kind, kinds: [{ kind, access: undefined, filter }] } };
}

/** An empty list is no value: a test would pass, or fail, whatever it compares with. */
function hasValue(target: Target): Predicate[] {
  const isThere: Predicate = { op: 'isnull', target, value: false };
  return target.field.def.multiple ? [isThere, { op: 'is', target, negated: true, value: [] }] : [isThere];
}

function memberValueFor(reference: MemberRef, target: Target, memberKind: KindDef): MemberValue | undefined {
  const field = memberKind.fields.get(reference.name);
  if (!field || (field.column === undefined && field.constant === undefined)) return undefined;
  return areComparable(target.field, field) ? { kind: memberKind, field, memberId: UNBOUND_MEMBER } : undefined;
}

/**
 * Whether two fields can be compared: with the same column type, or a text with the text of any other type but JSON.
 */
function areComparable(own: Field, other: Field): boolean {
  return own.columnType === other.columnType || (own.columnType === 'text' && other.columnType !== 'jsonb');
}
