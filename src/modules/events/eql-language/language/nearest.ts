const MOST_COMPARED = 64;

/** Returns the known name that is most similar, or null when none is similar enough. Case is ignored. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  const most = Math.max(1, Math.floor(Math.min(name.length, MOST_COMPARED) / 3));
  let nearest: string | null = null;
  let least = most + 1;
  for (const other of known) {
    const distance = editsBetween(name.toLowerCase(), other.toLowerCase(), least);
    if (distance < least) [nearest, least] = [other, distance];
  }
  return nearest;
}

/** Returns the Levenshtein distance of two names, or `limit` when it is at least the limit. */
function editsBetween(one: string, other: string, limit: number): number {
  if (one.length > MOST_COMPARED || Math.abs(one.length - other.length) >= limit) return one === other ? 0 : limit;
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return Math.min(limit, row[other.length] ?? limit);
}
