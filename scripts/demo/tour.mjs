// Example queries on the data: each request and its answer.

const QUERIES = [
  {
    title: 'The largest cities: order, limit, include',
    path: '/city/unit?order=population;desc&limit=5&include=[name,country,population]',
  },
  {
    title: 'Italian cities with more than half a million people: and, eq, gt',
    path: '/city/unit?filter=and(eq(country,IT),gt(population,500000))&order=population;desc&include=[name,population]',
  },
  {
    title: 'The number of cities whose name begins with San or Santa: or, startswith, and only a count',
    path: '/city/unit?filter=or(startswith(name,"San "),startswith(name,"Santa "))&limit=0',
  },
  {
    title: 'A part of a name, ignoring case: icontains',
    path: '/city/unit?filter=icontains(name,LLANFAIR)&include=[name,country]&limit=3',
  },
  {
    title: 'Capitals in the far north: boolean and number',
    path: '/city/unit?filter=and(eq(is_capital,true),gt(latitude,59))&order=latitude;desc&include=[name,latitude]',
  },
  {
    title: 'Capitals in Europe by the size of their country: paths over a reference',
    path: '/city/unit?filter=and(eq(is_capital,true),eq(country.region,Europe))&order=country.area;desc&include=[name,country.name,country.area]&limit=4',
  },
  {
    title: 'Landlocked countries where French is spoken: an element of a list',
    path: '/country/unit?filter=and(contains(languages,French),eq(landlocked,true))&order=name;asc&include=[name,languages]',
  },
  {
    title: 'Countries that use the US dollar: a key inside JSON',
    path: '/country/unit?filter=not(isnull(currencies.USD))&order=area;desc&include=[name,area]&limit=4',
  },
  {
    title: 'One country by its natural key',
    path: '/country/unit/IT',
    show: ({ name, capital, area }) => [{ name, capital, area }],
  },
  {
    title: 'All linked cities of a country: one step along links, ordered',
    path: '/country/unit/IT/link/child?link_id=has_city&order=population;desc&include=[name,population]',
    show: ({ items }) => items.map(({ name, population }) => ({ name, population })),
  },
  {
    title: 'Neighbours of Switzerland, their neighbours, and theirs: each country once, nearest first',
    path: '/country/unit/CH/link/child?link_id=borders&depth=2&include=name',
    show: ({ items }) => [0, 1, 2].map((steps) => ({ depth: steps, names: namesAt(items, steps) })),
  },
  {
    title: 'The number of countries within eleven borders of Portugal',
    path: '/country/unit/PT/link/child?link_id=borders&depth=10&limit=0',
  },
  {
    title: 'A list with the linked units of each unit: load_links',
    path: '/country/unit?filter=in(code,[AD,LI])&include=name&load_links=true',
    show: ({ items }) =>
      items.map(({ name, links }) => ({
        name,
        ...Object.fromEntries(Object.entries(links).map(([way, units]) => [way, units.map((unit) => unit.name)])),
      })),
  },
];

const REFUSALS = [
  { title: 'A filter with a typo', path: '/city/unit?filter=and(eq(country,IT),gt(poplation,500000))' },
  {
    title: 'A bulk create with two bad units out of three: all faults are reported, nothing is stored',
    path: '/city/unit',
    body: [
      { name: 'Atlantis', country: 'GR', population: 0 },
      { nam: 'Utopia', country: 'GB', population: -1 },
      { name: 'Lilliput', country: 'GB', population: 'many' },
    ],
  },
];

const PAGES = 3;

function namesAt(items, steps) {
  return items.filter(({ link }) => link.depth === steps).map(({ name }) => name);
}

export async function tour(client, say) {
  say('\n  A short tour\n');
  for (const { title, path, show } of QUERIES) await ask(client, say, { title, path, show });
  await pages(client, say);
  for (const refusal of REFUSALS) await refused(client, say, refusal);
}

async function ask(client, say, { title, path, show = ({ items }) => items }) {
  const { content, ms } = await timed(() => client.get(encodeURI(path)));
  heading(say, title, `GET ${path}`);
  for (const item of show(content)) say(`      ${JSON.stringify(item)}`);
  say(`      ${content.count === undefined ? '' : `count ${content.count.toLocaleString('en')}, `}${ms} ms\n`);
}

/** Pages by cursor: each page costs the same. */
async function pages(client, say) {
  const path = '/city/unit?filter=eq(country,FR)&order=population;desc&include=name&limit=3&count=none&cursor=';
  heading(say, 'Page by page with a cursor', `GET ${path}…`);
  let cursor = '';
  for (let page = 1; page <= PAGES && cursor !== null; page += 1) {
    const { content, ms } = await timed(() => client.get(encodeURI(path) + encodeURIComponent(cursor)));
    say(`      page ${page}: ${content.items.map(({ name }) => name).join(', ')} (${ms} ms)`);
    cursor = content.next;
  }
  say();
}

async function refused(client, say, { title, path, body }) {
  heading(say, title, `${body ? 'POST' : 'GET'} ${path}`);
  const answer = await client.call(body ? 'POST' : 'GET', encodeURI(path), body).catch((error) => error);
  if (answer.messages === undefined) throw answer;
  say(`      ${answer.status}`);
  for (const message of answer.messages) say(`      ${JSON.stringify(message)}`);
  say();
}

function heading(say, title, request) {
  say(`    ${title}`);
  say(`    ${request}`);
}

async function timed(work) {
  const began = performance.now();
  const content = await work();
  return { content, ms: (performance.now() - began).toFixed(1) };
}
