import type { createHashRouter } from 'react-router';

/**
 * A hash that a person typed or a bookmark set makes an entry of the browser's history without a position, and the router can
 * not hold back a change to such an entry: what is typed in a form would be lost without a question. This gives it one.
 * @returns to be called with the router, which must be made after this: listeners run in the order of their registration
 */
export function numberTypedAddresses(): (router: ReturnType<typeof createHashRouter>) => void {
  let position = 0;
  addEventListener('popstate', () => {
    const state = history.state as { readonly idx?: number } | null;
    position = state?.idx ?? position + 1;
    if (state?.idx === undefined) history.replaceState({ ...state, idx: position }, '');
  });
  return (router) =>
    void router.subscribe(() => {
      position = (history.state as { readonly idx?: number } | null)?.idx ?? position;
    });
}
