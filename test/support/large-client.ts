/** The client of a project of 200 kinds with ten parameters, and a program that uses it. */
import { clientTypes } from '../../src/doc/client/client-types.js';
import { ApplicationRoutes } from '../../src/doc/openapi/application.js';
import { ADMIN_KIND } from '../../src/model/built-in-traits.js';
import { memberCaller } from '../../src/tenancy/caller.js';
import { kind, modelWith, parameter } from './models.js';
import { sharedService } from './service.js';

const KINDS = 200;

const own = (id: number) => [
  parameter(`title_${id}`, 'string', { nullable: false, required: true }),
  parameter(`state_${id}`, 'string', { values: ['draft', 'open', 'closed'] }),
  parameter(`views_${id}`, 'integer'),
  parameter(`price_${id}`, 'decimal'),
  parameter(`open_${id}`, 'boolean'),
  parameter(`since_${id}`, 'date'),
  parameter(`tags_${id}`, 'string', { multiple: true }),
  parameter(`data_${id}`, 'json'),
  parameter(`next_${id}`, 'unit', { reference_kind: `kind_of_many_${(id + 1) % KINDS}` }),
  parameter(`other_${id}`, 'unit', { reference_kind: `kind_of_many_${(id + 7) % KINDS}` }),
];

export const PROGRAM = `
import { createClient } from './index.js';
const kind = createClient({ url: 'https://kind.example.org', project: 'large' });
export async function use(): Promise<void> {
  const { items } = await kind.kind_of_many_0.list({
    filter: (f) => f.and(f.eq('state_0', 'open'), f.gt('next_0.views_1', 3), f.exists('kind_of_many_199.next_199', (c) => c.eq('open_199', true))),
    include: ['title_0', { next_0: ['title_1', { next_1: ['title_2'] }] }],
    order: ['-views_0', 'next_0.title_1'],
  });
  console.log(items[0]?.next_0?.next_1?.title_2);
  await kind.kind_of_many_1.get('1');
  await kind.kind_of_many_2.create({ title_2: 'x', next_2: { title_3: 'y' } });
  await kind.kind_of_many_3.update('1', { views_3: { $inc: 1 } });
  await kind.kind_of_many_4.list();
  await kind.kind_of_many_5.removeAll((f) => f.isnull('other_5.other_12.title_19'));
  await kind.kind_of_many_6.list({ exclude: ['data_6'] });
  await kind.batch((b) => [b.kind_of_many_7.create({ title_7: 'x' })]);
}
`;

/** Its `types.ts`. */
export async function largeTypes(): Promise<string> {
  const ids = Array.from({ length: KINDS }, (_, id) => id);
  const model = modelWith({
    kinds: ids.map((id) =>
      kind(
        `kind_of_many_${id}`,
        own(id).map((each) => each.id),
      ),
    ),
    parameters: ids.flatMap(own),
  });
  const { service } = await sharedService();
  return clientTypes(
    {
      application: service.app.get(ApplicationRoutes).described,
      model,
      caller: memberCaller('', ADMIN_KIND),
      generic: false,
      project: 'large',
      functions: () => [],
      fills: () => new Set(),
      lacks: () => false,
    },
    'administrator',
  );
}
