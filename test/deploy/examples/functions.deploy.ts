/** The examples in functions/, on data of the demo, through the helper that authors test theirs with. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../../src/cli/run.js';
import { openTestProject, type FunctionProject } from '../../../src/testing.js';
import { DEMO_MODEL } from '../../support/shown-kinds.js';

interface Row {
  readonly code?: string;
  readonly country?: string;
  readonly population?: number;
}
interface DemoData {
  countryRows(): Row[];
  cityRows(): Row[];
}

const root = join(import.meta.dirname, '../../..');
const demo = (await import(join(root, 'scripts/demo/data.mjs'))) as DemoData;
const HERE = new Set(['PT', 'ES', 'AD', 'FJ']);
let project: FunctionProject;

beforeAll(async () => {
  project = await openTestProject({ project: 'atlas', functions: join(root, 'functions') });
  await project.post('/model/apply', DEMO_MODEL);
  await project.post(
    '/country/unit',
    demo.countryRows().filter(({ code = '' }) => HERE.has(code)),
  );
  const cities = demo.cityRows().filter(({ country = '', population = 0 }) => HERE.has(country) && population > 5000);
  for (let at = 0; at < cities.length; at += 1000) await project.post('/city/unit', cities.slice(at, at + 1000));
}, 60_000);
afterAll(() => project.stop());

describe('the cities nearest to a point', () => {
  const near = async (query: string) =>
    ((await project.get(`/city/function/nearest?${query}`)) as { name: string; distance: number }[]).map(
      ({ name, distance }) => [name, distance] as const,
    );

  it('come with their distances, nearest first', async () => {
    const [first, ...others] = await near('latitude=38.7167&longitude=-9.1333&population=100000&limit=3');
    expect(first).toEqual(['Lisbon', expect.closeTo(0, 0)]);
    expect(others).toHaveLength(2);
    const distances = others.map(([, distance]) => distance);
    expect(distances).toEqual([...distances].sort((a, b) => a - b));
  });

  it('are found far from any, and over the date line', async () => {
    expect(await near('latitude=-17&longitude=-179.5&limit=1')).toEqual([['Labasa', expect.any(Number)]]);
    expect((await near('latitude=90&longitude=0&limit=2')).length).toBe(2);
  });

  it('need a point on the earth', async () => {
    const { status, messages } = await project.call('GET', '/city/function/nearest?latitude=91');
    expect([status, messages.map(({ code, parameter }) => [code, parameter])]).toEqual([
      400,
      [
        ['parameter.too_large', 'latitude'],
        ['parameter.required', 'longitude'],
      ],
    ]);
  });
});

describe('the statistics of a country', () => {
  it('are computed from its links', async () => {
    const { items } = (await project.get(
      '/city/unit?filter=and(eq(country,PT),gte(population,100000))&order=population;desc',
    )) as { items: { id: string; name: string; population: number }[] };
    await project.post('/country/unit/PT/link/borders/country/unit/ES');
    for (const { id } of items) await project.post(`/country/unit/PT/link/has_city/city/unit/${id}`);
    expect(await project.get('/country/unit/PT/function/statistics?largest=2')).toEqual({
      country: 'Portugal',
      neighbours: ['Spain'],
      cities: items.length,
      inhabitants: items.reduce((sum, { population }) => sum + population, 0),
      largest: items.slice(0, 2).map(({ name, population }) => ({ name, population })),
    });
  });
});

describe('the name of an article', () => {
  const slugsOf = (units: unknown) => (units as { slug: string }[]).map(({ slug }) => slug);
  const create = (body: object) => project.post('/article/unit', body);

  beforeAll(async () => {
    const slug = { id: 'slug', kind_id: 'string', is_primary: true };
    await project.post('/kind/unit', {
      id: 'article',
      parameters: [slug, { id: 'title', kind_id: 'string', required: true }],
    });
  });

  it('is made from its title and is its key', async () => {
    const made = (await create({ title: 'Crème brûlée, twice!' })) as { id: string; slug: string };
    expect(made.slug).toMatch(/^creme-brulee-twice-[0-9a-f]{12}$/);
    expect(await project.get(`/article/unit/${made.slug}`)).toEqual(made);
    expect(slugsOf([await create({ title: '!!!' })])).toEqual([expect.stringMatching(/^article-[0-9a-f]{12}$/)]);
    expect(slugsOf([await create({ title: 'Mine', slug: 'my-own' })])).toEqual(['my-own']);
  });

  it('is unique, also for concurrent creates', async () => {
    const title = 'The same';
    const [list, ...single] = await Promise.all([
      project.post(
        '/article/unit',
        Array.from({ length: 20 }, () => ({ title })),
      ),
      ...Array.from({ length: 6 }, () => create({ title })),
    ]);
    const slugs = slugsOf([...(list as { items: unknown[] }).items, ...single]);
    expect([slugs.length, new Set(slugs).size]).toEqual([26, 26]);
  });

  it('is not made without a title', async () => {
    const { status, messages } = await project.call('POST', '/article/unit', {});
    expect([status, messages]).toMatchObject([400, [{ code: 'parameter.required', parameter: 'title' }]]);
  });
});

describe('the holidays', () => {
  const service = createServer((request, response) => {
    const known = request.url === '/PublicHolidays/2026/PT';
    const days = [
      { date: '2026-12-25', localName: 'Natal', name: 'Christmas Day', countryCode: 'PT' },
      { date: '2026-01-01', localName: 'Ano Novo', name: "New Year's Day", countryCode: 'PT' },
    ];
    response
      .writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(known ? days : {}));
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    vi.stubEnv('HOLIDAYS_URL', `http://127.0.0.1:${(service.address() as AddressInfo).port}`);
    await project.post('/kind/unit', {
      ...{ id: 'holiday', remote: true },
      parameters: [
        { id: 'country', kind_id: 'unit', reference_kind: 'country', own: true },
        { id: 'name', kind_id: 'string', own: true },
        { id: 'year', kind_id: 'integer' },
        { id: 'date', kind_id: 'date' },
      ],
    });
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    service.closeAllConnections();
    service.close();
  });

  it('come from their service, in order', async () => {
    const { count, items } = (await project.get(
      '/holiday/unit?filter=and(eq(country,PT),eq(year,2026))&order=date;asc&include=id,country,name',
    )) as { count: number; items: { id: string }[] };
    expect([count, items]).toEqual([
      2,
      [
        { id: 'PT-2026-01-01-1', country: 'PT', name: "New Year's Day" },
        { id: 'PT-2026-12-25-0', country: 'PT', name: 'Christmas Day' },
      ],
    ]);
    expect(await project.get('/holiday/unit/PT-2026-12-25-0')).toMatchObject({ date: '2026-12-25', year: 2026 });
    expect(await project.get('/holiday/unit?filter=and(eq(country,FJ),eq(year,2026))')).toEqual({
      count: 0,
      items: [],
    });
  });

  it('are filtered by country, and are read-only', async () => {
    const answer = async (method: string, path: string) => {
      const { status, messages } = await project.call(method, path, method === 'GET' ? undefined : {});
      return [status, messages[0]?.code];
    };
    expect(await answer('GET', '/holiday/unit')).toEqual([400, 'holiday.filter']);
    for (const filter of ['gt(year,2020)', 'eq(country,"")', 'eq(country,pt)', 'and(eq(country,PT),eq(country,ES))']) {
      expect(await answer('GET', `/holiday/unit?filter=${filter}`)).toEqual([400, 'holiday.filter']);
    }
    const ordered = '/holiday/unit?filter=eq(country,PT)&order=name;asc&order=date;asc';
    expect(await answer('GET', ordered)).toEqual([400, 'holiday.order']);
    expect(await answer('GET', '/holiday/unit/none')).toEqual([404, 'unit.unknown']);
    expect(await answer('POST', '/holiday/unit')).toEqual([404, 'kind.not_allowed_here']);
  });
});

describe('their types', () => {
  it('fit the kinds', { timeout: 60_000 }, async () => {
    let told = '';
    const tell = (text: string) => void (told += text);
    const code = await runCommandLine(['functions', 'check'], { out: tell, err: tell }, () => project.config);
    expect([code, told]).toEqual([0, expect.stringContaining('atlas/city.ts')]);
  });
});
