/**
 * The fields in the report of access: those with their own `read_access` or `write_access`, and those of members that
 * rules test, which members may often set themselves. Pure.
 */
import { isMemberKind, type Field, type KindDef, type Model } from '../../model/model.js';
import { namesOfFieldRules, namesOfRules, type RuleNames } from '../../model/check/stored-rules.js';
import type { FieldAccess } from '../../model/parameter-type/parameter-settings.js';
import { isRules } from '../../model/parameter-type/field-access.js';
import { allowedBy, allowedFor, both, wider, type Allowed } from './audience.js';

export interface FieldReport extends Allowed {
  readonly kind: KindDef;
  readonly field: Field;
  readonly operation: 'read' | 'write';
  /** Whether the field has the setting itself. */
  readonly stored: boolean;
  /** Whether a rule tests the field as one of the member. */
  readonly tested: boolean;
}

export function reportedFields(kinds: readonly KindDef[], model: Model): FieldReport[] {
  const tested = fieldsOfMembersInRules(model);
  return kinds.flatMap((kind) => {
    const writes = allowedToWrite(kind, model);
    return [...kind.fields.values()].flatMap((field): FieldReport[] => {
      const { readAccess, writeAccess } = field.def;
      const isTested = isMemberKind(kind) && tested.has(field.id) && !field.system;
      const common = { kind, field, tested: isTested };
      const read = both(allowedFor(kind, 'read', model), allowedByField(readAccess, kind));
      const write = both(writes, allowedByField(writeAccess, kind));
      return [
        ...(readAccess === undefined ? [] : [{ ...common, operation: 'read' as const, stored: true, ...read }]),
        ...(writeAccess === undefined && !isTested
          ? []
          : [{ ...common, operation: 'write' as const, stored: writeAccess !== undefined, ...write }]),
      ];
    });
  });
}

/** Who may write any unit of a kind, its own when signing up included. */
function allowedToWrite(kind: KindDef, model: Model): Allowed {
  const operations = ['create', 'update', ...(isMemberKind(kind) ? (['signup'] as const) : [])] as const;
  return operations.map((operation) => allowedFor(kind, operation, model)).reduce(wider);
}

function allowedByField(access: FieldAccess | undefined, kind: KindDef): Allowed {
  if (isRules(access)) return allowedBy({ rules: access }, kind);
  return { audience: access ?? 'anyone', byRule: false };
}

/** The parameters of the calling member that rules test, or follow to others. */
function fieldsOfMembersInRules({ kinds, linkTypes, parameters }: Model): Set<string> {
  const ofAccess = [...kinds.values(), ...linkTypes.values()].map(({ access }) => namesOfRules(access));
  const ofFields = [...parameters.values()].map((def) => namesOfFieldRules(def));
  const rules = [...ofAccess, ...ofFields].flatMap((named): RuleNames[] => [...named.values()].flat());
  return new Set(rules.flatMap(({ member }) => member.flatMap(([first]) => first ?? [])));
}
