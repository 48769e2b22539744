const OPENING = /\{\{\s*(secret)\s*:/i;
const KEYWORD = 'secret';
const CLOSING = '}}';

type Part = { readonly text: string } | { readonly name: string };

/**
 * A text that refers to secrets as `{{secret:NAME}}`, such as the value of a protected header. Blanks around the word
 * `secret` and the name are ignored. Everything else between the braces is the name, so that a misspelled reference is
 * reported and not sent. A reference that is not closed, and every other `{{`, is text. References inside the value of
 * a secret are not expanded.
 */
export class SecretText {
  private constructor(private readonly parts: readonly Part[]) {}

  /** Parses a value in linear time: text that has been read is not read again. */
  static of(value: string): SecretText {
    const parts: Part[] = [];
    let rest = value;
    for (;;) {
      const opening = OPENING.exec(rest);
      const end = opening === null ? -1 : rest.indexOf(CLOSING, opening.index);
      if (opening === null || end === -1) break;
      const inside = opening.index + opening[0].length;
      // With another spelling of the word, such as `Secret`, the whole content of the braces becomes the name. No
      // secret has such a name, so the reference is reported.
      const isExact = opening[1] === KEYWORD;
      const name = isExact ? rest.slice(inside, end) : rest.slice(opening.index + 2, end);
      parts.push({ text: rest.slice(0, opening.index) }, { name: name.trim() });
      rest = rest.slice(end + CLOSING.length);
    }
    parts.push({ text: rest });
    return new SecretText(parts);
  }

  /** The names of the secrets, each once, in the order of their first reference. */
  get names(): string[] {
    return [...new Set(this.parts.flatMap((part) => ('name' in part ? [part.name] : [])))];
  }

  /**
   * Replaces each reference by the value of its secret.
   * @returns the text; null when a secret has no value, or when the text is longer than `most` characters
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
