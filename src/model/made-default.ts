/** Defaults that are made when a unit is created: `@now`, `@member.id`, `@member.name`. Pure. */
import type { Json } from '../shared/json.js';
import type { MadeDefault } from './parameter-setting/default.setting.js';
import type { ParameterTypeId } from './parameter-type/parameter-types.js';
import { PARAMETER_TYPES } from './parameter-type/type-by-id.js';

/** What a definition says of a default. */
interface GivenDefault {
  readonly type: ParameterTypeId;
  readonly multiple: boolean;
  readonly default: Json;
}

const NOW = '@now';
const CALLER = '@member.id';
const OF_MEMBER = /^@member\.([a-z][a-z0-9_]*)$/;

/** The default that such a text makes; undefined for any other value. */
function madeBy({ type, multiple, default: value }: GivenDefault): MadeDefault | undefined {
  if (multiple || typeof value !== 'string') return undefined;
  switch (PARAMETER_TYPES.get(type)?.makes) {
    case 'now':
      return value === NOW ? { from: 'now' } : undefined;
    case 'caller':
      return value === CALLER ? { from: 'caller' } : undefined;
    case 'member': {
      const [, name] = OF_MEMBER.exec(value) ?? [];
      return name === undefined ? undefined : { from: 'member', name };
    }
    case undefined:
      return undefined;
  }
}

/** The definition with a default that is made apart from values, so that nothing takes its text for one. */
export function withMadeDefault<Def extends GivenDefault>(def: Def): Def & { readonly made: MadeDefault | undefined } {
  const made = madeBy(def);
  return made ? { ...def, made, default: null } : { ...def, made };
}

/** A default that is made, as definitions have it. */
export function madeText(made: MadeDefault): string {
  if (made.from === 'now') return NOW;
  return made.from === 'caller' ? CALLER : `@member.${made.name}`;
}

/** The texts of defaults that are made of a type; those with the id of a parameter are not listed. */
export function madeTexts(type: ParameterTypeId): readonly string[] {
  const makes = PARAMETER_TYPES.get(type)?.makes;
  if (makes === 'now') return [NOW];
  return makes === 'caller' ? [CALLER] : [];
}

/** The same in words, for people. */
export function madeWords({ made, sequence }: { readonly made?: MadeDefault | undefined; readonly sequence: boolean }) {
  if (sequence) return 'The next number of the kind, which is made when a unit is created.';
  switch (made?.from) {
    case 'now':
      return 'Where it is not given, a new unit gets the time at which it is created.';
    case 'caller':
      return 'Where it is not given, a new unit gets the member that creates it.';
    case 'member':
      return `Where it is not given, a new unit gets \`${made.name}\` of the member that creates it.`;
    case undefined:
      return undefined;
  }
}
