/** Two receivers that others wrote accept what is signed, and nothing else. */
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect, it } from 'vitest';
import { hintOf, newSecret, signatureHeaders } from '../../../src/webhook/signature.js';
import { rotated } from '../../../src/webhook/hook-secrets.js';

const body = '{"type":"task.update","data":{"title":"ü \\u0000 😀"}}';
const timestamp = Math.floor(Date.now() / 1000);
const signed = { id: 'msg_1', timestamp, body };

it.each([
  ['standardwebhooks', (secret: string) => new StandardWebhook(secret)],
  ['svix', (secret: string) => new SvixWebhook(secret)],
])('%s verifies a delivery', (_, receiver) => {
  const [secret, other] = [newSecret(), newSecret()];
  const headers = signatureHeaders(signed, [secret]);
  expect(receiver(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => receiver(other).verify(body, headers)).toThrow();
  expect(() => receiver(secret).verify(`${body} `, headers)).toThrow();
  expect(() => receiver(secret).verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow();
  const old = signatureHeaders({ ...signed, timestamp: timestamp - 3600 }, [secret]);
  expect(() => receiver(secret).verify(body, old)).toThrow();
  // Both secrets of a rotation.
  const both = signatureHeaders(signed, [other, secret]);
  expect(receiver(secret).verify(body, both)).toEqual(receiver(other).verify(body, both));
  expect(both['webhook-signature']?.split(' ')[0]).toBe(signatureHeaders(signed, [other])['webhook-signature']);
});

it('a secret has 32 random bytes', () => {
  const secret = newSecret();
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(secret.endsWith(hintOf(secret))).toBe(true);
  expect(newSecret()).not.toBe(secret);
});

it('a third secret within a day ends the oldest', () => {
  const day = 24 * 3600_000;
  const second = rotated('b', [{ secret: 'a' }], 1000);
  expect(second).toEqual([{ secret: 'b' }, { secret: 'a', until: 1000 + day }]);
  expect(rotated('c', second, 2000)).toEqual([{ secret: 'c' }, { secret: 'b', until: 2000 + day }]);
});
