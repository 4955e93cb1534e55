/** What stands around the paths of a document, made by @nestjs/swagger's builder. */
import { PROJECT_HEADER } from '../../http/headers.js';
import type { Components, OpenApiDocument } from './openapi.js';

export interface Particulars {
  /** Where the service is reached. */
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
}

type Frame = Pick<OpenApiDocument, 'openapi' | 'info' | 'servers'> & Pick<Components, 'securitySchemes'>;

export type Framing = (particulars: Particulars) => Frame;

/** The package is loaded when a document is first asked for: it takes a quarter of a second, which a start can do without. */
export async function loadFraming(): Promise<Framing> {
  const { DocumentBuilder } = await import('@nestjs/swagger');
  return ({ url, title, description, version }) => {
    const builder = new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle(title)
      .setDescription(description)
      .setVersion(version)
      .setLicense('MIT', 'https://opensource.org/license/mit')
      .addServer(url)
      .addApiKey({ type: 'apiKey', in: 'header', name: PROJECT_HEADER, description: 'The project.' }, 'project')
      .addBearerAuth({ type: 'http', bearerFormat: 'JWT', description: 'The `access_token` of a sign-in.' }, 'bearer');
    const { openapi, info, components } = builder.build();
    const securitySchemes = components?.securitySchemes ?? {};
    return { openapi, info, servers: [{ url }], securitySchemes };
  };
}
