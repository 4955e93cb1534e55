/** Places boxes and the lines between them, so that lines lead to the right where possible. Pure. */
import { Graph, layout } from '@dagrejs/dagre';

export interface Box {
  readonly id: string;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly source: string;
  readonly target: string;
}

export interface Drawing {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  /** Between boxes that a line connects, so that there is room for its name. */
  readonly gap: number;
}

/** The upper left corners, by the ids of the boxes. */
export type Positions = Readonly<Record<string, { readonly x: number; readonly y: number }>>;

const GAP = 40;
/** How much wider than high a block of boxes without lines is. */
const ASPECT = 1.6;

/** Each part that no line connects with others is placed by itself; the parts are put into rows. */
export function placed({ boxes, lines, gap }: Drawing): Positions {
  const parts = partsOf(boxes, lines).map((part, at) => placedPart(part, { lines, gap }, String(at)));
  // The largest first, so that single boxes come last.
  const corners = inRows(parts.toSorted((a, b) => b.height - a.height));
  const all = parts.flatMap(({ id, positions }) => {
    const corner = corners[id] ?? { x: 0, y: 0 };
    return [...positions].map(([box, { x, y }]) => [box, { x: corner.x + x, y: corner.y + y }] as const);
  });
  return Object.fromEntries(all);
}

interface Part extends Box {
  readonly positions: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
}

function placedPart(boxes: readonly Box[], { lines, gap }: Pick<Drawing, 'lines' | 'gap'>, id: string): Part {
  const [first] = boxes;
  if (first && boxes.length === 1) {
    return { id, width: first.width, height: first.height, positions: new Map([[first.id, { x: 0, y: 0 }]]) };
  }
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: GAP, ranksep: gap });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Set(boxes.map((box) => box.id));
  for (const { id: box, width, height } of boxes) graph.setNode(box, { width, height });
  for (const { source, target } of lines) if (source !== target && ids.has(source)) graph.setEdge(source, target);
  layout(graph);
  const positions = new Map<string, { x: number; y: number }>();
  let [right, bottom] = [0, 0];
  for (const { id: box, width, height } of boxes) {
    const { x = 0, y = 0 } = graph.node(box) as { x?: number; y?: number };
    positions.set(box, { x: x - width / 2, y: y - height / 2 });
    [right, bottom] = [Math.max(right, x + width / 2), Math.max(bottom, y + height / 2)];
  }
  return { id, width: right, height: bottom, positions };
}

/** The boxes that lines connect with each other, directly or not. */
function partsOf(boxes: readonly Box[], lines: readonly Line[]): readonly (readonly Box[])[] {
  const beside = new Map<string, string[]>(boxes.map(({ id }) => [id, []]));
  for (const { source, target } of lines) {
    beside.get(source)?.push(target);
    beside.get(target)?.push(source);
  }
  const part = new Map<string, number>();
  for (const [at, { id }] of boxes.entries()) {
    const waiting = part.has(id) ? [] : [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (part.has(next)) continue;
      part.set(next, at);
      waiting.push(...(beside.get(next) ?? []));
    }
  }
  const parts = new Map<number, Box[]>();
  for (const box of boxes) {
    const at = part.get(box.id) ?? -1;
    parts.set(at, [...(parts.get(at) ?? []), box]);
  }
  return [...parts.values()];
}

/** Boxes in rows, one below the other. */
export function inRows(boxes: readonly Box[], top = 0): Positions {
  const area = boxes.reduce((sum, { width, height }) => sum + (width + GAP) * (height + GAP), 0);
  const most = Math.sqrt(area * ASPECT);
  const positions: Record<string, { x: number; y: number }> = {};
  let [x, y, rowHeight] = [0, top, 0];
  for (const { id, width, height } of boxes) {
    if (x > 0 && x + width > most) [x, y, rowHeight] = [0, y + rowHeight + GAP, 0];
    positions[id] = { x, y };
    x += width + GAP;
    rowHeight = Math.max(rowHeight, height);
  }
  return positions;
}
