/** The query parameter `dry_run` of writes. */
import type { HttpRequest } from '../request/request.js';
import { withoutBrackets } from './parse-list-query.js';
import { refusal, type KindError } from '../../shared/errors.js';

const NAME = 'dry_run';

export interface DryRun {
  /** Also set if the value is not understood, so that nothing is stored then. */
  readonly dry: boolean;
  /** Whether the answer says what a change of definitions, or a deletion, does. */
  readonly asksChanges: boolean;
  readonly fault?: KindError;
}

/** Takes the parameter off the URL, so that handlers see a request without it. Undefined if there is none. */
export function takeDryRun(request: HttpRequest): DryRun | undefined {
  const { url } = request;
  const start = url.indexOf('?');
  if (start < 0 || !url.includes(NAME, start)) return undefined;
  const parts = url.slice(start + 1).split('&');
  const found = parts.filter(isDryRun);
  if (found.length === 0) return undefined;
  const others = parts.filter((part) => !isDryRun(part));
  request.url = url.slice(0, start) + (others.length > 0 ? `?${others.join('&')}` : '');
  const [value] = found.map((part) => [...new URLSearchParams(part).values()][0]);
  const known = value === 'true' || value === 'false' || value === 'changes';
  if (found.length === 1 && known) return { dry: value !== 'false', asksChanges: value === 'changes' };
  const text = `${NAME}: wants true or false, or changes of a definition or a deletion, once`;
  return { dry: true, asksChanges: false, fault: refusal('query.bad_value', text, { parameter: NAME }) };
}

function isDryRun(part: string): boolean {
  const [name = ''] = new URLSearchParams(part).keys();
  return withoutBrackets(name) === NAME;
}
