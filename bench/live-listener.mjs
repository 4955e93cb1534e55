/** Holds live lists, in a process of its own, and tells when each edit arrived: `[n, time]`, once for each list. */
import { request } from 'node:http';

/** @type {[number, number][]} */
let arrivals = [];

process.on('message', async (message) => {
  if (message === 'count') arrivals = [];
  else if (message === 'tell') process.send?.(arrivals);
  else {
    /** @type {{ url: string, callers: { id: string, token: string }[] }} */
    const { url, callers } = /** @type {any} */ (message);
    for (const caller of callers) await listen(url, caller);
    process.send?.('ready');
  }
});

/** @param {string} url @param {{ id: string, token: string }} caller */
function listen(url, { id, token }) {
  return new Promise((resolve, reject) => {
    const headers = {
      'kind-project-key': id,
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
    };
    const sent = request(`${url}/api/lib/live`, { method: 'POST', agent: false, headers });
    sent.once('error', reject).once('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(String(response.statusCode)));
      response.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
        if (text.includes('event: end')) throw new Error(text);
        const at = Date.now();
        for (const [, n] of text.matchAll(/event: update\n.*"n":(\d+)/g)) arrivals.push([Number(n), at]);
      });
      resolve(undefined);
    });
    sent.end('{"queries":[{"as":"tasks","path":"/task/unit?order=-n&limit=20"}]}');
  });
}
