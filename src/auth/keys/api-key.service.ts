/** Makes API keys for operators, who have no token. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { API_KEY_KIND } from '../../model/built-in-traits.js';
import { getBuiltInKind } from '../../model/model.js';
import type { Json } from '../../shared/json.js';
import { SYSTEM } from '../../tenancy/caller.js';
import type { Project } from '../../tenancy/project.js';
import { UnitStores } from '../../unit/unit-stores.js';
import { memberNamed } from '../credential.js';

/** The record of a new key, with its secret. */
type NewKey = Readonly<Record<string, Json>> & { readonly id: string; readonly secret: string };

@Injectable()
export class ApiKeyService {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly stores: UnitStores,
  ) {}

  /** Makes a key for the member with a name or address. @throws KindError 400, 404, 409 */
  async create(project: Project, name: string, values: ReadonlyMap<string, Json>): Promise<NewKey> {
    const found = await memberNamed(this.database.ofProject(project), project, name);
    return this.catalog.withModel({ project }, async (model) => {
      const kind = getBuiltInKind(model, API_KEY_KIND);
      const body = new Map<string, Json>([...values, ['member', found.member_id]]);
      const [row] = await this.database.transaction(
        (executor) => this.stores.of(kind).creates.create({ project, caller: SYSTEM, model, executor }, kind, [body]),
        { project },
      );
      return JSON.parse(row?.body ?? '{}') as NewKey;
    });
  }
}
