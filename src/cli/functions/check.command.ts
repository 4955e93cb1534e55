import type { Command } from 'commander';
import { loadModel } from '../../catalog/model-store.js';
import { Provisioning } from '../../catalog/provisioning.js';
import { Database } from '../../database/database.js';
import { ConfigError } from '../../config/config.js';
import { checkFit } from '../../function/check-fit.js';
import { faultText, type FunctionModule, type ModuleFault } from '../../function/definition.js';
import type { Deployment } from '../../function/deployment.js';
import { readFolder } from '../../function/folder.js';
import { renderKindTypes } from '../../function/kind-types.js';
import { FunctionRegistry } from '../../function/registry.js';
import { TypeChecker } from '../../function/type-check.js';
import { projectOf } from '../../tenancy/project.js';
import { print } from '../project/project.view.js';
import { oneLine, table } from '../text.js';
import type { CommonOptions, Services, Toolbox } from '../toolbox.js';

interface ProjectFault extends ModuleFault {
  /** Set where it is wrong with the kinds of one project. */
  readonly project?: string;
}

interface Report {
  /** Where the modules were looked for. */
  readonly folder: string;
  readonly modules: readonly object[];
  /** Whether types were checked: TypeScript has to be installed. */
  readonly types: boolean;
  readonly faults: readonly ProjectFault[];
}

const NO_KINDS = 'export {};';

export function checkFunctionsCommand(parent: Command, { terminal, services }: Toolbox): void {
  parent
    .command('check')
    .description('loads every function module and prints what it declares, or what is wrong with file and line')
    .action(async (options: CommonOptions) => {
      const report = await services(check);
      print(terminal, options, report, textOf(report));
      const count = report.faults.length;
      if (count > 0) throw new Error(count === 1 ? 'the functions have a fault' : `the functions have ${count} faults`);
    });
}

async function check({ app, config }: Services): Promise<Report> {
  const { root } = await readFolder(config.functionsDir);
  if (root === undefined) throw new ConfigError(`FUNCTIONS_DIR: there is no folder ${config.functionsDir}`);
  const { current } = app.get(FunctionRegistry);
  const modules = current.loaded.flatMap((each) =>
    each.state === 'ready' ? [moduleView(each.module, each.project)] : [],
  );
  const checker = await TypeChecker.make(config.functionsDir);
  const faults = [...current.faults, ...(await misfits(app, checker, current))];
  return { folder: config.functionsDir, modules, types: checker !== undefined, faults };
}

/** What the modules of each project make of its kinds, and those of no project of kinds that nobody knows. */
async function misfits(
  app: Services['app'],
  checker: TypeChecker | undefined,
  deployment: Deployment,
): Promise<readonly ProjectFault[]> {
  const faults: ProjectFault[] = [];
  const paths = deployment.loaded.flatMap((each) => (each.state === 'ready' ? each.module.path : []));
  if (paths.length === 0) return faults;
  const unchecked = new Set(paths);
  for (const row of await app.get(Provisioning).list()) {
    if (row.status !== 'active') continue;
    const model = await loadModel(app.get(Database), projectOf(row));
    const own: string[] = [];
    const found: ModuleFault[] = [];
    for (const kind of model.kinds.values()) {
      const module = deployment.findReady(row.id, kind.id);
      if (!module) continue;
      own.push(module.path);
      found.push(...checkFit(module, kind, model));
    }
    found.push(...(checker?.check(own, renderKindTypes(model, row.id)) ?? []));
    faults.push(...found.map((fault) => ({ ...fault, project: row.id })));
    for (const path of own) unchecked.delete(path);
  }
  if (unchecked.size > 0) faults.push(...(checker?.check([...unchecked], NO_KINDS) ?? []));
  return faults;
}

function moduleView({ kind, file, functions, hooks, remote }: FunctionModule, project: string | null): object {
  return {
    file,
    kind,
    project,
    functions: [...functions.kind.keys()],
    unit_functions: [...functions.unit.keys()],
    hooks: [...hooks.keys()],
    remote: remote !== undefined,
  };
}

function textOf({ folder, modules, types, faults }: Report): string {
  const rows = modules.map((each) => {
    const { file, functions, unit_functions, hooks, remote } = each as Record<string, unknown>;
    return [file, functions, unit_functions, hooks, remote ? 'yes' : 'no'].map((cell) =>
      Array.isArray(cell) ? cell.join(', ') || '-' : String(cell),
    );
  });
  const head = [['FILE', 'FUNCTIONS', 'OF UNITS', 'HOOKS', 'REMOTE']];
  const told = faults.map((fault) => {
    const of = fault.project === undefined ? '' : `${fault.project}: `;
    return `${oneLine(of + faultText(fault))}\n`;
  });
  return [
    ...(modules.length > 0 ? [table([...head, ...rows])] : []),
    ...(modules.length + faults.length > 0 ? [] : [`No modules in ${folder}.\n`]),
    ...(types ? [] : ['Types were not checked: TypeScript is not installed.\n']),
    ...told,
  ].join('');
}
