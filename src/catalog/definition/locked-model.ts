/** A project with `model=locked` has its model changed by model files alone. */
import { refusal } from '../../shared/errors.js';
import type { Project } from '../../tenancy/project.js';

/** @throws KindError 403 */
export function refuseIfLocked({ settings }: Pick<Project, 'settings'>, change?: { readonly byFile?: boolean }): void {
  if (settings.model !== 'locked' || change?.byFile === true) return;
  throw refusal('model.locked', 'The model of this project is locked: it is changed by applying a model file alone');
}
