/** Identity providers, and identities: the accounts that members have there. */
import { IDENTITY_KIND, IDENTITY_PROVIDER_KIND } from '../../model/built-in-traits.js';
import { CLIENT_SECRET, type Linking } from '../../model/built-in/identity-fields.js';
import { SET_UPDATED_AT } from '../columns.sql.js';
import { ident, param, render, sql, type Statement } from '../fragment.js';
import { modelVersion } from '../model-version.sql.js';

/** An identity provider. */
export interface IdentityProvider {
  readonly id: string;
  readonly label: string;
  readonly issuer: string;
  readonly client_id: string;
  /** Encrypted as it is stored; null for a client without one. */
  readonly client_secret: string | null;
  /** With spaces between them. */
  readonly scopes: string;
  /** The kind of new members. */
  readonly member_kind: string;
  readonly signup: boolean;
  readonly link: Linking;
  readonly trust_email: boolean;
  /** Names of claims by parameters. */
  readonly claims: Readonly<Record<string, string>>;
  readonly active: boolean;
}

/** One row `IdentityProvider`, or none. */
export function providerStatement(schema: string, id: string): Statement {
  return render(
    sql`
      SELECT
        t."id", t."label", t."issuer", t."client_id", t.${ident(CLIENT_SECRET)} AS client_secret, t."scopes",
        t."member_kind", t."signup", t."link", t."trust_email", t."claims", t."active"
      FROM ${ident(schema, IDENTITY_PROVIDER_KIND)} AS t
      WHERE t."id" = ${param(id)}
    `,
    true,
  );
}

/** A provider as a page for sign-in shows it. */
export interface ShownProvider {
  readonly id: string;
  readonly label: string;
}

/** One row: the active providers in the order of their ids (`ShownProvider`), and the version of the model as `v`. */
export function activeProvidersStatement(schema: string): Statement {
  return render(
    sql`
      SELECT
        ${modelVersion(schema)} AS v,
        coalesce(
          (
            SELECT json_agg(json_build_object('id', p."id", 'label', p."label") ORDER BY p."id")
            FROM ${ident(schema, IDENTITY_PROVIDER_KIND)} AS p
            WHERE p."active"
          ),
          '[]'
        ) AS providers
    `,
    true,
  );
}

/**
 * Locks an active provider until the transaction ends, by an edit that changes nothing: a transaction that deletes it
 * meanwhile waits, and then finds the identities that this one makes. One row `label` if it exists.
 */
export function lockProviderStatement(schema: string, id: string): Statement {
  return render(sql`
    UPDATE ${ident(schema, IDENTITY_PROVIDER_KIND)}
    SET "label" = "label"
    WHERE "id" = ${param(id)} AND "active"
    RETURNING "label"
  `);
}

/** No provider leads to kinds that are no member kinds any more. */
export function deactivateProvidersStatement(schema: string, memberKinds: readonly string[]): Statement {
  return render(sql`
    UPDATE ${ident(schema, IDENTITY_PROVIDER_KIND)} AS t
    SET "active" = false, ${SET_UPDATED_AT}
    WHERE t."member_kind" = ANY(${param(memberKinds)}::text[]) AND t."active"
  `);
}

/** Whom a provider knows: its issuer, and who that is there. */
export interface IdentityKey {
  readonly issuer: string;
  readonly subject: string;
}

export interface FoundIdentity {
  readonly id: string;
  /** The provider that it was linked by. */
  readonly provider: string;
  readonly member_id: string;
}

/** One row `FoundIdentity`, or none. */
export function findIdentityStatement(schema: string, { issuer, subject }: IdentityKey): Statement {
  return render(
    sql`
      SELECT i."id"::text AS id, i."provider" AS provider, i."member"::text AS member_id
      FROM ${ident(schema, IDENTITY_KIND)} AS i
      WHERE i."issuer" = ${param(issuer)} AND i."subject" = ${param(subject)}
    `,
    true,
  );
}

interface NewIdentity extends IdentityKey {
  readonly id: string;
  readonly provider: string;
  /** The id of the member. */
  readonly member: string;
  readonly email: string | null;
}

/** One row `id`; none if somebody has the identity already. It is used with this. */
export function insertIdentityStatement(
  schema: string,
  { id, provider, member, issuer, subject, email }: NewIdentity,
): Statement {
  return render(sql`
    INSERT INTO ${ident(schema, IDENTITY_KIND)} (
      "id", "provider", "member", "issuer", "subject", "email", "last_used_at", "metadata", "inserted_at", "updated_at"
    )
    VALUES (
      ${param(id)}::uuid,
      ${param(provider)},
      ${param(member)}::uuid,
      ${param(issuer)},
      ${param(subject)},
      ${param(email)},
      now(),
      '{}',
      now(),
      now()
    )
    ON CONFLICT ("issuer", "subject") DO NOTHING
    RETURNING "id"
  `);
}

/** Stores a use, without a new version of the unit. */
export function recordIdentityUseStatement(schema: string, id: string, email: string | null): Statement {
  return render(sql`
    UPDATE ${ident(schema, IDENTITY_KIND)}
    SET "last_used_at" = now(), "email" = ${param(email)}
    WHERE "id" = ${param(id)}::uuid
  `);
}

/** One row `count`: the accounts at a provider. */
export function countIdentitiesStatement(schema: string, provider: string): Statement {
  return render(sql`
    SELECT count(*)::int AS count FROM ${ident(schema, IDENTITY_KIND)} WHERE "provider" = ${param(provider)}
  `);
}

/** Deletes the identities of a provider. */
export function deleteIdentitiesStatement(schema: string, provider: string): Statement {
  return render(sql`DELETE FROM ${ident(schema, IDENTITY_KIND)} WHERE "provider" = ${param(provider)}`);
}
