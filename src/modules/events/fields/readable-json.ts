/** Matches one JSON token: a string, a number, or a run of characters that are neither quotes nor parts of numbers. */
const TOKEN = String.raw`'"(?:[^"\\\\]|\\\\.)*"|[^"0-9-]+|[-0-9.]+'`;

/**
 * Returns ClickHouse SQL of JSON text in which each whole number beyond 64 bits has an exponent. ClickHouse cannot
 * parse such numbers without an exponent. With it, ClickHouse reads them as doubles.
 */
export function withDoubles(json: string): string {
  return `arrayStringConcat(arrayMap(token -> if(match(token, '^-?[0-9]{19,}$')
    AND isNull(toInt64OrNull(token)) AND isNull(toUInt64OrNull(token)), concat(token, 'e0'), token), extractAll(${json}, ${TOKEN})))`;
}

/**
 * SQL of a second text of a row's properties: `{}` when ClickHouse can parse the stored text, otherwise the text of
 * {@link withDoubles} if ClickHouse can parse that, and otherwise empty. ClickHouse computes the second text only for
 * rows that need it.
 */
export const OTHER_PROPERTIES = `if(JSONType(properties) = 'Object', '{}',
  if(JSONType(${withDoubles('properties')}) = 'Object', ${withDoubles('properties')}, ''))`;
