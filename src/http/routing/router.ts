/** Finds the routes of a path, in a tree of segments that is built once. */
import type { Route } from './route.js';

/** A route with data precomputed at start. */
export interface CompiledRoute {
  readonly route: Route;
  readonly parameterNames: readonly string[];
  /** Header names of the route's schema. */
  readonly headerNames: readonly string[];
}

/** The routes of one path. */
export interface Match {
  readonly methods: ReadonlyMap<string, CompiledRoute>;
  /** For the `Allow` header: sorted, with HEAD if there is GET. */
  readonly allow: readonly string[];
  /** Decoded parameter segments, in order. */
  readonly values: readonly string[];
}

export class Router {
  readonly #root = new Node();
  /** Paths without parameters, as a shortcut. */
  readonly #literal = new Map<string, Match>();

  /** @throws if two routes have the same method and path */
  constructor(routes: readonly Route[]) {
    for (const route of routes) this.#add(route);
    for (const { path } of routes) {
      if (path.includes('{')) continue;
      const match = this.#walk(path);
      if (match) this.#literal.set(path, match);
    }
  }

  /** @param path as sent. @returns `undefined` for an unknown path */
  match(path: string): Match | undefined {
    return this.#literal.get(path) ?? this.#walk(path);
  }

  #add(route: Route): void {
    const parameterNames: string[] = [];
    let node = this.#root;
    for (const segment of segmentsOf(route.path)) {
      const [, name, rest] = /^\{(\w+)(\.\.\.)?\}$/.exec(segment) ?? [];
      if (name === undefined) node = node.literal(segment);
      else {
        parameterNames.push(name);
        node = rest === undefined ? node.parameter() : node.remainder();
      }
    }
    const headerNames = Object.keys(route.headers?.shape ?? {});
    node.addMethod(route.method, { route, parameterNames, headerNames });
  }

  #walk(path: string): Match | undefined {
    if (!path.startsWith('/')) return undefined;
    const values: string[] = [];
    const node = find(this.#root, path, 1, values);
    return node && { methods: node.methods, allow: node.allow, values };
  }
}

class Node {
  readonly literals = new Map<string, Node>();
  readonly methods = new Map<string, CompiledRoute>();
  any: Node | undefined;
  rest: Node | undefined;
  allow: readonly string[] = [];

  literal(segment: string): Node {
    const next = this.literals.get(segment) ?? new Node();
    this.literals.set(segment, next);
    return next;
  }

  parameter(): Node {
    this.any ??= new Node();
    return this.any;
  }

  remainder(): Node {
    this.rest ??= new Node();
    return this.rest;
  }

  addMethod(method: string, compiled: CompiledRoute): void {
    if (this.methods.has(method)) throw new Error(`two routes for ${method} ${compiled.route.path}`);
    this.methods.set(method, compiled);
    const names = [...this.methods.keys()];
    this.allow = (names.includes('GET') ? [...names, 'HEAD'] : names).sort();
  }
}

/** Literal segments take precedence over parameters, and these over a remainder. The latter two never match ''. */
function find(node: Node, path: string, start: number, values: string[]): Node | undefined {
  if (start > path.length) return node.methods.size > 0 ? node : undefined;
  return findSegment(node, path, start, values) ?? findRemainder(node, path, start, values);
}

function findSegment(node: Node, path: string, start: number, values: string[]): Node | undefined {
  const slash = path.indexOf('/', start);
  const end = slash === -1 ? path.length : slash;
  const segment = decoded(path.slice(start, end));
  if (segment === undefined) return undefined;
  const next = node.literals.get(segment);
  const found = next && find(next, path, end + 1, values);
  if (found !== undefined || node.any === undefined || segment === '') return found;
  values.push(segment);
  const under = find(node.any, path, end + 1, values);
  if (under === undefined) values.pop();
  return under;
}

/** Matches the rest of the path, including slashes. */
function findRemainder({ rest }: Node, path: string, start: number, values: string[]): Node | undefined {
  const value = rest === undefined ? '' : decoded(path.slice(start));
  if (value === undefined || value === '') return undefined;
  values.push(value);
  return rest;
}

function segmentsOf(path: string): string[] {
  return path.slice(1).split('/');
}

/** `undefined` if the percent-encoding is invalid. A decoded slash does not split its segment. */
function decoded(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
