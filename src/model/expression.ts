/** Expressions on stored values, which edits have in place of values: `{"$inc": 1}`. Pure. */
import type { Json } from '../shared/json.js';
import { isPlainObject } from '../shared/json.js';
import type { Field, KindDef } from './model.js';
import type { Stored } from './parameter-type/parameter-type.js';

/** The keys of an expression. */
const EXPRESSION_WORDS = ['$inc', '$remove', '$add', '$merge', '$set'] as const;
export type ExpressionWord = (typeof EXPRESSION_WORDS)[number];

/** `set` is none of them: its value replaces what is stored, as any other value does. */
export type EditExpression =
  | { readonly op: 'inc'; readonly by: Stored }
  /** Removes elements of a list, then adds others. */
  | { readonly op: 'list'; readonly remove: readonly Stored[]; readonly add: readonly Stored[] }
  /** A JSON merge patch (RFC 7396) that is an object. */
  | { readonly op: 'merge'; readonly patch: Readonly<Record<string, Json>> };

export interface FieldExpression {
  readonly field: Field;
  readonly expression: EditExpression;
}

/** Whether a value of an edit is an expression: an object whose keys are all words of expressions. */
export function isExpression(value: unknown): value is Readonly<Partial<Record<ExpressionWord, unknown>>> {
  if (!isPlainObject(value)) return false;
  const keys = Object.keys(value);
  return keys.length > 0 && keys.every((key) => (EXPRESSION_WORDS as readonly string[]).includes(key));
}

/** The first key that is no word of expressions, of an object that has such words too. */
export function otherKeyOf(value: unknown): string | undefined {
  if (!isPlainObject(value)) return undefined;
  const keys = Object.keys(value);
  const others = keys.filter((key) => !(EXPRESSION_WORDS as readonly string[]).includes(key));
  return others.length < keys.length ? others[0] : undefined;
}

const NONE: readonly ExpressionWord[] = [];

/** The words that an expression of a field may have. Of definitions, only the metadata takes expressions. */
export function expressionWordsOf(field: Field, kind: KindDef): readonly ExpressionWord[] {
  const { def, type, describedAs, column } = field;
  if (describedAs !== undefined || (kind.builtIn && field.id !== 'metadata')) return NONE;
  const json = type.hasKeys === true;
  if (!kind.storage.hasTable || column === undefined) return json ? ['$set'] : NONE;
  if (def.multiple) return json ? ['$remove', '$add', '$set'] : ['$remove', '$add'];
  if (json) return ['$merge', '$set'];
  return type.numeric ? ['$inc'] : NONE;
}
