/** What fills in a field when a unit is created. The service tells it in words (`src/model/made-default.ts`). */
import { madeWords } from '../../../src/model/made-default.js';
import type { Field } from '../api/types.js';

const NUMBERED = madeWords({ sequence: true });
const [OF_MEMBER = '', OF_IT = ''] =
  madeWords({ sequence: false, made: { from: 'member', name: '@' } })?.split('@') ?? [];

type Told = Pick<Field, 'helper_text'>;

/** Each unit has the next number of its kind. */
export function isNumbered({ helper_text: help }: Told): boolean {
  return NUMBERED !== undefined && help?.endsWith(NUMBERED) === true;
}

/** A new unit gets a value of the member that makes it. */
export function isOfMember({ helper_text: help }: Told): boolean {
  return help?.endsWith(OF_IT) === true && help.includes(OF_MEMBER);
}
