const BACKSLASH = 0x5c;

/** The place of the quote that ends a string of a JSON text. @param start of the quote that begins it */
export function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end;
}

/** JSON text of the database without the blanks it puts behind commas and colons. */
export function compactJson(json: string): string {
  const kept: string[] = [];
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (character === '"') at = endOfString(json, at);
    else if (character === ' ') {
      kept.push(json.slice(from, at));
      from = at + 1;
    }
  }
  kept.push(json.slice(from));
  return kept.join('');
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
