/**
 * The codes of a mail's failure, for the log. Texts of servers are left out: they contain addresses, and sometimes
 * passwords.
 */
export function failureCodes(error: unknown): object {
  const { code, responseCode, command, name } = error as Record<string, unknown>;
  return { code, responseCode, command, ...(code === undefined && { error: name }) };
}
