/** Matches one JSON token: a string, a number, or a run of characters that are neither quotes nor parts of numbers. */
const TOKEN = String.raw`'"(?:[^"\\\\]|\\\\.)*"|[^"0-9-]+|[-0-9.]+'`;

/**
 * Returns ClickHouse SQL of the JSON text with an exponent after each whole number beyond 64 bits. ClickHouse rejects
 * such numbers; with the exponent they are doubles, as everywhere else.
 */
export function withDoubles(json: string): string {
  return `arrayStringConcat(arrayMap(token -> if(match(token, '^-?[0-9]{19,}$')
    AND isNull(toInt64OrNull(token)) AND isNull(toUInt64OrNull(token)), concat(token, 'e0'), token), extractAll(${json}, ${TOKEN})))`;
}

/**
 * SQL of the properties of a row in a second text: the text that ClickHouse can parse where it cannot parse the stored
 * one, `{}` where the stored text parses, and empty where neither does. ClickHouse computes the second text only for
 * rows that need it.
 */
export const OTHER_PROPERTIES = `if(JSONType(properties) = 'Object', '{}',
  if(JSONType(${withDoubles('properties')}) = 'Object', ${withDoubles('properties')}, ''))`;
