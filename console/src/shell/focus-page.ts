/** Moves the focus to the heading of the page; to the page itself until there is one. */
let observer: MutationObserver | undefined;

export function focusPage(): void {
  observer?.disconnect();
  const page = document.querySelector('main');
  if (!page || focusHeading(page)) return;
  focusOn(page);
  observer = new MutationObserver(() => {
    if (document.activeElement !== page || focusHeading(page)) observer?.disconnect();
  });
  observer.observe(page, { childList: true, subtree: true });
}

function focusHeading(page: HTMLElement): boolean {
  const heading = page.querySelector('h1');
  if (heading) focusOn(heading);
  return heading !== null;
}

function focusOn(element: HTMLElement): void {
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
