/** Where the passkeys of a project are used: the settings `passkey_domain` and `passkey_origins`. Pure. */
import { LIMITS } from '../shared/limits.js';
import { shortened } from '../shared/texts.js';

export interface PasskeySettings {
  /** What passkeys are made for: a host, or what hosts end in. Null or absent: none is. */
  readonly passkeyDomain?: string | null;
  /** Of the pages and apps that may ask for passkeys. Null or absent: none may. */
  readonly passkeyOrigins?: readonly string[] | null;
}

interface PasskeyUse {
  readonly domain: string;
  readonly origins: readonly string[];
}

/** Undefined where a project takes no passkeys: one of the settings is missing, or no origin is at the domain. */
export function passkeyUse({
  passkeyDomain: domain,
  passkeyOrigins: origins,
}: PasskeySettings): PasskeyUse | undefined {
  return domain && origins?.some((origin) => isAt(domain, origin)) ? { domain, origins } : undefined;
}

/** Devices have passkeys of a domain for pages below it (WebAuthn, "relying party identifier"), and for apps that its host names. */
function isAt(domain: string, origin: string): boolean {
  return ANDROID_APP.test(origin) || `.${new URL(origin).hostname}`.endsWith(`.${domain}`);
}

/** A host that is no address: its last part is no number, and there is one before it. */
const DOMAIN = /^(?:[a-z0-9-]+\.)+(?!\d+$)[a-z0-9-]+$/;
/** Of an app: the SHA-256 of its certificate. */
const ANDROID_APP = /^android:apk-key-hash:[\w-]{43}$/;

export function isPasskeyDomain(host: string): boolean {
  return host === 'localhost' || (DOMAIN.test(host) && URL.canParse(`https://${host}`));
}

/** What is wrong with origins, as a sentence; undefined if they can be used. */
export function faultOfOrigins(origins: readonly string[]): string | undefined {
  const wrong = origins.find((origin) => !isPasskeyOrigin(origin));
  if (wrong !== undefined)
    return `'${shortened(wrong)}' is not https://<host>, http://localhost:<port> or android:apk-key-hash:….`;
  return origins.length > LIMITS.passkeyOrigins ? `There are at most ${LIMITS.passkeyOrigins}.` : undefined;
}

/** Browsers and apps say exactly this of themselves. */
function isPasskeyOrigin(text: string): boolean {
  if (ANDROID_APP.test(text)) return true;
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  const isSecure = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  return origin === text && isSecure && isPasskeyDomain(hostname);
}
