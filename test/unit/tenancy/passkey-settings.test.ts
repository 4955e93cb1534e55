/** The settings of passkeys, as a command reads them. */
import { describe, expect, it } from 'vitest';
import { passkeyUse } from '../../../src/model/passkeys.js';
import { arePossible, readSetting, SettingFault } from '../../../src/tenancy/project-settings.js';

const APP = `android:apk-key-hash:${'a'.repeat(43)}`;
const read = (name: string, text: string) => readSetting(name, text);

describe('passkey_domain', () => {
  it.each([
    ['example.com', 'example.com'],
    ['App.Example.COM', 'app.example.com'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
    ['off', null],
  ])('%s is %s', (text, passkeyDomain) => {
    expect(read('passkey_domain', text)).toEqual({ passkeyDomain });
    expect(arePossible({ passkeyDomain })).toBe(true);
  });

  it.each([
    ...['', 'com', 'https://example.com', 'example.com:443', 'example.com/', 'example.com.', '.example.com'],
    ...['127.0.0.1', '[::1]', 'exa mple.com', 'b\u00fccher.example', 'user@example.com'],
  ])('%s is none', (text) => {
    expect(read('passkey_domain', text)).toBeInstanceOf(SettingFault);
    expect(arePossible({ passkeyDomain: text })).toBe(false);
  });
});

describe('passkey_origins', () => {
  it('are exact, and separated by commas', () => {
    const text = `https://example.com, https://app.example.com:8443,http://localhost:5173,${APP}`;
    const passkeyOrigins = [...['https://example.com', 'https://app.example.com:8443', 'http://localhost:5173'], APP];
    expect(read('passkey_origins', text)).toEqual({ passkeyOrigins });
    expect(arePossible({ passkeyOrigins })).toBe(true);
    expect(read('passkey_origins', 'off')).toEqual({ passkeyOrigins: null });
  });

  it.each([
    ...[
      '',
      'example.com',
      'http://example.com',
      'https://example.com/',
      'https://example.com:443',
      'https://A.example',
    ],
    ...[
      'https://*.example.com',
      'https://example.com,',
      'null',
      'android:apk-key-hash:x',
      'file://',
      'ftp://localhost',
    ],
  ])('%s is none', (text) => {
    expect(read('passkey_origins', text)).toBeInstanceOf(SettingFault);
  });

  it('are 20 at most', () => {
    const origins = (count: number) => Array.from({ length: count }, (_, at) => `https://a${at}.example`);
    expect(read('passkey_origins', origins(20).join())).toEqual({ passkeyOrigins: origins(20) });
    expect(read('passkey_origins', origins(21).join())).toBeInstanceOf(SettingFault);
    expect(arePossible({ passkeyOrigins: origins(21) })).toBe(false);
    expect(arePossible({ passkeyOrigins: 'https://example.com' })).toBe(false);
  });
});

it('a project takes passkeys where both are set', () => {
  const [passkeyDomain, passkeyOrigins] = ['example.com', ['https://example.com']];
  expect(passkeyUse({ passkeyDomain, passkeyOrigins })).toEqual({ domain: passkeyDomain, origins: passkeyOrigins });
  for (const settings of [{}, { passkeyDomain }, { passkeyOrigins }, { passkeyDomain: null, passkeyOrigins }])
    expect(passkeyUse(settings)).toBeUndefined();
  expect(passkeyUse({ passkeyDomain, passkeyOrigins: [] })).toBeUndefined();
});
