/** The `Vary` header: the caller and the project, added to values that were set before, such as Origin. */
import { PROJECT_HEADER } from '../request/header-names.js';
import type { HttpResponse } from '../request/request.js';

const VARY = `Authorization, ${PROJECT_HEADER}`;

export function varyOf(response: HttpResponse): string {
  const before = response.getHeader('vary');
  return before === undefined ? VARY : `${String(before)}, ${VARY}`;
}
