/** The release of the service, as in package.json. */
import { readFileSync } from 'node:fs';

export const { version: RELEASE } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as {
  version: string;
};
