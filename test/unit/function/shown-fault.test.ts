import { expect, it } from 'vitest';
import { withoutServerPaths } from '../../../src/function/declare/definition.js';

it.each([
  ["Cannot find module '/srv/kind/functions/_a.js'", "Cannot find module '…/_a.js'"],
  ['ENOENT: open /etc/secret/key.pem', 'ENOENT: open …/key.pem'],
  ['(file:///srv/kind/functions/city.ts)', '(…/city.ts)'],
  ['C:\\kind\\functions\\city.ts is wrong', '…/city.ts is wrong'],
  ['wants postgres://me:word@host:5432/db', 'wants postgres://…@host:5432/db'],
  ["Cannot find module '/srv/My Kind app/functions/_a.js' here", "Cannot find module '…/_a.js' here"],
  ['open /home/ann b/secret x/key file.pem', 'open …/key file.pem'],
  ['C:\\Program Files\\kind\\city.ts is wrong', '…/city.ts is wrong'],
  ['/srv/kind/a.ts and /srv/kind/b.ts', '…/a.ts and …/b.ts'],
  ['/srv/kind/a.ts imports x/y', '…/a.ts imports x/y'],
  ["functions.say.run: must be a function, as in 'a/b'", "functions.say.run: must be a function, as in 'a/b'"],
  ['see https://example.com/a/b', 'see https://example.com/a/b'],
  ['1 / 2 is not allowed', '1 / 2 is not allowed'],
])('%s', (text, shown) => {
  expect(withoutServerPaths(text)).toBe(shown);
});
