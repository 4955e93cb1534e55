/** Received mails: from the outbox of a service, or over SMTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { atEnd } from './at-end.js';
import { BY_SYSTEM, Provisioning } from '../../src/catalog/project/provisioning.js';
import { MetricSources } from '../../src/shared/metric-sources.js';
import { ProjectStore } from '../../src/tenancy/project-store.js';
import type { ProjectSettings } from '../../src/database/entities/project.entity.js';
import type { TestProject } from './service.js';

export interface ReceivedMail {
  /** By their names in lower case; each once. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
  readonly raw: string;
}

/** Reads a mail with a text and an HTML part. Line ends become `\n`. */
export function readMail(raw: string): ReceivedMail {
  const lines = raw.replaceAll('\r\n', '\n');
  const [head = ''] = lines.split('\n\n', 1);
  const headers = headersOf(head);
  const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type') ?? '')?.[1] ?? '?';
  const parts = lines.split(`--${boundary}`).slice(1, -1).map(partOf);
  const of = (type: string) => parts.find((part) => part.type.startsWith(type))?.body ?? '';
  return { headers, text: of('text/plain'), html: of('text/html'), raw };
}

function headersOf(head: string): Map<string, string> {
  const unfolded = head.trim().replace(/\n[ \t]+/g, ' ');
  return new Map(
    unfolded.split('\n').map((line): [string, string] => {
      const at = line.indexOf(':');
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
    }),
  );
}

function partOf(part: string): { type: string; body: string } {
  const at = part.indexOf('\n\n');
  const headers = headersOf(part.slice(0, at));
  const body = part.slice(at + 2);
  const encoding = headers.get('content-transfer-encoding') ?? '7bit';
  return { type: headers.get('content-type') ?? '', body: decoded(body, encoding) };
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}

/** A data folder of a test file's own. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kind-mail-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The mails in the outbox of a data folder, which come after their answers. */
export class Mailbox {
  readonly folder: string;

  constructor(dataDir: string) {
    this.folder = join(dataDir, 'outbox');
  }

  /** The mails to an address, oldest first. */
  async to(address: string): Promise<ReceivedMail[]> {
    return (await this.all()).filter(({ headers }) => headers.get('to') === address);
  }

  async all(): Promise<ReceivedMail[]> {
    const names = (await readdir(this.folder).catch(() => [])).filter((name) => name.endsWith('.eml')).sort();
    const raw = await Promise.all(names.map((name) => readFile(join(this.folder, name), 'utf8')));
    return raw.map(readMail);
  }

  /** Waits for so many mails to an address, and answers the last one. */
  async last(address: string, count = 1): Promise<ReceivedMail> {
    for (let looks = 0; looks < 500; looks += 1) {
      const mails = await this.to(address);
      const mail = mails.at(-1);
      if (mail && mails.length >= count) return mail;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`no ${count} mails to ${address}`);
  }
}

/** Waits until the service of a project has sent all mails that came of its answers so far. */
export async function mailsSent({ service: { app } }: TestProject): Promise<void> {
  const gauges = app
    .get(MetricSources)
    .all.filter(({ type, labels }) => type === 'gauge' && labels['queue'] === 'mails');
  expect(gauges).toHaveLength(2);
  await expect.poll(() => gauges.map(({ read }) => read())).toEqual([0, 0]);
}

export function codeIn({ text }: ReceivedMail): string {
  return /^ {2}(\d{6,8})$/m.exec(text)?.[1] ?? '';
}

export function tokenIn({ text }: ReceivedMail): string {
  return /\/auth\/reset_password\/([\w-]+)$/m.exec(text)?.[1] ?? '';
}

/** Switches codes of a project on or off, as `kind project set` does. */
export function setOtp(project: TestProject, otp: boolean): Promise<void> {
  return setSettings(project, { otp });
}

export async function setSettings({ service, id }: TestProject, settings: ProjectSettings): Promise<void> {
  await service.app.get(Provisioning).set(id, { settings }, { ...BY_SYSTEM, cascade: true });
  service.app.get(ProjectStore).forget(id);
}
