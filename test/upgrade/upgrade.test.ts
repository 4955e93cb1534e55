/**
 * The databases of earlier releases are upgraded by the start of this one, and answer what they answered. A change of
 * the built-in tables without an upgrade fails here. An answer may have more fields than it had.
 */
import { describe, expect, it } from 'vitest';
import { Provisioning } from '../../src/catalog/project/provisioning.js';
import { expectNoDrift, ok } from '../support/definitions.js';
import { ownDatabase, startServiceOn } from '../support/own-database.js';
import {
  answersOf,
  keepRelease,
  keptAnswers,
  keptReleases,
  restoreRelease,
  signIn,
  withoutGained,
} from './released.js';

const release = process.env['KEEP_RELEASE'];
if (release !== undefined) {
  const database = await ownDatabase();
  await keepRelease(release, await startServiceOn(database), database);
}

describe.each(keptReleases())('the database of release %s', async (kept) => {
  const database = await ownDatabase();
  await restoreRelease(kept, database);
  const service = await startServiceOn(database);

  it('answers what it answered', async () => {
    expect(withoutGained(await answersOf(service))).toMatchObject(withoutGained(keptAnswers(kept)));
  });

  it('has all that this release needs, and nothing else', async () => {
    const project = await signIn(service);
    await expectNoDrift(project);
    expect(await service.service.app.get(Provisioning).migrate(project.id)).toEqual({ steps: 0, leftAlone: [] });
  });

  it('is written to as a new one is', async () => {
    const project = await signIn(service);
    await ok(
      project.post('/kind/unit', { id: 'city', parameters: [{ id: 'size', kind_id: 'integer', indexed: true }] }),
    );
    await ok(project.post('/city/unit', { size: 7 }));
    await ok(project.put('/player/unit/2', { title: 'new' }));
    await ok(project.delete('/kind/unit/city?cascade=true'));
    await service.project('another');
  });
});
