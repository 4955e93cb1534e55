/** Accounts of members at identity providers. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database, type Transaction } from '../../database/database.js';
import { quotedName } from '../../mail/mail-texts.js';
import { IDENTITY_KIND } from '../../model/built-in-traits.js';
import { type KindError, refusal } from '../../shared/errors.js';
import {
  findIdentityStatement,
  type FoundIdentity,
  type IdentityKey,
  insertIdentityStatement,
  lockProviderStatement,
  recordIdentityUseStatement,
} from '../../sql/member/identity.sql.js';
import { newId } from '../../shared/new-id.js';
import { AuditLog } from '../../tenancy/audit-log.js';
import type { Project } from '../../tenancy/project.js';
import type { RequestScope } from '../../tenancy/request-scope.js';
import { type LongNotice, Notices } from '../notices.js';
import { refuseTooMany } from '../owned-units.js';
import type { Credential } from '../credential.js';
import { emptiedNotice, type Opener } from '../proved-addresses.js';
import { unknownProvider } from './provider-store.js';

export type NewIdentity = Pick<IdentityKey, 'issuer' | 'subject'> & {
  /** The id of the provider. */
  readonly provider: string;
  readonly email: string | null;
};

@Injectable()
export class IdentityStore {
  constructor(
    private readonly audit: AuditLog,
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly notices: Notices,
  ) {}

  async find(project: Project, key: IdentityKey): Promise<FoundIdentity | undefined> {
    const statement = findIdentityStatement(project.schema, key);
    const [row] = await this.catalog.inProject(project, () =>
      this.database.ofProject(project).run<FoundIdentity>(statement),
    );
    return row;
  }

  async recordUse(project: Project, id: string, email: string | null): Promise<void> {
    await this.database.ofProject(project).run(recordIdentityUseStatement(project.schema, id, email));
  }

  /**
   * Links an identity to a member, whose credentials are locked, and mails it after the commit.
   * @param removed what opened the account until now
   * @returns its id; undefined if somebody has it already
   * @throws KindError 404 if the provider is gone, 409, 503
   */
  async insert(
    tx: Transaction,
    { project, caller, requestId }: Pick<RequestScope, 'project' | 'caller' | 'requestId'>,
    member: Credential,
    identity: NewIdentity,
    removed: readonly Opener[] = [],
  ): Promise<string | undefined> {
    const { schema } = project;
    const memberId = member.member_id;
    const [provider] = await tx.run<{ label: string }>(lockProviderStatement(schema, identity.provider));
    if (!provider) throw unknownProvider(identity.provider);
    const id = newId();
    const inserted = await tx.run(insertIdentityStatement(schema, { id, member: memberId, ...identity }));
    if (inserted.length === 0) return undefined;
    // Only now: one that is linked already is no other one.
    await refuseTooMany(tx, schema, IDENTITY_KIND, memberId, inserted.length);
    const details = { id, member: memberId, provider: identity.provider };
    this.audit.record({ action: 'identity.created', project: project.id, caller, requestId, details }, tx);
    const linked = `An account of ${quotedName(provider.label)} was linked to yours: with it one signs in as you.`;
    const emptied = emptiedNotice(removed);
    const notice: LongNotice = emptied
      ? { ...emptied, text: `${linked} ${emptied.text}` }
      : { sort: 'identity_on', text: linked };
    this.notices.afterCommit(tx, project, [member], notice);
    return id;
  }
}

export function linkedElsewhere(): KindError {
  return refusal('identity.linked', 'This account of the provider is linked to another member');
}
