/** The client of a project with many kinds costs the compiler little. */
import { expect, it } from 'vitest';
import { checkPrograms, clientFolder, writeClient } from '../../support/client.js';
import { largeTypes, PROGRAM } from '../../support/large-client.js';

const MOST = { bytes: 250_000, instantiations: 20_000 };

it('has little text and few types', { timeout: 60_000 }, async () => {
  const types = await largeTypes();
  expect(Buffer.byteLength(types)).toBeLessThan(MOST.bytes);
  const folder = clientFolder();
  await writeClient(folder, types);
  const { errors, instantiations } = checkPrograms(folder, { 'use.ts': PROGRAM });
  expect(errors).toEqual([]);
  // An empty program has none.
  expect(instantiations).toBeLessThan(MOST.instantiations);
});
