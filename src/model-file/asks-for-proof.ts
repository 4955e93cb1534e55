/** Which steps of a model file no API key does, and ask for a fresh proof in a session. Pure. */
import { reporterOf } from '../access/report.js';
import { FIXED_KINDS } from '../model/built-in/built-in.js';
import { hasMemberKind, type Model } from '../model/model.js';
import { ADMINISTERED } from '../tenancy/project-settings.js';
import type { Step } from './steps.js';

/** What decides who comes in or who may do what, and what opens to strangers. */
export function asksForProof({ name, opens = [] }: Step, before: Model, after: Model): boolean {
  const [section = '', setting = ''] = name.split('.');
  if (section === 'webhooks' || section === 'identity_providers') return true;
  if (section === 'settings' && provedSettings().includes(setting)) return true;
  if (opens.length === 0) return false;
  const [owner = ''] = name.split(/[.:]/);
  if (name === 'settings.access_default' || FIXED_KINDS.includes(owner)) return true;
  const isOfMembers = [before, after].some((model) => hasMemberKind(model, owner));
  if (isOfMembers && !READS.some((each) => name === `${owner}:${each}`)) return true;
  return opens.some(({ who, what }) => what === 'signup' || isStranger(who, before, after));
}

const READS = ['read', 'history', 'function'] as const;

/** Where anyone may sign up, all members are strangers. */
function isStranger(who: string, ...models: readonly Model[]): boolean {
  if (who !== 'member' && who !== 'self') return who === 'anyone';
  return models.some((model) => reporterOf(model).signUp.length > 0);
}

export function provedSettings(): string[] {
  return ADMINISTERED.filter(({ proved }) => proved).map(({ name }) => name);
}
