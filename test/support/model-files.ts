/** Applies model files to projects of a test, and writes them. */
import { ModelApply, type AppliedModel } from '../../src/model-file/apply-model.js';
import { ModelFiles } from '../../src/model-file/model-files.js';
import { printModelFile } from '../../src/model-file/print.js';
import { readModelFile } from '../../src/model-file/read-model-file.js';
import { Provisioning } from '../../src/catalog/project/provisioning.js';
import { EventLoopYield } from '../../src/shared/event-loop-yield.js';
import { SYSTEM } from '../../src/tenancy/caller.js';
import { projectOf } from '../../src/tenancy/project.js';
import type { TestProject } from './service.js';

const ALL = new Set(['all']);
const HEAD = 'format: kind-model\nversion: 1\n';

interface Allowed {
  readonly allowLoss?: readonly string[];
  readonly allowOpen?: readonly string[];
  readonly version?: number;
}

/** @param text `format` and `version` are added where it lacks them */
export function applyModel(project: TestProject, text: string, allowed: Allowed = {}): Promise<AppliedModel> {
  return run(project, text, false, allowed);
}

export function planModel(project: TestProject, text: string): Promise<AppliedModel> {
  return run(project, text, true, {});
}

async function run(
  { id, service: { app } }: TestProject,
  text: string,
  undo: boolean,
  { allowLoss, allowOpen, version }: Allowed,
): Promise<AppliedModel> {
  const file = await readModelFile(text.includes(HEAD) ? text : HEAD + text, 'yaml', new EventLoopYield());
  const row = await app.get(Provisioning).getActive(id);
  const names = (given: readonly string[] | undefined) => (given ? new Set(given) : ALL);
  const versions = version === undefined ? undefined : [String(version)];
  const options = { caller: SYSTEM, undo, allowLoss: names(allowLoss), allowOpen: names(allowOpen), versions };
  return app.get(ModelApply).apply(row, file, options);
}

export async function dumpModel({ id, service: { app } }: TestProject): Promise<string> {
  const row = await app.get(Provisioning).getActive(id);
  return printModelFile((await app.get(ModelFiles).dump(projectOf(row))).file);
}
