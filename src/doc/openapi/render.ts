/** The bytes of a document, made part by part: a large one holds nobody up. */
import { Breather } from '../../shared/breather.js';
import type { OpenApiDocument } from './openapi.js';

export async function renderDocument({ paths, components, ...head }: OpenApiDocument): Promise<Buffer> {
  const { schemas, ...others } = components;
  const breather = new Breather();
  const parts: string[] = [];
  const render = async (values: object): Promise<string> => {
    const texts: string[] = [];
    for (const [name, value] of Object.entries(values)) {
      texts.push(`${JSON.stringify(name)}:${JSON.stringify(value)}`);
      if (breather.due) await breather.pause();
    }
    return texts.join(',');
  };
  parts.push(`{${await render(head)},"paths":{${await render(paths)}}`);
  parts.push(`,"components":{"schemas":{${await render(schemas)}},${await render(others)}}}`);
  return Buffer.from(parts.join(''));
}
