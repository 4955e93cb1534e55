/** The body of a sign-up. */
import { ApiSchema } from '@nestjs/swagger';
import { NestedObject, readFields, requireObject, Text } from '../../http/body/dto.js';
import { CREDENTIAL_KIND } from '../../model/built-in-traits.js';
import { EMAIL_PATTERN } from '../../shared/email.js';
import { type Faults, type KindError, prefixMessage } from '../../shared/errors.js';
import { USERNAME_LENGTH } from '../../shared/member-names.js';
import { NEW_PASSWORD_FIELD, PASSWORD_FIELD } from '../password/password.dto.js';

@ApiSchema({ name: 'kind_sign_up_user' })
class SystemUserBody {
  @Text()
  readonly username!: string;

  @Text(PASSWORD_FIELD)
  readonly password!: string;

  @Text({ pattern: EMAIL_PATTERN })
  readonly email!: string;
}

/** The parameters of the member kind may be given as well. */
@ApiSchema({ name: 'kind_sign_up' })
export class SignUpBody {
  @Text({ minLength: 1, maxLength: USERNAME_LENGTH })
  readonly username!: string;

  @Text(NEW_PASSWORD_FIELD)
  readonly password!: string;

  @NestedObject(
    () => SystemUserBody,
    'must be an object with username, password and email',
    'Name and password once more, and the e-mail address.',
  )
  readonly kind_system_user!: Partial<SystemUserBody>;
}

interface SignUp {
  /** Undefined if it has a fault. */
  readonly password: string | undefined;
  /** `username` and `email`, as far as they have no fault. */
  readonly names: ReadonlyMap<string, string>;
  /** Parameters of the member kind. */
  readonly rest: readonly [string, unknown][];
}

/** Reads the body, and adds its faults to `faults`. @throws KindError 400 if it is no object */
export function readSignUp(body: unknown, faults: Faults): SignUp {
  const fields = requireObject(body);
  const { username, password, kind_system_user: user } = readFields(SignUpBody, fields, faults);
  for (const [name, value] of Object.entries({ username, password })) {
    const again = user?.[name as keyof SystemUserBody];
    if (value === undefined || again === undefined || again === value) continue;
    const path = `${CREDENTIAL_KIND}.${name}`;
    faults.add('signup.mismatch', `${path}: must be the ${name} of the member`, { parameter: path });
  }
  const email = user?.email;
  if (fields['email'] !== undefined && email !== undefined && fields['email'] !== email) {
    faults.add('signup.mismatch', `email: must be that of ${CREDENTIAL_KIND}`, { parameter: 'email' });
  }
  const own = ['username', 'password', CREDENTIAL_KIND, 'email'];
  const names = Object.entries({ username, email }).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return { password, names: new Map(names), rest: Object.entries(fields).filter(([key]) => !own.includes(key)) };
}

/** Faults of the e-mail address are reported at its place in the body, inside `kind_system_user`. */
export function atSignUpPath(refused: KindError): KindError {
  const [first, ...rest] = refused.messages.map((message) => {
    const { code, parameter } = message;
    return parameter === 'email' && code !== 'signup.mismatch' ? prefixMessage(message, CREDENTIAL_KIND, {}) : message;
  });
  return first ? refused.withMessages([first, ...rest]) : refused;
}
