/** The commands that read contents of files: by id, by an address without a header, and what makes such addresses. */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { checkActive } from '../access/access.js';
import { accessDenied } from '../access/level.js';
import type { Session } from '../catalog/session/session.js';
import { SECRET } from '../config/config.js';
import { jsonAnswer, type Answer } from '../http/answer/answer.js';
import { etagMatches } from '../http/answer/etag.js';
import { readDto } from '../http/body/dto.js';
import { parseBody } from '../http/body/read-body.js';
import type { HttpRequest } from '../http/request/request.js';
import { readQuery, refuseQuery, singleText, urlQueryParameters } from '../http/route/parse-list-query.js';
import { ADDRESS_QUERY, CONTENT_QUERY, type QueryName } from '../http/route/query-names.js';
import { hasSizes } from '../model/built-in/sized-types.js';
import { FILE_KIND } from '../model/built-in-traits.js';
import { instantAt } from '../model/parameter-type/calendar.js';
import { reading, type Command, type Opened } from '../run/command.js';
import { refusal, type KindError } from '../shared/errors.js';
import { LIMITS } from '../shared/limits.js';
import { addressedContentStatement, type AddressedContentRow, type ContentRow } from '../sql/file/content.sql.js';
import { scalarText } from '../shared/json.js';
import { isAdministrator } from '../tenancy/caller.js';
import type { Project } from '../tenancy/project.js';
import { noUnit, parseKey, unknownUnit } from '../unit/store/unit-ids.js';
import { ContentAnswer } from './content.answer.js';
import { contentEtag } from './content/content-etag.js';
import { contentHeaders, type ReadBy } from './content/content-headers.js';
import { contentRange, requestedRange } from './content/range.js';
import { findContent, requireContents } from './contents.js';
import { AUTO } from './image/image-format.js';
import { Objects } from './objects.js';
import { Pictures, sizeAsked, type SizeAsked } from './pictures.js';
import type { ByteRange } from './store/file-store.js';
import { FileUrls, requireContent } from './url/signed-url.js';
import { UrlBody } from './url/url.body.js';

/** What a request asks of a content. */
interface Asked {
  readonly download: boolean;
  readonly size: SizeAsked | undefined;
  /** Whether the format depends on the header `Accept`. */
  readonly byAccept: boolean;
}

/** What is answered: the content of a file, or a size of it. */
interface Served {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** What its ETag is made of. */
  readonly sha256: string;
  readonly size?: string;
  readonly open: (range: ByteRange | undefined) => Promise<Readable>;
}

@Injectable()
export class ContentCommands {
  readonly #urls: FileUrls;

  constructor(
    private readonly objects: Objects,
    private readonly pictures: Pictures,
    @Inject(SECRET) secret: string,
  ) {
    this.#urls = new FileUrls(secret);
  }

  /** The content of a file that the caller may read. */
  content(id: string, request: HttpRequest, names: readonly QueryName[] = CONTENT_QUERY): Command {
    return reading((opened) => {
      const { kind, access } = requireContents(opened, 'read');
      const readBy: ReadBy = opened.caller.type === 'anonymous' ? 'nothing' : 'token';
      return {
        run: async (session) => {
          const asked = askedOf(request, names);
          const row = await findContent(session, kind, id, access);
          if (!row) throw unknownUnit(kind, id);
          if (!asked.size && !maySeeOriginal(session, row)) throw ownersOriginal();
          return this.#answer(session, row, { readBy, request, asked });
        },
      };
    });
  }

  /** The same at its address without a header: with a signature, whoever asks. */
  addressed(id: string, request: HttpRequest): Command {
    return isSigned(request) ? this.#signed(id, request) : this.content(id, request, ADDRESS_QUERY);
  }

  /** The content of a file that the caller of a session may read, and what opens it. @throws KindError 403, 404 */
  async open(session: Session, id: string): Promise<() => Promise<Readable>> {
    const { kind, access } = requireContents(session, 'read');
    const row = await findContent(session, kind, id, access);
    if (!row) throw unknownUnit(kind, id);
    if (!maySeeOriginal(session, row)) throw ownersOriginal();
    return () => this.objects.open(row.object);
  }

  /** Makes an address. */
  url(id: string, request: HttpRequest): Command {
    return {
      authorize: (opened) => {
        requireSignable(opened);
        return {
          effect: 'read',
          body: 'small',
          run: async (session, bytes) => {
            refuseQuery(request.url);
            const body = await parseBody(bytes, request.headers['content-type'], session.project.schema);
            const { url, expires } = await this.sign(session, id, readDto(UrlBody, body).seconds);
            return jsonAnswer({ url, expires_at: instantAt(expires * 1000) });
          },
        };
      },
    };
  }

  /** The address, and when it ends, in seconds since 1970. @throws KindError 403, 404 */
  async sign(session: Session, id: string, seconds?: number): Promise<{ url: string; expires: number }> {
    const { kind, access } = requireSignable(session);
    const { project } = session;
    const { fileUrlSeconds = LIMITS.fileUrlSeconds } = project.settings;
    const row = await findContent(session, kind, id, access);
    if (!row) throw unknownUnit(kind, id);
    const expires = Math.ceil(Date.now() / 1000 + (seconds ?? fileUrlSeconds));
    const file = { project: project.id, epoch: Number(row.epoch), id: row.id, name: row.name, object: row.object };
    return { url: this.#urls.make(file, maySeeOriginal(session, row) ? 'o' : 's', expires), expires };
  }

  /** The signature is judged before anything is said of the file. */
  #signed(id: string, request: HttpRequest): Command {
    return reading(({ model }) => {
      const kind = model.kinds.get(FILE_KIND);
      if (!kind?.traits.contents) throw unknownFile(id);
      return {
        run: async (session) => {
          const query = readQuery(request.url, ADDRESS_QUERY);
          const asked = askedOf(request, ADDRESS_QUERY);
          const [expires = '', signature = ''] = ['expires', 'signature'].map((name) => query.get(name)?.join());
          const key = parseKey(kind, id);
          const { epoch, content } = await addressedContent(session, key === undefined ? undefined : scalarText(key));
          const opened = this.#urls.open(
            { project: session.project.id, epoch, id: key === undefined ? '' : scalarText(key) },
            { expires, signature },
          );
          checkActive(kind);
          const row = requireContent(opened, content);
          if (!asked.size && opened.opens === 's' && hasSizes(row.media_type)) throw ownersOriginal();
          const readBy = { signatureFor: Number(expires) - Date.now() / 1000 };
          return this.#answer(session, row, { readBy, request, asked });
        },
      };
    });
  }

  async #answer(
    { project }: Session,
    row: ContentRow,
    { readBy, request, asked }: { readonly readBy: ReadBy; readonly request: HttpRequest; readonly asked: Asked },
  ): Promise<Answer> {
    const { method, headers } = request;
    const { open, ...served } = asked.size ? await this.#sized(row, project, asked.size) : this.#whole(row);
    const { bytes } = served;
    const modified = new Date(Number(row.version) / 1000);
    const shown = { ...served, modified, ...(asked.byAccept && { varies: 'Accept' }) };
    const fields = contentHeaders(shown, readBy, asked.download);
    const etag = contentEtag(served);
    if (etagMatches(headers['if-none-match'], etag)) return new ContentAnswer(304, fields, undefined);
    const range = method === 'GET' ? requestedRange(headers, { bytes, etag, modified }) : undefined;
    const length = range ? range.last - range.first + 1 : bytes;
    const sent = {
      ...fields,
      'Content-Length': length,
      ...(range && { 'Content-Range': contentRange(range, bytes) }),
    };
    const body = method === 'HEAD' || length === 0 ? undefined : await open(range);
    return new ContentAnswer(range ? 206 : 200, sent, body);
  }

  #whole({ name, media_type: mediaType, bytes, sha256, object }: ContentRow): Served {
    const open = (range: ByteRange | undefined) => this.objects.open(object, range);
    return { name, mediaType, bytes: Number(bytes), sha256, open };
  }

  /** Its ETag is made of its key and not of the digest of the content, which not everybody may know. */
  async #sized(row: ContentRow, project: Project, size: SizeAsked): Promise<Served> {
    const picture = await this.pictures.find(row, project, size);
    const { key, bytes, mediaType } = picture;
    const end = key.slice(key.lastIndexOf('.') + 1);
    return {
      name: `${row.name.replace(/\.[^.]*$/, '')}.${end}`,
      mediaType,
      bytes,
      sha256: createHash('sha256').update(key).digest('hex'),
      size: size.name,
      open: (range) => this.pictures.open(picture, range),
    };
  }
}

/** @throws KindError 401, 403, 404 */
function requireSignable(opened: Opened) {
  const { caller } = opened;
  const found = requireContents(opened, 'read');
  if (caller.type === 'anonymous') throw accessDenied(caller, 'Strangers have no signed addresses');
  return found;
}

/** Whether the address of a request is a signed one. */
export function isSigned({ url }: HttpRequest): boolean {
  return url.includes('?') && urlQueryParameters(url).some(([name]) => name === 'expires' || name === 'signature');
}

/** The refusal of an address that names a project or a file that is not there. */
export function unknownFile(id: string): KindError {
  return noUnit(id, `of '${FILE_KIND}'`);
}

function ownersOriginal(): KindError {
  return refusal('file.original', 'Only its owner sees this picture as it was uploaded; name a size');
}

/** Where the project shows originals to owners only, others get sizes. What has no sizes is for all who may read it. */
function maySeeOriginal({ project, caller }: Session, { media_type: mediaType, owner }: ContentRow): boolean {
  if (project.settings.originals !== 'owner' || !hasSizes(mediaType) || isAdministrator(caller)) return true;
  return caller.type === 'member' && caller.id === owner;
}

/** The number that ends addresses, and the content of a file whoever may read it. */
async function addressedContent({ executor, project }: Session, id: string | undefined) {
  const [row] = await executor.run<AddressedContentRow>(addressedContentStatement(project.schema, id));
  if (!row) throw new Error('a project with files has a row of them');
  const { epoch, ...content } = row;
  return { epoch: Number(epoch), content: content.id === null ? undefined : content };
}

function askedOf({ url, headers }: HttpRequest, names: readonly QueryName[]): Asked {
  const query = readQuery(url, names);
  const [size, format] = [singleText(query, 'size'), singleText(query, 'format')];
  const download = singleText(query, 'download') ?? 'false';
  if (download !== 'true' && download !== 'false') {
    throw refusal('query.bad_value', 'download: wants true, false', { parameter: 'download' });
  }
  const asked = sizeAsked(size, format, headers.accept);
  return { download: download === 'true', size: asked, byAccept: asked !== undefined && (format ?? AUTO) === AUTO };
}
