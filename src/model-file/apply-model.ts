/** Makes a project what a model file says, in one change of definitions; a plan does the same and takes it back. */
import { Injectable } from '@nestjs/common';
import { DefinitionChangeService } from '../catalog/definition/definition-change.service.js';
import type { DefinitionChange } from '../catalog/definition/definition-change.js';
import type { ReportedEffects } from '../catalog/definition/change-report.js';
import { loadModel } from '../catalog/model/model-store.js';
import { Deployments, type Session } from '../catalog/session/session.js';
import type { Caller } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { changesTo, definitionsIn, type Definition, type Definitions, type ModelChanges } from './definitions.js';
import { ModelFiles } from './model-files.js';
import type { ModelFile } from './read-model-file.js';
import { ModelWriter } from './write-model.js';

interface ApplyOptions {
  readonly caller: Caller;
  /** A plan. */
  readonly undo: boolean;
}

export interface AppliedModel {
  readonly changes: ModelChanges;
  readonly effects: ReportedEffects | undefined;
}

@Injectable()
export class ModelApply {
  constructor(
    private readonly changes: DefinitionChangeService,
    private readonly files: ModelFiles,
    private readonly writer: ModelWriter,
    private readonly deployments: Deployments,
  ) {}

  async apply(project: Project, file: ModelFile, { caller, undo }: ApplyOptions): Promise<AppliedModel> {
    let effects: ReportedEffects | undefined;
    let change: DefinitionChange | undefined;
    const report = (told: ReportedEffects): void => void (effects = told);
    const changes = await this.changes.change(
      project,
      { cascade: true, tellCounts: true, caller, undo, report },
      async (begun) => {
        change = begun;
        return this.#write(this.#session(project, caller, begun), file);
      },
      async (tx, write) => {
        const written = await write();
        if (!change) return written;
        const model = await loadModel(tx, project);
        await this.writer.writeOthers({ ...this.#session(project, caller, change), model }, written);
        return written;
      },
    );
    return { changes, effects };
  }

  #session(project: Project, caller: Caller, change: DefinitionChange): Session {
    const deployment = this.deployments.current;
    return { project, caller, model: change.before, executor: change.tx, change, ...(deployment && { deployment }) };
  }

  async #write(given: Session, { definitions, partial, drop }: ModelFile): Promise<ModelChanges> {
    const former = definitionsIn(await this.files.fileOf(given));
    const session = await this.writer.rename(given, renamedIn(definitions, former));
    const present = definitionsIn(await this.files.fileOf(session));
    const changes = changesTo(definitions, present, { partial, drop: keysOf(drop, present) });
    await this.writer.writeModel(session, changes);
    return changes;
  }
}

/** Those whose former name is there. */
function renamedIn(wanted: Definitions, former: Definitions): Definition[] {
  return [...wanted.values()].filter(({ section, was }) => was !== undefined && former.has(`${section}/${was}`));
}

/** What the names of `drop` are: `article`, `article.summary`, `parameters.price`, `links.cites`. */
function keysOf(names: readonly string[], present: Definitions): ReadonlySet<string> {
  return new Set(
    names.flatMap((name) => {
      const [first = '', second] = name.split('.');
      const keys = second === undefined ? [`kinds/${first}`] : [`${first}/${second}`, `parameters/${name}`];
      return keys.filter((key) => present.has(key));
    }),
  );
}
