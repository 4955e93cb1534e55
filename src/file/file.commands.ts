/** The commands of files beside those of all units: contents are uploaded and replaced. */
import { Injectable } from '@nestjs/common';
import type { Session } from '../catalog/session/session.js';
import { Answer } from '../http/answer/answer.js';
import { etagMatches } from '../http/answer/etag.js';
import { ParsedBody } from '../http/body/read-body.js';
import { KEY_HEADER } from '../http/header-names.js';
import type { HttpRequest } from '../http/request/request.js';
import { type QueryParameters, readQuery, urlQueryParameters } from '../http/route/parse-list-query.js';
import { UPLOAD_QUERY } from '../http/route/query-names.js';
import { FILE_KIND } from '../model/built-in-traits.js';
import { CONTENT_FIELD } from '../model/built-in/file-fields.js';
import type { KindDef } from '../model/model.js';
import type { Command } from '../run/command.js';
import { refusal } from '../shared/errors.js';
import { mustBeWritable, readableUnits } from '../unit/table/rights.js';
import { WriteCommands } from '../unit/write.commands.js';
import { contentEtag } from './content/content-headers.js';
import { findContent, requireContents } from './contents.js';
import { changedContent } from './file.behavior.js';
import { isMultipart } from './multipart.js';
import { Objects } from './objects.js';
import { Uploads, type Upload } from './uploads.js';

@Injectable()
export class FileCommands {
  constructor(
    private readonly units: WriteCommands,
    private readonly uploads: Uploads,
    private readonly objects: Objects,
  ) {}

  /** Creates a file: of the body, of a form, or as any unit of a JSON body. */
  create(request: HttpRequest): Command {
    const { url, headers } = request;
    const create = this.units.create(FILE_KIND, writeRequest(request, url));
    if (!isUpload(request)) return create;
    const upload = this.#once(request);
    return {
      authorize: (opened) => {
        const plan = create.authorize(opened);
        requireContents(opened, 'create');
        if (headers[KEY_HEADER] !== undefined) {
          throw refusal('idempotency.not_here', 'An upload takes no Idempotency-Key');
        }
        const { query, rest } = uploadQuery(request);
        const inner = this.units.create(FILE_KIND, writeRequest(request, rest)).authorize(opened);
        return {
          ...plan,
          effect: 'stream',
          body: undefined,
          run: async (session) => {
            const { content, values } = await upload(session, query);
            return inner.run(session, new ParsedBody({ ...values, [CONTENT_FIELD]: content }));
          },
        };
      },
    };
  }

  /** Gives a file another content. */
  replace(id: string, request: HttpRequest): Command {
    const upload = this.#once(request);
    return {
      authorize: (opened) => {
        const { kind, access } = requireContents(opened, 'update');
        const plan = this.units.update(FILE_KIND, id, writeRequest(request, request.url)).authorize(opened);
        return {
          ...plan,
          effect: 'stream',
          body: undefined,
          run: async (session) => {
            await mustBeWritable(session, kind, id, { access }, 'update');
            await this.#checkMatch(session, kind, id, request.headers['if-match']);
            const { content, values } = await upload(session, {});
            const body = new ParsedBody({ ...values, [CONTENT_FIELD]: content });
            const answer = await plan.run(session, body);
            return new Answer(answer.text, contentEtag({ sha256: content.facts.sha256 }));
          },
        };
      },
    };
  }

  /** Before the body is read, which may be long; the write itself looks again. @throws KindError 412 */
  async #checkMatch(session: Session, kind: KindDef, id: string, ifMatch: string | undefined): Promise<void> {
    if (ifMatch === undefined) return;
    const row = await findContent(session, kind, id, readableUnits(session, kind));
    if (!row || !etagMatches(ifMatch, contentEtag(row))) throw changedContent();
  }

  /** Receives the content once, also where the command runs again with a newer model. It is removed if no file gets it. */
  #once(request: HttpRequest): (session: Session, query: Parameters<Uploads['receive']>[2]) => Promise<Upload> {
    let upload: Promise<Upload> | undefined;
    return (session, query) => {
      if (!upload) {
        upload = this.uploads.receive(session, request, query);
        const end = () =>
          upload?.then(({ content }) => this.objects.end(session.project, content)).catch(() => undefined);
        request.res?.once('close', () => void end());
      }
      return upload;
    };
  }
}

/** A query with a name says that the body is the content, of whatever type. */
function isUpload({ url, headers }: HttpRequest): boolean {
  return isMultipart(headers['content-type']) || urlQueryParameters(url).some(([name]) => name === 'name');
}

/** The name and the values in a query, and the URL without them. */
function uploadQuery({ url }: HttpRequest) {
  const parameters = urlQueryParameters(url);
  const own = queryOf(parameters.filter(([name]) => isOwn(name)));
  const query = readQuery(`?${own.toString()}`, UPLOAD_QUERY);
  const others = queryOf(parameters.filter(([name]) => !isOwn(name)));
  const path = url.split('?', 1)[0] ?? '';
  const single = (name: string): string | undefined => {
    const texts = query.get(name) ?? [];
    if (texts.length > 1) throw refusal('query.bad_value', `${name}: given more than once`, { parameter: name });
    return texts[0];
  };
  const rest = others.size === 0 ? path : `${path}?${others.toString()}`;
  return { query: { name: single('name'), values: single('values') }, rest };
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
