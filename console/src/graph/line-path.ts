/** How a line is drawn between two boxes, so that several between the same two lie beside each other. Pure. */
import type { Box, Line, Positions } from './layout.js';

/** The side of a box at which a line begins or ends. */
export type Side = 'left' | 'right';

export interface LinePlace {
  readonly from: Side;
  readonly to: Side;
  /** How far it is bent away from the straight line between its ends, to the right as seen from the source. */
  readonly bend: number;
  /** Where on the line its name is: 0 at the source, 1 at the target. */
  readonly nameAt: number;
  /** From 1, of a line that leads back to its own box. */
  readonly loop: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Between two lines beside each other: more than the height of a name. */
const BEND = 34;
const LOOP = 34;
/** Names of lines that lead back are not all at the same height. */
const LOOP_NAMES = [0.5, 0.2, 0.8];
/** Lines of a box from which on their names would lie on each other near it. */
const MANY = 3;
/** The part of such a line that has names: at the box with fewer lines. */
const FAR_PART = { from: 0.58, length: 0.3 };
/** How far a line leads straight away from its box. */
const LEAST_STRAIGHT = 40;

/** In the order of the lines. */
export function placesOf(
  lines: readonly Line[],
  boxes: ReadonlyMap<string, Box>,
  positions: Positions,
): readonly LinePlace[] {
  const between = new Map<string, Line[]>();
  for (const line of lines) between.set(pairOf(line), [...(between.get(pairOf(line)) ?? []), line]);
  const counts = countLines(lines);
  return lines.map((line) => {
    const beside = between.get(pairOf(line)) ?? [line];
    const at = beside.indexOf(line);
    if (line.source === line.target)
      return { from: 'right', to: 'right', bend: 0, nameAt: LOOP_NAMES[at % LOOP_NAMES.length] ?? 0.5, loop: at + 1 };
    const isFirstWay = line.source < line.target;
    const bend = (at - (beside.length - 1) / 2) * BEND;
    const part = (at + 1) / (beside.length + 1);
    return {
      ...sidesOf(line, boxes, positions),
      bend: isFirstWay ? bend : -bend,
      nameAt: namePlace(isFirstWay ? part : 1 - part, counts.get(line.source) ?? 0, counts.get(line.target) ?? 0),
      loop: 0,
    };
  });
}

/** By box. */
function countLines(lines: readonly Line[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { source, target } of lines)
    for (const end of [source, target]) counts.set(end, (counts.get(end) ?? 0) + 1);
  return counts;
}

/** Where the name is on a line: where lines of a box with many are apart already. */
function namePlace(part: number, ofSource: number, ofTarget: number): number {
  if (Math.max(ofSource, ofTarget) < MANY || ofSource === ofTarget) return part;
  const { from, length } = FAR_PART;
  return ofSource > ofTarget ? from + part * length : 1 - from - (1 - part) * length;
}

function pairOf({ source, target }: Line): string {
  return JSON.stringify(source < target ? [source, target] : [target, source]);
}

/** The sides that face each other; the right ones of boxes above each other. */
function sidesOf(
  { source, target }: Line,
  boxes: ReadonlyMap<string, Box>,
  positions: Positions,
): { readonly from: Side; readonly to: Side } {
  const [from, to] = [positions[source]?.x ?? 0, positions[target]?.x ?? 0];
  if (to >= from + (boxes.get(source)?.width ?? 0)) return { from: 'right', to: 'left' };
  if (from >= to + (boxes.get(target)?.width ?? 0)) return { from: 'left', to: 'right' };
  return { from: 'right', to: 'right' };
}

/** A path of an SVG, and the place of its name. */
export function pathOf(start: Point, end: Point, { from, to, bend, nameAt, loop }: LinePlace) {
  const points = loop > 0 ? loopPoints(start, loop) : curvePoints(start, end, { from, to, bend });
  const [first, second, third, last] = points;
  const name = pointAt(points, nameAt);
  const path = `M${first.x},${first.y} C${second.x},${second.y} ${third.x},${third.y} ${last.x},${last.y}`;
  return { path, name };
}

type Curve = readonly [Point, Point, Point, Point];

function curvePoints(start: Point, end: Point, { from, to, bend }: Pick<LinePlace, 'from' | 'to' | 'bend'>): Curve {
  const [width, height] = [end.x - start.x, end.y - start.y];
  const length = Math.hypot(width, height) || 1;
  // The control points of a curve are a third farther away than it.
  const [aside, down] = [((-height / length) * bend * 4) / 3, ((width / length) * bend * 4) / 3];
  const straight = Math.max(Math.abs(width) / 2, LEAST_STRAIGHT);
  const away = (side: Side) => (side === 'right' ? straight : -straight);
  return [
    start,
    { x: start.x + away(from) + aside, y: start.y + down },
    { x: end.x + away(to) + aside, y: end.y + down },
    end,
  ];
}

function loopPoints({ x, y }: Point, loop: number): Curve {
  const size = LOOP * (loop + 1);
  return [
    { x, y: y - LOOP / 3 },
    { x: x + size, y: y - size / 2 - LOOP / 3 },
    { x: x + size, y: y + size / 2 + LOOP / 3 },
    { x, y: y + LOOP / 3 },
  ];
}

/** On a cubic Bézier curve. */
function pointAt(points: Curve, part: number): Point {
  const rest = 1 - part;
  const weights = [rest ** 3, 3 * rest ** 2 * part, 3 * rest * part ** 2, part ** 3];
  const sum = (axis: 'x' | 'y') => points.reduce((total, point, at) => total + point[axis] * (weights[at] ?? 0), 0);
  return { x: sum('x'), y: sum('y') };
}
