/** What a page needs to know before somebody signs in: by which ways, and who may sign up. Nothing about members. */
import { Injectable } from '@nestjs/common';
import { grantOf } from '../access/access.js';
import { Catalog } from '../catalog/catalog.service.js';
import { type Answer, jsonAnswer } from '../http/answer/answer.js';
import type { Model } from '../model/model.js';
import { passkeyUse } from '../model/passkeys.js';
import { ANONYMOUS } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { checkVersion } from '../unit/table/unit.repository.js';
import { ProviderStore } from './provider/provider-store.js';

@Injectable()
export class WaysService {
  constructor(
    private readonly catalog: Catalog,
    private readonly providers: ProviderStore,
  ) {}

  /** One statement, which reads few rows: pages ask for it first, and anybody may. */
  ways(project: Project): Promise<Answer> {
    const { settings } = project;
    return this.catalog.withModel({ project }, async (model) => {
      const shown = await this.providers.shown(project);
      checkVersion(shown, model);
      return jsonAnswer({
        password: true,
        mail_code: settings.mailSignIn === true,
        passkey: passkeyUse(settings) !== undefined,
        providers: [...(shown?.providers ?? [])],
        signup: openKinds(model),
        verify_email: settings.verifyEmail === true,
      });
    });
  }
}

/** The member kinds that strangers may sign up to. */
function openKinds(model: Model): string[] {
  const open = [...model.kinds.values()].filter(
    (kind) => kind.active && kind.storage.hasTable && grantOf(kind, 'signup', ANONYMOUS, model) !== undefined,
  );
  return open.map(({ id }) => id).sort();
}
