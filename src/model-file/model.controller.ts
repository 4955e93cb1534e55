import { Controller, Get, Post, Req, Res, UseInterceptors } from '@nestjs/common';
import { checkAdministrator } from '../access/access.js';
import { allowsModel } from '../access/key-scope.js';
import { accessDenied } from '../access/level.js';
import { Catalog } from '../catalog/catalog.service.js';
import { Provisioning } from '../catalog/project/provisioning.js';
import type { Session } from '../catalog/session/session.js';
import { Answer, jsonAnswerInPieces, RawAnswer } from '../http/answer/answer.js';
import { etagOf, expectedVersions } from '../http/answer/etag.js';
import { answerAsset, StoredFiles } from '../http/answer/static-file.js';
import { isJsonType, isUtf8, type ReceivedBody } from '../http/body/read-body.js';
import type { HttpRequest, HttpResponse } from '../http/request/request.js';
import { ApiRoute } from '../http/route/api-route.js';
import { readQuery, refuseQuery } from '../http/route/parse-list-query.js';
import { APPLY_QUERY, type QueryName } from '../http/route/query-names.js';
import type { Operation } from '../model/built-in-traits.js';
import { reading, type Command, type Opened } from '../run/command.js';
import { RunInterceptor } from '../run/run.interceptor.js';
import { EventLoopYield } from '../shared/event-loop-yield.js';
import { Faults, refusal, retryLater } from '../shared/errors.js';
import { FairQueue } from '../shared/fair-queue.js';
import { jsonText } from '../shared/large-json.js';
import { LIMITS } from '../shared/limits.js';
import { sha256 } from '../shared/sha256.js';
import { shortened } from '../shared/texts.js';
import { runYielding } from '../shared/work-in-pieces.js';
import { agentOf, type Caller, isAdministrator, memberCaller } from '../tenancy/caller.js';
import { RecentProof } from '../tenancy/recent-proof.js';
import { WithoutProject } from '../tenancy/route-options.js';
import { TenancyInterceptor } from '../tenancy/tenancy.interceptor.js';
import { checkAgentFile } from './agent-files.js';
import { ModelApply, type Admit, type AppliedModel } from './apply-model.js';
import { asksForProof, provedSettings } from './asks-for-proof.js';
import { ModelFiles } from './model-files.js';
import { printInPieces } from './print.js';
import { readModelFile, type FileType, type ModelFile } from './read-model-file.js';
import { modelFileSchema } from './schema.js';

const ROUTE = { tag: 'Project', needs: 'bearer', administrators: true } as const;
const YAML = 'application/yaml';
/** Milliseconds that a file waits to be read. */
const READING_TIMEOUT = 30_000;

/** The model of a project as a file. */
@Controller('api/lib/model')
@UseInterceptors(TenancyInterceptor, RunInterceptor)
export class ModelController {
  /** Reading takes a thread and its memory. */
  readonly #reading = new FairQueue({
    perKey: 1,
    concurrency: LIMITS.modelFilesAtOnce,
    maxWaitingPerKey: LIMITS.changesWaiting,
    timeout: READING_TIMEOUT,
    refusal: () => retryLater('server.busy', 'Too many model files wait to be read', 5),
  });

  constructor(
    private readonly files: ModelFiles,
    private readonly applier: ModelApply,
    private readonly projects: Provisioning,
    private readonly catalog: Catalog,
    private readonly proof: RecentProof,
  ) {}

  @Get()
  @ApiRoute({
    ...ROUTE,
    id: 'model',
    summary: 'Read the model of the project as a file',
    description: 'As JSON, or as YAML where `Accept` asks for that. It has no secrets.',
    content: 'model',
    media: ['application/json', YAML],
    conditional: 'read',
  })
  read(@Req() request: HttpRequest): Command {
    return reading((opened) => {
      authorize(opened, 'read');
      return {
        run: async (session) => {
          refuseQuery(request.url);
          return this.#answer(session, request);
        },
      };
    });
  }

  @Get('schema.json')
  @ApiRoute({
    id: 'model.schema',
    tag: 'Documentation',
    needs: 'nothing',
    summary: 'The JSON Schema of a model file, for editors',
    media: 'application/json',
    conditional: 'read',
  })
  @WithoutProject()
  async schema(@Req() request: HttpRequest, @Res() response: HttpResponse): Promise<void> {
    refuseQuery(request.url);
    await answerAsset(schemaFiles, 'schema.json', request, response, { 'Access-Control-Allow-Origin': '*' });
  }

  @Post('plan')
  @ApiRoute({
    ...ROUTE,
    id: 'model.plan',
    summary: 'Say what a model file would change',
    description: 'With the data that are there: the change is done and undone.',
    alone: true,
    form: 'model',
    content: 'modelPlan',
    conditional: 'write',
    refuses: [409, 412],
  })
  plan(@Req() request: HttpRequest): Command {
    return this.#command(request, true);
  }

  @Post('apply')
  @ApiRoute({
    ...ROUTE,
    id: 'model.apply',
    summary: 'Make the project what a model file says',
    description:
      'In one transaction. What loses something, or lets somebody do more, is 409 unless its step is allowed by name. ' +
      `Webhooks, identity providers, ${provedSettings().join(', ')}, and what opens to strangers, or in what decides who may ` +
      'do what, ask for a fresh proof, ' +
      'and are not changed by API keys.',
    query: APPLY_QUERY,
    alone: true,
    form: 'model',
    content: 'modelApplied',
    conditional: 'write',
    refuses: [409, 412],
  })
  apply(@Req() request: HttpRequest): Command {
    return this.#command(request, false);
  }

  #command(request: HttpRequest, undo: boolean): Command {
    const { url, headers } = request;
    return {
      authorize: (opened) => {
        authorize(opened, undo ? 'read' : 'update');
        return {
          effect: 'outside',
          // A change of definitions waits for its turn, and must not hold the place of another request.
          once: true,
          body: 'modelFile',
          run: async (session, body) => {
            const query = readQuery(url, undo ? [] : APPLY_QUERY);
            const allowed = { allowLoss: namesIn(query, 'allow_loss'), allowOpen: namesIn(query, 'allow_open') };
            if (allowed.allowLoss.size > 0) authorize(opened, 'delete');
            const versions = expectedVersions(headers['if-match']);
            const file = await this.#file(session, body, headers['content-type']);
            const isAgent = agentOf(session.caller) !== undefined;
            if (isAgent) checkAgentFile(file, session.model);
            // What an agent may change was judged by this version.
            const judged = isAgent ? [String(session.model.version)] : versions;
            const applied = await this.#apply(session, file, { ...allowed, undo, versions: judged });
            return jsonAnswerInPieces(applied, new EventLoopYield(session.project.schema));
          },
        };
      },
    };
  }

  async #answer(session: Session, request: HttpRequest): Promise<Answer> {
    const { res: response } = request;
    const yielder = new EventLoopYield(session.project.schema);
    const file = await this.files.fileOf(session);
    const json = await runYielding(jsonText(file), yielder);
    // Webhooks and settings change without a new version of the model.
    const etag = etagOf(String(session.model.version), contentTag(json));
    response?.setHeader('Vary', [response.getHeader('vary') ?? [], 'Accept'].flat().join(', '));
    if (request.accepts(['application/json', YAML]) !== YAML) return new Answer(json, etag);
    const text = await runYielding(printInPieces(file), yielder);
    return new RawAnswer(200, `${YAML}; charset=utf-8`, Buffer.from(text), etag);
  }

  /** @throws KindError 400, 415, 503 */
  async #file({ project }: Session, body: ReceivedBody, contentType: string | undefined): Promise<ModelFile> {
    const type = fileType(contentType);
    const text = textOf(body);
    const variables = new Faults();
    const secretOf = (name: string, path: string): string => {
      variables.add('model.env', `${path}: '${name}' is read by the command line; give the secret here`, {
        parameter: path,
      });
      return '';
    };
    const read = () => readModelFile(text, type, new EventLoopYield(project.schema), secretOf);
    const file = await this.#reading.run(project.id, read);
    variables.throwIfAny();
    return file;
  }

  #apply({ project, caller, requestId }: Session, file: ModelFile, options: Asked): Promise<AppliedModel> {
    const admit: Admit | undefined = options.undo
      ? undefined
      : (steps, before, after) => {
          const proved = steps.find((step) => asksForProof(step, before, after));
          return this.#admit(proved?.name, { project, caller });
        };
    return this.catalog.inProject(project, async () => {
      const row = await this.projects.getActive(project.id);
      return this.applier.apply(row, file, {
        ...options,
        caller: withoutScope(caller),
        ...(requestId && { requestId }),
        ...(admit && { admit }),
      });
    });
  }

  /** @throws KindError 403 */
  async #admit(proved: string | undefined, scope: Pick<Session, 'project' | 'caller'>): Promise<void> {
    if (proved === undefined) return;
    if (isKey(scope.caller))
      throw refusal(
        'key.not_here',
        `'${proved}' is changed, or opened, by no API key: in a session, or on the machine`,
      );
    await this.proof.require(scope);
  }
}

interface Asked {
  readonly undo: boolean;
  readonly allowLoss: ReadonlySet<string>;
  readonly allowOpen: ReadonlySet<string>;
  readonly versions: readonly string[] | undefined;
}

const schemaFiles = new StoredFiles({
  'schema.json': { folder: () => JSON.stringify(modelFileSchema()), type: 'application/json; charset=utf-8' },
});

/**
 * Administrators, and keys of administrators whose scope is the model. @throws KindError 401, 403
 */
function authorize({ caller, model }: Opened, operation: Operation): void {
  if (!isKey(caller)) return checkAdministrator(caller, 'Only administrators see and change the model of the project');
  const { scope } = caller.key;
  if (!scope || !(['read', 'update', 'delete'] as const).some((each) => allowsModel(scope, each, model)))
    throw refusal(
      'key.not_here',
      'Of API keys, those alone are taken here whose scope is the model: {"kinds": ["model"]}',
    );
  if (!isAdministrator(caller)) throw accessDenied(caller, 'Only keys of administrators are for the model');
  if (!allowsModel(scope, operation, model))
    throw accessDenied(caller, `This API key may not ${operation} of the model`);
}

type KeyCaller = Extract<Caller, { type: 'member' }> & { readonly key: object };

function isKey(caller: Caller): caller is KeyCaller {
  return caller.type === 'member' && caller.key !== undefined;
}

/** What a key may do was asked for the model as a whole. It is named by what is recorded. */
function withoutScope(caller: Caller): Caller {
  if (!isKey(caller)) return caller;
  return { ...memberCaller(caller.id, caller.kindId), key: { id: caller.key.id, scope: undefined } };
}

function namesIn(query: ReadonlyMap<string, readonly string[]>, name: QueryName): ReadonlySet<string> {
  const names = (query.get(name) ?? []).flatMap((text) => text.split(','));
  return new Set(names.map((each) => each.trim()).filter((each) => each !== ''));
}

/** @throws KindError 415 */
function fileType(contentType: string | undefined): FileType {
  if (isJsonType(contentType)) return 'json';
  if (contentType !== undefined && /^application\/yaml\s*(?:;|$)/i.test(contentType) && isUtf8(contentType))
    return 'yaml';
  const got = contentType === undefined ? 'none' : shortened(contentType);
  throw refusal('body.not_json', `The content-type must be application/json or ${YAML} in UTF-8, got ${got}`);
}

/** @throws KindError 400 */
function textOf(body: ReceivedBody): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.isBuffer(body) ? body : Buffer.alloc(0));
  } catch {
    throw refusal('body.malformed', 'The body is not valid UTF-8');
  }
}

/** Thirteen digits, as an ETag has them. */
function contentTag(text: string): string {
  return Buffer.from(sha256(text), 'base64url').toString('hex').slice(0, 13);
}
