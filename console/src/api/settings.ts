/** The settings of the project that its administrators change (docs/auth.md). All functions throw `ApiError`. */
import { ApiError } from './errors.js';
import { session } from './session.js';

export type SettingValue = string | number | boolean | null;
/** By name. A project has those of its release. */
export type ProjectSettings = Readonly<Record<string, SettingValue>>;

const PATH = ['settings'];

export async function getSettings(): Promise<ProjectSettings> {
  return (await session.call<ProjectSettings>({ path: PATH })).content;
}

/** @param changed the others stay @param isMeant whether passkeys of members may become useless by it */
export async function changeSettings(changed: ProjectSettings, isMeant = false): Promise<ProjectSettings> {
  const call = { method: 'PUT', path: PATH, body: changed, ...(isMeant && { query: { cascade: 'true' } }) } as const;
  return (await session.call<ProjectSettings>(call)).content;
}

/** Whether a change was refused until it is said that it is meant. */
export function losesPasskeys(error: unknown): boolean {
  return error instanceof ApiError && error.has('passkey.in_use');
}
