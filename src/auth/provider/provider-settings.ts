/** What is wrong with the settings of an identity provider. Pure. */
import { writableFields } from '../../access/masks.js';
import { CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import { SESSION_NAMES } from '../../model/built-in/member-fields.js';
import { UNIT_FIELDS } from '../../model/field.js';
import { isMemberKind, type KindDef, type Model } from '../../model/model.js';
import { isLoopback, type AddressRules } from '../../outgoing/addresses.js';
import { placeFault, placeOfUrl } from '../../outgoing/places.js';
import type { Faults } from '../../shared/errors.js';
import { isPlainObject, typeName } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';
import { didYouMean, shortened } from '../../shared/texts.js';
import { ANONYMOUS } from '../../tenancy/caller.js';
import { hasManyTenants } from './openid/entra.js';

/** Null only where one is missing or has a fault, which is told elsewhere. */
export interface ProviderSettings {
  readonly issuer: string | null;
  readonly client_id: string | null;
  readonly scopes: string | null;
  readonly member_kind: string | null;
  readonly signup: boolean | null;
  readonly trust_email: boolean | null;
  readonly claims: unknown;
}

/** Adds what is wrong with the settings of an identity provider. */
export function checkProvider(settings: ProviderSettings, model: Model, rules: AddressRules, faults: Faults): void {
  const { issuer, client_id: clientId, scopes, member_kind: kindId, signup, trust_email: trustEmail } = settings;
  const bad = (parameter: string, text: string): void =>
    faults.add('parameter.bad_value', `${parameter}: ${text}`, { parameter });
  const fault = issuer === null ? undefined : issuerFault(issuer, rules);
  if (fault !== undefined) faults.add('provider.bad_issuer', `issuer: ${fault}`, { parameter: 'issuer' });
  if (trustEmail && issuer !== null && hasManyTenants(issuer)) {
    const text =
      'not for an issuer of many tenants, each of which says of any address that it is verified: name that of one';
    bad('trust_email', text);
  }
  if (clientId !== null && !isVisible(clientId)) bad('client_id', VISIBLE);
  if (scopes !== null && !scopes.split(' ').includes('openid')) bad('scopes', "must have 'openid' among them");
  if (scopes !== null && !SCOPES.test(scopes)) bad('scopes', 'must be names with one space between them');
  const kind = kindId === null ? undefined : model.kinds.get(kindId);
  if (kindId !== null && !(kind && isMemberKind(kind))) {
    const known = [...model.kinds.values()].filter(isMemberKind).map(({ id }) => id);
    bad('member_kind', `no member kind '${shortened(kindId)}' in this project${didYouMean(kindId, known)}`);
  } else if (kind && signup && kind.traits.closed?.includes('signup')) bad('signup', `nobody signs up to '${kind.id}'`);
  else if (kind) checkClaims(settings.claims, kind, model, (text) => bad('claims', text));
}

/** Names of scopes, as OAuth allows them. */
const SCOPES = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

/** What OAuth allows of ids and secrets of clients. */
export function isVisible(text: string): boolean {
  return /^[ -~]*$/.test(text);
}
export const VISIBLE = 'must be visible characters of ASCII, and spaces';

function issuerFault(text: string, rules: AddressRules): string | undefined {
  const { allowPrivate } = rules.allowed;
  const wanted = 'must be an address that begins with https://, as the provider writes it';
  if (!URL.canParse(text) || !/^[!-~]+$/.test(text)) return wanted;
  const url = new URL(text);
  const place = placeOfUrl(url);
  if (url.protocol === 'http:' && !(allowPrivate && isLoopback(place.host))) {
    return 'must begin with https://; http:// is possible on this machine alone, where OIDC_ALLOW_PRIVATE is on';
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return wanted;
  if (url.username !== '' || url.password !== '') return 'must be without user and password';
  if (/[?#]/.test(text)) return 'must be without ? and #';
  return placeFault(place, rules);
}

/** What a provider never fills: it is set otherwise, or by nobody. */
const NOT_FILLED: ReadonlySet<string> = new Set([
  ...UNIT_FIELDS,
  ...SESSION_NAMES,
  CREDENTIAL_KIND,
  'username',
  'email',
]);

function checkClaims(claims: unknown, kind: KindDef, model: Model, bad: (text: string) => void): void {
  if (!isPlainObject(claims)) {
    return bad(`must be an object of parameters and names of claims, got ${typeName(claims)}`);
  }
  const given = [...writableFields(kind, ANONYMOUS, model).keys()].filter((id) => !NOT_FILLED.has(id));
  for (const [parameter, claim] of Object.entries(claims)) {
    const shown = shortened(parameter);
    if (!given.includes(parameter)) {
      bad(
        `'${shown}' is no parameter that a sign-up to '${kind.id}' gives, and a claim fills${didYouMean(parameter, given)}`,
      );
    } else if (typeof claim !== 'string' || claim === '' || claim.length > LIMITS.claimName) {
      bad(`the name of the claim of '${shown}' must be a string of 1 to ${LIMITS.claimName} characters`);
    }
  }
}
