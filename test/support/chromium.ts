/** A headless Chromium: the one in CHROMIUM, or that of the system. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { atEnd } from './at-end.js';

const PLACES = [
  process.env['CHROMIUM'],
  ...['chromium', 'chromium-browser', 'google-chrome'].map((name) => `/usr/bin/${name}`),
];

export async function startChromium(): Promise<Browser> {
  const executablePath = PLACES.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) throw new Error('no Chromium: `apt-get install chromium`, or name one in CHROMIUM');
  // Root, as which tests run in containers, has no sandbox there.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  atEnd(() => browser.close());
  return browser;
}
