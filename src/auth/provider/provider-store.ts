/** Identity providers, as sign-in needs them. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { IDENTITY_PROVIDER_KIND } from '../../model/built-in-traits.js';
import { CLIENT_SECRET } from '../../model/built-in/identity-fields.js';
import { type KindError, refusal } from '../../shared/errors.js';
import { textFault } from '../../shared/json.js';
import { SecretBox } from '../../shared/secret-box.js';
import {
  activeProvidersStatement,
  type IdentityProvider,
  providerStatement,
  type ShownProvider,
} from '../../sql/member/identity.sql.js';
import { shortened } from '../../shared/texts.js';
import type { Project } from '../../tenancy/project.js';
import type { Versioned } from '../../unit/table/unit.repository.js';

/** @param id of the provider, for which alone it is encrypted */
export function sealClientSecret(box: SecretBox, project: Project, id: string, secret: string): string {
  return box.seal(secret, placeOf(project, id));
}

type ShownProviders = Versioned & { readonly providers: readonly ShownProvider[] };

@Injectable()
export class ProviderStore {
  constructor(
    private readonly box: SecretBox,
    private readonly catalog: Catalog,
    private readonly database: Database,
  ) {}

  /** An active one, with its secret decrypted. @throws KindError 404, 503 if its secret cannot be read */
  async active(project: Project, id: string): Promise<IdentityProvider> {
    const provider = await this.#find(project, id);
    if (!provider.active) throw unknownProvider(id);
    if (provider.client_secret === null) return provider;
    const secret = this.box.open(provider.client_secret, placeOf(project, id));
    if (secret !== undefined) return { ...provider, client_secret: secret };
    throw refusal('secret.closed', `The client secret of '${id}' cannot be read: an administrator has to set it again`);
  }

  /** Of one that may be inactive. @throws KindError 404 */
  async issuerOf(project: Project, id: string): Promise<string> {
    return (await this.#find(project, id)).issuer;
  }

  async #find(project: Project, id: string): Promise<IdentityProvider> {
    if (textFault(id) !== undefined) throw unknownProvider(id);
    const statement = providerStatement(project.schema, id);
    const [row] = await this.catalog.inProject(project, () =>
      this.database.ofProject(project).run<IdentityProvider>(statement),
    );
    if (!row) throw unknownProvider(id);
    return row;
  }

  /** The active ones, in the order of their ids, with the version of the model. */
  async shown(project: Project): Promise<ShownProviders | undefined> {
    const statement = activeProvidersStatement(project.schema);
    const [row] = await this.catalog.inProject(project, () =>
      this.database.ofProject(project).run<ShownProviders>(statement),
    );
    return row;
  }
}

function placeOf({ id: project }: Project, id: string): readonly string[] {
  return [project, IDENTITY_PROVIDER_KIND, id, CLIENT_SECRET];
}

export function unknownProvider(id: string): KindError {
  return refusal('provider.unknown', `There is no active identity provider '${shortened(id)}' (GET /auth/ways)`);
}
