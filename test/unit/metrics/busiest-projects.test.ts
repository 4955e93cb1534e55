import { expect, it } from 'vitest';
import { BusiestProjects } from '../../../src/metrics/metrics.js';

it('are the ten with the most requests of the last whole minute', () => {
  let now = 0;
  const projects = new BusiestProjects(() => now);
  for (let project = 1; project <= 12; project += 1) {
    for (let request = 0; request < project; request += 1) projects.observe(`p${project}`, 500);
  }
  expect(projects.busiest()).toEqual([]);
  now = 60_000;
  projects.observe('p1', 500);
  const busiest = projects.busiest();
  expect(busiest.map(({ project }) => project)).toEqual(Array.from({ length: 10 }, (_, at) => `p${12 - at}`));
  expect(busiest[0]).toEqual({ project: 'p12', requests: 12, seconds: 6 });
  now = 120_000;
  expect(projects.busiest()).toEqual([{ project: 'p1', requests: 1, seconds: 0.5 }]);
  now = 300_000;
  expect(projects.busiest()).toEqual([]);
});

it('are found among a limited number of projects', () => {
  let now = 0;
  const projects = new BusiestProjects(() => now);
  for (let project = 0; project < 10_001; project += 1) projects.observe(`p${project}`, 1);
  for (let request = 0; request < 5; request += 1) projects.observe('p10000', 1);
  projects.observe('p9999', 1);
  now = 60_000;
  expect(projects.busiest()[0]).toMatchObject({ project: 'p9999', requests: 2 });
});
