/** What a browser does when it loads a page, for pages that change within one. */
import { useEffect, useRef, type RefObject } from 'react';

/**
 * Names the tab after the heading of the page, and moves the focus into the page where what had it is gone.
 * @param address changes with the page
 */
export function usePageChange(content: RefObject<HTMLElement | null>, address: string, app: string): void {
  useEffect(() => {
    const page = content.current;
    if (!page) return undefined;
    const name = (): void => {
      const heading = page.querySelector('h1')?.textContent ?? '';
      document.title = heading === '' ? app : `${heading} – ${app}`;
    };
    name();
    const observer = new MutationObserver(name);
    observer.observe(page, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, [content, app]);
  const last = useRef(address);
  useEffect(() => {
    const isFirst = last.current === address;
    last.current = address;
    if (!isFirst && document.activeElement === document.body) content.current?.focus({ preventScroll: true });
  }, [content, address]);
}
