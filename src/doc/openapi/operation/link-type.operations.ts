/** The operations on links of one type that has parameters: those on links of any type, with the values of this one. Pure. */
import type { LinkForm } from '../names.js';
import { parameterRef, schemaRef, type PlacedOperation, type Ref, type Response, type Schema } from '../openapi.js';
import type { DocumentedRoute } from '../route.js';
import { envelopeSchema, pageSchema } from '../schema/shared.schemas.js';
import type { DocumentView } from '../view.js';
import { sharedOperation } from './operation.js';

/** The end of the operation's id, and the schema of its body. No end ends in another. */
const OPERATIONS: ReadonlyMap<DocumentedRoute['form'], { readonly id: string; readonly body: LinkForm }> = new Map([
  ['newLink', { id: 'link', body: 'link_body' }],
  ['link', { id: 'link_update', body: 'link_changes' }],
  ['links', { id: 'link_many', body: 'links_body' }],
]);

const LINK_ID = parameterRef('link_id').$ref;

export function linkTypeOperations(route: DocumentedRoute, view: DocumentView): PlacedOperation[] {
  const special = OPERATIONS.get(route.form);
  if (!special || view.linkTypes.length === 0) return [];
  return sharedOperation(route, view).flatMap(({ path, method, operation }) =>
    view.linkTypes.map((type): PlacedOperation => {
      const name = (form: LinkForm) => schemaRef(view.names.linkSchema(type.id, form));
      const { requestBody, responses, parameters = [], summary } = operation;
      const record = name('link');
      const body = { 'application/json': { schema: name(special.body) } };
      return {
        path: path.replace('{link_id}', type.id),
        method,
        operation: {
          ...operation,
          operationId: view.names.linkOperation(type.id, special.id),
          summary: `${summary}, by '${type.id}'`,
          parameters: parameters.filter((each) => !('$ref' in each && each.$ref === LINK_ID)),
          requestBody: { required: requestBody?.required ?? true, content: body },
          responses: {
            ...responses,
            '200': withContent(responses['200'], route.content === 'links' ? pageSchema(record) : record),
          },
        },
      };
    }),
  );
}

function withContent(response: Response | Ref | undefined, content: Schema): Response {
  if (!response || '$ref' in response) throw new Error('an operation on links has no response of its own');
  return { ...response, content: { 'application/json': { schema: envelopeSchema(content) } } };
}
