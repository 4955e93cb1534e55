/** `functions check`. */
import type { Command } from 'commander';
import { pino } from 'pino';
import { loadModel } from '../../catalog/model/model-store.js';
import { Provisioning } from '../../catalog/project/provisioning.js';
import { Database } from '../../database/database.js';
import { ConfigError, type Config } from '../../config/config.js';
import { NoDatabaseError } from '../../database/connection/connection.js';
import { checkFit } from '../../function/declare/check-fit.js';
import { faultText, type ReadyModule, type ModuleFault } from '../../function/declare/definition.js';
import { UnservedModules } from '../../function/unserved-modules.js';
import type { Deployment } from '../../function/load/deployment.js';
import { readFolder } from '../../function/load/folder.js';
import { kindTypesOf, renderKindTypes } from './kind-types.js';
import { FunctionRegistry } from '../../function/load/module-registry.js';
import { TypeChecker } from './type-check.js';
import type { Model } from '../../model/model.js';
import { projectOf } from '../../tenancy/project.js';
import { print, singleLineText, textTable } from '../tools/output.js';
import type { CommonOptions, Services, CommandContext } from '../tools/command-context.js';

interface ProjectFault extends ModuleFault {
  /** The project whose kinds the module does not fit, if it is about one. */
  readonly project?: string;
}

interface ProjectModel {
  readonly id: string;
  readonly model: Model;
}

type ProjectModels = AsyncIterable<ProjectModel> | readonly ProjectModel[];

interface CheckReport {
  /** The folder of the modules. */
  readonly folder: string;
  readonly modules: readonly object[];
  /** Whether types were checked, which requires TypeScript. */
  readonly types: boolean;
  /** Whether modules were checked against the kinds of projects, which requires a database. */
  readonly kinds: boolean;
  readonly faults: readonly ProjectFault[];
  /** Modules whose kind no project has. They are no fault: the kind may come later. */
  readonly unserved: readonly ModuleFault[];
}

const NO_KINDS = 'export {};';

export function checkFunctionsCommand(parent: Command, { terminal, services, config }: CommandContext): void {
  parent
    .command('check')
    .description('loads every function module and prints what it declares, or what is wrong with file and line')
    .action(async (options: CommonOptions) => {
      const report = await services(checkWithKinds, { only: [FunctionRegistry] }).catch((error: unknown) => {
        if (error instanceof NoDatabaseError) return checkWithoutDatabase(config());
        throw error;
      });
      print(terminal, options, report, reportText(report));
      const count = report.faults.length;
      if (count > 0) throw new Error(count === 1 ? 'the functions have a fault' : `the functions have ${count} faults`);
    });
}

async function checkWithKinds({ app, config }: Services): Promise<CheckReport> {
  return checkDeployment(config, app.get(FunctionRegistry).current, modelsOf(app));
}

/** Loaded one by one, because there may be thousands. */
async function* modelsOf(app: Services['app']): AsyncGenerator<ProjectModel> {
  for (const row of await app.get(Provisioning).list()) {
    if (row.status !== 'active') continue;
    yield { id: row.id, model: await loadModel(app.get(Database), projectOf(row)) };
  }
}

/** Checks declarations and types only. */
async function checkWithoutDatabase(config: Config): Promise<CheckReport> {
  const registry = new FunctionRegistry({ ...config, functionsWatch: false }, pino({ enabled: false }));
  await registry.refresh();
  return checkDeployment(config, registry.current);
}

async function checkDeployment(config: Config, current: Deployment, projects?: ProjectModels): Promise<CheckReport> {
  const { root } = await readFolder(config.functionsDir);
  if (root === undefined) throw new ConfigError(`FUNCTIONS_DIR: there is no folder ${config.functionsDir}`);
  const modules = current.loaded.flatMap((each) =>
    each.state === 'ready' ? [moduleView(each.module, each.project)] : [],
  );
  const checker = await TypeChecker.make(config.functionsDir);
  const { faults: found, unserved } = await projectFaults(checker, current, projects);
  const faults = [...current.faults, ...found];
  const { functionsDir: folder } = config;
  return { folder, modules, types: checker !== undefined, kinds: projects !== undefined, faults, unserved };
}

/** Checks the modules of each project against its kinds; modules that no project uses are only type-checked. */
async function projectFaults(
  checker: TypeChecker | undefined,
  deployment: Deployment,
  projects?: ProjectModels,
): Promise<Pick<CheckReport, 'faults' | 'unserved'>> {
  const faults: ProjectFault[] = [];
  const { loaded } = deployment;
  if (loaded.length === 0) return { faults, unserved: [] };
  const unchecked = new Set(loaded.flatMap((each) => (each.state === 'ready' ? each.module.path : [])));
  const [unserved, ids] = [new UnservedModules(loaded), new Set<string>()];
  for await (const { id, model } of projects ?? []) {
    ids.add(id);
    unserved.see(id, new Set([...model.kinds.values()].flatMap((kind) => (kind.builtIn ? [] : kind.id))));
    const own: string[] = [];
    const found: ModuleFault[] = [];
    for (const kind of model.kinds.values()) {
      const module = deployment.findReady(id, kind.id);
      if (!module) continue;
      own.push(module.path);
      found.push(...checkFit(module, kind, model));
    }
    found.push(...(checker?.check(own, renderKindTypes(kindTypesOf(model, id, deployment), id)) ?? []));
    faults.push(...found.map((fault) => ({ ...fault, project: id })));
    for (const path of own) unchecked.delete(path);
  }
  if (unchecked.size > 0) faults.push(...(checker?.check([...unchecked], NO_KINDS) ?? []));
  return { faults, unserved: projects ? unserved.faults(ids) : [] };
}

function moduleView({ kind, file, functions, endpoints, hooks, remote }: ReadyModule, project: string | null): object {
  return {
    file,
    kind,
    project,
    functions: [...functions.kind.keys()],
    unit_functions: [...functions.unit.keys()],
    endpoints: [...endpoints.keys()],
    hooks: [...hooks.keys()],
    remote: remote !== undefined,
  };
}

function reportText({ folder, modules, types, kinds, faults, unserved }: CheckReport): string {
  const rows = modules.map((each) => {
    const { file, functions, unit_functions, endpoints, hooks, remote } = each as Record<string, unknown>;
    return [file, functions, unit_functions, endpoints, hooks, remote ? 'yes' : 'no'].map((cell) =>
      Array.isArray(cell) ? cell.join(', ') || '-' : String(cell),
    );
  });
  const head = [['FILE', 'FUNCTIONS', 'OF UNITS', 'ENDPOINTS', 'HOOKS', 'REMOTE']];
  const faultLines = faults.map((fault) => {
    const of = fault.project === undefined ? '' : `${fault.project}: `;
    return `${singleLineText(of + faultText(fault))}\n`;
  });
  return [
    ...(modules.length > 0 ? [textTable([...head, ...rows])] : []),
    ...(modules.length + faults.length > 0 ? [] : [`No modules in ${folder}.\n`]),
    ...(kinds ? [] : ['Kinds of projects were not checked: there is no database.\n']),
    ...(types ? [] : ['Types were not checked: TypeScript is not installed.\n']),
    ...faultLines,
    ...unserved.map((each) => `${singleLineText(faultText(each))}: it serves nothing\n`),
  ].join('');
}
