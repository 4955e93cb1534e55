/** What a caller may do with units of a kind, for `can()` in `include`. It tells no more than trying would. Pure. */
import type { KindDef, Model } from '../model/model.js';
import { conditionOf, plainField } from '../model/predicate/conditional-field.js';
import type { Visible } from '../model/predicate/predicate.js';
import type { Right, ShownTransitions, UnitRights } from '../sql/list/unit-rights.sql.js';
import type { Caller } from '../tenancy/caller.js';
import { grantOf } from './access.js';
import { functionGrant } from './function-access.js';
import type { Level } from '../model/access-levels.js';
import type { Grant } from './level.js';
import { writableFields } from './masks.js';
import { transitionsFor } from './transitions.js';

/** A function of units, as its module declares it. */
export interface UnitFunction {
  readonly name: string;
  readonly access: Level | readonly string[] | undefined;
}

interface Viewer {
  readonly caller: Caller;
  readonly model: Model;
  /** The fields that the caller may read. */
  readonly visible: Visible;
}

export function unitRights(
  kind: KindDef,
  { caller, model, visible }: Viewer,
  functions: readonly UnitFunction[],
): UnitRights {
  const right = (operation: 'update' | 'delete' | 'link') => rightOf(grantOf(kind, operation, caller, model));
  const writable = writableFields(kind, caller, model);
  const transitions = [...visible.values()].flatMap((field): ShownTransitions[] => {
    // Code of modules reads hidden parameters, but what is made of them would be in its answers.
    if (field.column === undefined || field.def.hidden) return [];
    const found = transitionsFor(plainField(field), kind, caller, model);
    if (!found) return [];
    const given = writable.get(field.id);
    return [{ ...found, read: conditionOf(field) ?? true, write: given ? (conditionOf(given) ?? true) : false }];
  });
  return {
    update: right('update'),
    delete: right('delete'),
    link: right('link'),
    functions: functions.map(({ name, access }) => {
      return { name, right: rightOf(functionGrant(kind, { ofUnit: true, access }, caller, model)) };
    }),
    transitions,
  };
}

function rightOf(grant: Grant | undefined): Right {
  return grant !== undefined && (grant.predicate ?? true);
}
