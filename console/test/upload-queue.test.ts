/** The list of uploads without a browser: what stays of one that failed. */
import { expect, it, vi } from 'vitest';
import type { Begun } from '../src/api/sending.js';

const discarded: (string | undefined)[] = [];
vi.mock('../src/api/files.js', () => ({
  uploadFile: (_: File, begun: Begun) => {
    begun.id = 'begun';
    return Promise.reject(new Error('no connection'));
  },
  discardUpload: ({ id }: Begun) => {
    discarded.push(id);
    return Promise.resolve();
  },
}));
vi.stubGlobal('addEventListener', () => undefined);
const { UploadQueue } = await import('../src/files/upload-queue.js');

it('removes the parts of a failed upload when it leaves the list', async () => {
  const queue = new UploadQueue();
  queue.add([new File(['a'], 'a.txt')]);
  await vi.waitFor(() => expect(queue.jobs.map(({ state }) => state)).toEqual(['failed']));
  expect(discarded).toEqual([]);
  queue.clear();
  expect([discarded, queue.jobs]).toEqual([['begun'], []]);
});
