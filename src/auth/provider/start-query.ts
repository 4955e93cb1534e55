/** The query with which an application sends a browser to sign in with an identity provider. */
import { readQuery, singleText } from '../../http/route/parse-list-query.js';
import { START_QUERY, type QueryName } from '../../http/route/query-names.js';
import { Faults } from '../../shared/errors.js';
import { textFault } from '../../shared/json.js';
import { LIMITS } from '../../shared/limits.js';

export interface StartQuery {
  readonly redirectTo: string;
  /** The SHA-256 of the verifier that the application keeps, in base64url. */
  readonly codeChallenge: string;
  /** Given back to the application. */
  readonly state: string;
  /** A ticket. */
  readonly link?: string;
  /** What the provider is told. */
  readonly passedOn: { readonly loginHint?: string; readonly prompt?: string };
}

const CHALLENGE = /^[\w-]{43}$/;

/** @throws KindError 400, with all that is wrong */
export function readStartQuery(url: string): StartQuery {
  const query = readQuery(url, START_QUERY, { asIs: true });
  const faults = new Faults();
  const text = (name: QueryName): string | undefined => {
    const given = singleText(query, name);
    const fault = given === undefined ? undefined : textFault(given);
    if (fault !== undefined) faults.add('query.bad_value', `${name}: ${fault}`, { parameter: name });
    return given;
  };
  const required = (name: QueryName, isFit: (given: string) => boolean, wants: string): string => {
    const given = text(name) ?? '';
    if (!isFit(given)) faults.add('query.bad_value', `${name}: ${wants}`, { parameter: name });
    return given;
  };
  const passed = (name: QueryName): string | undefined => {
    const given = text(name);
    if (given !== undefined && given.length > LIMITS.providerHint)
      faults.add('query.bad_value', `${name}: has at most ${LIMITS.providerHint} characters`, { parameter: name });
    return given;
  };
  const redirectTo = required('redirect_to', (given) => given !== '', 'must be given: where to go on afterwards');
  const codeChallenge = required(
    'code_challenge',
    (given) => CHALLENGE.test(given),
    'must be given: the SHA-256 of the code verifier in base64url, 43 characters (RFC 7636, S256)',
  );
  const state = required(
    'state',
    ({ length }) => length > 0 && length <= LIMITS.providerState,
    `must be given: 1 to ${LIMITS.providerState} characters`,
  );
  const [link, loginHint, prompt] = [text('link'), passed('login_hint'), passed('prompt')];
  faults.throwIfAny();
  return {
    redirectTo,
    codeChallenge,
    state,
    ...(link !== undefined && { link }),
    passedOn: { ...(loginHint !== undefined && { loginHint }), ...(prompt !== undefined && { prompt }) },
  };
}
