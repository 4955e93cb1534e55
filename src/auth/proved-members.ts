/** What changes the ways of a member to sign in runs for one that has proved itself a moment ago. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../catalog/catalog.service.js';
import { Database } from '../database/database.js';
import type { RequestScope } from '../tenancy/request-scope.js';
import type { Credential } from './password/credential.js';
import { credentialOf } from './password/password-store.js';
import { FreshProof } from './session/fresh-proof.js';

@Injectable()
export class ProvedMembers {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly fresh: FreshProof,
  ) {}

  /** Runs `work` for the member of a request. @throws KindError 401, 403 */
  run<T>(scope: RequestScope, work: (member: Credential) => Promise<T>): Promise<T> {
    const { project } = scope;
    return this.catalog.inProject(project, async () => {
      const { id } = await this.fresh.require(scope);
      return work(await credentialOf(this.database.ofProject(project), project, id));
    });
  }
}
