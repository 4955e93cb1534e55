/** `kill -9` at each point of uploads, replacements and deletions of files, of the removal of objects, and of a restore. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Client as Connection } from 'pg';
import { newKey } from '../../src/file/objects.js';
import { throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { listed } from './check.js';
import type { Client } from './client.js';
import { done, kindWith, type Command } from './command.js';
import { Deployment } from './deployment.js';
import { digestOf, FileWriter, NOTE, POINTS, sortOf, type Known, type Point } from './file-writes.js';
import { Random } from './random.js';
import { PROJECT } from './service-process.js';

const WRITERS = 6;
/** Milliseconds after which the service is killed, wherever it is. */
const LATEST = 10_000;
/** Milliseconds that a write is at its point before the service is killed, at most. */
const THERE = 12;
/** Files with which it goes on. */
const MANY = 100;
/** Objects that are due when the removal of objects is killed. */
const DUE = 600;
const REMOVAL = 'removal of objects';
const RESTORE = 'restore';
const TRIAL = 'trial';

class FileRounds {
  readonly #random: Random;
  readonly #client: Client;
  readonly #figures: Record<string, number> = {};
  readonly #folder: string;
  #names = 0;
  /** Names of files that were being written when the service was killed. */
  readonly #unfinished = new Set<string>();
  readonly #files: Known[] = [];
  readonly #faults: string[] = [];

  constructor(
    private readonly options: CampaignOptions,
    private readonly deployment: Deployment,
    private readonly connection: Connection,
    folder: string,
  ) {
    this.#random = new Random(options.seed);
    this.#client = deployment.client();
    this.#folder = folder;
  }

  async run(): Promise<Figures> {
    await this.#client.ok({ method: 'POST', path: '/kind/unit', body: NOTE });
    const rounds = [...POINTS, REMOVAL, RESTORE] as const;
    for (let round = 0; round < this.options.rounds; round += 1) {
      const at = rounds[round % rounds.length] ?? RESTORE;
      if (at === RESTORE) await this.#killedRestore();
      else await this.#round(at);
      throwFaults(
        [...this.#faults, ...this.deployment.errors()],
        `round ${round + 1} (${at}), seed ${this.options.seed}`,
      );
      if ((round + 1) % rounds.length === 0) this.options.say(`round ${round + 1}: ${JSON.stringify(this.#figures)}`);
    }
    return this.#figures;
  }

  /** Kills the service when a write is at a point, or while it removes objects; then all that was answered is there. */
  async #round(at: Point | typeof REMOVAL): Promise<void> {
    const { service } = this.deployment;
    const writers = await this.#load(at);
    await this.#noteStored();
    if (at === REMOVAL) await this.#makeDue();
    await this.#passTime(writers);
    await service.start();
    if (at === REMOVAL) {
      await pause(this.#random.from(0, 150));
      await service.end('SIGKILL');
      await this.#noteStored();
      await this.#passTime(writers);
      await service.start();
    }
    for (const writer of writers) this.#count('uploads that went on', await writer.resume());
    this.#files.push(...writers.flatMap(({ files }) => files));
    this.#faults.push(...writers.flatMap(({ faults }) => faults));
    for (const { counts } of writers) for (const [what, count] of Object.entries(counts)) this.#count(what, count);
    await this.#check();
  }

  async #load(at: Point | typeof REMOVAL): Promise<FileWriter[]> {
    const { service } = this.deployment;
    const underWay = new Map<Point, number>();
    let isOver = false;
    let killing: Promise<unknown> | undefined;
    const kill = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      this.#count(reason);
      for (const [point, count] of underWay) if (count > 0) this.#count(`under way, ${point}`, count);
      killing = service.end('SIGKILL');
    };
    // First some writes are done.
    const from = performance.now() + this.#random.from(50, 400);
    const reach = (point: Point): (() => void) => {
      underWay.set(point, (underWay.get(point) ?? 0) + 1);
      if (point === at && performance.now() > from) setTimeout(kill, this.#random.from(0, THERE), `killed at ${at}`);
      return () => underWay.set(point, (underWay.get(point) ?? 1) - 1);
    };
    const writers = Array.from({ length: WRITERS }, () => {
      const nextName = () => `f${(this.#names += 1)}.txt`;
      return new FileWriter({ client: this.#client, random: this.#random.branch(), nextName, at: reach });
    });
    const latest = setTimeout(kill, at === REMOVAL ? 500 : LATEST, at === REMOVAL ? 'killed anywhere' : `missed ${at}`);
    await Promise.all(writers.map((writer) => writer.run(() => isOver, sortOf(at))));
    clearTimeout(latest);
    await killing;
    return writers;
  }

  /** Counts in which states objects were when the service was killed. */
  async #noteStored(): Promise<void> {
    const rows = await this.#query<{ id: string; used: boolean; part: boolean; due: boolean }>(
      `SELECT u.id, f.id IS NOT NULL AS used, u.upload IS NOT NULL AS part, u.goes_at <= now() AS due
       FROM $schema._unused_object AS u LEFT JOIN $schema.file AS f ON f.object = u.id`,
    );
    const names = readdirSync(this.#folder, { recursive: true, encoding: 'utf8' });
    const there = new Set(names);
    for (const name of names.filter((each) => each.includes('.part-') && !this.#unfinished.has(each))) {
      this.#unfinished.add(name);
      this.#count('objects half written');
    }
    for (const { id, used, part, due } of rows) {
      if (used) this.#count('objects that a file had, still listed');
      else if (!there.has(id)) this.#count(due ? 'objects removed, still listed' : 'objects listed, not stored');
      else if (part) this.#count('parts of uploads');
      else this.#count(due ? 'objects due, not removed' : 'objects stored or left, that no file had');
    }
  }

  async #makeDue(): Promise<void> {
    const keys = Array.from({ length: DUE }, () => newKey(PROJECT));
    for (const key of keys) {
      mkdirSync(dirname(join(this.#folder, key)), { recursive: true });
      writeFileSync(join(this.#folder, key), 'x');
    }
    await this.#query(`INSERT INTO $schema._unused_object (id, goes_at) SELECT unnest($1::text[]), now()`, [keys]);
  }

  /** As if a day had passed: what was listed is due. Uploads that go on have just begun, and no request has them. */
  async #passTime(writers: readonly FileWriter[]): Promise<void> {
    const open = writers.flatMap(({ uploads }) => uploads.map(({ path }) => path.split('/').at(-1) ?? ''));
    await this.#query(
      `UPDATE $schema._unused_object SET goes_at = now() WHERE upload IS NULL OR upload <> ALL($1::uuid[])`,
      [open],
    );
    await this.#query(
      `UPDATE $schema._upload SET holder = NULL,
         expires_at = CASE WHEN id = ANY($1::uuid[]) THEN expires_at ELSE now() END`,
      [open],
    );
    await this.#query(`UPDATE kind.work SET holder = NULL, due_at = now() WHERE type = 'objects'`);
  }

  /** Every file that was answered has its whole content, and nothing else is there. */
  async #check(): Promise<void> {
    const found = new Map(
      (await listed<{ id: string; name: string }>(this.#client, '/file/unit?include=[id,name]')).map((file) => [
        file.name,
        file.id,
      ]),
    );
    for (const known of this.#files) {
      const id = found.get(known.name);
      found.delete(known.name);
      if (known.id !== undefined && id !== undefined && known.id !== id) this.#faults.push(`${known.name} is another`);
      const digest = id === undefined ? null : await this.#digest(id);
      if (!known.allowed.includes(digest)) this.#faults.push(`${known.name}: ${digest}, not ${known.allowed.join()}`);
      if (known.with && known.with.allowed.length === 1 && (known.with.allowed[0] === null) !== (digest === null)) {
        this.#faults.push(`${known.name}: one of two files of a batch`);
      }
      known.allowed = [digest];
    }
    for (const name of found.keys()) this.#faults.push(`${name}: nobody knows it`);
    this.#count('contents compared', this.#files.length);
    await this.#expectClean(PROJECT);
    await this.#expectCounted();
    await this.#clear();
  }

  async #digest(id: string): Promise<string> {
    const answer = await this.#client.send({ method: 'GET', path: `/file/unit/${id}/content` });
    return answer.status === 200 && 'text' in answer ? digestOf(answer.text) : `status ${answer.status}`;
  }

  async #expectClean(project: string): Promise<void> {
    const { code, out, err } = await this.#kind('file', 'check', project, '--json').ended;
    if (code !== 0) this.#faults.push(`file check ${project}: ${err} ${out.slice(0, 500)}`);
    this.#count('file checks');
  }

  async #expectCounted(): Promise<void> {
    const rows = await this.#query<{ counted: string; bytes: string }>(
      `SELECT bytes AS counted, (SELECT coalesce(sum(bytes), 0) FROM $schema.file) AS bytes
       FROM $schema._files`,
    );
    const [row] = rows;
    if (row?.counted !== row?.bytes) this.#faults.push(`${row?.counted} bytes are counted, there are ${row?.bytes}`);
  }

  /** All files go from time to time, so that the next rounds are as fast. */
  async #clear(): Promise<void> {
    if (this.#files.length < MANY) return;
    this.#files.splice(0);
    for (const kind of ['note', 'file']) {
      await this.#client.ok({ method: 'DELETE', path: `/${kind}/unit?filter=not(isnull(id))&max_affected=100000` });
    }
  }

  /** A restore that is killed leaves no project; the next one has all contents, and with the project all objects go. */
  async #killedRestore(): Promise<void> {
    const file = join(this.options.folder, 'demo.tar.gz');
    await done(this.#kind('project', 'backup', PROJECT, file));
    const restore = () => this.#kind('project', 'restore', file, '--as', TRIAL);
    const took = await this.#wholeRestore(restore());
    const killed = restore();
    await Promise.race([pause(this.#random.from(Math.round(took * 0.3), Math.round(took * 0.8))), killed.ended]);
    killed.child.kill('SIGKILL');
    const { code } = await killed.ended;
    this.#count(code === 0 ? 'restores that ended before' : `killed at ${RESTORE}`);
    if (code !== 0 && readdirSync(this.#folder).includes(TRIAL)) this.#count('restores that left objects');
    await this.#deleteTrial();
    await this.#wholeRestore(restore());
  }

  /** @returns the milliseconds that it took */
  async #wholeRestore(restore: Command): Promise<number> {
    const began = performance.now();
    await done(restore);
    const took = performance.now() - began;
    await this.#expectClean(TRIAL);
    await this.#deleteTrial();
    if (readdirSync(this.#folder).includes(TRIAL)) this.#faults.push('a deleted project left objects');
    return took;
  }

  /** What a killed restore committed, if anything. */
  async #deleteTrial(): Promise<void> {
    const { code, err } = await this.#kind('project', 'delete', TRIAL, '--yes').ended;
    if (code !== 0 && !err.includes('No project')) this.#faults.push(`project delete: ${err}`);
  }

  async #query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const { rows } = await this.connection.query<Row>(text.replaceAll('$schema', `project_${PROJECT}`), [...values]);
    return rows;
  }

  #kind(...args: readonly string[]): Command {
    return kindWith({ DATA_DIR: this.deployment.dataDir, ...filesIn(this.options) }, ...args);
  }

  #count(what: string, more = 1): void {
    this.#figures[what] = (this.#figures[what] ?? 0) + more;
  }
}

function folderOf({ folder }: CampaignOptions): string {
  return join(folder, 'files');
}

function filesIn(options: CampaignOptions): { FILES_URL: string } {
  return { FILES_URL: pathToFileURL(folderOf(options)).href };
}

async function run(options: CampaignOptions): Promise<Figures> {
  const deployment = await Deployment.start(options, { processes: 1, env: filesIn(options) });
  const connection = await deployment.connect();
  try {
    return await new FileRounds(options, deployment, connection, folderOf(options)).run();
  } finally {
    await connection.end();
    await deployment.stop();
  }
}

export const files: Campaign = {
  about:
    'kill -9 at each point of uploads, replacements and deletions of files, of the removal of objects, and of a restore',
  rounds: 180,
  run,
};
