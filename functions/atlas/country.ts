/** A unit function for the countries of `npm run demo`: statistics from its links. */
import { kind } from 'kind';

const country = kind('country');

const statistics = country.unitFunction({
  description: 'Neighbours and large cities of a country, by its links',
  parameters: { largest: { type: 'integer', default: 3, min_value: 1, max_value: 20 } },
  methods: ['GET'],
  async run({ unit, links, parameters: { largest } }) {
    const neighbours = await links.list(unit, 'child', { link_id: 'borders', include: ['id', 'name'], limit: 1000 });
    const cities = await links.list(unit, 'child', {
      link_id: 'has_city',
      include: ['name', 'population'],
      order: 'population;desc',
      limit: 1000,
    });
    const bySize = cities.items.map(({ name, population }) => ({ name, population: Number(population ?? 0) }));
    const inhabitants = bySize.reduce((sum, { population }) => sum + population, 0);
    return {
      country: unit['name'],
      neighbours: neighbours.items.map(({ name }) => name),
      cities: cities.count,
      inhabitants,
      largest: bySize.slice(0, largest),
    };
  },
});

export default country.module({ unitFunctions: { statistics } });
