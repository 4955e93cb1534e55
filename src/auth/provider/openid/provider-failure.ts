/** Why nobody could be signed in by an identity provider. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';

  /**
   * @param code `provider.unavailable`: it did not answer, or not in a form that can be read; `provider.refused`: it said
   * no, or what it said failed a check
   * @param reason for logs and administrators: our words, with no text of the provider and no secrets
   */
  constructor(
    readonly code: 'provider.refused' | 'provider.unavailable',
    readonly reason: string,
  ) {
    super(reason);
  }
}

export function unavailable(reason: string): ProviderFailure {
  return new ProviderFailure('provider.unavailable', reason);
}

export function refused(reason: string): ProviderFailure {
  return new ProviderFailure('provider.refused', reason);
}

/** What providers say when they refuse (RFC 6749, OpenID Connect Core). */
const SAID = new Set([
  'access_denied',
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'invalid_client',
  'invalid_grant',
  'invalid_request',
  'invalid_scope',
  'login_required',
  'server_error',
  'temporarily_unavailable',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
]);

/** @param error what a provider gave as its `error`, which may be any text */
export function saidNo(error: string): ProviderFailure {
  return refused(SAID.has(error) ? `it said ${error}` : 'it gave an error that OpenID Connect does not have');
}

/**
 * The failure that an error of the library stands for. Its own errors have fixed texts. Those of the platform may hold
 * what they are about, such as a token in a header, so nothing but their names is taken.
 */
export function failureOf(error: unknown): ProviderFailure {
  let reason: string | undefined;
  for (let each = error; each instanceof Error; each = each.cause) {
    if (each instanceof ProviderFailure) return each;
    const { code, error: said } = each as { readonly code?: unknown; readonly error?: unknown };
    if (typeof said === 'string') return saidNo(said);
    // The last one tells it most exactly.
    if (typeof code === 'string' && code.startsWith('OAUTH_')) reason = each.message;
  }
  const name = error instanceof Error ? error.name : typeof error;
  return refused(reason ?? `what it answered could not be used (${name})`);
}
