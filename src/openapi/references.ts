/**
 * Writes a reference with words beside it in the form of OpenAPI 3.1, where the generator wraps it for 3.0: `allOf` of one
 * stands for inheritance alone.
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
