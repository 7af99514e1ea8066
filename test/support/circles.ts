/** The nodes of a graph that can be reached from themselves. */
export function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const onCircle = (start: string) => {
    const seen = new Set(graph.get(start));
    for (const node of seen) for (const next of graph.get(node) ?? []) seen.add(next);
    return seen.has(start);
  };
  return [...graph.keys()].filter(onCircle).sort();
}
