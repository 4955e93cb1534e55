/**
 * Rules in `read_access` and `write_access` of parameters: filters over the unit. They belong to the owner and fail
 * closed, like the rules of kinds (`rule.ts`). Pure.
 */
import type { Field, KindDef, Model } from '../model/model.js';
import { isRules } from '../model/parameter-setting/access.setting.js';
import type { ConditionalField } from '../model/predicate/conditional-field.js';
import type { Predicate } from '../model/predicate/predicate.js';
import { getOrInsert } from '../shared/maps.js';
import { isAdministrator, type Caller } from '../tenancy/caller.js';
import { accessDenied } from './level.js';
import { exceedRuleLimits, NEVER, rulesPredicate } from './rule.js';

type FieldAccessName = 'readAccess' | 'writeAccess';

const kindsWithRules = new WeakMap<KindDef, boolean>();

/** Whether a parameter of the kind has rules. */
export function hasFieldRules(kind: KindDef): boolean {
  return getOrInsert(kindsWithRules, kind, () =>
    [...kind.fields.values()].some(({ def }) => isRules(def.readAccess) || isRules(def.writeAccess)),
  );
}

/** Whether what a caller may read of units of a kind depends on the unit or on the caller itself. */
export function readsByFieldRules(kind: KindDef, caller: Caller): boolean {
  if (caller.type === 'system' || isAdministrator(caller)) return false;
  return hasFieldRules(kind) && [...kind.fields.values()].some(({ def }) => isRules(def.readAccess));
}

/**
 * The fields with rules, with the condition for a caller; none for callers who pass every rule. Rules cannot be tested
 * on the units of a remote source, so that there the field is as if it were not there. Fields with the same rules have the
 * same condition, the same object.
 */
export function conditionalFields(
  kind: KindDef,
  access: FieldAccessName,
  caller: Caller,
  model: Model,
  isOffered: (field: Field) => boolean,
): ReadonlyMap<string, ConditionalField> {
  const found = new Map<string, ConditionalField>();
  if (caller.type === 'system' || isAdministrator(caller) || !kind.storage.rules) return found;
  const excess = exceedRuleLimits(rulesOfFields(kind, access), kind, caller, model);
  const conditions = new Map<string, Predicate>();
  for (const field of kind.fields.values()) {
    const rules = field.def[access];
    if (!isRules(rules) || !isOffered(field)) continue;
    const condition = getOrInsert(conditions, rules.join('\0'), () =>
      excess ? NEVER : fieldCondition(rules, kind, caller, model),
    );
    found.set(field.id, { ...field, plain: field, condition, refusal: () => notInQueries(field, kind, caller) });
  }
  return found;
}

/** Without a token, rules apply only to public kinds. */
function fieldCondition(rules: readonly string[], kind: KindDef, caller: Caller, model: Model): Predicate {
  return caller.type === 'anonymous' && !kind.public ? NEVER : rulesPredicate(rules, kind, caller, model);
}

/** The rules of all parameters of a kind, each set of rules once: a statement evaluates it once. */
export function rulesOfFields({ fields }: Pick<KindDef, 'fields'>, access: FieldAccessName): string[] {
  const settings = [...fields.values()].flatMap(({ def }) => {
    const setting = def[access];
    return isRules(setting) ? [[setting.join('\0'), setting] as const] : [];
  });
  return [...new Map(settings).values()].flat();
}

function notInQueries({ id }: Field, kind: KindDef, caller: Caller) {
  const text = `'${id}' of '${kind.id}' is readable in some units only, so that only administrators may use it here`;
  return accessDenied(caller, text);
}
