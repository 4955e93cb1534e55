/** The service as a process that can be killed, and that is started again on the same data. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { COMPILED, compiled } from '../support/compiled.js';

const LAST_LINES = 15;
const READY = /"msg":"ready"/;

export const ADMINISTRATOR = { username: 'admin', password: 'campaign of tests 1' };
export const PROJECT = 'demo';

const SETTINGS = {
  PORT: '0',
  LOG_FORMAT: 'json',
  LOG_LEVEL: 'info',
  AUTH_RATE_LIMIT: 'off',
  ACCESS_TOKEN_TTL: '24h',
  SHUTDOWN_IDLE: '0s',
  FUNCTIONS_WATCH: 'off',
  JWT_SECRET: 'the secret of all processes of a campaign',
  BOOTSTRAP_PROJECT: PROJECT,
  BOOTSTRAP_ADMIN_PASSWORD: ADMINISTRATOR.password,
};

export class ServiceProcess {
  #child: ChildProcess | undefined;
  #url = '';
  #lines: string[] = [];
  /** Lines of the log that no test should cause: errors inside the service. */
  readonly errors: string[] = [];

  /**
   * @param command what runs Node, where that is another program
   * @param watch gets each line of the log
   */
  constructor(
    private readonly env: Readonly<Record<string, string>>,
    private readonly command: readonly string[] = [],
    private readonly watch: (line: string) => void = () => undefined,
  ) {}

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Waits until it serves. */
  async start(): Promise<void> {
    const [program = '', ...args] = [...this.command, process.execPath, compiled('main.js')];
    const child = spawn(program, args, {
      cwd: dirname(COMPILED),
      env: { ...process.env, ...SETTINGS, ...this.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.#lines = [];
    const ready = new Promise<void>((resolve, reject) => {
      createInterface(child.stderr).on('line', (line) => {
        this.#keep(line);
        if (!READY.test(line)) return;
        this.#url = (JSON.parse(line) as { url: string }).url;
        resolve();
      });
      child.once('exit', () => reject(new Error(`the service ended:\n${this.#lines.join('\n')}`)));
    });
    await ready;
  }

  #keep(line: string): void {
    this.watch(line);
    this.#lines = [...this.#lines, line].slice(-LAST_LINES);
    if (/"msg":"unexpected error"|"level":"?(?:60|fatal)/.test(line)) this.errors.push(line.slice(0, 1500));
  }

  /** @returns the exit code; null after a signal that ended it */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const gone = once(child, 'exit') as Promise<[number | null]>;
    child.kill(signal);
    const [code] = await gone;
    return code;
  }
}
