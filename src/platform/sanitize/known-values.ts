import { MASK } from './mask.js';

/** From this length on a value is masked wherever it occurs; a shorter one only where it stands alone. */
const ANYWHERE_LENGTH = 4;
/** Base64 of a value inside a longer encoded text is looked for from this length on: shorter cores are found by chance. */
const EMBEDDED_LENGTH = 8;
const SCHEME = /^[A-Za-z][A-Za-z0-9-]{1,20}[ \t]+(?=\S)/;

/** Masks values the caller knows to be secret, in every form a receiver may echo them. */
export class KnownValues {
  private readonly anywhere: readonly string[];
  private readonly alone: readonly string[];

  constructor(values: readonly string[]) {
    const forms = new Set<string>();
    for (const value of values) {
      for (const part of new Set([value, value.trim(), value.trim().replace(SCHEME, '')])) {
        for (const form of formsOf(part)) forms.add(form);
      }
    }
    // Longest first, or a value that contains another would leave its rest behind.
    const ordered = [...forms].filter((form) => form !== '').sort((a, b) => b.length - a.length);
    this.anywhere = ordered.filter((form) => form.length >= ANYWHERE_LENGTH);
    this.alone = ordered.filter((form) => form.length < ANYWHERE_LENGTH);
  }

  mask(text: string): string {
    let masked = text;
    for (const form of this.anywhere) masked = outsideMasks(masked, (part) => part.replaceAll(form, MASK));
    for (const form of this.alone) masked = outsideMasks(masked, (part) => replaceWords(part, form));
    return masked;
  }

  /** Masks the beginning of a known value at the very end, where a cut has taken the rest of it. */
  maskCutEnd(text: string): string {
    for (const form of this.anywhere) {
      for (let length = Math.min(form.length - 1, text.length); length >= ANYWHERE_LENGTH; length--) {
        if (text.endsWith(form.slice(0, length))) return text.slice(0, -length) + MASK;
      }
    }
    return text;
  }
}

function outsideMasks(text: string, change: (part: string) => string): string {
  return text.split(MASK).map(change).join(MASK);
}

function replaceWords(text: string, word: string): string {
  let masked = '';
  let done = 0;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const isAlone = !/[A-Za-z0-9]/.test(text.charAt(at - 1)) && !/[A-Za-z0-9]/.test(text.charAt(at + word.length));
    if (at < done || !isAlone) continue;
    masked += text.slice(done, at) + MASK;
    done = at + word.length;
  }
  return masked + text.slice(done);
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd'));
  const strict = percent.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [
    value,
    json,
    json.replaceAll('/', '\\/'),
    asciiJson(json),
    JSON.stringify(json).slice(1, -1),
    percent,
    strict,
  ];
  forms.push(
    strict.replaceAll('%20', '+'),
    ...[percent, strict].map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
  );
  forms.push(value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'));
  if (value.length < ANYWHERE_LENGTH) return forms;
  for (const encoded of [bytes.toString('base64'), bytes.toString('base64url')])
    forms.push(encoded, encoded.replace(/=+$/, ''));
  forms.push(bytes.toString('hex'), bytes.toString('hex').toUpperCase());
  if (bytes.length >= EMBEDDED_LENGTH) forms.push(...embeddedBase64(bytes));
  return forms;
}

function asciiJson(json: string): string {
  return json.replace(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The digits of base64 that depend on this value alone, for each of the three places it can have in its group. */
function embeddedBase64(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const firstWhole = offset === 0 ? 0 : offset + 1;
    const wholeDigits = Math.floor(((offset + bytes.length) * 8) / 6);
    const digits = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .slice(firstWhole, wholeDigits);
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
