/** Where elements were that are gone, and which element is the nearest to that place now. */

interface Place {
  readonly parent: Node;
  readonly previous: Node | null;
  readonly next: Node | null;
}

export interface Focused {
  readonly element: HTMLElement;
  /** What it was called when it got the focus: a label is not found any more once both are gone. */
  readonly name: string;
}

const STOPS = 'a[href], button, input, select, textarea, summary, [tabindex]';
/** What is outside of it is another matter. */
const BOUNDARY = 'main, nav, header, [role=dialog]';

export function isFocusable(element: HTMLElement): boolean {
  return element.isConnected && element.checkVisibility({ visibilityProperty: true }) && !element.matches(':disabled');
}

/** What Tab stops at, in an element or at itself. */
export function stopsIn(node: Node | undefined): HTMLElement[] {
  if (!(node instanceof HTMLElement)) return [];
  const all = [...(node.matches(STOPS) ? [node] : []), ...node.querySelectorAll<HTMLElement>(STOPS)];
  return all.filter((each) => each.tabIndex >= 0 && (!node.isConnected || isFocusable(each)));
}

export function nameOf(element: HTMLElement): string {
  const { labels } = element as Partial<HTMLInputElement>;
  return element.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? element.textContent;
}

export class Places {
  readonly #places = new WeakMap<Node, Place>();

  removed({ target, previousSibling, nextSibling, removedNodes }: MutationRecord): void {
    for (const node of removedNodes) {
      this.#places.set(node, { parent: target, previous: previousSibling, next: nextSibling });
    }
  }

  /** The element that takes the place of one that is gone or disabled; undefined if there is none beside it. */
  successorOf(focused: Focused): HTMLElement | undefined {
    const { element } = focused;
    if (element.isConnected) return near(element.parentNode, element.previousSibling, element.nextSibling);
    const branch = this.#branchOf(element);
    const place = this.#places.get(branch);
    if (!place) return undefined;
    const previous = this.#still(place, 'previous');
    const next = this.#still(place, 'next');
    const first = previous ? previous.nextSibling : place.parent.firstChild;
    const nodes = nodesFrom(first, 'nextSibling', next);
    const stops = nodes.flatMap(stopsIn);
    const twin =
      stops.find((each) => isTwin(each, focused)) ?? stops.find((each) => each.dataset['autofocus'] !== undefined);
    // Of a page that is another one, or not there yet, the heading tells most.
    if (twin || has(branch, 'h1') || nodes.some((node) => has(node, '.waiting'))) return twin;
    return (
      stops[0] ??
      sameIn(next, branch, element) ??
      sameIn(previous, branch, element) ??
      near(place.parent, previous, next)
    );
  }

  /** The element that matches among those that a node is or was in. */
  closest(node: Node, selector: string): HTMLElement | undefined {
    const found = node instanceof Element && node.closest<HTMLElement>(selector);
    if (found) return found;
    const place = this.#places.get(node.getRootNode());
    return place && this.closest(place.parent, selector);
  }

  /** The removed node that an element was in, whose parent is still there. */
  #branchOf(element: Node): Node {
    const branch = element.getRootNode();
    const place = this.#places.get(branch);
    if (!place || place.parent.isConnected) return branch;
    return this.#branchOf(place.parent);
  }

  /** The nearest sibling of a removed node that is still there. */
  #still(place: Place, side: 'previous' | 'next'): Node | null {
    let node = place[side];
    while (node && node.parentNode !== place.parent) node = this.#places.get(node)?.[side] ?? null;
    return node;
  }
}

/** What follows a place, or else what is before it, going up as far as the boundary. */
function near(parent: Node | null, previous: Node | null, next: Node | null): HTMLElement | undefined {
  if (!(parent instanceof Element) || parent === document.body) return undefined;
  const after = nodesFrom(next, 'nextSibling').flatMap(stopsIn)[0];
  const found = after ?? nodesFrom(previous, 'previousSibling').flatMap((node) => stopsIn(node).reverse())[0];
  if (found || parent.matches(BOUNDARY)) return found;
  return near(parent.parentNode, parent.previousSibling, parent.nextSibling);
}

function isTwin(candidate: HTMLElement, { element, name }: Focused): boolean {
  return isAlike(candidate, element) && name !== '' && nameOf(candidate) === name;
}

function isAlike(one: Element, other: Element): boolean {
  return one.tagName === other.tagName && one.getAttribute('type') === other.getAttribute('type');
}

/** The element of another row that is where the given one was in its row. */
function sameIn(row: Node | null, branch: Node, element: HTMLElement): HTMLElement | undefined {
  const alike = (node: Node) =>
    stopsIn(node).filter((each) => isAlike(each, element) && each.className === element.className);
  const fromEnd = alike(branch).indexOf(element) - alike(branch).length;
  return row ? alike(row).at(fromEnd) : undefined;
}

function has(node: Node, selector: string): boolean {
  return node instanceof Element && (node.matches(selector) || node.querySelector(selector) !== null);
}

function nodesFrom(first: Node | null, to: 'nextSibling' | 'previousSibling', end: Node | null = null): Node[] {
  const nodes: Node[] = [];
  for (let node = first; node && node !== end; node = node[to]) nodes.push(node);
  return nodes;
}
