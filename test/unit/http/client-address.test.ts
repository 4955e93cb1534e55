import { expect, it } from 'vitest';
import { networkOf } from '../../../src/http/request/client-address.js';
import { loggedPath } from '../../../src/http/server/request-log.js';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:8080', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::ffff:c000:207', '192.0.2.7'],
  ['::FFFF:C000:0207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['[2001:db8:1:2::1]:8080', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1:2:3:4:5:6:7::', '1:2:3:4::/64'],
])('%s counts as %s', (text, network) => expect(networkOf(text)).toBe(network));

it.each([
  undefined,
  '',
  'unknown',
  '192.0.2',
  '192.0.2.256',
  '1:2:3',
  '192.0.2.7, 192.0.2.8',
  'constructor',
  ' 192.0.2.7',
])('%s is no address', (text) => expect(networkOf(text)).toBeUndefined());

it.each([
  '/api/lib/auth/reset_password/secret',
  '/api/lib/auth/reset_password/secret/more',
  '/API/LIB/AUTH/RESET_PASSWORD/secret',
  '/api/lib/auth//reset_password//secret',
  '/api/lib/auth/reset_password%2Fsecret',
  '/api/lib/reset_password/secret',
  '/api/lib/auth/reset%5Fpassword/secret',
])('%s is logged without what is secret', (path) => {
  expect(loggedPath(path)).not.toContain('secret');
  expect(loggedPath(path)).toContain('…');
});

it('other paths are logged as they are', () => expect(loggedPath('/api/lib/city/unit')).toBe('/api/lib/city/unit'));
