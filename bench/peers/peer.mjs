/** What the programs that the service is compared with have in common. */
import { Child } from '../child.mjs';

export { POOL } from '../postgres.mjs';

export const PASSWORD = 'A password of the bench 1';

/**
 * @typedef {import('../load.mjs').LoadRequest} LoadRequest
 * @typedef {'city' | 'place'} Kind the kind that is read, and the one that is written
 *
 * @typedef {object} Question a list of 50, with the number of all that match
 * @property {string} [country]
 * @property {string} [text] in the name, in any case
 * @property {number} [above] a population, together with countries
 * @property {readonly string[]} [countries]
 * @property {{ by: string, descending: boolean }} [order]
 *
 * @typedef {{ child: Child, url: string, headers: Record<string, string> }} Started url: what the paths of requests follow
 *
 * @typedef {object} Program
 * @property {string} name
 * @property {(options: { databaseUrl: string, port: number, folder: string }) => Promise<Started>} start with empty kinds
 * @property {Record<Kind, string>} tables
 * @property {(table: string) => string} fillStatement copies the rows of the table `source`
 * @property {string} [sequence] the column whose next values come from a sequence
 * @property {(kind: Kind, index: number) => LoadRequest} get
 * @property {(question: Question) => LoadRequest} list
 * @property {(city: import('../cities.mjs').City) => LoadRequest} create a place
 * @property {(index: number, population: number) => LoadRequest} edit a place
 * @property {() => LoadRequest} signIn
 * @property {(answer: any) => { count: number, items: any[] }} pageOf
 * @property {(answer: any) => any} unitOf
 * @property {(answer: any) => LoadRequest} created the request that gets what a create made
 */

/**
 * Starts a program and waits until it is ready.
 * @param {readonly string[]} command
 * @param {string} readyUrl
 * @param {{ cwd: string, env?: Record<string, string> }} options
 */
export async function startPeer(command, readyUrl, { cwd, env = { PATH: process.env.PATH ?? '', HOME: cwd } }) {
  const child = new Child(command, { cwd, env });
  try {
    await child.ready(readyUrl);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return child;
}

/**
 * @param {string} method
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function call(method, url, headers, body) {
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 1000)}`);
  return text === '' ? undefined : JSON.parse(text);
}
