/** Sign-in. */
import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { readableFields } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { answerOf, type Answer } from '../http/answer.js';
import type { KindDef } from '../model/model.js';
import { Faults, refusal } from '../shared/errors.js';
import { isPlainObject, textFault, typeName } from '../shared/json.js';
import { findCredentialStatement, touchMemberStatement } from '../sql/credential.sql.js';
import type { MemberCaller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { foldName } from './names.js';
import { PASSWORD_LENGTH, verifyPassword } from './password.js';
import { TokenService } from './token.service.js';

interface Credential {
  readonly id: string;
  readonly password_hash: string | null;
  readonly member_kind: string;
  readonly member_id: string;
}

@Injectable()
export class AuthService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly tokens: TokenService,
  ) {}

  async signIn(project: Project, body: unknown): Promise<Answer> {
    const { username, password } = readCredentials(body);
    if (project.settings.otp) {
      throw refusal('signin.otp_unavailable', 'This project asks for a code by mail, which this version can not send');
    }
    return this.catalog.withCheckedModel(project, async (model) => {
      const credential = await this.#check(project, username, password);
      const kind = model.kinds.get(credential.member_kind);
      const member = kind?.active ? await this.#touch(project, kind, credential.member_id) : undefined;
      if (!kind || !member) throw failed();
      return answerOf(this.#session(project, kind, member));
    });
  }

  /** An unknown name costs what a wrong password costs, and answers the same. */
  async #check(project: Project, username: string, password: string): Promise<Credential> {
    const [found] = await this.database.run<Credential>(findCredentialStatement(project.schema, foldName(username)));
    const short = [...password].length <= PASSWORD_LENGTH.max;
    const fits = await verifyPassword(short ? found?.password_hash : null, short ? password : '');
    if (!found || !fits) throw failed();
    return found;
  }

  async #touch(project: Project, kind: KindDef, id: string): Promise<Record<string, unknown> | undefined> {
    const self: MemberCaller = { type: 'member', id, kindId: kind.id, sessionId: '', admin: kind.id === 'kind_admin' };
    const fields = [...readableFields(kind, self).values()];
    const [row] = await this.database.run<{ body: string }>(touchMemberStatement(project.schema, kind, fields, id));
    return row && (JSON.parse(row.body) as Record<string, unknown>);
  }

  /** The member session of section 2.2, then the member's own parameters. */
  #session(project: Project, kind: KindDef, member: Record<string, unknown>): object {
    const own = Object.entries(member).filter(([key]) => !SESSION_FIELDS.includes(key) && !NOT_OWN.has(key));
    return {
      ...this.tokens.issue(project.id, kind.id, String(member['id']), randomUUID()),
      auth_token: null,
      kind_id: kind.id,
      ...Object.fromEntries(SESSION_FIELDS.map((key) => [key, member[key]])),
      ...Object.fromEntries(own),
    };
  }
}

const SESSION_FIELDS: readonly string[] = [
  ...['kind_system_user', 'id', 'email', 'first_name', 'last_name'],
  ...['first_access_time', 'last_access_time', 'inserted_at', 'metadata'],
];
const NOT_OWN = new Set(['kind_id', 'updated_at']);

function failed() {
  return refusal('signin.failed', 'No member has that name and password');
}

function readCredentials(body: unknown): { username: string; password: string } {
  if (!isPlainObject(body)) {
    throw refusal(
      'body.not_object',
      `The body must be a JSON object, got ${body === undefined ? 'none' : typeName(body)}`,
    );
  }
  const faults = new Faults();
  const text = (name: 'username' | 'password'): string => {
    const value = body[name];
    const place = { parameter: name };
    if (value === undefined) faults.add('parameter.required', `${name}: must be given`, place);
    else if (typeof value !== 'string')
      faults.add('parameter.bad_type', `${name}: must be a string, got ${typeName(value)}`, place);
    else if (textFault(value)) faults.add('parameter.bad_value', `${name}: ${textFault(value) ?? ''}`, place);
    return String(value);
  };
  const credentials = { username: text('username'), password: text('password') };
  const { otp } = body;
  if (otp !== undefined && otp !== null && typeof otp !== 'string') {
    faults.add('parameter.bad_type', `otp: must be a string or null, got ${typeName(otp)}`, { parameter: 'otp' });
  }
  for (const key of Object.keys(body)) {
    if (!['username', 'password', 'otp'].includes(key)) {
      faults.add('parameter.unknown', `${key.slice(0, 80)}: sign-in has no such parameter`, {
        parameter: key.slice(0, 80),
      });
    }
  }
  faults.throwIfAny();
  return credentials;
}
