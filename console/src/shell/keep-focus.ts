/**
 * Moves the focus to a sensible element when the one that had it is gone: without it, the next Tab begins at the top of
 * the page, and a screen reader says nothing. What moves the focus itself goes first.
 */
import { focusPage } from './focus-page.js';
import { isFocusable, nameOf, Places, stopsIn, type Focused } from './focus-place.js';

/** How long the focus may be nowhere: dialogs and menus that close give it back within. */
export const GRACE_MS = 50;
const OVERLAY = '[role=dialog], [role=menu], [role=listbox], .message';

export function keepFocus(): void {
  const places = new Places();
  /** What had the focus last outside of all dialogs and menus, and in each that is open. */
  let history: readonly Focused[] = [];
  /** What had the focus last; undefined once the person has left it by a click beside everything. */
  let last: Focused | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const restore = (): void => {
    timer = undefined;
    if (!last || !isNowhere()) return;
    const target = substituteOf(last) ?? stopsIn([...document.querySelectorAll('[role=dialog]')].at(-1))[0];
    if (target) target.focus();
    else focusPage();
  };
  const restoreSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(restore, GRACE_MS);
  };

  function substituteOf(focused: Focused): HTMLElement | undefined {
    const { element } = focused;
    if (isFocusable(element)) return element;
    if (!isInClosedOverlay(element)) return places.successorOf(focused);
    const before = history.findLast((each) => !isInClosedOverlay(each.element));
    return before && substituteOf(before);
  }

  function overlayOf(element: HTMLElement): HTMLElement | undefined {
    return places.closest(element, OVERLAY);
  }

  function isInClosedOverlay(element: HTMLElement): boolean {
    const overlay = overlayOf(element);
    return overlay !== undefined && !overlay.checkVisibility({ visibilityProperty: true });
  }

  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    clearTimeout(timer);
    timer = undefined;
    last = { element: target, name: nameOf(target) };
    const overlay = overlayOf(target);
    const others = history.filter(({ element }) => overlayOf(element) !== overlay && !isInClosedOverlay(element));
    history = [...others, last];
  });
  document.addEventListener('focusout', () => {
    // After the element is gone, disabled or hidden, if it is.
    setTimeout(() => {
      if (!last || !isNowhere()) return;
      if (!isFocusable(last.element)) restoreSoon();
      else if (timer === undefined) last = undefined;
    });
  });
  const observer = new MutationObserver((records) => {
    let isGone = false;
    for (const record of records) {
      places.removed(record);
      isGone ||= last !== undefined && [...record.removedNodes].some((node) => node.contains(last?.element ?? null));
    }
    if (isGone && isNowhere()) restoreSoon();
  });
  observer.observe(document.body, { childList: true, subtree: true });
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}
