/** What providers on this machine and in private networks are judged by: `OIDC_ALLOW_PRIVATE`. */
import { expect, it } from 'vitest';
import { checkProvider } from '../../../src/auth/provider/provider-settings.js';
import { Faults } from '../../../src/shared/errors.js';
import { modelWith } from '../../support/models.js';

const model = modelWith({});

function faultsOf(issuer: string, allowPrivate: boolean): string[] {
  const faults = new Faults();
  const settings = {
    issuer,
    client_id: 'a',
    scopes: 'openid',
    member_kind: 'kind_admin',
    signup: false,
    trust_email: false,
    claims: {},
  };
  const rules = { allowed: { allow: [], allowPrivate }, ownAddresses: [], ownPlaces: [] };
  checkProvider(settings, model, rules, faults);
  return faults.messages.map(({ code, text }) => `${code} ${text}`);
}

it.each([
  'http://localhost:9000',
  'http://127.0.0.1:9000/a',
  'http://[::1]:9000',
  'https://10.1.2.3',
  'https://127.9.9.9:8443',
])('%s is possible where private addresses are allowed, and there alone', (issuer) => {
  expect(faultsOf(issuer, true)).toEqual([]);
  expect(faultsOf(issuer, false)).toEqual([expect.stringMatching(/^provider\.bad_issuer issuer: /)]);
});

it.each([
  'http://10.1.2.3',
  'http://example.com',
  'http://localhost.example.com',
  'ftp://localhost',
  'http://localhost:22',
])('%s never is', (issuer) => expect(faultsOf(issuer, true)).toHaveLength(1));
