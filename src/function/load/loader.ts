/** Loads modules, each file separately: if one fails, the others are still loaded. */
import { sep } from 'node:path';
import { UserCodeError, withinUserCode } from '../sandbox/user-code.js';
import { checkDeclaration } from '../declare/check-declaration.js';
import type { Faulty, LoadedModule, ModuleFault } from '../declare/definition.js';
import { Deployment } from './deployment.js';
import { Evaluator, EvaluationTimeout, type Generation } from './evaluator.js';
import type { ModuleFile } from '../declare/module-file.js';
import type { Folder } from './folder.js';
import { deepCopy } from '../sandbox/deep-copy.js';
import { sourceLocationOf } from '../declare/source-location.js';

/** Milliseconds that a load waits in total for modules that do not finish: a top-level `await` may never end. */
const EVALUATION_TIMEOUT = 20_000;

export class Loader {
  readonly #evaluator: Evaluator;

  constructor(
    folder: string,
    private readonly timeout = EVALUATION_TIMEOUT,
  ) {
    this.#evaluator = new Evaluator(folder);
  }

  async load({ files, misplaced, strays, sources }: Folder): Promise<Deployment> {
    const loaded = misplaced.map(({ kind, project, file, text }): LoadedModule => {
      return { state: 'broken', kind, project, faults: [{ file, text }] };
    });
    if (files.length === 0) return new Deployment(loaded, strays);
    const generation = await this.#evaluator.begin(sources);
    const remaining: EvaluationTime = { left: this.timeout };
    for (const file of files) loaded.push(await loadFile(generation, file, remaining));
    return new Deployment(loaded, strays);
  }
}

/** The time left for modules that do not finish. Each may take half of it, so that some is left for the next one. */
interface EvaluationTime {
  left: number;
}

async function loadFile(generation: Generation, source: ModuleFile, remaining: EvaluationTime): Promise<LoadedModule> {
  const { kind, project, file, path } = source;
  const faults: ModuleFault[] = [];
  const timeout = remaining.left / 2;
  try {
    const module = await withinUserCode({ file, name: 'load', ...(project !== null && { project }) }, async () => {
      const exported = await generation.import(path, timeout);
      return checkDeclaration(deepCopy(exported['default']), source, (fault) => void faults.push(fault));
    });
    if (module) return { state: 'ready', kind, project, module };
  } catch (error) {
    const thrown = error instanceof UserCodeError ? error.cause : (error as Error);
    if (thrown instanceof EvaluationTimeout) remaining.left -= timeout;
    faults.push(moduleFault(thrown, source));
  }
  const [first = { file, text: 'is no module' }, ...rest] = faults;
  return { state: 'broken', kind, project, faults: [first, ...rest] as Faulty };
}

/** The fault for an error that was thrown while a module was loaded. */
function moduleFault(error: Error, source: ModuleFile): ModuleFault {
  const [message = ''] = error.message.split('\n');
  const text = message.replace(/^ParseError: /, '').trim() || 'could not be loaded';
  const place = sourceLocationOf(`${error.message}\n${error.stack ?? ''}`, source);
  return { ...place, text: text.replace(`${source.root}${sep}${place.file}: `, '') };
}
