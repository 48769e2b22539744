/** Up to this number of character comparisons, `String.includes` is the fastest search for every text. */
const FEW_COMPARISONS = 65_536;

/**
 * Searches texts for a part. In the worst case `String.includes` compares every character of the part at every
 * position. So long texts are searched with the algorithm of Knuth, Morris and Pratt, in time linear in both lengths.
 */
export class TextSearch {
  private borders?: Uint16Array;

  /** @param part not empty, at most 65,535 characters */
  constructor(private readonly part: string) {}

  isIn(text: string): boolean {
    return text.length * this.part.length <= FEW_COMPARISONS ? text.includes(this.part) : this.search(text);
  }

  /** Returns the maximum number of character comparisons of a search. */
  stepsIn(text: string): number {
    return Math.min(text.length * this.part.length, 2 * (text.length + this.part.length));
  }

  private search(text: string): boolean {
    const { part } = this;
    const borders = (this.borders ??= bordersOf(part));
    let matched = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      while (matched > 0 && part.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0;
      if (part.charCodeAt(matched) === code) matched += 1;
      if (matched === part.length) return true;
    }
    return false;
  }
}

/** Returns, for each prefix of the part, the length of its longest proper suffix that is also a prefix. */
function bordersOf(part: string): Uint16Array {
  const borders = new Uint16Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    while (matched > 0 && part.charCodeAt(matched) !== part.charCodeAt(at)) matched = borders[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === part.charCodeAt(at)) matched += 1;
    borders[at] = matched;
  }
  return borders;
}
