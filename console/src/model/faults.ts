/** The messages of a refusal, at the place that they are about. */
import { ApiError } from '../api/errors.js';
import { nameIn, textAlone, textAt, type Labels } from '../data/faults.js';
import type { Text } from '../i18n/text.js';
import type { SettingFaults } from './parameter-setting-fields.js';

export interface DefinitionFaults {
  /** By the name of a setting; '' for those about no setting. */
  readonly own: SettingFaults;
  /** By the position of a parameter in the list. */
  readonly parameters: ReadonlyMap<number, SettingFaults>;
}

export const NO_FAULTS: DefinitionFaults = { own: {}, parameters: new Map() };

/** Messages about a parameter in a list begin with its place: `parameters[1].min_length: …`. */
const IN_LIST = /^parameters\[(\d+)\](?:\.([a-z_]+))?(?:\[\d+\])?: (.*)$/su;

/** Those about a field of a check, too: `checks[0].text: …`. */
const IN_CHECK = /^(checks\[\d+\]\.(?:id|filter|text)): (.*)$/su;

/** @param settings those that the form shows; messages about others are of the whole form */
export function faultsOf(fault: unknown, settings: readonly string[], labels: Labels, text: Text): DefinitionFaults {
  if (!(fault instanceof ApiError)) return { own: { '': (fault as Error).message }, parameters: new Map() };
  const own: Record<string, string> = {};
  const parameters = new Map<number, Record<string, string>>();
  for (const { parameter = '', text: given } of fault.messages) {
    const [, at, name = '', message] = IN_LIST.exec(given) ?? [];
    if (at !== undefined && message !== undefined) {
      const known = parameters.get(Number(at)) ?? {};
      parameters.set(Number(at), added(known, name, textAt(name, `${name}: ${message}`, labels, text)));
    } else if (settings.includes('checks') && IN_CHECK.test(given)) {
      const [, place = '', fault = ''] = IN_CHECK.exec(given) ?? [];
      Object.assign(own, added(own, place, textAt('checks', `checks: ${fault}`, labels, text)));
    } else {
      const name = nameIn(parameter);
      const isShown = settings.includes(name);
      const shown = isShown ? textAt(name, given, labels, text) : textAlone(given, labels);
      Object.assign(own, added(own, isShown ? name : '', shown));
    }
  }
  return { own, parameters };
}

function added(faults: Readonly<Record<string, string>>, name: string, text: string): Record<string, string> {
  const before = faults[name];
  return { ...faults, [name]: before === undefined ? text : `${before}\n${text}` };
}
