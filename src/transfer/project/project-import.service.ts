/**
 * Brings a whole project back from an archive, for the operator: into an empty one, or as a new one from a backup. In one
 * transaction, so that a failure leaves the project empty, or no project. The rows are stored as they were exported: they
 * were checked when they were created, and hooks ran then.
 */
import { Inject, Injectable } from '@nestjs/common';
import { DefinitionChangeService } from '../../catalog/definition/definition-change.service.js';
import { Provisioning, PROJECT_CHANNEL } from '../../catalog/project/provisioning.js';
import { upgradeSchema } from '../../catalog/project/upgrade.js';
import type { ProjectRow } from '../../database/registry/project.repository.js';
import { commonRefusal, isDatabaseFault } from '../../database/statement/sqlstate.js';
import { BUILT_IN_VERSION } from '../../model/built-in/built-in.js';
import { hasFiles, type Model } from '../../model/model.js';
import { SecretBox } from '../../shared/secret-box.js';
import { AuditLog } from '../../tenancy/audit-log.js';
import { SYSTEM } from '../../tenancy/caller.js';
import { projectOf, type Project } from '../../tenancy/project.js';
import { ArchiveError, isContent, type OnProgress, type ArchiveFile } from './archive.js';
import { ContentImport } from './archived-contents.js';
import { ProjectContents } from '../../catalog/project/project-contents.js';
import { closedText, sealAnew } from '../../catalog/project/sealed-values.js';
import { type Config, CONFIG } from '../../config/config.js';
import { checkSecretsKey } from '../../database/registry/secrets-check.js';
import { plural } from '../../shared/texts.js';
import { WorkClaims } from '../../database/registry/work-claims.js';
import { COLLECTION, FILE_STORE, RESTORE_PREFIX } from '../../file/objects.js';
import type { FileStore } from '../../file/store/file-store.js';
import { FILE_KIND } from '../../model/built-in-traits.js';
import { schemaName } from '../../model/names.js';
import type { ArchiveReader } from './archive.reader.js';
import { loadModel } from '../../catalog/model/model-store.js';
import type { DefinitionChange } from '../../catalog/definition/definition-change.js';
import { Database, type Transaction } from '../../database/database.js';
import { notifyStatement } from '../../sql/server/connection.sql.js';
import { continueFeedStatement } from '../../sql/changes/number.sql.js';
import { repairCountStatement } from '../../sql/count.sql.js';
import { setAccessDefaultStatement } from '../../sql/definition/model.sql.js';
import { continueNumbers } from '../../unit/table/write/numbers.js';
import { inOneMessage } from '../../sql/fragment.js';
import { countFileStatement, insertLinesStatement } from '../../sql/list/project-rows.sql.js';
import { setVerifiesSinceStatement } from '../../sql/member/verified.sql.js';
import { beginHooksStatement } from '../../sql/webhook/delivery.sql.js';
import { updateProjectStatement } from '../../sql/server/registry.sql.js';
import { FOLLOW, wakeWorkStatement } from '../../sql/server/work.sql.js';
import { checkDefinitions, checkDefinitionLines } from './definition-lines.js';
import { putBackAdministrators, takeAdministrators } from './kept-administrators.js';
import { dataFiles, definitionFiles, unitFile, unitKinds, type ProjectFile } from './project-files.js';

const OPTIONS = { cascade: false, tellCounts: true, caller: SYSTEM, statementTimeout: 0 } as const;

/** `onStored` is called while the files are stored. The archive was compared with its manifest when it was opened. */
@Injectable()
export class ProjectImportService {
  constructor(
    private readonly changes: DefinitionChangeService,
    private readonly provisioning: Provisioning,
    private readonly audit: AuditLog,
    private readonly box: SecretBox,
    private readonly database: Database,
    private readonly contents: ProjectContents,
    @Inject(FILE_STORE) private readonly store: FileStore,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @throws ArchiveError if the archive is not as it was written, or does not fit; KindError */
  async import(
    row: ProjectRow,
    archive: ArchiveReader,
    onStored: OnProgress,
    secrets: SecretChoices = {},
  ): Promise<void> {
    await named('the export', () =>
      this.changes.change(projectOf(row), OPTIONS, async (change) => {
        checkEmpty(row.id, change.before);
        await checkNoFiles(row.id, change);
        await new ProjectImport({
          contents: new ContentImport(this.store, this.database),
          project: projectOf(row),
          archive,
          change,
          onStored,
          ...this.#secrets(secrets),
          background: false,
          keepsAdministrators: true,
        }).run();
      }),
    );
  }

  /**
   * Makes the project `id` from a backup. @param background whether schedules run in it @throws ArchiveError, KindError
   * 400, 409 if the id is not free
   */
  async restore(
    id: string,
    archive: ArchiveReader,
    onStored: OnProgress,
    { background = false, ...secrets }: RestoreOptions = {},
  ): Promise<void> {
    const { backup, built_in: builtIn, project: source } = archive.manifest;
    if (!backup) throw new ArchiveError('it is no backup');
    const made = {
      id,
      accessDefault: source.access_default,
      insertedAt: backup.inserted_at,
      restored: { project: source.id, backed_up_at: archive.manifest.exported_at },
      modelVersion: backup.model_version,
    };
    const contents = new ContentImport(this.store);
    await named('the backup', () =>
      this.provisioning.create(
        made,
        async (tx, project) => {
          // What is left of a restore that was cut off. No other project has this id until the transaction ends.
          await this.contents.remove(id);
          await this.#announce(id);
          await this.changes.changeWithin(tx, project, OPTIONS, async (change) => {
            const options = {
              ...{ project, archive, change, onStored, background, contents },
              ...this.#secrets(secrets),
              keepsAdministrators: false,
            };
            await new ProjectImport(options).run();
          });
          if (builtIn < BUILT_IN_VERSION) await upgradeSchema(tx, project);
        },
        { statementTimeout: 0 },
      ),
    ).catch(async (error: unknown) => {
      await contents.undo();
      throw error;
    });
  }

  #secrets({ secretsKeys = [], dropSecrets = false }: SecretChoices): SecretOptions {
    const { audit, box, config } = this;
    return { audit, box: box.alsoOpenedBy(secretsKeys), config, dropSecrets };
  }

  /** From then on services remove what it has stored, unless the project is there. */
  async #announce(id: string): Promise<void> {
    const work = { project: null, name: `${RESTORE_PREFIX}${id}`, detail: '', due: Date.now() + HOUR };
    await new WorkClaims(this.database, COLLECTION.type).plan([work]);
  }
}

const HOUR = 3_600_000;

async function named<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw commonRefusal(error) ?? (isDatabaseFault(error) ? unfit(what, error) : error);
  }
}

/** @throws ArchiveError if anything is defined; without definitions there are no units but administrators */
function checkEmpty(id: string, { kinds, parameters, groups, linkTypes }: Model): void {
  const own = [
    ...[...kinds.values()]
      .filter(({ builtIn, traits }) => !builtIn && !traits.extensible)
      .map((kind) => `the kind '${kind.id}'`),
    ...[...parameters.keys()].map((parameter) => `the parameter '${parameter}'`),
    ...[...groups.values()].filter(({ builtIn }) => !builtIn).map((group) => `the group '${group.id}'`),
    ...[...linkTypes.values()].filter(({ builtIn }) => !builtIn).map((type) => `the link type '${type.id}'`),
  ];
  const [first] = own;
  if (first === undefined) return;
  const more = own.length > 1 ? ` and ${own.length - 1} other definitions` : '';
  throw new ArchiveError(
    `the project '${id}' is not empty: it has ${first}${more}. Import into a new one: project create`,
  );
}

/** @throws ArchiveError if it has files, which need no definition */
async function checkNoFiles(id: string, { tx, before }: DefinitionChange): Promise<void> {
  const kind = before.kinds.get(FILE_KIND);
  if (!kind) return;
  const [found] = await tx.run<{ count: number }>(countFileStatement(schemaName(id), unitFile(kind).rows));
  if (!found || found.count === 0) return;
  throw new ArchiveError(`the project '${id}' is not empty: it has files. Import into a new one: project create`);
}

/** The path of the units of files, which an older release has not. */
const FILES = `kinds/${FILE_KIND}.ndjson`;

type Part = 'definitions' | 'data';

/** What happens to secrets that are encrypted for another service. */
export interface SecretChoices {
  /** Keys that open them beside those of this one. */
  readonly secretsKeys?: readonly string[];
  /** Whether those that no key opens are removed, rather than refused. */
  readonly dropSecrets?: boolean;
}

interface RestoreOptions extends SecretChoices {
  readonly background?: boolean;
}

interface SecretOptions {
  readonly audit: AuditLog;
  readonly box: SecretBox;
  readonly config: Config;
  readonly dropSecrets: boolean;
}

interface ProjectImportOptions extends SecretOptions {
  readonly project: Project;
  readonly archive: ArchiveReader;
  readonly change: DefinitionChange;
  readonly onStored: OnProgress;
  readonly contents: ContentImport;
  /** Whether schedules run in it. A copy must not do what the project does, such as write to people. */
  readonly background: boolean;
  /** Whether the administrators that the project has stay, so that somebody can sign in. */
  readonly keepsAdministrators: boolean;
}

class ProjectImport {
  #bytes = 0;
  #rows = 0;

  constructor(private readonly options: ProjectImportOptions) {}

  async run(): Promise<void> {
    const { change, archive, project, background } = this.options;
    const { id, label, access_default: accessDefault, verifies_since: verifiesSince } = archive.manifest.project;
    const settings = { ...archive.manifest.project.settings, background };
    // A label that is the id, as by default, would name another project.
    await this.#tx.run(updateProjectStatement(project.id, label === id ? project.id : label, settings));
    await this.#tx.run(notifyStatement(PROJECT_CHANNEL, project.id));
    await this.#tx.run(setAccessDefaultStatement(project.schema, accessDefault));
    await this.#tx.run(setVerifiesSinceStatement(project.schema, verifiesSince));
    await this.#storeAll(definitionFiles(change.before), 'definitions');
    checkDefinitions(await loadModel(this.#tx, project, { known: change.before }));
    change.fill = (model) => this.#fill(model);
  }

  get #tx(): Transaction {
    return this.options.change.tx;
  }

  get #isOlder(): boolean {
    return this.options.archive.manifest.built_in < BUILT_IN_VERSION;
  }

  async #fill(model: Model): Promise<void> {
    const { archive, keepsAdministrators, project } = this.options;
    const { schema } = project;
    const administrators = keepsAdministrators ? await takeAdministrators(this.#tx, schema, model) : [];
    const { passwords, backup } = archive.manifest;
    await this.#storeAll(dataFiles(model, { passwords, histories: backup !== undefined }), 'data');
    if (hasFiles(model)) {
      await this.options.contents.store(this.#tx, project, archive);
    }
    if (backup) await this.#tx.run(continueFeedStatement(schema));
    const webhooks = await this.#tx.run(beginHooksStatement(schema));
    if (webhooks.length > 0) await this.#tx.run(wakeWorkStatement(FOLLOW.type, FOLLOW.name, [project.id]));
    await this.#sealAnew(model);
    await putBackAdministrators(this.#tx, schema, model, administrators);
    for (const kind of unitKinds(model)) await continueNumbers(this.#tx, schema, kind);
    const counted = unitKinds(model).filter(({ storage }) => storage.counted);
    if (counted.length > 0) {
      await this.#tx.run(inOneMessage(counted.map((kind) => repairCountStatement(schema, kind))));
    }
  }

  /** Encrypts secrets for their place here. @throws ArchiveError if they can't be read; ConfigError if this is another key than that of the services */
  async #sealAnew(model: Model): Promise<void> {
    const { archive, project, audit, box, config, dropSecrets: drop } = this.options;
    const source = archive.manifest.project.id;
    const { sealed, closed } = await sealAnew(this.#tx, { model, project, source, box, drop, audit });
    if (closed.length > 0 && !drop) {
      throw new ArchiveError(
        `${plural(closed.length, 'secret')} in it cannot be read here, encrypted with another SECRETS_KEY: ${closedText(closed)}. Give the file with that key (--secrets-key-file), or leave out what it does not open (--drop-secrets)`,
      );
    }
    if (sealed > 0) await checkSecretsKey(this.#tx, { box, config });
  }

  /** In the order of the archive. Files of kinds that are not defined are refused: they would be lost. */
  async #storeAll(known: readonly ProjectFile[], part: Part): Promise<void> {
    const missing = new Map(known.map((file) => [file.path, file]));
    const { files } = this.options.archive.manifest;
    const rows = files.filter(({ path }) => !isContent(path));
    for (const file of rows.filter(({ path }) => path.startsWith('definitions/') === (part === 'definitions'))) {
      const fitting = missing.get(file.path);
      if (!fitting) throw new ArchiveError(`${file.path} belongs to no kind or link type of the definitions`);
      missing.delete(file.path);
      await this.#store(file, fitting, part);
      // Built-in definitions are there before.
      if (part === 'data') await this.#checkCount(file, fitting);
    }
    // An older release had fewer built-in kinds.
    const [lacking] = [...missing.values()].filter(
      ({ path, builtIn }) => !((builtIn || path === FILES) && this.#isOlder),
    );
    if (lacking) throw new ArchiveError(`${lacking.path} is missing`);
  }

  async #store(file: ArchiveFile, fitting: ProjectFile, part: Part): Promise<void> {
    const { archive, onStored } = this.options;
    let first = 1;
    for await (const { lines, bytes } of archive.read(file)) {
      if (part === 'definitions') checkDefinitionLines(fitting, lines, first);
      if (lines.length > 0) await this.#insert(fitting.path, fitting.rows, lines);
      first += lines.length;
      this.#bytes += bytes;
      this.#rows += lines.length;
      onStored(this.#bytes, this.#rows);
    }
  }

  async #insert(path: string, rows: ProjectFile['rows'], lines: readonly string[]): Promise<void> {
    try {
      await this.#tx.run(insertLinesStatement(this.options.project.schema, rows, lines));
    } catch (error) {
      throw isDatabaseFault(error) && !commonRefusal(error) ? unfit(path, error) : error;
    }
  }

  async #checkCount({ path, records }: ArchiveFile, { rows }: ProjectFile): Promise<void> {
    const [found] = await this.#tx.run<{ count: number }>(countFileStatement(this.options.project.schema, rows));
    const count = found?.count ?? 0;
    if (count < records) throw new ArchiveError(`${path} has ${records} records, but ${count} were stored`);
  }
}

function unfit(what: string, error: Error & { readonly detail?: string }): ArchiveError {
  const detail = error.detail === undefined ? '' : `: ${error.detail}`;
  return new ArchiveError(`${what} cannot be stored: ${error.message}${detail}`);
}
