/** Why a delivery of a webhook failed. `lost`: the connection, or the process that made the attempt, ended before an answer. */
export const SEND_CODES = ['connect', 'tls', 'timeout', 'dns', 'address', 'redirect', 'status', 'lost'] as const;
export type SendCode = (typeof SEND_CODES)[number];
