/** The model of a project as a file. */
import { Injectable } from '@nestjs/common';
import { Catalog, StaleModelError } from '../catalog/catalog.service.js';
import type { Session } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import type { ProjectSettings } from '../database/entities/project.entity.js';
import { getBuiltInKind, getGroup, PARAMETER_GROUP, type KindDef, type Model } from '../model/model.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { getOrInsert } from '../shared/maps.js';
import { jsonEqual, type Json } from '../shared/json.js';
import { runYielding } from '../shared/work-in-pieces.js';
import { recordsStatement, type RecordRow } from '../sql/definition/model-file.sql.js';
import type { Project } from '../tenancy/project.js';
import { MODEL_SETTINGS, shownSettings } from '../tenancy/project-settings.js';
import { modelFileOf, type DefinitionRecord } from './dump.js';
import { SECTION_KINDS, type FileObject } from './sections.js';

interface DumpedModel {
  readonly file: FileObject;
  /** The version of the model. */
  readonly version: number;
}

type ReadModel = Pick<Session, 'project' | 'model' | 'executor'>;

@Injectable()
export class ModelFiles {
  constructor(
    private readonly database: Database,
    private readonly catalog: Catalog,
  ) {}

  /** The whole model of a project as it is now. */
  dump(project: Project): Promise<DumpedModel> {
    return this.catalog.withCheckedModel({ project }, async (model) => {
      const read = { project, model, executor: this.database.ofProject(project) };
      return { file: await this.fileOf(read), version: model.version };
    });
  }

  /** The same of a model that is known. @throws StaleModelError if there is another one */
  async fileOf({ project, model, executor }: ReadModel): Promise<FileObject> {
    const records = await this.#recordsOf({ project, model, executor });
    const settings = settingsOf(project.settings, model);
    return runYielding(modelFileOf({ model, settings, records }), new EventLoopYield(project.schema));
  }

  async #recordsOf({ project, model, executor }: ReadModel): Promise<Map<string, DefinitionRecord[]>> {
    const ids = [...Object.values(SECTION_KINDS), ...getGroup(model, PARAMETER_GROUP).kinds];
    const read = ids.map((id) => ({ kind: getBuiltInKind(model, id), fields: readFields(getBuiltInKind(model, id)) }));
    const rows = await executor.run<RecordRow>(recordsStatement(project.schema, read));
    const records = new Map<string, DefinitionRecord[]>();
    for (const { v, kind, body } of rows) {
      if (Number(v) !== model.version) throw new StaleModelError();
      getOrInsert(records, kind, () => []).push(JSON.parse(body) as DefinitionRecord);
    }
    return records;
  }
}

/** What is encrypted is read by nobody. */
function readFields({ fields }: KindDef) {
  return [...fields.values()].filter(({ column, sealed }) => column !== undefined && !sealed);
}

/** Those of a model file that are other than in a new project. */
function settingsOf(settings: ProjectSettings, { accessDefault }: Model): FileObject {
  const [shown, unset] = [
    { ...shownSettings(settings), access_default: accessDefault },
    { ...shownSettings({}), access_default: 'open' },
  ] as Readonly<Record<string, Json>>[];
  const entries = MODEL_SETTINGS.map((name): [string, Json] => [name, onOrOff(shown?.[name] ?? null)]);
  return Object.fromEntries(entries.filter(([name, value]) => !jsonEqual(value, onOrOff(unset?.[name] ?? null))));
}

/** As commands take them. */
export function onOrOff(value: Json): Json {
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : value;
}
