/** The report of access as JSON, for the command and for the API. Pure. */
import type { Model } from '../../model/model.js';
import { isStrangersWrite, type AccessReport } from './access-report.js';

/** The name of what an entry is about. */
export const REPORTED_NAMES = { units: 'kind', links: 'link_type', function: 'function', field: 'field' } as const;

export function reportJson({ signUp, entries }: AccessReport, { accessDefault }: Pick<Model, 'accessDefault'>) {
  return {
    access_default: accessDefault,
    sign_up: signUp,
    stranger_may_write: entries.some(isStrangersWrite),
    access: entries.map((entry) => ({
      [REPORTED_NAMES[entry.on]]: entry.id,
      operation: entry.operation,
      level: entry.level,
      rules: entry.rules,
      stored: entry.stored,
      who: entry.audience,
      by_rule: entry.byRule,
      stranger: entry.stranger,
      stranger_writes: isStrangersWrite(entry),
    })),
  };
}
