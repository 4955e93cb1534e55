/** The addresses of a sign-in with an identity provider. */
import { Inject, Injectable } from '@nestjs/common';
import { type Config, CONFIG } from '../../config/config.js';
import { PublicAddress } from '../../mail/public-address.js';
import { isRedirect } from '../../model/redirects.js';
import { refusal } from '../../shared/errors.js';
import { shortened } from '../../shared/texts.js';
import type { Project } from '../../tenancy/project.js';

@Injectable()
export class ProviderAddresses {
  constructor(
    private readonly publicAddress: PublicAddress,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Of the service. */
  get own(): string {
    return this.publicAddress.url;
  }

  /** Where a provider leads back to: as it is registered there. */
  callbackOf({ id: project }: Project, provider: string): string {
    return `${this.own}/api/lib/project/${project}/provider/${encodeURIComponent(provider)}/callback`;
  }

  /** Nobody is led anywhere else, not even with an error. @throws KindError 400 */
  checkRedirect({ settings }: Project, given: string): void {
    const console = this.config.console ? [`${this.own}/console/`] : [];
    if (isRedirect([...console, ...(settings.redirects ?? [])], given)) return;
    const text = `redirect_to: is none of the addresses in the setting 'redirects' of this project: '${shortened(given)}'`;
    throw refusal('redirect.not_allowed', text, { parameter: 'redirect_to' });
  }
}
