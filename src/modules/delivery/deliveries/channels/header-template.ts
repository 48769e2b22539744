const OPENING = /\{\{\s*(secret)\s*:/i;
const KEYWORD = 'secret';
const CLOSING = '}}';

type Part = { readonly text: string } | { readonly name: string };

/**
 * The value of a protected header with the secrets it names, each as `{{secret:NAME}}` among other text.
 * Blanks around the word and the name are ignored. Everything else between the braces is the name, whatever it is spelled
 * like, so that a mistaken one is told and not sent. What is not closed, and every other `{{`, is text. A secret's own value is not looked into.
 */
export class HeaderTemplate {
  private constructor(private readonly parts: readonly Part[]) {}

  /** Linear: what has been read is not read again. */
  static of(value: string): HeaderTemplate {
    const parts: Part[] = [];
    let rest = value;
    for (;;) {
      const opening = OPENING.exec(rest);
      const end = opening === null ? -1 : rest.indexOf(CLOSING, opening.index);
      if (opening === null || end === -1) break;
      const inside = opening.index + opening[0].length;
      // Another spelling of the word itself names nothing either: no secret is called like that.
      const isExact = opening[1] === KEYWORD;
      const name = isExact ? rest.slice(inside, end) : rest.slice(opening.index + 2, end);
      parts.push({ text: rest.slice(0, opening.index) }, { name: name.trim() });
      rest = rest.slice(end + CLOSING.length);
    }
    parts.push({ text: rest });
    return new HeaderTemplate(parts);
  }

  /** Each once, in the order in which they come. */
  get names(): string[] {
    return [...new Set(this.parts.flatMap((part) => ('name' in part ? [part.name] : [])))];
  }

  /**
   * The text with values in place of names.
   * @returns null when one has no value, or the text gets longer than `most` characters
   */
  filled(valueOf: (name: string) => string | null | undefined, most: number): string | null {
    let filled = '';
    for (const part of this.parts) {
      const text = 'name' in part ? valueOf(part.name) : part.text;
      if (text === null || text === undefined) return null;
      filled += text;
      if (filled.length > most) return null;
    }
    return filled;
  }
}
