/**
 * Finds the route of a request in a tree of path segments. Express compares the path with the pattern of each route in
 * turn, which takes longer than the rest of its work. The result is that of Express, or undefined where only Express
 * can tell: for paths with other than plain characters, and patterns with more than parameters.
 */
import { METHODS } from 'node:http';
import type { RouterLayer, RouterRoute } from './nest-internals.js';

export interface FoundRoute {
  readonly route: RouterRoute;
  /** The position of the route in the router's stack. */
  readonly at: number;
  readonly params: Record<string, string>;
}

interface Entry {
  readonly route: RouterRoute;
  readonly at: number;
  readonly methods: ReadonlySet<string>;
  /** Names of the parameters, and the positions of their segments. */
  readonly parameters: readonly (readonly [name: string, segment: number])[];
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  /** Routes that end here, in the order of the router. */
  readonly entries: Entry[];
}

/** A layer whose pattern only Express can match. */
interface OpaqueLayer {
  readonly layer: RouterLayer;
  readonly at: number;
  /** The text that every matching path begins with. */
  readonly prefix: string;
}

/** Literal segments, and parameters that are a whole segment. */
const SIMPLE_PATTERN = /^(?:\/(?:[\w.~-]+|:[A-Za-z_]\w*))+$/;
/** The path of a URL without percent-encoding and empty segments. Express parses other URLs in another way. */
const PLAIN_URL = /^((?:\/[\w.~-]+)+)(?:\?[^\s#\u00a0\ufeff]*)?$/;
/** A character with a meaning in a pattern. */
const SPECIAL = /[:*{}()[\]\\?+!]/;

export class RouteTable {
  readonly #root = newNode();
  readonly #opaque: OpaqueLayer[] = [];
  /** The number of layers when the table was made. */
  readonly size: number;

  /** @param layers of a router that is case sensitive and strict */
  constructor(layers: readonly RouterLayer[]) {
    this.size = layers.length;
    for (const [at, layer] of layers.entries()) {
      const { route, rawPath } = layer;
      if (!route) {
        if (!layer.slash) this.#opaque.push({ layer, at, prefix: prefixOf(rawPath) });
      } else if (typeof rawPath === 'string' && SIMPLE_PATTERN.test(rawPath) && hasOneHandler(route)) {
        this.#add(rawPath, route, at);
      } else this.#opaque.push({ layer, at, prefix: prefixOf(rawPath) });
    }
  }

  #add(pattern: string, route: RouterRoute, at: number): void {
    const segments = pattern.split('/');
    let node = this.#root;
    for (const segment of segments.slice(1)) node = childOf(node, segment);
    node.entries.push({
      route,
      at,
      methods: new Set(METHODS.filter((method) => method !== 'OPTIONS' && route._handlesMethod(method))),
      parameters: segments.flatMap((segment, position) =>
        segment.startsWith(':') ? [[segment.slice(1), position] as const] : [],
      ),
    });
  }

  /** The first route for a request. */
  find(method: string, url: string): FoundRoute | undefined {
    const path = PLAIN_URL.exec(url)?.[1];
    if (path === undefined) return undefined;
    const segments = path.split('/');
    const entry = first(this.#root, segments, 1, method);
    if (!entry) return undefined;
    for (const { layer, at, prefix } of this.#opaque) {
      if (at > entry.at) break;
      if (path.startsWith(prefix) && layer.match(path)) return undefined;
    }
    const params = Object.create(null) as Record<string, string>;
    for (const [name, position] of entry.parameters) params[name] = segments[position] ?? '';
    return { route: entry.route, at: entry.at, params };
  }
}

function newNode(): Node {
  return { literals: new Map(), parameter: undefined, entries: [] };
}

function childOf(node: Node, segment: string): Node {
  if (segment.startsWith(':')) return (node.parameter ??= newNode());
  const known = node.literals.get(segment) ?? newNode();
  node.literals.set(segment, known);
  return known;
}

/** The entry with the lowest position among those that match. */
function first(node: Node, segments: readonly string[], from: number, method: string): Entry | undefined {
  const segment = segments[from];
  if (segment === undefined) return node.entries.find(({ methods }) => methods.has(method));
  const literal = node.literals.get(segment);
  const byLiteral = literal && first(literal, segments, from + 1, method);
  const byParameter = node.parameter && first(node.parameter, segments, from + 1, method);
  if (!byLiteral || !byParameter) return byLiteral ?? byParameter;
  return byLiteral.at < byParameter.at ? byLiteral : byParameter;
}

function hasOneHandler({ stack }: RouterRoute): boolean {
  return stack.length === 1 && (stack[0]?.handle.length ?? 0) <= 3;
}

function prefixOf(pattern: unknown): string {
  return typeof pattern === 'string' ? (pattern.split(SPECIAL, 1)[0] ?? '') : '';
}
