/** A closed project with the model and the modules of an example, made as its page says. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../../src/config/config.js';
import { Provisioning } from '../../src/catalog/project/provisioning.js';
import { ProjectStore } from '../../src/tenancy/project-store.js';
import { reload } from './functions.js';
import { ADMIN, startTestService, type TestProject } from './service.js';

const folder = join(import.meta.dirname, '../../examples');

export async function exampleProject(name: string, config: Partial<Config> = {}): Promise<TestProject> {
  const service = await startTestService({ ...config, functionsDir: join(folder, name, 'functions') });
  const project = await service.project();
  const { app, url } = service.service;
  await app.get(Provisioning).set(project.id, { accessDefault: 'closed' });
  app.get(ProjectStore).forget(project.id);
  const env = { ...process.env, KIND_URL: url, PROJECT: project.id };
  await promisify(execFile)(process.execPath, [join(folder, 'define.mjs'), name, ADMIN.password], { env });
  await reload(service);
  return project;
}
