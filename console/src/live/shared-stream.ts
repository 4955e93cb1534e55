/**
 * One stream of live lists for all tabs of a member: the service allows few, and a browser has few connections to a host.
 * A lock of the browser elects the tab that holds the stream. The tabs say by a channel which lists they show, and are
 * told what has changed: ids and versions, never values. Without locks, over plain http, each tab has a stream.
 */
import { followLists, MOST_LISTS, type LiveNews } from '../api/live.js';

type Listener = (news: LiveNews) => void;

type Message =
  /** From the tab that holds the stream: who shows what? */
  | { readonly type: 'ask' }
  /** `isNew`: a list was read just now, whose first page is needed. */
  | { readonly type: 'lists'; readonly tab: string; readonly paths: readonly string[]; readonly isNew: boolean }
  | { readonly type: 'news'; readonly news: LiveNews }
  | { readonly type: 'refused'; readonly path: string };

/** In which the tabs say what they show, before a stream is opened. */
const GATHER_MS = 150;
/** After the last list of a tab is left: the next one is there soon, mostly. */
const LINGER_MS = 1000;
/** After which a page that nobody sees follows nothing; it is told what it has missed when it is seen again. */
const HIDDEN_MS = 60_000;
const LONGEST_WAIT_MS = 60_000;

class SharedStream {
  readonly #tab = String(Math.random());
  readonly #channel: BroadcastChannel | undefined;
  readonly #listeners = new Map<string, Set<Listener>>();
  /** What the other tabs show, for the one that holds the stream. */
  readonly #others = new Map<string, readonly string[]>();
  /** While this tab holds the stream, or would. */
  #part: AbortController | undefined;
  /** Opens the stream again; while this tab holds it. */
  #openAgain: (() => void) | undefined;
  #leaving: ReturnType<typeof setTimeout> | undefined;
  #hiding: ReturnType<typeof setTimeout> | undefined;
  #isHidden = false;

  constructor(private readonly name: string) {
    if (isSecureContext) {
      this.#channel = new BroadcastChannel(name);
      this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#take(data);
    }
    document.addEventListener('visibilitychange', () => this.#see());
    // The tab is closed, or goes elsewhere.
    addEventListener('pagehide', () => this.#post({ type: 'lists', tab: this.#tab, paths: [], isNew: false }));
    this.#see();
  }

  /** Follows a list until what is returned is called. Its page comes first. */
  follow(path: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(path) ?? new Set();
    this.#listeners.set(path, listeners.add(listener));
    this.#say(true);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(path) === listeners) this.#listeners.delete(path);
      this.#say(false);
    };
  }

  get #paths(): readonly string[] {
    return this.#isHidden ? [] : [...this.#listeners.keys()];
  }

  /** Of all tabs, each once. */
  get #allPaths(): readonly string[] {
    return [...new Set([...this.#paths, ...[...this.#others.values()].flat()])];
  }

  #see(): void {
    clearTimeout(this.#hiding);
    const hide = (isHidden: boolean) => {
      if (this.#isHidden === isHidden) return;
      this.#isHidden = isHidden;
      this.#say(!isHidden);
    };
    if (document.hidden) this.#hiding = setTimeout(() => hide(true), HIDDEN_MS);
    else hide(false);
  }

  /** Says which lists this tab shows. */
  #say(isNew: boolean): void {
    const paths = this.#paths;
    this.#post({ type: 'lists', tab: this.#tab, paths, isNew });
    clearTimeout(this.#leaving);
    if (paths.length === 0) this.#leaving = setTimeout(() => this.#part?.abort(), LINGER_MS);
    else if (!this.#part) this.#join();
    else if (isNew) this.#openAgain?.();
  }

  #join(): void {
    const part = new AbortController();
    this.#part = part;
    part.signal.addEventListener('abort', () => (this.#part = undefined));
    const hold = () => this.#hold(part);
    const held = isSecureContext ? navigator.locks.request(this.name, { signal: part.signal }, hold) : hold();
    // Left before it had the lock.
    held.catch(() => undefined);
  }

  /** Holds the stream until this tab leaves, or the service refuses it for good. */
  async #hold(part: AbortController): Promise<void> {
    let failures = 0;
    let wait = 0;
    this.#others.clear();
    while (!part.signal.aborted) {
      const round = new AbortController();
      const end = () => round.abort();
      part.signal.addEventListener('abort', end, { once: true });
      this.#openAgain = end;
      await pause(wait, round.signal);
      this.#post({ type: 'ask' });
      await pause(GATHER_MS, round.signal);
      wait = 0;
      if (round.signal.aborted) continue;
      const paths = this.#allPaths.slice(0, MOST_LISTS);
      if (paths.length === 0) await pause(Infinity, round.signal);
      else {
        const told = (news: LiveNews): void => {
          failures = 0;
          this.#tell(news);
          this.#post({ type: 'news', news });
        };
        const { after, refused } = await followLists(paths, told, round.signal);
        if (round.signal.aborted) continue;
        if (after === Infinity) part.abort();
        wait = Math.min(after * 2 ** failures, LONGEST_WAIT_MS);
        if (refused === undefined) failures += 1;
        else this.#refuse(refused);
      }
    }
    this.#openAgain = undefined;
  }

  #post(message: Message): void {
    this.#channel?.postMessage(message);
  }

  #take(message: Message): void {
    if (message.type === 'news') this.#tell(message.news);
    else if (message.type === 'refused') this.#leave(message.path);
    else if (message.type === 'ask') this.#post({ type: 'lists', tab: this.#tab, paths: this.#paths, isNew: false });
    else if (this.#openAgain) {
      const known = this.#allPaths;
      this.#others.set(message.tab, message.paths);
      // A slow tab answers when the stream is open already.
      if (message.isNew || message.paths.some((path) => !known.includes(path))) this.#openAgain();
    }
  }

  #tell(news: LiveNews): void {
    for (const listener of this.#listeners.get(news.path) ?? []) listener(news);
  }

  #refuse(path: string): void {
    for (const [tab, paths] of this.#others)
      this.#others.set(
        tab,
        paths.filter((each) => each !== path),
      );
    this.#leave(path);
    this.#post({ type: 'refused', path });
  }

  /** A list that cannot be followed is tried again when it is opened again. */
  #leave(path: string): void {
    if (this.#listeners.delete(path)) this.#say(false);
  }
}

/** Ends after so many milliseconds, or with the signal. */
function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else {
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (milliseconds < Infinity) setTimeout(resolve, milliseconds);
    }
  });
}

const streams = new Map<string, SharedStream>();

/** @param member of which nobody else in this browser is told */
export function sharedStream(member: string): SharedStream {
  const name = `kind.console.live ${member}`;
  const stream = streams.get(name) ?? new SharedStream(name);
  streams.set(name, stream);
  return stream;
}
