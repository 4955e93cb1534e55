/** The settings of the project that its administrators change (docs/auth.md). All functions throw `ApiError` and `OfflineError`. */
import { session } from './session.js';

export type SettingValue = string | number | boolean | null;
/** By name. A project has those of its release. */
export type ProjectSettings = Readonly<Record<string, SettingValue>>;

const PATH = ['settings'];

export async function getSettings(): Promise<ProjectSettings> {
  return (await session.call<ProjectSettings>({ path: PATH })).content;
}

/** @param changed the others stay */
export async function changeSettings(changed: ProjectSettings): Promise<ProjectSettings> {
  return (await session.call<ProjectSettings>({ method: 'PUT', path: PATH, body: changed })).content;
}
