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
    title: 'Regions by their inhabitants: groups over a reference, with a count and a sum',
    path: '/city/aggregate?group=region:country.region&select=[cities:count(),people:sum(population)]&order=-people',
  },
  {
    title: 'Countries with the most cities of a million: a count with a filter, and groups that are filtered',
    path: '/city/aggregate?group=name:country.name&select=millions:count(gt(population,1000000))&having=gt(millions,9)&order=-millions&limit=5',
  },
  {
    title: 'Languages by the number of countries: the elements of a list',
    path: '/country/aggregate?group=language:each(languages)&select=countries:count()&order=-countries&limit=5',
  },
  {
    title: 'Cities by size: buckets of five million',
    path: '/city/aggregate?group=from:bucket(population,5000000)&select=cities:count()',
  },
  {
    title: 'Large countries without a city of half a million: exists, and not',
    path: '/country/unit?filter=not(exists(city.country,gt(population,500000)))&order=-area&include=[name,area]&limit=4',
  },
  {
    title: 'The largest cities of each country: related units inside',
    path: '/country/unit?filter=in(code,[IT,FR])&include=[name,largest:related(city.country,order=-population,limit=2)]',
    show: ({ items }) => items.map(({ name, largest }) => ({ name, largest: largest.map((city) => city.name) })),
  },
  {
    title: 'Countries by their large cities: a number of related units, shown and ordered by',
    path: '/country/unit?order=-count_related(city.country,gt(population,3000000))&include=[name,large:count_related(city.country,gt(population,3000000))]&limit=4',
  },
  {
    title: 'Countries with a neighbour of more than five million square kilometres: linked',
    path: '/country/unit?filter=linked(borders,child,country,gt(area,5000000))&include=name&order=name&limit=5',
  },
  {
    title: 'Around Rome, nearest first: near, distance',
    path: '/city/unit?filter=near(latitude,longitude,41.9,12.5,15)&order=distance(latitude,longitude,41.9,12.5);asc&include=name&limit=5',
  },
  {
    title: 'Cities by the words of their names: search',
    path: '/city/unit?search=new -york&order=-population&include=[name,country.name]&nest=true&limit=3',
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
