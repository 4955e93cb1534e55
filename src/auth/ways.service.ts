/** What a page needs to know before somebody signs in: by which ways, and who may sign up. Nothing about members. */
import { Injectable } from '@nestjs/common';
import { grantOf } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import { type Answer, jsonAnswer } from '../http/answer/answer.js';
import { isMemberKind, type Model } from '../model/model.js';
import { passkeyUse } from '../model/passkeys.js';
import { activeProvidersStatement } from '../sql/member/identity.sql.js';
import { ANONYMOUS } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { checkVersion } from '../unit/table/unit.repository.js';
import type { ActiveProviders } from './provider/provider-store.js';

@Injectable()
export class WaysService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
  ) {}

  /** One statement, which reads few rows: pages ask for it first, and anybody may. */
  ways(project: Project): Promise<Answer> {
    const { settings } = project;
    return this.catalog.withModel({ project }, async (model) => {
      const [row] = await this.database
        .ofProject(project)
        .run<ActiveProviders>(activeProvidersStatement(project.schema));
      checkVersion(row, model);
      return jsonAnswer({
        password: true,
        mail_code: settings.mailSignIn === true,
        passkey: passkeyUse(settings) !== undefined,
        providers: [...(row?.providers ?? [])],
        signup: openKinds(model),
        verify_email: settings.verifyEmail === true,
      });
    });
  }
}

/** The member kinds that strangers may sign up to. */
function openKinds(model: Model): string[] {
  const open = [...model.kinds.values()].filter((kind) => {
    const isReady = isMemberKind(kind) && kind.active && kind.storage.hasTable;
    return isReady && grantOf(kind, 'signup', ANONYMOUS, model) !== undefined;
  });
  return open.map(({ id }) => id).sort();
}
