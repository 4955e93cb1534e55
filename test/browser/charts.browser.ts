/** Charts, used as a person would. */
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startChromium } from '../support/chromium.js';
import { ConsolePage, EVIL } from '../support/console.js';
import { createdId, ok } from '../support/definitions.js';
import { startTestService } from '../support/service.js';

vi.setConfig({ testTimeout: 60_000 });

const service = await startTestService();
const project = await service.project();
await ok(
  project.post('/kind/unit', {
    id: 'customer',
    label: 'Customer',
    parameters: [{ id: 'name', kind_id: 'string', required: true }],
  }),
);
await ok(
  project.post('/kind/unit', {
    id: 'sale',
    label: 'Sale',
    parameters: [
      { id: 'total', label: 'Total', kind_id: 'decimal' },
      { id: 'state', label: EVIL, kind_id: 'string' },
      { id: 'sold_at', label: 'Sold at', kind_id: 'datetime' },
      { id: 'customer', label: 'Customer', kind_id: 'unit', reference_kind: 'customer' },
      { id: 'latitude', label: 'Latitude', kind_id: 'float' },
      { id: 'longitude', label: 'Longitude', kind_id: 'float' },
      { id: 'number', label: 'Number', kind_id: 'integer' },
    ],
  }),
);
const rome = await createdId(project.post('/customer/unit', { name: 'Bar Roma' }));
const sales = Array.from({ length: 90 }, (_, at) => ({
  total: '10.50',
  state: at % 3 === 0 ? EVIL : 'paid',
  // Noon, which is the same month in every time zone.
  sold_at: `2024-0${(at % 3) + 1}-15T12:00:00Z`,
  ...(at % 2 === 0 && { customer: rome }),
  ...(at % 10 === 0 ? { latitude: 41.9, longitude: 12.5 } : { latitude: 48.8, longitude: 2.3 }),
  number: at,
}));
await ok(project.post('/sale/unit', sales));
// Each has a name of its own, and one of few colors.
await ok(
  project.post('/kind/unit', {
    id: 'few',
    label: 'Few',
    parameters: [
      { id: 'title', label: 'Title', kind_id: 'string' },
      { id: 'color', label: 'Color', kind_id: 'string' },
    ],
  }),
);
const things = Array.from({ length: 45 }, (_, at) => ({
  title: `Thing ${at}`,
  ...(at < 5 && { color: ['red', 'green', 'blue'][at % 3] }),
}));
await ok(project.post('/few/unit', things));
// More places than a map shows, a degree from each other.
await ok(project.post('/kind/unit', { id: 'spot', parameters: ['latitude', 'longitude'] }));
const spots = Array.from({ length: 1200 }, (_, at) => ({
  latitude: Math.floor(at / 40) + 0.5,
  longitude: (at % 40) + 0.5,
}));
await ok(project.post('/spot/unit', spots.slice(600)));
await ok(project.post('/spot/unit', spots.slice(0, 600)));
const browser = await startChromium();

const opened = await ConsolePage.signedIn(browser, project);
const { page, complaints } = opened;
beforeEach(() => void complaints.splice(0));

const chart = (query = '') => page.goto(opened.url(`#/charts/sale${query}`));
const choose = (label: string, option: string) => page.getByLabel(label, { exact: true }).selectOption(option);
const rows = () => page.getByRole('row').allInnerTexts();
const cells = async () => (await rows()).map((row) => row.split('\t').map((cell) => cell.trim()));

interface Select {
  value: string;
  dispatchEvent(event: Event): void;
}

describe('a chart', () => {
  it('of a kind is made by choosing, and is in the address', async () => {
    // The filter is kept, there and back.
    await page.goto(opened.url('#/data/sale?filter=lt(number,3)'));
    await page.getByRole('link', { name: 'Chart', exact: true }).click();
    await page.getByRole('heading', { name: 'Charts: Sale' }).waitFor();
    expect(await page.getByLabel('Filter').inputValue()).toBe('lt(number,3)');
    await page.getByRole('link', { name: 'Units', exact: true }).click();
    await page.getByText('3 units').waitFor();
    await page.goto(opened.url('#/data/sale'));
    await page.getByRole('link', { name: 'Chart', exact: true }).click();
    await page.getByRole('heading', { name: 'Charts: Sale' }).waitFor();
    await choose('Show', 'Sum');
    await choose('For each', 'Sold at');
    await choose('In steps of', 'a month');
    await choose('As', 'Lines');
    await page.getByRole('img', { name: 'Sum of Total by Sold at' }).waitFor();
    await page.getByText('Table', { exact: true }).last().click();
    expect(await cells()).toEqual([
      ['Sold at', 'Sum of Total'],
      ['Jan 2024', '315'],
      ['Feb 2024', '315'],
      ['Mar 2024', '315'],
    ]);
    await opened.screenshot('chart-lines');
    expect(await opened.accessibilityFaults()).toEqual([]);
    await page.reload();
    await page.getByRole('img', { name: 'Sum of Total by Sold at' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('keeps choices that follow one another at once', async () => {
    await chart('?by=&as=bars');
    await page.getByRole('img', { name: 'Number of units by All units together' }).waitFor();
    // In one task of the browser, so that the address cannot follow in between.
    await page.locator('select').evaluateAll((selects: unknown[]) => {
      for (const select of selects as (Select & Iterable<{ value: string }>)[]) {
        const value = ['sum', 'sold_at'].find((wanted) => [...select].some((option) => option.value === wanted));
        if (value === undefined) continue;
        select.value = value;
        select.dispatchEvent(new Event('change', { bubbles: true }));
      }
    });
    await page.getByRole('img', { name: 'Sum of Total by Sold at' }).waitFor();
  });

  it('begins with the first date by month, or else with few values, and all together is a choice too', async () => {
    await chart();
    await page.getByRole('img', { name: 'Number of units by Sold at' }).waitFor();
    expect(page.url()).toContain('by=sold_at&step=month');
    // Steps of a count are whole.
    const values = page.locator('[class*=recharts-yAxis] .recharts-cartesian-axis-tick-value');
    await values.first().waitFor();
    const ticks = await values.allTextContents();
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.filter((tick) => !/^[\d,]+$/.test(tick))).toEqual([]);
    await choose('For each', 'All units together');
    await page.getByRole('img', { name: 'Number of units by All units together' }).waitFor();
    await page.reload();
    await page.getByRole('img', { name: 'Number of units by All units together' }).waitFor();
    await page.goto(opened.url('#/charts/few'));
    await page.getByRole('img', { name: 'Number of units by Color' }).waitFor();
    expect(page.url()).toContain('by=color');
    await page.locator('.recharts-bar-rectangle').nth(2).waitFor();
    const few = await values.allTextContents();
    expect(few.filter((tick) => !/^\d+$/.test(tick))).toEqual([]);
    await page.goBack();
    await page.getByRole('heading', { name: 'Charts: Sale' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('is split by a second field, with labels of references and of tenants as texts', async () => {
    await chart('?by=customer&split=state&as=table');
    await page.getByRole('rowheader', { name: 'Bar Roma' }).waitFor();
    expect((await cells()).map((row) => row.length)).toEqual([3, 3, 3]);
    expect((await cells())[0]).toEqual(['Customer', 'paid', EVIL]);
    expect((await cells()).slice(1).sort()).toEqual([
      ['Bar Roma', '30', '15'],
      ['none', '30', '15'],
    ]);
    await choose('As', 'Bars');
    await page.getByRole('img', { name: 'Number of units by Customer' }).waitFor();
    await page.locator('.recharts-bar-rectangle').nth(3).waitFor();
    // In the order of the bars.
    expect(await page.locator('.recharts-legend-item-text').allTextContents()).toEqual(['paid', EVIL]);
    await opened.screenshot('chart-bars');
    expect(await opened.accessibilityFaults()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('of many places has cells as large as needed, unless their size is chosen', async () => {
    await page.goto(opened.url('#/charts/spot?as=map&by='));
    const map = page.getByRole('img', { name: 'Number of units on a map' });
    await map.waitFor();
    expect(await map.locator('circle').count()).toBe(300);
    const cells = page.getByLabel('Places within', { exact: true });
    expect(await cells.inputValue()).toBe('2');
    await cells.selectOption('1');
    await page.getByText(/1,000 .*1,200/).waitFor();
  });

  it('shows places on a map', async () => {
    await chart();
    await choose('As', 'Map');
    const map = page.getByRole('img', { name: 'Number of units on a map' });
    await map.waitFor();
    expect(await map.locator('circle title').allTextContents()).toEqual(['48.5, 2.5: 81', '41.5, 12.5: 9']);
    expect(await map.locator('path').count()).toBeGreaterThan(150);
    await opened.screenshot('chart-map');
    expect(await opened.accessibilityFaults()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('says how much it leaves out', async () => {
    await chart('?by=number&as=bars');
    await page.getByText('The 40 largest of 90 groups').waitFor();
  });

  it('takes a filter, and says what is wrong with it', async () => {
    await chart('?as=table');
    await page.getByLabel('Filter').fill('lt(number,10)');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('cell', { name: '10', exact: true }).waitFor();
    await page.getByLabel('Filter').fill('lt(nothing,10)');
    await page.getByRole('button', { name: 'Apply' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('nothing');
    await page.getByLabel('Filter').fill('gt(number,1000)');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('cell', { name: '0', exact: true }).waitFor();
  });

  it('groups by the time at which units were made', async () => {
    await chart('?by=inserted_at&step=year&as=table');
    await page.getByRole('cell', { name: '90', exact: true }).waitFor();
  });

  it('ignores what is wrong in the address', async () => {
    await chart('?measure=drop&of=x&by=nothing&step=eon&split=nothing&as=pie&cell=0');
    await page.getByRole('img', { name: 'Number of units by All units together' }).waitFor();
    complaints.splice(0);
  });

  it('fits a narrow screen, dark', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 320, height: 640 });
    await chart('?by=sold_at&as=bars');
    await page.getByRole('img', { name: 'Number of units by Sold at' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    expect(await opened.accessibilityFaults()).toEqual([]);
  });
});

describe('odd values', () => {
  const odd = [
    { place: [90, 0], big: 1e300, tiny: 0.0004, at: '1901-01-15T12:00:00Z' },
    { place: [-90, 180], big: -1e300, tiny: 0.0008, at: '1969-07-20T20:00:00Z' },
    { place: [0, -180], big: 1, tiny: null, at: '2026-01-15T12:00:00Z' },
    { place: [95, 0], big: null, tiny: null, at: null },
    { place: [10, 200], big: null, tiny: null, at: null },
    { place: [null, 5], big: null, tiny: null, at: null },
  ];
  beforeAll(async () => {
    const float = ['big', 'tiny', 'lat', 'lng'].map((id) => ({ id, kind_id: 'float' }));
    await ok(
      project.post('/kind/unit', {
        id: 'odd',
        label: 'Odd',
        parameters: [...float, { id: 'word', kind_id: 'string' }, { id: 'at', kind_id: 'datetime' }],
      }),
    );
    const units = odd.map(({ place: [lat, lng], ...values }, index) => ({ ...values, lat, lng, word: `w${index}` }));
    await ok(project.post('/odd/unit', units));
    await ok(project.post('/kind/unit', { id: 'plain', label: 'Plain', parameters: ['word'] }));
  });
  const show = (query: string) => page.goto(opened.url(`#/charts/${query}`));

  it('are on the map as far as the Earth goes, and the others are counted', async () => {
    await show('odd?as=map&cell=10');
    const map = page.getByRole('img', { name: 'Number of units on a map' });
    await expect.poll(() => map.locator('circle').count()).toBe(3);
    await page.getByText('3 units have no place on the Earth').waitFor();
    const inside = await map
      .locator('circle')
      .evaluateAll((circles: { cx: { baseVal: { value: number } } }[]) =>
        circles.every(({ cx: { baseVal } }) => baseVal.value >= 0 && baseVal.value <= 960),
      );
    expect(inside).toBe(true);
    await page.locator('summary').click();
    await page.getByRole('row', { name: '90 5 1' }).waitFor();
    expect(await opened.accessibilityFaults()).toEqual([]);
    await show('odd?as=map&filter=eq(word,w3)');
    await page.getByText('1 unit has no place on the Earth').waitFor();
  });

  it('have short names at an axis, and all their digits in a table', async () => {
    await show('odd?measure=sum&of=big&by=word');
    await page.locator('.chart-plot text', { hasText: '1E300' }).first().waitFor();
    await show('odd?measure=sum&of=big&by=word&as=table');
    await page.getByRole('row', { name: 'w0 1e+300' }).waitFor();
    await show('odd?measure=sum&of=tiny&by=word&as=table');
    await page.getByRole('row', { name: 'w0 0.0004' }).waitFor();
  });

  it('are as far from each other as their times are; those without one are in the table', async () => {
    await show('odd?by=at&step=year&as=lines');
    await page.getByText('Units without a time are in the table alone.').waitFor();
    const places = await page
      .locator('.recharts-line-dot')
      .evaluateAll((dots: { getAttribute(name: string): string }[]) =>
        dots.map((dot) => Number(dot.getAttribute('cx'))),
      );
    const [first = 0, second = 0, third = 0] = places;
    expect(places.length).toBe(3);
    expect((second - first) / (third - second)).toBeCloseTo(68 / 57, 1);
    await page.locator('summary').click();
    await page.getByRole('row', { name: 'none 3' }).waitFor();
  });

  it('are none in a kind without numbers and units', async () => {
    await show('plain?by=');
    await page.getByRole('img', { name: 'Number of units by All units together' }).waitFor();
    expect(await page.getByLabel('Show', { exact: true }).locator('option').allTextContents()).toEqual([
      'Number of units',
      'Number of different values',
    ]);
    await show('plain?by=word');
    await page.getByText('No unit matches.').waitFor();
    expect(complaints).toEqual([]);
  });
});
