/** Identity providers, as sign-in needs them. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { IDENTITY_PROVIDER_KIND } from '../../model/built-in-traits.js';
import { CLIENT_SECRET, type Linking } from '../../model/built-in/identity-fields.js';
import { type KindError, refusal } from '../../shared/errors.js';
import { textFault } from '../../shared/json.js';
import { SecretBox } from '../../shared/secret-box.js';
import {
  activeProvidersStatement,
  providerStatement,
  type ProviderRow,
  type ShownProvider,
} from '../../sql/member/identity.sql.js';
import { shortened } from '../../shared/texts.js';
import type { Project } from '../../tenancy/project.js';
import type { Versioned } from '../../unit/table/unit.repository.js';

export interface IdentityProvider {
  /** Of its project. */
  readonly schema: string;
  readonly id: string;
  readonly label: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Null for a client without one. */
  readonly clientSecret: string | null;
  /** With spaces between them. */
  readonly scopes: string;
  /** The kind of new members. */
  readonly memberKind: string;
  readonly signup: boolean;
  readonly link: Linking;
  readonly trustEmail: boolean;
  /** Names of claims by the parameters that they fill. */
  readonly claims: Readonly<Record<string, string>>;
}

/** The secrets of clients, each encrypted for its provider. */
@Injectable()
export class ProviderSecrets {
  constructor(private readonly box: SecretBox) {}

  seal({ id: project }: Project, id: string, secret: string): string {
    return this.box.seal(secret, [project, IDENTITY_PROVIDER_KIND, id, CLIENT_SECRET]);
  }

  /** @throws KindError 503 if no key opens it */
  open({ id: project }: Project, { id, client_secret: sealed }: ProviderRow): string | null {
    if (sealed === null) return null;
    const secret = this.box.open(sealed, [project, IDENTITY_PROVIDER_KIND, id, CLIENT_SECRET]);
    if (secret !== undefined) return secret;
    throw refusal('secret.closed', `The client secret of '${id}' cannot be read: an administrator has to set it again`);
  }
}

export type ActiveProviders = Versioned & { readonly providers: readonly ShownProvider[] };

@Injectable()
export class ProviderStore {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly secrets: ProviderSecrets,
  ) {}

  /** An active one. @throws KindError 404, 503 if its secret cannot be read */
  async active(project: Project, id: string): Promise<IdentityProvider> {
    const row = await this.#find(project, id);
    if (!row.active) throw unknownProvider(id);
    return {
      schema: project.schema,
      id: row.id,
      label: row.label,
      issuer: row.issuer,
      clientId: row.client_id,
      clientSecret: this.secrets.open(project, row),
      scopes: row.scopes,
      memberKind: row.member_kind,
      signup: row.signup,
      link: row.link,
      trustEmail: row.trust_email,
      claims: row.claims,
    };
  }

  /** Of one that may be inactive. @throws KindError 404 */
  async issuerOf(project: Project, id: string): Promise<string> {
    return (await this.#find(project, id)).issuer;
  }

  async #find(project: Project, id: string): Promise<ProviderRow> {
    if (textFault(id) !== undefined) throw unknownProvider(id);
    const statement = providerStatement(project.schema, id);
    const [row] = await this.catalog.inProject(project, () =>
      this.database.ofProject(project).run<ProviderRow>(statement),
    );
    if (!row) throw unknownProvider(id);
    return row;
  }

  /** The active ones, in the order of their ids. */
  async listActive(project: Project): Promise<readonly ShownProvider[]> {
    const [row] = await this.catalog.inProject(project, () =>
      this.database.ofProject(project).run<ActiveProviders>(activeProvidersStatement(project.schema)),
    );
    return row?.providers ?? [];
  }
}

export function unknownProvider(id: string): KindError {
  return refusal('provider.unknown', `There is no active identity provider '${shortened(id)}' (GET /auth/ways)`);
}
