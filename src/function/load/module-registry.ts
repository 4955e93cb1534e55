/**
 * Holds the loaded modules. They are loaded when the service starts and, with FUNCTIONS_WATCH, again when a file
 * changes. A load replaces all modules at once; requests that began with the old ones finish with them.
 * Each file is loaded separately: if one fails, the others are still loaded.
 */
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { type Config, CONFIG } from '../../config/config.js';
import { LOGGER } from '../../http/log/logger.js';
import { readableError, UserCodeError, withinUserCode } from '../sandbox/user-code.js';
import { faultText, type ModuleFault, type Faulty, type LoadedModule } from '../declare/definition.js';
import type { Session } from '../../catalog/session/session.js';
import { Deployment } from './deployment.js';
import { readFolder, type Folder } from './folder.js';
import { sep } from 'node:path';
import { checkDeclaration } from '../declare/check-declaration.js';
import { Evaluator, EvaluationTimeout, type Generation } from './evaluator.js';
import { deepCopy } from '../sandbox/deep-copy.js';
import { sourceLocationOf, type ModuleFile } from '../declare/source-location.js';

/** Milliseconds between two checks of the files. */
const WATCH_EVERY = 500;

@Injectable()
export class FunctionRegistry implements OnModuleInit, OnApplicationShutdown {
  readonly #loader: Loader;
  #current = new Deployment([]);
  #mark: string | undefined;
  /** The error message of the last check, if the files could not be read. */
  #unread: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #loading: Promise<void> = Promise.resolve();
  /** What is called after each load. */
  readonly onLoad: (() => void)[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#loader = new Loader(config.functionsDir);
  }

  async onModuleInit(): Promise<void> {
    await this.refresh();
    if (this.config.functionsWatch) this.#watch();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get current(): Deployment {
    return this.#current;
  }

  /** The modules of an operation, which uses those at its beginning to its end. */
  usedBy({ deployment }: Partial<Pick<Session, 'deployment'>>): Deployment {
    return deployment instanceof Deployment ? deployment : this.#current;
  }

  /** Loads all modules if a file has changed. Loads run one at a time. @throws ConfigError as `readFolder` does */
  refresh(): Promise<void> {
    const load = this.#loading.then(() => this.#load());
    this.#loading = load.catch(() => undefined);
    return load;
  }

  /** `refresh` for the timer: if the files cannot be read, the modules stay, and the error is logged once. */
  async check(): Promise<void> {
    try {
      await this.refresh();
      this.#unread = undefined;
    } catch (error) {
      const { message } = readableError(error);
      if (message === this.#unread) return;
      this.#unread = message;
      this.logger.warn({ err: error }, 'the folder of functions cannot be read: its modules stay as they are');
    }
  }

  async #load(): Promise<void> {
    const { functionsDir, functionsWatch } = this.config;
    const folder = await readFolder(functionsDir);
    if (folder.mark === this.#mark) return;
    if (folder.root === undefined) {
      const when = functionsWatch ? 'when it appears' : 'when the service starts again';
      this.logger.warn(`FUNCTIONS_DIR: there is no folder ${functionsDir}; its modules are loaded ${when}`);
    }
    const reloaded = this.#mark !== undefined;
    const loaded = await this.#loader.load(folder);
    const logged = new Set(this.#current.faults.map(faultText));
    const changed = changedLines(this.#mark ?? '', folder.mark);
    this.#mark = folder.mark;
    this.#current = loaded;
    for (const fault of loaded.faults) {
      if (logged.has(faultText(fault)) && changed.every((line) => isOfAnother(fault, folder, line))) continue;
      const { file, line, module } = fault;
      this.logger.error({ file, line, module }, `functions: ${faultText(fault)}`);
    }
    if (reloaded) this.logger.info({ modules: loaded.loaded.length }, 'functions were loaded again');
    for (const listener of this.onLoad) listener();
  }

  #watch(): void {
    const check = async (): Promise<void> => {
      await this.check();
      if (this.#timer) this.#watch();
    };
    this.#timer = setTimeout(() => void check(), WATCH_EVERY).unref();
  }
}

/** The lines that are in only one of two marks. */
function changedLines(former: string, mark: string): string[] {
  const [before, now] = [former, mark].map((text) => new Set(text.split('\n'))) as [Set<string>, Set<string>];
  return [...[...before].filter((line) => !now.has(line)), ...[...now].filter((line) => !before.has(line))];
}

/** Whether a line of the mark belongs to another module than the fault. A helper may belong to any module. */
function isOfAnother({ file, module = file }: ModuleFault, { files }: Folder, line: string): boolean {
  return files.some((other) => other.file !== module && line.startsWith(`${other.path}:`));
}

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
