/** What an answer depends on beside its address: the caller and the project, and whatever was noted before, such as the origin. */
import { PROJECT_HEADER } from '../request/headers.js';
import type { HttpResponse } from '../request/request.js';

const VARY = `Authorization, ${PROJECT_HEADER}`;

export function varyOf(response: HttpResponse): string {
  const noted = response.getHeader('vary');
  return noted === undefined ? VARY : `${String(noted)}, ${VARY}`;
}
