/** Identity providers, as sign-in needs them. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../../catalog/catalog.service.js';
import { Database } from '../../database/database.js';
import { IDENTITY_PROVIDER_KIND } from '../../model/built-in-traits.js';
import { CLIENT_SECRET, type Linking } from '../../model/built-in/identity-fields.js';
import { refusal } from '../../shared/errors.js';
import { textFault } from '../../shared/json.js';
import { SecretBox } from '../../shared/secret-box.js';
import {
  activeProvidersStatement,
  providerStatement,
  type ProviderRow,
  type ShownProvider,
} from '../../sql/member/identity.sql.js';
import type { Project } from '../../tenancy/project.js';
import type { Versioned } from '../../unit/table/unit.repository.js';

export interface IdentityProvider {
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
  /** Another one after each edit. */
  readonly version: string;
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
export class Providers {
  constructor(
    private readonly catalog: Catalog,
    private readonly database: Database,
    private readonly secrets: ProviderSecrets,
  ) {}

  /** An active one; undefined if there is none. @throws KindError 503 if its secret cannot be read */
  async find(project: Project, id: string): Promise<IdentityProvider | undefined> {
    const row = await this.#row(project, id);
    if (!row?.active) return undefined;
    return {
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
      version: row.version,
    };
  }

  /** Of one that may be inactive; undefined if there is none. */
  async issuerOf(project: Project, id: string): Promise<string | undefined> {
    return (await this.#row(project, id))?.issuer;
  }

  async #row(project: Project, id: string): Promise<ProviderRow | undefined> {
    if (textFault(id) !== undefined) return undefined;
    const statement = providerStatement(project.schema, id);
    const [row] = await this.catalog.inProject(project, () =>
      this.database.ofProject(project).run<ProviderRow>(statement),
    );
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
