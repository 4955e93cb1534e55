/** How current the data of a read has to be, which its client says in the header `Kind-Consistency`. */
import { CONSISTENCY_HEADER } from '../http/request/header-names.js';
import type { HttpRequest } from '../http/request/request.js';
import { refusal } from '../shared/errors.js';

export class Consistency {
  #asked = false;

  constructor(private readonly text: string) {}

  /**
   * Whether this read may come from a replica. Only the first of a request may: if it finds the model outdated, the
   * replica may be the reason. @throws KindError 400 for an unknown value
   */
  mayBeOlder(): boolean {
    if (this.text !== 'eventual' && this.text !== 'strong') {
      throw refusal('header.bad_value', "Kind-Consistency is 'eventual' or 'strong'");
    }
    const first = !this.#asked;
    this.#asked = true;
    return first && this.text === 'eventual';
  }
}

/** Undefined if the client does not say. */
export function consistencyOf({ headers }: HttpRequest): Consistency | undefined {
  const text = headers[CONSISTENCY_HEADER];
  return text === undefined ? undefined : new Consistency(String(text));
}
