import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { UNITS } from '../data/source.js';
import type { UploadJob, UploadQueue } from './upload-queue.js';

/** The uploads of a queue; lists of files are read again when some are stored. */
export function useUploads(queue: UploadQueue): readonly UploadJob[] {
  const queries = useQueryClient();
  const jobs = useSyncExternalStore(queue.subscribe, () => queue.jobs);
  const stored = jobs.filter(({ state }) => state === 'stored').length;
  useEffect(() => {
    if (stored > 0) void queries.invalidateQueries({ queryKey: [UNITS] });
  }, [stored, queries]);
  return jobs;
}
