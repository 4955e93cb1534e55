/** Backups and restores of a large project while it is written to, killed, and with a full disk. */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { throwFaults, type Campaign, type CampaignOptions, type Figures } from './campaign.js';
import { isAnswer, shown, type Client, type Sent } from './client.js';
import { done, kind, type Command, type Ended } from './command.js';
import { Deployment } from './deployment.js';
import { Random } from './random.js';
import { ADMINISTRATOR, PROJECT } from './service-process.js';
import { missingDisk, SmallDisk } from './small-disk.js';

/** Units of the long form. */
const UNITS = 300_000;
/** Units of one request, the first of which is linked to the others. */
const BULK = 1000;
const MEMBERS = 20;
const WRITERS = 4;
/** Milliseconds between two writes of a writer. */
const PAUSE = 20;
/** Milliseconds after which a killed or refused restore has to leave no trace. */
const TRACES = 60_000;
/** Milliseconds in which a command that met a full disk has to say so. */
const REFUSED = 120_000;

interface Numbers {
  readonly units: number;
  readonly links: number;
}

class Backups {
  readonly #random: Random;
  readonly #client: Client;
  readonly #figures: Record<string, number> = {};
  readonly #file: string;
  readonly #targets: SmallDisk;
  readonly #faults: string[] = [];
  #first = '';
  #writing = true;
  /** Milliseconds that the whole backup and restore took last. */
  readonly #took = { backup: 0, restore: 0 };

  constructor(
    private readonly options: CampaignOptions,
    private readonly deployment: Deployment,
    private readonly disk: SmallDisk,
  ) {
    this.#random = new Random(options.seed);
    this.#client = deployment.client();
    this.#file = join(options.folder, 'demo.tar.gz');
    this.#targets = new SmallDisk(join(options.folder, 'target'), '256k');
  }

  async run(): Promise<Figures> {
    try {
      await this.#fill(this.options.units ?? UNITS);
      const writers = Array.from({ length: WRITERS }, () => this.#write());
      try {
        const rounds = [
          this.#whole,
          this.#killedBackup,
          this.#noSpaceForBackup,
          this.#killedRestore,
          this.#noSpaceForRestore,
        ];
        for (let round = 0; round < this.options.rounds; round += 1) {
          // The first needs a backup.
          const next = rounds[round % rounds.length] ?? this.#whole;
          await next.call(this);
          throwFaults([...this.#faults, ...this.deployment.errors()], `round ${round + 1}, seed ${this.options.seed}`);
          this.options.say(`round ${round + 1}: ${JSON.stringify(this.#figures)}`);
        }
      } finally {
        this.#writing = false;
        await Promise.all(writers);
      }
      throwFaults(this.#faults, 'writes');
      return { ...this.#figures, 'ms of a backup': this.#took.backup, 'ms of a restore': this.#took.restore };
    } finally {
      this.#targets.remove();
    }
  }

  async #fill(units: number): Promise<void> {
    const parameters = [
      { id: 'name', kind_id: 'string', indexed: true },
      { id: 'value', kind_id: 'integer' },
    ];
    await this.#ok('POST', '/kind/unit', { id: 'item', parameters });
    await this.#ok('POST', '/link/unit', { id: 'about' });
    await this.#ok('POST', '/kind/unit', { id: 'person', label: 'Person' });
    await this.#ok('POST', '/group/unit/kind_auth_member/link/group/kind/unit/person');
    for (let made = 0; made < units; made += BULK) {
      const body = Array.from({ length: BULK }, (_, at) => ({
        name: `item ${made + at} ${'é"x'.repeat(20)}`,
        value: at % 2 ? -at : at + 1,
      }));
      const { items } = (await this.#ok('POST', '/item/unit', body)) as { items: { id: string }[] };
      const [first, ...others] = items.map(({ id }) => ({ kind_id: 'item', id }));
      this.#first = first?.id ?? '';
      await this.#ok('POST', `/item/unit/${this.#first}/link/about/child`, { items: others });
    }
    for (let at = 0; at < MEMBERS; at += 1) {
      const [username, password] = [`member${at}`, `secret of member${at}`];
      const user = { username, password, email: `${username}@example.com` };
      await this.#ok('POST', '/auth/person/signup', { username, password, kind_system_user: user });
      await this.#ok('POST', '/api_key/unit', { label: `key ${at}` });
    }
  }

  #ok(method: string, path: string, body?: unknown): Promise<unknown> {
    return this.#client.ok({ method, path, ...(body !== undefined && { body }) });
  }

  /** Pairs of units whose values are together 0, with a link: of each all is in a backup or nothing. */
  async #write(): Promise<void> {
    while (this.#writing) {
      const value = this.#random.from(1, 1000);
      const create = (as: string, number: number) => {
        return { as, method: 'POST', path: '/item/unit', body: { name: as, value: number } };
      };
      const link = { method: 'POST', path: '/item/unit/{a.id}/link/about/item/unit/{b.id}' };
      const sent: Sent = {
        method: 'POST',
        path: '/batch',
        body: { operations: [create('a', value), create('b', -value), link] },
      };
      const answer = await this.#client.send(sent);
      this.#count(answer.status === 200 ? 'writes' : 'refused writes');
      if (answer.status !== 200 && answer.status !== 503) this.#faults.push(`a write → ${shown(answer)}`);
      await pause(PAUSE);
    }
  }

  /** A backup comes back whole, as of one moment. */
  async #whole(): Promise<void> {
    const began = performance.now();
    const made = JSON.parse(await done(this.#kind('project', 'backup', PROJECT, this.#file, '--json'))) as Numbers;
    this.#took.backup = Math.round(performance.now() - began);
    await this.#restored(made);
    this.#count('whole');
  }

  /** A killed backup leaves the earlier file, and the next one is whole. */
  async #killedBackup(): Promise<void> {
    const command = this.#kind('project', 'backup', PROJECT, this.#file, '--json');
    await this.#kill(command, this.#took.backup);
    await this.#restored();
    await this.#whole();
    this.#count('killed backups');
  }

  /** A target without space refuses the backup in one line, and leaves no file. */
  async #noSpaceForBackup(): Promise<void> {
    const target = join(this.#targets.folder, 'demo.tar.gz');
    const ended = await this.#soon(this.#kind('project', 'backup', PROJECT, target));
    this.#expectRefusal(ended, /demo\.tar\.gz cannot be written: ENOSPC/);
    const left = readdirSync(this.#targets.folder);
    if (left.length > 0) this.#faults.push(`a refused backup left ${left.join(', ')}`);
    this.#count('backups without space');
  }

  /** A killed restore leaves nothing, and the next one is whole. */
  async #killedRestore(): Promise<void> {
    await this.#kill(this.#kind('project', 'restore', this.#file, '--as', 'copy'), this.#took.restore);
    // It may have been done just before.
    if ((await this.#traces()).length === 2) await done(this.#kind('project', 'delete', 'copy', '--yes'));
    await this.#noTraces();
    await this.#restored();
    this.#count('killed restores');
  }

  /** A restore on a full disk of PostgreSQL is refused in one line and leaves nothing; the service goes on afterwards. */
  async #noSpaceForRestore(): Promise<void> {
    const command = this.#kind('project', 'restore', this.#file, '--as', 'copy');
    await pause(this.#random.from(0, Math.round(this.#took.restore / 2)));
    this.disk.fill();
    const ended = await this.#soon(command);
    this.disk.empty();
    if (ended.code === 0) await done(this.#kind('project', 'delete', 'copy', '--yes'));
    else
      this.#expectRefusal(
        ended,
        /disk space|does not answer|No space left|shutting down|starting up|recovery|refuses/i,
      );
    await this.#client.ok({ method: 'GET', path: '/item/unit?limit=0' });
    await this.#noTraces();
    await this.#restored();
    this.#count(ended.code === 0 ? 'restores that were done before' : 'restores without space');
  }

  /** Restores the backup, compares what is there, and deletes it. @param made what the backup said */
  async #restored(made?: Numbers): Promise<void> {
    const began = performance.now();
    const text = await done(this.#kind('project', 'restore', this.#file, '--as', 'copy', '--json'));
    this.#took.restore = Math.round(performance.now() - began);
    const { units, links } = JSON.parse(text) as Numbers;
    if (made && (made.units !== units || made.links !== links))
      this.#faults.push(`${JSON.stringify(made)} came back as ${text}`);
    const copy = this.#client.as({ 'kind-project-key': 'copy' });
    const token = async (kindId: string, credentials: object) => {
      const path = kindId === '' ? '/auth/signin' : `/auth/${kindId}/signin`;
      const answer = await copy.send({ method: 'POST', path, body: credentials });
      if (isAnswer(answer) && answer.status === 200)
        return (answer.body?.content as { access_token: string }).access_token;
      this.#faults.push(`a sign-in after a restore → ${shown(answer)}`);
      return '';
    };
    await token('', { username: 'member7', password: 'secret of member7' });
    const administrator = copy.as({ authorization: `Bearer ${await token('', ADMINISTRATOR)}` });
    const get = async (path: string) =>
      (await administrator.ok({ method: 'GET', path })) as { count: number; items: { count: number; sum: number }[] };
    const { count } = await get('/item/unit?limit=0');
    const [all] = (await get('/item/aggregate?select=[count:count(),sum:sum(value)]')).items;
    const blocks = Math.ceil((this.options.units ?? UNITS) / BULK);
    const pairs = (count - blocks * BULK) / 2;
    const right = {
      counted: all?.count === count,
      sum: Number(all?.sum) === 0,
      pairs: Number.isInteger(pairs) && links === blocks * (BULK - 1) + pairs,
      linked: (await get(`/item/unit/${this.#first}/link/child?limit=0`)).count === BULK - 1,
      members: (await get('/person/unit?limit=0')).count === MEMBERS,
      keys: (await get('/api_key/unit?limit=0')).count === MEMBERS,
    };
    const wrong = Object.entries(right).filter(([, holds]) => !holds);
    if (wrong.length > 0)
      this.#faults.push(
        `a restore has other ${wrong.map(([name]) => name).join(', ')}: ${count} units, ${links} links, ${JSON.stringify(all)}`,
      );
    await done(this.#kind('project', 'delete', 'copy', '--yes'));
  }

  #kind(...args: string[]): Command {
    return kind(this.deployment.dataDir, ...args);
  }

  async #kill({ child, ended }: Command, whole: number): Promise<void> {
    await pause(this.#random.from(Math.round(whole / 8), whole));
    child.kill('SIGKILL');
    await ended;
  }

  /** Waits for a command that is refused. */
  async #soon({ child, ended }: Command): Promise<Ended> {
    const timer = setTimeout(() => {
      this.#faults.push(`a command has not ended after ${REFUSED / 1000} seconds`);
      child.kill('SIGKILL');
    }, REFUSED);
    return ended.finally(() => clearTimeout(timer));
  }

  #expectRefusal({ code, err }: Ended, reason: RegExp): void {
    if (code !== 1 || !/^error: [^\n]*\n$/.test(err) || !reason.test(err))
      this.#faults.push(`a full disk → ${code}: ${err}`);
  }

  /** What there is of the restored project. */
  async #traces(): Promise<string[]> {
    const connection = await this.deployment.connect();
    try {
      const { rows } = await connection.query<{ found: string }>(
        `SELECT nspname AS found FROM pg_namespace WHERE nspname = 'project_copy' UNION ALL SELECT id FROM kind.project WHERE id = 'copy'`,
      );
      return rows.map(({ found }) => found);
    } finally {
      await connection.end();
    }
  }

  async #noTraces(): Promise<void> {
    const deadline = performance.now() + TRACES;
    for (;;) {
      const found = await this.#traces();
      if (found.length === 0) return;
      if (performance.now() > deadline) throwFaults([`a restore that failed left ${found.join(', ')}`], 'traces');
      await pause(100);
    }
  }

  #count(name: string): void {
    this.#figures[name] = (this.#figures[name] ?? 0) + 1;
  }
}

async function run(options: CampaignOptions): Promise<Figures> {
  const megabytes = 700 + Math.ceil(((options.units ?? UNITS) * 6) / 1024);
  const disk = new SmallDisk(join(options.folder, 'data'), `${megabytes}m`);
  try {
    const deployment = await Deployment.start(options, { processes: 1 });
    try {
      return await new Backups(options, deployment, disk).run();
    } finally {
      await deployment.stop();
    }
  } finally {
    disk.remove();
    if (existsSync(options.folder)) rmSync(join(options.folder, 'target'), { recursive: true, force: true });
  }
}

export const backup: Campaign = {
  about: 'backups and restores of 300,000 units under writes, killed and with full disks (--units n; needs root)',
  rounds: 15,
  missing: missingDisk,
  run,
};
