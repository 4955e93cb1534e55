/**
 * Names that are parameters of different types in several kinds: own ones (`own` of a parameter), since shared ones have
 * one definition. Records have them; what compares or adds up their values together cannot. Pure.
 */
import { refusal } from '../../shared/errors.js';
import { shortened } from '../../shared/texts.js';
import { EXTENDED_FIELDS } from '../built-in/built-in.js';
import { URL_FIELD } from '../built-in/file-fields.js';
import { typeInWords } from '../field.js';
import type { Field, KindDef } from '../model.js';
import type { Visible } from './predicate.js';

/** A kind, and the fields of it that somebody may name. */
export interface NamedFields {
  readonly kind: Pick<KindDef, 'id'>;
  readonly visible: Visible;
}

/** Says of which types a name is in these kinds; undefined if they agree. */
export function mixedText(name: string, kinds: readonly NamedFields[]): string | undefined {
  const having = kinds.flatMap(({ kind, visible }) => {
    const field = visible.get(name);
    return field ? [{ kind: kind.id, field, own: field.def.own }] : [];
  });
  const [first] = having;
  const other = having.find(({ field }) => first && !agree(field, first.field));
  if (!first || !other || !having.some(({ own }) => own)) return undefined;
  return `'${shortened(name)}' is ${typeInWords(first.field)} in '${first.kind}' and ${typeInWords(other.field)} in '${other.kind}'`;
}

/**
 * Built-in fields of kinds that projects extend, such as `owner` of files, in whose place another kind has a parameter of
 * another type. The parameter is what the project means: units of the built-in kind are as if they lacked the field.
 * @param tested names whose values a query tests: what is made for answers yields to any parameter of its name there
 */
export function yieldingFields(named: readonly NamedFields[], tested?: ReadonlySet<string>): ReadonlySet<Field> {
  const yielding = new Set<Field>();
  for (const { visible } of named) {
    for (const field of tested?.has(URL_FIELD.id) ? [...EXTENDED_FIELDS, URL_FIELD] : EXTENDED_FIELDS) {
      const shown = visible.get(field.id);
      if (shown?.def !== field.def) continue;
      const others = named.flatMap((each) => each.visible.get(field.id) ?? []);
      if (others.some((other) => !agree(other, field) || other.madeForAnswer !== field.madeForAnswer))
        yielding.add(shown);
    }
  }
  return yielding;
}

function agree({ def: a }: Field, { def: b }: Field): boolean {
  return a.type === b.type && a.multiple === b.multiple;
}

/** @throws KindError 400 if one of the names is of different types in these kinds */
export function refuseMixed(names: Iterable<string>, kinds: readonly NamedFields[]): void {
  if (kinds.length < 2) return;
  for (const name of names) {
    const text = mixedText(name, kinds);
    if (text === undefined) continue;
    throw refusal('query.mixed', `${text}, so that it cannot be tested, ordered or added up in both at once`, {
      parameter: shortened(name),
    });
  }
}
