/** Texts, what has neither digits nor quotes, and numbers, one after the other. */
const TOKEN = String.raw`'"(?:[^"\\\\]|\\\\.)*"|[^"0-9-]+|[-0-9.]+'`;

/**
 * JSON text in SQL of ClickHouse, which takes no whole number beyond 64 bits: with an exponent behind such numbers, which makes them
 * doubles, as they are everywhere else.
 */
export function withDoubles(json: string): string {
  return `arrayStringConcat(arrayMap(token -> if(match(token, '^-?[0-9]{19,}$')
    AND isNull(toInt64OrNull(token)) AND isNull(toUInt64OrNull(token)), concat(token, 'e0'), token), extractAll(${json}, ${TOKEN})))`;
}

/**
 * The properties of a row in another text, where ClickHouse reads them in this one alone; `{}` where it reads them as they are,
 * and empty where it reads neither. Made of no row that it is not asked of.
 */
export const OTHER_PROPERTIES = `if(JSONType(properties) = 'Object', '{}',
  if(JSONType(${withDoubles('properties')}) = 'Object', ${withDoubles('properties')}, ''))`;
