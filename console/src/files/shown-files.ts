/** What is needed to show files, read together for all that appear on a page at the same time. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { getShownFiles, type ShownFile } from '../api/files.js';

const SHOWN = 'shown-file';
/** How long others are waited for. */
const TOGETHER_MS = 10;
/** Before its end, an address is made anew. */
const BEFORE_END_MS = 20_000;

interface Asked {
  readonly id: string;
  readonly resolve: (file: ShownFile | null) => void;
  readonly reject: (error: unknown) => void;
}

let asked: Asked[] = [];

function readTogether(id: string): Promise<ShownFile | null> {
  return new Promise((resolve, reject) => {
    asked.push({ id, resolve, reject });
    if (asked.length === 1) setTimeout(() => void readAsked(), TOGETHER_MS);
  });
}

async function readAsked(): Promise<void> {
  const now = asked;
  asked = [];
  try {
    const files = new Map((await getShownFiles([...new Set(now.map(({ id }) => id))])).map((file) => [file.id, file]));
    for (const { id, resolve } of now) resolve(files.get(id) ?? null);
  } catch (error) {
    for (const { reject } of now) reject(error);
  }
}

/** Null if it is gone, or the member may not read it. */
function shownFileQuery(id: string) {
  return queryOptions({
    queryKey: [SHOWN, id],
    queryFn: () => readTogether(id),
    staleTime: ({ state }) => Math.max(0, endOf(state.data) - state.dataUpdatedAt - BEFORE_END_MS),
    refetchOnWindowFocus: false,
    retry: false,
  });
}

/** Another content of a file has another address. */
export function shownFileKey(id: string): readonly string[] {
  return [SHOWN, id];
}

export function useShownFile(id: string): ShownFile | null | undefined {
  return useQuery(shownFileQuery(id)).data;
}

/** When the address ends, in milliseconds since 1970. */
function endOf(file: ShownFile | null | undefined): number {
  if (!file || file.url === null) return Infinity;
  return Number(new URL(file.url).searchParams.get('expires')) * 1000;
}
