/** A device with passkeys, as Chromium imitates one. */
import type { Page } from 'playwright-core';

export interface Device {
  /** Whether it takes whoever holds it for its owner, by a fingerprint or a PIN. */
  readonly verify: (isUserVerified: boolean) => Promise<unknown>;
}

export async function addDevice(page: Page): Promise<Device> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    verify: (isUserVerified) => devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  };
}
