/** Creates the first administrator of a project, together with the project. */
import { Injectable } from '@nestjs/common';
import { loadModel } from '../catalog/model/model-store.js';
import type { Executor } from '../database/database.js';
import { ADMIN_KIND } from '../model/built-in-traits.js';
import { getBuiltInKind } from '../model/model.js';
import { setPasswordStatement } from '../sql/member/credential.sql.js';
import { SYSTEM } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { UnitStores } from '../unit/unit-stores.js';
import { checkPassword, hashPassword } from './password/password-hash.js';
import { insertedId } from './new-members.js';

interface AdministratorSeed {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

@Injectable()
export class Administrators {
  constructor(private readonly stores: UnitStores) {}

  /**
   * Begins with the hash of the password, and answers what creates the administrator: to be run in the transaction that
   * creates the project. That returns the id. @throws KindError 400
   */
  creation(seed: AdministratorSeed): (executor: Executor, project: Project) => Promise<string> {
    checkPassword(seed);
    const hash = hashPassword(seed.password);
    // The transaction may fail before it needs the hash.
    hash.catch(() => undefined);
    return (executor, project) => this.#create(executor, project, seed, hash);
  }

  async #create(executor: Executor, project: Project, seed: AdministratorSeed, hash: Promise<string>): Promise<string> {
    const model = await loadModel(executor, project);
    const kind = getBuiltInKind(model, ADMIN_KIND);
    const session = { project, caller: SYSTEM, model, executor };
    const body = new Map([
      ['username', seed.username],
      ['email', seed.email],
    ]);
    const id = insertedId(await this.stores.of(kind).creates.create(session, kind, [body]));
    await executor.run(setPasswordStatement(project.schema, id, await hash));
    return id;
  }
}
