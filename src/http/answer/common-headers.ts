/**
 * Headers of every answer. The first middleware sets them on the response (`server/request-lifecycle.ts`), so whatever
 * writes the answer sends them; answers without a response object are written by `server/malformed-request.ts`.
 */
import type { ServerResponse } from 'node:http';

export const COMMON_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
];

export function setCommonHeaders(response: ServerResponse): void {
  for (const [name, value] of COMMON_HEADERS) response.setHeader(name, value);
}
