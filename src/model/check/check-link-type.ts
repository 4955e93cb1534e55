/** Checks the parameters of a link type. */
import type { Faults } from '../../shared/errors.js';
import { LIMITS } from '../../shared/limits.js';
import { RESERVED_LINK_PARAMETERS } from '../build/link-types.js';
import type { LinkTypeDef, Model } from '../model.js';
import { isRules } from '../parameter-setting/access.setting.js';
import type { ParameterDef } from '../parameter-type/parameter-def.js';

/** Adds a fault for each parameter that does not exist, is listed twice, or is not possible in links. */
export function checkLinkType(
  { id: type, parameters }: Pick<LinkTypeDef, 'id' | 'parameters'>,
  model: Pick<Model, 'parameters'>,
  suggestable: { readonly parameters: () => readonly string[] },
  faults: Faults,
): void {
  const bad = (text: string) => faults.add('link.bad_definition', `parameters: ${text}`, { parameter: 'parameters' });
  if (parameters.length > LIMITS.parametersPerLinkType) bad(`at most ${LIMITS.parametersPerLinkType}`);
  const [seen, twice] = [new Set<string>(), new Set<string>()];
  for (const id of parameters) (seen.has(id) ? twice : seen).add(id);
  for (const id of twice) bad(`'${id}' is there twice`);
  for (const id of seen) {
    const def = model.parameters.get(id);
    if (!def) bad(`no parameter '${id}' in this project${faults.hint(id, suggestable.parameters())}`);
    else if (RESERVED_LINK_PARAMETERS.has(id)) bad(`'${id}' is a field of every link; a parameter needs another id`);
    else {
      const reason = notInLinks(def);
      if (reason !== undefined) bad(`'${id}' cannot be a parameter of the link type '${type}': ${reason}`);
    }
  }
}

/** Why links cannot have a parameter; undefined if they can. */
function notInLinks({ readAccess, writeAccess, ...def }: ParameterDef): string | undefined {
  const { type, primary, unique, multiple, runTime, writeOnce } = def;
  if (type === 'unit') return 'a link has no references besides its two units';
  if (primary) return 'it is primary';
  if (unique && !multiple) return 'it is unique';
  if (writeOnce) return `it is 'write_once', and values of links can always be changed`;
  if (isRules(readAccess) || isRules(writeAccess)) return 'its access is a rule over units, and links take levels';
  return runTime ? 'it exists only at run time' : undefined;
}
