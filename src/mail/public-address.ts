/** The address of the service as mails name it: PUBLIC_URL, else where it listens. No request has a say in it. */
import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../config/config.js';
import { CONFIG } from '../config/config.token.js';

@Injectable()
export class PublicAddress {
  #listening: string | undefined;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** To be called when the service listens: only then is the port of `PORT=0` known. */
  listensAt(url: string): void {
    this.#listening = url;
  }

  get url(): string {
    const { publicUrl, host, port } = this.config;
    return publicUrl ?? this.#listening ?? `http://${host}:${port}`;
  }
}
