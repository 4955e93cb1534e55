/** Loads modules: each file by itself. One that fails, whatever it does, keeps no other one from loading. */
import { sep } from 'node:path';
import { Thrown, withinAuthored } from '../sandbox/user-code.js';
import { checkDeclaration } from '../declare/check-declaration.js';
import type { Faulty, Loaded, ModuleFault } from '../declare/definition.js';
import { Deployment } from './deployment.js';
import { Evaluator, TooLate, type Generation } from './evaluator.js';
import type { ModuleFile } from '../declare/module-file.js';
import type { Folder } from './folder.js';
import { handedOver } from '../sandbox/deep-copy.js';
import { placeOf } from '../declare/source-location.js';

/** Milliseconds that all modules of a load together may keep it waiting: a promise at the top level may never be kept. */
const PATIENCE = 20_000;

export class Loader {
  readonly #evaluator: Evaluator;

  constructor(
    folder: string,
    private readonly patience = PATIENCE,
  ) {
    this.#evaluator = new Evaluator(folder);
  }

  async load({ files, misplaced, strays, sources }: Folder): Promise<Deployment> {
    const loaded = misplaced.map(({ kind, project, file, text }): Loaded => {
      return { state: 'broken', kind, project, faults: [{ file, text }] };
    });
    if (files.length === 0) return new Deployment(loaded, strays);
    const generation = await this.#evaluator.begin(sources);
    const waiting: Waiting = { left: this.patience };
    for (const file of files) loaded.push(await loadFile(generation, file, waiting));
    return new Deployment(loaded, strays);
  }
}

/** What is left of the patience with modules that do not come to an end: each has half of it. */
interface Waiting {
  left: number;
}

async function loadFile(generation: Generation, source: ModuleFile, waiting: Waiting): Promise<Loaded> {
  const { kind, project, file, path } = source;
  const faults: ModuleFault[] = [];
  const patience = waiting.left / 2;
  try {
    const module = await withinAuthored({ file, name: 'load', ...(project !== null && { project }) }, async () => {
      const exported = await generation.import(path, patience);
      return checkDeclaration(handedOver(exported['default']), source, (fault) => void faults.push(fault));
    });
    if (module) return { state: 'ready', kind, project, module };
  } catch (error) {
    const thrown = error instanceof Thrown ? error.cause : (error as Error);
    if (thrown instanceof TooLate) waiting.left -= patience;
    faults.push(faultOf(thrown, source));
  }
  const [first = { file, text: 'is no module' }, ...rest] = faults;
  return { state: 'broken', kind, project, faults: [first, ...rest] as Faulty };
}

/** What was thrown while a module was loaded. */
function faultOf(error: Error, source: ModuleFile): ModuleFault {
  const [message = ''] = error.message.split('\n');
  const text = message.replace(/^ParseError: /, '').trim() || 'could not be loaded';
  const place = placeOf(`${error.message}\n${error.stack ?? ''}`, source);
  return { ...place, text: text.replace(`${source.root}${sep}${place.file}: `, '') };
}
