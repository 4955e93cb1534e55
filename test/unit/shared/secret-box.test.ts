/** Stored secrets are read by the keys that may, and in their place alone. */
import { expect, it } from 'vitest';
import { SecretBox } from '../../../src/shared/secret-box.js';

const [key, other] = ['k'.repeat(32), 'o'.repeat(32)];

it('opens what it has sealed, in its place alone', () => {
  const box = new SecretBox(key);
  const sealed = box.seal('a secret', ['shop', 'webhook', 'a']);
  expect(box.open(sealed, ['shop', 'webhook', 'a'])).toBe('a secret');
  expect(sealed).not.toContain(Buffer.from('a secret').toString('base64url').slice(0, 8));
  expect(box.seal('a secret', ['shop', 'webhook', 'a'])).not.toBe(sealed);
  for (const place of [['shop2', 'webhook', 'a'], ['shop', 'webhook', 'b'], ['shop', 'webhooka'], []]) {
    expect(box.open(sealed, place)).toBeUndefined();
  }
  for (const text of ['', 'x', sealed.slice(1), `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`, '{}']) {
    expect(box.open(text, ['shop', 'webhook', 'a'])).toBeUndefined();
  }
});

it('former keys open and do not close', () => {
  const sealed = new SecretBox(key).seal('a', ['p']);
  expect(new SecretBox(other).open(sealed, ['p'])).toBeUndefined();
  expect(new SecretBox(other, [key]).open(sealed, ['p'])).toBe('a');
  expect(new SecretBox(other, [`jwt:${key}`]).open(sealed, ['p'])).toBe('a');
  expect(new SecretBox(key).open(new SecretBox(other, [key]).seal('b', ['p']), ['p'])).toBeUndefined();
});
