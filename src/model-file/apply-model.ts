/** Makes a project what a model file says, in one change of definitions; a plan does the same and takes it back. */
import { Injectable } from '@nestjs/common';
import { DefinitionChangeService } from '../catalog/definition/definition-change.service.js';
import type { DefinitionChange } from '../catalog/definition/definition-change.js';
import type { Fills } from '../catalog/definition/filled-nulls.js';
import { JudgedUnits } from '../catalog/definition/judged-units.js';
import type { ReportedEffects } from '../catalog/definition/change-report.js';
import { loadModel } from '../catalog/model/model-store.js';
import { asSystem, Deployments, type Session } from '../catalog/session/session.js';
import type { Caller } from '../tenancy/caller.js';
import type { RequestIds } from '../http/request/request-id.js';
import { projectOf, type Project } from '../tenancy/project.js';
import { readAdministered, SettingFault, shownSettings } from '../tenancy/project-settings.js';
import { Provisioning } from '../catalog/project/provisioning.js';
import type { ProjectSettings } from '../database/entities/project.entity.js';
import type { ProjectRow } from '../database/registry/project.repository.js';
import { setAccessDefaultStatement } from '../sql/definition/model.sql.js';
import type { AccessDefault } from '../model/access-levels.js';
import type { Model } from '../model/model.js';
import { jsonEqual, type Json } from '../shared/json.js';
import type { FileObject } from './sections.js';
import { openings } from '../access/openings.js';
import { Faults, KindError, refusal, retryLater } from '../shared/errors.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { SecretBox } from '../shared/secret-box.js';
import { runYielding } from '../shared/work-in-pieces.js';
import { breaksOf } from './breaks.js';
import {
  changesTo,
  definitionsIn,
  isOwnOfKind,
  renamesIn,
  sharedThatPart,
  withTypes,
  type Definition,
  type Definitions,
} from './definitions.js';
import { lostByOthers, openedByOthers, type ChangedSetting } from './other-effects.js';
import { withoutSameSecrets } from './same-secrets.js';
import { stepsOf, type Done, type Step } from './steps.js';
import { ModelFiles, onOrOff } from './model-files.js';
import type { ModelFile } from './read-model-file.js';
import { ModelWriter } from './write-model.js';

interface ApplyOptions {
  readonly caller: Caller;
  /** A plan. */
  readonly undo: boolean;
  /** The names of the steps that may lose something, or `all`. */
  readonly allowLoss: Allowed;
  /** Those that may let somebody do more. */
  readonly allowOpen: Allowed;
  /** The versions of the model that it is meant for; undefined: any. */
  readonly versions?: readonly string[] | undefined;
  readonly requestId?: RequestIds;
  /** Refuses steps that the caller may not do. Called when all are known, in the transaction. */
  readonly admit?: Admit;
}

/** @param before with the new ids of what is renamed */
export type Admit = (steps: readonly Step[], before: Model, after: Model) => Promise<void>;

export type Allowed = ReadonlySet<string>;
const ALL = 'all';
const ACCESS_DEFAULT = 'access_default';

export interface AppliedModel {
  readonly state: 'equal' | 'changes' | 'applied';
  /** Of the model: that of a plan is the one before. */
  readonly version: number;
  readonly steps: readonly Step[];
  /** What programs that use the API would notice. */
  readonly breaks: readonly string[];
}

@Injectable()
export class ModelApply {
  constructor(
    private readonly changes: DefinitionChangeService,
    private readonly files: ModelFiles,
    private readonly writer: ModelWriter,
    private readonly projects: Provisioning,
    private readonly deployments: Deployments,
    private readonly box: SecretBox,
  ) {}

  /** @throws KindError 400, 403; 409 where a step loses or opens something and that is not allowed */
  async apply(row: ProjectRow, file: ModelFile, options: ApplyOptions): Promise<AppliedModel> {
    const { caller, undo, requestId } = options;
    const project = projectOf(row);
    const judged = undo ? new JudgedUnits(file.seeds.length > 0) : undefined;
    let losses: Done['losses'] = [];
    let breaks: readonly string[] = [];
    let begun: DefinitionChange | undefined;
    let version = 0;
    const report = (told: ReportedEffects): void => void (losses = told['losses'] as unknown as Done['losses']);
    const changed = this.changes.change<Step[] | Written>(
      project,
      {
        cascade: true,
        tellCounts: true,
        caller,
        undo,
        report,
        byFile: true,
        ...(judged && { judged }),
        ...(requestId && { requestId }),
      },
      (change) => {
        checkVersion(change.before, options);
        begun = change;
        version = change.before.version;
        change.fills = fillsOf(file, (model, filled) => {
          return this.writer.fill({ ...this.#session(project, caller, change), model }, filled);
        });
        return this.#write(this.#session(project, caller, change), file, options);
      },
      async (tx, change) => {
        const written = await change();
        if (!begun || Array.isArray(written)) return written;
        const { before } = begun;
        const model = await loadModel(tx, project);
        const session = { ...this.#session(project, caller, begun), model };
        const settings = changedSettings(file.settings, row, before);
        const lost = await lostByOthers(tx, project.schema, written.changes, {
          was: row.settings,
          is: { ...row.settings, ...settings.values },
        });
        await this.writer.writeOthers(session, written.changes);
        const isWritten = judged?.hasTables ?? true;
        const seeded = isWritten ? await this.writer.writeUnits({ ...session, caller }, file.seeds) : undefined;
        await this.projects.setWithin(tx, row, { settings: settings.values }, { caller, requestId });
        const opened = await runYielding(openings(before, model), new EventLoopYield(project.schema));
        const steps = stepsOf({
          ...written,
          losses,
          lost,
          openings: [...opened, ...openedByOthers(written.changes, settings.changed, before)],
          settings: settings.changed.map(({ name }) => name),
          seeded: seeded ?? new Map(file.seeds.map(({ kindId, items }) => [kindId, items.length])),
          ...(judged && { found: { judged, before, model, isSeeded: isWritten } }),
        });
        if (!undo) refuse(steps, options);
        await options.admit?.(steps, before, model);
        if (steps.length === 0) throw new NothingToDo();
        breaks = await runYielding(breaksOf(before, model, steps), new EventLoopYield(project.schema));
        if (!undo) ({ version } = model);
        return steps;
      },
    );
    const written = await changed.catch(orNothing).catch(busy);
    const steps = Array.isArray(written) ? written : [];
    return { state: steps.length === 0 ? 'equal' : undo ? 'changes' : 'applied', version, steps, breaks };
  }

  #session(project: Project, caller: Caller, change: DefinitionChange): Session {
    const deployment = this.deployments.current;
    const { before: model, tx: executor } = change;
    // Whether the caller may change definitions was asked before, for the model as a whole.
    return asSystem({ project, caller, model, executor, change, ...(deployment && { deployment }) });
  }

  /**
   * What belongs to a kind goes by its new id, and so is renamed after it.
   * @throws KindError 400 where neither the former nor the new id is there, or names may have changed places before
   */
  async #rename(given: Session, file: Definitions, options: ApplyOptions) {
    const renamed: Definition[] = [];
    let [session, present] = [given, definitionsIn(await this.files.fileOf(given))];
    for (const isOwn of [false, true]) {
      const named = renamesIn(new Map([...file].filter(([, each]) => isOwnOfKind(each) === isOwn)), present);
      refuseSwaps(named.swapped, options);
      if (named.renamed.length === 0) continue;
      session = await this.writer.rename(session, named.renamed);
      present = definitionsIn(await this.files.fileOf(session));
      renamed.push(...named.renamed);
    }
    refuseMissing(file, present);
    return { session, renamed, present, wanted: withTypes(file, present) };
  }

  /** Shared parameters become own ones, before anything else of them changes. */
  async #part(given: Session, wanted: Definitions, present: Definitions) {
    const shared = sharedThatPart(wanted, present);
    if (shared.length === 0) return { session: given, parted: [], present };
    const session = await this.writer.part(given, shared);
    const now = definitionsIn(await this.files.fileOf(session));
    return { session, parted: [...now].flatMap(([key, each]) => (present.has(key) ? [] : [each])), present: now };
  }

  async #write(given: Session, file: ModelFile, options: ApplyOptions): Promise<Written> {
    const { definitions, settings, partial, drop } = file;
    const { renamed, wanted, ...named } = await this.#rename(given, definitions, options);
    const { session, parted, present } = await this.#part(named.session, wanted, named.present);
    const changes = await withoutSameSecrets(session, this.box, changesTo(wanted, present, { partial, drop }));
    const accessDefault = settings[ACCESS_DEFAULT];
    if (accessDefault !== undefined && accessDefault !== session.model.accessDefault)
      await given.executor.run(setAccessDefaultStatement(given.project.schema, accessDefault as AccessDefault));
    await this.writer.writeModel(session, changes);
    return { renamed, parted, changes };
  }
}

type Written = Pick<Done, 'renamed' | 'parted' | 'changes'>;

function fillsOf({ definitions }: ModelFile, write: Fills['write']): Fills {
  const values = [...definitions.values()].flatMap(({ id, fill }): [string, Json][] =>
    fill === undefined ? [] : [[id, fill]],
  );
  return { values: new Map(values), write };
}

/** Undoes a change that changes nothing, so that the model keeps its version. */
class NothingToDo extends Error {}

function orNothing(error: unknown): Step[] {
  if (error instanceof NothingToDo) return [];
  throw error;
}

/** @throws KindError 412 */
function checkVersion({ version }: Model, { versions }: ApplyOptions): void {
  if (versions === undefined || versions.includes(String(version))) return;
  throw refusal('model.changed', `The model has version ${version} by now: read it, and plan again`);
}

/** @throws KindError 503 where others held for long what the change needs */
function busy(error: unknown): never {
  if (!(error instanceof KindError) || error.code !== 'database.busy') throw error;
  throw retryLater(
    'server.busy',
    'Others hold what the change needs: it was tried five times, and nothing is changed',
    5,
    error,
  );
}

/** @throws KindError 409 with each step that is not allowed */
function refuse(steps: readonly Step[], { allowLoss, allowOpen }: ApplyOptions): void {
  const faults = new Faults();
  const isAllowed = (allowed: Allowed, name: string) => allowed.has(ALL) || allowed.has(name);
  for (const { name, loses = 0, opens = [] } of steps) {
    if (loses > 0 && !isAllowed(allowLoss, name))
      faults.add('model.loses', `'${name}' loses ${loses.toLocaleString('en')} units, values, links or versions`);
    const [first] = opens;
    if (first && !isAllowed(allowOpen, name))
      faults.add('model.opens', `'${name}' lets ${first.who} do more: ${first.what}`);
  }
  faults.throwIfAny();
}

/** The settings that a file gives another value; those that it does not name stay. */
function changedSettings(given: FileObject, { settings: stored }: ProjectRow, { accessDefault }: Model) {
  const changed: ChangedSetting[] = [];
  let values: ProjectSettings = {};
  for (const [name, value] of Object.entries(given)) {
    if (name === ACCESS_DEFAULT) {
      if (value !== accessDefault) changed.push({ name, was: accessDefault, is: value });
      continue;
    }
    const setting = readAdministered(name, value as string | boolean);
    if (setting === undefined || setting instanceof SettingFault) continue;
    const [was, is] = [stored, { ...stored, ...setting }].map((each) => onOrOff(shownSettings(each)[name] ?? null));
    if (was === undefined || is === undefined || jsonEqual(was, is)) continue;
    changed.push({ name, was, is });
    values = { ...values, ...setting };
  }
  return { changed, values };
}

/** Files are applied again, and would change the places back. @throws KindError 400 */
function refuseSwaps(swapped: readonly Definition[], { undo, versions }: ApplyOptions): void {
  if (undo || versions !== undefined) return;
  const faults = new Faults();
  for (const { section, id, was } of swapped) {
    const path = `${section}.${id}.was`;
    const text = `${path}: '${id}' and '${was ?? ''}' may have changed places already`;
    const way = 'give the version of the model in which they have not, as a plan tells it (--version or If-Match)';
    faults.add('model.bad_file', `${text}: ${way}, or take \`was\` out`, { parameter: path });
  }
  faults.throwIfAny();
}

/** @throws KindError 400 */
function refuseMissing(wanted: Definitions, present: Definitions): void {
  const faults = new Faults();
  for (const [key, { section, id, was }] of wanted) {
    if (was === undefined || present.has(key)) continue;
    const path = `${section}.${id}.was`;
    faults.add('model.bad_file', `${path}: there is no '${was}', and no '${id}'`, { parameter: path });
  }
  faults.throwIfAny();
}
