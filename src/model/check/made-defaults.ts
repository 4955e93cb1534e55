/** Checks what defaults that are made take of members (`MadeDefault`). Pure. */
import { isMemberKind, type Field, type Model } from '../model.js';
import { madeText } from '../made-default.js';
import { settingName } from '../parameter-setting/parameter-settings.js';
import { parameterRecordId } from '../../shared/identifiers.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';
import type { Faults } from '../../shared/errors.js';

/**
 * Adds a fault for each default that cannot be made: of a definition that was written, or because of a change of what it
 * names.
 * @param touched the parameters that were written; those in the body of a kind with their positions in `inline`
 */
export function checkMadeDefaults(
  model: Model,
  touched: { readonly parameters: ReadonlySet<string>; readonly inline?: ReadonlyMap<string, number> },
  faults: Faults,
): void {
  for (const def of model.parameters.values()) {
    const fault = whyNotMade(def, model);
    if (fault === undefined) continue;
    const name = settingName('default', def.type);
    const recordId = parameterRecordId(def);
    const inline = touched.inline?.get(recordId);
    if (!touched.parameters.has(recordId)) faults.add('parameter.in_default', `'${recordId}' has the ${fault}`);
    else if (inline === undefined) faults.add('parameter.bad_definition', `${name}: ${fault}`, { parameter: name });
    else {
      const text = `parameters[${inline}].${name}: ${fault}`;
      faults.add('parameter.bad_definition', text, { parameter: 'parameters' });
    }
  }
}

/** Why a default cannot be made, beginning with the default; undefined if it can. */
function whyNotMade({ made, referenceKind = '' }: ParameterDef, model: Model): string | undefined {
  if (!made || made.from === 'now') return undefined;
  const text = `default '${madeText(made)}'`;
  if (made.from === 'caller') {
    const target = model.kinds.get(referenceKind);
    return !target || isMemberKind(target) ? undefined : `${text}, and '${target.id}' is no member kind`;
  }
  const { name } = made;
  const members = [...model.kinds.values()].filter(isMemberKind);
  const named = members.flatMap(({ fields }) => fields.get(name) ?? []);
  if (named.length === 0) return `${text}, and no member kind has '${name}'`;
  if (named.some(({ def }) => def.hidden)) return `${text}, and '${name}' is hidden`;
  return named.some((field) => !hasText(field)) ? `${text}, and '${name}' is no single text that is stored` : undefined;
}

/** Whether values are single texts, such as ids. */
function hasText({ def, column, columnType, constant }: Field): boolean {
  const isText = column !== undefined && (columnType === 'text' || columnType === 'uuid');
  return typeof constant === 'string' || (isText && !def.multiple);
}
