/** What a browser does when it loads a page, for pages that change within one. */
import { useEffect, useRef, type RefObject } from 'react';
import { withoutDirections } from '../i18n/text.js';
import { focusPage } from './focus-page.js';
import { GRACE_MS } from './keep-focus.js';
import { shortened } from './shortened.js';

/** Characters of a heading that the browser gets. */
const MOST_OF_TITLE = 100;

/**
 * Names the tab after the heading of the page, and moves the focus there when the page changes.
 * @param address changes with the page
 */
export function usePageChange(content: RefObject<HTMLElement | null>, address: string, app: string): void {
  useEffect(() => {
    const page = content.current;
    if (!page) return undefined;
    const name = (): void => {
      const heading = page.querySelector('h1')?.textContent ?? '';
      document.title = heading === '' ? app : `${shortened(withoutDirections(heading), MOST_OF_TITLE)} – ${app}`;
    };
    name();
    const observer = new MutationObserver(name);
    observer.observe(page, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [content, app]);
  const last = useRef(address);
  useEffect(() => {
    if (last.current === address) return undefined;
    last.current = address;
    // A form may have put it into its first field.
    const { activeElement } = document;
    if (!(content.current?.contains(activeElement) && activeElement?.matches('input, textarea'))) focusPage();
    // A menu that closes gives it back to its button.
    const timer = setTimeout(() => content.current?.contains(document.activeElement) || focusPage(), GRACE_MS);
    return () => clearTimeout(timer);
  }, [content, address]);
}
