/**
 * The fields in the report of access: those with their own `read_access` or `write_access`, and those of members that
 * rules test, which members may often set themselves. Pure.
 */
import { isMemberKind, type Field, type KindDef, type Model } from '../../model/model.js';
import { namesOfFieldRules, namesOfRules, type RuleNames } from '../../model/check/stored-rules.js';
import { type FieldAccess, isRules } from '../../model/parameter-setting/access.setting.js';
import type { WorkInPieces } from '../../shared/work-in-pieces.js';
import { allowedBy, allowedFor, both, wider, type Allowed } from './audience.js';

interface FieldReport extends Allowed {
  readonly kind: KindDef;
  readonly field: Field;
  readonly operation: 'read' | 'write';
  /** Whether the field has the setting itself. */
  readonly stored: boolean;
  /** Whether a rule tests the field as one of the member. */
  readonly tested: boolean;
}

/** In pieces: each of thousands of kinds may have hundreds of fields. */
export function* reportedFields(kinds: readonly KindDef[], model: Model): WorkInPieces<FieldReport[]> {
  const tested = yield* fieldsOfMembersInRules(model);
  const found: FieldReport[] = [];
  for (const kind of kinds) {
    yield;
    const isTested = ({ id, system }: Field) => isMemberKind(kind) && tested.has(id) && !system;
    const fields = [...kind.fields.values()].filter((field) => {
      return field.def.readAccess !== undefined || field.def.writeAccess !== undefined || isTested(field);
    });
    if (fields.length === 0) continue;
    const reads = allowedFor(kind, 'read', model);
    const writes = allowedToWrite(kind, model);
    for (const field of fields) {
      const { readAccess, writeAccess } = field.def;
      const common = { kind, field, tested: isTested(field) };
      const read = both(reads, allowedByField(readAccess, kind));
      const write = both(writes, allowedByField(writeAccess, kind));
      if (readAccess !== undefined) found.push({ ...common, operation: 'read', stored: true, ...read });
      if (writeAccess === undefined && !common.tested) continue;
      found.push({ ...common, operation: 'write', stored: writeAccess !== undefined, ...write });
    }
  }
  return found;
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
function* fieldsOfMembersInRules({ kinds, linkTypes, parameters }: Model): WorkInPieces<Set<string>> {
  const found = new Set<string>();
  const add = (named: ReadonlyMap<string, readonly RuleNames[]>): void => {
    for (const { member } of [...named.values()].flat()) for (const [first] of member) if (first) found.add(first);
  };
  for (const { access } of [...kinds.values(), ...linkTypes.values()]) {
    add(namesOfRules(access));
    yield;
  }
  for (const def of parameters.values()) {
    add(namesOfFieldRules(def));
    yield;
  }
  return found;
}
