/** The parts of OpenAPI 3.1 that the document uses. Schemas are JSON Schema 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;

export type Ref = Readonly<Record<'$ref', string>>;

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Ref>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** Bodies with what they are for, by name. */
export type NamedExamples = Readonly<Record<string, { readonly summary: string; readonly value: Schema }>>;

interface BodyContent {
  readonly schema: Schema;
  readonly example?: Schema;
  readonly examples?: NamedExamples;
}

export interface RequestBody {
  readonly required: boolean;
  readonly content: Readonly<Record<string, BodyContent>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly []>>[];
  readonly parameters?: readonly (OpenApiParameter | Ref)[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Response | Ref>>;
}

export type OpenApiMethod = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete';
export type PathItem = Partial<Record<OpenApiMethod, OpenApiOperation>>;

interface Components {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly responses: Readonly<Record<string, Response>>;
  readonly parameters: Readonly<Record<string, OpenApiParameter>>;
  readonly headers: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
}

/** An operation with its path and method. */
export interface PlacedOperation {
  readonly path: string;
  readonly method: OpenApiMethod;
  readonly operation: OpenApiOperation;
}

/** `x-kinds`: the kinds whose operations have the tag. */
export interface OpenApiTag {
  readonly name: string;
  readonly description: string;
  readonly 'x-kinds'?: readonly string[];
}

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: object;
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly OpenApiTag[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Components;
}

export function schemaRef(name: string): Ref {
  return { $ref: `#/components/schemas/${name}` };
}

export function parameterRef(name: string): Ref {
  return { $ref: `#/components/parameters/${name}` };
}

export function responseRef(name: string): Ref {
  return { $ref: `#/components/responses/${name}` };
}

export function headerRef(name: string): Ref {
  return { $ref: `#/components/headers/${name}` };
}

/** Characters that linters interpret as HTML or a link even after a backslash. */
const MARKDOWN_ENTITIES: ReadonlyMap<string, string> = new Map([
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['&', '&amp;'],
  ['(', '&#40;'],
]);

/** Escapes a user's text for Markdown. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~&]|(?<=\])\(/g, (found) => MARKDOWN_ENTITIES.get(found) ?? `\\${found}`);
}

/** An object with these properties, all of them and no others. */
export function objectSchema(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
