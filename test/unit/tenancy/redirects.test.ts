/** The setting `redirects`, and the addresses that it allows. */
import { describe, expect, it } from 'vitest';
import { isRedirect } from '../../../src/model/redirects.js';
import { arePossible, readSetting, SettingFault } from '../../../src/tenancy/project-settings.js';

const read = (text: string) => readSetting('redirects', text);

describe('redirects', () => {
  it('are addresses of pages, programs and apps, separated by commas', () => {
    const redirects = [
      'https://app.example.com/signed-in',
      'https://app.example.com:8443/a/b%20c',
      'https://example.com',
      'http://localhost:5173/',
      'http://127.0.0.1/callback',
      'http://[::1]/callback',
      'com.example.app:/signed-in',
      'com.example.app://signed-in',
    ];
    expect(read(redirects.join(', '))).toEqual({ redirects });
    expect(arePossible({ redirects })).toBe(true);
    expect(read('off')).toEqual({ redirects: null });
  });

  it.each([
    ...['', 'app.example.com', '/signed-in', 'http://app.example.com/', 'http://10.0.0.1/', 'http://127.0.0.2/'],
    ...['https://user@example.com/', 'https://example.com/?a=1', 'https://example.com/#a', 'https://*.example.com/'],
    ...['https://example.com/a/../b', 'https://EXAMPLE.com/', 'https://example.com:443/', 'https:/example.com/'],
    ...['https://example.com\\@evil.example/', 'https://b\u00fccher.example/', 'https://example.com/a b'],
    ...[
      'app:/signed-in',
      'javascript:alert(1)',
      'data:text/html,a',
      'java.script:alert(1)',
      'com.example.app:signed-in',
    ],
    ...['com.example.app:/a?b=1', 'com.example.app:/a#b', 'file:///etc/passwd', 'https://example.com/,'],
    `https://example.com/${'a'.repeat(500)}`,
  ])('%s is none', (text) => {
    expect(read(text)).toBeInstanceOf(SettingFault);
    expect(arePossible({ redirects: [text] })).toBe(false);
  });

  it('are 20 at most', () => {
    const redirects = (count: number) => Array.from({ length: count }, (_, at) => `https://a${at}.example/`);
    expect(read(redirects(20).join())).toEqual({ redirects: redirects(20) });
    expect(read(redirects(21).join())).toMatchObject({ text: 'redirects: There are at most 20.' });
    const long = `https://example.com/${'a'.repeat(500)}`;
    expect(read(long)).toMatchObject({ text: 'redirects: Each has at most 500 characters.' });
  });
});

describe('isRedirect', () => {
  const REDIRECTS = [
    ...['https://app.example.com/in', 'http://localhost:5173/in', 'http://127.0.0.1/in', 'http://[::1]:9/in'],
    'com.example.app:/in',
  ];

  it.each([
    ...['https://app.example.com/in', 'http://localhost:5173/in', 'com.example.app:/in'],
    ...['http://127.0.0.1/in', 'http://127.0.0.1:49152/in', 'http://[::1]:49152/in', 'http://[::1]/in'],
  ])('takes %s', (given) => {
    expect(isRedirect(REDIRECTS, given)).toBe(true);
  });

  it.each([
    ...['', 'https://app.example.com/', 'https://app.example.com/in/', 'https://app.example.com/in?a=1'],
    ...['https://app.example.com/in#a', 'https://app.example.com:8443/in', 'http://app.example.com/in'],
    ...['https://APP.example.com/in', 'https://app.example.com/%69n', 'https://app.example.com/in/../in'],
    ...['https://app.example.com.evil.example/in', 'https://app.example.com@evil.example/in'],
    ...['http://localhost:5174/in', 'https://127.0.0.1:49152/in', 'http://127.0.0.1:49152/in?a=1'],
    ...[
      'http://127.0.0.1:49152@evil.example/in',
      'http://127.0.0.1:49152/in/',
      'http://127.1/in',
      'http://2130706433/in',
    ],
    ...['http://u@127.0.0.1/in', 'com.example.app:/in2', 'com.example.app:/in?a=1', 'com.example.other:/in'],
  ])('does not take %s', (given) => {
    expect(isRedirect(REDIRECTS, given)).toBe(false);
  });
});
