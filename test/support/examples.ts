/** A closed project with the model and the modules of an example, made as its page says. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kindTypesOf, renderKindTypes } from '../../src/cli/functions/kind-types.js';
import { TypeChecker } from '../../src/cli/functions/type-check.js';
import type { Config } from '../../src/config/config.js';
import { Provisioning } from '../../src/catalog/project/provisioning.js';
import { FunctionRegistry } from '../../src/function/load/module-registry.js';
import { ProjectStore } from '../../src/tenancy/project-store.js';
import { modelOf } from './definitions.js';
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

/** What `functions check` says of the types of an example's modules, with the kinds of its project. */
export async function typeFaultsOf(name: string, project: TestProject): Promise<readonly unknown[] | undefined> {
  const functions = join(folder, name, 'functions');
  const { current } = project.service.app.get(FunctionRegistry);
  const kinds = renderKindTypes(kindTypesOf(await modelOf(project), project.id, current), project.id);
  const checker = await TypeChecker.make(functions);
  const modules = readdirSync(functions).map((file) => join(functions, file));
  return checker?.check(modules, kinds);
}
