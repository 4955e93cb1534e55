/** What the list of sessions calls browsers and programs. */
import { expect, it } from 'vitest';
import { clientName } from '../src/members/client-name.js';

const on = (browser: string, system: string) => ({ browser, system });

it.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', on('Firefox', 'Linux')],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    on('Safari', 'iOS'),
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0',
    on('Microsoft Edge', 'Windows'),
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['Example/1.2 (Android 14)', 'Example/1.2'],
  ['', ''],
  [`Mozilla/5.0 ${'x'.repeat(300)}`, expect.stringMatching(/^Mozilla\/5\.0 x+…$/)],
])('%s', (agent, name) => {
  expect(clientName(agent)).toEqual(name);
});
