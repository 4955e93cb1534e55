/** Signing in and out. */
import { Call, type Options } from './call.js';
import { CODES, type Code } from './codes.js';
import type { Connection } from './connection.js';
import type { Shapes } from './kinds.js';
import type { Member, Session, Tokens } from './session.js';

export type SecondStep = 'totp' | 'mail' | 'passkey';
/** The kinds as whose members one can sign up. */
type Signing<S extends Shapes<S>> = { [K in keyof S]: 'signup' extends S[K]['can'] ? K : never }[keyof S];

interface Credentials {
  readonly username: string;
  readonly password: string;
}
interface NewCredentials extends Credentials {
  readonly email: string;
}
interface Passwords {
  readonly current_password: string;
  readonly new_password: string;
}

export interface Auth<S extends Shapes<S>> {
  /** The member that is signed in, as its session began. */
  readonly member: Member | null;
  /** What the last sign-in lacks. */
  readonly secondStep: SecondStep | null;
  /** Null if a second step is missing, of which `secondStep` tells: the same again with `otp` goes on. */
  signin(proof: Credentials & { readonly otp?: string | null }): Call<Member | null, Code<'auth'>>;
  /** @param values the parameters of the member kind beside name, password and address */
  signup<K extends Signing<S>>(
    kind_id: K,
    values: NewCredentials & Omit<S[K]['create'], keyof NewCredentials>,
  ): Call<Member | null, Code<'auth'>>;
  signout(): Call<null, Code<'auth'>>;
  me(options?: Options): Call<Member, Code<'auth'>>;
  change_password(passwords: Passwords): Call<null, Code<'auth'>>;
  /** Calls `listener` whenever another member, or nobody, is signed in. The answer ends that. */
  onChange(listener: (member: Member | null) => void): () => void;
}

export function authOf(connection: Connection, session: Session) {
  const codes = CODES.auth;
  let secondStep: SecondStep | null = null;
  const post = (path: readonly string[], body?: object) => ({ method: 'POST', path: ['auth', ...path], body, codes });
  const signIn = (path: readonly string[], body: object) =>
    connection.call({ ...post(path, body), headers: session.headers }, ({ content, headers }) => {
      secondStep = content === null ? ((headers.get('kind-second-step') ?? 'mail') as SecondStep) : null;
      return content === null ? null : session.keep(content as Tokens);
    });
  return {
    get member() {
      return session.member;
    },
    get secondStep() {
      return secondStep;
    },
    signin: (proof: object) => signIn(['signin'], proof),
    signup: (kind: string, { email, ...values }: NewCredentials) => {
      const { username, password } = values;
      return signIn([kind, 'signup'], { ...values, kind_system_user: { username, password, email } });
    },
    signout: () => {
      const call = connection.call({ ...post(['signout']), headers: session.headers }, () => null);
      return new Call(call.key, codes, async () => {
        try {
          return await call;
        } finally {
          await session.forget();
        }
      });
    },
    me: (options: Options = {}) =>
      connection.call({ method: 'GET', path: ['auth', 'me'], codes, ...options }, ({ content }) => content),
    change_password: (passwords: object) => connection.call(post(['change_password'], passwords), () => null),
    onChange: (listener: (member: Member | null) => void) => session.onChange(listener),
  };
}
