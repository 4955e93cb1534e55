/** What a person calls a browser or program. */
import { parse } from 'bowser';
import { shortened } from '../shell/shortened.js';

export interface ClientName {
  readonly browser: string;
  readonly system: string;
}

/** Characters of one that is unknown. */
const MOST = 60;

/** @param agent the header `User-Agent` @returns for a program its name alone */
export function clientName(agent: string): ClientName | string {
  // Programs begin with their own name.
  if (!agent.startsWith('Mozilla/')) return shortened(agent.split(' ', 1)[0] ?? '', MOST);
  const { browser, os } = parse(agent);
  return browser.name && os.name ? { browser: browser.name, system: os.name } : shortened(agent, MOST);
}
