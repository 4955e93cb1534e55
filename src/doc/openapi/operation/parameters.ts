/** Parameters of paths, and headers of requests. Pure. */
import { MEMBER_GROUP, PARAMETER_GROUP, type KindDef } from '../../../model/model.js';
import { PARAMETER_TYPES } from '../../../model/parameter-type/type-by-id.js';
import type { OpenApiParameter, Schema } from '../openapi.js';
import type { DocumentedRoute } from '../application.js';
import { GROUP_KIND, KIND_KIND, LINK_KIND } from '../../../model/built-in-traits.js';

const PATH_ID: Schema = { type: 'string', minLength: 1 };

/** The name of the parameter for a unit's id, which depends on built-in kinds. */
function unitName(kind: KindDef | undefined): string {
  if (!kind?.builtIn) return 'unit_id';
  if (kind.groups.includes(PARAMETER_GROUP)) return 'parameter_id';
  return UNIT_NAMES.get(kind.id) ?? 'unit_id';
}

const UNIT_NAMES: ReadonlyMap<string, string> = new Map([
  [KIND_KIND, 'kind_id'],
  [GROUP_KIND, 'group_id'],
  [LINK_KIND, 'link_id'],
]);

/** The path of a route, for a kind if given. */
export function documentedPath({ path, of }: DocumentedRoute, kind: KindDef | undefined): string {
  if (!kind || of === undefined) return path;
  return path
    .replace(/\{(?:kind_id|parent_kind_id|member_kind_id)\}/, () => kind.id)
    .replace('{unit_id}', `{${unitName(kind)}}`);
}

/** The component of a path parameter. Generated ids are UUIDs. */
export function pathComponent(name: string, kind: KindDef | undefined): string {
  return name === 'unit_id' && kind?.key === 'uuid' ? 'unit_uuid' : name;
}

/** The first parameter of a path, restricted to some kinds. */
export function kindParameter(path: string, kinds: readonly KindDef[]): OpenApiParameter {
  const [, name = ''] = /\{(\w+)\}/.exec(path) ?? [];
  const schema = { type: 'string', enum: kinds.map(({ id }) => id) };
  return { name, in: 'path', required: true, description: 'The id of a kind.', schema };
}

/** The kinds and link types that the caller may know, for the parameters of link paths. */
interface LinkPathChoices {
  readonly kinds: readonly string[];
  readonly linkTypes: readonly string[] | undefined;
}

/** @param choices undefined for the generic document */
export function pathParameters(choices: LinkPathChoices | undefined): Record<string, OpenApiParameter> {
  const of = (name: string, description: string, schema: Schema = PATH_ID): [string, OpenApiParameter] => [
    name,
    { name, in: 'path', required: true, description, schema },
  ];
  const oneOf = (values: readonly string[] = []): Schema =>
    values.length > 0 ? { type: 'string', enum: values } : PATH_ID;
  return Object.fromEntries([
    of('kind_id', 'The id of a kind.'),
    of('unit_id', 'The id of a unit.'),
    ['unit_uuid', { ...of('unit_id', 'The id of a unit.', { type: 'string', format: 'uuid' })[1] }],
    of('unique_parameter', 'The id of a unique parameter of the kind.'),
    of('value', 'Its value, as in a filter.'),
    of('group_id', `The id of a group, such as \`${MEMBER_GROUP}\`, that of the member kinds.`),
    of('parameter_id', 'The id of a parameter.'),
    of('parameter_type_id', 'The type of the parameter.', { type: 'string', enum: [...PARAMETER_TYPES.keys()] }),
    of('member_kind_id', 'The id of a member kind.'),
    of('parent_kind_id', 'The kind of the parent.'),
    of('parent_unit_id', 'The id of the parent.'),
    of('link_id', 'The id of a link type.', oneOf(choices?.linkTypes)),
    of('direction', 'To those above the unit, or below it.', { type: 'string', enum: ['parent', 'child'] }),
    of('child_kind_id', 'The kind of the child.', oneOf(choices?.kinds)),
    of('child_unit_id', 'The id of the child.'),
    of('member_id', 'The id of a member.', { type: 'string', format: 'uuid' }),
    of('session_id', 'The id of a session.', { type: 'string', format: 'uuid' }),
    of('webhook_id', 'The id of a webhook.'),
    of('key_id', 'The id of an API key.'),
    of('delivery_id', 'The id of a delivery.', { type: 'string', format: 'uuid' }),
    of('failure_id', 'The id of a failure.', { type: 'string', format: 'uuid' }),
    of('function_name', 'The name of a function.'),
    of('project_id', 'The id of the project.'),
    of('provider_id', 'The id of an identity provider.'),
    of('endpoint_name', 'The name of an endpoint.'),
    of('file_id', 'The id of a file.'),
    of('token', 'The token of the mail.'),
    of('upload_id', 'The id of a resumable upload.', { type: 'string', format: 'uuid' }),
    of('asset', 'The name of a file of the page.'),
  ]);
}

const headerOf = (name: string, description: string): OpenApiParameter => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
});

const sizeOf = (name: string, description: string): OpenApiParameter => ({
  ...headerOf(name, description),
  required: true,
  schema: { type: 'integer', minimum: 0 },
});

export const HEADER_PARAMETERS = {
  IdempotencyKey: {
    ...headerOf(
      'Idempotency-Key',
      'Of members: a name for this request. Sent again within 24 hours, it is not done again and answered as before, with `idempotency-replayed: true`.',
    ),
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
  },
  KindConsistency: {
    ...headerOf('Kind-Consistency', 'With `eventual` the answer may be some seconds old: it may come from a replica.'),
    schema: { type: 'string', enum: ['strong', 'eventual'] },
  },
  KindRefreshToken: {
    ...headerOf(
      'Kind-Refresh-Token',
      'With `cookie` the refresh token is answered, and read, as a cookie that scripts cannot read; it is null in the body.',
    ),
    schema: { type: 'string', const: 'cookie' },
  },
  TusResumable: {
    ...headerOf('Tus-Resumable', 'The version of tus, the protocol of resumable uploads.'),
    required: true,
    schema: { type: 'string', const: '1.0.0' },
  },
  UploadLength: sizeOf('Upload-Length', 'The bytes of the whole content.'),
  UploadOffset: sizeOf('Upload-Offset', 'Where the part begins: what the upload has until now.'),
  UploadMetadata: headerOf(
    'Upload-Metadata',
    'Separated by commas, a key and after a space its value in base64: `filename`, `filetype` (the media type), `values` (those of the unit, as a JSON object).',
  ),
  IfMatch: headerOf('If-Match', 'The ETag of the version that is to be changed; 412 where it is another by now.'),
  ContentDigest: headerOf(
    'Content-Digest',
    'The digest of the body by RFC 9530, such as `sha-256=:…:` in base64; 400 where another body arrived.',
  ),
  Range: headerOf('Range', 'One part of the content, such as `bytes=0-1023`: 206.'),
  IfRange: headerOf(
    'If-Range',
    'The ETag of the content that the part is of; all of it is answered where it is another.',
  ),
  IfNoneMatch: headerOf('If-None-Match', 'An ETag that is known; 304 where it still fits.'),
} as const;
