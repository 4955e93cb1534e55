/** Imports and exports of units as files (docs/import-export.md). */
import type { Upload } from './client.js';
import { session } from './session.js';
import type { Message } from './types.js';

export type FileFormat = 'csv' | 'ndjson';

export interface ImportOptions {
  readonly format: FileFormat;
  readonly errors: 'stop' | 'skip';
  readonly keepsIds: boolean;
  /** The unique parameter by which units that are there already are edited. */
  readonly updatesBy: string | undefined;
  readonly dryRun: boolean;
}

export interface ImportResult {
  readonly count: number;
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly ignored: number;
  readonly failed: number;
  readonly errors: readonly Message[];
}

export const MEDIA_TYPES: Readonly<Record<FileFormat, string>> = { csv: 'text/csv', ndjson: 'application/x-ndjson' };

export async function importUnits(
  kind: string,
  content: Blob,
  { format, errors, keepsIds, updatesBy, dryRun }: ImportOptions,
  { onProgress, signal }: Pick<Upload, 'onProgress'> & { readonly signal: AbortSignal },
): Promise<ImportResult> {
  const reply = await session.call<ImportResult>({
    method: 'POST',
    path: [kind, 'import'],
    query: {
      format,
      errors,
      ...(keepsIds && { ids: 'keep' }),
      ...(updatesBy !== undefined && { on_conflict: 'update', by: updatesBy }),
      ...(dryRun && { dry_run: 'true' }),
    },
    file: { content, type: MEDIA_TYPES[format], onProgress },
    signal,
  });
  return reply.content;
}

export interface ExportQuery {
  readonly format: FileFormat;
  readonly filter: string;
  readonly order: string;
  /** All fields, if it is not given. */
  readonly include: readonly string[] | undefined;
  /** For spreadsheets: no text is run as a formula. */
  readonly isSafe: boolean;
}

/** An answer whose body is the file. */
export function exportUnits(
  kind: string,
  { format, filter, order, include, isSafe }: ExportQuery,
  signal?: AbortSignal,
): Promise<Response> {
  return session.open({
    path: [kind, 'export'],
    query: {
      format,
      ...(filter && { filter }),
      ...(order && { order }),
      ...(include && { include: include.join(',') }),
      ...(isSafe && { safe: 'true' }),
    },
    signal,
  });
}
