/** The bodies of the authentication endpoints. All faults of one come at once. Pure. */
import { CREDENTIAL_KIND } from '../model/special.js';
import { Faults, moved, refusal, type KindError } from '../shared/errors.js';
import { isPlainObject, textFault, typeName } from '../shared/json.js';

type Fields = Record<string, unknown>;

function objectOf(body: unknown): Fields {
  if (isPlainObject(body)) return body;
  const got = body === undefined ? 'none' : typeName(body);
  throw refusal('body.not_object', `The body must be a JSON object, got ${got}`);
}

/** A text that must be there; the empty text after a fault. */
function text(fields: Fields, name: string, faults: Faults): string {
  return findText(fields, name, faults) ?? '';
}

/** A text that must be there; undefined after a fault. */
function findText(fields: Fields, name: string, faults: Faults, path = name): string | undefined {
  const value = fields[name];
  const place = { parameter: path };
  if (value === undefined) faults.add('parameter.required', `${path}: must be given`, place);
  else if (typeof value !== 'string')
    faults.add('parameter.bad_type', `${path}: must be a string, got ${typeName(value)}`, place);
  else {
    const fault = textFault(value);
    if (!fault) return value;
    faults.add('parameter.bad_value', `${path}: ${fault}`, place);
  }
  return undefined;
}

function refuseOthers(fields: Fields, known: readonly string[], faults: Faults, prefix = ''): void {
  for (const key of Object.keys(fields).filter((each) => !known.includes(each))) {
    const name = `${prefix}${key.slice(0, 80)}`;
    faults.add('parameter.unknown', `${name}: there is no such parameter here; there are ${known.join(', ')}`, {
      parameter: name,
    });
  }
}

export function readCredentials(body: unknown): { username: string; password: string; otp: string | null } {
  const fields = objectOf(body);
  const faults = new Faults();
  const username = text(fields, 'username', faults);
  const password = text(fields, 'password', faults);
  const otp = fields['otp'] ?? null;
  if (otp !== null && typeof otp !== 'string') {
    faults.add('parameter.bad_type', `otp: must be a string or null, got ${typeName(otp)}`, { parameter: 'otp' });
  }
  refuseOthers(fields, ['username', 'password', 'otp'], faults);
  faults.throwIfAny();
  return { username, password, otp: otp as string | null };
}

export interface SignUpBody {
  /** Undefined where it has a fault. */
  readonly password: string | undefined;
  /** `username` and `email`, without what has a fault. */
  readonly names: ReadonlyMap<string, string>;
  /** Parameters of the member kind. */
  readonly rest: readonly [string, unknown][];
}

/** Name and password come twice, and must be the same. The faults are added to those of the member. */
export function readSignUp(body: unknown, faults: Faults): SignUpBody {
  const fields = objectOf(body);
  const username = findText(fields, 'username', faults);
  const password = findText(fields, 'password', faults);
  const inner = fields[CREDENTIAL_KIND];
  const user = isPlainObject(inner) ? inner : {};
  if (!isPlainObject(inner)) {
    const wants = `${CREDENTIAL_KIND}: must be an object with username, password and email`;
    faults.add(inner === undefined ? 'parameter.required' : 'parameter.bad_type', wants, {
      parameter: CREDENTIAL_KIND,
    });
  }
  const path = (name: string) => `${CREDENTIAL_KIND}.${name}`;
  const email = isPlainObject(inner) ? findText(user, 'email', faults, path('email')) : undefined;
  if (isPlainObject(inner)) {
    for (const [name, value] of Object.entries({ username, password })) {
      const again = findText(user, name, faults, path(name));
      if (value === undefined || again === undefined || again === value) continue;
      faults.add('signup.mismatch', `${path(name)}: must be the ${name} of the member`, { parameter: path(name) });
    }
    refuseOthers(user, ['username', 'password', 'email'], faults, `${CREDENTIAL_KIND}.`);
  }
  if (fields['email'] !== undefined && email !== undefined && fields['email'] !== email) {
    faults.add('signup.mismatch', `email: must be that of ${CREDENTIAL_KIND}`, { parameter: 'email' });
  }
  const own = ['username', 'password', CREDENTIAL_KIND, 'email'];
  const names = Object.entries({ username, email }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return { password, names: new Map(names), rest: Object.entries(fields).filter(([key]) => !own.includes(key)) };
}

/** What is wrong with the e-mail of a member is told where a sign-up gives it, inside `kind_system_user`. */
export function whereGiven(refused: KindError): KindError {
  const [first, ...rest] = refused.messages.map((message) => {
    const { code, parameter } = message;
    return parameter === 'email' && code !== 'signup.mismatch' ? moved(message, CREDENTIAL_KIND, {}) : message;
  });
  return first ? refused.saying([first, ...rest]) : refused;
}

export function readChange(body: unknown): { current: string; fresh: string } {
  const fields = objectOf(body);
  const faults = new Faults();
  const current = text(fields, 'current_password', faults);
  const fresh = text(fields, 'new_password', faults);
  refuseOthers(fields, ['current_password', 'new_password'], faults);
  faults.throwIfAny();
  return { current, fresh };
}

export function readRecovery(body: unknown): { email: string } {
  const fields = objectOf(body);
  const faults = new Faults();
  const email = text(fields, 'email', faults);
  refuseOthers(fields, ['email'], faults);
  faults.throwIfAny();
  return { email };
}

export function readNewPassword(body: unknown): string {
  const fields = objectOf(body);
  const faults = new Faults();
  const fresh = text(fields, 'new_password', faults);
  refuseOthers(fields, ['new_password'], faults);
  faults.throwIfAny();
  return fresh;
}
