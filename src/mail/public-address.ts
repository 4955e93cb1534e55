/** The public address of the service in mails: PUBLIC_URL, or where it listens. It never comes from a request. */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../config/config.js';

@Injectable()
export class PublicAddress {
  #listening: string | undefined;

  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Called when the service listens, because only then the port of `PORT=0` is known. */
  listensAt(url: string): void {
    this.#listening = url;
  }

  get url(): string {
    const { publicUrl, host, port } = this.config;
    return publicUrl ?? this.#listening ?? `http://${host}:${port}`;
  }
}
