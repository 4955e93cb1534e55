/** Where a sign-in with an identity provider may lead back to: the setting `redirects`. Pure. */
import { LIMITS } from '../shared/limits.js';
import { shortened } from '../shared/texts.js';

/** Any port of these is meant, because an app on a computer takes one that is free (RFC 8252, section 7.3). */
const LOOPBACK_ADDRESSES: readonly string[] = ['127.0.0.1', '[::1]'];
/** Of an app: a name of its maker, backwards, so that it has a dot (RFC 8252, section 7.1). */
const APP_SCHEME = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/[^?#,]*$/;
/** Left out where an address is read and written. */
const DEFAULT_PORT = /^(http:\/\/[^/]+):80\//;
const PLAIN = /^[\x21-\x7e]+$/;

/** What is wrong with such addresses, as a sentence; undefined if they can be used. */
export function faultOfRedirects(redirects: readonly string[]): string | undefined {
  if (redirects.length > LIMITS.redirects) return `There are at most ${LIMITS.redirects}.`;
  if (redirects.some(({ length }) => length > LIMITS.redirectLength)) {
    return `Each has at most ${LIMITS.redirectLength} characters.`;
  }
  const wrong = redirects.find((redirect) => !isPossible(redirect));
  if (wrong === undefined) return undefined;
  const forms = 'https://<host>/<path>, http://127.0.0.1/<path>, http://localhost:<port>/<path> or com.example.app:/…';
  return `'${shortened(wrong)}' is not ${forms}, without query and fragment.`;
}

function isPossible(text: string): boolean {
  if (!PLAIN.test(text) || text.includes('\\')) return false;
  if (APP_SCHEME.test(text)) return true;
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const { protocol, hostname, username, password } = url;
  const isSecure =
    protocol === 'https:' || (protocol === 'http:' && [...LOOPBACK_ADDRESSES, 'localhost'].includes(hostname));
  // Written as browsers write it, so that what is compared is what they open.
  const isExact = url.href === text || url.href === `${text}/`;
  return isSecure && isExact && username === '' && password === '' && !/[?#*,]/.test(text);
}

/** Whether an address that a client gives is one of them. */
export function isRedirect(redirects: readonly string[], given: string): boolean {
  return redirects.includes(given) || redirects.some((redirect) => isOtherPort(redirect, given));
}

/** Whether they are the same but for the port of a loopback address. */
function isOtherPort(redirect: string, given: string): boolean {
  if (!URL.canParse(redirect) || !URL.canParse(given)) return false;
  const [one, other] = [new URL(redirect), new URL(given)];
  const isExact = other.href === given.replace(DEFAULT_PORT, '$1/');
  if (one.protocol !== 'http:' || !LOOPBACK_ADDRESSES.includes(one.hostname) || !isExact) return false;
  other.port = one.port;
  return one.href === other.href;
}
