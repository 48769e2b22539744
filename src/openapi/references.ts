/**
 * Rewrites a reference with further words to the form of OpenAPI 3.1. The generator wraps it in `allOf` for 3.0, but an
 * `allOf` of one must only mean inheritance.
 */
export function unwrapReferences<T>(part: T): T {
  if (Array.isArray(part)) return part.map((each: unknown) => unwrapReferences(each)) as T;
  if (part === null || typeof part !== 'object') return part;
  const copy = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, unwrapReferences(value as unknown)]),
  );
  const { allOf, ...words } = copy;
  const [reference, ...others] = Array.isArray(allOf) ? (allOf as object[]) : [];
  const isWrapped = reference !== undefined && others.length === 0 && '$ref' in reference;
  return (isWrapped ? { ...reference, ...words } : copy) as T;
}
