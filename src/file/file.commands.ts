/** The commands of files beside those of all units: contents are uploaded and replaced. */
import { Injectable } from '@nestjs/common';
import { Catalog } from '../catalog/catalog.service.js';
import { executorFor } from '../catalog/session/executors.js';
import type { Session } from '../catalog/session/session.js';
import { Database } from '../database/database.js';
import { Answer } from '../http/answer/answer.js';
import { etagMatches } from '../http/answer/etag.js';
import { mayBeJson, ParsedBody } from '../http/body/read-body.js';
import type { HttpRequest } from '../http/request/request.js';
import { type QueryParameters, readQuery, singleText, urlQueryParameters } from '../http/route/parse-list-query.js';
import { UPLOAD_QUERY } from '../http/route/query-names.js';
import { FILE_KIND } from '../model/built-in-traits.js';
import { CONTENT_FIELD } from '../model/built-in/file-fields.js';
import type { Command, Opened } from '../run/command.js';
import type { ContentRow } from '../sql/file/content.sql.js';
import { unknownUnit } from '../unit/store/unit-ids.js';
import { mustBeWritable, readableUnits } from '../unit/table/rights.js';
import { WriteCommands } from '../unit/write.commands.js';
import { contentEtag } from './content/content-etag.js';
import { findContent, requireContents } from './contents.js';
import { changedContent } from './file.behavior.js';
import { NewContents } from './new-contents.js';
import { judged, Uploads, type Arrival, type Upload } from './uploads.js';

@Injectable()
export class FileCommands {
  constructor(
    private readonly units: WriteCommands,
    private readonly uploads: Uploads,
    private readonly contents: NewContents,
    private readonly catalog: Catalog,
    private readonly database: Database,
  ) {}

  /** Creates a file: of the body, of a form, or as any unit of a JSON body. */
  create(request: HttpRequest): Command {
    const { url } = request;
    const create = this.units.create(FILE_KIND, writeRequest(request, url));
    if (!isUpload(request)) return create;
    const upload = this.#once(request);
    return {
      authorize: (opened) => {
        create.authorize(opened);
        requireContents(opened, 'create');
        const { query, rest } = uploadQuery(request);
        const inner = this.units.create(FILE_KIND, writeRequest(request, rest)).authorize(opened);
        return {
          ...inner,
          body: (isRepeat) =>
            this.#receive(opened, async (session) => bodyOf(await upload(session, { query, isRepeat }))),
        };
      },
    };
  }

  /** Gives a file another content. */
  replace(id: string, request: HttpRequest): Command {
    const upload = this.#once(request);
    let sha256 = '';
    return {
      authorize: (opened) => {
        requireContents(opened, 'update');
        const plan = this.units.update(FILE_KIND, id, writeRequest(request, request.url)).authorize(opened);
        return {
          ...plan,
          body: (isRepeat) =>
            this.#receive(opened, async (session) => {
              const stored = await judged(isRepeat, () => this.#findReplaced(session, id, request.headers['if-match']));
              const received = await upload(session, { query: {}, stored: stored ?? REPLACED_BEFORE, isRepeat });
              ({ sha256 } = received.content.facts);
              return bodyOf(received);
            }),
          run: async (session, body) => {
            const { text } = await plan.run(session, body);
            return new Answer(text, contentEtag({ sha256 }));
          },
        };
      },
    };
  }

  /** The content that is replaced, before the body is read; the write itself looks again. @throws KindError 403, 404, 412 */
  async #findReplaced(session: Session, id: string, ifMatch: string | undefined): Promise<ContentRow> {
    const { kind, access } = requireContents(session, 'update');
    await mustBeWritable(session, kind, id, { access }, 'update');
    const row = await findContent(session, kind, id, readableUnits(session, kind));
    if (!row) throw unknownUnit(kind, id);
    if (ifMatch !== undefined && !etagMatches(ifMatch, contentEtag(row))) throw changedContent();
    return row;
  }

  /** What comes before the transaction of a write, with the model as it is by then. @throws KindError 401 at its end */
  async #receive<T>(opened: Opened, work: (session: Session) => Promise<T>): Promise<T> {
    const executor = executorFor(this.database, opened);
    const received = await this.catalog.withModel(opened, (model) => work({ ...opened, model, executor }));
    await this.uploads.checkCaller(opened);
    return received;
  }

  /** Receives the content once, also where the command runs again with a newer model. It is removed if no file gets it. */
  #once(request: HttpRequest): (session: Session, arrival: Arrival) => Promise<Upload> {
    let upload: Promise<Upload> | undefined;
    return (session, arrival) => {
      if (!upload) {
        upload = this.uploads.receive(session, request, arrival);
        const end = () =>
          upload?.then(({ content }) => this.contents.end(session.project, content)).catch(() => undefined);
        request.res?.once('close', () => void end());
      }
      return upload;
    };
  }
}

/** Stands for the file of a replacement that was answered before, and which may be gone by now. */
const REPLACED_BEFORE = { name: '', bytes: '0' };

/** A form that is sent again may have another boundary, so that what is in it tells whether it is the same. */
function bodyOf({ content, values }: Upload): ParsedBody {
  const told = JSON.stringify([values, content.facts.sha256]);
  return new ParsedBody({ ...values, [CONTENT_FIELD]: content }, told);
}

/** A query of an upload says that the body is the content, of whatever type. Else it may be JSON. */
function isUpload({ url, headers }: HttpRequest): boolean {
  return !mayBeJson(headers) || urlQueryParameters(url).some(([name]) => isOwn(name));
}

/** The name and the values in a query, and the URL without them. */
function uploadQuery({ url }: HttpRequest) {
  const parameters = urlQueryParameters(url);
  const own = queryOf(parameters.filter(([name]) => isOwn(name)));
  const query = readQuery(`?${own.toString()}`, UPLOAD_QUERY);
  const others = queryOf(parameters.filter(([name]) => !isOwn(name)));
  const path = url.split('?', 1)[0] ?? '';
  const rest = others.size === 0 ? path : `${path}?${others.toString()}`;
  return { query: { name: singleText(query, 'name'), values: singleText(query, 'values') }, rest };
}

function queryOf(parameters: QueryParameters): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, text] of parameters) query.append(name, text);
  return query;
}

function isOwn(name: string): boolean {
  return UPLOAD_QUERY.some((each) => each === name);
}

function writeRequest({ headers }: HttpRequest, url: string) {
  return { url, contentType: headers['content-type'], ifMatch: undefined };
}
