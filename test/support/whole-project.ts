/** A project that has everything which an export or a backup must bring back. */
import { Provisioning } from '../../src/catalog/project/provisioning.js';
import { defineKinds, signUp, withMembers } from './callers.js';
import { createdId, ok, query } from './definitions.js';
import { PLACE, THING, TYPES, VALUES } from './every-type.js';
import type { TestProject } from './service.js';

/** Since when it verifies the addresses of new members. */
export const VERIFIES_SINCE = '2026-11-20T08:00:00.000000Z';

/** Members, a kind with every type and list, references in circles, rules, links with values, and edited definitions. */
export async function wholeProject(made: TestProject): Promise<TestProject> {
  const project = await withMembers(made);
  await defineKinds(
    project,
    PLACE,
    THING,
    {
      id: 'team',
      label: 'Team "A"\nß 🙂',
      metadata: { colour: 'red' },
      parameters: [
        { id: 'code', kind_id: 'string', is_primary: true, label: 'Code' },
        { id: 'title', kind_id: 'text', search: 'english', default_text: 'none' },
        { id: 'secret', kind_id: 'string', hidden: true, write_once: true },
        { id: 'xmin', kind_id: 'integer', indexed: true, read_access: ['eq(code,a)', 'eq(code,b)'] },
        { id: 'rank', kind_id: 'integer', default_integer: 9007199254740991, unique: true },
      ],
      access: { read: ['eq(code,a)'], update: 'nobody' },
      accepted: { update: 'nobody does' },
    },
    {
      id: 'player',
      parameters: [
        { id: 'number', kind_id: 'decimal', is_primary: true },
        { id: 'team', kind_id: 'unit', reference_kind: 'team', on_delete: 'cascade' },
        { id: 'friend', kind_id: 'unit', reference_kind: 'player', on_delete: 'set_null' },
        'title',
        { id: 'password', kind_id: 'string', persistence: 'run_time' },
      ],
      unique: [['team', 'title']],
      indexes: [['title', 'team']],
      checks: [{ id: 'title', filter: 'and(gte(number,-1000),not(eq(title,"it\'s")))', text: 'Another title' }],
    },
    { id: 'resting', parameters: ['title'] },
    { id: 'far', remote: true, parameters: ['title'] },
  );
  await ok(project.post('/unit/unit', { id: 'captain', reference_kind: 'player' }));
  await ok(project.post('/kind/unit/team/link/parameter/unit/unit/captain'));
  await ok(project.post('/unit/unit', { id: 'owner', reference_kind: 'person', read_access: 'admin' }));
  await ok(project.post('/kind/unit/team/link/parameter/unit/unit/owner'));
  await units(project);
  await ok(project.put('/kind/unit/resting', { active: false }));
  await ok(project.put('/kind/unit/string', { label: 'Word', metadata: { a: 1 } }));
  await ok(project.put('/kind/unit/kind_admin', { access: { read: 'member' } }));
  await ok(project.post('/group/unit', { id: 'sports', kind_list: ['player', 'team'], description: 'x' }));
  await project.service.app.get(Provisioning).set(project.id, {
    accessDefault: 'closed',
    label: 'The "whole"',
    settings: { otp: true, units: 5000 },
  });
  await query(project, 'UPDATE $schema._members SET verifies_since = $1', [VERIFIES_SINCE]);
  return project;
}

async function units(project: TestProject): Promise<void> {
  const places = await ok(project.post('/place/unit', [{}, {}]));
  const place = (places.items as { id: string }[])[0]?.id;
  const most = Math.max(...Object.values(VALUES).map(({ length }) => length));
  const things = Array.from({ length: most }, (_, n) => {
    const single = TYPES.map((type) => [`a_${type}`, type === 'unit' ? place : (VALUES[type][n] ?? null)]);
    const lists = TYPES.flatMap((type) => (type === 'unit' ? [] : [[`some_${type}`, VALUES[type].slice(n, n + 3)]]));
    return { ...Object.fromEntries([...single, ...lists]), metadata: { n } };
  });
  await ok(project.post('/thing/unit', [...things, {}]));
  const { id: ann } = await signUp(project, 'ann', { first_name: 'Ann 🙂' });
  await signUp(project, 'bob');
  await ok(
    project.post('/team/unit', [
      { code: 'a', secret: 's\u0001', owner: ann, xmin: 7 },
      { code: 'b/é 🙂', rank: 1 },
    ]),
  );
  await ok(
    project.post('/player/unit', [{ number: '12345678901234567890.5', team: 'a', title: 'x' }, { number: '2' }]),
  );
  await ok(project.put('/player/unit/2', { friend: '2', team: 'b/é 🙂' }));
  await ok(project.put('/player/unit/12345678901234567890.5', { friend: '2' }));
  await ok(project.post('/resting/unit', [{ title: 'a\r\nb\tc' }]));
  await ok(
    project.post('/link/unit', {
      id: 'plays',
      parameters: [
        { id: 'since', kind_id: 'date' },
        { id: 'notes', kind_id: 'json', multiple: true },
        { id: 'bytes', kind_id: 'binary' },
      ],
      access: { delete: 'admin' },
    }),
  );
  const values = { since: '2024-02-29', notes: [[1, []], { a: 'x' }], bytes: '/+8=' };
  await ok(project.post('/player/unit/2/link/plays/team/unit/a', values));
  await ok(project.post('/player/unit/2/link/plays/player/unit/2'));
  await ok(
    project.post(`/thing/unit/${await createdId(project.post('/thing/unit', {}))}/link/link/person/unit/${ann}`),
  );
}
