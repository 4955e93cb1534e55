import { describe, expect, it } from 'vitest';
import { flowCookie, flowCookieOf, newFlowValue } from '../../../src/auth/provider/flow-cookie.js';

const value = newFlowValue();
const END = '; Max-Age=600; Path=/; HttpOnly';

describe('the cookie of a sign-in with an identity provider', () => {
  it.each([
    ['https://kind.example.com', `__Host-kind-flow=${value}${END}; Secure; SameSite=Lax`],
    ['https://127.0.0.1:3000', `__Host-kind-flow=${value}${END}; Secure; SameSite=Lax`],
    // A browser does not keep it there: no proof of a sign-in goes over a network in plain text.
    ['http://kind.example.com', `__Host-kind-flow=${value}${END}; Secure; SameSite=Lax`],
    ['http://localhost.example.com', `__Host-kind-flow=${value}${END}; Secure; SameSite=Lax`],
    ['http://127.0.0.1:3000', `kind-flow=${value}${END}; SameSite=Lax`],
    ['http://[::1]:3000', `kind-flow=${value}${END}; SameSite=Lax`],
    ['http://localhost:3000', `kind-flow=${value}${END}; SameSite=Lax`],
  ])('at %s is %s', (url, header) => {
    expect(flowCookie(value, url)).toBe(header);
    const [pair] = header.split(';');
    expect(flowCookieOf(`other=1; ${pair}`, url)).toBe(value);
  });

  it('has its name and its form, and is taken in no other', () => {
    const [own, url] = [`__Host-kind-flow=${value}`, 'https://kind.example.com'];
    for (const cookies of [
      undefined,
      '',
      own.replace('__Host-', ''),
      `${own}a`,
      own.slice(0, -1),
      `__Host-kind-flow=${'!'.repeat(22)}`,
    ])
      expect(flowCookieOf(cookies, url)).toBeUndefined();
    expect(flowCookieOf(own, 'http://localhost')).toBeUndefined();
    expect(newFlowValue()).not.toBe(value);
  });
});
